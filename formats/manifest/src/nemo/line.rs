//! Lines of manifests.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;
use spr_core::bytes::Locator;
use spr_core::format::{OptionSpec, Options};
use spr_core::model::{
    Audio, AudioReference, Decimal, Key, KeySet, RecordingFacts, Span, Tag, TagSubject, Utterance,
};
use spr_core::{Error, Result};
use spr_syntax::json::{self, Object};
use spr_syntax::manifest::columns;
use spr_syntax::manifest::source::Place;

use super::names::{FILE, KEY, made_up, stem, without_extension};

/// The option for names of utterances whose lines have none.
pub(super) const KEYS: OptionSpec = OptionSpec {
    name: "keys",
    value: "stem|path",
    help: "what names an utterance whose line does not: its sound file's name without folder, \
           the default, or with it, and with a number where that comes again",
};

/// The source of generated keys.
#[derive(Clone, Copy)]
enum KeyBasis {
    Stem,
    Path,
}

/// The names of utterances whose lines have none.
pub(super) struct MadeUpKeys {
    made_of: KeyBasis,
    made_up: KeySet,
    /// The number of the last line of a sound file with several.
    repeated: HashMap<Key, u64>,
    /// Makes a repeated key an error instead of a warning.
    are_distinct: bool,
    warning: Option<Error>,
    /// Whether writers write keys that could be made as well.
    are_written: bool,
}

impl MadeUpKeys {
    /// Creates none yet. A key that was made before is an error if keys have to be distinct.
    ///
    /// # Errors
    /// The option's value is wrong.
    pub(super) fn of(options: &Options, are_distinct: bool) -> Result<Self> {
        let words = [("stem", KeyBasis::Stem), ("path", KeyBasis::Path)];
        Ok(Self {
            made_of: options.choice(KEYS.name, &words)?.unwrap_or(KeyBasis::Stem),
            made_up: KeySet::default(),
            repeated: HashMap::new(),
            are_distinct,
            warning: None,
            are_written: false,
        })
    }

    /// The same where writers write all keys.
    pub(super) fn written(self) -> Self {
        Self {
            are_written: true,
            ..self
        }
    }

    /// Returns the warning about the last key, if it was made before.
    pub(super) fn take_warning(&mut self) -> Option<Error> {
        self.warning.take()
    }

    /// Makes the key of a part of a sound file. If it is the name of a path that was there before, it
    /// gets a number.
    ///
    /// # Errors
    /// It was made before, and keys have to be distinct.
    fn make(&mut self, file: &str, stretch: Option<[Decimal; 2]>, key: &mut Key) -> Result<()> {
        let name = match self.made_of {
            KeyBasis::Stem => stem(file),
            KeyBasis::Path => without_extension(file),
        };
        let name = made_up(name, stretch);
        key.set(name.as_bytes());
        if self.made_up.insert(key) {
            return Ok(());
        }
        if let KeyBasis::Path = self.made_of {
            let number = self.repeated.entry(key.clone()).or_insert(1);
            while !self.made_up.insert(key) {
                *number += 1;
                key.set(format!("{name}-{number}").as_bytes());
            }
            return Ok(());
        }
        let message = "a second line of this name, which is that of its sound file without folders";
        let hint = "FILE,keys=path makes names of whole paths; a field utt_id names lines; \
                    --duplicates first, last or keep says which lines are read";
        let error = Error::malformed(message).utterance(key);
        match self.are_distinct {
            true => Err(error.hint(hint)),
            false => {
                self.warning = Some(error);
                Ok(())
            }
        }
    }
}

/// A line, and the name of its sound file.
pub(super) struct Line<'a> {
    pub(super) object: Object<'a>,
    pub(super) file: Cow<'a, str>,
}

impl<'a> Line<'a> {
    /// Parses a line. Returns `None` for one that is marked as skipped.
    ///
    /// # Errors
    /// It is no object, or names no sound file.
    pub(super) fn parse(line: &'a [u8]) -> Result<Option<Self>> {
        let mut object = Object::of_line(line)?;
        if object.take("_skipme").is_some_and(is_true) {
            return Ok(None);
        }
        let named = FILE.into_iter().find_map(|name| object.take(name));
        let Some(named) = named else {
            return Err(Error::malformed(format!("has no {}", FILE[0])));
        };
        let file = json::text(named, FILE[0])?;
        if file.is_empty() {
            return Err(Error::malformed(format!("{} is empty", FILE[0])));
        }
        Ok(Some(Self { object, file }))
    }

    /// Fills `utt` with what the line says of the sound file `at`.
    ///
    /// # Errors
    /// A field is of another type, or missing.
    pub(super) fn fill(
        self,
        at: Locator,
        made_up_keys: &mut MadeUpKeys,
        utt: &mut Utterance,
    ) -> Result<()> {
        let Self { mut object, file } = self;
        utt.start();
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
            None => made_up_keys.make(&file, stretch, &mut utt.key)?,
        }
        let rate = object.take("sampling_rate");
        let rate = rate.map(|raw| json::count(raw, "sampling_rate"));
        let rate: Option<u32> = rate.transpose()?;
        if rate == Some(0) {
            return Err(Error::malformed("sampling_rate is 0"));
        }
        // Of a sound without a length NeMo takes all.
        let open = duration.is_zero();
        let audio = AudioReference {
            span: match stretch {
                Some([start, end]) => Span::new(Some(start), Some(end).filter(|_| !open)),
                None if open => Span::Whole,
                None => Span::First(duration),
            },
            channel: object
                .take_if("channel", |raw| json::is_number(raw.get()).then_some(raw))
                .map(|raw| json::count(raw, "channel"))
                .transpose()?,
            recording: RecordingFacts {
                rate,
                ..RecordingFacts::default()
            },
            duration: Some(duration).filter(|_| open),
            ..AudioReference::new(at)
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
        let is_made_up = !made_up_keys.are_written
            && utt.key.as_bytes() == made_up(stem(&file), stretch).as_bytes();
        let alone = names.iter().flatten().count() == 1;
        let usual =
            |n: usize, raw: &RawValue| n == 0 && raw.get().starts_with('"') && alone && !is_made_up;
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
        Ok(())
    }
}

fn is_true(raw: &RawValue) -> bool {
    !matches!(raw.get(), "false" | "0" | "0.0" | "\"\"")
}
