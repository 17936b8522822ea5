//! Compressed recordings, of which spans are read.

use spr_core::bytes::{Env, ObjectBounds, SampleStream, Source};
use spr_core::model::{Matrix, RecordingFacts};
use spr_core::{Limits, Result};

use super::CodedFile;

/// The samples of a file, decoded block by block.
pub(super) struct CodedStream {
    source: Source,
    coded: Box<dyn CodedFile>,
    env: Env,
}

impl CodedStream {
    /// Takes a file whose header was read from `source`.
    pub(super) fn new(source: Source, coded: Box<dyn CodedFile>, env: &Env) -> Self {
        // Recordings that are open would keep themselves open.
        let env = env.for_run();
        Self { source, coded, env }
    }
}

impl SampleStream for CodedStream {
    fn facts(&self) -> RecordingFacts {
        self.coded.facts()
    }

    fn seek(&mut self, to: u64) -> Result<Option<u64>> {
        self.coded.seek(&mut self.source, to)
    }

    fn read(&mut self, _most: usize, into: &mut Matrix, limits: &Limits) -> Result<bool> {
        self.env.limits = *limits;
        if into.is_empty() {
            self.coded.start(into);
        }
        let whole = ObjectBounds::Whole;
        self.coded.decode(&mut self.source, whole, into, &self.env)
    }
}
