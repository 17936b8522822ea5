//! Joining of labels by key, and by recording and time.

use super::*;
use crate::error::ErrorKind;
use crate::format::RandomAccess;
use crate::model::Limits;

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

/// Returns the kind and the place of what does not fit.
fn unfit(place: &str) -> (ErrorKind, String) {
    (ErrorKind::Unfit, place.to_owned())
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
    let labels = OpenedDataset::Stream(list(labels.collect()));
    JoinLabels::new(list(main.collect()), labels, "ali.txt", &Env::default())
}

/// Entries of a data set, some of which are faults.
struct Faulty(Vec<Result<Utterance>>, DatasetInfo);

impl Reader for Faulty {
    fn info(&self) -> &DatasetInfo {
        &self.1
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.0.is_empty() {
            return Ok(false);
        }
        *utt = self.0.remove(0)?;
        Ok(true)
    }
}

#[test]
fn a_fault_of_the_labels_costs_only_its_own_utterance() {
    let fault = |key: &str| match key {
        "" => Error::malformed("garbage"),
        key => Error::malformed("damaged").utterance(&key.into()),
    };
    let label = |key: &str| Ok(utterance(key, None, Some(&[7])));
    for (entries, joined, faults) in [
        // Of an utterance, met before it, and met as it is looked up.
        (
            vec![Err(fault("c").continuable()), label("a"), label("b")],
            "a b",
            vec![Some("c")],
        ),
        (
            vec![label("a"), Err(fault("b").continuable()), label("c")],
            "a c",
            vec![Some("b")],
        ),
        // Of none.
        (
            vec![
                label("a"),
                Err(fault("").continuable()),
                label("b"),
                label("c"),
            ],
            "a b c",
            vec![None],
        ),
        // After which nothing can be read.
        (
            vec![label("a"), Err(fault("b")), label("b"), label("c")],
            "a",
            vec![Some("b"), Some("c")],
        ),
        (
            vec![label("a"), Err(fault("")), label("b"), label("c")],
            "a",
            vec![None, Some("b"), Some("c")],
        ),
    ] {
        let main = ["a", "b", "c"].map(|key| utterance(key, Some(&[0.5]), None));
        let main = Box::new(List(main.into(), DatasetInfo::default()));
        let labels = OpenedDataset::Stream(Box::new(Faulty(entries, DatasetInfo::default())));
        let mut reader = JoinLabels::new(main, labels, "ali.txt", &Env::default());
        let (mut utt, mut read, mut told) = (Utterance::default(), Vec::new(), Vec::new());
        loop {
            match reader.read(&mut utt) {
                Ok(true) => read.push(utt.key.to_string()),
                Ok(false) => break,
                Err(error) => {
                    assert!(error.can_continue(), "{error}");
                    told.push(error.key().map(ToString::to_string));
                }
            }
        }
        let faults: Vec<_> = faults.iter().map(|key| key.map(str::to_owned)).collect();
        assert_eq!((read.join(" ").as_str(), told), (joined, faults));
    }
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
        let place = "ali.txt: utterance a".to_owned();
        assert_eq!(error.kind_and_place(), (ErrorKind::Malformed, place));
        assert!(!error.can_continue() && !joined.read(&mut utt).unwrap());
    }
}

#[test]
fn missing_and_misfitting_labels_are_failures_of_the_utterance() {
    let mut joined = join(&[("a", 1), ("b", 2), ("c", 3)], &[("b", 1), ("c", 3)]);
    let mut utt = Utterance::default();
    let error = joined.read(&mut utt).unwrap_err();
    assert_eq!(error.kind_and_place(), unfit("utterance a"));
    assert!(error.can_continue());
    let error = joined.read(&mut utt).unwrap_err();
    assert_eq!(error.kind_and_place(), unfit("utterance b"));
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
    let labels = OpenedDataset::Stream(list(labels));
    let mut joined = JoinLabels::new(list(main), labels, "a.seg", &Env::default());
    let mut utt = Utterance::default();
    for _ in 0..2 {
        assert!(joined.read(&mut utt).unwrap());
        let labels = utt.labels.as_ref().unwrap();
        assert_eq!(labels.as_slice::<i32>().unwrap(), [7, 7]);
    }
    for place in ["a.seg: utterance c", "a.seg: utterance d"] {
        let error = joined.read(&mut utt).unwrap_err();
        assert_eq!(error.kind_and_place(), unfit(place));
        assert!(error.can_continue());
    }
}

/// Returns an utterance from `start` to `end` of channel A of a recording.
fn stretch_of(key: &str, recording: &str, start: &str, end: &str) -> Utterance {
    let mut utt = utterance(key, Some(&[0.0; 3]), None);
    utt.meta.recording = Some(recording.into());
    utt.meta.channel = Some("A".into());
    (utt.meta.start, utt.meta.end) = (Decimal::parse(start), Decimal::parse(end));
    utt
}

/// Returns labels of a recording: one second of each number.
fn seconds(key: &str, channel: Option<&str>, numbers: &[&str]) -> Utterance {
    let segment = |(n, label): (i64, &&str)| {
        let [start, end] = [n, n + 1].map(|n| Decimal::new(n, 0));
        Segment::new(start, Some(end), label.as_bytes())
    };
    Utterance {
        key: key.into(),
        tiers: vec![Tier::only((0..).zip(numbers).map(segment).collect())],
        meta: Meta {
            channel: channel.map(Key::from),
            ..Meta::default()
        },
        ..Utterance::default()
    }
}

#[test]
fn labels_of_a_recording_join_by_time() {
    let list = |u: Vec<_>| Box::new(List(u, DatasetInfo::default()));
    let main = || {
        let mut silent = stretch_of("e", "r", "0.99", "1.01");
        silent.features = None;
        vec![
            stretch_of("a", "r", "0.98", "1.01"),
            stretch_of("b", "s", "1.99", "2.02"),
            stretch_of("c", "t", "0.99", "1.02"),
            stretch_of("d", "r", "2.99", "3.02"),
            silent,
        ]
    };
    let labels = vec![
        seconds("r", None, &["1", "2", "3"]),
        seconds("s", Some("B"), &["7", "7", "7"]),
        seconds("s-A", Some("A"), &["4", "5", "6"]),
        seconds("t", Some("B"), &["7", "7"]),
    ];
    for table in [true, false] {
        let labels = match table {
            true => OpenedDataset::Table(Box::new(Table(labels.clone()))),
            false => OpenedDataset::Stream(list(labels.clone())),
        };
        let mut joined = JoinLabels::new(list(main()), labels, "r.ctm", &Env::default());
        let mut utt = Utterance::default();
        for expected in [[1, 1, 2], [5, 6, 6]] {
            assert!(joined.read(&mut utt).unwrap());
            let labels = utt.labels.as_ref().unwrap();
            assert_eq!(labels.as_slice::<i32>().unwrap(), expected);
        }
        for place in ["utterance c", "r.ctm: utterance d"] {
            let error = joined.read(&mut utt).unwrap_err();
            assert_eq!(error.kind_and_place(), unfit(place));
            assert!(error.can_continue());
        }
        // Without features there are no frames to count by.
        assert!(joined.read(&mut utt).unwrap());
        assert_eq!(utt.labels, None);
        assert_eq!(utt.segments().unwrap().len(), 2);
    }
}

#[test]
fn times_are_rounded_where_that_is_wanted() {
    let list = |u: Vec<_>| Box::new(List(u, DatasetInfo::default()));
    let main = || list(vec![stretch_of("a", "r", "0.984", "1.014")]);
    let labels = || OpenedDataset::Stream(list(vec![seconds("r", None, &["1", "2"])]));
    let join = || JoinLabels::new(main(), labels(), "r.ctm", &Env::default());
    let mut utt = Utterance::default();
    let error = join().read(&mut utt).unwrap_err();
    assert_eq!(error.kind_and_place(), unfit("r.ctm: utterance a"));
    assert!(join().rounded(true).read(&mut utt).unwrap());
    let labels = utt.labels.as_ref().unwrap();
    assert_eq!(labels.as_slice::<i32>().unwrap(), [1, 1, 2]);
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
        OpenedDataset::Table(Box::new(Table(labels()))),
        OpenedDataset::Stream(list(labels())),
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
        assert_eq!(error.kind_and_place(), unfit("utterance d"));
        let error = joined.read(&mut utt).unwrap_err();
        assert_eq!(error.kind_and_place(), unfit("utterance e"));
        assert!(!joined.read(&mut utt).unwrap());
    }
}

/// Returns transcripts by key.
fn texts(all: &[(&str, &str)]) -> OpenedDataset {
    let utterances = all.iter().map(|(key, text)| Utterance {
        key: (*key).into(),
        text: Some(text.as_bytes().to_vec()),
        ..Utterance::default()
    });
    OpenedDataset::Stream(Box::new(List(utterances.collect(), DatasetInfo::default())))
}

#[test]
fn text_joins_whatever_its_order() {
    let mains = ["b", "a", "c"].map(|key| Utterance {
        key: key.into(),
        ..Utterance::default()
    });
    let main = Box::new(List(mains.to_vec(), DatasetInfo::default()));
    let all = texts(&[("a", "ah"), ("b", ""), ("x", "other"), ("a", "ah")]);
    let mut joined = JoinText::new(main, all, "text", &Env::default());
    let mut utt = Utterance::default();
    for (key, text) in [("b", ""), ("a", "ah")] {
        assert!(joined.read(&mut utt).unwrap());
        assert_eq!(
            (&utt.key, utt.text.as_deref()),
            (&key.into(), Some(text.as_bytes()))
        );
    }
    let error = joined.read(&mut utt).unwrap_err();
    assert!(error.can_continue());
    assert_eq!(error.kind_and_place(), unfit("utterance c"));
    assert!(!joined.read(&mut utt).unwrap());
}
