//! Objects of one format inside another: whose they are, and where they end.

/// The claim of a format to an object by its first bytes.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is not of this format.
    No,
    /// It may be, if it has one of these lengths in bytes.
    Lengths([Option<u64>; 2]),
    /// It has the format's magic bytes.
    Magic,
}

impl Claim {
    /// Returns `true` if an object of `len` bytes is of the format.
    pub fn holds(self, len: Option<u64>) -> bool {
        match self {
            Self::No => false,
            Self::Lengths(lengths) => len.is_some() && lengths.contains(&len),
            Self::Magic => true,
        }
    }
}

/// The end of an object in its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectBounds {
    /// The end of the source: further bytes are an error.
    Whole,
    /// The end according to its own header; other data may follow.
    Own,
}
