//! The contract between the converter and a format.

mod caps;
mod options;
mod probe;
mod registry;
mod traits;

pub use caps::{Caps, Count, Empty, FeatureCaps, Keys, LabelCaps, Objects, Place, Tags};
pub use options::{OptionSpec, Options};
pub use probe::{Probe, Score};
pub use registry::Registry;
pub use traits::{Format, FormatInfo, Lookup, RandomAccess, Reader, Writer, Written};
