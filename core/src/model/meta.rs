//! Information about an utterance besides its numbers.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Decimal, Key};

/// The subject of a tag. A stage that changes it drops such tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TagSubject {
    /// The columns of the features: their number or their meaning.
    Columns,
    /// The frames: their number.
    Frames,
    /// The whole recording that the utterance is a segment of.
    Recording,
    /// The key: how it was written. The key itself tells the rest, so that nothing is lost with it.
    Key,
}

/// A header line or a column without a field in the model, stored unchanged.
///
/// Two are equal if their text is, whatever their subject.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tag {
    /// The name of the format whose header contained it.
    pub format: Cow<'static, str>,
    /// The key's bytes.
    pub key: Vec<u8>,
    /// The value's bytes, unquoted.
    pub value: Vec<u8>,
    /// Its subject, if a stage could invalidate it.
    pub about: Option<TagSubject>,
}

impl PartialEq for Tag {
    fn eq(&self, other: &Self) -> bool {
        (&self.format, &self.key, &self.value) == (&other.format, &other.key, &other.value)
    }
}

impl Eq for Tag {}

impl Tag {
    /// Creates a tag of `format`.
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

    /// Sets the subject, which stages may change.
    #[must_use]
    pub fn about(self, about: TagSubject) -> Self {
        Self {
            about: Some(about),
            ..self
        }
    }
}

/// A field with information about the speaker or the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceField {
    /// The speaker.
    Speaker,
    /// The speaker's gender.
    Gender,
    /// The language.
    Language,
    /// The recording.
    Recording,
    /// The channel of the recording.
    Channel,
    /// The position in the recording.
    Place,
}

impl SourceField {
    /// All fields.
    pub const ALL: &'static [Self] = &[
        Self::Speaker,
        Self::Gender,
        Self::Language,
        Self::Recording,
        Self::Channel,
        Self::Place,
    ];

    /// Returns its name.
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

/// Known fields, and the tags in order.
///
/// ```
/// use spr_core::model::{Decimal, Meta};
/// let mut meta = Meta::default();
/// assert!(meta.is_empty());
/// meta.speaker = Some("ann".into());
/// meta.frame_shift = Decimal::parse("0.010");
/// assert_eq!(meta.frame_shift, Decimal::parse("0.01"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The frame shift in seconds.
    pub frame_shift: Option<Decimal>,
    /// The start of the first frame in seconds.
    pub frame_offset: Option<Decimal>,
    /// The speaker.
    pub speaker: Option<Key>,
    /// The speaker's gender as written.
    pub gender: Option<Key>,
    /// The language as written.
    pub language: Option<Key>,
    /// The recording that the utterance is a segment of.
    pub recording: Option<Key>,
    /// The channel of the recording as written.
    pub channel: Option<Key>,
    /// The start of the utterance in the recording, in seconds.
    pub start: Option<Decimal>,
    /// The end of the utterance in the recording, in seconds.
    pub end: Option<Decimal>,
    /// Header lines without a field.
    pub tags: Vec<Tag>,
}

impl Meta {
    /// Returns `true` if nothing is known.
    pub fn is_empty(&self) -> bool {
        self.frame_shift.is_none()
            && self.frame_offset.is_none()
            && !self.has_source()
            && self.tags.is_empty()
    }

    /// Returns `true` if anything is known about speaker and recording.
    pub(crate) fn has_source(&self) -> bool {
        // Without a loop over the fields, as every utterance is asked several times.
        let Self {
            frame_shift: _,
            frame_offset: _,
            speaker,
            gender,
            language,
            recording,
            channel,
            start,
            end,
            tags: _,
        } = self;
        let who = speaker.is_some() | gender.is_some() | language.is_some();
        who | recording.is_some() | channel.is_some() | start.is_some() | end.is_some()
    }

    /// Returns `true` if this field is known.
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

    /// Returns the letter of the gender, `m` or `f`, if it is one of these or the word.
    pub fn gender_letter(&self) -> Option<&'static [u8]> {
        match self.gender.as_ref()?.as_bytes() {
            b"m" | b"M" | b"male" | b"Male" => Some(b"m"),
            b"f" | b"F" | b"female" | b"Female" => Some(b"f"),
            _ => None,
        }
    }

    /// The names that are known of who speaks, and in which recording.
    pub fn names(&self) -> impl Iterator<Item = (SourceField, &Key)> {
        let names = [
            (SourceField::Speaker, &self.speaker),
            (SourceField::Gender, &self.gender),
            (SourceField::Language, &self.language),
            (SourceField::Recording, &self.recording),
            (SourceField::Channel, &self.channel),
        ];
        let names = names.into_iter();
        names.filter_map(|(field, name)| Some((field, name.as_ref()?)))
    }

    /// Clears this field.
    pub fn clear_field(&mut self, field: SourceField) {
        match field {
            SourceField::Speaker => self.speaker = None,
            SourceField::Gender => self.gender = None,
            SourceField::Language => self.language = None,
            SourceField::Recording => {
                self.recording = None;
                // They do not apply to the utterance alone.
                self.tags
                    .retain(|tag| tag.about != Some(TagSubject::Recording));
            }
            SourceField::Channel => self.channel = None,
            SourceField::Place => (self.start, self.end) = (None, None),
        }
    }

    /// Clears speaker and recording.
    pub fn clear_source(&mut self) {
        if self.has_source() || !self.tags.is_empty() {
            let fields = SourceField::ALL.iter();
            fields.for_each(|field| self.clear_field(*field));
        }
    }

    /// Drops the tags about `changed`, and returns the first of them.
    pub fn forget(&mut self, changed: TagSubject) -> Option<Tag> {
        let mut gone = self.tags.extract_if(.., |tag| tag.about == Some(changed));
        let first = gone.next();
        gone.for_each(drop);
        first
    }

    /// Clears everything.
    pub fn clear(&mut self) {
        (self.frame_shift, self.frame_offset) = (None, None);
        self.clear_source();
        self.tags.clear();
    }
}
