//! The environment of a call: limits, commands, threads, and collected warnings.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyAny;
use spr_convert::Error;
use spr_convert::core::Limits;
use spr_convert::core::bytes::{Access, Env, Urls};
use spr_convert::core::format::Registry;

use crate::failure::exception;
use crate::interrupt::Interrupt;
use crate::store::Interruptible;

/// The environment as the caller sets it.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    /// Whether commands may run: by default those in the caller's arguments, with `true` those in
    /// files as well, with `false` none.
    allow_pipes: Option<bool>,
    /// The servers and buckets that files may name besides their own; with `None` all.
    allow_urls: Option<Vec<String>>,
    max_alloc: Option<u64>,
    threads: usize,
    /// Whether outputs are synced to disk before they get their names.
    sync: bool,
}

/// Warnings in their order, each with whether it tells of a skipped utterance.
type Warnings = Arc<Mutex<Vec<(Error, bool)>>>;

/// The environment of a call.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub(crate) registry: Registry,
    pub(crate) env: Env,
    warnings: Warnings,
    interrupt: Interrupt,
}

impl Settings {
    pub(crate) fn surroundings(&self) -> Surroundings {
        let registry = crate::format::registry();
        let warnings = Warnings::default();
        let hear = |skipped: bool| {
            let heard = warnings.clone();
            move |warning: &Error| {
                let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
                heard.push((warning.copy(), skipped));
            }
        };
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
        let mut env = Env::new(limits, access, hear(false))
            .telling_skipped(hear(true))
            .with_store(Arc::new(store))
            .with_formats(registry.clone());
        env.urls = match &self.allow_urls {
            None => Urls::All,
            Some(hosts) if hosts.is_empty() => Urls::Own,
            Some(hosts) => Urls::Hosts(hosts.clone()),
        };
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
    /// Returns the environment without warnings, which are given when the data are read.
    pub(crate) fn silent(&self) -> Env {
        self.env.listening(|_| {}).telling_skipped(|_| {})
    }

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
        all.iter().try_for_each(|(warning, skipped)| {
            let error = exception(py, warning)?.into_value(py);
            let told = (warning.to_string(), error, *skipped);
            tell.call1(told).map(drop)
        })
    }
}
