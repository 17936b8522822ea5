//! One recording, of which any samples can be read.

use std::ops::Range;

use super::samples::SampleStream;
use super::tape::Tape;
use crate::bytes::Source;
use crate::error::{Error, Result};
use crate::model::{Limits, Matrix, Rank, RecordingFacts, Waveform};

/// The number of samples that are decoded at once.
const BLOCK: usize = 16 << 10;

/// An open recording.
pub(crate) struct Recording {
    name: String,
    /// A temporary copy of its bytes, if they can't be read again where they are from.
    copy: Option<Source>,
    stream: Box<dyn SampleStream>,
    facts: RecordingFacts,
    /// All samples so far, if the stream only goes forward.
    tape: Option<Tape>,
    /// The samples decoded last, and the number of the first of them.
    block: Matrix,
    first: u64,
    ended: bool,
    /// The error after which a stream that only goes forward has no more samples.
    fault: Option<Error>,
    /// Set once its length was compared with the one stated in its data set.
    pub(crate) is_compared: bool,
}

impl Recording {
    /// Creates the recording of a stream; `copy` is a temporary copy of its bytes, if there is one.
    ///
    /// # Errors
    /// It is damaged.
    pub(super) fn new(
        name: String,
        copy: Option<Source>,
        mut stream: Box<dyn SampleStream>,
    ) -> Result<Self> {
        let facts = stream.facts();
        let seeks = facts.samples.is_some() && stream.seek(0)?.is_some();
        Ok(Self {
            name,
            copy,
            stream,
            facts,
            tape: (!seeks).then(Tape::new),
            block: Matrix::default(),
            first: 0,
            ended: false,
            fault: None,
            is_compared: false,
        })
    }

    /// Returns its name for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the temporary copy of its bytes, if there is one.
    pub(super) fn copy(&self) -> Option<Source> {
        self.copy.as_ref()?.copy()
    }

    /// Returns the number of bytes that it keeps in temporary files.
    pub(super) fn kept(&self) -> u64 {
        let copy = self.copy.as_ref().and_then(Source::len);
        self.tape.as_ref().map_or(0, Tape::bytes) + copy.unwrap_or_default()
    }

    /// Returns its facts. All of it is decoded if its header does not count the samples.
    ///
    /// # Errors
    /// It is damaged.
    pub(crate) fn facts(&mut self, limits: &Limits) -> Result<RecordingFacts> {
        self.facts_up_to(u64::MAX, limits)
    }

    /// Returns its facts, with the number of its samples if it is known or below `to`. As much of it is
    /// decoded as it takes to know that.
    ///
    /// # Errors
    /// It is damaged.
    pub(crate) fn facts_up_to(&mut self, to: u64, limits: &Limits) -> Result<RecordingFacts> {
        while self.facts.samples.is_none() && self.decoded() < to && self.decode(BLOCK, limits)? {}
        Ok(self.facts)
    }

    /// Reads the samples in `rows`, as far as there are any, of all channels.
    ///
    /// # Errors
    /// It is damaged, or they exceed the limits.
    pub(crate) fn read(&mut self, rows: Range<u64>, limits: &Limits) -> Result<Waveform> {
        let samples = match self.tape.is_some() {
            true => self.read_tape(rows, limits)?,
            false => self.in_place(rows, limits)?,
        };
        Ok(Waveform {
            rate: self.facts.rate.unwrap_or_default(),
            samples,
        })
    }

    /// Returns the number of samples up to the end of the last block.
    fn decoded(&self) -> u64 {
        self.first + self.block.rows() as u64
    }

    /// Forgets the last block; sample `first` comes next.
    fn restart(&mut self, first: u64) {
        self.first = first;
        let (dtype, cols) = (self.block.dtype(), self.block.cols());
        self.block.start(dtype, Rank::Matrix, cols);
    }

    /// Makes sure that nothing after damage is taken for what it is not.
    fn fail(&mut self, error: Error) -> Error {
        let error = error.file(&self.name);
        match &self.tape {
            Some(_) => self.fault = Some(error.copy()),
            None => self.restart(u64::MAX),
        }
        error
    }

    /// Decodes the next block. Returns `false` at the end, where the number of samples is known.
    fn decode(&mut self, most: usize, limits: &Limits) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if let Some(fault) = &self.fault {
            return Err(fault.copy());
        }
        self.restart(self.decoded());
        let more = self.stream.read(most, &mut self.block, limits);
        let more = match more {
            Ok(more) => more,
            Err(error) => return Err(self.fail(error)),
        };
        if !more {
            self.ended = true;
            self.facts = RecordingFacts {
                samples: Some(self.decoded()),
                ..self.stream.facts()
            };
            return Ok(false);
        }
        if let Some(tape) = &mut self.tape {
            tape.append(&self.block, limits)?;
        }
        Ok(true)
    }

    /// Reads samples of a stream that only goes forward.
    fn read_tape(&mut self, rows: Range<u64>, limits: &Limits) -> Result<Matrix> {
        // The first block tells type and channels.
        while (self.decoded() < rows.end || self.block.cols() == 0) && self.decode(BLOCK, limits)? {
        }
        let there = rows.start.min(self.decoded())..rows.end.min(self.decoded());
        match &mut self.tape {
            Some(tape) => tape.read(there.start, count(&there)?, &self.block, limits),
            None => Ok(Matrix::default()),
        }
    }

    /// Reads samples of a stream that moves to them.
    fn in_place(&mut self, rows: Range<u64>, limits: &Limits) -> Result<Matrix> {
        if !(self.first..=self.decoded()).contains(&rows.start) {
            let at = self.stream.seek(rows.start)?;
            self.restart(at.unwrap_or_default());
            self.ended = false;
        }
        let mut samples = Matrix::default();
        let mut next = rows.start;
        loop {
            // The first block tells type and channels.
            if self.block.cols() > 0 && samples.cols() == 0 {
                samples.start(self.block.dtype(), Rank::Matrix, self.block.cols());
            }
            let held = next.max(self.first)..rows.end.min(self.decoded());
            if held.start == next && held.start < held.end {
                let from = count(&(self.first..held.start))?;
                self.append(from..from + count(&held)?, &mut samples, limits)?;
                next = held.end;
            }
            let is_whole = next >= rows.end && samples.cols() > 0;
            let most = count(&(self.decoded()..rows.end))?.clamp(1, BLOCK);
            if is_whole || self.ended {
                return Ok(samples);
            }
            self.decode(most, limits)?;
        }
    }

    /// Appends rows of the last block to `samples`.
    fn append(&self, rows: Range<usize>, samples: &mut Matrix, limits: &Limits) -> Result<()> {
        let row = self.block.cols() * self.block.dtype().size();
        let into = samples.extend_rows(rows.len(), limits)?;
        if let Some(from) = self.block.as_bytes().get(rows.start * row..rows.end * row) {
            into.copy_from_slice(from);
        }
        Ok(())
    }
}

/// Returns the length of a range as a size in memory.
fn count(rows: &Range<u64>) -> Result<usize> {
    let length = rows.end.saturating_sub(rows.start);
    usize::try_from(length).map_err(|_| Error::unfit("has too many samples"))
}
