//! What the tables beside say of an utterance, its speaker and its recording.

use spr_core::Result;
use spr_core::bytes::Env;
use spr_core::model::{Audio, Decimal, Described, Key, Meta, Tag, Utterance};

use super::faults::Faults;
use super::layout::{
    By, EXTRAS, FEATURES, FRAME_SHIFT, Layout, RECO2DUR, SPK2GENDER, Taken, UTT2DUR, UTT2FRAMES,
    UTT2GENDER, UTT2LANG,
};
use super::{NAME, table::Table};

/// The tables beside those of sound, features and text.
pub(super) struct Extras {
    gender: Option<(Table, By)>,
    language: Option<Table>,
    tags: Vec<(&'static str, By, Table)>,
    frame_shift: Option<Decimal>,
}

impl Extras {
    /// Opens what there is. How features are framed is of interest only with them, or where there
    /// are none.
    pub(super) fn open(
        layout: &Layout,
        taken: Taken,
        tells: bool,
        env: &Env,
        faults: &mut Faults,
    ) -> Result<Self> {
        let framed = taken.features || !layout.has(FEATURES);
        let mut open = |name: &str| {
            let at = layout.file(name);
            at.map(|at| Table::open(at, tells, env, faults)).transpose()
        };
        let gender = match open(UTT2GENDER)? {
            Some(table) => Some((table, By::Utterance)),
            None => open(SPK2GENDER)?.map(|table| (table, By::Speaker)),
        };
        let mut tags = Vec::new();
        for (name, by) in EXTRAS {
            if *name == UTT2FRAMES && layout.has(FEATURES) {
                continue;
            }
            if let Some(table) = open(name)? {
                tags.push((*name, *by, table));
            }
        }
        Ok(Self {
            gender,
            language: open(UTT2LANG)?,
            tags,
            frame_shift: match layout.file(FRAME_SHIFT) {
                Some(at) if framed => Some(frame_shift(env.open_file(&at)?, env)?),
                _ => None,
            },
        })
    }

    pub(super) fn frame_shift(&self) -> Option<Decimal> {
        self.frame_shift
    }

    /// Adds what is known of an utterance whose speaker and recording are.
    ///
    /// # Errors
    /// Reading fails.
    pub(super) fn fill(
        &mut self,
        utt: &mut Utterance,
        env: &Env,
        faults: &mut Faults,
    ) -> Result<()> {
        let Utterance {
            key, meta, audio, ..
        } = utt;
        meta.frame_shift = self.frame_shift;
        if let Some((table, by)) = &mut self.gender {
            let value = value(table, *by, key, meta, env, faults)?;
            meta.gender = value.map(Key::from);
        }
        if let Some(table) = &mut self.language {
            let value = value(table, By::Utterance, key, meta, env, faults)?;
            meta.language = value.map(Key::from);
        }
        for (name, by, table) in &mut self.tags {
            let Some(value) = value(table, *by, key, meta, env, faults)? else {
                continue;
            };
            if *name == UTT2DUR && is_length(meta, value) || is_duration(name, value, audio) {
                continue;
            }
            let mut tag = Tag::new(NAME, *name, value);
            if matches!(*name, UTT2DUR | UTT2FRAMES) {
                tag = tag.about(Described::Frames);
            } else if *by == By::Recording && meta.recording.is_some() {
                tag = tag.about(Described::Recording);
            }
            meta.tags.push(tag);
        }
        Ok(())
    }

    /// Whether there is a table of languages, and no line of it for an utterance.
    pub(super) fn lacks_language(&self, utt: &Utterance) -> bool {
        self.language.is_some() && utt.meta.language.is_none()
    }

    /// Goes to the ends of the tables.
    ///
    /// # Errors
    /// Reading fails.
    pub(super) fn finish(&mut self, env: &Env, faults: &mut Faults) -> Result<()> {
        let gender = self.gender.as_mut().map(|(table, _)| table);
        let tags = self.tags.iter_mut().map(|(_, _, table)| table);
        let mut tables = gender.into_iter().chain(&mut self.language).chain(tags);
        tables.try_for_each(|table| table.finish(env, faults))
    }
}

/// What a table says of an utterance, if it says anything.
fn value<'a>(
    table: &'a mut Table,
    by: By,
    key: &Key,
    meta: &Meta,
    env: &Env,
    faults: &mut Faults,
) -> Result<Option<&'a [u8]>> {
    let key = match by {
        By::Utterance => key,
        By::Speaker => meta.speaker.as_ref().unwrap_or(key),
        By::Recording => meta.recording.as_ref().unwrap_or(key),
    };
    let found = table.find(key.as_bytes(), env, faults)?;
    Ok(found.map(|(rest, _)| rest).filter(|rest| !rest.is_empty()))
}

/// Whether a duration says no more than the times of the stretch.
fn is_length(meta: &Meta, duration: &[u8]) -> bool {
    let length = meta.end.zip(meta.start);
    let length = length.and_then(|(end, start)| end.minus(start));
    let duration = std::str::from_utf8(duration).ok().and_then(Decimal::parse);
    duration.is_some() && length == duration
}

/// Whether a value is how long the sound is, which is then known of it. Of a stretch it may have been
/// rounded.
fn is_duration(name: &str, value: &[u8], audio: &mut Option<Audio>) -> bool {
    let Some(Audio::Reference(sound)) = audio else {
        return false;
    };
    let duration = std::str::from_utf8(value).ok().and_then(Decimal::parse);
    let whole = sound.start.is_none() && sound.end.is_none();
    if !matches!(name, UTT2DUR | RECO2DUR) || !whole || duration.is_none() {
        return false;
    }
    match sound.facts.duration {
        None => sound.facts.duration = duration,
        known => return known == duration,
    }
    true
}

/// The one number of the file `frame_shift`, in seconds.
fn frame_shift(mut source: spr_core::bytes::Source, env: &Env) -> Result<Decimal> {
    let mut line = Vec::new();
    source.line(&mut line, &env.limits)?;
    let text = String::from_utf8_lossy(&line);
    let shift = Decimal::parse(text.trim());
    shift
        .filter(|shift| *shift > Decimal::ZERO)
        .ok_or_else(|| source.malformed("the frame shift is not a number of seconds above 0"))
}
