//! From a span of an utterance to an utterance of its own.

use std::ops::Range;

use super::span::{CutExtent, CutSpan};
use crate::bytes::Env;
use crate::error::{Error, Result};
use crate::model::{
    Audio, AudioReference, Decimal, FrameGrid, Key, Limits, Matrix, Meta, Span, TagSubject,
    Utterance,
};
use crate::recording::{self, LENGTH_ROUNDING, OVERSHOOT};
use crate::stage::frame_cursor::{append, check_single, frames};
use crate::stage::join::cut_tiers;

/// An utterance that is cut, and its known extent.
#[derive(Default)]
pub(super) struct CutSource {
    pub(super) utt: Utterance,
    pub(super) extent: CutExtent,
    /// The number of its frames.
    rows: usize,
    grid: Option<FrameGrid>,
}

impl CutSource {
    /// Prepares the utterance that was read for cutting. Encoded audio is decoded, as a part of it is no
    /// file. With `measures`, the length of a recording is found out if it is unknown.
    ///
    /// # Errors
    /// It has a field that cannot be cut, or its audio cannot be read.
    pub(super) fn prepare(&mut self, measures: bool, env: &Env) -> Result<()> {
        let utt = &mut self.utt;
        check_single(utt)?;
        let uncut = match (&utt.object, utt.arrays.is_empty()) {
            (Some(object), _) => Some(format!("an object of kind {}", object.kind())),
            (None, false) => Some("arrays".to_owned()),
            (None, true) => None,
        };
        if let Some(what) = uncut {
            return Err(Error::unfit(format!(
                "has {what}, which cannot be cut by times"
            )));
        }
        self.rows = frames(utt)?;
        if let Some(Audio::Encoded(_)) = &utt.audio {
            recording::load(utt, env)?;
        }
        self.extent = extent_of(utt.audio.as_ref());
        if measures && self.extent.end.is_none() {
            recording::measure(utt, env)?;
            self.extent = extent_of(utt.audio.as_ref());
        }
        Ok(())
    }

    /// Sets the grid of the frames, if there are any, and the extent of an utterance without audio.
    pub(super) fn set_grid(&mut self, grid: impl FnOnce(&Utterance) -> FrameGrid) {
        let framed = self.utt.features.is_some() || self.utt.labels.is_some();
        self.grid = framed.then(|| grid(&self.utt));
        if let (Some(grid), None) = (self.grid, &self.utt.audio) {
            self.extent.end = Some(grid.time(self.rows as u64));
        }
    }

    /// Returns the name of the recording.
    pub(super) fn recording(&self) -> &Key {
        self.utt.meta.recording.as_ref().unwrap_or(&self.utt.key)
    }

    /// Returns a time in the recording.
    ///
    /// # Errors
    /// It has too many digits.
    pub(super) fn in_recording(&self, time: Decimal) -> Result<Decimal> {
        self.utt.meta.start.unwrap_or(Decimal::ZERO).later(time)
    }

    /// Makes `piece` the utterance of a span, with the place in the recording that is `at`. Returns
    /// warnings.
    ///
    /// # Errors
    /// The span is not in the recording, or has no frames.
    pub(super) fn cut(
        &self,
        span: CutSpan,
        at: (Decimal, Option<Decimal>),
        piece: &mut Utterance,
        limits: &Limits,
    ) -> Result<Vec<Error>> {
        let mut warnings = Vec::new();
        piece.start();
        piece.origin.clone_from(&self.utt.origin);
        self.fill_meta(&mut piece.meta, span.speaker, at);
        if let Some(audio) = &self.utt.audio {
            let part = Span::Between {
                start: span.start,
                end: span.end,
            };
            let (audio, warning) = cut_audio(audio, &part, limits)?;
            piece.audio = Some(audio);
            warnings.extend(warning);
        }
        if let Some(grid) = self.grid {
            let (rows, warning) = self.rows(&grid, span.start, span.end)?;
            warnings.extend(warning);
            if piece.meta.frame_offset.is_some() {
                piece.meta.frame_offset = grid.time(rows.start as u64).minus(span.start);
            }
            let part = |from: &Matrix, to: &mut Matrix| {
                to.start_like(from);
                append(to, from, rows.clone(), limits)
            };
            if let Some(features) = &self.utt.features {
                part(features, piece.features_mut())?;
            }
            if let Some(labels) = &self.utt.labels {
                part(labels, piece.labels_mut())?;
            }
        }
        piece.tiers = cut_tiers(&self.utt.tiers, span.start, span.end)?;
        piece.text = span.text;
        Ok(warnings)
    }

    fn fill_meta(
        &self,
        meta: &mut Meta,
        speaker: Option<Key>,
        (start, end): (Decimal, Option<Decimal>),
    ) {
        meta.clone_from(&self.utt.meta);
        meta.forget(TagSubject::Frames);
        meta.forget(TagSubject::Key);
        meta.recording = Some(self.recording().clone());
        (meta.start, meta.end) = (Some(start), end);
        if let Some(speaker) = speaker
            && meta.speaker.as_ref() != Some(&speaker)
        {
            meta.speaker = Some(speaker);
            meta.gender = None;
        }
    }

    /// Returns the rows of a span: from the frame whose start is nearest to its start to before the frame
    /// whose start is nearest to its end. Frames may end a little before the sound.
    fn rows(
        &self,
        grid: &FrameGrid,
        start: Decimal,
        end: Option<Decimal>,
    ) -> Result<(Range<usize>, Option<Error>)> {
        let row = |time| usize::try_from(grid.nearest(time).unwrap_or(0)).unwrap_or(usize::MAX);
        let (first, last) = (row(start), end.map_or(self.rows, row));
        let missing = last.saturating_sub(self.rows);
        #[expect(clippy::cast_precision_loss, reason = "compared with half a second")]
        let seconds = missing as f64 * grid.shift().value();
        let message = || {
            let ends = grid.time(self.rows as u64);
            format!(
                "its segment at {start} s goes on for {seconds:.3} s after its frames, which end at {ends} s"
            )
        };
        if seconds > OVERSHOOT {
            return Err(Error::unfit(message()));
        }
        let last = last.min(self.rows);
        if first >= last {
            return Err(Error::unfit(format!(
                "its segment at {start} s has no frames"
            )));
        }
        let warning = (seconds > LENGTH_ROUNDING).then(|| Error::unfit(message()));
        Ok((first..last, warning))
    }
}

/// Returns the length of audio, unless it is only declared.
fn extent_of(audio: Option<&Audio>) -> CutExtent {
    let Some(audio) = audio else {
        return CutExtent::default();
    };
    let facts = audio.facts();
    let certain = match audio {
        Audio::Reference(reference) => match reference.span {
            Span::Between { end: Some(_), .. } | Span::First(_) => true,
            Span::Between { end: None, .. } | Span::Whole => reference.recording.samples.is_some(),
        },
        Audio::Samples(_) | Audio::Encoded(_) => true,
    };
    CutExtent {
        end: facts.time().filter(|_| certain),
        rate: facts.rate(),
    }
}

/// Cuts a span out of audio. Of a reference only the span changes.
fn cut_audio(audio: &Audio, span: &Span, limits: &Limits) -> Result<(Audio, Option<Error>)> {
    match audio {
        Audio::Samples(sound) => {
            let (part, warning) = recording::cut_samples(sound, *span, limits)?;
            Ok((Audio::Samples(part), warning))
        }
        Audio::Reference(reference) => {
            let base = reference.span.start();
            let end = span.end().map(|end| base.later(end)).transpose()?;
            let reference = AudioReference {
                span: Span::Between {
                    start: base.later(span.start())?,
                    end: end.or(reference.span.end()),
                },
                shortest: None,
                duration: None,
                ..reference.clone()
            };
            Ok((Audio::Reference(reference), None))
        }
        Audio::Encoded(_) => Err(Error::unfit("has encoded audio, which cannot be cut")),
    }
}
