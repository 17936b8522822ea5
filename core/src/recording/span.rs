//! Spans of recordings: the one rule for those that are not within their recording.

use std::ops::Range;

use crate::bytes::{Env, RecordingPlace};
use crate::error::{Error, Result};
use crate::model::{Audio, AudioReference, Decimal, RecordingFacts, Span, Utterance};

/// The seconds by which spans may exceed their recording; they are cut there, as by Kaldi's
/// `extract-segments`.
pub const OVERSHOOT: f64 = 0.5;

/// The seconds by which a recording may be longer or shorter than stated. Stated durations may be rounded,
/// or count whole frames.
pub const LENGTH_ROUNDING: f64 = 0.1;

/// The tolerance for rounding errors, in seconds.
const LITTLE: f64 = 1e-9;

/// The samples of a recording that are meant, from the first to before the last.
pub(super) struct Part {
    pub(super) rows: Range<u64>,
    /// The span that this is, if it is not the one that was given.
    span: Option<Span>,
    pub(super) warning: Option<Error>,
}

impl Part {
    /// Finds the part of a recording that is meant. If its number of samples is unknown, the end of the
    /// span is in it.
    ///
    /// # Errors
    /// The span starts after the recording, or ends more than [`OVERSHOOT`] after it, or is shorter than
    /// the format allows.
    pub(super) fn of(reference: &AudioReference, facts: RecordingFacts) -> Result<Self> {
        match reference.span {
            Span::Whole => Ok(Self {
                rows: 0..facts.samples.unwrap_or(u64::MAX),
                span: None,
                warning: None,
            }),
            Span::First(length) => Self::first(length, facts),
            Span::Between { start, end } => Self::between(reference, start, end, facts),
        }
    }

    /// Finds the first seconds. A recording of about that length is taken as a whole.
    fn first(length: Decimal, facts: RecordingFacts) -> Result<Self> {
        /// The seconds of a frame, by which a duration may be rounded.
        const FRAME: f64 = 0.01;
        let all = facts.samples.unwrap_or(u64::MAX);
        let lasts = facts.seconds().unwrap_or_default();
        let missing = length.value() - lasts;
        if missing >= -FRAME {
            let message = format!("the sound lasts {lasts:.3} s, said to be {length} s");
            return Ok(Self {
                rows: 0..all,
                span: Some(Span::Whole),
                warning: (missing > FRAME).then(|| Error::unfit(message)),
            });
        }
        let message = format!("the first {length} s are taken of a sound of {lasts:.3} s");
        Ok(Self {
            rows: 0..sample(length, facts)?.min(all),
            span: Some(Span::new(None, Some(length))),
            warning: Some(Error::unfit(message)),
        })
    }

    fn between(
        reference: &AudioReference,
        start: Decimal,
        end: Option<Decimal>,
        facts: RecordingFacts,
    ) -> Result<Self> {
        let all = facts.time().filter(|_| facts.samples.is_some());
        let (span, warning) = match all {
            Some(all) => within(start, end, all, facts.rate)?,
            None => (None, None),
        };
        let (start, end) = span.unwrap_or((start, end));
        let last = end.or(all);
        let seconds = last.and_then(|end| end.minus(start)).map(Decimal::value);
        if let (Some(shortest), Some(seconds)) = (reference.shortest, seconds)
            && seconds + LITTLE < shortest.value()
        {
            let message = format!(
                "is {seconds:.3} s long, and segments shorter than {shortest} s are left out"
            );
            return Err(Error::unfit(message));
        }
        let samples = facts.samples.unwrap_or(u64::MAX);
        let first = sample(start, facts)?;
        let last = end
            .map_or(Ok(samples), |end| sample(end, facts))?
            .min(samples);
        match first <= last {
            true => Ok(Self {
                rows: first..last,
                span: span.map(|(start, end)| Span::Between { start, end }),
                warning,
            }),
            false => {
                let message = format!("starts at sample {first} and ends at sample {last}");
                Err(Error::unfit(message))
            }
        }
    }
}

/// Cuts the span from `start` to `end` at the end of a recording that lasts `all` seconds. Returns it if
/// it changes, and a warning if that is by more than rounding.
///
/// # Errors
/// It starts after the recording, or ends more than [`OVERSHOOT`] after it.
#[expect(clippy::type_complexity, reason = "a span and a warning")]
pub(crate) fn within(
    start: Decimal,
    end: Option<Decimal>,
    all: Decimal,
    rate: Option<u32>,
) -> Result<(Option<(Decimal, Option<Decimal>)>, Option<Error>)> {
    if start > all {
        let message = format!("starts at {start} s, the recording ends at {all} s");
        return Err(Error::unfit(message));
    }
    let Some(end) = end.filter(|end| *end > all) else {
        return Ok((None, None));
    };
    let missing = end.value() - all.value();
    if missing > OVERSHOOT + LITTLE {
        let message = format!(
            "ends at {end} s, more than {OVERSHOOT} s after the end of the recording, at {all} s"
        );
        return Err(Error::unfit(message));
    }
    // Times are rounded to samples.
    let rounding = 2.0 / f64::from(rate.unwrap_or(100).max(1));
    let message =
        format!("ends at {end} s, {missing:.3} s after the end of the recording, where it is cut");
    let warning = (missing > rounding).then(|| Error::unfit(message));
    Ok((Some((start, Some(all))), warning))
}

/// Returns the sample at a time.
fn sample(time: Decimal, facts: RecordingFacts) -> Result<u64> {
    let sample = facts.rate.and_then(|rate| time.sample(rate));
    sample.ok_or_else(|| Error::unfit(format!("{time} s is not a time in the recording")))
}

/// Returns the sample up to which a recording must be known for a reference to it.
pub(super) fn needed(reference: &AudioReference, facts: RecordingFacts) -> u64 {
    let end = reference.span.end();
    let sample = end.and_then(|end| end.sample(facts.rate?));
    sample.unwrap_or(u64::MAX)
}

/// Returns the columns of a channel.
pub(super) fn channel(number: u32, there: usize) -> Result<Range<usize>> {
    match usize::try_from(number) {
        Ok(n) if n < there => Ok(n..n + 1),
        _ => {
            let message = format!(
                "channel {number} was asked for, but there are only {there}, counted from 0"
            );
            Err(Error::unfit(message))
        }
    }
}

/// Checks that a recording has the rate and the channels that a reference to it says.
pub(super) fn check(reference: &AudioReference, is: RecordingFacts) -> Result<()> {
    let stated = RecordingFacts {
        samples: None,
        ..reference.recording
    };
    match other_numbers(stated, is).next() {
        Some(message) => Err(Error::unfit(message)),
        None => Ok(()),
    }
}

/// Returns a message for each of rate, channels and samples that is not as stated.
pub fn other_numbers(stated: RecordingFacts, is: RecordingFacts) -> impl Iterator<Item = String> {
    let numbers = [
        (stated.rate.map(u64::from), is.rate.map(u64::from), "Hz"),
        (
            stated.channels.map(u64::from),
            is.channels.map(u64::from),
            "channels",
        ),
        (stated.samples, is.samples, "samples"),
    ];
    numbers.into_iter().filter_map(|(stated, is, unit)| {
        let (stated, is) = (stated?, is?);
        (stated != is).then(|| format!("the sound has {is} {unit}, said to be {stated}"))
    })
}

/// Returns the message about sound that lasts longer or shorter than stated, by more than
/// [`LENGTH_ROUNDING`].
pub fn other_duration(stated: Option<Decimal>, is: RecordingFacts) -> Option<String> {
    let (stated, seconds) = (stated?, is.seconds()?);
    let differs = (stated.value() - seconds).abs() > LENGTH_ROUNDING;
    differs.then(|| format!("the sound lasts {seconds:.3} s, said to be {stated} s"))
}

/// Returns the warning about a recording that is longer or shorter than stated.
pub(super) fn other_length(stated: RecordingFacts, is: RecordingFacts) -> Option<Error> {
    other_duration(stated.time(), is).map(Error::unfit)
}

/// Cuts the span of a reference to its recording, for a target that keeps the reference, and warns if that
/// changes it. First seconds stay first seconds if the target `keeps_first`. A recording of unknown length is
/// measured, unless it is a command, at a URL or can't be opened.
///
/// # Errors
/// The span is not in the recording, or the recording has another rate or other channels than stated.
pub fn settle(utt: &mut Utterance, keeps_first: bool, env: &Env) -> Result<()> {
    let Utterance {
        key,
        audio,
        meta,
        origin,
        ..
    } = utt;
    let Some(Audio::Reference(reference)) = audio else {
        return Ok(());
    };
    match reference.span {
        Span::Whole => return Ok(()),
        Span::First(_) if keeps_first => return Ok(()),
        Span::First(_) | Span::Between { .. } => {}
    }
    let mut settled = reference.clone();
    if reference.recording.samples.is_none() {
        let is_local = reference.at.location().is_some_and(|at| !at.is_url());
        let place = RecordingPlace::new(reference, origin);
        let Some(facts) = is_local.then(|| env.recording_facts(&place)) else {
            return Ok(());
        };
        let Ok(facts) = facts else {
            return Ok(());
        };
        check(reference, facts).map_err(|e| e.file(reference.at.to_string()))?;
        settled.recording = facts;
    }
    let file = reference.at.to_string();
    let warning = cut_to_recording(&mut settled).map_err(|e| e.file(&*file))?;
    // The times in the recording are those of the sound.
    if meta.end.is_some() && meta.end == reference.span.end() {
        meta.end = settled.span.end();
    }
    reference.span = settled.span;
    if let Some(warning) = warning {
        env.warn(&warning.file(file).utterance(key));
    }
    Ok(())
}

/// Cuts the span of a reference at the end of its recording, whose facts are known, and returns a
/// warning if that is by more than rounding.
///
/// # Errors
/// The span is not in the recording.
pub fn cut_to_recording(reference: &mut AudioReference) -> Result<Option<Error>> {
    let facts = reference.recording;
    match (
        reference.span,
        facts.time().filter(|_| facts.samples.is_some()),
    ) {
        (Span::Whole, _) | (_, None) => Ok(None),
        (Span::Between { start, end }, Some(all)) => {
            let (span, warning) = within(start, end, all, facts.rate)?;
            if let Some((start, end)) = span {
                reference.span = Span::Between { start, end };
            }
            Ok(warning)
        }
        (Span::First(_), Some(_)) => {
            let part = Part::of(reference, facts)?;
            reference.span = part.span.unwrap_or(reference.span);
            Ok(part.warning)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Locator;

    fn reference(start: &str, end: &str, shortest: &str) -> AudioReference {
        let time = |text: &str| Decimal::parse(text);
        AudioReference {
            span: Span::new(time(start), time(end)),
            shortest: time(shortest),
            ..AudioReference::new(Locator::file("a.wav"))
        }
    }

    const SECOND: RecordingFacts = RecordingFacts {
        rate: Some(8000),
        channels: Some(1),
        samples: Some(8000),
        duration: None,
    };

    #[test]
    fn spans_are_cut_as_by_extract_segments() {
        let cut = |start, end, shortest| {
            let part = Part::of(&reference(start, end, shortest), SECOND);
            part.map(|part| (part.rows, part.warning.is_some()))
        };
        for (start, end, samples, warned) in [
            ("", "", 0..8000, false),
            ("0.45", "0.8", 3600..6400, false),
            ("0.5", "", 4000..8000, false),
            ("0.5", "1.5", 4000..8000, true),
            ("0.5", "1.0002", 4000..8000, false),
            ("0.00006", "0.5", 0..4000, false),
            ("0.0000625", "0.5", 1..4000, false),
            ("0.9", "1", 7200..8000, false),
        ] {
            assert_eq!(
                cut(start, end, "0.1").unwrap(),
                (samples, warned),
                "{start} {end}"
            );
        }
        for (start, end) in [
            ("1.1", "1.4"),
            ("0.5", "1.51"),
            ("0.5", "0.59"),
            ("0.95", "1.4"),
            ("0.95", ""),
        ] {
            assert!(cut(start, end, "0.1").is_err(), "{start} {end}");
        }
        assert_eq!(cut("0.5", "0.59", "").unwrap().0, 4000..4720);
        assert!(cut("0.6", "0.5", "").is_err());
    }

    #[test]
    fn references_are_kept_within_their_recording() {
        let settled = |span, recording| {
            let mut kept = AudioReference {
                span,
                recording,
                ..AudioReference::new(Locator::file("a.wav"))
            };
            let warning = cut_to_recording(&mut kept);
            warning.map(|warning| (kept.span, warning.is_some()))
        };
        let time = |text: &str| Decimal::parse(text);
        let (short, long) = (
            Span::new(time("0.5"), time("0.7")),
            Span::new(time("0.5"), time("1.3")),
        );
        let to_the_end = Span::new(time("0.5"), time("1"));
        assert_eq!(settled(short, SECOND).unwrap(), (short, false));
        assert_eq!(settled(long, SECOND).unwrap(), (to_the_end, true));
        assert!(settled(Span::new(time("0.5"), time("9")), SECOND).is_err());
        let first = |text| Span::First(Decimal::parse(text).unwrap());
        assert_eq!(
            settled(first("1.005"), SECOND).unwrap(),
            (Span::Whole, false)
        );
        assert_eq!(settled(first("4"), SECOND).unwrap(), (Span::Whole, true));
        let part = Span::new(None, time("0.25"));
        assert_eq!(settled(first("0.25"), SECOND).unwrap(), (part, true));
        let unknown = RecordingFacts::default();
        assert_eq!(settled(long, unknown).unwrap(), (long, false));
    }
}
