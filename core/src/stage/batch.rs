//! So many frames at a time.

use crate::format::Reader;
use crate::model::{DatasetInfo, Key, KeySource, Matrix, Utterance};
use crate::{Error, Limits, Result};

/// What becomes of the frames at the end that fill no batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// They come as a shorter batch.
    Keep,
    /// They are left out.
    Drop,
}

/// Cuts and joins utterances to batches of the same number of frames, called `utt000000`, `utt000001`,
/// …, features and labels alike. Names, header lines, and where utterances start and end are gone.
pub struct Batch {
    inner: Box<dyn Reader>,
    frames: usize,
    tail: Tail,
    limits: Limits,
    info: DatasetInfo,
    /// The utterance at hand, how many frames it has, and how many of them are used up.
    utt: Utterance,
    rows: usize,
    used: usize,
    /// The batch under way, of so many frames.
    batch: Utterance,
    filled: usize,
    made: u64,
    /// Whether an error ended the stream.
    over: bool,
}

impl Batch {
    /// Batches of `frames` frames of `inner`, none of which may exceed `limits`.
    ///
    /// # Errors
    /// A batch of no frames.
    pub fn new(inner: Box<dyn Reader>, frames: usize, tail: Tail, limits: Limits) -> Result<Self> {
        if frames == 0 {
            return Err(Error::usage("a batch of 0 frames"));
        }
        let mut info = inner.info().without_totals();
        info.keys = KeySource::Generated;
        Ok(Self {
            inner,
            frames,
            tail,
            limits,
            info,
            utt: Utterance::default(),
            rows: 0,
            used: 0,
            batch: Utterance::default(),
            filled: 0,
            made: 0,
            over: false,
        })
    }

    /// Goes on to the next utterance.
    fn next(&mut self) -> Result<bool> {
        (self.rows, self.used) = (0, 0);
        let more = self.inner.read(&mut self.utt)?;
        if more {
            self.rows = self
                .check()
                .map_err(|e| e.utterance(&self.utt.key).continuable())?;
        }
        Ok(more)
    }

    /// The frames of the utterance at hand, if they go with those of the batch.
    fn check(&self) -> Result<usize> {
        if let Some(other) = self.utt.other() {
            return Err(Error::unfit(format!(
                "has {other}, which can't be part of a batch of frames"
            )));
        }
        let Utterance {
            features, labels, ..
        } = &self.utt;
        let rows = |matrix: &Option<Matrix>| matrix.as_ref().map(Matrix::rows);
        let n = match (rows(features), rows(labels)) {
            (Some(f), Some(l)) if f != l => {
                let message = format!("{f} frames of features, but labels for {l}");
                return Err(Error::unfit(message));
            }
            (f, l) => f.or(l).unwrap_or(0),
        };
        if n == 0 || self.filled == 0 {
            return Ok(n);
        }
        for (what, own, batch) in [
            ("features", features, &self.batch.features),
            ("labels", labels, &self.batch.labels),
        ] {
            let (own, batch) = (kind(own), kind(batch));
            if own != batch {
                return Err(Error::unfit(format!(
                    "has {own} as {what}, the batch {batch}"
                )));
            }
        }
        Ok(n)
    }

    /// Moves frames of the utterance at hand into the batch, as many as it takes.
    fn take(&mut self) -> Result<()> {
        let n = (self.frames - self.filled).min(self.rows - self.used);
        for (from, into) in [
            (&self.utt.features, &mut self.batch.features),
            (&self.utt.labels, &mut self.batch.labels),
        ] {
            let Some(from) = from else {
                *into = None;
                continue;
            };
            let into = into.get_or_insert_default();
            if self.filled == 0 {
                into.start(from.dtype(), from.rank(), from.cols());
            }
            let size = from.cols() * from.dtype().size();
            let bytes = &from.as_bytes()[self.used * size..(self.used + n) * size];
            into.extend_rows(n, &self.limits)?.copy_from_slice(bytes);
        }
        self.used += n;
        self.filled += n;
        Ok(())
    }

    /// Fills the batch, or what the end leaves of it; whether there is one to give.
    fn fill(&mut self) -> Result<bool> {
        while self.filled < self.frames {
            if self.used < self.rows {
                self.take()?;
            } else if !self.next()? {
                return Ok(self.filled > 0 && self.tail == Tail::Keep);
            }
        }
        Ok(true)
    }

    fn give(&mut self, utt: &mut Utterance) {
        self.batch.key = Key::generated(self.made);
        self.batch.start();
        std::mem::swap(&mut self.batch, utt);
        self.made += 1;
        self.filled = 0;
    }
}

/// The type, rank and width of features or labels, in words.
fn kind(matrix: &Option<Matrix>) -> String {
    match matrix {
        Some(m) => format!("{:?} of {} {}", m.rank(), m.cols(), m.dtype()).to_lowercase(),
        None => "nothing".to_owned(),
    }
}

impl Reader for Batch {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// # Errors
    /// An utterance does not go with those before it in a batch; the batch goes on without it.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.over {
            return Ok(false);
        }
        let more = self.fill();
        self.over = more.as_ref().is_err_and(|e| !e.can_continue());
        if more? {
            self.give(utt);
            return Ok(true);
        }
        Ok(false)
    }
}
