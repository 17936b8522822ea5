//! Partitions of frames.

use std::ops::Range;

use super::frame_cursor::{FrameCursor, append};
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Key, Limits, Matrix, TagSubject, Utterance};

/// The number of frames in a partition: as many as fit into some memory at four bytes per value.
///
/// ```
/// use spr_core::stage::PartitionSize;
/// let size = PartitionSize::of_bytes(600 << 20);
/// assert_eq!(size.frames(440)?, 357_469);
/// assert_eq!(size.in_batches(PartitionSize::PDNN_BATCH).frames(440)?, 357_376);
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionSize {
    bytes: u64,
    batch: u64,
}

impl PartitionSize {
    /// The batch size to which PDNN rounds the partitions of PFiles, whatever batch size it trains
    /// with.
    pub const PDNN_BATCH: u64 = 256;

    /// Returns the size that fits into `bytes` bytes.
    pub fn of_bytes(bytes: u64) -> Self {
        Self { bytes, batch: 1 }
    }

    /// Rounds the size down to whole batches of `frames` frames.
    #[must_use]
    pub fn in_batches(self, frames: u64) -> Self {
        Self {
            batch: frames.max(1),
            ..self
        }
    }

    /// Returns the number of frames of `columns` values in a partition.
    ///
    /// # Errors
    /// Not even one frame, or one batch, fits.
    pub fn frames(self, columns: usize) -> Result<usize> {
        let frames = self.bytes / (4 * columns.max(1) as u64);
        match frames - frames % self.batch {
            0 => {
                let frames = match self.batch {
                    1 => "one frame".to_owned(),
                    n => format!("{n} frames"),
                };
                let message = format!(
                    "a partition of {} bytes can't hold even {frames} of {columns} columns",
                    self.bytes
                );
                Err(Error::usage(message).hint("make the partition larger"))
            }
            n => Ok(usize::try_from(n).unwrap_or(usize::MAX)),
        }
    }
}

/// Cuts utterances at the ends of partitions. Each piece has the key of its utterance with its first
/// frame and the one after its last, `ann-0000000-0000256`, so that keys stay unique, and the index of
/// its partition in [`Utterance::part`].
///
/// The pieces together are the original utterances. Later pieces have no frame offset. An utterance
/// with segments, audio or the like besides its frames cannot be cut.
pub struct Partition {
    pieces: FrameCursor,
    size: Option<PartitionSize>,
    /// The number of frames in the current partition; `None` before the first.
    filled: Option<usize>,
    /// The number of partitions started.
    begun: u64,
    limits: Limits,
    info: DatasetInfo,
    /// Whether an error ended the stream.
    over: bool,
}

impl Partition {
    /// Cuts the utterances of `inner` to partitions of `size`, or puts all into one partition
    /// without a size.
    pub fn new(inner: Box<dyn Reader>, size: Option<PartitionSize>, limits: Limits) -> Self {
        let mut info = inner.info().clone();
        info.utterances = None;
        Self {
            pieces: FrameCursor::new(inner),
            size,
            filled: None,
            begun: 0,
            limits,
            info,
            over: false,
        }
    }

    /// Returns the number of frames in a partition of data like the current utterance.
    fn capacity(&self) -> Result<usize> {
        let features = self.pieces.utterance().features.as_ref();
        match (self.size, features) {
            (None, _) => Ok(usize::MAX),
            (Some(size), Some(features)) => size.frames(features.cols()),
            (Some(_), None) => {
                Err(Error::unfit("has no features to measure a partition by").continuable())
            }
        }
    }

    /// Returns as much of the current utterance as fits.
    fn piece(&mut self, utt: &mut Utterance) -> Result<()> {
        let left = self.pieces.left();
        let mut filled = self.filled;
        let mut room = 0;
        if left > 0 {
            let capacity = self.capacity()?;
            filled = filled.filter(|filled| *filled < capacity);
            room = capacity - filled.unwrap_or(0);
        }
        let whole = left <= room && left as u64 == self.pieces.utterance().frames();
        if !whole && let Some(other) = self.pieces.utterance().other() {
            let message = format!("has {other} and can't be cut where a partition ends");
            return Err(Error::unfit(message).continuable());
        }
        if filled.is_none() {
            self.begun += 1;
        }
        self.filled = Some(filled.unwrap_or(0) + left.min(room));
        let part = self.begun.checked_sub(1);
        if whole || left == 0 {
            self.pieces.take_all(utt);
            utt.part = part;
            return Ok(());
        }
        let rows = self.pieces.take(room);
        let from = self.pieces.utterance();
        utt.key = piece_key(&from.key, &rows);
        utt.start();
        utt.part = part;
        utt.meta.clone_from(&from.meta);
        utt.meta.forget(TagSubject::Frames);
        utt.origin.clone_from(&from.origin);
        if rows.start > 0 {
            utt.meta.frame_offset = None;
        }
        let part = |from: &Matrix, to: &mut Matrix| {
            to.start_like(from);
            append(to, from, rows.clone(), &self.limits)
        };
        if let Some(features) = &from.features {
            part(features, utt.features_mut())?;
        }
        if let Some(labels) = &from.labels {
            part(labels, utt.labels_mut())?;
        }
        Ok(())
    }
}

/// Returns the key of a piece, as Kaldi names subsegments.
fn piece_key(key: &Key, rows: &Range<usize>) -> Key {
    let place = format!("-{:07}-{:07}", rows.start, rows.end);
    Key::from([key.as_bytes(), place.as_bytes()].concat().as_slice())
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Partition {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// # Errors
    /// An utterance cannot be cut; the next one can be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.over {
            return Ok(false);
        }
        if self.pieces.left() == 0 && !self.pieces.next()? {
            return Ok(false);
        }
        let result = self.piece(utt);
        result.map_err(|e| {
            self.pieces.skip();
            self.over = !e.can_continue();
            e.utterance(&self.pieces.utterance().key)
        })?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::stage::tests::{List, labelled, utterance};

    #[test]
    fn sizes_are_those_of_pdnn() {
        let size = PartitionSize::of_bytes(5120);
        assert_eq!(size.frames(4).unwrap(), 320);
        let size = size.in_batches(PartitionSize::PDNN_BATCH);
        assert_eq!(size.frames(4).unwrap(), 256);
        let error = size.frames(6).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(error.remedy().is_some());
        assert!(PartitionSize::of_bytes(3).frames(1).is_err());
    }

    #[test]
    fn pieces_are_named_by_their_frames() {
        let list = List::of([
            labelled("a", &[1.0, 2.0, 3.0, 4.0, 5.0], &[1, 2, 3, 4, 5]),
            labelled("b", &[6.0], &[6]),
            labelled("c", &[], &[]),
            labelled("d", &[7.0], &[7]),
        ]);
        let size = Some(PartitionSize::of_bytes(12));
        let mut stage = Partition::new(list, size, Limits::default());
        let mut pieces = Vec::new();
        let mut utt = Utterance::default();
        while stage.read(&mut utt).unwrap() {
            let labels = utt.labels.as_ref().unwrap().as_slice::<i32>().unwrap();
            let features = utt.features.as_ref().unwrap().as_slice::<f32>().unwrap();
            assert!(
                features
                    .iter()
                    .zip(labels)
                    .all(|(f, l)| f64::from(*f) == f64::from(*l))
            );
            pieces.push((utt.part.unwrap(), utt.key.to_string(), labels.to_vec()));
        }
        let piece = |part, key: &str, labels: &[i32]| (part, key.to_owned(), labels.to_vec());
        assert_eq!(
            pieces,
            [
                piece(0, "a-0000000-0000003", &[1, 2, 3]),
                piece(1, "a-0000003-0000005", &[4, 5]),
                piece(1, "b", &[6]),
                piece(1, "c", &[]),
                piece(2, "d", &[7]),
            ]
        );
        assert!(!stage.read(&mut utt).unwrap());
    }

    #[test]
    fn what_can_not_be_cut_is_refused() {
        let mut spoken = utterance("a", &[0.0; 4], 1);
        spoken.text = Some(b"yes".to_vec());
        let list = List::of([spoken.clone(), utterance("b", &[0.0; 2], 1)]);
        let size = |bytes| Some(PartitionSize::of_bytes(bytes));
        let mut stage = Partition::new(list, size(8), Limits::default());
        let mut utt = Utterance::default();
        let error = stage.read(&mut utt).unwrap_err();
        let place = "utterance a".to_owned();
        assert_eq!(error.kind_and_place(), (ErrorKind::Unfit, place));
        assert!(error.can_continue() && stage.read(&mut utt).unwrap());
        assert_eq!((utt.key.as_str(), utt.frames()), (Some("b"), 2));
        assert!(!stage.read(&mut utt).unwrap());
        let list = List::of([spoken.clone()]);
        let mut stage = Partition::new(list, size(16), Limits::default());
        assert!(stage.read(&mut utt).unwrap());
        assert_eq!((utt.part.take(), utt), (Some(0), spoken));
    }
}
