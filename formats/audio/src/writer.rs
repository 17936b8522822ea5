//! One utterance, one file.

use spr_core::bytes::{Output, Part};
use spr_core::format::{Writer, Written};
use spr_core::model::{Audio, Rank, Utterance};
use spr_core::{Error, ErrorKind, Result};

use crate::coding;
use crate::kind::Kind;

/// Writes each utterance to a file of its own.
pub(crate) struct AudioWriter {
    output: Output,
    kind: &'static Kind,
    written: Written,
    header: Vec<u8>,
    block: Vec<u8>,
}

impl AudioWriter {
    pub(crate) fn new(output: Output, kind: &'static Kind) -> Self {
        Self {
            output,
            kind,
            written: Written::default(),
            header: Vec::new(),
            block: Vec::new(),
        }
    }

    /// Makes the header, or refuses what the format can't hold.
    fn prepare<'a>(&mut self, utt: &'a Utterance) -> Result<&'a Audio> {
        let audio = self.check(utt)?;
        self.header.clear();
        (self.kind.header)(audio, &utt.meta.tags, &mut self.header)?;
        Ok(audio)
    }

    /// The audio of an utterance that has nothing else.
    fn check<'a>(&self, utt: &'a Utterance) -> Result<&'a Audio> {
        let refuse = |what: &str| Error::unfit(format!("has {what}, which the format can't hold"));
        if utt.features.is_some() {
            return Err(refuse("features"));
        }
        if utt.labels.is_some() {
            return Err(refuse("labels"));
        }
        if let Some(other) = utt.others().find(|other| *other != "audio") {
            return Err(refuse(other));
        }
        if utt.meta.frame_shift.is_some() || utt.meta.frame_offset.is_some() {
            return Err(refuse("a frame shift or offset"));
        }
        if utt
            .meta
            .tags
            .iter()
            .any(|tag| tag.format != self.kind.info.name)
        {
            return Err(refuse("header lines of another format"));
        }
        let Some(audio) = &utt.audio else {
            return Err(Error::unfit("has no audio"));
        };
        let samples = &audio.samples;
        if !self.kind.dtypes.contains(&samples.dtype()) {
            return Err(refuse(&format!("samples of {}", samples.dtype())));
        }
        if samples.rank() != Rank::Matrix || samples.cols() == 0 || audio.rate == 0 {
            return Err(Error::unfit("has audio without a rate or without channels"));
        }
        Ok(audio)
    }
}

impl Writer for AudioWriter {
    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let audio = self
            .prepare(utt)
            .map_err(|e| e.utterance(&utt.key).continuable())?;
        let part = Part::Utterance(&utt.key, self.kind.info.extensions[0]);
        let mut sink = self
            .output
            .create(part, false)
            .map_err(|e| match e.kind() {
                // In a folder a name that does not do leaves the others unharmed.
                ErrorKind::Unfit if self.output.is_folder() => e.continuable(),
                _ => e,
            })?;
        sink.put(&self.header)?;
        coding::write(&audio.samples, self.kind.order, &mut self.block, &mut sink)?;
        if self.kind.even && audio.samples.as_bytes().len() % 2 == 1 {
            sink.put(b"\0")?;
        }
        self.written.bytes += sink.finish()?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        if self.written.utterances == 0 && !self.output.is_folder() {
            return Err(Error::unfit("no utterance to write").file(self.output.name()));
        }
        Ok(self.written)
    }
}
