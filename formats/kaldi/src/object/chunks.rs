//! Long matrices and vectors in chunks of rows.

use spr_core::Result;
use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{Chunks, Dtype, Rank, Utterance};

use super::ObjectReader;
use super::rest::UnfinishedObject;

impl ObjectReader {
    /// Enables chunks of long matrices.
    pub(crate) fn in_chunks(&mut self, chunked: bool) {
        self.chunked = chunked;
    }

    /// Returns `true` if the last object is unfinished.
    pub(crate) fn goes_on(&self) -> bool {
        self.rest.is_some()
    }

    /// Returns `true` if the object of this shape, whose values come next, is read in chunks.
    ///
    /// # Errors
    /// The file is too short for it.
    pub(super) fn starts_chunks(
        &mut self,
        source: &Source,
        utt: &Utterance,
        (dtype, rank, rows, cols): (Dtype, Rank, u64, u64),
        whole: bool,
    ) -> Result<bool> {
        let row = cols.saturating_mul(dtype.size() as u64);
        let chunks = Chunks::of(rows, row).filter(|_| self.chunked && self.content.values);
        let Some(chunks) = chunks else {
            return Ok(false);
        };
        source.expect_matrix((dtype, rows, cols), &self.env.limits)?;
        self.rest = Some(UnfinishedObject {
            key: utt.key.clone(),
            chunks,
            dtype,
            rank,
            cols,
            whole,
        });
        Ok(true)
    }

    /// Reads the next chunk of the [unfinished](Self::goes_on) object into `utt`.
    ///
    /// # Errors
    /// The data end, or exceed the limits.
    pub(crate) fn go_on(&mut self, source: &mut Source, utt: &mut Utterance) -> Result<()> {
        let Some(mut rest) = self.rest.take() else {
            return Ok(());
        };
        let Some((chunk, rows)) = rest.chunks.deal() else {
            return Ok(());
        };
        utt.start();
        utt.key.set(rest.key.as_bytes());
        utt.chunk = Some(chunk);
        let shape = (rest.dtype, rest.rank, rows, rest.cols);
        let limits = &self.env.limits;
        source.read_matrix(utt.features_mut(), shape, ByteOrder::Little, limits)?;
        if !chunk.is_last {
            self.rest = Some(rest);
        } else if rest.whole && chunk.first > 0 {
            self.expect_end(source)?;
        }
        Ok(())
    }
}
