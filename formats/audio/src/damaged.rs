//! What can be had of damaged files.

use std::sync::{Arc, Mutex, PoisonError};

use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::{Error, ErrorKind, Result};

/// What was wrong with samples of which some could be read, for whoever asks after them.
#[derive(Clone, Default)]
pub(crate) struct Fault(Arc<Mutex<Option<Error>>>);

impl Fault {
    /// Keeps the first error that is about the file.
    ///
    /// # Errors
    /// It is about something else.
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

/// A reader that tells what was wrong behind what could be read.
pub(crate) struct Damaged<R> {
    reader: R,
    fault: Fault,
}

impl<R> Damaged<R> {
    pub(crate) fn new(reader: R, fault: Fault) -> Self {
        Self { reader, fault }
    }
}

impl<R: Reader> Reader for Damaged<R> {
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
