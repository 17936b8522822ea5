//! Folders with one list per utterance.

use spr_core::bytes::{Output, Part};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::Utterance;
use spr_core::{Limits, Result};

use super::entries::{Entries, ListSort};
use super::writer::ListWriter;
use crate::vocabulary::Dialect;

/// A writer of a list for each utterance.
pub(super) struct ListFolder {
    output: Output,
    dialect: Dialect,
    /// The entries of an empty list.
    empty: Entries,
    caps: Caps,
    written: WriteSummary,
}

impl ListFolder {
    pub(super) fn new(output: Output, dialect: Dialect, sort: ListSort, limits: Limits) -> Self {
        Self {
            caps: sort.caps(output.medium()),
            output,
            dialect,
            empty: Entries::new(dialect, sort, limits),
            written: WriteSummary::default(),
        }
    }
}

impl Writer for ListFolder {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        let checked = self.caps.check(utt);
        checked.map_err(|e| e.utterance(&utt.key).continuable())?;
        self.output.accept(&utt.key, self.dialect.extension())?;
        self.empty.accept(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let mut entries = self.empty.another();
        let ready = self.caps.check(utt).and_then(|()| entries.prepare(utt));
        let ready = ready.map_err(|e| e.utterance(&utt.key).continuable())?;
        let part = Part::Utterance(&utt.key, self.dialect.extension());
        let mut list = ListWriter::new(&self.output, part, entries)?;
        list.store(utt, ready)?;
        self.written.bytes += list.end()?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        Ok(self.written)
    }
}
