//! Labels, text and speakers of a second data set.

use std::sync::{Arc, Mutex};

use spr_core::bytes::{Env, Source};
use spr_core::format::{OpenedDataset, RandomAccess, Reader};
use spr_core::model::{
    About, DatasetInfo, Decimal, Key, Matrix, Object, Rank, Segment, Tier, Utterance,
};
use spr_core::stage::{
    Chain, FrameShift, JoinLabels, JoinText, SpeakerPattern, Speakers, SpeakersByName, speaker_of,
};
use spr_core::{Error, KeyMap, Limits, Remedy, Result};

use super::script::{Event, Step, drain, errors, script};

fn at(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

fn frames(key: &str, rows: usize) -> Utterance {
    Utterance {
        key: key.into(),
        features: Some(Matrix::from_rows(&vec![0.5f32; rows], 1, Rank::Matrix).unwrap()),
        ..Utterance::default()
    }
}

fn labels(key: &str, labels: &[i32]) -> Utterance {
    Utterance {
        key: key.into(),
        labels: Some(Matrix::from_rows(labels, 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    }
}

fn segments(key: &str, segments: &[(&str, &str, &str)]) -> Utterance {
    let segments = segments
        .iter()
        .map(|(start, end, label)| Segment::new(at(start), Some(at(end)), label.as_bytes()));
    Utterance {
        key: key.into(),
        tiers: vec![Tier::only(segments.collect())],
        ..Utterance::default()
    }
}

fn stream(utts: impl IntoIterator<Item = Utterance>) -> Box<dyn Reader> {
    let steps: Vec<_> = utts.into_iter().map(Step::Given).collect();
    script(&steps)
}

/// A table, or its stream.
fn opened(utts: Vec<Utterance>, keyed: bool) -> OpenedDataset {
    match keyed {
        true => OpenedDataset::Table(Box::new(Table(utts))),
        false => OpenedDataset::Stream(stream(utts)),
    }
}

struct Table(Vec<Utterance>);

impl RandomAccess for Table {
    fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
        let found = self.0.iter().find(|utt| utt.key == *key);
        *utt = found.cloned().unwrap_or_default();
        Ok(found.is_some())
    }

    fn keys(&self) -> Option<Vec<Key>> {
        Some(self.0.iter().map(|utt| utt.key.clone()).collect())
    }

    fn find_twice(&mut self) -> Result<Option<Key>> {
        let twice = self.0.windows(2).find(|two| two[0].key == two[1].key);
        Ok(twice.map(|two| two[0].key.clone()))
    }
}

/// Each utterance as its key, its rows of features, and its labels or segments; or its error.
fn shown(reader: impl Reader) -> Vec<String> {
    let events = drain(reader).into_iter();
    let shown = events.map(|event| match event {
        Event::Error(error) => error,
        Event::Utterance(utt) => {
            let labels = utt
                .labels
                .as_ref()
                .map(|labels| labels.as_slice::<i32>().unwrap());
            let rows = utt.features.as_ref().map(Matrix::rows);
            format!("{} {rows:?} {labels:?} {}", utt.key, utt.tiers.len())
        }
    });
    shown.collect()
}

fn warnings() -> (Env, Arc<Mutex<Vec<String>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = heard.clone();
    let env =
        Env::default().listening(move |warning| listener.lock().unwrap().push(warning.to_string()));
    (env, heard)
}

#[test]
fn a_few_labels_too_many_or_too_few_are_cut() {
    let joined = |most: u64, second: &[i32]| {
        let (env, heard) = warnings();
        let main = stream([frames("a", 3), frames("b", 2)]);
        let other = vec![labels("a", &[1, 2, 3, 4]), labels("b", second)];
        let join = JoinLabels::new(main, opened(other, false), "ali", &env).tolerant(most);
        let shown = shown(join);
        (shown, heard.lock().unwrap().concat())
    };
    let (both, warning) = joined(1, &[5]);
    assert_eq!(
        both,
        ["a Some(3) Some([1, 2, 3]) 0", "b Some(1) Some([5]) 0"]
    );
    assert_eq!(
        warning,
        "ali: 1 frame too many or too few for 2 utterances: the longer was cut"
    );
    let (one, warning) = joined(2, &[5, 6, 7, 8]);
    assert_eq!(one[1], "b Some(2) Some([5, 6]) 0");
    assert_eq!(
        warning,
        "ali: up to 2 frames too many or too few for 2 utterances: the longer was cut"
    );
    let (first, warning) = joined(1, &[5, 6, 7, 8]);
    assert_eq!(first[1], "2 frames, but 4 labels in ali");
    assert_eq!(
        warning,
        "ali: 1 frame too many or too few for 1 utterance: the longer was cut"
    );
    let (none, warning) = joined(0, &[5, 6]);
    assert_eq!(
        none,
        ["3 frames, but 4 labels in ali", "b Some(2) Some([5, 6]) 0"]
    );
    assert_eq!(warning, "");
}

#[test]
fn labels_are_looked_up_by_what_a_table_says() {
    let table = Source::from_bytes("map", b"a x\nb y\nc c\n".to_vec()).unwrap();
    let map = KeyMap::read(table, &Limits::default()).unwrap();
    for keyed in [false, true] {
        let other = vec![labels("x", &[1]), labels("b", &[2]), labels("z", &[3])];
        let main = stream(["a", "b", "c", "d"].map(|key| frames(key, 1)));
        let join = JoinLabels::new(main, opened(other, keyed), "ali", &Env::default());
        let expected = [
            "a Some(1) Some([1]) 0",
            // Its own where there are none of the table's.
            "b Some(1) Some([2]) 0",
            "no labels for c in ali",
            "is not in map",
        ];
        assert_eq!(shown(join.mapped(map.clone())), expected);
    }
}

#[test]
fn what_is_no_label_is_refused() {
    let text = |key: &str| Utterance {
        key: key.into(),
        text: Some(b"one".to_vec()),
        ..Utterance::default()
    };
    let one = |main: Utterance, other: Utterance| {
        let main = stream([main]);
        let mut join = JoinLabels::new(main, opened(vec![other], true), "ali", &Env::default());
        let mut utt = Utterance::default();
        join.read(&mut utt).map(|_| utt)
    };
    let error = one(frames("a", 1), text("a")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "ali: utterance a: holds text, not labels"
    );
    assert_eq!(error.remedy(), Some(&Remedy::JoinText));
    let error = one(frames("a", 1), frames("a", 1)).unwrap_err();
    assert_eq!(error.to_string(), "ali: utterance a: holds no labels");
    let error = one(labels("a", &[1]), labels("a", &[1])).unwrap_err();
    assert_eq!(error.remedy(), Some(&Remedy::LeaveOutLabels));
    let mut two = segments("a", &[("0", "0.01", "1")]);
    two.tiers[0].name = b"words"[..].into();
    two.tiers.push(Tier::default());
    let error = one(frames("a", 1), two.clone()).unwrap_err();
    assert_eq!(error.message(), "has 2 tiers of segments, expected one");
    assert_eq!(
        error.remedy(),
        Some(&Remedy::PickTier(vec!["words".to_owned(), String::new()]))
    );
    // Without frames the tiers are taken as they are, unless there are some.
    let bare = || Utterance {
        features: None,
        ..frames("a", 1)
    };
    assert_eq!(one(bare(), two.clone()).unwrap().tiers.len(), 2);
    let error = one(segments("a", &[("0", "1", "x")]), two).unwrap_err();
    assert_eq!(error.to_string(), "ali: utterance a: has segments already");
    // A single number is the label of one frame.
    let number = Utterance {
        object: Some(Object::Int(7)),
        ..bare()
    };
    let joined = one(frames("a", 1), number).unwrap();
    assert_eq!(joined.labels.unwrap().as_slice::<i32>().unwrap(), [7]);
}

#[test]
fn segments_become_the_labels_of_frames() {
    let join = |main: Utterance, other: Utterance, rounded: bool| {
        let (env, heard) = warnings();
        let main = stream([main]);
        let join = JoinLabels::new(main, opened(vec![other], true), "tg", &env).rounded(rounded);
        (shown(join), heard.lock().unwrap().concat())
    };
    let told = "utterance a: no frame shift is known, 0.01 s is taken";
    let two = [("0", "0.02", "1"), ("0.02", "0.03", "2")];
    let (joined, warning) = join(frames("a", 3), segments("a", &two), false);
    assert_eq!(
        (&*joined[0], &*warning),
        ("a Some(3) Some([1, 1, 2]) 0", told)
    );
    let odd = [("0", "0.018", "1"), ("0.018", "0.03", "2")];
    let (joined, _) = join(frames("a", 3), segments("a", &odd), true);
    assert_eq!(joined[0], "a Some(3) Some([1, 1, 2]) 0");
    let (refused, _) = join(frames("a", 3), segments("a", &odd), false);
    assert!(refused[0].contains("0.018"), "{refused:?}");
    let (mut main, mut other) = (frames("a", 3), segments("a", &two));
    main.meta.frame_shift = Some(at("0.005"));
    let (joined, warning) = join(main.clone(), segments("a", &[("0", "0.015", "1")]), false);
    assert_eq!(
        (&*joined[0], &*warning),
        ("a Some(3) Some([1, 1, 1]) 0", "")
    );
    other.meta.frame_shift = Some(at("0.01"));
    let (refused, _) = join(main, other, false);
    assert_eq!(
        refused[0],
        "frames of 0.005 s, but the segments count frames of 0.01 s"
    );
}

#[test]
fn faults_that_no_utterance_needs_are_told_at_the_end() {
    let (env, heard) = warnings();
    let other = script(&[
        Step::Given(labels("a", &[1])),
        Step::Skipped,
        Step::Given(labels("b", &[2])),
        Step::Broken,
    ]);
    let main = stream([frames("a", 1)]);
    let join = JoinLabels::new(main, OpenedDataset::Stream(other), "ali", &env);
    assert_eq!(shown(join).len(), 1);
    let heard = heard.lock().unwrap();
    let expected = [
        "ali: not needed by any utterance: fault 1",
        "ali: not needed by any utterance: break 3",
    ];
    assert_eq!(*heard, expected);
    for keyed in [false, true] {
        let other = vec![labels("a", &[1]), labels("b", &[2]), labels("b", &[3])];
        let join = JoinLabels::new(stream([frames("a", 1)]), opened(other, keyed), "ali", &env);
        assert_eq!(
            shown(join)[1],
            "has labels twice, and they differ",
            "{keyed}"
        );
    }
}

fn text(key: &str, text: Option<&str>) -> Utterance {
    Utterance {
        key: key.into(),
        text: text.map(|text| text.as_bytes().to_vec()),
        ..Utterance::default()
    }
}

#[test]
fn text_is_joined_by_key() {
    let words = |object| Utterance {
        object: Some(object),
        ..text("", None)
    };
    let tokens = |key: &str| Utterance {
        key: key.into(),
        ..words(Object::Tokens(
            [&b"two"[..], b"three"].into_iter().collect(),
        ))
    };
    let token = |key: &str| Utterance {
        key: key.into(),
        ..words(Object::Token(b"one".to_vec()))
    };
    for keyed in [false, true] {
        let other = vec![
            text("a", Some("x y")),
            token("b"),
            tokens("c"),
            text("d", None),
        ];
        let main = ["a", "b", "c", "d", "e"].map(|key| text(key, None));
        let main = stream(main.into_iter().chain([text("f", Some("z"))]));
        let mut join = JoinText::new(main, opened(other, keyed), "text", &Env::default());
        let mut said = Vec::new();
        for _ in 0..6 {
            let mut utt = Utterance::default();
            said.push(match join.read(&mut utt) {
                Ok(_) => String::from_utf8(utt.text.unwrap()).unwrap(),
                Err(error) => error.to_string(),
            });
        }
        assert_eq!(
            said,
            [
                "x y",
                "one",
                "two three",
                "text: utterance d: holds no text",
                "utterance e: no text in text",
                "utterance f: has text already",
            ]
        );
        assert!(!join.read(&mut Utterance::default()).unwrap());
    }
    for keyed in [false, true] {
        let other = vec![
            text("a", Some("x")),
            text("b", Some("y")),
            text("b", Some("z")),
        ];
        let main = stream([text("a", None)]);
        let join = JoinText::new(main, opened(other, keyed), "text", &Env::default());
        assert_eq!(
            errors(drain(join)),
            ["has text twice, and it differs"],
            "{keyed}"
        );
    }
}

#[test]
fn speakers_come_of_a_table_or_of_the_name() {
    let table = Source::from_bytes("utt2spk", b"a/1 ann\n".to_vec()).unwrap();
    let table = KeyMap::read(table, &Limits::default()).unwrap();
    let utts = || stream(["a/1", "b"].map(|key| text(key, None)));
    let pattern = SpeakerPattern::parse("{speaker}/{name}").unwrap();
    let speakers = |mut reader: Box<dyn Reader>| {
        assert_eq!(*reader.info(), DatasetInfo::default());
        [(); 3].map(|()| {
            let mut utt = Utterance::default();
            match reader.read(&mut utt) {
                Ok(true) => speaker_of(&utt).unwrap().to_string(),
                Ok(false) => "over".to_owned(),
                Err(error) => {
                    assert!(error.can_continue());
                    error.to_string()
                }
            }
        })
    };
    assert_eq!(
        speakers(Box::new(Speakers::new(utts(), table))),
        ["ann", "utterance b: is not in utt2spk", "over"]
    );
    assert_eq!(
        speakers(Box::new(SpeakersByName::new(utts(), pattern))),
        [
            "a",
            "utterance b: its name is not like {speaker}/{name}",
            "over"
        ]
    );
    let mut unknown = text("c", None);
    unknown.origin.file = Some("x.ark".into());
    let error = speaker_of(&unknown).unwrap_err();
    assert_eq!(
        error.to_string(),
        "x.ark: utterance c: nothing says who speaks it"
    );
    assert_eq!(error.remedy(), Some(&Remedy::NameSpeakers));
}

#[test]
fn a_table_gets_the_frame_shift_as_a_stream_does() {
    let mut own = frames("b", 1);
    own.meta.frame_shift = Some(at("0.02"));
    let table: Box<dyn RandomAccess> = Box::new(Table(vec![frames("a", 1), own]));
    let mut table = FrameShift::keyed(table, at("0.01"));
    let mut utt = Utterance::default();
    assert!(table.find(&"a".into(), &mut utt).unwrap());
    assert_eq!(utt.meta.frame_shift, Some(at("0.01")));
    let error = table.find(&"b".into(), &mut utt).unwrap_err();
    assert_eq!(
        error.to_string(),
        "utterance b: has a frame shift of 0.02 s, not of 0.01 s"
    );
    assert!(!table.find(&"c".into(), &mut utt).unwrap());
    assert_eq!(table.keys().unwrap(), ["a".into(), "b".into()]);
    assert_eq!(table.find_twice().unwrap(), None);
}

/// Nothing, but what it says of itself.
struct Said(DatasetInfo);

impl Reader for Said {
    fn info(&self) -> &DatasetInfo {
        &self.0
    }

    fn read(&mut self, _: &mut Utterance) -> Result<bool> {
        Ok(false)
    }
}

#[test]
fn a_chain_tells_of_what_is_empty_and_what_is_said_otherwise() {
    let said = |license: &str, split: &str| -> Result<Box<dyn Reader>, Error> {
        let mut about = About::default();
        about.license = (!license.is_empty()).then(|| license.to_owned());
        about.split = (!split.is_empty()).then(|| split.to_owned());
        about
            .classes
            .insert("phone".to_owned(), vec!["a".to_owned()]);
        let mut info = DatasetInfo::default();
        info.about = about;
        Ok(Box::new(Said(info)))
    };
    for (tells_empty, expected) in [
        (
            true,
            &[
                "x: holds no utterances",
                "y: the first input says otherwise or nothing of licence, split, and that is kept",
                "y: holds no utterances",
                "z: holds no utterances",
            ][..],
        ),
        (
            false,
            &["y: the first input says otherwise or nothing of licence, split, and that is kept"],
        ),
    ] {
        let (env, heard) = warnings();
        let openers = [said("CC0", ""), said("MIT", "test"), said("", "")];
        let names = ["x", "y", "z"].map(str::to_owned).to_vec();
        let chain = Chain::new(openers.into_iter()).unwrap().named(names);
        assert!(drain(chain.warning(&env, tells_empty)).is_empty());
        assert_eq!(*heard.lock().unwrap(), expected);
    }
}
