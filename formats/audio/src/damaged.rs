//! The intact part of damaged files.

use std::sync::{Arc, Mutex, PoisonError};

use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::{Error, ErrorKind, Result};

/// The first error of samples of which some could be read.
#[derive(Clone, Default)]
pub(crate) struct Fault(Arc<Mutex<Option<Error>>>);

impl Fault {
    /// Stores the first error that concerns the file.
    ///
    /// # Errors
    /// The error concerns something else.
    pub(crate) fn keep(&self, error: Error) -> Result<()> {
        match error.kind() {
            ErrorKind::Malformed | ErrorKind::Truncated => {
                let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                slot.get_or_insert(error);
                Ok(())
            }
            _ => Err(error),
        }
    }

    fn take(&self) -> Option<Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A reader that returns the error after the samples that could be read.
pub(crate) struct SalvageReader<R> {
    reader: R,
    fault: Fault,
}

impl<R> SalvageReader<R> {
    pub(crate) fn new(reader: R, fault: Fault) -> Self {
        Self { reader, fault }
    }
}

#[warn(clippy::missing_trait_methods)]
impl<R: Reader> Reader for SalvageReader<R> {
    fn info(&self) -> &DatasetInfo {
        self.reader.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.reader.read(utt)? {
            return Ok(true);
        }
        match self.fault.take() {
            Some(fault) => Err(fault.continuable()),
            None => Ok(false),
        }
    }
}
