//! Statistics as a data set.

use super::sums::Sums;
use super::table::{CmvnGroup, CmvnTable};
use crate::error::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Dtype, Key, Limits, Utterance};

/// The statistics of each group of utterances in the place of the utterances, as Kaldi's
/// `compute-cmvn-stats` makes them, in the order of their keys: those of speakers by their names, those
/// of all utterances by the key `global`.
///
/// Each is a matrix of 64-bit numbers with one column more than the features. The first row has the
/// sums and last the number of frames, the second the sums of squares and last 0.
pub struct CmvnSums {
    /// The utterances, and the sums of those that were read; `None` after the last.
    summing: Option<(Box<dyn Reader>, CmvnTable)>,
    sums: std::vec::IntoIter<(Key, Sums)>,
    limits: Limits,
    info: DatasetInfo,
}

impl CmvnSums {
    /// Sums up the utterances of `inner`, which is read to its end with the first read.
    pub fn new(inner: Box<dyn Reader>, by: CmvnGroup, limits: Limits) -> Self {
        let mut info = DatasetInfo::default();
        info.dtype = Some(Dtype::F64);
        info.dim = inner.info().dim.and_then(|dim| dim.checked_add(1));
        Self {
            summing: Some((inner, CmvnTable::new(by, limits))),
            sums: Vec::new().into_iter(),
            limits,
            info,
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for CmvnSums {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// # Errors
    /// An utterance has no features or speaker, or integers or other columns than those before it; it is left out if
    /// reading goes on.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while let Some((inner, table)) = &mut self.summing {
            if inner.read(utt)? {
                table.add(utt)?;
            } else if let Some((_, table)) = self.summing.take() {
                self.sums = table.into_sorted().into_iter();
            }
        }
        let Some((key, sums)) = self.sums.next() else {
            return Ok(false);
        };
        utt.start();
        utt.key = key;
        sums.store(utt.features_mut(), &self.limits)?;
        Ok(true)
    }
}
