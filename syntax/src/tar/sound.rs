//! Sound files as members of archives.

use std::borrow::Cow;
use std::io::Cursor;

use spr_core::bytes::{Env, Locator, Source};
use spr_core::format::{AudioCaps, Request, Rule};
use spr_core::model::{
    Audio, AudioFacts, AudioReference, Dtype, EncodedAudio, Utterance, Waveform,
};
use spr_core::{Error, Remedy, Result};

use super::{Member, TarReader};

/// The extensions of sound files, and the formats that read them. The first of a format is written.
const FORMATS: [(&str, &str); 8] = [
    ("wav", "wav"),
    ("flac", "flac"),
    ("mp3", "mp3"),
    ("ogg", "ogg"),
    ("oga", "ogg"),
    ("opus", "ogg"),
    ("sph", "sphere"),
    ("au", "au"),
];

/// The formats whose files are stored unchanged.
const STORED: &[&str] = &["wav", "flac", "mp3", "ogg"];

/// The formats whose headers alone tell rate and length.
const TOLD_BY_HEADER: [&str; 4] = ["wav", "flac", "sphere", "au"];

/// Returns the format of sound files with this extension, of which the last part counts.
pub fn format_of(extension: &str) -> Option<&'static str> {
    let last = extension.rsplit('.').next()?;
    let mut all = FORMATS.iter();
    all.find(|(own, _)| *own == last).map(|(_, format)| *format)
}

/// Returns the extension of sound files of a format.
pub fn extension_of(format: &str) -> &str {
    let mut all = FORMATS.iter();
    all.find(|(_, own)| *own == format)
        .map_or(format, |(extension, _)| extension)
}

/// The form in which the sound of members is wanted.
#[derive(Clone, Copy, Debug)]
pub struct SoundForm {
    wanted: bool,
    samples: bool,
    files: &'static [&'static str],
}

impl SoundForm {
    /// Returns the form that `request` asks for.
    pub fn of(request: &Request) -> Self {
        Self {
            wanted: request.parts.audio,
            samples: request.samples,
            files: request.files,
        }
    }

    /// The same with references alone, where the archive is not compressed.
    #[must_use]
    pub fn referring(self) -> Self {
        Self {
            samples: false,
            files: &[],
            ..self
        }
    }

    /// Returns the sound of the member that came last, unless none is wanted.
    ///
    /// A member of a file that is not compressed is a reference, if neither samples nor files of its
    /// format are wanted; then no more than its header is read. `format` is that of its extension.
    /// A member of another format by its first bytes is of that format, with a warning.
    ///
    /// # Errors
    /// The member is cut off, or larger than the limits.
    pub fn read(
        self,
        archive: &mut TarReader,
        member: &Member,
        format: &'static str,
        env: &Env,
    ) -> Result<Option<Audio>> {
        /// The bytes of a header.
        const HEAD: usize = 4 << 10;
        if !self.wanted {
            return Ok(None);
        }
        let head = archive.head(HEAD)?.to_vec();
        let found = env.nested_by_magic(&head).unwrap_or(format);
        if found != format {
            let message = format!("is of the format {found}, and not what its name says");
            let error = member.error(Error::malformed(message));
            env.warn(&error.file(archive.source().name()).byte(member.offset));
        }
        let facts = facts(found, &head, env);
        let source = archive.source();
        let location = source.location().filter(|_| source.is_plain_file());
        let is_bytes = self.samples || self.files.contains(&found);
        if let Some(location) = location.filter(|_| !is_bytes) {
            let at = Locator::FileAt(location.clone(), member.offset);
            return Ok(Some(Audio::Reference(AudioReference {
                len: Some(member.size),
                facts,
                ..AudioReference::new(at)
            })));
        }
        Ok(Some(Audio::Encoded(EncodedAudio {
            format: found.to_owned(),
            bytes: archive.data("a sound file")?,
            facts,
        })))
    }
}

/// Returns what the first bytes of a sound file tell of it, which may be nothing.
fn facts(format: &str, head: &[u8], env: &Env) -> AudioFacts {
    let read = || {
        let nested = env.nested(format).ok()?;
        // Its length is left open, as there is more than its head.
        let head = Box::new(Cursor::new(head.to_vec()));
        let mut source = Source::from_reader("-", head).ok()?;
        nested.facts(&mut source, env).ok()
    };
    let told = TOLD_BY_HEADER.contains(&format).then(read);
    told.flatten().unwrap_or_default()
}

/// Checks a sampling rate.
fn check_flac_rate(rate: &u32) -> Result<()> {
    match *rate {
        0..=96_000 => Ok(()),
        rate => {
            let error = Error::unfit(format!("has {rate} samples a second, FLAC holds 96000"));
            Err(error.suggest(Remedy::Resample))
        }
    }
}

/// The format in which samples become members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SoundCodec {
    /// WAV, which holds all types of samples.
    #[default]
    Wav,
    /// FLAC, which is smaller.
    Flac,
}

impl SoundCodec {
    /// The words of the option that chooses it.
    pub const WORDS: [(&str, Self); 2] = [("wav", Self::Wav), ("flac", Self::Flac)];

    /// Returns its name, which is that of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wav => "wav",
            Self::Flac => "flac",
        }
    }

    /// Returns the sound that members hold.
    pub const fn caps(self) -> AudioCaps {
        let mut caps = match self {
            Self::Wav => {
                AudioCaps::samples(&[Dtype::I16, Dtype::U8, Dtype::I32, Dtype::F32, Dtype::F64])
            }
            Self::Flac => {
                let mut caps = AudioCaps::samples(&[Dtype::I16, Dtype::U8, Dtype::I32]);
                (caps.bits, caps.max_channels) = (24, 8);
                caps.rates = Rule::new("of at most 96000 Hz", check_flac_rate);
                caps
            }
        };
        caps.encoded = STORED;
        caps.needs_samples = true;
        caps
    }

    /// Returns the bytes of a sound file, and its extension.
    ///
    /// # Errors
    /// The samples cannot be encoded, or the sound is somewhere else.
    pub fn encode<'a>(self, audio: &'a Audio, env: &Env) -> Result<(Cow<'a, [u8]>, &'a str)> {
        match audio {
            Audio::Encoded(encoded) => {
                let bytes = Cow::Borrowed(encoded.bytes.as_slice());
                Ok((bytes, extension_of(&encoded.format)))
            }
            Audio::Samples(sound) => {
                let bytes = self.samples(sound, env)?;
                Ok((Cow::Owned(bytes), extension_of(self.name())))
            }
            _ => Err(Error::unfit("has sound that is somewhere else")),
        }
    }

    fn samples(self, sound: &Waveform, env: &Env) -> Result<Vec<u8>> {
        /// The bytes of a header, or a little more.
        const HEADER: usize = 128;
        let mut bytes = Vec::with_capacity(sound.samples.as_bytes().len() + HEADER);
        let alone = Utterance {
            audio: Some(Audio::Samples(sound.clone())),
            ..Utterance::default()
        };
        env.nested(self.name())?.write(&alone, &mut |part| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
        Ok(bytes)
    }
}
