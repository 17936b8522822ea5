//! Batches of frames or utterances.

use std::collections::VecDeque;

use super::batching::{BatchSize, Batching};
use super::frame_cursor::{FrameCursor, append};
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Key, KeySource, Limits, Matrix, Sequences, Utterance};

/// Joins utterances to batches called `utt000000`, `utt000001`, …, features and labels alike.
///
/// Batches of [frames](Batching::frames) lose keys and boundaries of utterances. Batches of whole
/// utterances have them in [`Utterance::sequences`]. Both lose tags. No batch contains frames of
/// two [partitions](Utterance::part) unless that is [allowed](Batching::across_partitions).
pub struct Batch {
    pieces: FrameCursor,
    batching: Batching,
    limits: Limits,
    info: DatasetInfo,
    /// The current partition, and a batch for each bucket.
    part: Option<u64>,
    gathered: Vec<Bin>,
    /// Complete batches, and allocations for others.
    ready: VecDeque<Bin>,
    spare: Vec<Bin>,
    made: u64,
    /// Whether the input has ended.
    ended: bool,
}

/// A batch being filled.
#[derive(Default)]
struct Bin {
    features: Option<Matrix>,
    labels: Option<Matrix>,
    /// Its partition.
    part: Option<u64>,
    rows: usize,
    /// Empty if utterances are cut.
    sequences: Sequences,
    longest: usize,
}

impl Batch {
    /// Creates batches of `inner`. All batches being filled may not exceed `limits` together.
    ///
    /// # Errors
    /// The parameters are invalid.
    pub fn new(inner: Box<dyn Reader>, batching: Batching, limits: Limits) -> Result<Self> {
        batching.check()?;
        let mut info = inner.info().without_totals();
        info.keys = KeySource::Generated;
        Ok(Self {
            pieces: FrameCursor::new(inner),
            gathered: (0..=batching.buckets.len())
                .map(|_| Bin::default())
                .collect(),
            batching,
            limits,
            info,
            part: None,
            ready: VecDeque::new(),
            spare: Vec::new(),
            made: 0,
            ended: false,
        })
    }

    /// Reads the next utterance; at the end completes the remaining batches.
    fn next(&mut self) -> Result<()> {
        if !self.pieces.next()? {
            self.ended = true;
            self.flush();
            return Ok(());
        }
        let part = self.pieces.utterance().part;
        if !self.batching.across && part != self.part {
            self.flush();
            self.part = part;
        }
        let placed = match self.batching.is_whole() {
            true => self.place_whole(),
            false => self.check(0),
        };
        placed.map_err(|error| {
            self.pieces.skip();
            error.utterance(&self.pieces.utterance().key)
        })
    }

    /// Checks that the current utterance matches those in a batch.
    fn check(&self, bucket: usize) -> Result<()> {
        let utt = self.pieces.utterance();
        if let Some(other) = utt.other() {
            let message = format!("has {other}, which can't be part of a batch of frames");
            return Err(Error::unfit(message).continuable());
        }
        let bin = &self.gathered[bucket];
        let skipped = !self.batching.is_whole() && self.pieces.left() == 0;
        if bin.is_empty() || skipped {
            return Ok(());
        }
        for (what, own, batch) in [
            ("features", &utt.features, &bin.features),
            ("labels", &utt.labels, &bin.labels),
        ] {
            let (own, batch) = (kind(own), kind(batch));
            if own != batch {
                let message = format!("has {own} as {what}, the batch {batch}");
                return Err(Error::unfit(message).continuable());
            }
        }
        Ok(())
    }

    /// Adds the current utterance to the batch of its bucket, or to a new one.
    fn place_whole(&mut self) -> Result<()> {
        let frames = self.pieces.left();
        let bucket = self.batching.bucket(frames);
        if !self.gathered[bucket].has_room(self.batching.size, frames) {
            self.finish(bucket);
        }
        self.check(bucket)?;
        let key = self.pieces.utterance().key.clone();
        self.take(bucket, frames)?;
        let bin = &mut self.gathered[bucket];
        bin.longest = bin.longest.max(frames);
        bin.sequences.push(key, frames);
        if bin.is_full(self.batching.size) {
            self.finish(bucket);
        }
        Ok(())
    }

    /// Adds as many frames of the current utterance to the batch as fit.
    fn place_frames(&mut self, most: usize) -> Result<()> {
        self.take(0, most - self.gathered[0].rows)?;
        if self.gathered[0].is_full(self.batching.size) {
            self.finish(0);
        }
        Ok(())
    }

    /// Moves at most `most` frames of the current utterance to a batch.
    fn take(&mut self, bucket: usize, most: usize) -> Result<()> {
        let rows = self.pieces.take(most);
        let (utt, bin) = (self.pieces.utterance(), &mut self.gathered[bucket]);
        let starts = bin.is_empty();
        for (from, into) in [
            (&utt.features, &mut bin.features),
            (&utt.labels, &mut bin.labels),
        ] {
            let Some(from) = from else {
                *into = None;
                continue;
            };
            let into = into.get_or_insert_default();
            if starts {
                into.start_like(from);
            }
            append(into, from, rows.clone(), &self.limits)?;
        }
        bin.rows += rows.len();
        if self.gathered.len() > 1 {
            let bytes = self.gathered.iter().map(Bin::bytes).sum();
            self.limits.bytes("the batches of all buckets", bytes)?;
        }
        Ok(())
    }

    /// Marks the batch of a bucket as complete.
    fn finish(&mut self, bucket: usize) {
        let mut done = self.spare.pop().unwrap_or_default();
        std::mem::swap(&mut done, &mut self.gathered[bucket]);
        done.part = self.part.filter(|_| !self.batching.across);
        self.ready.push_back(done);
    }

    /// Completes all batches being filled.
    fn flush(&mut self) {
        for bucket in 0..self.gathered.len() {
            match self.gathered[bucket].is_empty() {
                true => {}
                false if self.batching.drop_tail => self.gathered[bucket].clear(),
                false => self.finish(bucket),
            }
        }
    }

    fn give(&mut self, mut bin: Bin, utt: &mut Utterance) -> Result<()> {
        if self.batching.pad {
            let sequences = std::mem::take(&mut bin.sequences).padded();
            for (packed, out) in [
                (&mut bin.features, &mut utt.features),
                (&mut bin.labels, &mut utt.labels),
            ] {
                match packed {
                    Some(packed) => {
                        pad(
                            packed,
                            out.get_or_insert_default(),
                            &sequences,
                            &self.limits,
                        )?;
                    }
                    None => *out = None,
                }
            }
            bin.sequences = sequences;
        } else {
            std::mem::swap(&mut bin.features, &mut utt.features);
            std::mem::swap(&mut bin.labels, &mut utt.labels);
        }
        let filled = (utt.features.take(), utt.labels.take());
        utt.start();
        (utt.features, utt.labels) = filled;
        utt.key = Key::generated(self.made);
        utt.part = bin.part;
        if self.batching.is_whole() {
            utt.sequences = Some(Box::new(std::mem::take(&mut bin.sequences)));
        }
        self.made += 1;
        bin.clear();
        self.spare.push(bin);
        Ok(())
    }

    /// Returns the next batch, if there is one.
    fn fill(&mut self) -> Result<Option<Bin>> {
        loop {
            if let Some(bin) = self.ready.pop_front() {
                return Ok(Some(bin));
            }
            match self.batching.size {
                BatchSize::Frames(most) if self.pieces.left() > 0 => self.place_frames(most)?,
                _ if self.ended => return Ok(None),
                _ => self.next()?,
            }
        }
    }
}

impl Bin {
    fn is_empty(&self) -> bool {
        self.rows == 0 && self.sequences.is_empty()
    }

    /// Clears the content and keeps the allocations.
    fn clear(&mut self) {
        (self.rows, self.longest) = (0, 0);
        self.sequences = Sequences::default();
    }

    /// Returns `true` if an utterance of `frames` frames fits.
    fn has_room(&self, size: BatchSize, frames: usize) -> bool {
        if self.is_empty() {
            return true;
        }
        match size {
            BatchSize::Frames(n) => self.rows < n,
            BatchSize::Utterances(n) => self.sequences.len() < n,
            BatchSize::WholeFrames(n) => self.rows.saturating_add(frames) <= n,
            BatchSize::PaddedFrames(n) => {
                let longest = self.longest.max(frames);
                longest.saturating_mul(self.sequences.len() + 1) <= n
            }
        }
    }

    /// Returns `true` if no utterance with frames fits.
    fn is_full(&self, size: BatchSize) -> bool {
        !self.is_empty() && !self.has_room(size, 1)
    }

    fn bytes(&self) -> u64 {
        let matrices = self.features.iter().chain(&self.labels);
        match self.is_empty() {
            true => 0,
            false => matrices.map(|matrix| matrix.as_bytes().len() as u64).sum(),
        }
    }
}

/// Pads consecutive utterances to as many rows each as the longest has.
fn pad(packed: &Matrix, out: &mut Matrix, sequences: &Sequences, limits: &Limits) -> Result<()> {
    let stride = sequences.longest();
    let rows = stride.checked_mul(sequences.len());
    let rows = rows.ok_or_else(|| Error::limit("a padded batch is too large"))?;
    out.start_like(packed);
    let bytes = out.extend_rows(rows, limits)?;
    let row = packed.cols() * packed.dtype().size();
    if stride * row == 0 {
        return Ok(());
    }
    let mut rest = packed.as_bytes();
    for (place, frames) in bytes
        .chunks_exact_mut(stride * row)
        .zip(sequences.lengths())
    {
        let (own, padding) = place.split_at_mut(frames * row);
        let (frames, after) = rest.split_at(own.len());
        own.copy_from_slice(frames);
        padding.fill(0);
        rest = after;
    }
    Ok(())
}

/// Describes type, rank and width of features or labels.
fn kind(matrix: &Option<Matrix>) -> String {
    match matrix {
        Some(m) => format!("{:?} of {} {}", m.rank(), m.cols(), m.dtype()).to_lowercase(),
        None => "nothing".to_owned(),
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Batch {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// # Errors
    /// An utterance does not match those before it in a batch, which continues without it.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let filled = self.fill().and_then(|bin| match bin {
            Some(bin) => self.give(bin, utt).map(|()| true),
            None => Ok(false),
        });
        if let Err(error) = &filled
            && !error.can_continue()
        {
            self.ended = true;
            self.ready.clear();
            self.gathered.iter_mut().for_each(Bin::clear);
            self.pieces.skip();
        }
        filled
    }
}
