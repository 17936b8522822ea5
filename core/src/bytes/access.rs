//! The permission to run commands.

/// The permission to run commands.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// None at all.
    #[default]
    Safe,
    /// Commands that the user typed.
    Typed,
    /// Those, and commands in script files.
    Files,
}
