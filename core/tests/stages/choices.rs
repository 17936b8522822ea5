//! What is chosen by text, and what is left out because a stage changes it.

use std::sync::{Arc, Mutex};

use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{Audio, Limits, Tag, TagSubject, Utterance};
use spr_core::number::random::Rng;
use spr_core::stage::{
    Channels, CmvnGroup, Columns, Context, KeyChange, PartitionSize, Ranges, ReaderExt,
    SelectColumns, SelectFrames, SortKey, SoundChoice, UtteranceShape,
};

use super::script::{Event, Step, drain, errors, frames, script, utterance};

#[test]
fn rates_are_in_hertz_or_thousands() {
    for (text, rate) in [
        ("8000", Some(8000)),
        ("16k", Some(16_000)),
        ("22.05K", Some(22_050)),
        ("0.001k", Some(1)),
        ("0", None),
        ("-8000", None),
        ("+8000", None),
        ("0.0001k", None),
        ("fast", None),
        ("k", None),
        ("99999999999", None),
    ] {
        let mut choice = SoundChoice::default();
        let set = choice.set_rate(text);
        assert_eq!(
            (choice.rate, choice.is_idle()),
            (rate, rate.is_none()),
            "{text}"
        );
        if let Err(error) = set {
            assert_eq!(error.message(), format!("'{text}' is not a rate"));
        }
    }
    let shown = [Channels::One(1), Channels::Mix].map(|it| it.to_string());
    assert_eq!(shown, ["channel 1", "the mean of all channels"]);
}

#[test]
fn words_that_are_no_choice_are_refused() {
    for (text, known) in [
        ("utterance", true),
        ("speaker", true),
        ("global", true),
        ("all", false),
    ] {
        let group = text.parse::<CmvnGroup>();
        assert_eq!(group.is_ok(), known, "{text}");
        if let Err(error) = group {
            assert_eq!(error.message(), "'all' is not utterance, speaker or global");
        }
    }
    let error = "0-99999999999,1".parse::<Columns>().unwrap_err();
    assert_eq!(
        error.hint_text().unwrap(),
        "such as 0,24-22,3-12, counted from 0"
    );
    for (text, why) in [
        ("x/a/b/", "expected s/REGEX/TEXT/, as sed has it"),
        ("s/a", "expected s/REGEX/TEXT/, as sed has it"),
        ("s\\a\\b\\", "expected s/REGEX/TEXT/, as sed has it"),
        ("s/a/b/c/d", "expected s/REGEX/TEXT/, as sed has it"),
        ("s/a/b/q", "there is no flag 'q', only g and i"),
        ("s/a/\\1/", "there is no group 1"),
        ("s|a|b\\\\|", "s"),
    ] {
        match KeyChange::sed(text) {
            Err(error) => assert_eq!(error.message(), format!("'{text}': {why}")),
            Ok(change) => assert_eq!(change.apply(&"cab".into()).unwrap(), "cb\\b".into()),
        }
    }
    for (text, key, changed) in [
        ("s/A/x/i", "banana", "bxnana"),
        ("s/A/x/gi", "banana", "bxnxnx"),
        ("s/(an)/<&|\\1>/", "banana", "b<an|an>ana"),
        ("s,a,$\\$\\t,", "a", "$$\t"),
        ("s#a\\#b#c#", "xa#b", "xc"),
    ] {
        let change = KeyChange::sed(text).unwrap();
        assert_eq!(change.apply(&key.into()).unwrap(), changed.into(), "{text}");
    }
}

fn tagged(about: TagSubject) -> Utterance {
    let mut utt = utterance(0, 4);
    utt.meta.tags = vec![
        Tag::new("toy", "means", "1").about(about),
        Tag::new("toy", "x", "2"),
    ];
    utt
}

#[test]
fn header_lines_about_what_changes_go_with_one_warning() {
    type Make = fn(Box<dyn Reader>, &Env) -> Box<dyn Reader>;
    let cases: [(Make, TagSubject, &str); 3] = [
        (
            |inner, env| {
                Box::new(
                    SelectColumns::new(inner, Columns::from_iter([1, 0]), Limits::default())
                        .telling(env),
                )
            },
            TagSubject::Columns,
            "columns",
        ),
        (
            |inner, env| {
                let some: Ranges = "0:2:^0".parse().unwrap();
                Box::new(SelectFrames::new(inner, some, Limits::default()).telling(env))
            },
            TagSubject::Frames,
            "frames",
        ),
        (
            |inner, env| Box::new(Context::new(inner, 1, 1, Limits::default()).telling(env)),
            TagSubject::Columns,
            "columns",
        ),
    ];
    for (make, about, what) in cases {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listener = heard.clone();
        let env = Env::default().listening(move |w| listener.lock().unwrap().push(w.to_string()));
        let steps = [tagged(about), tagged(about)].map(Step::Given);
        for event in drain(make(script(&steps), &env)) {
            let Event::Utterance(utt) = event else {
                panic!("{event:?}")
            };
            assert_eq!(utt.meta.tags, [Tag::new("toy", "x", "2")], "{what}");
        }
        let expected = format!(
            "utterance utt-0: the header line means is about the {what} as they were and is left out"
        );
        assert_eq!(*heard.lock().unwrap(), [expected]);
    }
}

#[test]
fn what_has_no_frames_is_not_taken_apart() {
    let limits = Limits::default();
    let mut sound = utterance(0, 2);
    sound.audio = Some(Audio::default());
    let mut bare = utterance(1, 2);
    bare.features = None;
    let given = [sound, bare].map(Step::Given);
    let all: Ranges = "all".parse().unwrap();
    let selected = errors(drain(script(&given).frames(all, limits)));
    assert_eq!(selected, ["has audio, from which frames can't be selected"]);
    let size = Some(PartitionSize::of_bytes(64));
    let shuffled = errors(drain(script(&given).shuffle_frames(
        size,
        Rng::default(),
        limits,
    )));
    let expected = [
        "has audio, which can't be shuffled frame by frame",
        "has no features to measure a partition by",
    ];
    assert_eq!(shuffled, expected);
}

#[test]
fn stages_are_methods_of_readers() {
    let steps = [Step::Frames(3), Step::Frames(1), Step::Frames(2)];
    let sorted = script(&steps).sort(SortKey::Frames, 1 << 20);
    assert_eq!(frames(&drain(sorted)), [1000, 2000, 2001, 0, 1, 2]);
    let shape = UtteranceShape {
        dim: Some(3),
        ..UtteranceShape::default()
    };
    let checked = errors(drain(script(&steps).check(Some(shape))));
    assert_eq!(checked, ["has 2 feature columns, expected 3"; 3]);
    let mut peeked = script(&steps).peekable();
    assert_eq!(peeked.peek().map(Utterance::frames), Some(3));
    assert_eq!(frames(&drain(peeked)).len(), 6);
    assert_eq!(frames(&drain(script(&steps).shared())).len(), 6);
    assert_eq!(frames(&drain(script(&steps).prefetch())).len(), 6);
}
