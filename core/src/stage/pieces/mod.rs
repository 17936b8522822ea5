//! Joining of the parts of recordings to whole recordings.

#[cfg(test)]
mod tests;
mod whole;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::bytes::Env;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Key, Utterance};
use crate::stage::{Peek, Sort, SortKey};
use whole::Whole;

/// The memory for sorting, in bytes.
const MEMORY: u64 = 64 << 20;

/// Makes one utterance of those that are parts of the same recording, with the name of the recording as its
/// key. The parts may come in any order; recordings keep the order of their first parts.
///
/// Parts of a recording by reference are the reference to all of it again. Other audio, features and frame
/// labels are put together; their parts must follow each other from the start of the recording. Each
/// utterance becomes a segment, with its text as the label, otherwise its speaker, otherwise its key. Other
/// segments keep their tiers, and get the times of the recording.
///
/// All utterances are read before the first recording is returned. Those that exceed 64 MiB go to a
/// temporary file without a name.
pub struct JoinPieces {
    inner: Sort,
    /// Leaves out audio and frames.
    only_segments: bool,
    piece: Utterance,
    /// Set if `piece` is the first one of the next recording.
    is_ahead: bool,
    env: Env,
    info: DatasetInfo,
}

impl JoinPieces {
    /// Joins the utterances of `inner`.
    pub fn new(inner: Box<dyn Reader>, env: &Env) -> Self {
        Self {
            info: inner.info().without_totals(),
            inner: Sort::new(inner, by_recording(), MEMORY),
            only_segments: false,
            piece: Utterance::default(),
            is_ahead: false,
            env: env.clone(),
        }
    }

    /// Joins all parts of the recording of the current piece, and reads the next piece ahead. A faulty one
    /// costs the whole recording.
    fn join(&mut self) -> Result<Utterance> {
        let Some(recording) = self.piece.meta.recording.clone() else {
            let error = Error::unfit("is not a part of a recording");
            return Err(error.utterance(&self.piece.key).continuable());
        };
        let (mut whole, mut fault) = (Whole::new(recording.clone()), None);
        loop {
            if fault.is_none() {
                let added = whole.add(&mut self.piece, self.only_segments, &self.env);
                fault = added.err().map(|e| e.utterance(&self.piece.key));
            }
            self.is_ahead = self.inner.read(&mut self.piece)?;
            if !self.is_ahead || self.piece.meta.recording.as_ref() != Some(&recording) {
                break;
            }
        }
        let whole = match fault {
            None => whole.finish().map_err(|e| e.utterance(&recording)),
            Some(fault) => Err(fault),
        };
        whole.map_err(Error::continuable)
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
        if !std::mem::take(&mut self.is_ahead) && !self.inner.read(&mut self.piece)? {
            return Ok(false);
        }
        *utt = self.join()?;
        Ok(true)
    }
}

/// Returns the segments of recordings: those of utterances that are parts of recordings and have none of
/// their own, such as the lines of an STM file, are joined. If the first utterance is not of this sort, all
/// are returned as they are.
pub fn segments_by_recording(inner: Box<dyn Reader>, env: &Env) -> Box<dyn Reader> {
    let mut inner = Peek::new(inner);
    let is_part = |utt: &Utterance| {
        utt.tiers.is_empty() && utt.meta.recording.is_some() && utt.meta.start.is_some()
    };
    match inner.peek().is_some_and(is_part) {
        false => Box::new(inner),
        true => Box::new(JoinPieces {
            only_segments: true,
            ..JoinPieces::new(Box::new(inner), env)
        }),
    }
}

/// Returns the order of recordings by their first parts, and of parts by their starts.
fn by_recording() -> SortKey {
    let seen: Mutex<HashMap<Key, u64>> = Mutex::default();
    SortKey::Bytes(Arc::new(move |utt: &Utterance, out: &mut Vec<u8>| {
        // Those that are no parts come first.
        let Some(name) = &utt.meta.recording else {
            return;
        };
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        let next = seen.len() as u64;
        let number = match seen.get(name) {
            Some(number) => *number,
            None => *seen.entry(name.clone()).or_insert(next),
        };
        out.extend(number.to_be_bytes());
        // The bits of numbers that are not negative are in their order.
        let start = utt.meta.start.map_or(0.0, |start| start.value().max(0.0));
        out.extend(start.to_bits().to_be_bytes());
    }))
}
