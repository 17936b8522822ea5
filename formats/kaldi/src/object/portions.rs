//! Long matrices and vectors, some rows at a time.

use spr_core::Result;
use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{Dtype, Key, Portions, Rank, Utterance};

use super::ObjectReader;

/// What is left of an object of which some rows were read.
pub(super) struct Rest {
    key: Key,
    portions: Portions,
    dtype: Dtype,
    rank: Rank,
    cols: u64,
    /// Whether it has no key, and nothing may follow it.
    whole: bool,
}

impl ObjectReader {
    /// Gives long matrices in portions, if `portioned`.
    pub(crate) fn in_portions(&mut self, portioned: bool) {
        self.portioned = portioned;
    }

    /// Whether the object read last goes on.
    pub(crate) fn goes_on(&self) -> bool {
        self.rest.is_some()
    }

    /// Whether the object of this shape, whose values come next, is read in portions.
    ///
    /// # Errors
    /// The file is too short for it.
    pub(super) fn starts_portions(
        &mut self,
        source: &Source,
        utt: &Utterance,
        (dtype, rank, rows, cols): (Dtype, Rank, u64, u64),
        whole: bool,
    ) -> Result<bool> {
        let row = cols.saturating_mul(dtype.size() as u64);
        let portions = Portions::of(rows, row).filter(|_| self.portioned && self.content.values);
        let Some(portions) = portions else {
            return Ok(false);
        };
        source.expect_matrix((dtype, rows, cols), &self.env.limits)?;
        self.rest = Some(Rest {
            key: utt.key.clone(),
            portions,
            dtype,
            rank,
            cols,
            whole,
        });
        Ok(true)
    }

    /// Reads the next portion of the object that [goes on](Self::goes_on) into `utt`.
    ///
    /// # Errors
    /// The data end, or exceed the limits.
    pub(crate) fn go_on(&mut self, source: &mut Source, utt: &mut Utterance) -> Result<()> {
        let Some(mut rest) = self.rest.take() else {
            return Ok(());
        };
        let Some((portion, rows)) = rest.portions.deal() else {
            return Ok(());
        };
        utt.start();
        utt.key.set(rest.key.as_bytes());
        (utt.labels, utt.portion) = (None, Some(portion));
        let shape = (rest.dtype, rest.rank, rows, rest.cols);
        let limits = &self.env.limits;
        source.read_matrix(utt.features_mut(), shape, ByteOrder::Little, limits)?;
        if !portion.is_last {
            self.rest = Some(rest);
        } else if rest.whole && portion.first > 0 && !self.all {
            self.expect_end(source)?;
        }
        Ok(())
    }
}
