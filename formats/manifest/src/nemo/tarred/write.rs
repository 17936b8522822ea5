//! The writer.

use std::borrow::Cow;
use std::collections::HashSet;

use spr_core::bytes::{Env, Output, Part, Sink};
use spr_core::format::{Caps, OptionSpec, Options, WriteSummary, Writer};
use spr_core::model::{Audio, AudioFacts, Decimal, Utterance};
use spr_core::{Error, Result, recording};
use spr_syntax::manifest::source::{no_sound, utf8};
use spr_syntax::shards::ShardLimits;
use spr_syntax::sound::SoundCodec;
use spr_syntax::tar::TarWriter;

use super::super::write::NamedSound;

pub(super) const NUMBER: OptionSpec = OptionSpec {
    name: "shard",
    value: "I-of-N",
    help: "writing: all goes to one tar file, with the number of this shard among several runs; \
           shard={shard} takes it from the run",
};

/// The number of the first shard, and the limits of each.
#[derive(Clone, Copy)]
pub(super) struct Numbering {
    first: u64,
    limits: ShardLimits,
}

impl Numbering {
    /// Returns what `options` ask for.
    ///
    /// # Errors
    /// A value is wrong.
    pub(super) fn of(options: &Options) -> Result<Self> {
        let limits = ShardLimits::of(options)?;
        let Some(text) = options.get(NUMBER.name) else {
            return Ok(Self { first: 0, limits });
        };
        let wrong = || {
            let message = format!("option {}: '{text}' is not a valid value", NUMBER.name);
            Error::usage(message).hint("such as 3-of-16, which counts from 1")
        };
        let (number, of) = text.split_once("-of-").ok_or_else(wrong)?;
        let parsed = (number.parse::<u64>(), of.parse::<u64>());
        let (Ok(number), Ok(of)) = parsed else {
            return Err(wrong());
        };
        if !(1..=of).contains(&number) {
            return Err(wrong());
        }
        let limits = ShardLimits {
            bytes: u64::MAX,
            count: u64::MAX,
        };
        Ok(Self {
            first: number - 1,
            limits,
        })
    }
}

/// The files of a shard.
struct OpenShard {
    tar: TarWriter,
    manifest: Sink,
    count: u64,
    /// The names of its members.
    names: HashSet<String>,
}

/// What becomes of an utterance.
struct Entry<'a> {
    /// The name of its member.
    name: String,
    sound: Cow<'a, [u8]>,
    facts: AudioFacts,
    duration: Decimal,
}

pub(super) struct TarredWriter {
    output: Output,
    codec: SoundCodec,
    caps: Caps,
    numbering: Numbering,
    /// The number of the shard that is open, or of the next.
    number: u64,
    shard: Option<OpenShard>,
    /// The manifest of all.
    manifest: Sink,
    env: Env,
    line: Vec<u8>,
    written: WriteSummary,
}

impl TarredWriter {
    pub(super) fn new(
        output: Output,
        (codec, caps): (SoundCodec, Caps),
        numbering: Numbering,
        env: &Env,
    ) -> Result<Self> {
        let mut writer = Self {
            manifest: output.create(Part::Member("tarred_audio_manifest.json"), false)?,
            output,
            codec,
            caps,
            number: numbering.first,
            numbering,
            shard: None,
            env: env.clone(),
            line: Vec::new(),
            written: WriteSummary::default(),
        };
        writer.begin()?;
        Ok(writer)
    }

    /// Begins a shard.
    fn begin(&mut self) -> Result<()> {
        let member = |name: String| self.output.create(Part::Member(&name), false);
        self.shard = Some(OpenShard {
            tar: TarWriter::new(member(format!("audio_{}.tar", self.number))?),
            manifest: member(format!("sharded_manifests/manifest_{}.json", self.number))?,
            count: 0,
            names: HashSet::new(),
        });
        Ok(())
    }

    /// Completes the shard.
    fn end(&mut self) -> Result<()> {
        if let Some(shard) = self.shard.take() {
            self.written.bytes += shard.tar.finish()? + shard.manifest.finish()?;
            self.number += 1;
        }
        Ok(())
    }

    fn make<'a>(&self, utt: &'a Utterance) -> Result<Entry<'a>> {
        let made = self.entry(utt);
        made.map_err(|e| e.utterance(&utt.key).file(self.output.name()).continuable())
    }

    fn entry<'a>(&self, utt: &'a Utterance) -> Result<Entry<'a>> {
        let Some(audio) = &utt.audio else {
            return Err(no_sound("of the manifest names", utt));
        };
        self.caps.check(utt)?;
        let key = utf8(utt.key.as_bytes(), "the key")?;
        let (sound, extension) = self.codec.encode(audio, &self.env)?;
        // As NeMo's own script names members.
        let stem = key.replace(['/', '.'], "_");
        if key.contains(char::is_control) {
            return Err(Error::unfit("the key has control characters"));
        }
        let name = format!("{stem}.{extension}");
        if self
            .shard
            .as_ref()
            .is_some_and(|shard| shard.names.contains(&name))
        {
            let message = format!("its sound would be {name}, as that of another utterance is");
            return Err(Error::unfit(message));
        }
        let facts = self.facts(audio)?;
        let duration = facts.time();
        let duration = duration.ok_or_else(|| Error::unfit("has sound of unknown duration"))?;
        Ok(Entry {
            name,
            sound,
            facts,
            duration,
        })
    }

    /// Returns the facts about sound, for which a file may be read.
    fn facts(&self, audio: &Audio) -> Result<AudioFacts> {
        match audio {
            Audio::Encoded(encoded) => Ok(recording::facts_of_file(encoded, &self.env)?.whole()),
            _ => Ok(audio.facts()),
        }
    }
}

impl Writer for TarredWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        let entry = self.make(utt)?;
        let mut line = Vec::new();
        let written = entry.write(utt, self.number, &mut line);
        written.map_err(|e| e.utterance(&utt.key).file(self.output.name()).continuable())
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        /// The size of a header and of the padding behind data, at most.
        const BESIDE: u64 = 1024;
        let entry = self.make(utt)?;
        let size = entry.sound.len() as u64 + BESIDE;
        let full = |shard: &OpenShard| {
            let there = (shard.tar.position(), shard.count);
            self.numbering.limits.are_full(there, size)
        };
        let is_full = self.shard.as_ref().is_some_and(full);
        let number = self.number + u64::from(is_full);
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        let written = entry.write(utt, number, &mut line);
        written.map_err(|e| e.utterance(&utt.key).file(self.output.name()).continuable())?;
        if is_full {
            self.end()?;
            self.begin()?;
        }
        if let Some(shard) = &mut self.shard {
            shard.tar.append(entry.name.as_bytes(), &entry.sound)?;
            shard.manifest.put(&line)?;
            shard.count += 1;
            shard.names.insert(entry.name);
        }
        self.manifest.put(&line)?;
        self.line = line;
        self.written.count(utt);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        self.end()?;
        let mut written = self.written;
        written.bytes += self.manifest.finish()?;
        Ok(written)
    }
}

impl Entry<'_> {
    /// Appends the line of the utterance.
    fn write(&self, utt: &Utterance, shard: u64, line: &mut Vec<u8>) -> Result<()> {
        let sound = NamedSound {
            name: &self.name,
            start: None,
            duration: self.duration,
            channel: None,
            rate: self.facts.rate(),
            names_utterance: false,
        };
        sound.write(utt, Some(shard), line)
    }
}
