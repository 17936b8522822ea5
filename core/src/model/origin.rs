//! The origin of an utterance.

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::Error;
use crate::name::Position;

/// The file, position and form in which an utterance was stored. It does not take part in
/// comparisons of utterances.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The name of the file for messages.
    pub file: Option<Arc<str>>,
    /// The position in the file: a byte if a script file could refer to it, otherwise a line.
    pub at: Option<Position>,
    /// The encoding that was undone, such as Kaldi's `CM`.
    pub coding: Option<Cow<'static, str>>,
}

impl Origin {
    /// Returns the byte offset for a script file.
    pub fn byte(&self) -> Option<u64> {
        match self.at {
            Some(Position::Byte(n)) => Some(n),
            _ => None,
        }
    }

    /// Adds the file and the position to an error, as far as they are known.
    pub fn place(&self, error: Error) -> Error {
        let error = match &self.file {
            Some(file) => error.file(&**file),
            None => error,
        };
        match self.at {
            Some(Position::Byte(at)) => error.byte(at),
            Some(Position::Line(line)) => error.line(line),
            None => error,
        }
    }

    /// Clears everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

impl PartialEq for Origin {
    /// Returns `true`, so that utterances are compared by their content.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
