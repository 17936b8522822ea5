//! What a file says about an utterance beside its numbers.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Decimal, Key};

/// What a header line may be about. A stage that changes it leaves such lines out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Described {
    /// The columns of the features: how many there are, or what they are.
    Columns,
    /// The frames: how many there are.
    Frames,
    /// The whole recording of which the utterance is a stretch.
    Recording,
}

/// A header line or a column that the model has no field for, kept as it was.
///
/// Two are equal if they say the same, whatever is known of what they are about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tag {
    /// The name of the format whose header it stood in.
    pub format: Cow<'static, str>,
    /// The key's bytes.
    pub key: Vec<u8>,
    /// The value's bytes, unquoted.
    pub value: Vec<u8>,
    /// What it is about, if a stage could make it untrue.
    pub about: Option<Described>,
}

impl PartialEq for Tag {
    fn eq(&self, other: &Self) -> bool {
        (&self.format, &self.key, &self.value) == (&other.format, &other.key, &other.value)
    }
}

impl Eq for Tag {}

impl Tag {
    /// A tag of `format`.
    pub fn new(
        format: impl Into<Cow<'static, str>>,
        key: impl Into<Vec<u8>>,
        value: impl Into<Vec<u8>>,
    ) -> Self {
        Self {
            format: format.into(),
            key: key.into(),
            value: value.into(),
            about: None,
        }
    }

    /// The same, known to be about something that stages change.
    #[must_use]
    pub fn about(self, about: Described) -> Self {
        Self {
            about: Some(about),
            ..self
        }
    }
}

/// A part of what is known of who speaks, and where in which recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceField {
    /// Who speaks.
    Speaker,
    /// The speaker's gender.
    Gender,
    /// The language.
    Language,
    /// The recording.
    Recording,
    /// The channel of the recording.
    Channel,
    /// Where in the recording.
    Place,
}

impl SourceField {
    /// Every field.
    pub const ALL: &'static [Self] = &[
        Self::Speaker,
        Self::Gender,
        Self::Language,
        Self::Recording,
        Self::Channel,
        Self::Place,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Speaker => "speaker",
            Self::Gender => "gender",
            Self::Language => "language",
            Self::Recording => "recording",
            Self::Channel => "channel",
            Self::Place => "place in the recording",
        }
    }
}

/// Understood fields, and the foreign header lines in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// Seconds from one frame to the next.
    pub frame_shift: Option<Decimal>,
    /// Seconds at which the first frame starts.
    pub frame_offset: Option<Decimal>,
    /// Who speaks.
    pub speaker: Option<Key>,
    /// The speaker's gender, as it is written.
    pub gender: Option<Key>,
    /// The language, as it is written.
    pub language: Option<Key>,
    /// The recording of which the utterance is a stretch.
    pub recording: Option<Key>,
    /// The channel of the recording, as it is written.
    pub channel: Option<Key>,
    /// Seconds from the start of the recording to the start of the utterance.
    pub start: Option<Decimal>,
    /// Seconds from the start of the recording to the end of the utterance.
    pub end: Option<Decimal>,
    /// Header lines without a field of their own.
    pub tags: Vec<Tag>,
}

impl Meta {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.frame_shift.is_none()
            && self.frame_offset.is_none()
            && !self.has_source()
            && self.tags.is_empty()
    }

    /// Whether anything is known of who speaks, and in which recording.
    pub fn has_source(&self) -> bool {
        SourceField::ALL.iter().any(|field| self.has(*field))
    }

    /// Whether this is known.
    pub fn has(&self, field: SourceField) -> bool {
        match field {
            SourceField::Speaker => self.speaker.is_some(),
            SourceField::Gender => self.gender.is_some(),
            SourceField::Language => self.language.is_some(),
            SourceField::Recording => self.recording.is_some(),
            SourceField::Channel => self.channel.is_some(),
            SourceField::Place => self.start.is_some() || self.end.is_some(),
        }
    }

    /// Forgets this.
    pub fn clear_field(&mut self, field: SourceField) {
        match field {
            SourceField::Speaker => self.speaker = None,
            SourceField::Gender => self.gender = None,
            SourceField::Language => self.language = None,
            SourceField::Recording => {
                self.recording = None;
                // Of the utterance alone they would be untrue.
                self.tags
                    .retain(|tag| tag.about != Some(Described::Recording));
            }
            SourceField::Channel => self.channel = None,
            SourceField::Place => (self.start, self.end) = (None, None),
        }
    }

    /// Forgets who speaks, and in which recording.
    pub fn clear_source(&mut self) {
        SourceField::ALL
            .iter()
            .for_each(|field| self.clear_field(*field));
    }

    /// Forgets the header lines about what has changed, and gives the first of them.
    pub fn forget(&mut self, changed: Described) -> Option<Tag> {
        let mut gone = self.tags.extract_if(.., |tag| tag.about == Some(changed));
        let first = gone.next();
        gone.for_each(drop);
        first
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        (self.frame_shift, self.frame_offset) = (None, None);
        self.clear_source();
        self.tags.clear();
    }
}
