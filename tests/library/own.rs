//! A reader and a writer of one's own, with a policy.

use std::sync::{Arc, Mutex};

use spr_convert::core::format::{Caps, Count, FeatureCaps, Keys, Reader, WriteSummary, Writer};
use spr_convert::core::loss::{LossKind, LossPolicy};
use spr_convert::core::model::{DatasetInfo, Dtype, Matrix, Rank, Utterance};
use spr_convert::{ErrorKind, Result, core};

/// A reader of one's own: numbers with a label each, of a speaker.
struct Countdown(u8, DatasetInfo);

impl Reader for Countdown {
    fn info(&self) -> &DatasetInfo {
        &self.1
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.0 == 0 {
            return Ok(false);
        }
        utt.start();
        utt.key = format!("n-{}", self.0).as_str().into();
        let values = [f64::from(self.0), 0.1];
        utt.features = Some(Matrix::from_rows(&values, 2, Rank::Matrix)?);
        utt.labels = Some(Matrix::from_rows(&[i32::from(self.0)], 1, Rank::Vector)?);
        utt.meta.speaker = Some("ann".into());
        self.0 -= 1;
        Ok(true)
    }
}

/// What a writer of one's own was given, and whether it was finished.
type Shelf = Arc<Mutex<(Vec<Utterance>, bool)>>;

/// A writer of one's own: keeps features of `f32`.
struct Keeper(Caps, Shelf, WriteSummary);

impl Keeper {
    fn new(shelf: &Shelf) -> Self {
        let mut caps = Caps::new(Count::Many, Keys::Any);
        caps.features = Some(FeatureCaps::new(&[Dtype::F32]));
        Self(caps, shelf.clone(), WriteSummary::default())
    }
}

impl Writer for Keeper {
    fn caps(&self) -> &Caps {
        &self.0
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.0.check(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        self.1.lock().unwrap().0.push(utt.clone());
        self.2.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        self.1.lock().unwrap().1 = true;
        Ok(self.2)
    }
}

#[test]
fn own_readers_and_writers_lose_nothing_in_silence() {
    let shelf = Shelf::default();
    let countdown = || Countdown(2, DatasetInfo::default());
    let mut policy = LossPolicy::default();
    let error = core::convert(countdown(), Keeper::new(&shelf), &policy).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Loss);
    for measured in [
        "precision: 2 of 4 values in 2 utterances",
        "labels of 2 utt",
    ] {
        assert!(error.to_string().contains(measured), "{error}");
    }
    assert!(!shelf.lock().unwrap().1, "finished");
    // One of the two is not enough.
    policy.allow(LossKind::Precision);
    assert!(core::convert(countdown(), Keeper::new(&shelf), &policy).is_err());
    assert!(!shelf.lock().unwrap().1, "finished");
    policy.allow(LossKind::Labels);
    shelf.lock().unwrap().0.clear();
    let done = core::convert(countdown(), Keeper::new(&shelf), &policy).unwrap();
    assert_eq!((done.written.utterances, done.written.frames), (2, 2));
    let lost: Vec<_> = done
        .losses
        .lines()
        .map(|(kind, l)| (kind, l.utterances))
        .collect();
    let kinds = [LossKind::Precision, LossKind::Labels, LossKind::Metadata];
    assert_eq!(lost, kinds.map(|kind| (kind, 2)));
    let shelf = shelf.lock().unwrap();
    assert!(shelf.1);
    let values: Vec<_> = shelf.0.iter().map(|utt| &utt.features).collect();
    let of = |n: f32| Some(Matrix::from_rows(&[n, 0.1], 2, Rank::Matrix).unwrap());
    assert_eq!(values, [&of(2.0), &of(1.0)]);
    assert!(
        shelf
            .0
            .iter()
            .all(|utt| utt.labels.is_none() && utt.meta.is_empty())
    );
}
