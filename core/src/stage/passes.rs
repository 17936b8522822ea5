//! Repeated passes through a data set.

use super::is_last;
use crate::error::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};

/// Reads a data set, and from the start again after a [reset](Self::reset). What opens it is told the
/// number of the pass, from 0, so that each can have [an order of its own](crate::number::random::Rng::of_pass)
/// that is the same in every run.
///
/// ```
/// use spr_core::number::random::Rng;
/// use spr_core::stage::{Cache, Passes, ReaderExt, Utterances};
/// use spr_core::{Limits, Result};
///
/// fn train(data: Cache) -> Result<()> {
///     let mut passes = Passes::new(move |pass| {
///         let rng = Rng::Seeded(1).of_pass(pass);
///         Ok(data.reader().shuffle_utterances(1000, rng, Limits::default()))
///     })?;
///     for _ in 0..10 {
///         for utt in Utterances::new(&mut passes) {
///             let utt = utt?;
///         }
///         passes.reset()?;
///     }
///     Ok(())
/// }
/// ```
pub struct Passes<F> {
    open: F,
    /// The pass, and its reader until the end.
    pass: u64,
    reader: Option<Box<dyn Reader>>,
    info: DatasetInfo,
}

impl<F: FnMut(u64) -> Result<Box<dyn Reader>> + Send> Passes<F> {
    /// Starts the first pass of the data that `open` opens.
    ///
    /// # Errors
    /// They cannot be opened.
    pub fn new(mut open: F) -> Result<Self> {
        let reader = open(0)?;
        Ok(Self {
            info: reader.info().clone(),
            open,
            pass: 0,
            reader: Some(reader),
        })
    }

    /// Returns the number of the pass, from 0.
    pub fn pass(&self) -> u64 {
        self.pass
    }

    /// Starts the next pass, even if this one is not finished or has failed.
    ///
    /// # Errors
    /// The data cannot be opened again. The pass has then ended, and the next reset tries the one
    /// after it.
    pub fn reset(&mut self) -> Result<()> {
        // The memory of the last pass is released before the next one is opened.
        self.reader = None;
        self.pass += 1;
        let reader = (self.open)(self.pass)?;
        self.info = reader.info().clone();
        self.reader = Some(reader);
        Ok(())
    }
}

#[warn(clippy::missing_trait_methods)]
impl<F: FnMut(u64) -> Result<Box<dyn Reader>> + Send> Reader for Passes<F> {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let Some(reader) = &mut self.reader else {
            return Ok(false);
        };
        let read = reader.read(utt);
        let over = is_last(&read);
        if over {
            self.reader = None;
        }
        read
    }
}
