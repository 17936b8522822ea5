//! Multi-threaded changes of utterances.

use crate::error::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};
use crate::threads::Ordered;

/// Changes each utterance on one of several threads. Utterances and errors keep their order,
/// whatever the number of threads.
///
/// A few utterances per thread are in memory. The threads end when this is dropped, or at the end.
pub struct Map {
    inner: Box<dyn Reader>,
    pool: Ordered<Result<Utterance>, Result<Utterance>>,
    /// Whether `inner` has ended.
    ended: bool,
    /// Whether all results were returned.
    over: bool,
    info: DatasetInfo,
    /// An allocation for reuse.
    spare: Utterance,
}

impl Map {
    /// The utterances of `inner` as `work` leaves them. An error of `work` that
    /// [can continue](crate::error::Error::can_continue) costs the utterance alone.
    pub fn new(
        inner: Box<dyn Reader>,
        threads: usize,
        work: impl Fn(&mut Utterance) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        let work = move |given: Result<Utterance>| {
            let mut utt = given?;
            work(&mut utt).map_err(|e| e.utterance(&utt.key))?;
            Ok(utt)
        };
        // Facts about frames may change.
        let known = inner.info();
        let info = DatasetInfo {
            utterances: known.utterances,
            dim: None,
            dtype: None,
            label_columns: None,
            ..known.without_totals()
        };
        Self {
            inner,
            pool: Ordered::new(threads, work),
            ended: false,
            over: false,
            info,
            spare: Utterance::default(),
        }
    }

    /// Returns the next result, if there is one.
    fn next(&mut self) -> Option<Result<Utterance>> {
        while !self.ended {
            let mut utt = std::mem::take(&mut self.spare);
            let given = match self.inner.read(&mut utt) {
                Ok(true) => Ok(utt),
                Ok(false) => {
                    self.ended = true;
                    break;
                }
                Err(error) => {
                    self.ended = !error.can_continue();
                    Err(error)
                }
            };
            if let Some(result) = self.pool.push(given).transpose() {
                return Some(result.flatten());
            }
        }
        Some(self.pool.pop().transpose()?.flatten())
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Map {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.over {
            return Ok(false);
        }
        match self.next() {
            Some(Ok(mut done)) => {
                std::mem::swap(utt, &mut done);
                self.spare = done;
                Ok(true)
            }
            Some(Err(error)) => {
                self.over = !error.can_continue();
                Err(error)
            }
            None => {
                self.over = true;
                Ok(false)
            }
        }
    }
}
