//! Recordings as utterances use them: the audio that an utterance refers to is loaded, measured and
//! compared with what its data set says of it, here and nowhere else.

mod file;
mod span;

use std::ops::Range;

use crate::bytes::{Env, Locator, Nested, ObjectBounds, RecordingPlace, Source};
use crate::error::{Error, Result};
use crate::model::{
    Audio, AudioReference, EncodedAudio, Limits, Matrix, Origin, RecordingFacts, Span, Utterance,
    Waveform,
};
use span::Part;

pub(crate) use file::take_file;
pub(crate) use span::within;
pub use span::{
    LENGTH_ROUNDING, OVERSHOOT, cut_to_recording, other_duration, other_numbers, settle,
};

/// Audio that was loaded.
pub struct LoadedAudio {
    /// The samples.
    pub sound: Waveform,
    /// The facts about the recording that they are from, if there is one.
    pub recording: Option<RecordingFacts>,
    /// A warning about facts that contradict its data set, such as another length.
    pub warning: Option<Error>,
}

/// Converts the audio of an utterance to samples, if there is any in another form. What contradicts its
/// data set is a warning.
///
/// # Errors
/// It cannot be opened, no available format decodes it, or its span is not in the recording.
pub fn load(utt: &mut Utterance, env: &Env) -> Result<()> {
    if let Some(loaded) = read(utt, env)? {
        if let Some(warning) = loaded.warning {
            env.warn(&warning.utterance(&utt.key));
        }
        utt.audio = Some(Audio::Samples(loaded.sound));
    }
    Ok(())
}

/// Reads the samples of the audio of an utterance, which stays in the form that it has. Returns `None`
/// if there is none in another form than samples.
///
/// # Errors
/// As for [`load`].
pub fn read(utt: &Utterance, env: &Env) -> Result<Option<LoadedAudio>> {
    match &utt.audio {
        None | Some(Audio::Samples(_)) => Ok(None),
        Some(Audio::Encoded(encoded)) => Ok(Some(LoadedAudio {
            sound: decode(encoded, utt.origin.file.as_deref(), env)?,
            recording: None,
            warning: None,
        })),
        Some(Audio::Reference(reference)) => fetch(reference, &utt.origin, env).map(Some),
    }
}

/// Returns the facts about the recording of an utterance: from its header or, if that does not tell
/// them, from all of it.
///
/// # Errors
/// It cannot be opened, no available format reads it, or it has another rate or other channels than the
/// data set says.
pub fn facts(reference: &AudioReference, origin: &Origin, env: &Env) -> Result<RecordingFacts> {
    let facts = env.recording_facts(&RecordingPlace::new(reference, origin))?;
    span::check(reference, facts).map_err(|e| e.file(reference.at.to_string()))?;
    Ok(facts)
}

/// Completes the facts about the audio of an utterance that is not samples, unless rate, channels and
/// samples are known.
///
/// # Errors
/// As for [`facts`].
pub fn measure(utt: &mut Utterance, env: &Env) -> Result<()> {
    match &mut utt.audio {
        Some(Audio::Reference(reference)) if !reference.recording.are_complete() => {
            reference.recording = facts(reference, &utt.origin, env)?;
        }
        Some(Audio::Encoded(encoded)) => encoded.facts = facts_of_file(encoded, env)?,
        _ => {}
    }
    Ok(())
}

/// Returns the facts about an audio file in memory. Reads its header unless rate, channels and samples
/// are known.
///
/// # Errors
/// It is damaged, or no available format reads it.
pub fn facts_of_file(encoded: &EncodedAudio, env: &Env) -> Result<RecordingFacts> {
    if encoded.facts.are_complete() {
        return Ok(encoded.facts);
    }
    let mut source = source_of(encoded, None)?;
    env.nested(&encoded.format)?.facts(&mut source, env)
}

/// Opens the recording of a reference, and reads its span and channel.
fn fetch(reference: &AudioReference, origin: &Origin, env: &Env) -> Result<LoadedAudio> {
    let place = RecordingPlace::new(reference, origin);
    if reference.span.bounds().is_some() || reference.channel.is_some() {
        return fetch_part(reference, &place, env);
    }
    let mut source = env.open_recording(&place)?;
    let nested = env.nested_by_content(&mut source)?;
    let sound = samples_of(nested, &mut source, env)?;
    let recording = sound.facts();
    let in_file = |error: Error| error.file(source.name());
    let (sound, warning) = part_of(sound, reference, &env.limits).map_err(in_file)?;
    Ok(LoadedAudio {
        sound,
        recording: Some(recording),
        warning: warning.map(in_file),
    })
}

/// Returns the part of a recording that a reference means, and a warning if the recording is not as stated.
///
/// # Errors
/// It has another rate or other channels than stated, or the span is not in it.
pub fn part_of(
    recording: Waveform,
    reference: &AudioReference,
    limits: &Limits,
) -> Result<(Waveform, Option<Error>)> {
    let facts = recording.facts();
    span::check(reference, facts)?;
    let part = Part::of(reference, facts)?;
    let other = span::other_length(reference.recording, facts);
    let other = other.or(span::other_length(stated(reference), facts));
    let warning = part
        .warning
        .or(other.filter(|_| reference.span == Span::Whole));
    let Waveform { rate, samples } = recording;
    let (all, channels) = (0..samples.rows(), 0..samples.cols());
    let rows = rows(&part.rows, all.end);
    let cols = match reference.channel {
        None => channels.clone(),
        Some(number) => span::channel(number, channels.end)?,
    };
    let samples = match rows == all && cols == channels {
        true => samples,
        false => cut(&samples, rows, cols, limits)?,
    };
    Ok((Waveform { rate, samples }, warning))
}

/// Returns a span of samples, and a warning if it ends after them.
///
/// # Errors
/// The span is not in them.
pub(crate) fn cut_samples(
    sound: &Waveform,
    span: Span,
    limits: &Limits,
) -> Result<(Waveform, Option<Error>)> {
    let meant = AudioReference {
        span,
        ..AudioReference::new(Locator::Standard)
    };
    let part = Part::of(&meant, sound.facts())?;
    let samples = &sound.samples;
    let rows = rows(&part.rows, samples.rows());
    let samples = cut(samples, rows, 0..samples.cols(), limits)?;
    let rate = sound.rate;
    Ok((Waveform { rate, samples }, part.warning))
}

/// Reads a part of a recording that is kept open.
fn fetch_part(
    reference: &AudioReference,
    place: &RecordingPlace,
    env: &Env,
) -> Result<LoadedAudio> {
    let limits = &env.limits;
    env.with_recording(place, |recording| {
        let name = recording.name().to_owned();
        let in_file = |error: Error| error.file(&*name);
        let known = recording.facts_up_to(0, limits)?;
        span::check(reference, known).map_err(in_file)?;
        let needed = span::needed(reference, known);
        let facts = recording.facts_up_to(needed, limits)?;
        let part = Part::of(reference, facts).map_err(in_file)?;
        let mut warning = part.warning;
        if !std::mem::replace(&mut recording.is_compared, true) {
            warning = warning.or(span::other_length(reference.recording, facts));
        }
        let sound = recording.read(part.rows, limits)?;
        let warning = warning.or(span::other_length(stated(reference), sound.facts()));
        let sound = match reference.channel {
            None => sound,
            Some(channel) => {
                let channel = span::channel(channel, sound.samples.cols()).map_err(in_file)?;
                let rows = 0..sound.samples.rows();
                Waveform {
                    samples: cut(&sound.samples, rows, channel, limits)?,
                    ..sound
                }
            }
        };
        Ok(LoadedAudio {
            sound,
            recording: Some(facts),
            warning: warning.map(in_file),
        })
    })
}

/// Returns the duration that the data set states for an utterance, as that of a recording.
fn stated(reference: &AudioReference) -> RecordingFacts {
    RecordingFacts {
        duration: reference.duration,
        ..RecordingFacts::default()
    }
}

/// Returns a range of samples as sizes in memory.
fn rows(range: &Range<u64>, there: usize) -> Range<usize> {
    let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(there);
    size(range.start)..size(range.end)
}

/// Decodes an audio file in memory, which is from `file`.
///
/// # Errors
/// It is damaged, or no available format reads it.
pub fn decode(encoded: &EncodedAudio, file: Option<&str>, env: &Env) -> Result<Waveform> {
    let mut source = source_of(encoded, file)?;
    samples_of(env.nested(&encoded.format)?, &mut source, env)
}

/// Opens an audio file in memory, which is from `file`.
fn source_of(encoded: &EncodedAudio, file: Option<&str>) -> Result<Source> {
    let what = format!("{} file in memory", encoded.format);
    let name = file.map_or(what.clone(), |file| format!("{file} ({what})"));
    Source::from_bytes(name, encoded.bytes.clone())
}

/// Reads an audio file to its end.
fn samples_of(nested: &dyn Nested, source: &mut Source, env: &Env) -> Result<Waveform> {
    let mut utt = Utterance::default();
    nested.read(source, ObjectBounds::Whole, &mut utt, env)?;
    match utt.audio {
        Some(Audio::Samples(sound)) => Ok(sound),
        _ => Err(source.malformed("holds no sound")),
    }
}

/// Returns a range of rows and columns of a matrix.
pub(crate) fn cut(
    all: &Matrix,
    rows: Range<usize>,
    cols: Range<usize>,
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
