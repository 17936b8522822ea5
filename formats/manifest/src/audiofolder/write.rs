//! The writer of audio files and their table.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Part, Sink};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::Utterance;
use spr_syntax::manifest::source::{no_sound, utf8};
use spr_syntax::sound::SoundCodec;

use super::caps::CAPS;
use super::columns::TABLES;
use super::row;

pub(super) struct FolderWriter {
    output: Output,
    table: Sink,
    env: Env,
    row: Vec<u8>,
    written: WriteSummary,
}

/// What samples become.
const SAMPLES: SoundCodec = SoundCodec::Wav;

impl FolderWriter {
    pub(super) fn new(output: Output, env: &Env) -> Result<Self> {
        Ok(Self {
            table: output.create(Part::Member(TABLES[0]), false)?,
            output,
            env: env.clone(),
            row: Vec::new(),
            written: WriteSummary::default(),
        })
    }

    /// Formats the row of an utterance.
    fn make(&mut self, utt: &Utterance) -> Result<()> {
        let made = self.fields(utt);
        made.map_err(|e| e.utterance(&utt.key).file(self.output.name()).continuable())
    }

    fn fields(&mut self, utt: &Utterance) -> Result<()> {
        let missing = || no_sound("is about", utt);
        let audio = utt.audio.as_ref().ok_or_else(missing)?;
        CAPS.check(utt)?;
        let extension = SAMPLES.extension(audio).ok_or_else(missing)?;
        self.output.accept(&utt.key, extension)?;
        let key = utf8(utt.key.as_bytes(), "the key")?;
        row::write(utt, &format!("{key}.{extension}"), None, &mut self.row)
    }
}

impl Writer for FolderWriter {
    fn caps(&self) -> &Caps {
        &CAPS
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.make(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.make(utt)?;
        self.written.bytes += SAMPLES.write_file(utt, &self.output, &self.env)?;
        self.table.put(&self.row)?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut written = self.written;
        written.bytes += self.table.finish()?;
        Ok(written)
    }
}
