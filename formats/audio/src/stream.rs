//! Recordings without compression, of which spans are read.

use spr_core::bytes::{Env, SampleStream, Source};
use spr_core::model::{Matrix, RecordingFacts};
use spr_core::{Limits, Result};

use crate::coding::PlainSamples;
use crate::reader::{Finish, Head};

/// The samples of a file, which are where their numbers say.
pub(crate) struct PlainStream {
    source: Source,
    facts: RecordingFacts,
    samples: PlainSamples,
    /// Checks what follows the samples, until that was done.
    finish: Option<Finish>,
    env: Env,
}

impl PlainStream {
    /// Takes the samples after a header that was read from `source`.
    ///
    /// # Errors
    /// The file is cut off.
    pub(crate) fn new(source: Source, mut head: Head, env: &Env) -> Result<Self> {
        head.samples.count(&source)?;
        head.expect(&source)?;
        Ok(Self {
            facts: head.facts(&source),
            source,
            samples: head.samples,
            finish: Some(head.finish),
            // Those that are open would keep themselves open.
            env: env.for_run(),
        })
    }
}

impl SampleStream for PlainStream {
    fn facts(&self) -> RecordingFacts {
        self.facts
    }

    fn seek(&mut self, to: u64) -> Result<Option<u64>> {
        self.samples.seek(&mut self.source, to)
    }

    fn read(&mut self, most: usize, into: &mut Matrix, limits: &Limits) -> Result<bool> {
        let source = &mut self.source;
        if self.samples.read(source, most, into, limits)? {
            return Ok(true);
        }
        if let Some(finish) = self.finish.take() {
            finish(source, &self.samples, &mut Vec::new(), &self.env)?;
        }
        Ok(false)
    }
}
