//! The same data set again and again.

use super::Passes;
use super::is_last;
use crate::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};

/// Reads a data set epoch after epoch as one stream, opening it anew for each; [`Passes`] has each for
/// itself.
pub struct Repeat<F> {
    passes: Option<Passes<F>>,
    /// Epochs to come after this one; `None` without end.
    left: Option<u64>,
    /// Whether this epoch had an utterance.
    any: bool,
    over: bool,
    info: DatasetInfo,
}

impl<F: FnMut(u64) -> Result<Box<dyn Reader>> + Send> Repeat<F> {
    /// `times` epochs, or with `None` epochs without end, of what `open` opens. It is given the
    /// number of the epoch, from 0, so that each can have an order of its own.
    ///
    /// # Errors
    /// The first epoch can't be opened.
    pub fn new(times: Option<u64>, open: F) -> Result<Self> {
        let passes = match times {
            Some(0) => None,
            _ => Some(Passes::new(open)?),
        };
        let info = passes.as_ref().map_or_else(DatasetInfo::default, |passes| {
            passes.info().without_totals()
        });
        Ok(Self {
            over: passes.is_none(),
            passes,
            left: times.map(|times| times.saturating_sub(1)),
            any: false,
            info,
        })
    }

    /// The number of the epoch that the last utterance belongs to, from 0.
    pub fn epoch(&self) -> u64 {
        self.passes.as_ref().map_or(0, Passes::pass)
    }

    /// Reads on, in the next epoch if need be: there is none behind one that had no utterances.
    fn next(&mut self, utt: &mut Utterance) -> Result<bool> {
        let Some(passes) = &mut self.passes else {
            return Ok(false);
        };
        while !passes.read(utt)? {
            if !self.any || self.left == Some(0) {
                return Ok(false);
            }
            self.left = self.left.map(|left| left - 1);
            self.any = false;
            passes.reset()?;
        }
        self.any = true;
        Ok(true)
    }
}

impl<F: FnMut(u64) -> Result<Box<dyn Reader>> + Send> Reader for Repeat<F> {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.over {
            return Ok(false);
        }
        let read = self.next(utt);
        self.over = is_last(&read);
        read
    }
}
