//! Speakers and recordings.

use spr_core::model::{AudioReference, Decimal, Key, Meta, Utterance};
use spr_core::{Error, Remedy, Result};

use crate::json::{self, Fields, Object};

/// The information in a reference to audio: the recording's name and the segment.
#[derive(Clone, Default, PartialEq)]
pub struct Place {
    /// The name of the recording.
    pub recording: Option<Key>,
    /// The start in the recording, in seconds.
    pub start: Option<Decimal>,
    /// The end in the recording, in seconds.
    pub end: Option<Decimal>,
}

/// Fields for information that the reference does not contain.
pub const FIELDS: [&str; 4] = [
    "recording_name",
    "recording_channel",
    "recording_start",
    "recording_end",
];

impl Place {
    /// Returns the segment to which audio refers, in a recording of this name.
    pub fn new(recording: Option<Key>, audio: &AudioReference) -> Self {
        let named = |time: Option<Decimal>| time.filter(|_| recording.is_some());
        Self {
            start: named(audio.span.bounds().map(|(start, _)| start)),
            end: named(audio.span.end()),
            recording,
        }
    }

    /// Fills in the recording, where fields take precedence.
    ///
    /// # Errors
    /// Such a field is of another type.
    pub fn read(self, object: &mut Object<'_>, meta: &mut Meta) -> Result<()> {
        let [name, channel, start, end] = FIELDS;
        let name_of = |object: &mut Object<'_>, own: &str| {
            let text = object.take(own).map(|raw| json::text(raw, own));
            text.transpose()
                .map(|text| text.map(|text| Key::from(text.as_ref())))
        };
        meta.channel = name_of(object, channel)?;
        meta.recording = match object.has(name) {
            true => name_of(object, name)?,
            false => self.recording,
        };
        let mut time = |own: &str, usual| match object.has(own) {
            true => object.take(own).map(|raw| json::time(raw, own)).transpose(),
            false => Ok(usual),
        };
        (meta.start, meta.end) = (time(start, self.start)?, time(end, self.end)?);
        Ok(())
    }

    /// Adds fields for information about the recording that the reference does not contain.
    ///
    /// # Errors
    /// It is not UTF-8.
    pub fn write(&self, meta: &Meta, fields: &mut Fields<'_>) -> Result<()> {
        let [name, channel, start, end] = FIELDS;
        match &meta.recording {
            same if *same == self.recording => {}
            Some(recording) => fields.text(name, utf8(recording.as_bytes(), "the recording")?),
            None => fields.raw(name, "null"),
        }
        if let Some(said) = &meta.channel {
            fields.text(channel, utf8(said.as_bytes(), "the channel")?);
        }
        for (own, time, usual) in [(start, meta.start, self.start), (end, meta.end, self.end)] {
            match time {
                _ if time == usual => {}
                Some(time) => fields.time(own, time),
                None => fields.raw(own, "null"),
            }
        }
        Ok(())
    }
}

/// Returns the error for an utterance without audio, which every line `says`.
pub fn no_sound(says: &str, utt: &Utterance) -> Error {
    let error = Error::unfit(format!("has no sound, which every line {says}"));
    match utt.said() {
        Some(_) if utt.features.is_none() => error.suggest(Remedy::JoinText),
        _ => error,
    }
}

/// Decodes UTF-8.
///
/// # Errors
/// They are not UTF-8.
pub fn utf8<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|_| Error::not_held(format!("{what} is not UTF-8")))
}
