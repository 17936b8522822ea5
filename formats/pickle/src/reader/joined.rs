//! Reading of joined utterances, separated by the side file.

use spr_core::bytes::Source;
use spr_core::model::{Chunks, DatasetInfo, Key, Rank, Utterance};
use spr_core::tables::side::SideReader;
use spr_core::{Error, Result};

use super::scope::{Scope, key_source, rank, read_features, read_labels};
use crate::array::Array;
use crate::coding::StringCoding;
use crate::dataset::UtteranceArrays;
use crate::payload::Payload;
use crate::rows::Rows;

/// One or two arrays as utterances.
pub(super) struct JoinedReader {
    features: Rows,
    labels: Option<Rows>,
    rank: Rank,
    rows: u64,
    /// The numbers of utterances and rows read so far.
    number: u64,
    next: u64,
    /// The utterance that is not finished.
    open: Option<(Key, Chunks)>,
    side: Option<SideReader>,
}

/// Returns the reason why the rows of an array are found only by reading others, if they are.
fn sequential(features: &Array) -> Option<&'static str> {
    match &features.data {
        Payload::Range { coding, .. } if *coding != StringCoding::Raw => {
            Some("its numbers are coded as text, which protocol=4 avoids")
        }
        Payload::Range { .. } if features.by_columns => {
            Some("its features are stored column by column")
        }
        Payload::Range { .. } | Payload::Inline(_) | Payload::Parts(_) => None,
    }
}

impl JoinedReader {
    /// Creates a reader of the utterances in `part`, and updates `info`.
    pub(super) fn new(
        part: UtteranceArrays,
        side: Option<SideReader>,
        info: &mut DatasetInfo,
    ) -> Self {
        let UtteranceArrays { features, labels } = part;
        info.utterances = side.is_none().then_some(u64::from(features.rows > 0));
        info.frames = Some(features.rows);
        info.dim = Some(features.width());
        info.dtype = Some(features.dtype);
        info.label_columns = labels.as_ref().map(|labels| labels.width());
        info.byte_order = Some(features.order);
        info.sequential = sequential(&features);
        info.keys = key_source(side.as_ref());
        Self {
            rank: rank(&features),
            rows: features.rows,
            features: Rows::new(features),
            labels: labels.map(Rows::new),
            number: 0,
            next: 0,
            open: None,
            side,
        }
    }

    /// Sets the number of threads that decode features.
    pub(super) fn share(&mut self, threads: usize) {
        self.features.share(threads);
    }

    /// Returns the number of rows of the next utterance, and sets `key` to its name.
    fn next_utterance(&mut self, key: &mut Key) -> Result<Option<u64>> {
        let left = self.rows - self.next;
        let Some(side) = &mut self.side else {
            key.clone_from(&Key::generated(0));
            return Ok((left > 0).then_some(left));
        };
        match side.read(key)? {
            Some(frames) if frames > left => Err(side
                .error(format!(
                    "says {frames} frames, but only {left} of {} are left",
                    self.rows
                ))
                .utterance(key)),
            None if left > 0 => Err(side.error(format!(
                "names {} frames in all, but the data have {}",
                self.next, self.rows
            ))),
            other => Ok(other),
        }
    }

    pub(super) fn read(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        scope: &Scope,
    ) -> Result<bool> {
        if self.read_chunk(source, utt, scope)? {
            return Ok(true);
        }
        while let Some(frames) = self.next_utterance(&mut utt.key)? {
            if scope.is_over(self.number) {
                return Ok(false);
            }
            let wanted = scope.wants(self.number, &utt.key);
            self.number += 1;
            let chunks = self.features.chunks(frames);
            if let Some(chunks) = chunks.filter(|_| wanted && scope.chunked) {
                self.open = Some((utt.key.clone(), chunks));
                return self.read_chunk(source, utt, scope);
            }
            let read = match wanted {
                true => self.read_rows(source, frames, utt, scope),
                false => self.pass_rows(source, frames),
            };
            read.map_err(|e: Error| e.utterance(&utt.key))?;
            self.next += frames;
            if wanted {
                return Ok(true);
            }
        }
        if scope.weighing {
            return Ok(false);
        }
        self.features.end(source)?;
        if let Some(labels) = &mut self.labels {
            labels.end(source)?;
        }
        Ok(false)
    }

    /// Reads the next chunk of the current utterance, if there is one.
    fn read_chunk(
        &mut self,
        source: &mut Source,
        utt: &mut Utterance,
        scope: &Scope,
    ) -> Result<bool> {
        let Some((key, chunks)) = &mut self.open else {
            return Ok(false);
        };
        let Some((chunk, frames)) = chunks.deal() else {
            self.open = None;
            return Ok(false);
        };
        utt.key.set(key.as_bytes());
        utt.chunk = Some(chunk);
        self.read_rows(source, frames, utt, scope)
            .map_err(|e| e.utterance(&utt.key))?;
        self.next += frames;
        Ok(true)
    }

    fn pass_rows(&mut self, source: &mut Source, frames: u64) -> Result<()> {
        self.features.pass(source, frames)?;
        match &mut self.labels {
            Some(labels) => labels.pass(source, frames),
            None => Ok(()),
        }
    }

    fn read_rows(
        &mut self,
        source: &mut Source,
        frames: u64,
        utt: &mut Utterance,
        scope: &Scope,
    ) -> Result<()> {
        let shape = (frames, self.rank);
        read_features(&mut self.features, source, shape, utt, scope)?;
        if frames == 0 && self.rank == Rank::Matrix {
            utt.features_mut().reshape(Rank::Matrix, 0, 0)?;
        }
        read_labels(self.labels.as_mut(), source, frames, utt, scope)
    }
}
