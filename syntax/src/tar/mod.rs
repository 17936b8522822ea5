//! Tar archives: their members in order, with the place of each in the file, and a writer.
//!
//! The [`TarReader`] reads ustar, PAX, GNU's long names and sizes in base 256, and archives of before
//! (v7). Sparse members and volumes of several tapes are refused by name. A damaged header is an error
//! with its byte and never the end of the archive; [`TarReader::resume`] goes on at the next header.
//! [`sound`] reads and writes members that are sound files.
//! The [`TarWriter`] writes the same bytes for the same members: mode 0644, nobody's, of no time.
//!
//! Source: POSIX.1-2017, pax, "ustar Interchange Format" and "pax Interchange Format"; GNU tar manual,
//! "Basic Tar Format".

mod header;
mod number;
mod pax;
mod read;
pub mod sound;
#[cfg(test)]
mod tests;
mod write;

pub use header::{begins_with_folders, is_tar};
pub use read::{Member, MemberKind, TarReader};
pub use write::TarWriter;

/// The size of a block: a header, or the unit to which data are padded.
const BLOCK: usize = 512;

/// Returns the padding behind `size` bytes of data.
fn padding(size: u64) -> u64 {
    size.wrapping_neg() % BLOCK as u64
}
