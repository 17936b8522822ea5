//! The tables of a directory while they are written.

use std::collections::BTreeMap;

use spr_core::Result;
use spr_core::bytes::{Output, Part, Sink};

/// Tables, each of which is created with its first line.
pub(super) struct Tables {
    output: Output,
    open: BTreeMap<&'static str, Sink>,
}

impl Tables {
    pub(super) fn new(output: Output) -> Self {
        Self {
            output,
            open: BTreeMap::new(),
        }
    }

    /// Appends bytes to a table.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn put(&mut self, name: &'static str, parts: &[&[u8]]) -> Result<()> {
        let sink = match self.open.get_mut(name) {
            Some(sink) => sink,
            None => {
                let sink = self.output.create(Part::Member(name), false)?;
                self.open.entry(name).or_insert(sink)
            }
        };
        parts.iter().try_for_each(|part| sink.put(part))
    }

    /// Appends a line.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn line(&mut self, name: &'static str, key: &[u8], rest: &[u8]) -> Result<()> {
        let blank: &[u8] = if rest.is_empty() { b"" } else { b" " };
        self.put(name, &[key, blank, rest, b"\n"])
    }

    /// Completes all tables, and returns their total size.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn finish(self) -> Result<u64> {
        let sinks = self.open.into_values();
        sinks.map(Sink::finish).sum()
    }
}
