//! Cutting of utterances by their segments.

mod key_pattern;
mod pick;
mod piece;
mod rules;
mod span;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::bytes::{Env, MemoryCounter};
use crate::error::{Error, Remedy, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, FrameGrid, KeySet, Utterance};
use crate::stage::guess::Guess;
pub use key_pattern::KeyPattern;
use key_pattern::KeyValues;
pub use pick::CutBy;
use piece::CutSource;
pub use rules::CutRules;
use rules::LeftOut;
use span::{CutSpan, spans};

/// Cuts utterances by their segments, each of which becomes an utterance of its own, in order of their
/// starts.
///
/// Audio that is a reference stays one, with another span; samples are copied, and encoded audio is decoded.
/// Features and frame labels are cut by rows, from the frame whose start is nearest to that of the segment
/// to before the frame whose start is nearest to its end, so that segments without pauses between them share
/// out all rows. Text and speaker are those of the segment, and other tiers are cut to it. The text
/// of the whole utterance is left out.
///
/// A segment that ends after the utterance is cut there or refused, as spans of recordings are. Segments
/// with empty labels are pauses, which are left out and counted in a warning.
pub struct Cut {
    inner: Box<dyn Reader>,
    rules: Arc<CutRules>,
    source: CutSource,
    waiting: VecDeque<Result<CutSpan>>,
    /// The number of the next piece of the source.
    number: u64,
    seen: KeySet,
    held: MemoryCounter,
    left_out: LeftOut,
    guess: Guess,
    env: Env,
    info: DatasetInfo,
}

impl Cut {
    /// Cuts the utterances of `inner`.
    pub fn new(inner: Box<dyn Reader>, rules: CutRules, env: &Env) -> Self {
        Self {
            info: inner.info().without_totals(),
            inner,
            rules: Arc::new(rules),
            source: CutSource::default(),
            waiting: VecDeque::new(),
            number: 0,
            seen: KeySet::default(),
            held: MemoryCounter::new("the keys of pieces"),
            left_out: LeftOut::default(),
            guess: Guess::default(),
            env: env.clone(),
        }
    }

    /// Finds the pieces of the utterance that was read.
    fn open(&mut self) -> Result<()> {
        let Self {
            rules,
            source,
            guess,
            left_out,
            env,
            info,
            ..
        } = self;
        self.number = 0;
        let n = rules.by.pick(&source.utt.tiers)?;
        let segments = source.utt.tiers.remove(n).segments;
        source.prepare(rules.pad.is_positive(), env)?;
        source.set_grid(|utt| {
            let shift = utt.meta.frame_shift.or(info.frame_shift);
            let grid = shift.and_then(|shift| FrameGrid::new(shift, utt.meta.frame_offset));
            grid.unwrap_or_else(|| guess.usual(&utt.key, env))
        });
        let key = source.utt.key.clone();
        let mut warn = |warning: Error| env.warn(&warning.utterance(&key));
        self.waiting = spans(segments, source.extent, rules, left_out, &mut warn).into();
        left_out.without += u64::from(self.waiting.is_empty());
        Ok(())
    }

    /// Makes `piece` the next piece.
    fn take(&mut self, span: Result<CutSpan>, piece: &mut Utterance) -> Result<()> {
        let Self {
            rules, source, env, ..
        } = self;
        let number = self.number;
        self.number += 1;
        let span = span?;
        let start = source.in_recording(span.start)?;
        let end = span.end.map(|end| source.in_recording(end)).transpose()?;
        let end = end.or(source.utt.meta.end);
        let warnings = source.cut(span, (start, end), piece, &env.limits)?;
        piece.key = rules.keys.key(&KeyValues {
            recording: source.recording(),
            key: &source.utt.key,
            speaker: piece.meta.speaker.as_ref(),
            number,
            start,
            end,
        })?;
        self.held.keep(size_of::<u64>(), &env.limits)?;
        if !self.seen.insert(&piece.key) {
            let message = format!("a second piece would have the key {}", piece.key);
            return Err(Error::unfit(message).suggest(Remedy::OtherPieceKeys));
        }
        for warning in warnings {
            env.warn(&warning.utterance(&piece.key));
        }
        Ok(())
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Cut {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// # Errors
    /// An utterance has no such tier, or a piece of it is not in the recording; the next one can be read.
    fn read(&mut self, piece: &mut Utterance) -> Result<bool> {
        loop {
            if let Some(span) = self.waiting.pop_front() {
                let taken = self.take(span, piece);
                taken.map_err(|e| e.utterance(&self.source.utt.key).continuable())?;
                return Ok(true);
            }
            if !self.inner.read(&mut self.source.utt)? {
                self.left_out.warn(&self.env);
                return Ok(false);
            }
            let opened = self.open();
            opened.map_err(|e| e.utterance(&self.source.utt.key).continuable())?;
        }
    }
}
