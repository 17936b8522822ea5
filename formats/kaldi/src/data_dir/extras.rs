//! The information in other tables about an utterance, its speaker and its recording.

use spr_core::bytes::{Env, Source};
use spr_core::model::{Audio, Decimal, FrameGrid, Key, Meta, Tag, TagSubject, Utterance};
use spr_core::recording::LENGTH_ROUNDING;
use spr_core::{Error, Result};

use super::faults::Faults;
use super::layout::NAME;
use super::layout::{
    FEATURES, FRAME_SHIFT, FieldChoice, Layout, RECO2DUR, SEGMENTS, SPK2GENDER, TableSubject,
    UTT2DUR, UTT2FRAMES, UTT2GENDER, UTT2LANG, WAVES, is_complete, rule, subject, tag_tables,
};
use super::{line, table::Table};

/// The tables besides those of audio, features and text.
pub(super) struct Extras {
    gender: Option<(Table, TableSubject)>,
    language: Option<Table>,
    tags: Vec<(&'static str, TableSubject, Table)>,
    frame_shift: Option<Decimal>,
    /// Whether the features tell their number of frames themselves.
    framed: bool,
    /// Whether nothing but tables tells how long the utterances are, which are recordings.
    alone: bool,
}

impl Extras {
    /// Opens what there is. How features are framed is of interest only with them, or where there
    /// are none. Of damaged data a frame shift at fault is passed over, as are values that break the
    /// rules of their tables.
    pub(super) fn open(
        layout: &Layout,
        taken: FieldChoice,
        (tells, damaged): (bool, bool),
        env: &Env,
        faults: &mut Faults,
    ) -> Result<Self> {
        let framed = taken.features || !layout.has(FEATURES);
        let mut open = |name: &str| {
            let at = layout.file(name);
            let rule = rule(name).filter(|_| damaged);
            let table = at.map(|at| Table::open_checked(at, rule, tells, env, faults));
            let table = table.transpose()?;
            let table = table.map(|table| table.of(subject(name)));
            Ok::<_, Error>(table.map(|table| table.complete(is_complete(name))))
        };
        let gender = match open(UTT2GENDER)? {
            Some(table) => Some((table, TableSubject::Utterance)),
            None => open(SPK2GENDER)?.map(|table| (table, TableSubject::Speaker)),
        };
        let mut tags = Vec::new();
        for kind in tag_tables() {
            if let Some(table) = open(kind.name)? {
                tags.push((kind.name, kind.by, table));
            }
        }
        let language = open(UTT2LANG)?;
        let shift = layout.file(FRAME_SHIFT).filter(|_| framed);
        let shift = shift.map(|at| frame_shift(env.open_file(&at)?, env));
        let sound = [WAVES, SEGMENTS].iter().any(|name| layout.has(name));
        Ok(Self {
            gender,
            language,
            tags,
            framed: layout.has(FEATURES),
            alone: !sound && !taken.features && layout.has(FEATURES),
            frame_shift: match shift.transpose() {
                Err(error) if damaged => {
                    faults.add(error.continuable())?;
                    None
                }
                shift => shift?,
            },
        })
    }

    pub(super) fn frame_shift(&self) -> Option<Decimal> {
        self.frame_shift
    }

    /// Adds the information about an utterance whose speaker and recording are set.
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
            let found = value(table, TableSubject::Utterance, key, meta, env, faults)?;
            meta.language = found.map(Key::from);
        }
        for (name, by, table) in &mut self.tags {
            let Some(value) = value(table, *by, key, meta, env, faults)? else {
                continue;
            };
            if *name == UTT2FRAMES && self.framed {
                continue;
            }
            if *name == UTT2DUR && self.alone {
                meta.start = Some(Decimal::ZERO);
                meta.end = seconds(value);
            }
            if *name == UTT2DUR && is_length(meta, value) || is_duration(name, value, audio) {
                continue;
            }
            let mut tag = Tag::new(NAME, *name, value);
            if matches!(*name, UTT2DUR | UTT2FRAMES) {
                tag = tag.about(TagSubject::Frames);
            } else if *by == TableSubject::Recording && meta.recording.is_some() {
                tag = tag.about(TagSubject::Recording);
            }
            meta.tags.push(tag);
        }
        Ok(())
    }

    /// Reads the tables to their ends.
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

/// Returns the value of a table for an utterance, if there is one.
fn value<'a>(
    table: &'a mut Table,
    by: TableSubject,
    key: &Key,
    meta: &Meta,
    env: &Env,
    faults: &mut Faults,
) -> Result<Option<&'a [u8]>> {
    let key = match by {
        TableSubject::Utterance => key,
        TableSubject::Speaker => meta.speaker.as_ref().unwrap_or(key),
        TableSubject::Recording => meta.recording.as_ref().unwrap_or(key),
    };
    let found = table.find(key.as_bytes(), env, faults)?;
    Ok(found.map(|(rest, _)| rest).filter(|rest| !rest.is_empty()))
}

/// Returns the lengths of the features and of the segment of an utterance in seconds, if they differ by
/// more than the rounding of either and a window.
pub(crate) fn other_length(utt: &Utterance) -> Option<(f64, f64)> {
    let (start, end) = utt.meta.start.zip(utt.meta.end)?;
    let segment = end.minus(start)?.value();
    let frames =
        FrameGrid::duration(utt.meta.frame_shift?, utt.features.as_ref()?.rows() as u64)?.value();
    ((frames - segment).abs() > LENGTH_ROUNDING).then_some((frames, segment))
}

fn seconds(value: &[u8]) -> Option<Decimal> {
    std::str::from_utf8(value).ok().and_then(Decimal::parse)
}

/// Returns `true` if a duration equals that of the segment.
fn is_length(meta: &Meta, duration: &[u8]) -> bool {
    let length = meta.end.zip(meta.start);
    let length = length.and_then(|(end, start)| end.minus(start));
    let duration = seconds(duration);
    duration.is_some() && length == duration
}

/// Returns `true` if a value is the duration of the audio, which is then set. The duration of a
/// segment may be rounded.
fn is_duration(name: &str, value: &[u8], audio: &mut Option<Audio>) -> bool {
    let Some(Audio::Reference(sound)) = audio else {
        return false;
    };
    let duration = seconds(value);
    let is_part = sound.span.bounds().is_some();
    if !matches!(name, UTT2DUR | RECO2DUR) || is_part || duration.is_none() {
        return false;
    }
    match sound.recording.duration {
        None => sound.recording.duration = duration,
        known => return known == duration,
    }
    true
}

/// Reads the only number of the file `frame_shift`, in seconds.
///
/// # Errors
/// Reading fails, or the file holds anything else.
pub(crate) fn frame_shift(mut source: Source, env: &Env) -> Result<Decimal> {
    let mut line = Vec::new();
    source.line(&mut line, &env.limits)?;
    if source.offset() == line.len() as u64 && !line.is_empty() {
        return Err(line::cut(&line).file(source.name()).line(1));
    }
    let text = String::from_utf8_lossy(&line);
    let shift = Decimal::parse(text.trim());
    let shift = shift
        .filter(|shift| *shift > Decimal::ZERO)
        .ok_or_else(|| {
            let message = "the frame shift is not a number of seconds above 0";
            Error::malformed(message).file(source.name()).line(1)
        })?;
    for number in 2.. {
        if !source.line(&mut line, &env.limits)? {
            break;
        }
        if !line.trim_ascii().is_empty() {
            let error = Error::malformed("more than one number");
            return Err(error.file(source.name()).line(number));
        }
    }
    Ok(shift)
}
