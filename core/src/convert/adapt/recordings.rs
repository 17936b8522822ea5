//! Conversion of utterances that are segments of recordings to the form of the target.

use std::collections::HashSet;

use crate::bytes::Env;
use crate::error::{Error, Remedy, Result};
use crate::format::loss::{LossKind, LossReport};
use crate::format::{Caps, Recordings};
use crate::model::{Audio, Decimal, Key, Utterance};
use crate::recording;

/// The names of utterances that are whole recordings, for targets that join the segments of a
/// recording by its name: two of them would become one.
#[derive(Default)]
pub(super) struct WholeRecordings {
    kept: HashSet<Key>,
    last: Option<Key>,
}

impl WholeRecordings {
    /// Checks that no utterance before was the same whole recording.
    pub(super) fn check(&mut self, utt: &Utterance, caps: &Caps) -> Result<()> {
        self.last = None;
        if caps.recordings != Recordings::Joined || utt.meta.recording.is_some() || !utt.starts() {
            return Ok(());
        }
        if self.kept.contains(&utt.key) {
            let error = Error::unfit("a second utterance with this name");
            return Err(error.suggest(Remedy::KeepOnlyOne));
        }
        self.last = Some(utt.key.clone());
        Ok(())
    }

    /// Keeps the name of the last utterance.
    pub(super) fn keep(&mut self) {
        self.kept.extend(self.last.take());
    }
}

/// Converts an utterance to its recording, or to a segment of one, if a target with `caps` requires
/// it.
pub(super) fn fit(
    utt: &mut Utterance,
    caps: &Caps,
    report: &mut LossReport,
    env: &Env,
) -> Result<()> {
    match caps.recordings {
        Recordings::Apart => Ok(()),
        Recordings::Joined => join(utt, caps, report),
        // Only text is to be stored.
        Recordings::Stretches if utt.text.is_some() => stretch(utt, env),
        Recordings::Stretches => Ok(()),
    }
}

/// Renames the utterance to its recording, and shifts its segments to the time of the recording,
/// with the speaker.
fn join(utt: &mut Utterance, caps: &Caps, report: &mut LossReport) -> Result<()> {
    let Utterance {
        key, meta, tiers, ..
    } = utt;
    let segments = tiers.iter_mut().flat_map(|tier| &mut tier.segments);
    let speaker = meta.speaker.as_ref().filter(|_| {
        let speakers = caps.segments.is_some_and(|caps| caps.speakers);
        speakers && meta.recording.is_some()
    });
    let start = meta.start.filter(|_| meta.recording.is_some());
    for segment in segments {
        if let Some(start) = start {
            let shifted = |time: Decimal| time.later(start);
            segment.start = shifted(segment.start)?;
            segment.end = segment.end.map(shifted).transpose()?;
        }
        if segment.end.is_none() && meta.recording.is_some() {
            segment.end = meta.end.filter(|end| *end >= segment.start);
        }
        if let Some(speaker) = speaker {
            let own = || speaker.as_bytes().into();
            segment.speaker.get_or_insert_with(own);
        }
    }
    let spoken = speaker.is_some();
    let Some(recording) = meta.recording.take() else {
        return Ok(());
    };
    (meta.start, meta.end) = (None, None);
    if spoken {
        meta.speaker = None;
    }
    if recording != *key {
        report.add(LossKind::Keys, key, None);
        *key = recording;
    }
    key.check_word()
}

/// Makes an utterance that is not a segment of a recording a whole recording. The line is a
/// reference to it, so that no other is kept. An audio file is opened if nothing else tells its
/// length.
fn stretch(utt: &mut Utterance, env: &Env) -> Result<()> {
    if utt.meta.end.is_none() && utt.duration(None).is_none() {
        recording::measure(utt, env)?;
    }
    let length = utt.duration(None);
    if matches!(utt.audio, Some(Audio::Reference(_))) {
        utt.audio = None;
    }
    let unknown = {
        let error = Error::unfit("its length is not known, but ").the_format(" must state it");
        error.suggest(match utt.frames() {
            0 => Remedy::JoinText,
            _ => Remedy::TellFrameShift,
        })
    };
    let meta = &mut utt.meta;
    let start = *meta.start.get_or_insert(Decimal::ZERO);
    meta.recording.get_or_insert_with(|| utt.key.clone());
    if meta.end.is_none() {
        let end = length.and_then(|length| start.plus(length));
        meta.end = Some(end.ok_or(unknown)?);
    }
    Ok(())
}
