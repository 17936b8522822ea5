//! The reader of one tar file with its manifest.

use std::collections::{HashMap, VecDeque};
use std::mem;
use std::sync::Arc;

use spr_core::bytes::{Env, Locator};
use spr_core::format::{Options, Reader, Request};
use spr_core::model::{
    Audio, AudioReference, DatasetInfo, Key, KeySource, Position, RecordingFacts, Span, Utterance,
};
use spr_core::{Error, ErrorKind, Result, recording};
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
            made_up: MadeUpKeys::of(options, true)?.written(),
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
        let Some((start, Some(end))) = part.span.bounds() else {
            return;
        };
        let (start, end) = (start.value(), end.value());
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
    // NeMo takes all of a sound without a length.
    let lasts = part.facts().seconds().filter(|lasts| *lasts > 0.0);
    let all = match (lasts, seconds) {
        (Some(lasts), Some(seconds)) => (lasts - seconds).abs() <= FRAME,
        _ => part.span.bounds().is_none(),
    };
    part.span.start().is_zero() && all && part.channel.is_none()
}

/// Returns a part of the sound of a member.
fn part_of(
    sound: Audio,
    part: AudioReference,
    (tar, key): (&str, &Key),
    env: &Env,
) -> Result<Audio> {
    let whole = is_whole(&part, sound.facts().seconds());
    match sound {
        Audio::Reference(member) => {
            let recording = RecordingFacts {
                rate: part.recording.rate.or(member.recording.rate),
                ..member.recording
            };
            let part = AudioReference {
                at: member.at,
                len: member.len,
                recording,
                ..part
            };
            Ok(Audio::Reference(match whole {
                true => AudioReference {
                    span: Span::Whole,
                    duration: None,
                    ..part
                },
                false => part,
            }))
        }
        Audio::Encoded(encoded) if whole => Ok(Audio::Encoded(encoded)),
        Audio::Encoded(encoded) => {
            let sound = recording::decode(&encoded, Some(tar), env)?;
            let part = recording::part_of(sound, &part, &env.limits);
            let (part, warning) = part.map_err(|e| e.file(tar))?;
            if let Some(warning) = warning {
                env.warn(&warning.file(tar).utterance(key));
            }
            Ok(Audio::Samples(part))
        }
        other => Ok(other),
    }
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
