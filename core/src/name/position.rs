//! Places in a file.

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// A byte offset in the (decompressed) file.
    Byte(u64),
    /// A line number, from 1.
    Line(u64),
}
