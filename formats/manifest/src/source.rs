//! Who speaks, and in which recording.

use spr_core::model::{AudioReference, Decimal, Key, Meta, Utterance};
use spr_core::{Error, Remedy, Result};

use crate::json::{self, Fields, Object};

/// What a place of sound alone says of a recording: its name, and the stretch of it.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Place {
    pub(crate) recording: Option<Key>,
    pub(crate) start: Option<Decimal>,
    pub(crate) end: Option<Decimal>,
}

/// Fields for what the place of the sound does not say.
pub(crate) const FIELDS: [&str; 4] = [
    "recording_name",
    "recording_channel",
    "recording_start",
    "recording_end",
];

impl Place {
    /// The stretch that sound refers to, of a recording of this name.
    pub(crate) fn new(recording: Option<Key>, audio: &AudioReference) -> Self {
        let named = |time: Option<Decimal>| time.filter(|_| recording.is_some());
        Self {
            start: named(audio.start),
            end: named(audio.end),
            recording,
        }
    }

    /// Fills what is known of the recording, for which there may be fields that know better.
    ///
    /// # Errors
    /// Such a field is of another type.
    pub(crate) fn read(self, object: &mut Object<'_>, meta: &mut Meta) -> Result<()> {
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

    /// Adds fields for what is known of the recording and not said by this.
    ///
    /// # Errors
    /// It is not UTF-8.
    pub(crate) fn write(&self, meta: &Meta, fields: &mut Fields<'_>) -> Result<()> {
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

/// The error for an utterance without sound, which every line `says`.
pub(crate) fn no_sound(says: &str, utt: &Utterance) -> Error {
    let error = Error::unfit(format!("has no sound, which every line {says}"));
    match utt.said() {
        Some(_) if utt.features.is_none() => error.suggest(Remedy::JoinText),
        _ => error,
    }
}

/// Bytes as text.
///
/// # Errors
/// They are not UTF-8.
pub(crate) fn utf8<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str> {
    std::str::from_utf8(bytes)
        .map_err(|_| Error::unfit(format!("{what} is not UTF-8, which the format can't hold")))
}
