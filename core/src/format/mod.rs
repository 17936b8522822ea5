//! The contract between the converter and a format.

mod audit;
mod caps;
mod check;
mod decide;
mod foreign;
mod info;
mod lists;
pub mod loss;
mod notation;
mod one;
mod options;
mod part_caps;
mod probe;
mod registry;
mod request;
mod rule;
mod traits;
mod whole_folder;

pub use crate::bytes::{Claim, Medium, Nested, ObjectBounds};
pub use crate::name::Variant;
pub use audit::{Audit, Auditor, Finding, Severity};
pub use caps::{Caps, ChunkSupport, Count, Empty, Keys, Objects, Recordings, Tags};
pub use decide::Basis;
pub use foreign::foreign;
pub use info::{DataVariant, FileVariants, FormatInfo, IndexKind, Partitioning, TableHabits};
pub use lists::{Lists, Weight};
pub use notation::{Notation, Specified};
pub use one::{OneReader, OneWriter};
pub use options::{OptionSpec, Options};
pub use part_caps::{ArrayCaps, AudioCaps, FeatureCaps, LabelCaps, SegmentCaps};
pub use probe::{Probe, Score};
pub use registry::Registry;
pub use request::{FieldSet, KeyPredicate, OpenedDataset, Request, Subset};
pub use rule::Rule;
pub use traits::{Format, RandomAccess, Reader, WriteSummary, Writer, create};
pub use whole_folder::WholeFolder;
