//! Faults of a server.

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The answer has this status and nothing else.
    Status(u16),
    /// The answer says so, but has this status as its body alone.
    ErrorInside,
    /// The connection breaks after so many bytes of the body.
    Cut(usize),
    /// The body is half of what it should be, and is said to be all.
    Half,
    /// The connection breaks before an answer.
    Gone,
    /// Nothing is said for so many milliseconds.
    Silent(u64),
    /// The body comes in pieces, with a rest of so many milliseconds between them.
    Slow(u64),
    /// Ranges are not known: all of it comes.
    Whole,
    /// What was asked for comes, but with the status of all of it.
    Unsaid,
    /// The range is shorter than asked for, and says that it is not.
    Short,
    /// Answers have no tag.
    Tagless,
    /// The same, and the connection breaks after so many bytes of the body.
    TaglessCut(usize),
    /// Answers have neither tag nor ranges nor the time of the last change.
    Bare,
    /// The answer is said to be packed.
    Packed,
    /// The answer leads to another place.
    Elsewhere(String),
    /// The content is another one from now on, with another tag.
    Changed,
}
