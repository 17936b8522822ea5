//! The writer of audio files and their table.

use spr_core::Result;
use spr_core::bytes::{Env, Output, Part, Sink};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{Audio, Utterance};
use spr_syntax::manifest::source::{no_sound, utf8};

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

/// The format of audio files made from samples.
const SAMPLES: &str = "wav";

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

    /// Formats the row of an utterance, and returns the extension of its audio file.
    fn make<'a>(&mut self, utt: &'a Utterance) -> Result<&'a str> {
        let made = self.fields(utt);
        made.map_err(|e| e.utterance(&utt.key).file(self.output.name()).continuable())
    }

    fn fields<'a>(&mut self, utt: &'a Utterance) -> Result<&'a str> {
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
        let key = utf8(utt.key.as_bytes(), "the key")?;
        row::write(utt, &format!("{key}.{extension}"), None, &mut self.row)?;
        Ok(extension)
    }

    fn put_sound(&mut self, utt: &Utterance, extension: &str) -> Result<()> {
        let (output, mut opened) = (&self.output, None);
        let mut put = |bytes: &[u8]| -> Result<()> {
            let sink = match &mut opened {
                Some(sink) => sink,
                none => none.insert(output.create(Part::Utterance(&utt.key, extension), false)?),
            };
            Sink::put(sink, bytes)
        };
        match &utt.audio {
            Some(Audio::Encoded(encoded)) => put(&encoded.bytes)?,
            audio => {
                let alone = Utterance {
                    audio: audio.clone(),
                    ..Utterance::default()
                };
                let written = self.env.nested(SAMPLES)?.write(&alone, &mut put);
                written.map_err(|e| match opened {
                    None => e.utterance(&utt.key).continuable(),
                    Some(_) => e,
                })?;
            }
        }
        if let Some(sink) = opened {
            self.written.bytes += sink.finish()?;
        }
        Ok(())
    }
}

impl Writer for FolderWriter {
    fn caps(&self) -> &Caps {
        &CAPS
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.make(utt).map(drop)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let extension = self.make(utt)?;
        self.put_sound(utt, extension)?;
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
