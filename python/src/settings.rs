//! The environment of a call: limits, commands, threads, and collected warnings.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyAny;
use spr_convert::builtin;
use spr_convert::core::Limits;
use spr_convert::core::bytes::{Access, Env};
use spr_convert::core::format::Registry;

use crate::store::{Interrupt, Interruptible};

/// The environment as the caller sets it.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    /// Whether commands may run: by default those in the caller's arguments, with `true` those in
    /// files as well, with `false` none.
    allow_pipes: Option<bool>,
    max_alloc: Option<u64>,
    threads: usize,
    /// Whether outputs are synced to disk before they get their names.
    sync: bool,
}

/// The environment of a call.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub(crate) registry: Registry,
    pub(crate) env: Env,
    warnings: Arc<Mutex<Vec<String>>>,
    interrupt: Interrupt,
}

impl Settings {
    pub(crate) fn surroundings(&self) -> Surroundings {
        let registry = builtin::registry();
        let warnings: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = warnings.clone();
        let access = match self.allow_pipes {
            None => Access::Typed,
            Some(true) => Access::Files,
            Some(false) => Access::Safe,
        };
        let limits = Limits::default();
        let limits = self
            .max_alloc
            .map_or(limits, |bytes| limits.allowing(bytes));
        let store = Interruptible::default();
        let interrupt = store.interrupt().clone();
        let mut env = Env::new(limits, access, move |warning| {
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.push(warning.to_string());
        })
        .with_store(Arc::new(store))
        .with_formats(registry.clone());
        env.threads = self.threads;
        env.durable = self.sync;
        Surroundings {
            registry,
            env,
            warnings,
            interrupt,
        }
    }
}

impl Surroundings {
    /// Raises an interrupting exception, whatever the result of the call, and passes warnings to
    /// Python, which may raise them.
    pub(crate) fn close(&self, py: Python<'_>) -> PyResult<()> {
        if let Some(raised) = self.interrupt.get() {
            return Err(raised.clone_ref(py));
        }
        let all = mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner));
        if all.is_empty() {
            return Ok(());
        }
        let tell: Bound<'_, PyAny> = py.import("spr_convert._errors")?.getattr("warn")?;
        all.iter()
            .try_for_each(|text| tell.call1((text,)).map(drop))
    }
}
