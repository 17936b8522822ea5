//! Extensions of files that say how they are written.

/// A variant of the format that an extension implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The extension.
    pub extension: &'static str,
    /// The implied option, and its value.
    pub option: (&'static str, &'static str),
}
