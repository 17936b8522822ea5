//! Files of the program's own: reports, lists, pictures, pages.

use spr_core::Result;
use spr_core::bytes::{Env, Location, Locator, Output, Part, Sink};

/// A file that is there whole once it is finished, and else not at all.
pub(super) struct Document {
    output: Output,
    sink: Sink,
}

impl Document {
    /// Begins it, so that it is known early if it can't be written.
    pub(super) fn create(at: &Location, overwrite: bool, env: &Env) -> Result<Self> {
        let output = env.output(&Locator::file(at)).overwrite(overwrite);
        let sink = output.create(Part::Main, false)?;
        Ok(Self { output, sink })
    }

    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.sink.put(bytes)
    }

    /// Gives it its name.
    pub(super) fn finish(self) -> Result<()> {
        self.sink.finish()?;
        self.output.commit()
    }
}
