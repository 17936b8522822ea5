//! The command-line program inside the Python process.

use std::ffi::OsString;

use pyo3::prelude::*;
use spr_convert::{builtin, cli};

/// Runs a command line, whose first word is the program's name, and returns the exit status. The
/// process must not do anything else.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| {
        let places = builtin::Places::default();
        let signals = cli::Signals::watch(&places, cli::name(&arguments));
        let status = cli::run(arguments, builtin::registry(), &places);
        signals.settle();
        status
    })
}
