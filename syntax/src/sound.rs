//! Sound files inside other data sets: their extensions, and what samples become.

use std::borrow::Cow;
use std::io::Cursor;

use spr_core::bytes::{Env, Output, Part, Sink, Source};
use spr_core::format::{AudioCaps, Rule};
use spr_core::model::{Audio, Dtype, RecordingFacts, Utterance, Waveform};
use spr_core::{Error, Remedy, Result};

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

/// The formats whose headers alone tell rate and length.
const TOLD_BY_HEADER: [&str; 4] = ["wav", "flac", "sphere", "au"];

/// Returns what the first bytes of a sound file tell of it, which may be nothing.
pub fn facts(format: &str, start: &[u8], env: &Env) -> RecordingFacts {
    /// The bytes of a header.
    const HEAD: usize = 4 << 10;
    let read = || {
        let nested = env.nested(format).ok()?;
        // Its length is left open, as there is more than its head.
        let head = start[..start.len().min(HEAD)].to_vec();
        let mut source = Source::from_reader("-", Box::new(Cursor::new(head))).ok()?;
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

/// The format in which samples become sound files.
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

    /// Returns the sound that such files hold.
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
        self.put(sound, env, &mut |part| {
            bytes.extend_from_slice(part);
            Ok(())
        })?;
        Ok(bytes)
    }

    /// Passes the bytes of samples on.
    fn put(
        self,
        sound: &Waveform,
        env: &Env,
        put: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let alone = Utterance {
            audio: Some(Audio::Samples(sound.clone())),
            ..Utterance::default()
        };
        env.nested(self.name())?.write(&alone, put)
    }

    /// Returns the extension of the file that a sound becomes; `None` if the sound is somewhere else.
    pub fn extension(self, audio: &Audio) -> Option<&str> {
        match audio {
            Audio::Encoded(encoded) => Some(extension_of(&encoded.format)),
            Audio::Samples(_) => Some(extension_of(self.name())),
            _ => None,
        }
    }

    /// Writes the sound of an utterance to a file of its own in `output`, as a stored file or as samples,
    /// and returns its size.
    ///
    /// # Errors
    /// There is no sound here, it cannot be encoded, or writing fails. Until the file is there, the
    /// others can be written.
    pub fn write_file(self, utt: &Utterance, output: &Output, env: &Env) -> Result<u64> {
        let mut opened: Option<Sink> = None;
        let mut write = || {
            let missing = || Error::unfit("has sound that is somewhere else");
            let audio = utt.audio.as_ref().ok_or_else(missing)?;
            let extension = self.extension(audio).ok_or_else(missing)?;
            let mut put = |bytes: &[u8]| {
                let sink = match &mut opened {
                    Some(sink) => sink,
                    none => {
                        none.insert(output.create(Part::Utterance(&utt.key, extension), false)?)
                    }
                };
                sink.put(bytes)
            };
            match audio {
                Audio::Encoded(encoded) => put(&encoded.bytes),
                Audio::Samples(sound) => self.put(sound, env, &mut put),
                _ => Err(missing()),
            }
        };
        let written: Result<()> = write();
        written.map_err(|error| match opened.is_some() {
            true => error.fatal(),
            false => error.utterance(&utt.key).continuable(),
        })?;
        opened.map_or(Ok(0), Sink::finish)
    }
}
