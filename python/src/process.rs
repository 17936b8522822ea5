//! The process that a data set belongs to.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;
use spr_convert::Error;

use crate::failure::raised;

/// The number of forks between this process and the one that imported the module.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Records a fork: open data sets belong to the parent.
#[pyfunction]
pub(crate) fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// The process in which a data set was opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(u64);

impl Process {
    pub(crate) fn current() -> Self {
        Self(FORKS.load(Ordering::Relaxed))
    }

    pub(crate) fn is_current(self) -> bool {
        self == Self::current()
    }

    /// Fails in a forked process, because the data set belongs to the parent.
    pub(crate) fn check(self, py: Python<'_>) -> PyResult<()> {
        if self.is_current() {
            return Ok(());
        }
        let error =
            Error::usage("was opened before this process was forked, and belongs to the parent");
        Err(raised(py, &error.hint("open it in the new process")))
    }
}
