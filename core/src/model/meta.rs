//! What a file says about an utterance beside its numbers.

use super::Decimal;

/// A header line that the model has no field for, kept as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The name of the format whose header it stood in.
    pub format: &'static str,
    /// The key's bytes.
    pub key: Vec<u8>,
    /// The value's bytes, unquoted.
    pub value: Vec<u8>,
}

/// Understood fields, and the foreign header lines in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// Seconds from one frame to the next.
    pub frame_shift: Option<Decimal>,
    /// Seconds at which the first frame starts.
    pub frame_offset: Option<Decimal>,
    /// Header lines without a field of their own.
    pub tags: Vec<Tag>,
}

impl Meta {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.frame_shift.is_none() && self.frame_offset.is_none() && self.tags.is_empty()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.frame_shift = None;
        self.frame_offset = None;
        self.tags.clear();
    }
}
