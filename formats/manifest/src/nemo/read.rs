//! The reader.

use std::collections::HashSet;

use serde_json::value::RawValue;
use spr_core::bytes::{Env, Locator, Source};
use spr_core::format::{KeyPredicate, Options, Reader, Request};
use spr_core::model::{
    Audio, AudioFacts, AudioReference, DatasetInfo, Decimal, Key, KeySource, Tag, TagSubject,
    Utterance,
};
use spr_core::{Error, Result};
use spr_syntax::json::{self, Object};
use spr_syntax::lines::Lines;
use spr_syntax::manifest::Places;
use spr_syntax::manifest::columns;
use spr_syntax::manifest::source::Place;

use super::names::{FILE, KEY, made_up, stem, without_extension};

/// The source of generated keys.
#[derive(Clone, Copy)]
enum KeyBasis {
    Stem,
    Path,
}

pub(super) struct NemoReader {
    lines: Lines,
    places: Places,
    made_of: KeyBasis,
    /// The generated keys.
    made_up: HashSet<Key>,
    wanted: Option<KeyPredicate>,
    info: DatasetInfo,
}

impl NemoReader {
    pub(super) fn new(
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Self> {
        let mut info = DatasetInfo::new(KeySource::Stored);
        info.compression = source.compression();
        let words = [("stem", KeyBasis::Stem), ("path", KeyBasis::Path)];
        Ok(Self {
            places: Places::new(source.location(), env),
            lines: Lines::of_json(source, env),
            made_of: options.choice("keys", &words)?.unwrap_or(KeyBasis::Stem),
            made_up: HashSet::new(),
            wanted: request.take_keys(),
            info,
        })
    }

    /// Reads the line into `utt`, and returns `false` if the line is marked as skipped.
    fn entry(&mut self, utt: &mut Utterance) -> Result<bool> {
        let mut object = Object::of_line(self.lines.line())?;
        if object.take("_skipme").is_some_and(is_true) {
            return Ok(false);
        }
        if object.has("shard_id") {
            return Err(Error::unsupported("a tarred manifest, whose sound is inside tar files")
                .hint("read the manifest from which it was made, or unpack the tar files and leave out the field shard_id"));
        }
        utt.start();
        let named = FILE.into_iter().find_map(|name| object.take(name));
        let Some(named) = named else {
            return Err(Error::malformed(format!("has no {}", FILE[0])));
        };
        let file = json::text(named, FILE[0])?;
        let names = KEY.map(|own| object.take_if(own, |raw| Some((json::name(raw)?, raw))));
        let name = names.iter().flatten().next().map(|(name, _)| name);
        let time = |raw: Option<&RawValue>, what| raw.map(|raw| json::time(raw, what)).transpose();
        let start = time(object.take("offset"), "offset")?;
        let duration = json::time(object.require("duration")?, "duration")?;
        let stretch = start.map(|start| {
            let end = start.plus(duration).map(Decimal::trimmed);
            let end = end.ok_or_else(|| Error::malformed("the times have too many digits"));
            Ok::<_, Error>([start, end?])
        });
        let stretch = stretch.transpose()?;
        match name {
            Some(name) => utt.key.set(name.as_bytes()),
            None => {
                let stem = match self.made_of {
                    KeyBasis::Stem => stem(&file),
                    KeyBasis::Path => without_extension(&file),
                };
                utt.key.set(made_up(stem, stretch).as_bytes());
                if !self.made_up.insert(utt.key.clone()) {
                    let message = "a second line of this sound, and no id to tell them apart";
                    return Err(Error::malformed(message)
                        .utterance(&utt.key)
                        .hint("keys=path makes names of whole paths; a field utt_id names lines"));
                }
            }
        }
        let audio = AudioReference {
            start,
            end: stretch.map(|[_, end]| end),
            // NeMo takes all of a sound without a length.
            first_seconds: start.is_none() && !duration.is_zero(),
            channel: object
                .take_if("channel", |raw| json::is_number(raw.get()).then_some(raw))
                .map(|raw| json::count(raw, "channel"))
                .transpose()?,
            facts: AudioFacts {
                rate: object
                    .take("sampling_rate")
                    .map(|raw| json::count(raw, "sampling_rate"))
                    .transpose()?,
                duration: start.is_none().then_some(duration),
                ..AudioFacts::default()
            },
            ..AudioReference::new(Locator::File(self.places.find(&file)))
        };
        let mut name = |own: &str| {
            let name = object.take_if(own, json::name);
            name.map(|name| Key::from(name.as_ref()))
        };
        let recording = name("recording_id");
        let meta = &mut utt.meta;
        (meta.speaker, meta.gender, meta.language) =
            (name("speaker"), name("gender"), name("lang"));
        Place::new(recording, &audio).read(&mut object, &mut utt.meta)?;
        utt.audio = Some(Audio::Reference(audio));
        let said = object
            .take("text")
            .or_else(|| object.take("normalized_text"));
        if let Some(said) = said {
            utt.text = Some(json::text(said, "text")?.into_owned().into_bytes());
        }
        // Writers name utterances by a text in the first of the fields, unless the sound names them.
        let is_made_up = utt.key.as_bytes() == made_up(stem(&file), stretch).as_bytes();
        let usual = |n: usize, raw: &RawValue| n == 0 && raw.get().starts_with('"') && !is_made_up;
        for (n, (_, raw)) in names
            .into_iter()
            .enumerate()
            .filter_map(|(n, at)| Some((n, at?)))
        {
            if !usual(n, raw) {
                let tag = Tag::new(columns::COLUMN, KEY[n], raw.get());
                utt.meta.tags.push(tag.about(TagSubject::Key));
            }
        }
        columns::read(object, &mut utt.meta);
        Ok(true)
    }
}

fn is_true(raw: &RawValue) -> bool {
    !matches!(raw.get(), "false" | "0" | "0.0" | "\"\"")
}

impl Reader for NemoReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.lines.advance()? {
            let read = self.entry(utt);
            let there = read.map_err(|e| self.lines.placed(e).continuable())?;
            if there && self.wanted.as_ref().is_none_or(|wanted| wanted(&utt.key)) {
                utt.origin = self.lines.origin();
                return Ok(true);
            }
        }
        Ok(false)
    }
}
