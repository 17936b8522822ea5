//! Lists in a folder: one an utterance.

use spr_core::bytes::{Output, Part};
use spr_core::format::{Caps, Writer, Written};
use spr_core::model::Utterance;
use spr_core::{Error, Limits, Result};

use super::writer::{ListSort, ListWriter};
use crate::vocabulary::Dialect;

/// Writes a list for each utterance.
pub(super) struct ListFolder {
    output: Output,
    dialect: Dialect,
    /// A list in which nothing is yet.
    empty: ListSort,
    caps: Caps,
    limits: Limits,
    written: Written,
}

impl ListFolder {
    pub(super) fn new(output: Output, dialect: Dialect, empty: ListSort, limits: Limits) -> Self {
        Self {
            caps: empty.caps(output.medium()),
            output,
            dialect,
            empty,
            limits,
            written: Written::default(),
        }
    }
}

impl Writer for ListFolder {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let place = |e: Error| e.utterance(&utt.key).continuable();
        self.caps.check(utt).map_err(place)?;
        let part = Part::Utterance(&utt.key, self.dialect.extension());
        let sort = self.empty.another();
        let list = ListWriter::new(&self.output, part, self.dialect, sort, self.limits);
        let mut list = list.map_err(place)?;
        list.write(utt)?;
        self.written.bytes += list.end()?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        Ok(self.written)
    }
}
