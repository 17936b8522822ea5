//! Conversion of errors and panics to exceptions.

use std::error::Error as _;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard};

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use spr_convert::{Error, ErrorKind, Result};

use crate::text;

/// The function of the package that creates an exception.
static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Runs work without Python's lock. A panic becomes an error, because Python code rarely catches
/// the exception that PyO3 raises for it.
pub(crate) fn apart<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    match done {
        Ok(result) => result.map_err(|error| raised(py, &error)),
        Err(panic) => {
            let told = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let told = told.or_else(|| panic.downcast_ref::<String>().cloned());
            let message = format!(
                "a bug in spr-convert, please report it: {}",
                told.unwrap_or_default()
            );
            Err(raised(py, &Error::unsupported(message)))
        }
    }
}

/// Locks a mutex. Drops the value if another thread panicked while holding the lock.
pub(crate) fn locked<T>(mutex: &Mutex<Option<T>>) -> MutexGuard<'_, Option<T>> {
    mutex.lock().unwrap_or_else(|poisoned| {
        mutex.clear_poison();
        let mut left = poisoned.into_inner();
        *left = None;
        left
    })
}

/// Converts an error to an exception.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    exception(py, error).unwrap_or_else(|failed| failed)
}

/// Converts an error to an exception object, to be raised or stored.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let make = MAKE.get_or_try_init(py, || {
        let module = py.import("spr_convert._errors")?;
        module.getattr("make").map(Bound::unbind)
    })?;
    let key = error.key().map(|key| text::of_bytes(py, key.as_bytes()));
    let made = make.bind(py).call1((
        kind(error),
        error.message(),
        error.file_name(),
        error.byte_offset(),
        error.line_number(),
        key.transpose()?,
        crate::remedy::hint(error),
        error.can_continue(),
        losses(py, error)?,
    ))?;
    let made = PyErr::from_value(made);
    if let Some(cause) = system(error).and_then(python) {
        // Interrupts and the like stay what they are.
        if !cause.is_instance_of::<PyException>(py) {
            return Ok(cause.clone_ref(py));
        }
        made.set_cause(py, Some(cause.clone_ref(py)));
    }
    Ok(made)
}

/// Returns the losses of an error, with the fields of `Loss` in their order.
fn losses<'py>(py: Python<'py>, error: &Error) -> PyResult<Vec<Bound<'py, PyTuple>>> {
    let lines = error.losses().iter().map(|(kind, line)| {
        let first = line.first.as_ref();
        let first = first.map(|key| text::of_bytes(py, key.as_bytes()));
        (
            kind.name(),
            line.utterances,
            line.values,
            line.of,
            line.max_abs_err,
            first.transpose()?,
            line.what.clone(),
        )
            .into_pyobject(py)
    });
    lines.collect()
}

/// Returns the exception that Python code raised, if one is the cause.
fn python(cause: &io::Error) -> Option<&PyErr> {
    cause.get_ref()?.downcast_ref()
}

/// Returns the underlying I/O error, if there is one.
fn system(error: &Error) -> Option<&io::Error> {
    error.source()?.downcast_ref()
}

fn kind(error: &Error) -> &'static str {
    let missing = || system(error).is_some_and(|cause| cause.kind() == io::ErrorKind::NotFound);
    let of_format = || {
        let cause = system(error);
        cause.is_some_and(|cause| {
            cause.kind() == io::ErrorKind::InvalidData && python(cause).is_some()
        })
    };
    match error.kind() {
        ErrorKind::Io if of_format() => "malformed",
        ErrorKind::Io if missing() => "missing",
        ErrorKind::Io => "io",
        ErrorKind::Malformed => "malformed",
        ErrorKind::Truncated => "truncated",
        ErrorKind::Unsupported => "unsupported",
        ErrorKind::Limit => "limit",
        ErrorKind::Loss => "loss",
        ErrorKind::Unrecognised => "unrecognised",
        ErrorKind::Ambiguous => "ambiguous",
        ErrorKind::Usage => "usage",
        ErrorKind::Changed => "changed",
        ErrorKind::Stopped => "stopped",
        _ => "unfit",
    }
}
