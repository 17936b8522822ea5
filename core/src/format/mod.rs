//! The contract between the converter and a format.

mod caps;
mod check;
mod info;
mod notation;
mod options;
mod probe;
mod registry;
mod request;
mod traits;

pub use caps::{
    ArrayCaps, AudioCaps, Caps, Count, Empty, FeatureCaps, Keys, LabelCaps, Medium, Objects,
    SegmentCaps, Tags,
};
pub use info::{FormatInfo, IndexKind, Pass, Variant};
pub use crate::bytes::{Claim, Extent, Nested};
pub use notation::{Notation, Specified};
pub use options::{OptionSpec, Options};
pub use probe::{Probe, Score};
pub use registry::Registry;
pub use request::{Opened, Parts, Request, Share, Wanted};
pub use traits::{Format, RandomAccess, Reader, Writer, Written};
