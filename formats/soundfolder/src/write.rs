//! The writer of sound files and their transcripts.

use spr_core::bytes::{Env, Output, Part};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{Audio, Utterance};
use spr_core::{Error, Result};
use spr_syntax::manifest::source::no_sound;

use crate::caps::CAPS;

/// The format of sound files made of samples, and the extension of transcripts.
const SAMPLES: &str = "wav";
const TEXT: &str = "txt";

pub(crate) struct SoundWriter {
    output: Output,
    env: Env,
    written: WriteSummary,
}

impl SoundWriter {
    pub(crate) fn new(output: Output, env: &Env) -> Result<Self> {
        if !output.is_folder() {
            let message = "is a file, and a folder of sound files is written";
            return Err(Error::usage(message)
                .file(output.name())
                .hint("end the name with /"));
        }
        Ok(Self {
            output,
            env: env.clone(),
            written: WriteSummary::default(),
        })
    }

    /// Checks an utterance, and returns the extension of its sound file.
    fn check<'a>(&self, utt: &'a Utterance) -> Result<&'a str> {
        let checked = || {
            if utt.audio.is_none() {
                return Err(no_sound("is about", utt));
            }
            CAPS.check(utt)?;
            let extension = match &utt.audio {
                Some(Audio::Samples(_)) => SAMPLES,
                Some(Audio::Encoded(encoded)) => &encoded.format,
                _ => return Err(no_sound("is about", utt)),
            };
            self.output.accept(&utt.key, extension)?;
            Ok(extension)
        };
        checked().map_err(|e: Error| e.utterance(&utt.key).file(self.output.name()).continuable())
    }

    /// Writes one file, which `fill` puts together.
    fn put(
        &mut self,
        utt: &Utterance,
        extension: &str,
        fill: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let (output, mut opened) = (&self.output, None);
        let mut put = |bytes: &[u8]| -> Result<()> {
            let sink = match &mut opened {
                Some(sink) => sink,
                none => none.insert(output.create(Part::Utterance(&utt.key, extension), false)?),
            };
            sink.put(bytes)
        };
        let filled = fill(&mut put);
        filled.map_err(|e| match opened {
            None => e.utterance(&utt.key).continuable(),
            Some(_) => e.fatal(),
        })?;
        if let Some(sink) = opened {
            self.written.bytes += sink.finish()?;
        }
        Ok(())
    }
}

impl Writer for SoundWriter {
    fn caps(&self) -> &Caps {
        &CAPS
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt).map(drop)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let extension = self.check(utt)?;
        let env = self.env.clone();
        self.put(utt, extension, |put| match &utt.audio {
            Some(Audio::Encoded(encoded)) => put(&encoded.bytes),
            audio => {
                let alone = Utterance {
                    audio: audio.clone(),
                    ..Utterance::default()
                };
                env.nested(SAMPLES)?.write(&alone, put)
            }
        })?;
        if let Some(said) = &utt.text {
            let written = self.put(utt, TEXT, |put| put(&[said, b"\n".as_slice()].concat()));
            // The sound is there already.
            written.map_err(Error::fatal)?;
        }
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        Ok(self.written)
    }
}
