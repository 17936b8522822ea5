//! Python's signals, which end jobs.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pyo3::prelude::*;

/// The interval between checks for signals.
pub(crate) const PERIOD: Duration = Duration::from_millis(100);

/// The exception of a signal handler, such as `KeyboardInterrupt`.
pub(crate) type Interrupt = Arc<OnceLock<PyErr>>;

/// Checks for signals. Fails if a handler has raised an exception, now or before.
pub(crate) fn check(interrupt: &Interrupt) -> io::Result<()> {
    // Python runs handlers only in its main thread; elsewhere this has no effect.
    if let Err(raised) = Python::attach(|py| py.check_signals()) {
        let _ = interrupt.set(raised);
    }
    match interrupt.get() {
        Some(_) => Err(io::Error::other("interrupted")),
        None => Ok(()),
    }
}
