//! The same data set again and again.

use crate::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};

/// Reads a data set epoch after epoch, opening it anew for each.
pub struct Repeat<F> {
    open: F,
    current: Option<Box<dyn Reader>>,
    /// Epochs to come after this one; `None` without end.
    left: Option<u64>,
    /// The number of this epoch, and whether it had an utterance.
    epoch: u64,
    any: bool,
    info: DatasetInfo,
}

impl<F: FnMut(u64) -> Result<Box<dyn Reader>> + Send> Repeat<F> {
    /// `times` epochs, or with `None` epochs without end, of what `open` opens. It is given the
    /// number of the epoch, from 0, so that each can have an order of its own.
    ///
    /// # Errors
    /// The first epoch can't be opened.
    pub fn new(times: Option<u64>, mut open: F) -> Result<Self> {
        let left = times.map(|times| times.saturating_sub(1));
        let current = match times {
            Some(0) => None,
            _ => Some(open(0)?),
        };
        let info = current
            .as_ref()
            .map_or_else(DatasetInfo::default, |r| r.info().without_totals());
        Ok(Self {
            open,
            current,
            left,
            epoch: 0,
            any: false,
            info,
        })
    }

    /// The number of the epoch that the last utterance belongs to, from 0.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Opens the next epoch, if there is one: not behind one that had no utterances.
    fn next_epoch(&mut self) -> Result<()> {
        let done = self.current.take().is_some() && !self.any;
        if done || self.left == Some(0) {
            return Ok(());
        }
        self.left = self.left.map(|left| left - 1);
        self.epoch += 1;
        self.any = false;
        self.current = Some((self.open)(self.epoch)?);
        Ok(())
    }
}

impl<F: FnMut(u64) -> Result<Box<dyn Reader>> + Send> Reader for Repeat<F> {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while let Some(current) = &mut self.current {
            let more = match current.read(utt) {
                Ok(more) => more,
                Err(error) => {
                    if !error.can_continue() {
                        self.current = None;
                    }
                    return Err(error);
                }
            };
            if more {
                self.any = true;
                return Ok(true);
            }
            self.next_epoch()?;
        }
        Ok(false)
    }
}
