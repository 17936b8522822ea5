//! Writing of segmentations and corpora. The header, which counts the lines, is written at the end.

use spr_core::bytes::{Env, Location, Output, Part, Sink};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{FrameGrid, Utterance};
use spr_core::{Error, Result};

use super::entries::{Entries, EntryLines, ListSort};
use super::names::Names;
use super::segments::to_frames;
use super::spool::Spool;
use crate::vocabulary::Dialect;

/// A writer of a list to one file.
pub(crate) struct ListWriter {
    sink: Sink,
    entries: Entries,
    body: Spool,
    lines: u64,
    written: WriteSummary,
}

impl ListWriter {
    /// Creates a writer of a corpus in a separate file beside the listed files.
    pub(crate) fn beside(
        output: &Output,
        file: Location,
        dialect: Dialect,
        env: &Env,
    ) -> Result<Self> {
        let locator = output.locator();
        let within = |folder: &Location| locator.location().is_some_and(|at| folder.is_within(at));
        if file
            .parent()
            .is_some_and(|folder| within(&folder) && !env.exists(&folder))
        {
            let error = Error::usage("the folder of the corpus does not exist");
            return Err(error
                .file(file.to_string())
                .hint("the folder of the data is made at the end; put the corpus beside it"));
        }
        let sort = ListSort::Corpus(Names::default());
        let entries = Entries::new(dialect, sort, env.limits);
        Self::new(output, Part::At(&file.into()), entries)
    }

    /// Creates a writer of an empty list of entries.
    pub(super) fn new(output: &Output, part: Part<'_>, entries: Entries) -> Result<Self> {
        Ok(Self {
            sink: output.create(part, false)?,
            entries,
            body: Spool::new(),
            lines: 0,
            written: WriteSummary::default(),
        })
    }

    /// Formats the line of an utterance in a separate file, whose header has the other tags.
    ///
    /// # Errors
    /// The list cannot represent it.
    pub(crate) fn prepare_beside(&mut self, utt: &Utterance) -> Result<EntryLines> {
        self.entries.prepare_beside(utt)
    }

    /// Adds formatted lines.
    pub(crate) fn add(&mut self, ready: EntryLines) -> Result<()> {
        self.lines += ready.lines;
        self.body.put(self.entries.add(ready)?)
    }

    /// Adds an utterance with its formatted lines.
    pub(super) fn store(&mut self, utt: &Utterance, ready: EntryLines) -> Result<()> {
        self.add(ready)?;
        self.written.count(utt);
        Ok(())
    }

    /// Completes the list, and returns its size in bytes.
    pub(crate) fn end(mut self) -> Result<u64> {
        let header = self.entries.header(self.lines, self.written.utterances)?;
        self.sink.put(&header)?;
        let grid = self.entries.head().and_then(FrameGrid::of);
        let grid = grid.unwrap_or_else(FrameGrid::usual);
        let framed = self.entries.are_framed();
        self.body.copy(&mut self.sink, |line| match framed {
            true => to_frames(line, &grid),
            false => Ok(()),
        })?;
        self.sink.finish()
    }
}

impl Writer for ListWriter {
    fn caps(&self) -> &Caps {
        self.entries.caps()
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.entries.accept(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let ready = self.entries.prepare(utt);
        self.store(utt, ready.map_err(|e| e.utterance(&utt.key).continuable())?)
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut written = self.written.clone();
        written.bytes = self.end()?;
        Ok(written)
    }
}
