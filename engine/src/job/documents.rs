//! The error log and the report of a run.

use spr_core::bytes::{Env, Location, Output};
use spr_core::{Error, Result};

use super::outcome::{Observer, Outcome};
use crate::document::{Document, Versioned, error_json};

/// The documents of a run, under temporary names.
pub(super) struct Documents {
    error_log: Option<Document>,
    report: Option<Document>,
}

impl Documents {
    /// Creates the documents.
    ///
    /// # Errors
    /// One of them exists and may not be replaced, or cannot be created.
    pub(super) fn create(
        error_log: Option<&Location>,
        report: Option<&Location>,
        overwrite: bool,
        env: &Env,
    ) -> Result<Self> {
        let create = |at| Document::create(at, overwrite, env);
        Ok(Self {
            error_log: error_log.map(create).transpose()?,
            report: report.map(create).transpose()?,
        })
    }

    /// Logs a skipped utterance as a line of JSON, with a hint in the words of the observer.
    ///
    /// # Errors
    /// The log cannot be written.
    pub(super) fn skipped(&mut self, error: &Error, observer: &dyn Observer) -> Result<()> {
        let Some(log) = &mut self.error_log else {
            return Ok(());
        };
        let line = Versioned::new(error_json(error, observer.hint(error))).line()?;
        log.put((line + "\n").as_bytes())
    }

    /// Completes the documents without giving them their names, the log first.
    ///
    /// # Errors
    /// A document cannot be written.
    pub(super) fn complete(self, outcome: &Outcome) -> Result<Vec<Output>> {
        let mut outputs = Vec::new();
        if let Some(log) = self.error_log {
            outputs.push(log.complete()?);
        }
        if let Some(mut report) = self.report {
            report.put(Versioned::new(outcome.json()).lines()?.as_bytes())?;
            outputs.push(report.complete()?);
        }
        Ok(outputs)
    }
}
