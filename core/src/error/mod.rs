//! The one error type: what went wrong, where, and what to do about it.

mod brief;
mod remedy;

use std::borrow::Cow;
use std::fmt;
use std::io;

pub use remedy::Remedy;

use crate::model::{Key, Position};

/// A result whose error is [`Error`] unless said otherwise.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Errors by what the caller can do about them.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The system refused: missing file, full disk, broken pipe, a command that failed.
    Io,
    /// The bytes break the rules of their format.
    Malformed,
    /// The data end before they should.
    Truncated,
    /// Well-formed, but not something this program handles.
    Unsupported,
    /// A size beyond the [`Limits`](crate::Limits).
    Limit,
    /// The target can't hold what the input has, and nobody allowed the loss.
    Loss,
    /// No format recognises the input.
    Unrecognised,
    /// Several formats fit equally well.
    Ambiguous,
    /// A wrong argument, option or combination of them.
    Usage,
    /// One utterance does not fit the others or lacks something: no labels, a wrong dimension.
    Unfit,
    /// What is read is not any more what it was when it was opened.
    Changed,
    /// The program is about to end and takes no more output.
    Stopped,
}

impl ErrorKind {
    /// Its name, in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Io => "io",
            Self::Malformed => "malformed",
            Self::Truncated => "truncated",
            Self::Unsupported => "unsupported",
            Self::Limit => "limit",
            Self::Loss => "loss",
            Self::Unrecognised => "unrecognised",
            Self::Ambiguous => "ambiguous",
            Self::Usage => "usage",
            Self::Unfit => "unfit",
            Self::Changed => "changed",
            Self::Stopped => "stopped",
        }
    }
}

/// An error with its place: file, byte or line, and utterance.
///
/// It displays as one line, the file first: `feats.ark@18734: utterance A-03: matrix header says
/// 0 columns`. Whoever knows a part of the place first sets it; outer layers only add. What the
/// system said is its [source](std::error::Error::source).
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    message: String,
    file: Option<String>,
    at: Option<Position>,
    key: Option<Key>,
    remedy: Option<Remedy>,
    continuable: bool,
    cause: Option<io::Error>,
}

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident => $kind:ident),* $(,)?) => {
        $($(#[$doc])*
        pub fn $name(message: impl Into<String>) -> Self {
            Self::new(ErrorKind::$kind, message)
        })*
    };
}

impl Error {
    /// An error of `kind` with a message and no place yet.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: brief::quoted(told(message)),
            file: None,
            at: None,
            key: None,
            remedy: None,
            continuable: false,
            cause: None,
        }))
    }

    constructors! {
        /// The bytes break the rules of their format.
        malformed => Malformed,
        /// The data end before they should.
        truncated => Truncated,
        /// Well-formed, but not something this program handles.
        unsupported => Unsupported,
        /// A size beyond the limits.
        limit => Limit,
        /// A wrong argument, option or combination of them.
        usage => Usage,
        /// One utterance that can't take part.
        unfit => Unfit,
    }

    /// A failure reported by the system; `doing` says what was tried, such as `cannot write`. Where
    /// a store reported an error of this type, its kind and what to do are kept.
    pub fn io(doing: impl fmt::Display, cause: io::Error) -> Self {
        let own = cause.get_ref().and_then(|own| own.downcast_ref::<Self>());
        let kind = own.map_or(ErrorKind::Io, Self::kind);
        let remedy = own.and_then(|own| own.remedy().cloned());
        let mut error = Self::new(kind, format!("{doing}: {}", system_text(&cause)));
        error.0.remedy = remedy;
        error.0.cause = Some(cause);
        error
    }

    /// Names the file, unless an inner layer did; of a URL not its query, which may be a secret.
    #[must_use]
    pub fn file(mut self, name: impl Into<String>) -> Self {
        self.0.file.get_or_insert_with(|| told(name));
        self
    }

    /// Names the byte, counted from 0 in the (decompressed) file, unless a place is known.
    #[must_use]
    pub fn byte(mut self, offset: u64) -> Self {
        self.0.at.get_or_insert(Position::Byte(offset));
        self
    }

    /// Names the line, counted from 1, unless a place is known.
    #[must_use]
    pub fn line(mut self, number: u64) -> Self {
        self.0.at.get_or_insert(Position::Line(number));
        self
    }

    /// Names the utterance, unless an inner layer did.
    #[must_use]
    pub fn utterance(mut self, key: &Key) -> Self {
        if self.0.key.is_none() {
            self.0.key = Some(key.clone());
        }
        self
    }

    /// Adds what to do next in words, unless an inner layer did; for what is done by a setting there
    /// is [`suggest`](Self::suggest).
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.suggest(Remedy::Advice(hint.into()))
    }

    /// Adds what to do next, unless an inner layer did.
    #[must_use]
    pub fn suggest(mut self, remedy: Remedy) -> Self {
        self.0.remedy.get_or_insert(remedy);
        self
    }

    /// Suggests this, whatever was suggested before.
    #[must_use]
    pub fn suggest_instead(mut self, remedy: Remedy) -> Self {
        self.0.remedy = Some(remedy);
        self
    }

    /// Calls an output's format by its name. Until it is known the message says "the format".
    #[must_use]
    pub fn naming(mut self, format: &str) -> Self {
        self.0.message = self.0.message.replace("the format", format);
        self
    }

    /// Says that the reader can go on with the next utterance; not where the data changed meanwhile.
    #[must_use]
    pub fn continuable(mut self) -> Self {
        self.0.continuable = self.0.kind != ErrorKind::Changed;
        self
    }

    /// Says that nothing can go on after it.
    #[must_use]
    pub fn fatal(mut self) -> Self {
        self.0.continuable = false;
        self
    }

    /// Puts `context: ` before the message.
    #[must_use]
    pub fn context(mut self, context: impl fmt::Display) -> Self {
        self.0.message = told(format!("{context}: {}", self.0.message));
        self
    }

    /// What sort of error it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The file it is about, if known.
    pub fn file_name(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// The byte it is about, if known.
    pub fn byte_offset(&self) -> Option<u64> {
        match self.0.at {
            Some(Position::Byte(n)) => Some(n),
            _ => None,
        }
    }

    /// The line it is about, if known.
    pub fn line_number(&self) -> Option<u64> {
        match self.0.at {
            Some(Position::Line(n)) => Some(n),
            _ => None,
        }
    }

    /// The utterance it is about, if known.
    pub fn key(&self) -> Option<&Key> {
        self.0.key.as_ref()
    }

    /// The message without its place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it.
    pub fn remedy(&self) -> Option<&Remedy> {
        self.0.remedy.as_ref()
    }

    /// What to do about it, in words that hold for a library; a program names its own switches.
    pub fn hint_text(&self) -> Option<String> {
        self.0.remedy.as_ref().map(ToString::to_string)
    }

    /// Whether it only says that the program was [stopped](crate::bytes::Local::abandon).
    pub fn is_stopped(&self) -> bool {
        self.0.kind == ErrorKind::Stopped
    }

    /// The same error once more, without what the system said.
    #[must_use]
    pub fn copy(&self) -> Self {
        let inner = &self.0;
        Self(Box::new(Inner {
            kind: inner.kind,
            message: inner.message.clone(),
            file: inner.file.clone(),
            at: inner.at,
            key: inner.key.clone(),
            remedy: inner.remedy.clone(),
            continuable: inner.continuable,
            cause: None,
        }))
    }

    /// Whether the reader can go on with the next utterance.
    pub fn can_continue(&self) -> bool {
        self.0.continuable
    }

    /// Whether the data it is about are not what they were, so that nothing that comes of them is of
    /// use.
    pub fn is_change(&self) -> bool {
        self.0.kind == ErrorKind::Changed
    }

    /// Whether it only says that the reader of our output went away.
    pub fn is_broken_pipe(&self) -> bool {
        let cause = self.0.cause.as_ref();
        cause.is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Whether the system failed at something other than to find a file or folder.
    pub fn is_failure(&self) -> bool {
        let cause = self.0.cause.as_ref();
        cause.is_some_and(|e| e.kind() != io::ErrorKind::NotFound)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let cause = self.0.cause.as_ref()?;
        Some(cause)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Display for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            match self.at {
                Some(Position::Byte(n)) => write!(f, "{}@{n}: ", brief::name(file))?,
                Some(Position::Line(n)) => write!(f, "{}:{n}: ", brief::name(file))?,
                None => write!(f, "{}: ", brief::name(file))?,
            }
        }
        if let Some(key) = &self.key {
            write!(f, "utterance {}: ", brief::name(&key.to_string()))?;
        }
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// Text without the secrets of URLs.
fn told(text: impl Into<String>) -> String {
    let text = text.into();
    match spr_text::discreet(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(discreet) => discreet,
    }
}

/// The system's words without the `(os error N)` that users can't use.
fn system_text(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displays_on_one_line_with_its_place() {
        let error = Error::malformed("matrix header says 0 columns")
            .utterance(&Key::from("A-03"))
            .byte(18734)
            .file("feats.ark")
            .file("outer")
            .byte(0);
        assert_eq!(
            error.to_string(),
            "feats.ark@18734: utterance A-03: matrix header says 0 columns"
        );
    }

    #[test]
    fn is_one_word_and_can_cross_threads() {
        fn crosses<T: Send + Sync>() {}
        crosses::<Error>();
        assert_eq!(size_of::<Error>(), size_of::<usize>());
    }

    #[test]
    fn system_errors_lose_their_number() {
        let error = Error::io("cannot open", io::Error::from_raw_os_error(2));
        assert_eq!(error.to_string(), "cannot open: No such file or directory");
    }
}
