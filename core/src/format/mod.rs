//! The contract between the converter and a format.

mod caps;
mod check;
mod foreign;
mod info;
mod notation;
mod one;
mod options;
mod probe;
mod registry;
mod request;
mod traits;
mod whole_folder;

pub use crate::bytes::{Claim, Extent, Nested};
pub use caps::{
    ArrayCaps, AudioCaps, Caps, Count, Empty, FeatureCaps, Keys, LabelCaps, Medium, Objects,
    Portioned, Recordings, SegmentCaps, Tags,
};
pub use foreign::foreign;
pub use info::{FormatInfo, IndexKind, Partitioning, Suited, Variant};
pub use notation::{Notation, Specified};
pub use one::{OneReader, OneWriter};
pub use options::{OptionSpec, Options};
pub use probe::{Probe, Score};
pub use registry::Registry;
pub use request::{Opened, Parts, Request, Share, Wanted};
pub use traits::{Format, RandomAccess, Reader, Writer, Written};
pub use whole_folder::WholeFolder;
