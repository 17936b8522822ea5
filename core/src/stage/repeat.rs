//! Repetition of a data set.

use super::Passes;
use super::is_last;
use crate::error::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};

/// Reads epochs of a data set as one stream, opening it anew for each; [`Passes`] separates them.
///
/// ```
/// use spr_core::format::Reader;
/// use spr_core::stage::{Cache, ReaderExt, Repeat};
/// use spr_core::{Limits, Result};
///
/// /// A data set for ever, from memory.
/// fn endless(reader: Box<dyn Reader>) -> Result<Box<dyn Reader>> {
///     let kept = Cache::new(reader, &Limits::default())?;
///     Ok(Repeat::new(None, move |_epoch| Ok(kept.reader()))?.boxed())
/// }
/// ```
pub struct Repeat<F> {
    passes: Option<Passes<F>>,
    /// The number of remaining epochs; `None` for an endless stream.
    left: Option<u64>,
    /// Whether this epoch had an utterance.
    any: bool,
    over: bool,
    info: DatasetInfo,
}

impl<F: FnMut(u64) -> Result<Box<dyn Reader>> + Send> Repeat<F> {
    /// Reads `times` epochs, or endless ones with `None`, of the data that `open` opens. It
    /// receives the number of the epoch, from 0, so that each epoch can have a different order.
    ///
    /// # Errors
    /// The first epoch cannot be opened.
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

    /// Returns the number of the epoch of the last utterance, from 0.
    pub fn epoch(&self) -> u64 {
        self.passes.as_ref().map_or(0, Passes::pass)
    }

    /// Reads on, in the next epoch if necessary: none follows an epoch without utterances.
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

#[warn(clippy::missing_trait_methods)]
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
