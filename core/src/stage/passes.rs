//! The same data set pass by pass.

use super::is_last;
use crate::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};

/// Reads a data set, and from the start again after a [reset](Self::reset). What opens it is told the
/// number of the pass, from 0, so that each can have [an order of its own](crate::random::Rng::of_pass)
/// that is the same in every run.
///
/// ```
/// use spr_core::random::Rng;
/// use spr_core::stage::{Cache, Passes, ReaderExt, Utterances};
/// use spr_core::{Limits, Result};
///
/// fn train(data: Cache) -> Result<()> {
///     let mut passes = Passes::new(move |pass| {
///         let rng = Rng::Seeded(1).of_pass(pass);
///         Ok(data.reader().shuffle(1000, rng, Limits::default()))
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
    /// The pass, and the reader of it until that was at an end.
    pass: u64,
    reader: Option<Box<dyn Reader>>,
    info: DatasetInfo,
}

impl<F: FnMut(u64) -> Result<Box<dyn Reader>> + Send> Passes<F> {
    /// The first pass of what `open` opens.
    ///
    /// # Errors
    /// It can't be opened.
    pub fn new(mut open: F) -> Result<Self> {
        let reader = open(0)?;
        Ok(Self {
            info: reader.info().clone(),
            open,
            pass: 0,
            reader: Some(reader),
        })
    }

    /// The number of the pass, from 0.
    pub fn pass(&self) -> u64 {
        self.pass
    }

    /// Starts the next pass, wherever this one is, and even if it has failed.
    ///
    /// # Errors
    /// The data can't be opened again. The pass is then over, and the next reset tries the one after.
    pub fn reset(&mut self) -> Result<()> {
        // What the last one holds is free before the next is opened.
        self.reader = None;
        self.pass += 1;
        let reader = (self.open)(self.pass)?;
        self.info = reader.info().clone();
        self.reader = Some(reader);
        Ok(())
    }
}

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
