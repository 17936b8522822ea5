//! Writing of files, with a measure of their loss.

use std::sync::{Arc, Mutex, PoisonError};

use spr_core::Result;
use spr_core::bytes::Output;
use spr_core::format::{Caps, Keys, OneWriter, WriteSummary, Writer};
use spr_core::loss::LossReport;
use spr_core::model::{CastStats, Utterance};
use spr_syntax::lilcom::Encoder;

use crate::object::{caps, encode};

/// Creates a writer of files with `extension`.
pub(crate) fn create(output: Output, encoder: Encoder, extension: &'static str) -> Box<dyn Writer> {
    let loss = Arc::new(Mutex::new(CastStats::default()));
    let last = loss.clone();
    let encode = move |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| {
        let (bytes, stats) = encode(utt, &encoder)?;
        *last.lock().unwrap_or_else(PoisonError::into_inner) = stats;
        put(&bytes)
    };
    let caps = caps(Keys::of_files(output.medium()));
    Box::new(LilcomWriter {
        files: OneWriter::new(output, caps, extension, encode),
        loss,
        rounded: LossReport::default(),
    })
}

/// A writer of files that reports the loss by rounding.
struct LilcomWriter<F> {
    files: OneWriter<F>,
    /// The loss of the last utterance, and of all.
    loss: Arc<Mutex<CastStats>>,
    rounded: LossReport,
}

impl<F> Writer for LilcomWriter<F>
where
    F: FnMut(&Utterance, &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> + Send,
{
    fn caps(&self) -> &Caps {
        self.files.caps()
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.files.accept(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.files.write(utt)?;
        let loss = *self.loss.lock().unwrap_or_else(PoisonError::into_inner);
        self.rounded.add_rounding(&utt.key, &loss, "lilcom");
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut written = Box::new(self.files).finish()?;
        written.add_rounding(self.rounded);
        Ok(written)
    }
}
