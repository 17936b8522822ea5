//! The writer.

use std::borrow::Cow;

use serde_json::value::RawValue;
use spr_core::bytes::{Env, Locator, Output, Part, Sink};
use spr_core::format::{AudioCaps, Caps, Count, Keys, Options, Tags, WriteSummary, Writer};
use spr_core::model::{Audio, AudioReference, Decimal, SourceField, Tag, TagSubject, Utterance};
use spr_core::{Error, Result};
use spr_syntax::json::{self, Fields};
use spr_syntax::manifest;
use spr_syntax::manifest::Names;
use spr_syntax::manifest::columns;
use spr_syntax::manifest::source::{self, Place, no_sound, utf8};

use super::names::{FILE, KEY, SHARD, made_up, stem};

pub(super) const CAPS: Caps = {
    let mut audio = AudioCaps::NONE;
    (audio.references, audio.first_seconds) = (true, true);
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.audio = audio;
    caps.text = true;
    caps.utf8 = true;
    caps.source = SourceField::ALL;
    caps.tags = Tags::Any;
    caps
};

/// Fields with a meaning in the format whatever their value is.
const OWN: [&str; 7] = [
    FILE[0],
    "offset",
    "duration",
    "text",
    "sampling_rate",
    "_skipme",
    SHARD,
];

pub(super) struct NemoWriter {
    sink: Sink,
    names: Names,
    env: Env,
    line: Vec<u8>,
    written: WriteSummary,
}

impl NemoWriter {
    pub(super) fn new(output: &Output, options: &Options, env: &Env) -> Result<Self> {
        Ok(Self {
            names: Names::new(output, options, env)?,
            sink: output.create(Part::Main, false)?,
            env: env.clone(),
            line: Vec::new(),
            written: WriteSummary::default(),
        })
    }

    /// Formats the line of an utterance.
    fn make(&mut self, utt: &Utterance) -> Result<()> {
        self.line.clear();
        let made = self.fields(utt);
        made.map_err(|e| e.utterance(&utt.key).file(self.sink.name()).continuable())
    }

    fn fields(&mut self, utt: &Utterance) -> Result<()> {
        if utt.audio.is_none() {
            return Err(no_sound("of the manifest names", utt));
        }
        CAPS.check(utt)?;
        let Some(Audio::Reference(audio)) = &utt.audio else {
            return Err(no_sound("of the manifest names", utt));
        };
        let (name, [start, duration]) = (
            self.names.name(place(audio)?)?,
            times(utt, audio, &self.env)?,
        );
        let duration = duration.unwrap_or_default();
        let end = start.and_then(|start| start.plus(duration));
        let stretch = start.zip(end).map(|(start, end)| [start, end]);
        let sound = NamedSound {
            name,
            start,
            duration,
            channel: audio.channel,
            rate: audio.recording.rate,
            names_utterance: utt.key.as_bytes() == made_up(stem(name), stretch).as_bytes(),
        };
        sound.write(utt, None, &mut self.line)
    }
}

/// The sound of a line.
pub(super) struct NamedSound<'a> {
    pub(super) name: &'a str,
    pub(super) start: Option<Decimal>,
    pub(super) duration: Decimal,
    pub(super) channel: Option<u32>,
    pub(super) rate: Option<u32>,
    /// Whether the key is that which readers make of the name.
    pub(super) names_utterance: bool,
}

impl NamedSound<'_> {
    /// Appends the line of an utterance with this sound, which is in the tar file `shard`, if in any.
    ///
    /// # Errors
    /// Something is not UTF-8, or no column.
    pub(super) fn write(
        &self,
        utt: &Utterance,
        shard: Option<u64>,
        line: &mut Vec<u8>,
    ) -> Result<()> {
        let start = self.start;
        let mut fields = Fields::open(line);
        fields.text(FILE[0], self.name);
        if let Some(start) = start {
            fields.time("offset", start);
        }
        fields.time("duration", self.duration);
        if let Some(said) = &utt.text {
            fields.text("text", utf8(said, "the text")?);
        }
        let end = start.and_then(|start| start.plus(self.duration));
        let meta = &utt.meta;
        for (name, value) in [
            ("lang", &meta.language),
            ("speaker", &meta.speaker),
            ("gender", &meta.gender),
            ("recording_id", &meta.recording),
        ] {
            if let Some(value) = value {
                fields.text(name, utf8(value.as_bytes(), name)?);
            }
        }
        let place = Place {
            recording: meta.recording.clone(),
            start: start.filter(|_| meta.recording.is_some()),
            end: end.filter(|_| meta.recording.is_some()),
        };
        place.write(meta, &mut fields)?;
        if let Some(channel) = self.channel {
            fields.count("channel", channel);
        }
        if let Some(rate) = self.rate {
            fields.count("sampling_rate", rate);
        }
        let key = utf8(utt.key.as_bytes(), "the key")?;
        let naming = Naming::of(&meta.tags, key, self.names_utterance);
        if let Some(field) = naming.written {
            fields.text(field, key);
        }
        if let Some(shard) = shard {
            fields.count(SHARD, shard);
        }
        let is_gone = |tag: &Tag| {
            let written = naming
                .written
                .is_some_and(|field| tag.key == field.as_bytes());
            written && tag.about == Some(TagSubject::Key)
        };
        let mut tags = Cow::from(&meta.tags);
        if tags.iter().any(is_gone) {
            tags.to_mut().retain(|tag| !is_gone(tag));
        }
        let is_own = |name: &str, value: &RawValue| {
            naming.renames(name, value) || source::FIELDS.contains(&name) || means(name, value, utt)
        };
        columns::write(&tags, is_own, &mut fields)?;
        fields.close();
        line.push(b'\n');
        Ok(())
    }
}

/// Returns `true` if a field of the line of `utt` is read as more than a column.
fn means(name: &str, value: &RawValue, utt: &Utterance) -> bool {
    let meta = &utt.meta;
    let named = |known: bool| known || json::name(value).is_some();
    match name {
        "lang" => named(meta.language.is_some()),
        "speaker" => named(meta.speaker.is_some()),
        "gender" => named(meta.gender.is_some()),
        "recording_id" => named(meta.recording.is_some()),
        "channel" => {
            let audio = utt.audio.as_ref().and_then(Audio::reference);
            audio.is_some_and(|audio| audio.channel.is_some()) || json::is_number(value.get())
        }
        // They stand in for the first of them, which is there.
        "normalized_text" => utt.text.is_none(),
        _ => OWN.contains(&name),
    }
}

/// The way in which a line names the key.
struct Naming {
    /// The field that is written for it, unless a column tells it.
    written: Option<&'static str>,
    /// Whether the columns with names in such fields are written as they are.
    kept: [bool; 2],
}

impl Naming {
    /// Chooses the field. If `made_up` is set, the key needs none.
    fn of(tags: &[Tag], key: &str, made_up: bool) -> Self {
        let column = |own: &str| {
            let mut tags = tags.iter();
            let tag =
                tags.find(|tag| tag.format == columns::COLUMN && tag.key == own.as_bytes())?;
            let value = std::str::from_utf8(&tag.value).ok()?;
            // Other values are no names.
            let name = json::name(serde_json::from_str(value).ok()?)?;
            Some((name == key, tag.about == Some(TagSubject::Key)))
        };
        let (written, kept) = match KEY.map(column) {
            [Some((true, _)), _] => (None, [true, true]),
            [None, Some((true, _))] => (None, [false, true]),
            [None, Some((_, true))] => (Some(KEY[1]), [false, false]),
            [None, None] if made_up => (None, [false, false]),
            _ => (Some(KEY[0]), [false, false]),
        };
        Self { written, kept }
    }

    /// Returns `true` if a column of this name must get another one.
    fn renames(&self, name: &str, value: &RawValue) -> bool {
        let is_name = json::name(value).is_some();
        let mut names = KEY.iter().zip(self.kept);
        names.any(|(own, kept)| *own == name && !kept && is_name) || self.written == Some(name)
    }
}

/// Returns the audio file of a reference.
fn place(audio: &AudioReference) -> Result<&spr_core::bytes::Location> {
    let what = match &audio.at {
        Locator::File(file) if audio.len.is_none() => return Ok(file),
        Locator::Command(_) => "comes from a command",
        Locator::Standard => "comes from standard input",
        _ => "is inside another file",
    };
    let message = format!("its sound {what}, and the manifest names sound files");
    Err(Error::unfit(message).hint("write an audiofolder first, which has sound files"))
}

/// Returns the start, if the audio is a segment, and the duration.
fn times(utt: &Utterance, audio: &AudioReference, env: &Env) -> Result<[Option<Decimal>; 2]> {
    let start = audio.span.bounds().map(|(start, _)| start);
    let is_reversed = start.is_some_and(Decimal::is_negative)
        || audio.span.end().is_some_and(|end| end < audio.span.start());
    match is_reversed {
        true => Err(Error::unfit("has sound that ends before it starts")),
        false => Ok([start, Some(manifest::lasts(utt, audio, env)?)]),
    }
}

impl Writer for NemoWriter {
    fn caps(&self) -> &Caps {
        &CAPS
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.make(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.make(utt)?;
        self.sink.put(&self.line)?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut written = self.written;
        written.bytes = self.sink.finish()?;
        Ok(written)
    }
}
