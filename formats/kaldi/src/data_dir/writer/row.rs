//! The lines about one utterance, before they are sorted.

use std::collections::HashMap;
use std::collections::hash_map::{DefaultHasher, Entry};
use std::hash::{Hash, Hasher};

use spr_core::format::Caps;
use spr_core::loss::{LossKind, LossReport};
use spr_core::model::{Audio, AudioReference, Decimal, Key, Utterance};
use spr_core::{Error, Result};

use super::super::layout::{RECO2DUR, UTT2DUR, UTT2GENDER, UTT2LANG, rule, tag_tables};
use super::super::sound::SHORTEST;
use super::words::{check_word, fits_line};
use crate::audio;

/// The properties that all utterances of a directory share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Common {
    features: bool,
    sound: bool,
    frame_shift: Option<Decimal>,
}

impl Common {
    pub(super) fn of(utt: &Utterance) -> Self {
        Self {
            features: utt.features.is_some(),
            sound: utt.audio.is_some(),
            frame_shift: utt.meta.frame_shift,
        }
    }

    pub(super) fn frame_shift(self) -> Option<Decimal> {
        self.frame_shift
    }

    /// Checks that an utterance matches the ones before.
    ///
    /// # Errors
    /// It does not.
    pub(super) fn check(self, utt: &Utterance) -> Result<()> {
        let own = Self::of(utt);
        let has = |yes: bool| if yes { "has" } else { "has no" };
        let message = if own.features != self.features {
            format!(
                "{} features, unlike the utterances before it",
                has(own.features)
            )
        } else if own.sound != self.sound {
            format!("{} sound, unlike the utterances before it", has(own.sound))
        } else if own.frame_shift != self.frame_shift {
            let show = |shift: Option<Decimal>| match shift {
                Some(shift) => format!("a frame shift of {shift} s"),
                None => "no frame shift".to_owned(),
            };
            let (own, first) = (show(own.frame_shift), show(self.frame_shift));
            format!("{own}, the utterances before it {first}: a data directory has one for all")
        } else {
            return Ok(());
        };
        Err(Error::unfit(message))
    }
}

/// Checks that the tables can hold all fields of an utterance.
///
/// # Errors
/// They cannot.
pub(super) fn check(utt: &Utterance, caps: &Caps) -> Result<()> {
    caps.check(utt)?;
    let meta = &utt.meta;
    if let Some(speaker) = &meta.speaker {
        check_word("speaker", speaker)?;
    }
    match (&utt.audio, &meta.recording) {
        (Some(Audio::Samples(sound)), _) => audio::check(sound),
        (Some(Audio::Reference(sound)), Some(recording))
            if RecordingSegment::of(sound).is_some() =>
        {
            check_word("recording", recording)
        }
        _ => Ok(()),
    }
}

/// Removes the values that break the rules of their tables, each of which is a loss.
pub(super) fn remove_unfit(row: &mut Utterance, lost: &mut LossReport) {
    let (key, meta) = (&row.key, &mut row.meta);
    for (what, table, name) in [
        ("gender", UTT2GENDER, &mut meta.gender),
        ("language", UTT2LANG, &mut meta.language),
    ] {
        let unfit = |name: &mut Key| !fits_line(name.as_bytes(), rule(table));
        if name.take_if(unfit).is_some() {
            lost.add(LossKind::Metadata, key, Some(what));
        }
    }
    for table in tag_tables() {
        meta.tags.retain(|tag| {
            let own = tag.key == table.name.as_bytes();
            let unfit = own && !fits_line(&tag.value, Some(table.rule));
            if unfit {
                lost.add(LossKind::Metadata, key, Some(table.name));
            }
            !unfit
        });
    }
}

/// Returns the duration of an utterance, if it is known.
pub(super) fn duration(row: &Utterance) -> Option<Decimal> {
    let told = tag(row, UTT2DUR).and_then(|value| Decimal::parse(std::str::from_utf8(value).ok()?));
    let known = told.or_else(|| row.duration(None));
    known.filter(|duration| *duration > Decimal::ZERO)
}

/// Returns the value of a tag.
pub(super) fn tag<'a>(row: &'a Utterance, name: &str) -> Option<&'a [u8]> {
    let mut tags = row.meta.tags.iter();
    let tag = tags.find(|tag| tag.key == name.as_bytes());
    tag.map(|tag| &*tag.value)
}

/// A reference as in the tables: the recording, and the segment unless it is the whole recording.
pub(super) struct RecordingSegment {
    pub(super) start: Decimal,
    pub(super) end: Option<Decimal>,
    pub(super) channel: Option<u32>,
}

impl RecordingSegment {
    /// Returns the segment of a reference, or `None` if it is the whole recording.
    pub(super) fn of(sound: &AudioReference) -> Option<Self> {
        let one = sound.recording.channels == Some(1) && sound.channel == Some(0);
        let channel = sound.channel.filter(|_| !one);
        if sound.span.bounds().is_none() && channel.is_none() {
            return None;
        }
        Some(Self {
            start: sound.span.start(),
            end: sound.span.end(),
            channel,
        })
    }

    /// Returns `true` if `extract-segments` would skip it.
    pub(super) fn is_short(&self) -> bool {
        let length = self.end.and_then(|end| end.minus(self.start));
        length.is_some_and(|length| length < SHORTEST)
    }
}

/// The unique names of recordings.
#[derive(Default)]
pub(super) struct Recordings {
    /// The location of the recording with a name, both as hashes.
    places: HashMap<u64, u64>,
}

impl Recordings {
    /// Returns the name of the recording at `place`: the `given` one, otherwise that of the file,
    /// with a number if it is taken.
    ///
    /// # Errors
    /// The given name is that of another location.
    pub(super) fn name(&mut self, given: Option<&Key>, place: &str) -> Result<Key> {
        let at = hash(place);
        if let Some(name) = given {
            return match self.is_free(name.as_bytes(), at) {
                true => Ok(name.clone()),
                false => {
                    let message = format!("the recording {name} was another one before");
                    Err(Error::unfit(message))
                }
            };
        }
        let file = place.trim_end_matches(['|', ' ']);
        let file = file.rsplit(['/', ' ']).next().unwrap_or(file);
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let stem = if stem.is_empty() { "recording" } else { stem };
        let mut name = stem.to_owned();
        for number in 2u32.. {
            if self.is_free(name.as_bytes(), at) {
                break;
            }
            name = format!("{stem}-{number}");
        }
        Ok(Key::from(name.as_str()))
    }

    fn is_free(&mut self, name: &[u8], at: u64) -> bool {
        match self.places.entry(hash(name)) {
            Entry::Occupied(known) => *known.get() == at,
            Entry::Vacant(free) => {
                free.insert(at);
                true
            }
        }
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns `true` for a tag that belongs to the recording.
pub(super) fn is_of_recording(name: &[u8]) -> bool {
    name == RECO2DUR.as_bytes() || name == b"reco2file_and_channel"
}
