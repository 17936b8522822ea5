//! Loading of encoded or referenced audio.

use std::borrow::Cow;
use std::ops::Range;

use crate::bytes::{Env, Location, Locator, ObjectBounds, Source};
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{
    Audio, AudioFacts, AudioReference, DatasetInfo, Decimal, EncodedAudio, Limits, Matrix, Origin,
    Utterance, Waveform,
};

/// Loads and decodes the audio of each utterance to samples. Commands in references run only if the
/// [`Env`] allows commands in files.
pub(crate) struct LoadAudio {
    inner: Box<dyn Reader>,
    loader: SoundLoader,
}

impl LoadAudio {
    /// Loads the audio of `inner`.
    pub(crate) fn new(inner: Box<dyn Reader>, env: &Env) -> Self {
        Self {
            inner,
            loader: SoundLoader::new(env),
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for LoadAudio {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    /// # Errors
    /// Audio cannot be loaded; the next utterance can be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        if more {
            let loaded = self.loader.load(utt);
            loaded.map_err(|e| e.utterance(&utt.key).continuable())?;
        }
        Ok(more)
    }
}

/// Converts the audio of an utterance to samples, if there is any in another form.
///
/// # Errors
/// It cannot be opened, or no available format decodes it.
pub fn load(utt: &mut Utterance, env: &Env) -> Result<()> {
    SoundLoader::new(env).load(utt)
}

/// Loads the sound of one utterance after the other. A recording from which a stretch was cut is kept
/// for the next stretch of it.
pub struct SoundLoader {
    env: Env,
    kept: Option<Recording>,
    /// Whether warnings tell of recordings of other lengths than they are said to have.
    tells_lengths: bool,
    /// The facts about the recording that the last sound was taken from.
    whole: Option<AudioFacts>,
}

/// A whole recording, and what was opened for it.
struct Recording {
    at: Locator,
    len: Option<u64>,
    list: Option<Location>,
    name: String,
    sound: Waveform,
}

impl Recording {
    fn facts(&self) -> AudioFacts {
        let samples = &self.sound.samples;
        AudioFacts {
            rate: Some(self.sound.rate),
            channels: u32::try_from(samples.cols()).ok(),
            samples: Some(samples.rows() as u64),
            duration: None,
        }
    }
}

impl SoundLoader {
    /// A loader that has loaded nothing yet.
    pub fn new(env: &Env) -> Self {
        Self {
            env: env.clone(),
            kept: None,
            tells_lengths: true,
            whole: None,
        }
    }

    /// Leaves it to the caller to compare lengths with what is said of them.
    pub fn leave_lengths(self) -> Self {
        Self {
            tells_lengths: false,
            ..self
        }
    }

    /// Returns the facts about the recording that the last sound was taken from, if a reference to
    /// one was loaded.
    pub fn whole(&self) -> Option<AudioFacts> {
        self.whole
    }

    /// Makes samples of the sound of an utterance, as [`load`] does.
    ///
    /// # Errors
    /// As those of [`load`].
    pub fn load(&mut self, utt: &mut Utterance) -> Result<()> {
        self.whole = None;
        let sound = match &utt.audio {
            None | Some(Audio::Samples(_)) => return Ok(()),
            Some(Audio::Encoded(encoded)) => {
                decode(encoded, utt.origin.file.as_deref(), &self.env)?
            }
            Some(Audio::Reference(reference)) => self.fetch(reference, &utt.origin)?,
        };
        utt.audio = Some(Audio::Samples(sound));
        Ok(())
    }

    /// Opens the file of a reference, and extracts its segment and channel.
    fn fetch(&mut self, reference: &AudioReference, origin: &Origin) -> Result<Waveform> {
        let list = list_of(origin);
        let is_it = |recording: &Recording| {
            recording.at == reference.at && recording.len == reference.len && recording.list == list
        };
        let kept = self.kept.take().filter(is_it);
        let is_new = kept.is_none();
        let recording = match kept {
            Some(recording) => recording,
            None => {
                let mut source = open(reference, origin, &self.env)?;
                Recording {
                    sound: read(&mut source, None, &self.env)?,
                    name: source.name().to_owned(),
                    at: reference.at.clone(),
                    len: reference.len,
                    list,
                }
            }
        };
        let samples = &recording.sound.samples;
        let whole = recording.facts();
        self.whole = Some(whole);
        check(reference, whole).map_err(|e| e.file(&recording.name))?;
        let length = first_seconds(reference, whole.seconds().unwrap_or_default());
        let mut meant = Cow::Borrowed(reference);
        if let Some((end, _)) = &length {
            meant.to_mut().end = *end;
        }
        let cut = extent(&meant, recording.sound.rate, samples);
        let (rows, cols) = cut.map_err(|e| e.file(&recording.name))?;
        let own = AudioFacts {
            samples: Some(rows.len() as u64),
            ..whole
        };
        let other = match reference.is_stretch() {
            true => other_length(reference.facts, own),
            false => None,
        };
        let said = Some(reference.recording()).filter(|_| is_new && !reference.first_seconds);
        let other = other.or_else(|| other_length(said?, whole));
        let warning = length.map(|(_, warning)| warning).or(other);
        if let Some(warning) = warning.filter(|_| self.tells_lengths) {
            self.env.warn(&warning.file(&recording.name));
        }
        if rows == (0..samples.rows()) && cols == (0..samples.cols()) {
            return Ok(recording.sound);
        }
        let sound = Waveform {
            rate: recording.sound.rate,
            samples: part(samples, rows, cols, &self.env.limits)?,
        };
        self.kept = meant.is_stretch().then_some(recording);
        Ok(sound)
    }
}

/// Decodes an audio file from `file`.
fn decode(encoded: &EncodedAudio, file: Option<&str>, env: &Env) -> Result<Waveform> {
    let what = format!("{} file in memory", encoded.format);
    let name = file.map_or(what.clone(), |file| format!("{file} ({what})"));
    let mut source = Source::from_bytes(name, encoded.bytes.clone())?;
    read(&mut source, Some(&encoded.format), env)
}

/// Reads an audio file to its end.
fn read(source: &mut Source, format: Option<&str>, env: &Env) -> Result<Waveform> {
    let nested = match format {
        Some(name) => env.nested(name)?,
        None => env.nested_by_content(source)?,
    };
    let mut utt = Utterance::default();
    nested.read(source, ObjectBounds::Whole, &mut utt, env)?;
    match utt.audio {
        Some(Audio::Samples(sound)) => Ok(sound),
        _ => Err(source.malformed("holds no sound")),
    }
}

/// Returns the facts about the whole recording of a referenced utterance: from its header or, if
/// that is not enough, from the whole file. Without a reference there are none.
///
/// # Errors
/// It cannot be opened, or no available format reads it.
pub fn recording_facts(utt: &Utterance, env: &Env) -> Result<AudioFacts> {
    let facts = whole_facts(utt, env)?;
    if let Some(Audio::Reference(reference)) = &utt.audio {
        check(reference, facts).map_err(|e| e.file(reference.at.to_string()))?;
    }
    Ok(facts)
}

/// Returns the facts about the whole recording of a reference, whatever is said of it.
fn whole_facts(utt: &Utterance, env: &Env) -> Result<AudioFacts> {
    let Some(Audio::Reference(reference)) = &utt.audio else {
        return Ok(AudioFacts::default());
    };
    let mut source = open(reference, &utt.origin, env)?;
    let nested = env.nested_by_content(&mut source)?;
    let facts = nested.facts(&mut source, env)?;
    if facts.rate.is_some() && facts.channels.is_some() && facts.samples.is_some() {
        return Ok(facts);
    }
    let sound = read(&mut open(reference, &utt.origin, env)?, None, env)?;
    Ok(Audio::Samples(sound).facts())
}

/// Replaces a reference to a whole audio file in one of these formats by its bytes, in the memory of
/// `spare`, and returns whether it did.
///
/// # Errors
/// It cannot be read, or exceeds the limits.
pub(crate) fn fetch_file(
    utt: &mut Utterance,
    formats: &[&str],
    spare: &mut Vec<u8>,
    env: &Env,
) -> Result<bool> {
    /// The number of bytes by which a format is recognised.
    const HEAD: usize = 64;
    let Some(Audio::Reference(reference)) = &utt.audio else {
        return Ok(false);
    };
    if formats.is_empty() || reference.is_stretch() || reference.channel.is_some() {
        return Ok(false);
    }
    let mut source = open(reference, &utt.origin, env)?;
    let head = source.peek(HEAD)?;
    let found = env.nested_by_magic(head).or_else(|| by_magic(head));
    let Some(format) = found.filter(|format| formats.contains(format)) else {
        return Ok(false);
    };
    let (facts, other) = compared(reference, &utt.origin, env);
    if reference.first_seconds {
        let seconds = recording_facts(utt, env)?.seconds().unwrap_or_default();
        let length = first_seconds(reference, seconds);
        if length.is_some_and(|(end, _)| end.is_some()) {
            return Ok(false);
        }
    }
    if let Some(warning) = other {
        env.warn(&warning.file(source.name()).utterance(&utt.key));
    }
    source.rest_into(spare, "a sound file", &env.limits)?;
    let bytes = std::mem::take(spare);
    utt.audio = Some(Audio::Encoded(EncodedAudio {
        format: format.to_owned(),
        bytes,
        facts,
    }));
    Ok(true)
}

/// Compares the length that is said of a local recording with the one in its header. Returns the facts
/// that hold, and a warning if they differ. A recording whose header cannot be read, or does not tell
/// it, is taken for as long as it is said to be.
fn compared(reference: &AudioReference, origin: &Origin, env: &Env) -> (AudioFacts, Option<Error>) {
    let said = reference.facts;
    if said.time().is_none() || !is_local(reference) {
        return (said, None);
    }
    let header = || {
        let mut source = open(reference, origin, env)?;
        let nested = env.nested_by_content(&mut source)?;
        nested.facts(&mut source, &env.listening(|_| {}))
    };
    let Ok(is) = header() else {
        return (said, None);
    };
    match other_length(said, is) {
        Some(warning) => (is, Some(warning)),
        None => (said, None),
    }
}

/// Returns `true` for a reference to a file that is not at a URL.
fn is_local(audio: &AudioReference) -> bool {
    audio.at.location().is_some_and(|at| !at.is_url())
}

/// Returns the format of an audio file by its first bytes, whether it is supported or not.
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

/// Returns the list at a URL that contained an utterance, if there is one.
fn list_of(origin: &Origin) -> Option<Location> {
    let list = origin.file.as_deref().map(Location::from);
    list.filter(Location::is_url)
}

/// Opens the file of a reference, which may be in a list at a URL.
fn open(reference: &AudioReference, origin: &Origin, env: &Env) -> Result<Source> {
    let source = env.open_from(list_of(origin).as_ref(), &reference.at);
    let source = source.map_err(|error| {
        let named_in = origin.file.as_deref().map(Location::from);
        env.tell_whereabouts(error, named_in.as_ref(), &reference.at)
    })?;
    match reference.len {
        Some(len) => source.limited(len),
        None => Ok(source),
    }
}

/// The samples and the channels of a recording that a reference means.
fn extent(
    reference: &AudioReference,
    rate: u32,
    samples: &Matrix,
) -> Result<(Range<usize>, Range<usize>)> {
    let (start, end) = stretch(reference, rate, samples.rows())?;
    let cols = samples.cols();
    let channels = match reference.channel.and_then(|n| usize::try_from(n).ok()) {
        None => 0..cols,
        Some(n) if n < cols => n..n + 1,
        Some(n) => {
            let message =
                format!("channel {n} was asked for, but there are only {cols}, counted from 0");
            return Err(Error::unfit(message));
        }
    };
    Ok((start..end, channels))
}

/// Checks that a recording has the rate and the channels that a reference to it says.
fn check(reference: &AudioReference, is: AudioFacts) -> Result<()> {
    let said = reference.recording();
    for (said, is, what) in [
        (said.rate, is.rate, "Hz"),
        (said.channels, is.channels, "channels"),
    ] {
        if let (Some(said), Some(is)) = (said, is)
            && said != is
        {
            let message = format!("the sound has {is} {what}, said to be {said}");
            return Err(Error::unfit(message));
        }
    }
    Ok(())
}

/// The seconds by which a recording may be longer or shorter than it is said to be. The duration may
/// be rounded, or be that of the frames.
pub const LENGTH_ROUNDING: f64 = 0.1;

/// Returns the warning about sound that is longer or shorter than it is said to be.
fn other_length(said: AudioFacts, is: AudioFacts) -> Option<Error> {
    let (said, is) = (said.time()?, is.seconds()?);
    let other = (said.value() - is).abs() > LENGTH_ROUNDING;
    other.then(|| Error::unfit(format!("the sound lasts {is:.3} s, said to be {said} s")))
}

/// Compares the [first seconds](AudioReference::first_seconds) of a recording with its length.
/// Returns the end of the part that is meant, unless it is all of it, and a warning, if they differ by
/// more than a frame.
pub fn first_seconds(reference: &AudioReference, length: f64) -> Option<(Option<Decimal>, Error)> {
    /// The seconds of a frame, by which a duration may be rounded.
    const FRAME: f64 = 0.01;
    let said = reference
        .facts
        .duration
        .filter(|_| reference.first_seconds && !reference.is_stretch())?;
    let missing = said.value() - length;
    if missing > FRAME {
        let message = format!("the sound lasts {length:.3} s, said to be {said} s");
        return Some((None, Error::unfit(message)));
    }
    (missing < -FRAME).then(|| {
        let message = format!("the first {said} s are taken of a sound of {length:.3} s");
        (Some(said), Error::unfit(message))
    })
}

/// Makes a reference to the [first seconds](AudioReference::first_seconds) of a recording one that
/// all formats understand: to a segment, or to all of it. A recording at a URL, or that can't be
/// opened, is taken for as long as it is said to be.
///
/// # Errors
/// It has another rate or other channels than it is said to have.
pub fn settle(utt: &mut Utterance, env: &Env) -> Result<()> {
    let wanted = |audio: &AudioReference| audio.first_seconds && is_local(audio);
    if !matches!(&utt.audio, Some(Audio::Reference(audio)) if wanted(audio)) {
        return Ok(());
    }
    let Ok(facts) = whole_facts(utt, env) else {
        return Ok(());
    };
    if let (Some(Audio::Reference(audio)), Some(seconds)) = (&mut utt.audio, facts.seconds()) {
        check(audio, facts).map_err(|e| e.file(audio.at.to_string()))?;
        let length = first_seconds(audio, seconds);
        audio.first_seconds = false;
        if let Some((end, warning)) = length {
            env.warn(&warning.file(audio.at.to_string()).utterance(&utt.key));
            (audio.end, audio.facts.duration) = (end, None);
            audio.start = end.map(|_| Decimal::ZERO);
        }
    }
    Ok(())
}

/// The seconds by which segments may exceed their recording; they are cut there.
pub const OVERSHOOT: f64 = 0.5;

/// Returns the samples of a segment of a recording, from the first to before the last, by the rules
/// of Kaldi's `extract-segments`.
#[expect(
    clippy::cast_precision_loss,
    reason = "Kaldi compares seconds as floats"
)]
fn stretch(reference: &AudioReference, rate: u32, there: usize) -> Result<(usize, usize)> {
    /// The tolerance for rounding errors.
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

/// Returns a range of rows and columns of a matrix.
pub(super) fn part(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

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
            stretch(&reference, 8000, 8000).map_err(|e| e.kind())
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
        for (start, end) in [
            ("1.1", "1.4"),
            ("0.5", "1.51"),
            ("0.5", "0.59"),
            ("0.95", "1.4"),
            ("0.95", ""),
        ] {
            assert_eq!(
                cut(start, end, "0.1"),
                Err(ErrorKind::Unfit),
                "{start} {end}"
            );
        }
        assert_eq!(cut("0.5", "0.59", ""), Ok((4000, 4720)));
        assert!(cut("0.6", "0.5", "").is_err());
    }
}
