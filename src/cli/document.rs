//! Files of the program's own: reports, lists, pictures, pages.

use spr_core::Result;
use spr_core::bytes::{Env, Location, Locator, Output, Part, Sink};

/// A file that is there whole once it is finished, and else not at all; or standard output.
pub(super) struct Document {
    output: Output,
    sink: Sink,
}

impl Document {
    /// Begins it, so that it is known early if it can't be written. `-` is standard output.
    pub(super) fn create(at: &Location, overwrite: bool, env: &Env) -> Result<Self> {
        let output = env.output(&place(at)).overwrite(overwrite);
        let sink = output.create(Part::Main, false)?;
        Ok(Self { output, sink })
    }

    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.sink.put(bytes)
    }

    /// Completes it, and leaves it to the caller to give it its name.
    pub(super) fn complete(self) -> Result<Output> {
        self.sink.finish()?;
        Ok(self.output)
    }

    /// Gives it its name.
    pub(super) fn finish(self) -> Result<()> {
        self.complete()?.commit()
    }
}

/// Returns the locator for a name.
pub(super) fn place(name: &Location) -> Locator {
    match name.as_os_str() == "-" {
        true => Locator::Standard,
        false => Locator::file(name),
    }
}
