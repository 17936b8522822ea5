//! The Rust part of the Python package `spr_convert`. Each class and function here is wrapped by a
//! Python one, which checks and documents the arguments.

mod array;
mod batch_maker;
mod batches;
mod classes;
mod entry;
mod facts;
mod failure;
mod format;
mod input;
mod interrupt;
mod jobs;
mod memory;
mod object;
mod process;
mod program;
mod remedy;
mod seen;
mod server;
mod settings;
mod split;
mod store;
mod stream;
mod table;
mod text;
mod utterance;
mod writer;

use pyo3::prelude::*;

/// The Rust part of `spr_convert`.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("has_urls", cfg!(feature = "remote"))?;
    module.add_class::<input::DatasetPlan>()?;
    module.add_class::<stream::Stream>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<batches::Batches>()?;
    module.add_class::<writer::Writer>()?;
    module.add_function(wrap_pyfunction!(process::forked, module)?)?;
    module.add_function(wrap_pyfunction!(stream::stages, module)?)?;
    module.add_function(wrap_pyfunction!(input::restored, module)?)?;
    module.add_function(wrap_pyfunction!(stream::step, module)?)?;
    module.add_function(wrap_pyfunction!(stream::count, module)?)?;
    module.add_function(wrap_pyfunction!(batches::check_batches, module)?)?;
    module.add_function(wrap_pyfunction!(batches::collate, module)?)?;
    module.add_function(wrap_pyfunction!(entry::encode, module)?)?;
    module.add_function(wrap_pyfunction!(entry::decode, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::convert, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::explain, module)?)?;
    module.add_function(wrap_pyfunction!(facts::stats, module)?)?;
    module.add_function(wrap_pyfunction!(facts::columns, module)?)?;
    module.add_function(wrap_pyfunction!(seen::plot, module)?)?;
    module.add_function(wrap_pyfunction!(seen::picture, module)?)?;
    module.add_function(wrap_pyfunction!(seen::report, module)?)?;
    module.add_function(wrap_pyfunction!(seen::store, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::info, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::check, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::diff, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::index, module)?)?;
    module.add_function(wrap_pyfunction!(format::register, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::formats, module)?)?;
    module.add_function(wrap_pyfunction!(program::main, module)?)
}
