//! Joining of the parts of recordings to whole recordings.

#[cfg(test)]
mod tests;
mod whole;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::bytes::{Env, MemoryCounter};
use crate::error::{Error, Remedy, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, KeySet, Utterance};
use crate::stage::{Peek, Sort, SortKey};
use whole::Whole;

/// Makes one utterance of consecutive ones that are parts of the same recording, with the name of the
/// recording as its key.
///
/// Parts of a recording by reference are the reference to all of it again. Other audio, features and frame
/// labels are put together; their parts must follow each other from the start of the recording. Each
/// utterance becomes a segment, with its text as the label, otherwise its speaker, otherwise its key. Other
/// segments keep their tiers, and get the times of the recording.
///
/// A recording whose parts are in two places is an error.
pub struct JoinPieces {
    inner: Box<dyn Reader>,
    /// Whether only segments are wanted, so that audio and frames are left out.
    only_segments: bool,
    seen: KeySet,
    held: MemoryCounter,
    piece: Utterance,
    /// Whether the piece was read ahead.
    is_ahead: bool,
    /// Errors that were met while the parts of a recording were read.
    errors: VecDeque<Error>,
    env: Env,
    info: DatasetInfo,
}

impl JoinPieces {
    /// Joins the utterances of `inner`.
    pub fn new(inner: Box<dyn Reader>, env: &Env) -> Self {
        Self {
            info: inner.info().without_totals(),
            inner,
            only_segments: false,
            seen: KeySet::default(),
            held: MemoryCounter::new("the names of recordings"),
            piece: Utterance::default(),
            is_ahead: false,
            errors: VecDeque::new(),
            env: env.clone(),
        }
    }

    /// Reads the next part ahead, and returns `false` if there is none. Errors wait.
    fn read_part(&mut self) -> bool {
        loop {
            match self.inner.read(&mut self.piece) {
                Ok(more) => return more,
                Err(error) => {
                    let goes_on = error.can_continue();
                    self.errors.push_back(error);
                    if !goes_on {
                        return false;
                    }
                }
            }
        }
    }

    /// Joins all consecutive parts of the recording of the current piece. A faulty one costs the whole
    /// recording.
    fn join(&mut self) -> Result<Utterance> {
        let Some(recording) = self.piece.meta.recording.clone() else {
            return Err(Error::unfit("is not a part of a recording").utterance(&self.piece.key));
        };
        self.held
            .keep(recording.as_bytes().len(), &self.env.limits)?;
        if !self.seen.insert(&recording) {
            let error = Error::unfit("the parts of its recording are in two places");
            let error = error.suggest(Remedy::SortByRecording);
            return Err(error.utterance(&self.piece.key).fatal());
        }
        let (mut whole, mut fault) = (Whole::new(recording.clone()), None);
        loop {
            if fault.is_none() {
                let added = whole.add(&mut self.piece, self.only_segments, &self.env);
                fault = added.err().map(|e| e.utterance(&self.piece.key));
            }
            self.is_ahead = self.read_part();
            if !self.is_ahead || self.piece.meta.recording.as_ref() != Some(&recording) {
                break;
            }
        }
        match fault {
            None => whole.finish().map_err(|e| e.utterance(&recording)),
            Some(fault) => Err(fault),
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for JoinPieces {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// # Errors
    /// An utterance is no part of a recording, or the parts of one do not make up a whole; the next one can
    /// be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if let Some(error) = self.errors.pop_front() {
            return Err(error);
        }
        if !std::mem::take(&mut self.is_ahead) && !self.inner.read(&mut self.piece)? {
            return Ok(false);
        }
        *utt = self.join().map_err(|error| match error.can_continue() {
            false if error.remedy() == Some(&Remedy::SortByRecording) => error,
            _ => error.continuable(),
        })?;
        Ok(true)
    }
}

/// Returns the segments of recordings: those of utterances that are parts of recordings and have none of
/// their own, such as the lines of an STM file, are joined, in any order. If the first utterance is not of
/// this sort, all are returned as they are.
pub fn segments_by_recording(inner: Box<dyn Reader>, env: &Env) -> Box<dyn Reader> {
    /// The memory for sorting, in bytes.
    const MEMORY: u64 = 64 << 20;
    let mut inner = Peek::new(inner);
    let is_part = |utt: &Utterance| {
        utt.tiers.is_empty() && utt.meta.recording.is_some() && utt.meta.start.is_some()
    };
    if !inner.peek().is_some_and(is_part) {
        return Box::new(inner);
    }
    let order = |utt: &Utterance, out: &mut Vec<u8>| {
        let meta = &utt.meta;
        let recording = meta.recording.as_ref().map(|name| name.as_bytes());
        out.extend_from_slice(recording.unwrap_or_default());
        out.push(0);
        // The bits of numbers that are not negative are in their order.
        let start = meta.start.map_or(0.0, |start| start.value().max(0.0));
        out.extend(start.to_bits().to_be_bytes());
    };
    let sorted = Sort::new(Box::new(inner), SortKey::Bytes(Arc::new(order)), MEMORY);
    Box::new(JoinPieces {
        only_segments: true,
        ..JoinPieces::new(Box::new(sorted), env)
    })
}
