//! Samples for sound that is encoded or somewhere else.

use crate::bytes::{Env, Extent, Source};
use crate::format::Reader;
use crate::model::{
    Audio, AudioReference, DatasetInfo, Decimal, EncodedAudio, Matrix, Utterance, Waveform,
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
        Some(Audio::Encoded(encoded)) => decode(encoded, env)?,
        Some(Audio::Reference(reference)) => fetch(reference, env)?,
    };
    utt.audio = Some(Audio::Samples(sound));
    Ok(())
}

fn decode(encoded: &EncodedAudio, env: &Env) -> Result<Waveform> {
    let name = format!("{} file in memory", encoded.format);
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

/// Opens what a reference names and takes its stretch and its channel.
fn fetch(reference: &AudioReference, env: &Env) -> Result<Waveform> {
    let mut source = env.open_from(None, &reference.at)?;
    if let Some(len) = reference.len {
        source = source.limited(len)?;
    }
    let mut sound = read(&mut source, None, env)?;
    let there = sound.samples.rows();
    let at = |time: Decimal| {
        let sample = time
            .sample(sound.rate)
            .and_then(|n| usize::try_from(n).ok());
        sample.ok_or_else(|| Error::unfit(format!("{time} s is not a time in the recording")))
    };
    let start = reference.start.map_or(Ok(0), at)?;
    let end = reference.end.map_or(Ok(there), at)?.min(there);
    if start > end {
        return Err(Error::unfit(format!(
            "starts at sample {start}, the recording has {there}"
        ))
        .file(source.name()));
    }
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

/// Some rows and columns of a matrix.
fn part(
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
