//! Samples: consecutive members with one key.

use std::mem;

use spr_core::bytes::{Env, Source};
use spr_core::format::{FieldSet, Options, Request};
use spr_core::model::{Audio, Key};
use spr_core::{Error, ErrorKind, Result};
use spr_syntax::tar::sound::SoundForm;

use crate::kinds::{Extensions, Kind};
use crate::members::{BehindEnd, Members, Next, SampleMember};
use crate::seen::{Repetition, SeenKeys};
use crate::{name, options};

/// The data of a member.
pub(crate) enum Data {
    Bytes(Vec<u8>),
    Sound(Audio),
    /// They are not wanted.
    Unread,
}

/// A member with its data.
pub(crate) struct SamplePart {
    pub(crate) extension: String,
    pub(crate) kind: Kind,
    pub(crate) data: Data,
}

/// A sample.
#[derive(Default)]
pub(crate) struct Sample {
    pub(crate) key: Key,
    /// The byte of the first header.
    pub(crate) start: u64,
    pub(crate) parts: Vec<SamplePart>,
}

/// Reads samples.
pub(crate) struct SampleReader {
    members: Members,
    extensions: Extensions,
    sound: SoundForm,
    wanted: FieldSet,
    env: Env,
    /// The first member of the next sample.
    pending: Option<SampleMember>,
    /// After an error, the key of the sample that it was in, and whether the next header must be
    /// looked for.
    lost: Option<(Key, bool)>,
    /// Whether the next sample may lack members that were lost.
    is_doubtful: bool,
    /// The extensions of the last whole sample, or of a lost one if there was none.
    usual: Vec<String>,
    seen: SeenKeys,
}

impl SampleReader {
    pub(crate) fn new(
        source: Source,
        options: &Options,
        request: &Request,
        env: &Env,
    ) -> Result<Self> {
        let words = [("true", BehindEnd::Read), ("false", BehindEnd::LeftOut)];
        let behind = options.choice(options::ALL.name, &words)?;
        let behind = behind.unwrap_or(BehindEnd::Refused);
        Ok(Self {
            members: Members::new(
                source,
                (behind, request.damaged || request.on_error.skips()),
                env,
            ),
            extensions: Extensions::of(options)?,
            sound: SoundForm::of(request),
            wanted: request.parts,
            env: env.clone(),
            pending: None,
            lost: None,
            is_doubtful: false,
            usual: Vec::new(),
            seen: SeenKeys::default(),
        })
    }

    /// Reads from here on what another request asks for.
    pub(crate) fn ask(&mut self, request: &Request) {
        (self.sound, self.wanted) = (SoundForm::of(request), request.parts);
    }

    /// Moves to the sample whose first header starts at byte `at`.
    pub(crate) fn go_to(&mut self, at: u64) -> Result<()> {
        (self.pending, self.lost, self.is_doubtful) = (None, None, false);
        self.seen = SeenKeys::default();
        self.members.go_to(at)
    }

    /// Reads the next sample. Returns `false` at the end.
    ///
    /// # Errors
    /// The archive or the sample is damaged. With [`can_continue`](Error::can_continue) the next call
    /// goes on behind that.
    pub(crate) fn read(&mut self, sample: &mut Sample) -> Result<bool> {
        loop {
            let lost = self.lost.take();
            if let Some((_, true)) = lost {
                (self.pending, self.is_doubtful) = (None, true);
                self.members.resume()?;
            }
            sample.parts.clear();
            sample.key = Key::default();
            match self.gather(sample) {
                Ok(false) => return Ok(false),
                // The rest of a sample that was told as lost.
                Ok(true) if lost.is_some_and(|(lost, _)| lost == sample.key) => {}
                Ok(true) => return self.checked(sample).map(|()| true),
                Err(error) if recovers(&error) => {
                    // Of a member that is too large the end is known.
                    let is_damaged = error.kind() != ErrorKind::Limit;
                    if sample.parts.is_empty() {
                        sample.key = key_of(&error).unwrap_or_default();
                    }
                    self.lost = Some((sample.key.clone(), is_damaged));
                    if self.usual.is_empty() {
                        let extensions = sample.parts.iter().map(|part| part.extension.clone());
                        self.usual = extensions.collect();
                    }
                    let error = match sample.parts.is_empty() {
                        true => error,
                        false => error.utterance(&sample.key),
                    };
                    return Err(error.continuable());
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Gathers the members of a sample.
    fn gather(&mut self, sample: &mut Sample) -> Result<bool> {
        let mut found = match self.pending.take() {
            Some(found) => found,
            None => loop {
                match self.members.next()? {
                    Next::Member(found) => break found,
                    Next::EndOfOne => {}
                    Next::End => return Ok(false),
                }
            },
        };
        sample.key = found.key.clone();
        sample.start = found.member.start;
        loop {
            let part = self.take(found)?;
            sample.parts.push(part);
            match self.members.next() {
                Ok(Next::Member(next)) if next.key == sample.key => found = next,
                Ok(Next::Member(next)) => {
                    self.pending = Some(next);
                    return Ok(true);
                }
                Ok(Next::EndOfOne | Next::End) => return Ok(true),
                // The header of another sample's member is intact, so that this one is whole.
                Err(error) if key_of(&error).is_some_and(|key| key != sample.key) => {
                    self.members.defer(error);
                    return Ok(true);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads the data of a member.
    fn take(&mut self, found: SampleMember) -> Result<SamplePart> {
        let kind = self.extensions.kind(&found.extension);
        let (archive, member) = (&mut self.members.archive, &found.member);
        let bytes = |data: Vec<u8>| Data::Bytes(data);
        let named = |error: Error| error.utterance(&found.key);
        let data = match &kind {
            Kind::Audio(format) => {
                let sound = self.sound.read(archive, member, format, &self.env);
                sound.map(|sound| sound.map_or(Data::Unread, Data::Sound))
            }
            Kind::Features if !self.wanted.features => Ok(Data::Unread),
            Kind::Labels if !self.wanted.labels => Ok(Data::Unread),
            Kind::Array(_) if !self.wanted.arrays => Ok(Data::Unread),
            Kind::Text if !self.wanted.text => Ok(Data::Unread),
            Kind::Features | Kind::Labels | Kind::Array(_) => archive.data("an array").map(bytes),
            Kind::Text | Kind::Json | Kind::Class | Kind::Other => {
                archive.data("a member").map(bytes)
            }
        };
        Ok(SamplePart {
            data: data.map_err(named)?,
            kind,
            extension: found.extension,
        })
    }

    /// Checks a sample whose members are all there.
    fn checked(&mut self, sample: &Sample) -> Result<()> {
        let extensions = || sample.parts.iter().map(|part| &part.extension);
        let is_usual = extensions().eq(&self.usual);
        let is_doubtful = mem::take(&mut self.is_doubtful) && !is_usual;
        if !is_usual && !is_doubtful {
            self.usual = extensions().cloned().collect();
        }
        let file = self.members.archive.source().name();
        let fault = |message: String| {
            let error = Error::malformed(message).utterance(&sample.key);
            error.file(file).byte(sample.start)
        };
        if is_doubtful {
            let message = "members of this sample may be lost in the damage before it";
            return Err(fault(message.to_owned()).continuable());
        }
        for (n, part) in sample.parts.iter().enumerate() {
            let before = &sample.parts[..n];
            let extension = &part.extension;
            if before.iter().any(|other| other.extension == *extension) {
                let message = format!("has two members .{extension}");
                return Err(fault(message).continuable());
            }
            let Some(field) = part.kind.field() else {
                continue;
            };
            let same = |other: &&SamplePart| other.kind.field() == Some(field);
            if let Some(other) = before.iter().find(same) {
                let other = &other.extension;
                let message = format!("has two members of {field}: .{other} and .{extension}");
                let hint = format!("{field}={other} or {field}={extension} says which it is");
                return Err(fault(message).hint(hint).continuable());
            }
        }
        let kinds = sample
            .parts
            .iter()
            .fold(0, |kinds, part| kinds | part.kind.bit());
        match self.seen.add(sample.key.as_bytes(), kinds) {
            Repetition::None => Ok(()),
            Repetition::Twice => {
                let message = "a sample with this key came before, and this is another";
                self.env.warn(&fault(message.to_owned()));
                Ok(())
            }
            Repetition::Apart => {
                let message = "a sample with this key came before, with other members";
                let hint = "members of one sample must stand together: write the archive anew with \
                            its names sorted";
                Err(fault(message.to_owned()).hint(hint).continuable())
            }
        }
    }
}

/// Returns the key of the sample whose member an error names.
fn key_of(error: &Error) -> Option<Key> {
    let (key, _) = name::split(error.key()?.as_bytes())?;
    Some(Key::from(key))
}

/// Returns `true` if the archive can be gone on in behind an error.
fn recovers(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Malformed | ErrorKind::Truncated | ErrorKind::Unsupported | ErrorKind::Limit
    )
}
