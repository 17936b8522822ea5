//! The writer.

use std::borrow::Cow;

use spr_core::bytes::{Env, Output, Part};
use spr_core::format::{Caps, Options, WriteSummary, Writer};
use spr_core::model::{Matrix, NamedArray, Utterance};
use spr_core::{Error, Result};
use spr_syntax::manifest::source::utf8;
use spr_syntax::shards::ShardLimits;
use spr_syntax::sound::SoundCodec;
use spr_syntax::tar::TarWriter;

use crate::caps;
use crate::json;
use crate::kinds::{Extensions, JSON, Kind};
use crate::name;
use crate::options::{AUDIO, NAMES};

/// What the options ask for.
pub(crate) struct Settings {
    pub(crate) codec: SoundCodec,
    pub(crate) escapes: bool,
    extensions: Extensions,
    limits: ShardLimits,
}

impl Settings {
    /// Returns what `options` ask for.
    ///
    /// # Errors
    /// A value is wrong.
    pub(crate) fn of(options: &Options) -> Result<Self> {
        let words = [("keep", false), ("escape", true)];
        let codec = options.choice(AUDIO.name, &SoundCodec::WORDS)?;
        Ok(Self {
            codec: codec.unwrap_or_default(),
            escapes: options.choice(NAMES.name, &words)?.unwrap_or(false),
            extensions: Extensions::of(options)?,
            limits: ShardLimits::of(options)?,
        })
    }
}

/// A member that will be written.
struct NewMember<'a> {
    extension: String,
    data: Cow<'a, [u8]>,
}

pub(crate) struct ArchiveWriter {
    output: Output,
    settings: Settings,
    caps: Caps,
    env: Env,
    /// The shard, and the number of its samples.
    shard: Option<(TarWriter, u64)>,
    /// The number of shards before.
    shards: u64,
    /// The name of the last sample.
    last: Option<String>,
    written: WriteSummary,
}

impl ArchiveWriter {
    pub(crate) fn new(output: Output, settings: Settings, env: &Env) -> Result<Self> {
        let mut writer = Self {
            caps: caps::caps(settings.codec, settings.escapes),
            output,
            settings,
            env: env.clone(),
            shard: None,
            shards: 0,
            last: None,
            written: WriteSummary::default(),
        };
        // It is there even without samples.
        writer.begin()?;
        Ok(writer)
    }

    /// Begins a shard.
    fn begin(&mut self) -> Result<()> {
        let name = format!("shard-{:06}.tar", self.shards);
        let part = match self.output.is_folder() {
            true => Part::Member(&name),
            false => Part::Main,
        };
        self.shard = Some((TarWriter::new(self.output.create(part, false)?), 0));
        Ok(())
    }

    /// Completes the shard.
    fn end(&mut self) -> Result<()> {
        if let Some((shard, _)) = self.shard.take() {
            self.written.bytes += shard.finish()?;
            self.shards += 1;
        }
        Ok(())
    }

    /// Returns the name of an utterance's sample, and its members in the order of their extensions.
    fn make<'a>(&self, utt: &'a Utterance) -> Result<(String, Vec<NewMember<'a>>)> {
        let made = self.members(utt);
        made.map_err(|e| e.utterance(&utt.key).file(self.output.name()).continuable())
    }

    fn members<'a>(&self, utt: &'a Utterance) -> Result<(String, Vec<NewMember<'a>>)> {
        self.caps.check(utt)?;
        let key = utf8(utt.key.as_bytes(), "the key")?;
        let name = match self.settings.escapes {
            true => name::escaped(key),
            false => key.to_owned(),
        };
        if self.last.as_ref() == Some(&name) {
            let message = "the sample before has this key, and would be one with this";
            return Err(Error::unfit(message));
        }
        let extensions = &self.settings.extensions;
        let mut members = Vec::new();
        let mut add = |extension: String, data: Cow<'a, [u8]>| {
            members.push(NewMember { extension, data });
        };
        if let Some(audio) = &utt.audio {
            let (data, extension) = self.settings.codec.encode(audio, &self.env)?;
            add(extension.to_owned(), data);
        }
        if let Some(features) = &utt.features {
            add(
                extensions.features().to_owned(),
                self.matrix(features)?.into(),
            );
        }
        if let Some(labels) = &utt.labels {
            add(extensions.labels().to_owned(), self.matrix(labels)?.into());
        }
        for named in &utt.arrays {
            add(extensions.array(&named.name), self.array(named)?.into());
        }
        if let Some(text) = &utt.text {
            add(extensions.text().to_owned(), text.into());
        }
        for tag in utt.meta.tags.iter().filter(|tag| json::is_member(tag)) {
            let extension = self.extension_of_tag(&tag.key, &tag.format)?;
            add(extension, Cow::Borrowed(tag.value.as_slice()));
        }
        let mut known = Vec::new();
        json::write(utt, (name != key).then_some(key), &mut known)?;
        if !known.is_empty() {
            add(JSON.to_owned(), known.into());
        }
        members.sort_by(|a, b| a.extension.cmp(&b.extension));
        let twice = members
            .windows(2)
            .find(|pair| pair[0].extension == pair[1].extension);
        match twice {
            Some(pair) => Err(Error::unfit(format!(
                "has two members .{}",
                pair[0].extension
            ))),
            None => Ok((name, members)),
        }
    }

    /// Returns the extension of a member that is kept as it is.
    fn extension_of_tag(&self, key: &[u8], format: &str) -> Result<String> {
        let extension = utf8(key, "the extension of a member")?;
        let proper = !extension.contains('/')
            && !extension.contains(char::is_control)
            && extension.to_lowercase() == extension;
        let kind = self.settings.extensions.kind(extension);
        match proper && matches!(kind, Kind::Other | Kind::Class | Kind::Json) {
            true => Ok(extension.to_owned()),
            false => {
                let key = key.escape_ascii();
                let message =
                    format!("the header line {key} of {format} is no member that is read back");
                Err(Error::unfit(message))
            }
        }
    }

    /// Returns a matrix as a NumPy array.
    fn matrix(&self, matrix: &Matrix) -> Result<Vec<u8>> {
        self.array_of(Utterance {
            features: Some(matrix.clone()),
            ..Utterance::default()
        })
    }

    /// Returns an array as a NumPy array.
    fn array(&self, named: &NamedArray) -> Result<Vec<u8>> {
        let array = named.array.clone();
        // The name that the format of the object has for its only array.
        let name = "array".to_owned();
        self.array_of(Utterance {
            arrays: vec![NamedArray { name, array }],
            ..Utterance::default()
        })
    }

    fn array_of(&self, utt: Utterance) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.env.nested("npy")?.write(&utt, &mut |part| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
        Ok(bytes)
    }

    /// Returns the bytes of members in an archive.
    fn size(members: &[NewMember<'_>]) -> u64 {
        /// The size of a header and of the padding behind data, at most.
        const BESIDE: u64 = 1024;
        let sizes = members
            .iter()
            .map(|member| member.data.len() as u64 + BESIDE);
        sizes.sum()
    }
}

impl Writer for ArchiveWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.make(utt).map(drop)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let (name, members) = self.make(utt)?;
        let full = |(shard, count): &(TarWriter, u64)| {
            let limits = self.settings.limits;
            limits.are_full((shard.position(), *count), Self::size(&members))
        };
        if self.output.is_folder() && self.shard.as_ref().is_some_and(full) {
            self.end()?;
            self.begin()?;
        }
        if let Some((shard, count)) = &mut self.shard {
            for member in &members {
                let name = format!("{name}.{}", member.extension);
                shard.append(name.as_bytes(), &member.data)?;
            }
            *count += 1;
        }
        self.last = Some(name);
        self.written.count(utt);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        self.end()?;
        Ok(self.written)
    }
}
