//! Shuffling of frames.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::PartitionSize;
use super::frame_cursor::{FrameCursor, append};
use crate::error::{Error, Remedy, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Key, KeySource, Limits, Matrix, Utterance};
use crate::number::random::Rng;

/// Shuffles the frames of all utterances, or of each partition, features and labels alike, in the
/// order of `numpy.random.shuffle`, seeded anew for each partition.
///
/// Boundaries, keys and headers of utterances are lost: frames shuffled together become one
/// utterance called `utt000000`, `utt000001`, …, which is a [partition](Utterance::part). Memory
/// holds the frames shuffled together once.
pub struct ShuffleFrames {
    pieces: FrameCursor,
    size: Option<PartitionSize>,
    rng: Rng,
    limits: Limits,
    info: DatasetInfo,
    /// The frames collected so far.
    pool: Option<Pool>,
    made: u64,
    /// Whether an error ended the stream.
    over: bool,
}

/// Frames to be shuffled together.
#[derive(Default)]
struct Pool {
    features: Option<Matrix>,
    labels: Option<Matrix>,
    rows: usize,
    /// The encodings that they were decoded from.
    codings: BTreeSet<Cow<'static, str>>,
}

impl Pool {
    /// Starts it with the shapes of `first`.
    fn start(&mut self, first: &Utterance) {
        for (own, first) in [
            (&mut self.features, &first.features),
            (&mut self.labels, &first.labels),
        ] {
            *own = first.as_ref().map(|first| {
                let mut own = own.take().unwrap_or_default();
                own.start_like(first);
                own
            });
        }
    }

    /// Checks that `utt` matches the existing frames.
    fn check(&self, utt: &Utterance) -> Result<()> {
        for (what, own, other) in [
            ("features", &self.features, &utt.features),
            ("labels", &self.labels, &utt.labels),
        ] {
            let (own, other) = (shape(own.as_ref()), shape(other.as_ref()));
            if own != other {
                let message = format!("has {what}: {other}, the frames before: {own}");
                return Err(Error::unfit(message).continuable());
            }
        }
        Ok(())
    }

    fn shuffle(&mut self, rng: Rng) {
        for (i, j) in rng.generator().swaps(self.rows) {
            for matrix in [&mut self.features, &mut self.labels].into_iter().flatten() {
                matrix.swap_rows(i, j);
            }
        }
    }
}

impl ShuffleFrames {
    /// Shuffles the frames of `inner` with `rng`: in each partition of `size`, or all without a
    /// size.
    pub fn new(
        inner: Box<dyn Reader>,
        size: Option<PartitionSize>,
        rng: Rng,
        limits: Limits,
    ) -> Self {
        let mut info = inner.info().clone();
        (info.utterances, info.keys) = (None, KeySource::Generated);
        Self {
            pieces: FrameCursor::new(inner),
            size,
            rng,
            limits,
            info,
            pool: None,
            made: 0,
            over: false,
        }
    }

    /// Adds as much of the current utterance as fits, and returns whether the pool is full.
    fn gather(&mut self, pool: &mut Pool) -> Result<bool> {
        let utt = self.pieces.utterance();
        if let Some(other) = utt.other() {
            let message = format!("has {other}, which can't be shuffled frame by frame");
            return Err(Error::unfit(message).continuable());
        }
        let capacity = match (self.size, &utt.features) {
            (None, _) => usize::MAX,
            (Some(size), Some(features)) => size.frames(features.cols())?,
            (Some(_), None) => {
                let message = "has no features to measure a partition by";
                return Err(Error::unfit(message).continuable());
            }
        };
        if self.pieces.left() == 0 {
            return Ok(false);
        }
        match pool.rows {
            0 => pool.start(utt),
            _ => pool.check(utt)?,
        }
        let rows = self.pieces.take(capacity.saturating_sub(pool.rows));
        let utt = self.pieces.utterance();
        for (to, from) in [
            (&mut pool.features, &utt.features),
            (&mut pool.labels, &utt.labels),
        ] {
            if let (Some(to), Some(from)) = (to, from) {
                append(to, from, rows.clone(), &self.limits).map_err(too_much)?;
            }
        }
        pool.rows += rows.len();
        pool.codings.extend(utt.origin.coding.clone());
        Ok(pool.rows >= capacity)
    }

    /// Fills the pool until it is full or the input ends. After an error the pool is as before.
    fn fill(&mut self, pool: &mut Pool) -> Result<()> {
        loop {
            if self.pieces.left() == 0 && !self.pieces.next()? {
                return Ok(());
            }
            match self.gather(pool) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) => {
                    self.pieces.skip();
                    return Err(error.utterance(&self.pieces.utterance().key));
                }
            }
        }
    }
}

/// Formats a shape: `f32 in 40 columns`, `none`.
fn shape(matrix: Option<&Matrix>) -> String {
    matrix.map_or("none".to_owned(), |m| {
        format!("{} in {} columns", m.dtype(), m.cols())
    })
}

fn too_much(error: Error) -> Error {
    Error::limit(format!("to be shuffled together, {}", error.message()))
        .suggest(Remedy::ShuffleLess)
}

#[warn(clippy::missing_trait_methods)]
impl Reader for ShuffleFrames {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// # Errors
    /// The frames shuffled together exceed the limits, or an utterance does not match those before.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.over {
            return Ok(false);
        }
        // The caller's allocations are filled, so that no second pool is needed.
        let mut pool = self.pool.take().unwrap_or_else(|| Pool {
            features: utt.features.take(),
            labels: utt.labels.take(),
            ..Pool::default()
        });
        if let Err(error) = self.fill(&mut pool) {
            self.pool = Some(pool);
            self.over = !error.can_continue();
            return Err(error);
        }
        if pool.rows == 0 {
            return Ok(false);
        }
        pool.shuffle(self.rng);
        utt.start();
        (utt.features, utt.labels) = (pool.features, pool.labels);
        utt.key = Key::generated(self.made);
        utt.part = Some(self.made);
        let codings: Vec<_> = pool.codings.into_iter().collect();
        utt.origin.coding = (!codings.is_empty()).then(|| codings.join("+").into());
        self.made += 1;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::stage::tests::{List, labelled, utterance};

    fn frames(stage: &mut ShuffleFrames) -> Vec<(String, Vec<f32>, Vec<i32>)> {
        let mut utt = Utterance::default();
        let mut all = Vec::new();
        while stage.read(&mut utt).unwrap() {
            all.push((
                utt.key.to_string(),
                utt.features.as_ref().unwrap().as_slice().unwrap().to_vec(),
                utt.labels.as_ref().unwrap().as_slice().unwrap().to_vec(),
            ));
        }
        assert!(!stage.read(&mut utt).unwrap());
        all
    }

    fn list() -> Box<dyn Reader> {
        List::of([
            labelled("a", &[0.0, 1.0, 2.0, 3.0], &[0, 1, 2, 3]),
            labelled("b", &[], &[]),
            labelled("c", &[4.0, 5.0, 6.0, 7.0, 8.0, 9.0], &[4, 5, 6, 7, 8, 9]),
        ])
    }

    #[test]
    fn whole_as_numpy_does() {
        let mut stage = ShuffleFrames::new(list(), None, Rng::Pdnn, Limits::default());
        let order = [0, 1, 7, 4, 8, 5, 3, 9, 2, 6];
        let features = vec![0.0, 1.0, 7.0, 4.0, 8.0, 5.0, 3.0, 9.0, 2.0, 6.0];
        assert_eq!(
            frames(&mut stage),
            [("utt000000".to_owned(), features, order.to_vec())]
        );
    }

    #[test]
    fn each_partition_is_seeded_anew() {
        let size = Some(PartitionSize::of_bytes(20));
        let mut stage = ShuffleFrames::new(list(), size, Rng::Seeded(3), Limits::default());
        let parts = frames(&mut stage);
        assert_eq!(
            parts.len(),
            2,
            "an exactly full one is not followed by an empty one"
        );
        let (first, second) = (&parts[0].2, &parts[1].2);
        let moved: Vec<_> = first.iter().map(|label| label + 5).collect();
        assert_eq!(second, &moved, "the same order in both");
        assert_eq!(parts[1].0, "utt000001");
    }

    #[test]
    fn an_utterance_unlike_the_others_is_passed_over() {
        let list = List::of([
            labelled("a", &[0.0, 1.0], &[0, 1]),
            utterance("b", &[2.0], 1),
            utterance("c", &[2.0, 3.0], 2),
            labelled("d", &[2.0], &[2]),
        ]);
        let mut stage = ShuffleFrames::new(list, None, Rng::Pdnn, Limits::default());
        let mut utt = Utterance::default();
        let error = stage.read(&mut utt).unwrap_err();
        let place = "utterance b".to_owned();
        assert_eq!(error.kind_and_place(), (ErrorKind::Unfit, place));
        assert!(error.can_continue());
        assert!(stage.read(&mut utt).unwrap_err().can_continue());
        assert!(stage.read(&mut utt).unwrap());
        let mut labels = utt
            .labels
            .as_ref()
            .unwrap()
            .as_slice::<i32>()
            .unwrap()
            .to_vec();
        labels.sort_unstable();
        assert_eq!(labels, [0, 1, 2]);
        assert!(!stage.read(&mut utt).unwrap());
    }

    #[test]
    fn the_limits_hold() {
        let limits = Limits {
            max_alloc: 36,
            ..Limits::default()
        };
        let mut stage = ShuffleFrames::new(list(), None, Rng::Pdnn, limits);
        let mut utt = Utterance::default();
        let error = stage.read(&mut utt).unwrap_err();
        assert!(!error.can_continue() && !stage.read(&mut utt).unwrap());
        let place = "utterance c".to_owned();
        assert_eq!(error.kind_and_place(), (ErrorKind::Limit, place));
        assert_eq!(error.remedy(), Some(&Remedy::ShuffleLess));
    }
}
