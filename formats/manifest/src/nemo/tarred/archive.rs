//! The reader of one tar file with its manifest.

use std::collections::{HashMap, VecDeque};
use std::mem;
use std::sync::Arc;

use spr_core::bytes::{Env, Locator, ObjectBounds, Source};
use spr_core::format::{Options, Reader, Request};
use spr_core::model::{
    Audio, AudioFacts, AudioReference, DatasetInfo, Decimal, EncodedAudio, Key, KeySource, Matrix,
    Position, Utterance, Waveform,
};
use spr_core::stage::{self, OVERSHOOT};
use spr_core::{Error, ErrorKind, Result};
use spr_syntax::sound;
use spr_syntax::tar::sound::SoundForm;
use spr_syntax::tar::{Member, MemberKind, TarReader};

use super::super::line::{Line, MadeUpKeys};
use super::super::names::SHARD;
use super::folder::Shard;
use super::manifests::StoredLine;
use super::pieces::is_piece;

/// The seconds by which the duration of a whole sound may be rounded.
const FRAME: f64 = 0.01;
/// The seconds within which NeMo takes all of a sound for a part of it.
const NEMO_WHOLE: f64 = 0.2;

pub(super) struct ShardReader {
    archive: TarReader,
    tar: Arc<str>,
    manifest: Arc<str>,
    lines: Vec<StoredLine>,
    /// The lines by the members that they name, until these came.
    by_member: HashMap<Vec<u8>, Vec<usize>>,
    /// Faulty lines.
    faults: VecDeque<Error>,
    /// The lines of the last member, and its sound.
    ready: VecDeque<usize>,
    sound: Option<Audio>,
    /// Whether the archive was damaged where it was read last.
    is_damaged: bool,
    is_over: bool,
    form: SoundForm,
    made_up: MadeUpKeys,
    env: Env,
    info: DatasetInfo,
}

impl ShardReader {
    /// Opens a tar file, and reads the lines of its manifest.
    ///
    /// # Errors
    /// One of them can't be read.
    pub(super) fn open(
        shard: Shard,
        options: &Options,
        request: &Request,
        env: &Env,
    ) -> Result<Self> {
        let source = env.open_file(&shard.tar)?;
        let mut info = DatasetInfo::new(KeySource::Stored);
        info.compression = source.compression();
        let manifest: Arc<str> = shard.lines.name().into();
        let lines = shard.lines.read(env)?;
        let mut by_member = HashMap::<_, Vec<usize>>::new();
        let mut faults = VecDeque::new();
        for (n, line) in lines.iter().enumerate() {
            match Line::parse(&line.text) {
                Ok(None) => {}
                Ok(Some(parsed)) => by_member
                    .entry(member_of(&parsed.file))
                    .or_default()
                    .push(n),
                Err(e) => {
                    faults.push_back(e.file(&*manifest).line(line.number).continuable());
                }
            }
        }
        // A part of a sound is a reference to it, unless the file is compressed.
        let form = SoundForm::of(request);
        let form = match source.is_plain_file() {
            true => form.referring(),
            false => form,
        };
        Ok(Self {
            tar: source.name().into(),
            archive: TarReader::new(source, env.limits),
            manifest,
            lines,
            by_member,
            faults,
            ready: VecDeque::new(),
            sound: None,
            is_damaged: false,
            is_over: false,
            form,
            made_up: MadeUpKeys::of(options)?.written(),
            env: env.clone(),
            info,
        })
    }

    /// Goes on to the next member with lines. Returns `false` at the end.
    fn advance(&mut self) -> Result<bool> {
        if mem::take(&mut self.is_damaged) && self.archive.resume()?.is_none() {
            self.is_over = true;
        }
        while !self.is_over {
            let Some(member) = self.archive.next_member()? else {
                self.is_over = true;
                self.archive.check_end()?;
                break;
            };
            let fault = |message: &str| {
                let error = member.error(Error::malformed(message));
                error.file(&*self.tar).byte(member.start)
            };
            match member.kind {
                MemberKind::File => {}
                MemberKind::Folder => continue,
                MemberKind::Link | MemberKind::Other => {
                    self.env
                        .warn_left_out(&fault("is no file, and is passed over"));
                    continue;
                }
            }
            let Some(lines) = self.by_member.remove(&member.name) else {
                let message = format!("has no line in {}", self.manifest);
                return Err(fault(&message).continuable());
            };
            self.sound = self.read_sound(&member).map_err(|e| match e.kind() {
                ErrorKind::Io => e,
                // Of the member alone; where it ends is known.
                _ => e.continuable(),
            })?;
            self.ready = lines.into();
            return Ok(true);
        }
        Ok(false)
    }

    fn read_sound(&mut self, member: &Member) -> Result<Option<Audio>> {
        let name = String::from_utf8_lossy(&member.name);
        let extension = name
            .rsplit_once('.')
            .map(|(_, extension)| extension.to_lowercase());
        let format = extension.as_deref().and_then(sound::format_of);
        let format = match format {
            Some(format) => format,
            None => {
                let magic = self.env.nested_by_magic(self.archive.head(64)?);
                magic.ok_or_else(|| {
                    let error = Error::unsupported("is no sound file that is known");
                    member.error(error).file(&*self.tar).byte(member.offset)
                })?
            }
        };
        let read = self.form.read(&mut self.archive, member, format, &self.env);
        read.map_err(|e| member.error(e))
    }

    /// Fills the utterance of a line of the last member. Its sound is that of the member, or a part.
    fn fill(&mut self, n: usize, utt: &mut Utterance) -> Result<()> {
        let (text, number) = (&self.lines[n].text, self.lines[n].number);
        let placed = |e: Error| e.file(&*self.manifest).line(number);
        let Some(mut line) = Line::parse(text).map_err(placed)? else {
            return Ok(());
        };
        line.object.take(SHARD);
        let filled = line.fill(Locator::Nowhere, &mut self.made_up, utt);
        filled.map_err(placed)?;
        utt.origin.file = Some(self.manifest.clone());
        utt.origin.at = Some(Position::Line(number));
        let Some(Audio::Reference(part)) = utt.audio.take() else {
            return Ok(());
        };
        // The last line takes the sound.
        let sound = match self.ready.is_empty() {
            true => self.sound.take(),
            false => self.sound.clone(),
        };
        utt.audio = match sound {
            None => None,
            Some(sound) => {
                self.warn_of_whole(&part, &sound, utt);
                let made = part_of(sound, part, (&self.tar, &utt.key), &self.env);
                Some(made.map_err(|e| e.utterance(&utt.key))?)
            }
        };
        Ok(())
    }

    /// Warns of a part so long that NeMo takes all of the sound for it.
    fn warn_of_whole(&self, part: &AudioReference, sound: &Audio, utt: &Utterance) {
        let times = part.start.zip(part.end);
        let Some((start, end)) = times.map(|(start, end)| (start.value(), end.value())) else {
            return;
        };
        let left = |whole: f64| (whole - (end - start)).abs();
        let is_taken = sound
            .facts()
            .seconds()
            .is_some_and(|whole| left(whole) < NEMO_WHOLE);
        if is_taken && start > FRAME {
            let message = "is so long a part of its sound that NeMo takes all of it";
            let error = Error::unfit(message).utterance(&utt.key);
            self.env.warn(&error.file(&*self.manifest));
        }
    }
}

/// Returns the name of the member that a line means: without `-sub` and its number.
fn member_of(file: &str) -> Vec<u8> {
    let (stem, extension) = match file.rfind('.') {
        // NeMo's extensions are words.
        Some(dot)
            if file[dot + 1..]
                .chars()
                .all(|c| c.is_alphanumeric() || c == '_') =>
        {
            file.split_at(dot)
        }
        _ => (file, ""),
    };
    let plain = match is_piece(stem) {
        true => &stem[..stem.rfind("-sub").unwrap_or(stem.len())],
        false => stem,
    };
    format!("{plain}{extension}").into_bytes()
}

/// Returns `true` if a part is all of a sound that lasts so many seconds.
fn is_whole(part: &AudioReference, seconds: Option<f64>) -> bool {
    let zero = part.start.is_none_or(Decimal::is_zero);
    // NeMo takes all of a sound without a length.
    let lasts = part.time().map(Decimal::value).filter(|lasts| *lasts > 0.0);
    let all = match (lasts, seconds) {
        (Some(lasts), Some(seconds)) => (lasts - seconds).abs() <= FRAME,
        _ => !part.is_stretch(),
    };
    zero && all && part.channel.is_none()
}

/// Returns a part of the sound of a member.
fn part_of(
    sound: Audio,
    part: AudioReference,
    (tar, key): (&str, &Key),
    env: &Env,
) -> Result<Audio> {
    let facts = sound.facts();
    let whole = is_whole(&part, facts.seconds());
    match sound {
        Audio::Reference(member) => {
            let mut part = AudioReference {
                at: member.at,
                len: member.len,
                ..part
            };
            match whole {
                true => {
                    (part.start, part.end, part.first_seconds) = (None, None, false);
                    let rate = part.facts.rate.or(facts.rate);
                    part.facts = AudioFacts { rate, ..facts };
                }
                false => {
                    part.facts.rate = part.facts.rate.or(facts.rate);
                    part.whole = facts;
                }
            }
            Ok(Audio::Reference(part))
        }
        Audio::Encoded(encoded) if whole => Ok(Audio::Encoded(encoded)),
        Audio::Encoded(encoded) => {
            let samples = Audio::Samples(decode(encoded, tar, env)?);
            // As where sound is loaded by its place.
            let length = samples.facts().seconds().unwrap_or_default();
            if let Some((_, warning)) = stage::first_seconds(&part, length) {
                env.warn(&warning.file(tar).utterance(key));
            }
            if let Some(end) = part.end.filter(|end| end.value() > length + OVERSHOOT) {
                let message = format!("ends at {end} s, and its sound at {length} s");
                return Err(Error::unfit(message).file(tar));
            }
            cut(&samples.into_waveform(), &part, env).map(Audio::Samples)
        }
        other => Ok(other),
    }
}

/// Decodes a sound file of a compressed tar file.
fn decode(encoded: EncodedAudio, tar: &str, env: &Env) -> Result<Waveform> {
    let name = format!("{tar} ({} file)", encoded.format);
    let mut source = Source::from_bytes(name, encoded.bytes)?;
    let mut utt = Utterance::default();
    let nested = env.nested(&encoded.format)?;
    nested.read(&mut source, ObjectBounds::Whole, &mut utt, env)?;
    match utt.audio {
        Some(Audio::Samples(sound)) => Ok(sound),
        _ => Err(source.malformed("holds no sound")),
    }
}

/// Returns a part of samples, which ends with them at the latest.
fn cut(sound: &Waveform, part: &AudioReference, env: &Env) -> Result<Waveform> {
    let samples = &sound.samples;
    let at = |time: Decimal| {
        let sample = time
            .sample(sound.rate)
            .and_then(|n| usize::try_from(n).ok());
        sample.ok_or_else(|| Error::unfit(format!("{time} s is no time in the sound")))
    };
    if part.channel.is_some() {
        return Err(
            Error::unsupported("a channel of sound in a compressed tar file")
                .hint("decompress the tar file"),
        );
    }
    let start = part.start.map_or(Ok(0), at)?;
    let end = part
        .end
        .or(part.facts.duration)
        .map_or(Ok(samples.rows()), at)?;
    let (end, size) = (
        end.min(samples.rows()),
        samples.cols() * samples.dtype().size(),
    );
    let Some(bytes) = samples.as_bytes().get(start * size..end * size) else {
        return Err(Error::unfit(format!(
            "starts at sample {start} of a sound of {} samples",
            samples.rows()
        )));
    };
    let mut cut = Matrix::default();
    let (rows, cols) = (end - start, samples.cols());
    let into = cut.reset(samples.dtype(), samples.rank(), rows, cols, &env.limits)?;
    into.copy_from_slice(bytes);
    Ok(Waveform {
        rate: sound.rate,
        samples: cut,
    })
}

impl Reader for ShardReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        loop {
            if let Some(fault) = self.faults.pop_front() {
                return Err(fault);
            }
            if let Some(n) = self.ready.pop_front() {
                let filled = self.fill(n, utt);
                return filled.map(|()| true).map_err(Error::continuable);
            }
            match self.advance() {
                Ok(true) => {}
                Ok(false) => {
                    let mut left: Vec<_> = self.by_member.drain().collect();
                    if left.is_empty() {
                        return Ok(false);
                    }
                    left.sort_by(|(_, a), (_, b)| a.cmp(b));
                    let missing = left.into_iter().flat_map(|(member, lines)| {
                        lines.into_iter().map(move |n| (member.clone(), n))
                    });
                    self.faults = missing
                        .map(|(member, n)| self.missing(&member, n))
                        .collect();
                }
                Err(error) if error.can_continue() => return Err(error),
                Err(error) => {
                    let goes_on = matches!(
                        error.kind(),
                        ErrorKind::Malformed
                            | ErrorKind::Truncated
                            | ErrorKind::Unsupported
                            | ErrorKind::Limit
                    );
                    self.is_damaged = goes_on && !self.is_over;
                    return Err(if goes_on { error.continuable() } else { error });
                }
            }
        }
    }
}

impl ShardReader {
    /// Returns the error about a line whose sound is not there.
    fn missing(&self, member: &[u8], n: usize) -> Error {
        let message = format!("{} has no member {}", self.tar, member.escape_ascii());
        let error = Error::malformed(message).file(&*self.manifest);
        error.line(self.lines[n].number).continuable()
    }
}
