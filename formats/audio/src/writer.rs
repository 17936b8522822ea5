//! Encoding of samples with their header.

use spr_core::model::{Utterance, Waveform};
use spr_core::{Error, Result};

use crate::coding;
use crate::kind::AudioKind;

/// An encoder for files of one format.
pub(crate) struct Encoder {
    kind: &'static AudioKind,
    header: Vec<u8>,
    block: Vec<u8>,
}

impl Encoder {
    pub(crate) fn new(kind: &'static AudioKind) -> Self {
        Self {
            kind,
            header: Vec::new(),
            block: Vec::new(),
        }
    }

    /// Encodes `utt`, which must fit the format's capabilities, and passes the bytes to `put`.
    ///
    /// # Errors
    /// The header cannot represent it, or `put` fails.
    pub(crate) fn encode(
        &mut self,
        utt: &Utterance,
        put: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let sound = sound(utt)?;
        self.header.clear();
        (self.kind.header)(sound, &utt.meta.tags, &mut self.header)?;
        put(&self.header)?;
        coding::write(&sound.samples, self.kind.order, &mut self.block, put)?;
        match self.kind.even && sound.samples.as_bytes().len() % 2 == 1 {
            true => put(b"\0"),
            false => Ok(()),
        }
    }
}

/// Returns the samples of an utterance.
///
/// # Errors
/// There are none.
pub(crate) fn sound(utt: &Utterance) -> Result<&Waveform> {
    utt.waveform().ok_or_else(|| Error::unfit("has no audio"))
}
