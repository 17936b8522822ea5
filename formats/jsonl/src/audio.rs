//! Audio in three forms: samples, a whole file, or a reference.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;
use spr_core::bytes::{Location, Locator};
use spr_core::model::{
    Audio, AudioReference, Decimal, EncodedAudio, Matrix, Rank, RecordingFacts, Span, Waveform,
};
use spr_core::{Error, Limits, Result};
use spr_syntax::json::Fields;

use crate::braces::Braces;
use crate::numbers;
use crate::shape::MatrixShape;
use crate::text;

/// The fields of all three forms.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AudioFields<'a> {
    rate: Option<u32>,
    channels: Option<u32>,
    samples: Option<u64>,
    #[serde(borrow)]
    duration: Option<&'a RawValue>,
    #[serde(borrow)]
    dtype: Option<Cow<'a, str>>,
    shape: Option<[u64; 2]>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(borrow)]
    format: Option<Cow<'a, str>>,
    #[serde(borrow)]
    base64: Option<Cow<'a, str>>,
    #[serde(borrow)]
    path: Option<&'a RawValue>,
    byte: Option<u64>,
    #[serde(borrow)]
    command: Option<Cow<'a, str>>,
    #[serde(default)]
    standard_input: bool,
    length: Option<u64>,
    #[serde(borrow)]
    start: Option<&'a RawValue>,
    #[serde(borrow)]
    end: Option<&'a RawValue>,
    channel: Option<u32>,
    #[serde(borrow)]
    whole: Option<Braces<FactFields<'a>>>,
}

/// The facts about a whole recording.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FactFields<'a> {
    rate: Option<u32>,
    channels: Option<u32>,
    samples: Option<u64>,
    #[serde(borrow)]
    duration: Option<&'a RawValue>,
}

impl FactFields<'_> {
    fn read(&self) -> Result<RecordingFacts> {
        Ok(RecordingFacts {
            rate: self.rate,
            channels: self.channels,
            samples: self.samples,
            duration: time(self.duration, "duration")?,
        })
    }
}

impl AudioFields<'_> {
    /// Returns the audio, or the reference to it.
    pub(crate) fn read(&self, limits: &Limits) -> Result<Audio> {
        match (self.data, &self.base64, self.place()?) {
            (Some(data), None, None) => self.samples(data, limits).map(Audio::Samples),
            (None, Some(base64), None) => self.encoded(base64).map(Audio::Encoded),
            (None, None, Some(at)) => self.reference(at).map(Audio::Reference),
            _ => Err(Error::malformed(
                "one of data, base64, path, command and standard_input says what sound it is",
            )),
        }
    }

    fn samples(&self, data: &RawValue, limits: &Limits) -> Result<Waveform> {
        let (Some(rate), Some(dtype), Some([rows, cols])) = (self.rate, &self.dtype, self.shape)
        else {
            return Err(Error::malformed("samples have rate, dtype and shape"));
        };
        let facts = self.channels.is_some() || self.samples.is_some() || self.duration.is_some();
        if facts || self.format.is_some() || self.is_stretch() {
            return Err(foreign("samples"));
        }
        let shape = MatrixShape {
            rank: Rank::Matrix,
            rows,
            cols,
        };
        let (dtype, mut samples) = (numbers::dtype(dtype)?, Matrix::default());
        numbers::read(data.get(), dtype, shape, &mut samples, limits)?;
        Ok(Waveform { rate, samples })
    }

    fn encoded(&self, base64: &str) -> Result<EncodedAudio> {
        let Some(format) = &self.format else {
            return Err(Error::malformed("a file has a format"));
        };
        if self.is_matrix() || self.is_stretch() {
            return Err(foreign("a file"));
        }
        let bytes = STANDARD.decode(base64);
        Ok(EncodedAudio {
            format: format.clone().into_owned(),
            bytes: bytes.map_err(|e| Error::malformed(format!("not base64: {e}")))?,
            facts: self.facts()?,
        })
    }

    fn reference(&self, at: Locator) -> Result<AudioReference> {
        if self.is_matrix() || self.format.is_some() {
            return Err(foreign("a place"));
        }
        let span = Span::new(time(self.start, "start")?, time(self.end, "end")?);
        let own = self.facts()?;
        // Of a span, the fields tell its own duration and the rate, and `whole` the rest.
        let (recording, duration) = match (&self.whole, span) {
            (None, Span::Whole) => (own, None),
            (whole, _) => {
                let whole = whole
                    .as_ref()
                    .map(|Braces(facts)| facts.read())
                    .transpose()?;
                let whole = whole.unwrap_or_default();
                let rate = own.rate.or(whole.rate);
                (RecordingFacts { rate, ..whole }, own.duration)
            }
        };
        Ok(AudioReference {
            at,
            len: self.length,
            span,
            channel: self.channel,
            shortest: None,
            recording,
            duration,
        })
    }

    /// Returns the location of a reference, if this is one.
    fn place(&self) -> Result<Option<Locator>> {
        Ok(match (self.path, &self.command, self.standard_input) {
            (None, None, false) => None,
            (None, Some(command), false) => Some(Locator::Command(command.clone().into_owned())),
            (None, None, true) => Some(Locator::Standard),
            (Some(path), None, false) => {
                let file = location(&text::read(path, "the path")?)?;
                Some(match self.byte {
                    Some(byte) => Locator::FileAt(file, byte),
                    None => Locator::File(file),
                })
            }
            _ => return Err(Error::malformed("sound is in one place")),
        })
    }

    /// Returns `true` if there are fields of samples.
    fn is_matrix(&self) -> bool {
        self.dtype.is_some() || self.shape.is_some()
    }

    /// Returns `true` if there are fields of a reference.
    fn is_stretch(&self) -> bool {
        let times = self.start.is_some() || self.end.is_some();
        let bytes = self.byte.is_some() || self.length.is_some();
        times || bytes || self.channel.is_some() || self.whole.is_some()
    }

    fn facts(&self) -> Result<RecordingFacts> {
        Ok(RecordingFacts {
            rate: self.rate,
            channels: self.channels,
            samples: self.samples,
            duration: time(self.duration, "duration")?,
        })
    }
}

fn time(raw: Option<&RawValue>, what: &str) -> Result<Option<Decimal>> {
    raw.map(|raw| text::read_decimal(raw, what)).transpose()
}

fn foreign(form: &str) -> Error {
    Error::malformed(format!("{form} with fields of another form of sound"))
}

fn location(bytes: &[u8]) -> Result<Location> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Location::from(text)),
        Err(_) => odd_location(bytes),
    }
}

#[cfg(unix)]
fn odd_location(bytes: &[u8]) -> Result<Location> {
    use std::os::unix::ffi::OsStrExt;
    Ok(std::ffi::OsStr::from_bytes(bytes).into())
}

#[cfg(not(unix))]
fn odd_location(_: &[u8]) -> Result<Location> {
    Err(Error::unsupported(
        "a path that is not UTF-8, which this system does not have",
    ))
}

/// Formats the fields of audio, except the data of samples.
///
/// # Errors
/// It could not be read back.
pub(crate) fn fields(audio: &Audio) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut fields = Fields::compact(&mut out);
    match audio {
        Audio::Samples(sound) => {
            let (dtype, rows, cols) = (
                sound.samples.dtype(),
                sound.samples.rows(),
                sound.samples.cols(),
            );
            fields.number("rate", Some(sound.rate));
            text::write(dtype.name().as_bytes(), fields.start("dtype"));
            fields
                .start("shape")
                .extend(format!("[{rows},{cols}]").bytes());
        }
        Audio::Encoded(encoded) => {
            text::write(encoded.format.as_bytes(), fields.start("format"));
            let base64 = STANDARD.encode(&encoded.bytes);
            let out = fields.start("base64");
            out.extend([b"\"", base64.as_bytes(), b"\""].concat());
            write_facts(encoded.facts, &mut fields);
        }
        Audio::Reference(reference) => {
            write_place(&reference.at, &mut fields)?;
            fields.number("length", reference.len);
            let bounds = reference.span.bounds();
            fields.number("start", bounds.map(|(start, _)| start));
            fields.number("end", reference.span.end());
            fields.number("channel", reference.channel);
            if bounds.is_none() && reference.duration.is_none() {
                let mut facts = reference.recording;
                if let Span::First(length) = reference.span {
                    facts.duration = Some(length);
                }
                write_facts(facts, &mut fields);
                return Ok(out);
            }
            let RecordingFacts { rate, .. } = reference.recording;
            fields.number("rate", rate);
            fields.number("duration", reference.duration);
            let whole = RecordingFacts {
                rate: None,
                ..reference.recording
            };
            if whole != RecordingFacts::default() {
                let out = fields.start("whole");
                out.push(b'{');
                write_facts(whole, &mut Fields::compact(out));
                out.push(b'}');
            }
        }
        _ => return Err(Error::unfit("has sound in an unknown form")),
    }
    Ok(out)
}

fn write_facts(facts: RecordingFacts, fields: &mut Fields<'_>) {
    fields.number("rate", facts.rate);
    fields.number("channels", facts.channels);
    fields.number("samples", facts.samples);
    fields.number("duration", facts.duration);
}

fn write_place(at: &Locator, fields: &mut Fields<'_>) -> Result<()> {
    let mut path = |file: &Location| {
        text::write(file.as_os_str().as_encoded_bytes(), fields.start("path"));
    };
    match at {
        Locator::File(file) => path(file),
        Locator::FileAt(file, byte) => {
            path(file);
            fields.number("byte", Some(*byte));
        }
        Locator::Command(line) => text::write(line.as_bytes(), fields.start("command")),
        Locator::Standard => fields.start("standard_input").extend(b"true"),
        other => {
            return Err(Error::unfit(format!(
                "has sound in {other}, where none can be"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Audio> {
        let fields: AudioFields<'_> =
            serde_json::from_str(text).map_err(|e| Error::malformed(e.to_string()))?;
        fields.read(&Limits::default())
    }

    fn check(audio: impl Into<Audio>, text: &str) {
        let audio = audio.into();
        let written = String::from_utf8(fields(&audio).unwrap()).unwrap();
        assert_eq!(format!("{{{written}}}"), text);
        assert_eq!(read(text).unwrap(), audio);
    }

    #[test]
    fn files_and_places_read_back() {
        let encoded = EncodedAudio {
            format: "flac".to_owned(),
            bytes: b"fLaC\0\xff".to_vec(),
            facts: RecordingFacts {
                rate: Some(16000),
                ..RecordingFacts::default()
            },
        };
        check(
            Audio::Encoded(encoded),
            r#"{"format":"flac","base64":"ZkxhQwD/","rate":16000}"#,
        );
        let place = |at| Audio::Reference(AudioReference::new(at));
        check(place(Locator::file("a/b.wav")), r#"{"path":"a/b.wav"}"#);
        check(
            place(Locator::Command("sox a - |".to_owned())),
            r#"{"command":"sox a - |"}"#,
        );
        check(place(Locator::Standard), r#"{"standard_input":true}"#);
        check(
            Audio::Reference(AudioReference {
                len: Some(7),
                span: Span::new(Decimal::parse("0.450"), Decimal::parse("3")),
                channel: Some(1),
                recording: RecordingFacts {
                    rate: Some(8000),
                    channels: Some(2),
                    samples: Some(60000),
                    duration: Decimal::parse("7.50"),
                },
                duration: Decimal::parse("2.55"),
                ..AudioReference::new(Locator::FileAt("a.tar".into(), 0))
            }),
            concat!(
                r#"{"path":"a.tar","byte":0,"length":7,"start":0.450,"end":3,"channel":1,"#,
                r#""rate":8000,"duration":2.55,"whole":{"channels":2,"samples":60000,"duration":7.50}}"#
            ),
        );
        assert!(fields(&place(Locator::Nowhere)).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn paths_may_hold_any_bytes() {
        let file = location(b"a/\xff").unwrap();
        check(
            Audio::Reference(AudioReference::new(file.into())),
            r#"{"path":{"bytes":"612fff"}}"#,
        );
    }

    #[test]
    fn forms_are_not_mixed() {
        for (text, message) in [
            ("{}", "one of data, base64"),
            (r#"{"base64":"","path":"a"}"#, "one of data, base64"),
            (r#"{"path":"a","command":"b"}"#, "sound is in one place"),
            (r#"{"base64":"AAAA"}"#, "a file has a format"),
            (r#"{"base64":"A","format":"wav"}"#, "not base64: "),
            (
                r#"{"base64":"","format":"wav","byte":1}"#,
                "a file with fields of another",
            ),
            (
                r#"{"path":"a","dtype":"f32"}"#,
                "a place with fields of another",
            ),
            (
                r#"{"data":[[1]],"dtype":"f32","shape":[1,1]}"#,
                "samples have rate",
            ),
            (
                r#"{"data":[[1]],"dtype":"f32","shape":[1,1],"rate":8000,"channels":1}"#,
                "samples with fields of another",
            ),
            (r#"{"path":"a","start":"x"}"#, "start is not a number"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.message().starts_with(message), "{text}: {error}");
        }
    }
}
