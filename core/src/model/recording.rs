//! Facts about recordings, and the parts of them that are utterances.

use serde::{Deserialize, Serialize};

use super::Decimal;

/// The facts about a recording: a whole sound file, or all output of a command.
///
/// An utterance may be a part of it, and [`AudioFacts`] are those of the part.
///
/// ```
/// use spr_core::model::{Decimal, RecordingFacts, Span};
///
/// let recording = RecordingFacts { rate: Some(8000), samples: Some(80_000), ..Default::default() };
/// assert_eq!(recording.time(), Some(Decimal::new(10, 0)));
/// let span = Span::Between { start: Decimal::new(95, -1), end: Decimal::parse("12") };
/// let utterance = recording.of_span(span);
/// assert_eq!((utterance.samples(), utterance.seconds()), (Some(4000), Some(0.5)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordingFacts {
    /// The sampling rate in Hz.
    pub rate: Option<u32>,
    /// The number of channels.
    pub channels: Option<u32>,
    /// The number of samples per channel.
    pub samples: Option<u64>,
    /// The duration in seconds where samples are not counted, which may be rounded.
    pub duration: Option<Decimal>,
}

impl RecordingFacts {
    /// Returns the duration in seconds: from rate and samples if they are known, otherwise as
    /// declared.
    pub fn time(&self) -> Option<Decimal> {
        let rate = self.rate.filter(|rate| *rate > 0);
        let counted = self.samples.zip(rate);
        let counted = counted.and_then(|(samples, rate)| Decimal::near_sample(samples, rate));
        counted.or(self.duration)
    }

    /// Returns the duration in seconds, as [`time`](Self::time) does.
    pub fn seconds(&self) -> Option<f64> {
        self.time().map(Decimal::value)
    }

    /// Returns `true` if rate, channels and samples are known.
    pub fn are_complete(&self) -> bool {
        self.rate.is_some() && self.channels.is_some() && self.samples.is_some()
    }

    /// Returns the facts about an utterance that is the whole recording.
    pub fn whole(&self) -> AudioFacts {
        AudioFacts {
            rate: self.rate,
            channels: self.channels,
            samples: self.samples,
            time: self.time(),
        }
    }

    /// Returns the facts about the utterance that is this part of the recording, cut at the end of the
    /// recording if that is known.
    pub fn of_span(&self, span: Span) -> AudioFacts {
        let whole = self.whole();
        // A duration that is only declared may be wrong, and cuts nothing.
        let counted = whole.time.filter(|_| self.samples.is_some());
        let (start, end) = match (span, counted) {
            (Span::Whole, _) => return whole,
            (Span::First(length), Some(all)) if length >= all => return whole,
            (Span::First(length), _) => (Decimal::ZERO, Some(length)),
            (Span::Between { start, end }, Some(all)) => {
                (start, Some(end.map_or(all, |end| end.min(all))))
            }
            (Span::Between { start, end }, None) => (start, end.or(whole.time)),
        };
        let time = end.and_then(|end| end.minus(start));
        let samples = || {
            let (rate, all) = (self.rate?, self.samples?);
            Some(
                end?.sample(rate)?
                    .min(all)
                    .saturating_sub(start.sample(rate)?),
            )
        };
        AudioFacts {
            time: time.filter(|time| !time.is_negative()),
            samples: samples(),
            ..whole
        }
    }
}

/// The facts about the audio of an utterance, which may be a part of a recording.
///
/// They follow from those of its [recording](RecordingFacts) and from its [`Span`], and can be made in
/// no other way: [`Audio::facts`](super::Audio::facts) returns them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AudioFacts {
    rate: Option<u32>,
    channels: Option<u32>,
    samples: Option<u64>,
    time: Option<Decimal>,
}

impl AudioFacts {
    /// Returns them with a duration that is stated elsewhere, unless theirs is known.
    pub(super) fn stated(self, duration: Option<Decimal>) -> Self {
        Self {
            time: self.time.or(duration),
            ..self
        }
    }

    /// Returns the facts about one channel of it.
    pub(super) fn of_one_channel(self) -> Self {
        Self {
            channels: Some(1),
            ..self
        }
    }

    /// Returns the facts about a recording that is this audio and nothing else, such as a file that it is
    /// written to.
    pub fn into_recording(self) -> RecordingFacts {
        RecordingFacts {
            rate: self.rate,
            channels: self.channels,
            samples: self.samples,
            duration: self.time.filter(|_| self.samples.is_none()),
        }
    }

    /// Returns the sampling rate in Hz.
    pub fn rate(&self) -> Option<u32> {
        self.rate
    }

    /// Returns the number of channels.
    pub fn channels(&self) -> Option<u32> {
        self.channels
    }

    /// Returns the number of samples per channel.
    pub fn samples(&self) -> Option<u64> {
        self.samples
    }

    /// Returns the duration in seconds, exact if that is possible.
    pub fn time(&self) -> Option<Decimal> {
        self.time
    }

    /// Returns the duration in seconds.
    pub fn seconds(&self) -> Option<f64> {
        self.time.map(Decimal::value)
    }
}

/// The part of a recording that is the audio of an utterance. Times are in seconds from the start of the
/// recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Span {
    /// All of it.
    #[default]
    Whole,
    /// The part from `start` to `end`, or without `end` to the end of the recording.
    Between {
        /// The start in seconds.
        start: Decimal,
        /// The end in seconds.
        end: Option<Decimal>,
    },
    /// The first seconds, or all of a recording that is no longer: NeMo gives a `duration`, without an
    /// `offset` for whole recordings.
    First(Decimal),
}

impl Span {
    /// Creates a span from its start and end, of which the first defaults to 0; the whole recording if
    /// both are missing.
    pub fn new(start: Option<Decimal>, end: Option<Decimal>) -> Self {
        match (start, end) {
            (None, None) => Self::Whole,
            (start, end) => Self::Between {
                start: start.unwrap_or(Decimal::ZERO),
                end,
            },
        }
    }

    /// Returns the start and the end of a part with a start of its own; `None` for the whole recording
    /// or its first seconds.
    pub fn bounds(&self) -> Option<(Decimal, Option<Decimal>)> {
        match *self {
            Self::Between { start, end } => Some((start, end)),
            Self::Whole | Self::First(_) => None,
        }
    }

    /// Returns the start in seconds.
    pub fn start(&self) -> Decimal {
        self.bounds().map_or(Decimal::ZERO, |(start, _)| start)
    }

    /// Returns the end in seconds of a part with a start of its own.
    pub fn end(&self) -> Option<Decimal> {
        self.bounds()?.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Option<Decimal> {
        Decimal::parse(text)
    }

    #[test]
    fn an_utterance_lasts_as_long_as_its_span() {
        let counted = RecordingFacts {
            rate: Some(100),
            channels: Some(1),
            samples: Some(1000),
            duration: None,
        };
        let declared = RecordingFacts {
            duration: time("10"),
            ..RecordingFacts::default()
        };
        let unknown = RecordingFacts::default();
        for (span, facts, lasts, samples) in [
            (Span::Whole, counted, Some("10"), Some(1000)),
            (
                Span::new(time("1"), time("3.5")),
                counted,
                Some("2.5"),
                Some(250),
            ),
            (
                Span::new(time("9.5"), time("10.4")),
                counted,
                Some("0.5"),
                Some(50),
            ),
            (Span::new(time("9.5"), None), counted, Some("0.5"), Some(50)),
            (Span::new(time("11"), time("12")), counted, None, Some(0)),
            (
                Span::First(Decimal::new(4, 0)),
                counted,
                Some("4"),
                Some(400),
            ),
            (
                Span::First(Decimal::new(40, 0)),
                counted,
                Some("10"),
                Some(1000),
            ),
            (
                Span::new(time("1"), time("3.5")),
                declared,
                Some("2.5"),
                None,
            ),
            (Span::new(time("1"), None), declared, Some("9"), None),
            (
                Span::new(time("1"), time("3.5")),
                unknown,
                Some("2.5"),
                None,
            ),
            (Span::new(time("1"), None), unknown, None, None),
            (Span::First(Decimal::new(4, 0)), unknown, Some("4"), None),
            (Span::Whole, unknown, None, None),
        ] {
            let of = facts.of_span(span);
            assert_eq!(
                (of.time(), of.samples()),
                (lasts.and_then(time), samples),
                "{span:?}"
            );
        }
    }
}
