//! Recordings: audio files and their properties.

use serde_json::value::RawValue;
use spr_core::bytes::Locator;
use spr_core::model::{AudioReference, Decimal, RecordingFacts, Span};
use spr_core::recording::{LENGTH_ROUNDING, OVERSHOOT};
use spr_core::{Error, Result};
use spr_syntax::json::{self, Object};
use spr_syntax::manifest::Places;

/// The type of sources and stores whose data are in the tar files of a Shar.
pub(super) const SHAR: &str = "shar";

/// A recording without its name.
pub(super) struct Recording {
    /// The location of each group of channels.
    sources: Vec<(Vec<u32>, Locator)>,
    rate: u32,
    samples: u64,
    /// What is wrong with it, which is told where it is used.
    contradiction: Option<String>,
}

/// A segment of a recording, as written.
#[derive(Clone)]
pub(super) struct RecordingSegment {
    pub(super) start: Decimal,
    pub(super) duration: Decimal,
    /// The selected channels; empty for all.
    pub(super) channels: Vec<u32>,
}

impl RecordingSegment {
    /// Takes `start`, `duration` and `channel`.
    ///
    /// # Errors
    /// They are missing or invalid.
    pub(super) fn take(object: &mut Object<'_>) -> Result<Self> {
        let duration = json::time(object.require("duration")?, "duration")?;
        Ok(Self {
            start: json::decimal(object.require("start")?, "start")?,
            duration,
            channels: object.take("channel").map_or(Ok(Vec::new()), channels)?,
        })
    }

    /// Returns the end.
    ///
    /// # Errors
    /// The numbers are too large.
    pub(super) fn end(&self) -> Result<Decimal> {
        let end = self.start.plus(self.duration).map(Decimal::trimmed);
        end.ok_or_else(|| Error::malformed("the times have too many digits"))
    }
}

/// Parses a channel, or a list of channels.
fn channels(raw: &RawValue) -> Result<Vec<u32>> {
    match raw.get().starts_with('[') {
        true => json::parse(raw, "channel", "a list of channels"),
        false => Ok(vec![json::count(raw, "channel")?]),
    }
}

impl Recording {
    /// Parses a recording and its name.
    ///
    /// # Errors
    /// It is not a recording, or its audio cannot be located.
    pub(super) fn read(object: Object<'_>, places: &mut Places) -> Result<(String, Self)> {
        Self::of(object, |kind, source| match kind {
            "file" => Ok(Locator::File(places.find(source))),
            "command" => Ok(places.moved(Locator::Command(source.to_owned()))),
            SHAR | "shar_ptr" => Err(Error::unsupported(
                "a recording of a Lhotse Shar, whose sound is in tar files",
            )
            .hint("shar:FOLDER reads the folder as a whole")),
            other => Err(unknown(other).hint("files and commands are read")),
        })
    }

    /// Parses a placeholder for audio that is stored `at` a place, and the name of the recording.
    ///
    /// # Errors
    /// It is none.
    pub(super) fn stored(object: Object<'_>, at: &Locator) -> Result<(String, Self)> {
        Self::of(object, |kind, _| match kind {
            SHAR => Ok(at.clone()),
            other => Err(unknown(other).hint("in a Shar, sound is in tar files")),
        })
    }

    /// Returns the channels of the sound.
    pub(super) fn channel_numbers(&self) -> Vec<u32> {
        let all = self.sources.iter().flat_map(|(channels, _)| channels);
        all.copied().collect()
    }

    fn of(
        mut object: Object<'_>,
        mut place: impl FnMut(&str, &str) -> Result<Locator>,
    ) -> Result<(String, Self)> {
        let id = json::text(object.require("id")?, "id")?.into_owned();
        if let Some(transforms) = object.take("transforms")
            && transforms.get() != "[]"
        {
            let message = format!("the recording {id} has transforms, which change its sound");
            let error = Error::unsupported(message);
            return Err(error.hint("save the changed sound with lhotse first"));
        }
        let list: Vec<&RawValue> = json::parse(object.require("sources")?, "sources", "a list")?;
        let mut sources = Vec::new();
        for source in list {
            sources.push(read_source(Object::of(source, "a source")?, &mut place)?);
        }
        if sources.is_empty() {
            return Err(Error::malformed(format!(
                "the recording {id} has no sources"
            )));
        }
        let mut recording = Self {
            sources,
            rate: json::count(object.require("sampling_rate")?, "sampling_rate")?,
            samples: json::count(object.require("num_samples")?, "num_samples")?,
            contradiction: None,
        };
        if recording.rate == 0 {
            return Err(Error::malformed("sampling_rate is 0"));
        }
        let said = object.take("duration");
        let said = said.map(|raw| json::time(raw, "duration")).transpose()?;
        let length = recording.length();
        recording.contradiction = said
            .filter(|said| (said.value() - length.value()).abs() > LENGTH_ROUNDING)
            .map(|said| {
                format!("the recording {id} has {length} s of samples, and a duration of {said} s")
            });
        Ok((id, recording))
    }

    /// Returns its facts, with the number of channels of the file that is meant.
    fn facts(&self, channels: Option<u32>) -> RecordingFacts {
        RecordingFacts {
            rate: Some(self.rate),
            channels,
            samples: Some(self.samples),
            duration: None,
        }
    }

    /// Returns the length in seconds.
    fn length(&self) -> Decimal {
        self.facts(None).time().unwrap_or_default()
    }

    /// Returns the reference for a segment, without times if it is the whole recording.
    ///
    /// # Errors
    /// The recording contradicts itself, there is no such channel, the channels are not those of one
    /// file, or the segment is not in the recording.
    pub(super) fn reference(&self, stretch: &RecordingSegment) -> Result<AudioReference> {
        if let Some(message) = &self.contradiction {
            return Err(Error::malformed(message.as_str()));
        }
        let (at, channels, channel) = self.channel(&stretch.channels)?;
        let place = AudioReference {
            channel,
            recording: self.facts(u32::try_from(channels).ok()),
            ..AudioReference::new(at.clone())
        };
        if stretch.start.is_zero() && stretch.duration.sample(self.rate) == Some(self.samples) {
            return Ok(place);
        }
        if stretch.start.is_negative() {
            let message = format!("starts {} s before its recording", stretch.start);
            return Err(Error::malformed(message));
        }
        let (length, end) = (self.length(), stretch.end()?);
        if stretch.start > length || end.value() > length.value() + OVERSHOOT {
            let start = stretch.start;
            let message = format!("lasts from {start} to {end} s of a recording of {length} s");
            return Err(Error::malformed(message));
        }
        Ok(AudioReference {
            span: Span::new(Some(stretch.start), Some(end)),
            ..place
        })
    }

    /// Returns the reference for the whole recording.
    pub(super) fn all(&self) -> Result<AudioReference> {
        self.reference(&RecordingSegment {
            start: Decimal::ZERO,
            duration: self.length(),
            channels: Vec::new(),
        })
    }

    /// Returns the file of some channels, the number of its channels, and the channel in it if the
    /// file has others as well.
    fn channel(&self, wanted: &[u32]) -> Result<(&Locator, usize, Option<u32>)> {
        for (channels, at) in &self.sources {
            let count = channels.len();
            match wanted {
                [] if self.sources.len() == 1 => return Ok((at, count, None)),
                _ if wanted == channels => return Ok((at, count, None)),
                [one] => {
                    if let Some(n) = channels.iter().position(|channel| channel == one) {
                        return Ok((at, count, u32::try_from(n).ok()));
                    }
                }
                _ => {}
            }
        }
        let message = format!("the channels {wanted:?} are not one of, or all of, those of a file");
        Err(Error::unsupported(message))
    }
}

fn read_source(
    mut object: Object<'_>,
    place: &mut impl FnMut(&str, &str) -> Result<Locator>,
) -> Result<(Vec<u32>, Locator)> {
    let channels = json::parse(
        object.require("channels")?,
        "channels",
        "a list of channels",
    )?;
    let kind = json::text(object.require("type")?, "type")?;
    let source = object.take("source").map(|raw| json::text(raw, "source"));
    let source = source.transpose()?.filter(|source| !source.is_empty());
    let source = match (&*kind, source) {
        ("file" | "command", None) => return Err(no_source()),
        (_, source) => source.unwrap_or_default(),
    };
    Ok((channels, place(&kind, &source)?))
}

fn unknown(kind: &str) -> Error {
    Error::unsupported(format!("a recording from a source of type {kind}"))
}

fn no_source() -> Error {
    Error::malformed("a source that does not say where it is")
}
