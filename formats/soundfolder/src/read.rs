//! The reader.

use std::collections::{BTreeMap, VecDeque};

use spr_core::bytes::{Env, Location, Locator};
use spr_core::format::{FieldSet, Reader, Request};
use spr_core::model::{
    Audio, AudioReference, DatasetInfo, Key, KeySource, RecordingFacts, Tier, Utterance,
};
use spr_core::{Error, ErrorKind, Result};

use crate::beside;
use crate::files::{FolderFiles, stem};
use crate::join::{Joined, Sound};
use crate::table::TableOptions;
use crate::timed;

/// The number of bytes by which a format is recognised.
const HEAD: usize = 64;

pub(crate) struct SoundReader {
    joined: Joined,
    sounds: std::vec::IntoIter<Sound>,
    faults: VecDeque<Error>,
    parts: FieldSet,
    folder: Location,
    /// The number of transcripts in files of their own, by kind.
    kinds: BTreeMap<&'static str, u64>,
    env: Env,
    info: DatasetInfo,
}

impl SoundReader {
    pub(crate) fn new(
        folder: &Location,
        files: FolderFiles,
        options: &TableOptions,
        request: &mut Request,
        env: &Env,
    ) -> Result<Self> {
        let mut joined = Joined::of(files, options, env).map_err(|e| e.file(folder.to_string()))?;
        let mut info = DatasetInfo::new(KeySource::Stored);
        info.decision = Some(joined.told.clone());
        if let Some(wanted) = request.take_keys() {
            joined.sounds.retain(|sound| wanted(&sound.key));
        } else if joined.faults.is_empty() {
            info.utterances = Some(joined.sounds.len() as u64);
        }
        let sounds = std::mem::take(&mut joined.sounds);
        for sound in &sounds {
            env.names(None, &Locator::File(sound.file.clone()));
        }
        Ok(Self {
            faults: std::mem::take(&mut joined.faults).into(),
            sounds: sounds.into_iter(),
            joined,
            parts: request.parts,
            folder: folder.clone(),
            kinds: BTreeMap::new(),
            env: env.clone(),
            info,
        })
    }

    /// Reads an utterance, and adds the kinds of its transcripts in files of their own.
    fn fill(
        &self,
        sound: &Sound,
        utt: &mut Utterance,
        kinds: &mut Vec<&'static str>,
    ) -> Result<()> {
        utt.start();
        utt.key.set(sound.key.as_bytes());
        utt.origin.file = Some(sound.file.to_string().into());
        if self.parts.audio {
            let mut reference = AudioReference::new(Locator::File(sound.file.clone()));
            reference.span = sound.span;
            reference.recording = self.facts(&sound.file)?;
            utt.audio = Some(Audio::Reference(reference));
        }
        if self.parts.text || self.parts.segments {
            self.fill_said(sound, utt, kinds)?;
        }
        let layout = self.joined.layout.filter(|_| utt.meta.speaker.is_none());
        let speaker = layout.and_then(|layout| layout.speaker(&stem(&sound.file)));
        if let Some(speaker) = speaker {
            utt.meta.speaker = Some(speaker.as_str().into());
        }
        Ok(())
    }

    /// Reports the kinds of the transcripts beside the sound with their numbers, unless all are plain
    /// text.
    fn tell_kinds(&mut self) {
        let kinds = std::mem::take(&mut self.kinds);
        if kinds.keys().all(|kind| *kind == beside::PLAIN) {
            return;
        }
        let counts = kinds.iter().map(|(kind, n)| match n {
            1 => format!("{kind} (1 file)"),
            n => format!("{kind} ({n} files)"),
        });
        let counts = counts.collect::<Vec<_>>().join(", ");
        let message = format!("transcripts beside the sound: {counts}");
        self.env
            .warn(&Error::unfit(message).file(self.folder.to_string()));
    }

    /// Warns of segments after the end of the sound, as far as its length is known.
    fn check_end(&self, tiers: &[Tier], utt: &Utterance, file: &Location) {
        let Some(Audio::Reference(sound)) = &utt.audio else {
            return;
        };
        let segments = tiers.iter().flat_map(|tier| &tier.segments);
        let last = segments.filter_map(|segment| segment.end).max();
        if let (Some(last), Some(length)) = (last, sound.recording.time())
            && timed::is_after(last, length)
        {
            let message = format!("has segments up to {last} s, but the sound lasts {length} s");
            self.env.warn(&Error::unfit(message).file(file.to_string()));
        }
    }

    /// Looks at the first bytes of a sound file.
    fn facts(&self, file: &Location) -> Result<RecordingFacts> {
        let mut source = self.env.open_file(file)?;
        let head = source.peek(HEAD)?;
        if head.is_empty() {
            return Err(Error::malformed("the file is empty").file(file.to_string()));
        }
        let found = self.env.nested_by_magic(head);
        let plain = file.plain();
        let extension = plain.extension().unwrap_or_default().to_ascii_lowercase();
        let named = self.env.sound_by_extension(&extension);
        let nested = self.env.nested_by_content(&mut source);
        let nested = nested.map_err(|error| match error.kind() {
            ErrorKind::Unrecognised => {
                let message = "holds no sound of a format that is read, as its name says";
                Error::malformed(message).file(file.to_string())
            }
            _ => error,
        })?;
        let facts = nested.facts(&mut source, &self.env);
        let facts = facts.map_err(|e| e.file(file.to_string()))?;
        if let (Some(found), Some(named)) = (found, named)
            && found != named
        {
            let message =
                format!("is read as {found}, which its first bytes are, and not as {named}");
            self.env.warn(&Error::unfit(message).file(file.to_string()));
        }
        Ok(facts)
    }

    /// Reads the transcripts of a sound file, and adds the kinds of those in files of their own. All
    /// must agree.
    fn fill_said(
        &self,
        sound: &Sound,
        utt: &mut Utterance,
        kinds: &mut Vec<&'static str>,
    ) -> Result<()> {
        let mut source: Option<String> = None;
        let mut tell = |text: &[u8], from: String, utt: &mut Utterance| match &utt.text {
            Some(known) if known != text => {
                let before = source.as_deref().unwrap_or_default();
                let message = format!("{before} and {from} say different things");
                Err(Error::malformed(message).file(sound.file.to_string()))
            }
            Some(_) => Ok(()),
            None => {
                utt.text = Some(text.to_vec());
                source = Some(from);
                Ok(())
            }
        };
        let rows = sound.rows.iter().filter_map(|(table, row)| {
            let table = self.joined.tables.get(*table)?;
            Some((table, table.rows.get(*row)?))
        });
        for (table, row) in rows {
            if let Some(text) = &row.text {
                let from = format!("{}:{}", table.at, row.line);
                tell(text.as_bytes(), from, utt)?;
            }
            row.fill(&mut utt.meta);
        }
        let name = stem(&sound.file);
        let name = Key::from(name.name().unwrap_or_default().as_encoded_bytes());
        for file in &sound.beside {
            let facts = || self.facts(&sound.file);
            let beside::Transcript { text, tiers, kind } =
                beside::read(file, &name, facts, &self.env)?;
            if !tiers.is_empty() && !utt.tiers.is_empty() {
                let message = "holds segments, and so does another file beside the sound";
                return Err(Error::malformed(message).file(file.to_string()));
            }
            self.check_end(&tiers, utt, file);
            utt.tiers.extend(tiers);
            if let Some(text) = text {
                tell(&text, file.to_string(), utt)?;
            }
            kinds.extend(kind);
        }
        Ok(())
    }
}

impl Reader for SoundReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if let Some(fault) = self.faults.pop_front() {
            return Err(fault.continuable());
        }
        let Some(sound) = self.sounds.next() else {
            self.tell_kinds();
            return Ok(false);
        };
        let mut kinds = Vec::new();
        let filled = self.fill(&sound, utt, &mut kinds);
        for kind in kinds {
            *self.kinds.entry(kind).or_default() += 1;
        }
        filled.map_err(|e| {
            e.file(sound.file.to_string())
                .utterance(&sound.key)
                .continuable()
        })?;
        Ok(true)
    }
}
