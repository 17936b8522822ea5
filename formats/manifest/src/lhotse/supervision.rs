//! Supervisions: text and speaker of a segment of a recording.

use serde_json::value::RawValue;
use spr_core::model::{AudioReference, Decimal, Key, Meta, Tag, Utterance};
use spr_core::{Error, Result};
use spr_syntax::json::{self, Fields, Object};
use spr_syntax::manifest::columns;
use spr_syntax::manifest::source::{self, Place, utf8};

use super::alignment;
use super::recording::RecordingSegment;

/// A supervision with parsed names and times.
pub(super) struct Supervision<'a> {
    pub(super) id: String,
    pub(super) recording: String,
    pub(super) stretch: RecordingSegment,
    rest: Object<'a>,
}

/// The field of `custom` with the frame shift of an utterance without features.
pub(super) const FRAME_SHIFT: &str = "frame_shift";

/// The format of tags with what a supervision says of itself where its cut says something else.
const OWN: &str = "lhotse";
const ID: &str = "supervision_id";
const START: &str = "supervision_start";
const DURATION: &str = "supervision_duration";
const RECORDING: &str = "supervision_recording_id";
const CHANNEL: &str = "supervision_channel";

impl<'a> Supervision<'a> {
    /// Parses a supervision.
    ///
    /// # Errors
    /// A required field is missing.
    pub(super) fn read(mut object: Object<'a>) -> Result<Self> {
        Ok(Self {
            id: json::text(object.require("id")?, "id")?.into_owned(),
            recording: json::text(object.require("recording_id")?, "recording_id")?.into_owned(),
            stretch: RecordingSegment::take(&mut object)?,
            rest: object,
        })
    }

    /// Returns `true` if it lies within its cut, which is longer by more than a frame.
    pub(super) fn is_part_of(&self, cut: &RecordingSegment) -> bool {
        /// The seconds by which times may be rounded.
        const FRAME: f64 = 0.01;
        let before = self.stretch.start.value();
        let after = cut.duration.value() - before - self.stretch.duration.value();
        let is_inside = before >= -FRAME && after >= -FRAME;
        is_inside && (before > FRAME || after > FRAME)
    }

    /// Keeps the names, the times and the channels that differ from those of the cut, which is of this
    /// recording.
    pub(super) fn keep_own(
        &self,
        key: &str,
        cut: &RecordingSegment,
        recording: Option<&str>,
        meta: &mut Meta,
    ) {
        let Self { id, stretch, .. } = self;
        let mut keep = |name, value: String| meta.tags.push(Tag::new(OWN, name, value));
        if id != key {
            keep(ID, id.clone());
        }
        if !stretch.start.is_zero() {
            keep(START, stretch.start.to_string());
        }
        if stretch.duration != cut.duration {
            keep(DURATION, stretch.duration.to_string());
        }
        if recording.is_some_and(|recording| recording != self.recording) {
            keep(RECORDING, self.recording.clone());
        }
        if stretch.channels != cut.channels && !cut.channels.is_empty() {
            keep(CHANNEL, channel_list(&stretch.channels));
        }
    }

    /// Fills in text, speaker and times. Alignments count from the start of the recording, in which
    /// the utterance starts at `start`; it may be [all](alignment::read) of it.
    ///
    /// # Errors
    /// A field has another type.
    pub(super) fn fill(
        mut self,
        start: Decimal,
        all: Option<Decimal>,
        utt: &mut Utterance,
    ) -> Result<()> {
        let object = &mut self.rest;
        if let Some(said) = object.take("text") {
            utt.text = Some(json::text(said, "text")?.into_owned().into_bytes());
        }
        let mut name = |own: &str| {
            let name = object.take_if(own, json::name);
            name.map(|name| Key::from(name.as_ref()))
        };
        utt.meta.language = name("language");
        (utt.meta.speaker, utt.meta.gender) = (name("speaker"), name("gender"));
        if let Some(raw) = object.take("alignment") {
            utt.tiers = alignment::read(raw, start, all)?;
        }
        if let Some(raw) = object.take("custom") {
            read_custom(Object::of(raw, "custom")?, &mut utt.meta)?;
        }
        columns::read(self.rest, &mut utt.meta);
        Ok(())
    }
}

/// Reads what `custom` says of the recording and the frames, and the columns in it.
///
/// # Errors
/// A field has another type.
pub(super) fn read_custom(mut custom: Object<'_>, meta: &mut Meta) -> Result<()> {
    let own = Place {
        recording: meta.recording.take(),
        start: meta.start,
        end: meta.end,
    };
    own.read(&mut custom, meta)?;
    if let Some(raw) = custom.take(FRAME_SHIFT) {
        let shift = json::time(raw, FRAME_SHIFT)?;
        if shift.is_zero() {
            return Err(Error::malformed(format!("{FRAME_SHIFT} is 0")));
        }
        meta.frame_shift = Some(shift);
    }
    columns::read(custom, meta);
    Ok(())
}

/// The names of a supervision and its recording, and its times.
pub(super) struct Naming<'a> {
    pub(super) key: &'a str,
    pub(super) recording: &'a str,
    pub(super) start: Decimal,
    pub(super) duration: Decimal,
    /// The channels of the recording.
    pub(super) channels: u32,
    /// Whether the supervision is in a cut, which has the key.
    pub(super) in_cut: bool,
}

/// Returns one channel as a number, several as a list, as lhotse writes them.
fn channel_list(channels: &[u32]) -> String {
    let all: Vec<_> = channels.iter().map(u32::to_string).collect();
    match all.as_slice() {
        [one] => one.clone(),
        _ => format!("[{}]", all.join(", ")),
    }
}

/// Returns `true` for a value of the field of channels.
fn is_channels(text: &str) -> bool {
    serde_json::from_str::<u32>(text).is_ok() || serde_json::from_str::<Vec<u32>>(text).is_ok()
}

/// The tag of a supervision that its cut differs from.
fn own<'a>(meta: &'a Meta, name: &str) -> Option<&'a str> {
    let mut tags = meta.tags.iter();
    let tag = tags.find(|tag| tag.format == OWN && tag.key == name.as_bytes())?;
    std::str::from_utf8(&tag.value).ok()
}

impl Naming<'_> {
    /// Returns the information in these names alone.
    pub(super) fn place(&self, audio: &AudioReference) -> Place {
        let named = (self.recording != self.key).then(|| Key::from(self.recording));
        Place::new(named, audio)
    }

    /// Adds a field with the channel, or with all of them.
    pub(super) fn write_channel(
        &self,
        name: &str,
        audio: &AudioReference,
        fields: &mut Fields<'_>,
    ) {
        match audio.channel {
            Some(channel) => fields.count(name, channel),
            None if self.channels == 1 => fields.count(name, 0u32),
            None => {
                let all: Vec<_> = (0..self.channels).collect();
                fields.raw(name, &channel_list(&all));
            }
        }
    }

    /// Writes the supervision, which starts at `start` in its parent, with what `custom` holds.
    ///
    /// # Errors
    /// A text is not UTF-8, or a value cannot be represented.
    pub(super) fn write(
        &self,
        utt: &Utterance,
        audio: &AudioReference,
        start: Decimal,
        custom: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let time = |name| own(&utt.meta, name).and_then(Decimal::parse);
        let start = start.plus(time(START).unwrap_or_default());
        let start = start.ok_or_else(|| Error::unfit("its times have too many digits"))?;
        let of_cut = |name| own(&utt.meta, name).filter(|_| self.in_cut);
        let id = of_cut(ID);
        let mut fields = Fields::open(out);
        fields.text("id", id.unwrap_or(self.key));
        fields.text("recording_id", of_cut(RECORDING).unwrap_or(self.recording));
        fields.time("start", start);
        fields.time("duration", time(DURATION).unwrap_or(self.duration));
        match of_cut(CHANNEL).filter(|own| is_channels(own)) {
            Some(own) => fields.raw("channel", own),
            None => self.write_channel("channel", audio, &mut fields),
        }
        if let Some(said) = &utt.text {
            fields.text("text", utf8(said, "the text")?);
        }
        let meta = &utt.meta;
        for (name, value) in [
            ("language", &meta.language),
            ("speaker", &meta.speaker),
            ("gender", &meta.gender),
        ] {
            if let Some(value) = value {
                fields.text(name, utf8(value.as_bytes(), name)?);
            }
        }
        if !custom.is_empty() {
            fields.start("custom").extend_from_slice(custom);
        }
        alignment::write(&utt.tiers, self.start, &mut fields)?;
        fields.close();
        Ok(())
    }

    /// Returns `true` if a supervision would say something of an utterance.
    pub(super) fn says(utt: &Utterance) -> bool {
        let meta = &utt.meta;
        let who = [&meta.language, &meta.speaker, &meta.gender];
        utt.text.is_some()
            || !utt.tiers.is_empty()
            || who.iter().any(|name| name.is_some())
            || meta.tags.iter().any(|tag| tag.format == OWN)
    }

    /// Returns what has a place in `custom` alone; empty if there is nothing. `is_column` returns
    /// `false` for tags that are written elsewhere, `more` adds fields.
    ///
    /// # Errors
    /// A text is not UTF-8, or a column cannot be represented.
    pub(super) fn custom(
        &self,
        utt: &Utterance,
        audio: &AudioReference,
        is_column: impl Fn(&Tag) -> bool,
        more: impl FnOnce(&mut Fields<'_>),
    ) -> Result<Vec<u8>> {
        let mut custom = Vec::new();
        let mut own = Fields::open(&mut custom);
        self.place(audio).write(&utt.meta, &mut own)?;
        if let Some(shift) = utt.meta.frame_shift.filter(|_| utt.features.is_none()) {
            own.time(FRAME_SHIFT, shift);
        }
        let is_own =
            |name: &str, _: &RawValue| source::FIELDS.contains(&name) || name == FRAME_SHIFT;
        let is_said = |tag: &Tag| {
            let key = std::str::from_utf8(&tag.key).unwrap_or_default();
            let value = std::str::from_utf8(&tag.value).ok();
            let time = [START, DURATION].contains(&key) && value.and_then(Decimal::parse).is_some();
            let named = matches!(key, ID | RECORDING) && value.is_some();
            let channel = key == CHANNEL && value.is_some_and(is_channels);
            tag.format == OWN && (time || self.in_cut && (named || channel))
        };
        let elsewhere = |tag: &Tag| is_said(tag) || !is_column(tag);
        let mut tags = std::borrow::Cow::from(&utt.meta.tags);
        if tags.iter().any(elsewhere) {
            tags.to_mut().retain(|tag| !elsewhere(tag));
        }
        columns::write(&tags, is_own, &mut own)?;
        more(&mut own);
        own.close();
        if custom == b"{}" {
            custom.clear();
        }
        Ok(custom)
    }
}
