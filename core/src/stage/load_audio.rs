//! Samples for sound that is encoded or somewhere else.

use crate::bytes::{Env, Extent, Location, Source};
use crate::format::Reader;
use crate::model::{
    Audio, AudioFacts, AudioReference, DatasetInfo, Decimal, EncodedAudio, Matrix, Utterance,
    Waveform,
};
use crate::{Error, Limits, Result};

/// Loads and decodes the sound of each utterance, so that it is samples. Commands that references
/// name run only where the [`Env`] allows those that stand in files.
pub struct LoadAudio {
    inner: Box<dyn Reader>,
    env: Env,
}

impl LoadAudio {
    /// The utterances of `inner` with samples.
    pub fn new(inner: Box<dyn Reader>, env: &Env) -> Self {
        Self {
            inner,
            env: env.clone(),
        }
    }
}

impl Reader for LoadAudio {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    /// # Errors
    /// Sound can't be loaded; the next utterance can be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        if more {
            load(utt, &self.env).map_err(|e| e.utterance(&utt.key).continuable())?;
        }
        Ok(more)
    }
}

/// Makes samples of the sound of an utterance, if it has any that is not.
///
/// # Errors
/// It can't be opened, or no format that is built in decodes it.
pub fn load(utt: &mut Utterance, env: &Env) -> Result<()> {
    let sound = match &utt.audio {
        None | Some(Audio::Samples(_)) => return Ok(()),
        Some(Audio::Encoded(encoded)) => decode(encoded, utt.origin.file.as_deref(), env)?,
        Some(Audio::Reference(reference)) => fetch(reference, list_of(utt).as_ref(), env)?,
    };
    utt.audio = Some(Audio::Samples(sound));
    Ok(())
}

/// Decodes a sound file that came out of `file`.
fn decode(encoded: &EncodedAudio, file: Option<&str>, env: &Env) -> Result<Waveform> {
    let what = format!("{} file in memory", encoded.format);
    let name = file.map_or(what.clone(), |file| format!("{file} ({what})"));
    let mut source = Source::from_bytes(name, encoded.bytes.clone())?;
    read(&mut source, Some(&encoded.format), env)
}

/// Reads a sound file to its end.
fn read(source: &mut Source, format: Option<&str>, env: &Env) -> Result<Waveform> {
    let nested = match format {
        Some(name) => env.nested(name)?,
        None => env.nested_by_content(source)?,
    };
    let mut utt = Utterance::default();
    nested.read(source, Extent::Whole, &mut utt, env)?;
    match utt.audio {
        Some(Audio::Samples(sound)) => Ok(sound),
        _ => Err(source.malformed("holds no sound")),
    }
}

/// What is so of the whole recording that an utterance refers to, or to a stretch of: its header is
/// read, and only where that does not tell, the rest. Nothing, where there is no reference.
///
/// # Errors
/// It can't be opened, or no format that is built in reads it.
pub fn recording_facts(utt: &Utterance, env: &Env) -> Result<AudioFacts> {
    let Some(Audio::Reference(reference)) = &utt.audio else {
        return Ok(AudioFacts::default());
    };
    let list = list_of(utt);
    let mut source = open(reference, list.as_ref(), env)?;
    let nested = env.nested_by_content(&mut source)?;
    let facts = nested.facts(&mut source, env)?;
    if facts.rate.is_some() && facts.channels.is_some() && facts.samples.is_some() {
        return Ok(facts);
    }
    let sound = read(&mut open(reference, list.as_ref(), env)?, None, env)?;
    Ok(Audio::Samples(sound).facts())
}

/// Takes the bytes of the sound file that an utterance refers to as they are, if all of it is meant
/// and it is of one of these formats; whether it is.
///
/// # Errors
/// It can't be read, or is larger than the limits allow.
pub fn fetch_file(utt: &mut Utterance, formats: &[&str], env: &Env) -> Result<bool> {
    /// Bytes by which a format is known.
    const HEAD: usize = 64;
    let Some(Audio::Reference(reference)) = &utt.audio else {
        return Ok(false);
    };
    if formats.is_empty() || reference.is_stretch() || reference.channel.is_some() {
        return Ok(false);
    }
    let mut source = open(reference, list_of(utt).as_ref(), env)?;
    let head = source.peek(HEAD)?;
    let found = env.nested_by_magic(head).or_else(|| by_magic(head));
    let Some(format) = found.filter(|format| formats.contains(format)) else {
        return Ok(false);
    };
    let facts = reference.facts;
    let bytes = source.rest("a sound file", &env.limits)?;
    utt.audio = Some(Audio::Encoded(EncodedAudio {
        format: format.to_owned(),
        bytes,
        facts,
    }));
    Ok(true)
}

/// Formats of sound files by their first bytes, whether any of ours decodes them or not.
fn by_magic(head: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 6] = [
        (b"fLaC", "flac"),
        (b"OggS", "ogg"),
        (b"ID3", "mp3"),
        (b"\xff\xfb", "mp3"),
        (b"\xff\xf3", "mp3"),
        (b"\xff\xf2", "mp3"),
    ];
    let known = MAGIC.iter().find(|(magic, _)| head.starts_with(magic));
    known.map(|(_, format)| *format)
}

/// The list behind a URL that an utterance stood in, if it did.
fn list_of(utt: &Utterance) -> Option<Location> {
    let list = utt.origin.file.as_deref().map(Location::from);
    list.filter(Location::is_url)
}

/// Opens what a reference names, in a list behind a URL if it is in one.
fn open(reference: &AudioReference, list: Option<&Location>, env: &Env) -> Result<Source> {
    let source = env.open_from(list, &reference.at)?;
    match reference.len {
        Some(len) => source.limited(len),
        None => Ok(source),
    }
}

/// Opens what a reference names and takes its stretch and its channel.
fn fetch(reference: &AudioReference, list: Option<&Location>, env: &Env) -> Result<Waveform> {
    let mut source = open(reference, list, env)?;
    let mut sound = read(&mut source, None, env)?;
    let there = sound.samples.rows();
    let (start, end) = stretch(reference, sound.rate, there).map_err(|e| e.file(source.name()))?;
    let cols = sound.samples.cols();
    let channels = match reference.channel.and_then(|n| usize::try_from(n).ok()) {
        None => 0..cols,
        Some(n) if n < cols => n..n + 1,
        Some(n) => {
            let message =
                format!("channel {n} was asked for, but there are only {cols}, counted from 0");
            return Err(Error::unfit(message).file(source.name()));
        }
    };
    if (start, end) != (0, there) || channels != (0..cols) {
        sound.samples = part(&sound.samples, start..end, channels, &env.limits)?;
    }
    Ok(sound)
}

/// The samples of a stretch of a recording, from the first to before the last, by the rules of
/// Kaldi's `extract-segments`.
#[expect(
    clippy::cast_precision_loss,
    reason = "Kaldi compares seconds as floats"
)]
fn stretch(reference: &AudioReference, rate: u32, there: usize) -> Result<(usize, usize)> {
    /// Seconds by which a stretch may go past the end of its recording, to which it is then cut.
    const OVERSHOOT: f64 = 0.5;
    /// What floats may lack.
    const LITTLE: f64 = 1e-9;
    let length = there as f64 / f64::from(rate.max(1));
    let at = |time: Decimal| {
        let sample = time.sample(rate).and_then(|n| usize::try_from(n).ok());
        sample.ok_or_else(|| Error::unfit(format!("{time} s is not a time in the recording")))
    };
    if let Some(start) = reference.start.filter(|start| start.value() > length) {
        let message = format!("starts at {start} s, the recording ends at {length} s");
        return Err(Error::unfit(message));
    }
    if let Some(end) = reference.end.filter(|end| end.value() > length + OVERSHOOT) {
        let message = format!(
            "ends at {end} s, more than {OVERSHOOT} s behind the end of the recording, at {length} s"
        );
        return Err(Error::unfit(message));
    }
    let from = reference.start.unwrap_or_default().value();
    let seconds = reference.end.map_or(length, |end| end.value().min(length)) - from;
    if let Some(shortest) = reference
        .shortest
        .filter(|least| seconds + LITTLE < least.value())
    {
        let message =
            format!("is {seconds:.3} s long, and segments shorter than {shortest} s are left out");
        return Err(Error::unfit(message));
    }
    let start = reference.start.map_or(Ok(0), at)?;
    let end = reference.end.map_or(Ok(there), at)?.min(there);
    match start <= end {
        true => Ok((start, end)),
        false => {
            let message = format!("starts at sample {start} and ends at sample {end}");
            Err(Error::unfit(message))
        }
    }
}

/// Some rows and columns of a matrix.
pub(super) fn part(
    all: &Matrix,
    rows: std::ops::Range<usize>,
    cols: std::ops::Range<usize>,
    limits: &Limits,
) -> Result<Matrix> {
    let size = all.dtype().size();
    let mut out = Matrix::default();
    let bytes = out.reset(all.dtype(), all.rank(), rows.len(), cols.len(), limits)?;
    let from = all.as_bytes().chunks_exact((all.cols() * size).max(1));
    let into = bytes.chunks_exact_mut((cols.len() * size).max(1));
    for (from, into) in from.skip(rows.start).zip(into) {
        into.copy_from_slice(&from[cols.start * size..cols.end * size]);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Locator;

    #[test]
    fn stretches_are_cut_as_by_extract_segments() {
        let time = |text: &str| Decimal::parse(text);
        let cut = |start, end, shortest| {
            let reference = AudioReference {
                start: time(start),
                end: time(end),
                shortest: time(shortest),
                ..AudioReference::new(Locator::file("a.wav"))
            };
            stretch(&reference, 8000, 8000).map_err(|e| e.to_string())
        };
        for (start, end, samples) in [
            ("", "", (0, 8000)),
            ("0.45", "0.8", (3600, 6400)),
            ("0.5", "", (4000, 8000)),
            ("0.5", "1.5", (4000, 8000)),
            ("0.00006", "0.5", (0, 4000)),
            ("0.0000625", "0.5", (1, 4000)),
            ("0.9", "1", (7200, 8000)),
        ] {
            assert_eq!(cut(start, end, "0.1"), Ok(samples), "{start} {end}");
        }
        for (start, end, fault) in [
            ("1.1", "1.4", "starts at 1.1 s, the recording ends at 1 s"),
            ("0.5", "1.51", "more than 0.5 s behind the end"),
            ("0.5", "0.59", "is 0.090 s long"),
            ("0.95", "1.4", "is 0.050 s long"),
            ("0.95", "", "is 0.050 s long"),
        ] {
            let error = cut(start, end, "0.1").unwrap_err();
            assert!(error.contains(fault), "{start} {end}: {error}");
        }
        assert_eq!(cut("0.5", "0.59", ""), Ok((4000, 4720)));
        assert!(cut("0.6", "0.5", "").is_err());
    }
}
