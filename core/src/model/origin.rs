//! Where an utterance was read.

use std::borrow::Cow;
use std::sync::Arc;

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// A byte, counted from 0 in the (decompressed) file.
    Byte(u64),
    /// A line, counted from 1.
    Line(u64),
}

/// Where an utterance was read, and in which form it was stored. It is not part of the utterance:
/// two that are equal may come from different places.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The file, as messages name it.
    pub file: Option<Arc<str>>,
    /// Where the utterance starts in the file: at a byte where a script file could point to it, else
    /// in a line.
    pub at: Option<Position>,
    /// What was undone to read this one, such as Kaldi's `CM`.
    pub coding: Option<Cow<'static, str>>,
}

impl Origin {
    /// The byte at which a script file finds the utterance.
    pub fn byte(&self) -> Option<u64> {
        match self.at {
            Some(Position::Byte(n)) => Some(n),
            _ => None,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

impl PartialEq for Origin {
    /// Always true, so that utterances are compared by what they hold.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
