//! The program, in the package's own process.

use std::ffi::OsString;

use pyo3::prelude::*;
use spr_convert::cli;
use spr_convert::core::bytes::Local;

/// Runs a command line, the first word of which is the program's name, to its exit status. It is for
/// a process that does nothing else.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| {
        let local = Local::new();
        let signals = cli::Signals::watch(&local, cli::name(&arguments));
        let status = cli::run(arguments, &local);
        signals.settle();
        status
    })
}
