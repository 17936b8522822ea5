//! The error type: the failure, its place, and a remedy.

mod loss_kind;
mod loss_line;
mod remedy;

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::Range;

pub use loss_kind::LossKind;
pub use loss_line::LossLine;
pub use remedy::Remedy;

use crate::name::{Key, Position};
use crate::text::brief;

/// A result with [`Error`] by default.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The words for a format whose name is not known.
const FORMAT: &str = "the format";

/// Kinds of errors by their consequences for the caller.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The system refused: missing file, full disk, broken pipe, a command that failed.
    Io,
    /// The bytes break the rules of their format.
    Malformed,
    /// The data end before they should.
    Truncated,
    /// Well-formed data that this program does not support.
    Unsupported,
    /// A size beyond the [`Limits`](crate::model::Limits).
    Limit,
    /// A loss that was not permitted.
    Loss,
    /// No format recognises the input.
    Unrecognised,
    /// Several formats fit equally well.
    Ambiguous,
    /// An invalid argument or option, or combination of them.
    Usage,
    /// An utterance that does not match the others or lacks a field: no labels, a wrong dimension.
    Unfit,
    /// Data that changed after they were opened.
    Changed,
    /// The program is stopping and accepts no more output.
    Stopped,
}

impl ErrorKind {
    /// Returns its name in small letters.
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
/// It displays as one line, the file first: `feats.ark@18734: utterance A-03: matrix header says 0
/// columns`. The code that knows a part of the place first sets it; outer layers only add. The
/// system's error is its [source](std::error::Error::source).
///
/// ```
/// use spr_core::{Error, ErrorKind};
///
/// let error = Error::malformed("0 columns").utterance(&"A-03".into()).file("feats.ark").byte(18734);
/// assert_eq!(error.to_string(), "feats.ark@18734: utterance A-03: 0 columns");
/// assert_eq!((error.kind(), error.byte_offset()), (ErrorKind::Malformed, Some(18734)));
/// ```
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    message: String,
    /// The place of [`FORMAT`] in the message, as long as the format has no name.
    format: Option<Range<usize>>,
    file: Option<String>,
    at: Option<Position>,
    key: Option<Key>,
    remedy: Option<Remedy>,
    losses: Vec<(LossKind, LossLine)>,
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
    /// Creates an error of `kind` with a message and without a place.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: brief::message(told(message)),
            format: None,
            file: None,
            at: None,
            key: None,
            remedy: None,
            losses: Vec::new(),
            continuable: false,
            cause: None,
        }))
    }

    constructors! {
        /// The bytes break the rules of their format.
        malformed => Malformed,
        /// The data end before they should.
        truncated => Truncated,
        /// Well-formed data that this program does not support.
        unsupported => Unsupported,
        /// A size above the limits.
        limit => Limit,
        /// An invalid argument or option, or combination of them.
        usage => Usage,
        /// An utterance that does not match the others.
        unfit => Unfit,
    }

    /// Creates an error from a failure of the system; `doing` is the attempted action, such as
    /// `cannot write`. If a store returned an error of this type, its kind and remedy are kept.
    pub fn io(doing: impl fmt::Display, cause: io::Error) -> Self {
        let own = cause.get_ref().and_then(|own| own.downcast_ref::<Self>());
        let kind = own.map_or(ErrorKind::Io, Self::kind);
        let remedy = own.and_then(|own| own.remedy().cloned());
        let mut error = Self::new(kind, format!("{doing}: {}", system_text(&cause)));
        error.0.remedy = remedy;
        error.0.cause = Some(cause);
        error
    }

    /// Sets the file, unless an inner layer did. The query of a URL is omitted, because it may be a
    /// secret.
    #[must_use]
    pub fn file(mut self, name: impl Into<String>) -> Self {
        self.0.file.get_or_insert_with(|| told(name));
        self
    }

    /// Sets the byte, counted from 0 in the (decompressed) file, unless a place is set.
    #[must_use]
    pub fn byte(mut self, offset: u64) -> Self {
        self.0.at.get_or_insert(Position::Byte(offset));
        self
    }

    /// Sets the line, counted from 1, unless a place is set.
    #[must_use]
    pub fn line(mut self, number: u64) -> Self {
        self.0.at.get_or_insert(Position::Line(number));
        self
    }

    /// Sets the utterance, unless an inner layer did.
    #[must_use]
    pub fn utterance(mut self, key: &Key) -> Self {
        if self.0.key.is_none() {
            self.0.key = Some(key.clone());
        }
        self
    }

    /// Adds a hint in words, unless an inner layer did. Hints about settings use
    /// [`suggest`](Self::suggest).
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.suggest(Remedy::Advice(hint.into()))
    }

    /// Adds a remedy, unless an inner layer did.
    #[must_use]
    pub fn suggest(mut self, remedy: Remedy) -> Self {
        self.0.remedy.get_or_insert(remedy);
        self
    }

    /// Replaces the remedy.
    #[must_use]
    pub fn suggest_instead(mut self, remedy: Remedy) -> Self {
        self.0.remedy = Some(remedy);
        self
    }

    /// Sets the losses that were not permitted.
    #[must_use]
    pub(crate) fn losing(mut self, losses: Vec<(LossKind, LossLine)>) -> Self {
        self.0.losses = losses;
        self
    }

    /// Continues the message with "the format" and `rest`. The name of the format may be added
    /// [later](Self::naming): writers share messages and do not know what the caller calls them.
    ///
    /// ```
    /// use spr_core::Error;
    /// let error = Error::unfit("has 3 tiers, ").the_format(" holds at most 1");
    /// assert_eq!(error.message(), "has 3 tiers, the format holds at most 1");
    /// assert_eq!(error.naming("ctm").message(), "has 3 tiers, ctm holds at most 1");
    /// ```
    #[must_use]
    pub fn the_format(mut self, rest: impl Into<String>) -> Self {
        let start = self.0.message.len();
        self.0.message.push_str(FORMAT);
        self.0.format = Some(start..start + FORMAT.len());
        self.0.message.push_str(&told(rest));
        self
    }

    /// An utterance that has something which the format can't hold, such as `has 3 tiers`.
    pub fn not_held(what: impl fmt::Display) -> Self {
        Self::unfit(format!("{what}, which ")).the_format(" can't hold")
    }

    /// Names the format where the message says [the format](Self::the_format), unless an inner layer
    /// did. Nothing else of the message changes.
    #[must_use]
    pub fn naming(mut self, format: &str) -> Self {
        if let Some(place) = self.0.format.take() {
            self.0.message.replace_range(place, format);
        }
        self
    }

    /// Marks the error as one after which the reader can continue, unless the data changed
    /// meanwhile.
    #[must_use]
    pub fn continuable(mut self) -> Self {
        self.0.continuable = self.0.kind != ErrorKind::Changed;
        self
    }

    /// Marks the error as one after which nothing can continue.
    #[must_use]
    pub fn fatal(mut self) -> Self {
        self.0.continuable = false;
        self
    }

    /// Prepends `context: ` to the message.
    #[must_use]
    pub fn context(mut self, context: impl fmt::Display) -> Self {
        let context = brief::message(told(context.to_string())) + ": ";
        if let Some(place) = &mut self.0.format {
            *place = place.start + context.len()..place.end + context.len();
        }
        self.0.message.insert_str(0, &context);
        self
    }

    /// Returns the kind of error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the affected file, if known.
    pub fn file_name(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// Returns the affected byte, if known.
    pub fn byte_offset(&self) -> Option<u64> {
        match self.0.at {
            Some(Position::Byte(n)) => Some(n),
            _ => None,
        }
    }

    /// Returns the affected line, if known.
    pub fn line_number(&self) -> Option<u64> {
        match self.0.at {
            Some(Position::Line(n)) => Some(n),
            _ => None,
        }
    }

    /// Returns the affected utterance, if known.
    pub fn key(&self) -> Option<&Key> {
        self.0.key.as_ref()
    }

    /// Returns the message without its place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the remedy.
    pub fn remedy(&self) -> Option<&Remedy> {
        self.0.remedy.as_ref()
    }

    /// Returns the losses that were not permitted, of an error of the kind [`ErrorKind::Loss`].
    pub fn losses(&self) -> &[(LossKind, LossLine)] {
        &self.0.losses
    }

    /// Returns the remedy in words for users of the library; a program names its own options.
    pub fn hint_text(&self) -> Option<String> {
        self.0.remedy.as_ref().map(ToString::to_string)
    }

    /// Returns `true` if it only reports that the program was
    /// [stopped](crate::bytes::Local::abandon).
    pub fn is_stopped(&self) -> bool {
        self.0.kind == ErrorKind::Stopped
    }

    /// Copies the error. Of the system's error the kind and the text remain.
    #[must_use]
    pub fn copy(&self) -> Self {
        let inner = &self.0;
        Self(Box::new(Inner {
            kind: inner.kind,
            message: inner.message.clone(),
            format: inner.format.clone(),
            file: inner.file.clone(),
            at: inner.at,
            key: inner.key.clone(),
            remedy: inner.remedy.clone(),
            losses: inner.losses.clone(),
            continuable: inner.continuable,
            cause: inner.cause.as_ref().map(copy_of),
        }))
    }

    /// Returns `true` if the reader can continue with the next utterance.
    pub fn can_continue(&self) -> bool {
        self.0.continuable
    }

    /// Returns `true` if it is a fault of one input, after which another can be read.
    pub fn ends_one_input(&self) -> bool {
        !matches!(
            self.0.kind,
            ErrorKind::Usage | ErrorKind::Loss | ErrorKind::Changed | ErrorKind::Stopped
        )
    }

    /// Returns `true` if the data changed, so that all results are invalid.
    pub fn is_change(&self) -> bool {
        self.0.kind == ErrorKind::Changed
    }

    /// Returns `true` if it only reports that the reader of our output has stopped.
    pub fn is_broken_pipe(&self) -> bool {
        let cause = self.0.cause.as_ref();
        cause.is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Returns `true` if it reports that a file or folder does not exist.
    pub fn is_missing(&self) -> bool {
        let cause = self.0.cause.as_ref();
        cause.is_some_and(|e| e.kind() == io::ErrorKind::NotFound)
    }

    /// Returns `true` if the system failed other than by not finding a file or folder.
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
                Some(Position::Byte(n)) => write!(f, "{}@{n}: ", brief::path(file))?,
                Some(Position::Line(n)) => write!(f, "{}:{n}: ", brief::path(file))?,
                None => write!(f, "{}: ", brief::path(file))?,
            }
        }
        if let Some(key) = &self.key {
            write!(f, "utterance {}: ", brief(&key.to_string()))?;
        }
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// Removes the secrets of URLs from text.
fn told(text: impl Into<String>) -> String {
    let text = text.into();
    match crate::text::discreet(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(discreet) => discreet,
    }
}

/// Copies a system's error, as far as it says what happened.
fn copy_of(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

/// The system's words without the `(os error N)` that users can't use. The words of other errors
/// stay as they are.
fn system_text(error: &io::Error) -> String {
    let text = error.to_string();
    let number = error.raw_os_error().map(|n| format!(" (os error {n})"));
    let words = number.and_then(|number| text.strip_suffix(&number));
    words.map_or_else(|| text.clone(), str::to_owned)
}

#[cfg(test)]
impl Error {
    /// Returns the kind of error and its place, which tests compare instead of its wording.
    pub(crate) fn kind_and_place(&self) -> (ErrorKind, String) {
        let text = self.to_string();
        let place = text.strip_suffix(self.message()).unwrap_or(&text);
        (self.kind(), place.trim_end_matches(": ").to_owned())
    }
}

#[cfg(test)]
mod tests;
