//! Labels from a second data set.

mod kept;
mod tolerance;

use crate::bytes::Env;
use crate::format::{Opened, RandomAccess, Reader};
use crate::model::{
    DatasetInfo, FrameGrid, Key, Matrix, Meta, Object, Rank, Segment, Tier, Utterance,
};
use crate::{Error, KeyMap, Limits, Remedy, Result};
use kept::{Added, Kept};
use tolerance::Tolerance;

/// Gives each utterance of one data set the labels that another has under the same key, or under
/// the key that a table gives for it. Segments that tile the frames and have integers for labels
/// are as good as frame labels, and so is one integer for one frame; their frames are those that their own data set tells of, else
/// those of the utterance, else of the [usual](FrameGrid::USUAL_SHIFT) shift.
///
/// Labels that are [found by key](Opened::Table) are read when their turn comes. Others are read
/// once, front to back, and kept in memory or in a temporary file, for utterances may come in
/// another order, or several of one key. Labels that stand twice under a key are an error unless
/// they are the same, asked for or not.
pub struct JoinLabels {
    main: Box<dyn Reader>,
    labels: Labels,
    name: String,
    map: Option<KeyMap>,
    tolerance: Tolerance,
    next: Utterance,
    env: Env,
    /// Whether the rest of the labels was looked at, once there are no more utterances.
    over: bool,
}

/// The labels of one utterance.
enum Found {
    Frames(Matrix),
    /// Segments, and the frames that they count, where that is known.
    Tiers(Vec<Tier>, Option<FrameGrid>),
}

impl Found {
    /// Takes them out of what holds them.
    fn take(from: &mut Utterance) -> Option<Self> {
        let tiers = std::mem::take(&mut from.tiers);
        // One integer is the label of one frame.
        if let (None, Some(Object::Int(label))) = (&from.labels, from.object.take()) {
            return Matrix::from_rows(&[label], 1, Rank::Vector)
                .ok()
                .map(Self::Frames);
        }
        match from.labels.take() {
            Some(labels) => Some(Self::Frames(labels)),
            None if tiers.is_empty() => None,
            None => Some(Self::Tiers(tiers, FrameGrid::of(&from.meta))),
        }
    }

    /// The labels of the frames of `utt`; `lenient`, those of as many frames as they are for.
    fn labels(self, utt: &Utterance, lenient: bool, limits: &Limits) -> Result<Matrix> {
        let (tiers, grid) = match self {
            Self::Frames(labels) => return Ok(labels),
            Self::Tiers(tiers, grid) => (tiers, grid),
        };
        let [tier] = tiers.as_slice() else {
            let message = format!("has {} tiers of segments, expected one", tiers.len());
            return Err(Error::unfit(message));
        };
        let own = FrameGrid::of(&utt.meta);
        if let (Some(own), Some(grid)) = (&own, &grid)
            && own.shift() != grid.shift()
        {
            return Err(Error::unfit(format!(
                "frames of {} s, but the segments count frames of {} s",
                own.shift(),
                grid.shift()
            )));
        }
        let grid = grid.or(own).unwrap_or_else(FrameGrid::usual);
        let frames = utt.features.as_ref().map(|f| f.rows() as u64);
        let ends = tier.segments.last().is_some_and(|last| last.end.is_some());
        let frames = frames.filter(|_| !(lenient && ends));
        Segment::labels(&tier.segments, &grid, frames, limits)
    }
}

enum Labels {
    Keyed(Box<dyn RandomAccess>),
    Read(Box<Read>),
}

fn twice(key: &Key) -> Error {
    Error::malformed("has labels twice, and they differ").utterance(key)
}

/// Labels that are read front to back.
struct Read {
    reader: Box<dyn Reader>,
    kept: Kept,
    ended: bool,
}

impl Read {
    /// Reads and keeps the labels that come next; nothing at the end.
    fn advance(&mut self, next: &mut Utterance) -> Result<Option<Added>> {
        if self.ended || !self.reader.read(next)? {
            self.ended = true;
            return Ok(None);
        }
        let labels = Utterance {
            key: next.key.clone(),
            labels: next.labels.take(),
            tiers: std::mem::take(&mut next.tiers),
            object: next.object.take().filter(|o| matches!(o, Object::Int(_))),
            meta: Meta {
                frame_shift: next.meta.frame_shift,
                frame_offset: next.meta.frame_offset,
                ..Meta::default()
            },
            ..Utterance::default()
        };
        let added = self.kept.add(&labels)?;
        *next = labels;
        Ok(Some(added))
    }

    /// Reads the labels of `key` into `next`, if there are any.
    fn find(&mut self, key: &Key, next: &mut Utterance) -> Result<bool> {
        if self.kept.find(key, next)? {
            return Ok(true);
        }
        while let Some(added) = self.advance(next)? {
            if added == Added::Different {
                return Err(twice(&next.key));
            }
            if next.key == *key {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The first key that stands twice, with other labels, among those that nobody asked for.
    fn find_twice(&mut self, next: &mut Utterance) -> Result<Option<Key>> {
        while let Some(added) = self.advance(next)? {
            if added == Added::Different {
                return Ok(Some(next.key.clone()));
            }
        }
        Ok(None)
    }
}

impl JoinLabels {
    /// Joins the `labels` to `main`; `name` says where the labels come from.
    pub fn new(main: Box<dyn Reader>, labels: Opened, name: impl Into<String>, env: &Env) -> Self {
        Self {
            main,
            labels: match labels {
                Opened::Table(table) => Labels::Keyed(table),
                Opened::Stream(reader) => Labels::Read(Box::new(Read {
                    reader,
                    kept: Kept::new(env.limits),
                    ended: false,
                })),
            },
            name: name.into(),
            map: None,
            tolerance: Tolerance::default(),
            next: Utterance::default(),
            env: env.clone(),
            over: false,
        }
    }

    /// Looks labels up under what `map` gives for the key of an utterance, such as its speaker.
    #[must_use]
    pub fn mapped(self, map: KeyMap) -> Self {
        Self {
            map: Some(map),
            ..self
        }
    }

    /// Takes labels for so many frames more or fewer than there are, too: what is longer is cut at its
    /// end, and how often that was done is told in the end.
    #[must_use]
    pub fn tolerant(self, frames: u64) -> Self {
        Self {
            tolerance: Tolerance::of(frames),
            ..self
        }
    }

    /// Moves the labels for `utt` into it.
    fn find(&mut self, utt: &mut Utterance) -> Result<()> {
        let key = match &self.map {
            Some(map) => map.get(&utt.key)?,
            None => &utt.key,
        };
        let (name, next) = (&self.name, &mut self.next);
        let there = match &mut self.labels {
            Labels::Keyed(table) => table.find(key, next)?,
            Labels::Read(read) => read.find(key, next).map_err(|e| e.file(name))?,
        };
        if !there {
            let missing = match &self.map {
                Some(_) => format!("no labels for {key} in {name}"),
                None => format!("no labels in {name}"),
            };
            return Err(Error::unfit(missing).utterance(&utt.key).continuable());
        }
        let found = Found::take(next);
        let found = found.ok_or_else(|| {
            let error = Error::unfit("holds no labels").utterance(key);
            error.file(name).continuable()
        })?;
        let labels = found.labels(utt, self.tolerance.most > 0, &self.env.limits);
        utt.labels = Some(labels.map_err(|e| e.utterance(&utt.key).file(name).continuable())?);
        Ok(())
    }

    /// Looks at the labels that nobody asked for. Some may stand twice; faults of others are told,
    /// but no utterance needs them.
    fn check_rest(&mut self) -> Result<()> {
        let found = match &mut self.labels {
            Labels::Keyed(table) => table.find_twice(),
            Labels::Read(read) => read.find_twice(&mut self.next),
        };
        match found {
            Ok(None) => Ok(()),
            Ok(Some(key)) => Err(twice(&key).file(&self.name)),
            Err(error) => {
                let error = error.context("behind the last labels that are needed");
                self.env.warn(&error.file(&self.name));
                Ok(())
            }
        }
    }
}

impl Reader for JoinLabels {
    fn info(&self) -> &DatasetInfo {
        self.main.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if let Some(spare) = utt.labels.take() {
            self.next.labels = Some(spare);
        }
        if !self.main.read(utt)? {
            if !std::mem::replace(&mut self.over, true) {
                if let Some(cut) = self.tolerance.told() {
                    self.env.warn(&cut.file(&self.name));
                }
                self.check_rest()?;
            }
            return Ok(false);
        }
        if utt.labels.is_some() {
            return Err(Error::usage("has labels already")
                .suggest(Remedy::LeaveOutLabels)
                .utterance(&utt.key));
        }
        self.find(utt)?;
        if self.tolerance.fit(utt) {
            return Ok(true);
        }
        let frames = utt.labels.as_ref().map_or(0, Matrix::rows);
        let message = format!(
            "{} frames, but {frames} labels in {}",
            utt.frames(),
            self.name
        );
        let error = Error::unfit(message).utterance(&utt.key);
        Err(error.suggest(Remedy::TolerateLengths).continuable())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Decimal;

    struct List(Vec<Utterance>, DatasetInfo);

    impl Reader for List {
        fn info(&self) -> &DatasetInfo {
            &self.1
        }

        fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
            let more = !self.0.is_empty();
            if more {
                *utt = self.0.remove(0);
            }
            Ok(more)
        }
    }

    fn utterance(key: &str, features: Option<&[f32]>, labels: Option<&[i32]>) -> Utterance {
        Utterance {
            key: key.into(),
            features: features.map(|v| Matrix::from_rows(v, 1, Rank::Matrix).unwrap()),
            labels: labels.map(|v| Matrix::from_rows(v, 1, Rank::Vector).unwrap()),
            ..Utterance::default()
        }
    }

    fn join(main: &[(&str, usize)], labels: &[(&str, usize)]) -> JoinLabels {
        let list = |u: Vec<_>| Box::new(List(u, DatasetInfo::default()));
        let main = main
            .iter()
            .map(|(k, n)| utterance(k, Some(&vec![0.0; *n]), None));
        let labels = labels
            .iter()
            .map(|(k, n)| utterance(k, None, Some(&vec![7; *n])));
        let labels = Opened::Stream(list(labels.collect()));
        JoinLabels::new(list(main.collect()), labels, "ali.txt", &Env::default())
    }

    #[test]
    fn finds_labels_in_any_order() {
        let mut joined = join(
            &[("a", 1), ("b", 2), ("c", 3)],
            &[("c", 3), ("a", 1), ("b", 2)],
        );
        let mut utt = Utterance::default();
        for (key, frames) in [("a", 1), ("b", 2), ("c", 3)] {
            assert!(joined.read(&mut utt).unwrap());
            assert_eq!(
                (utt.key.as_str(), utt.labels.as_ref().unwrap().rows()),
                (Some(key), frames)
            );
        }
        assert!(!joined.read(&mut utt).unwrap());
    }

    #[test]
    fn a_key_that_comes_again_has_its_labels_again() {
        let mut joined = join(
            &[("a", 1), ("b", 2), ("a", 1), ("b", 2)],
            &[("b", 2), ("a", 1), ("b", 2)],
        );
        let mut utt = Utterance::default();
        for frames in [1, 2, 1, 2] {
            assert!(joined.read(&mut utt).unwrap());
            assert_eq!(utt.labels.as_ref().unwrap().rows(), frames);
        }
        assert!(!joined.read(&mut utt).unwrap());
    }

    #[test]
    fn other_labels_for_a_key_are_an_error_wherever_they_stand() {
        for data in [&["a", "b"][..], &["b"], &["a"]] {
            let data: Vec<_> = data.iter().map(|key| (*key, 1)).collect();
            let mut joined = join(&data, &[("a", 1), ("b", 1), ("a", 2)]);
            let mut utt = Utterance::default();
            for _ in &data {
                assert!(joined.read(&mut utt).unwrap());
            }
            let error = joined.read(&mut utt).unwrap_err();
            let message = "ali.txt: utterance a: has labels twice, and they differ";
            assert_eq!(error.to_string(), message);
            assert!(!error.can_continue() && !joined.read(&mut utt).unwrap());
        }
    }

    #[test]
    fn missing_and_misfitting_labels_are_failures_of_the_utterance() {
        let mut joined = join(&[("a", 1), ("b", 2), ("c", 3)], &[("b", 1), ("c", 3)]);
        let mut utt = Utterance::default();
        let error = joined.read(&mut utt).unwrap_err();
        assert_eq!(error.to_string(), "utterance a: no labels in ali.txt");
        assert!(error.can_continue());
        let error = joined.read(&mut utt).unwrap_err();
        assert_eq!(
            error.to_string(),
            "utterance b: 2 frames, but 1 labels in ali.txt"
        );
        assert!(joined.read(&mut utt).unwrap());
    }

    #[test]
    fn segments_are_labels() {
        let segmented = |key: &str, end: Option<&str>, shift: Option<&str>| Utterance {
            key: key.into(),
            tiers: vec![Tier::only(vec![Segment::new(
                Decimal::ZERO,
                end.and_then(Decimal::parse),
                b"7",
            )])],
            meta: Meta {
                frame_shift: shift.and_then(Decimal::parse),
                ..Meta::default()
            },
            ..Utterance::default()
        };
        let list = |u: Vec<_>| Box::new(List(u, DatasetInfo::default()));
        let main = ["a", "b", "c", "d"].map(|k| utterance(k, Some(&[0.0; 2]), None));
        let mut main = main.to_vec();
        main[3].meta.frame_shift = Decimal::parse("0.01");
        let labels = vec![
            segmented("b", None, None),
            segmented("a", Some("0.04"), Some("0.02")),
            segmented("c", Some("0.03"), None),
            segmented("d", Some("0.04"), Some("0.02")),
        ];
        let labels = Opened::Stream(list(labels));
        let mut joined = JoinLabels::new(list(main), labels, "a.seg", &Env::default());
        let mut utt = Utterance::default();
        for _ in 0..2 {
            assert!(joined.read(&mut utt).unwrap());
            let labels = utt.labels.as_ref().unwrap();
            assert_eq!(labels.as_slice::<i32>().unwrap(), [7, 7]);
        }
        for message in [
            "a.seg: utterance c: 2 frames, but segments for 3",
            "a.seg: utterance d: frames of 0.01 s, but the segments count frames of 0.02 s",
        ] {
            let error = joined.read(&mut utt).unwrap_err();
            assert_eq!(error.to_string(), message);
            assert!(error.can_continue());
        }
    }

    struct Table(Vec<Utterance>);

    impl RandomAccess for Table {
        fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
            let found = self.0.iter().find(|u| u.key == *key);
            found.inspect(|found| utt.clone_from(found));
            Ok(found.is_some())
        }

        fn keys(&self) -> Option<Vec<Key>> {
            None
        }

        fn find_twice(&mut self) -> Result<Option<Key>> {
            Ok(None)
        }
    }

    #[test]
    fn speakers_stand_for_utterances() {
        let map = || {
            let text = b"a x\nb y\nc x\nd z\n".to_vec();
            let source = crate::bytes::Source::from_bytes("utt2spk", text).unwrap();
            KeyMap::read(source, &Limits::default()).unwrap()
        };
        let labels = || {
            ["y", "x"]
                .map(|key| utterance(key, None, Some(&[key.len().try_into().unwrap(), 7])))
                .to_vec()
        };
        let list = |u: Vec<_>| Box::new(List(u, DatasetInfo::default()));
        for labels in [
            Opened::Table(Box::new(Table(labels()))),
            Opened::Stream(list(labels())),
        ] {
            let main = ["a", "b", "c", "d", "e"].map(|k| utterance(k, Some(&[0.0; 2]), None));
            let main = list(main.to_vec());
            let mut joined = JoinLabels::new(main, labels, "l.ark", &Env::default()).mapped(map());
            let mut utt = Utterance::default();
            for _ in 0..3 {
                assert!(joined.read(&mut utt).unwrap());
                assert_eq!(utt.labels.as_ref().unwrap().rows(), 2);
            }
            let error = joined.read(&mut utt).unwrap_err();
            assert_eq!(error.to_string(), "utterance d: no labels for z in l.ark");
            let error = joined.read(&mut utt).unwrap_err();
            assert_eq!(error.to_string(), "utterance e: is not in utt2spk");
            assert!(!joined.read(&mut utt).unwrap());
        }
    }
}
