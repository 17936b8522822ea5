//! Normalisation of features.

use std::sync::Arc;

use super::sums::{Normaliser, Sums, features_of};
use super::table::CmvnTable;
use crate::bytes::Env;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};
use crate::stage::frame_cursor::check_single;

/// Subtracts from each column of the features its mean, and if asked for divides it by its standard
/// deviation, as Kaldi's `apply-cmvn` does.
///
/// With the count `n`, the sum `s` and the sum of squares `q` of a column, the mean is `s / n` and the
/// variance `q / n - (s / n)²`, at least 10⁻²⁰. All is computed in 64 bits and rounded once to the type
/// of the features, where Kaldi rounds on the way.
pub struct Cmvn {
    inner: Box<dyn Reader>,
    /// `None` if each utterance is its own group.
    table: Option<Arc<CmvnTable>>,
    variance: bool,
    env: Env,
    warned: bool,
}

impl Cmvn {
    /// Normalises the utterances of `inner` by statistics of their groups, or without `table` each by
    /// those of itself; the variance as well if `variance`. Warns once of a constant column.
    pub fn new(
        inner: Box<dyn Reader>,
        table: Option<Arc<CmvnTable>>,
        variance: bool,
        env: &Env,
    ) -> Self {
        Self {
            inner,
            table,
            variance,
            env: env.clone(),
            warned: false,
        }
    }

    fn normalise(&mut self, utt: &mut Utterance) -> Result<()> {
        check_single(utt)?;
        if features_of(utt)?.rows() == 0 {
            return Ok(());
        }
        let normaliser = self.normaliser(utt)?;
        if let Some(features) = &mut utt.features {
            normaliser.apply(features)?;
        }
        if let Some(column) = normaliser.floored.filter(|_| !self.warned) {
            self.warned = true;
            let message = format!("the variance of column {column} is 0, and is taken as 1e-20");
            self.env.warn(&Error::unfit(message).utterance(&utt.key));
        }
        Ok(())
    }

    fn normaliser(&self, utt: &Utterance) -> Result<Normaliser> {
        if let Some(table) = &self.table {
            return table.normaliser(utt, self.variance);
        }
        let mut own = Sums::default();
        own.add(features_of(utt)?)?;
        own.normaliser(self.variance)
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Cmvn {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    /// # Errors
    /// An utterance has no features, no speaker or no statistics, or integers or other columns than these;
    /// the next one can be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.inner.read(utt)?;
        if more {
            let done = self.normalise(utt);
            done.map_err(|e| e.utterance(&utt.key).continuable())?;
        }
        Ok(more)
    }
}
