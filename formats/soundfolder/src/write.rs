//! The writer of sound files and their transcripts.

use spr_core::bytes::{Env, Output, Part};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{Key, Utterance};
use spr_core::{Error, Result};
use spr_syntax::manifest::source::no_sound;
use spr_syntax::sound::SoundCodec;

use crate::caps::CAPS;

/// What samples become.
const SAMPLES: SoundCodec = SoundCodec::Wav;
/// The extension of transcripts.
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

    /// Checks an utterance.
    fn check(&self, utt: &Utterance) -> Result<()> {
        let checked = || {
            let missing = || no_sound("is about", utt);
            let audio = utt.audio.as_ref().ok_or_else(missing)?;
            CAPS.check(utt)?;
            let extension = SAMPLES.extension(audio).ok_or_else(missing)?;
            self.output.accept(&utt.key, extension)
        };
        checked().map_err(|e: Error| e.utterance(&utt.key).file(self.output.name()).continuable())
    }

    fn put_text(&self, key: &Key, said: &[u8]) -> Result<u64> {
        let mut sink = self.output.create(Part::Utterance(key, TEXT), false)?;
        sink.put(&[said, b"\n".as_slice()].concat())?;
        sink.finish()
    }
}

impl Writer for SoundWriter {
    fn caps(&self) -> &Caps {
        &CAPS
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt)?;
        self.written.bytes += SAMPLES.write_file(utt, &self.output, &self.env)?;
        if let Some(said) = &utt.text {
            let written = self.put_text(&utt.key, said);
            // The sound is there already.
            self.written.bytes += written.map_err(|e| e.utterance(&utt.key).fatal())?;
        }
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        Ok(self.written)
    }
}
