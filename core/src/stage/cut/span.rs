//! From the segments of a tier to the spans of time that become utterances.

use super::pick::{CutBy, is_turn};
use super::rules::{CutRules, LeftOut};
use crate::error::{Error, Result};
use crate::model::{Decimal, Key, Segment};
use crate::recording::within;

/// The part of an utterance that becomes one of its own. Times are from the start of the utterance.
#[derive(Clone, Debug)]
pub(super) struct CutSpan {
    pub(super) start: Decimal,
    /// The end; `None` for that of the utterance, if it is not known.
    pub(super) end: Option<Decimal>,
    pub(super) text: Option<Vec<u8>>,
    pub(super) speaker: Option<Key>,
}

/// The known length of an utterance.
#[derive(Clone, Copy, Default)]
pub(super) struct CutExtent {
    /// The end of the utterance in seconds from its start, if it is certain.
    pub(super) end: Option<Decimal>,
    /// The sampling rate, to whose samples times are rounded.
    pub(super) rate: Option<u32>,
}

/// Returns the spans of an utterance that its segments give, in order of their starts. A faulty segment
/// is an error in its place.
pub(super) fn spans(
    segments: Vec<Segment>,
    extent: CutExtent,
    rules: &CutRules,
    left_out: &mut LeftOut,
    warn: &mut dyn FnMut(Error),
) -> Vec<Result<CutSpan>> {
    let mut kept: Vec<_> = segments
        .into_iter()
        .filter(|segment| left_out.keeps(segment, rules))
        .collect();
    kept.sort_by_key(|segment| segment.start);
    let mut spans: Vec<Result<CutSpan>> = Vec::with_capacity(kept.len());
    for segment in kept {
        let span = span_of(segment, extent, &rules.by, warn);
        match (span, spans.last_mut()) {
            (Ok(next), Some(Ok(last))) if is_near(last, &next, rules.gap) => last.append(next),
            (span, _) => spans.push(span),
        }
    }
    let finished = spans
        .into_iter()
        .map(|span| span?.padded(rules.pad, extent));
    finished.collect()
}

/// Returns the span of a segment, cut at the end of the utterance.
fn span_of(
    segment: Segment,
    extent: CutExtent,
    by: &CutBy,
    warn: &mut dyn FnMut(Error),
) -> Result<CutSpan> {
    let label = Key::from(&*segment.label);
    let place = format!("its segment '{label}' at {} s", segment.start);
    if !segment.is_proper() {
        return Err(Error::unfit(format!(
            "{place} has times that are out of order"
        )));
    }
    let (mut start, mut end) = (segment.start, segment.end.or(extent.end));
    if let Some(all) = extent.end {
        let (cut, warning) = within(start, end, all, extent.rate).map_err(|e| e.context(&place))?;
        (start, end) = cut.unwrap_or((start, end));
        warning
            .into_iter()
            .for_each(|warning| warn(warning.context(&place)));
    }
    let spoken = is_turn(&segment);
    let speaker = segment.speaker.as_deref().map(Key::from);
    let is_text = match by {
        CutBy::Speaker => speaker.is_some() && !spoken,
        CutBy::Segments | CutBy::Text | CutBy::Tier(_) => !spoken,
    };
    let speaker = speaker.or_else(|| (*by == CutBy::Speaker).then(|| label.clone()));
    Ok(CutSpan {
        start,
        end,
        text: is_text.then(|| segment.label.into_vec()),
        speaker,
    })
}

/// Returns `true` if two spans in order become one.
fn is_near(last: &CutSpan, next: &CutSpan, gap: Option<Decimal>) -> bool {
    let Some(gap) = gap.filter(|_| last.speaker == next.speaker) else {
        return false;
    };
    last.end
        .is_none_or(|end| next.start.minus(end).is_some_and(|pause| pause <= gap))
}

impl CutSpan {
    /// Extends it by the next span.
    fn append(&mut self, next: Self) {
        self.end = match (self.end, next.end) {
            (Some(a), Some(b)) => Some(a.max(b)),
            _ => None,
        };
        self.text = match (self.text.take(), next.text) {
            (Some(a), Some(b)) => Some([a, b].join(&b' ')),
            (a, b) => a.or(b),
        };
    }

    /// Adds `pad` seconds before and after it, as far as the utterance goes.
    ///
    /// # Errors
    /// It has no length, or times have too many digits.
    fn padded(self, pad: Decimal, extent: CutExtent) -> Result<Self> {
        let long = |time: Decimal| Error::unfit(format!("the time {time} has too many digits"));
        let start = self.start.minus(pad).ok_or_else(|| long(self.start))?;
        let end = self.end.map(|end| end.plus(pad).ok_or_else(|| long(end)));
        let end = end.transpose()?;
        let end = end.map(|end| extent.end.map_or(end, |all| end.min(all)));
        let padded = Self {
            start: start.max(Decimal::ZERO),
            end,
            ..self
        };
        if padded.end.is_some_and(|end| end <= padded.start) {
            let message = format!("its segment at {} s has no length", padded.start);
            return Err(Error::unfit(message));
        }
        Ok(padded)
    }
}
