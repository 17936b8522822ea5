//! Manifests of supervisions, with those of recordings and features beside them.

use spr_core::bytes::{Env, Locator, MemoryStore};
use spr_core::format::{FieldSet, Format, Request};
use spr_core::model::{Audio, Decimal, RecordingFacts, Span, Utterance};
use spr_format_manifest::LHOTSE;

use super::{lines, recording, supervision};
use crate::common::{file_of, read_file, read_folder, rows, surroundings};

/// Features of two parts of the recording r, the first of which ends in the second.
fn features() -> Vec<u8> {
    let line = |key: &str, start: &str| {
        format!(
            r#"{{"type": "fbank", "num_frames": 120, "num_features": 2, "frame_shift": 0.01, "sampling_rate": 8000, "start": {start}, "duration": 1.2, "storage_type": "numpy_files", "storage_path": "feats", "storage_key": "{key}.npy", "recording_id": "r", "channels": 0}}"#
        )
    };
    lines([line("one", "0.0"), line("two", "0.8")])
}

fn demo() -> (MemoryStore, Env) {
    let (store, env) = surroundings();
    store.insert(
        "d/demo_recordings_train.jsonl",
        lines([recording("r"), recording("whole")]),
    );
    store.insert(
        "d/demo_supervisions_train.jsonl",
        lines([
            supervision("s1", "r", "0.25", "0.50"),
            supervision("s2", "r", "1.0", "0.75"),
            supervision("whole", "whole", "0", "2.0"),
        ]),
    );
    store.insert("d/demo_features_train.jsonl", features());
    let mut second = rows(120, 2);
    second
        .values_mut::<f32>()
        .unwrap()
        .iter_mut()
        .for_each(|v| *v += 1000.0);
    let numpy = &spr_format_numpy::FORMAT;
    store.insert("feats/one.npy", file_of(numpy, &[], "a", rows(120, 2)));
    store.insert("feats/two.npy", file_of(numpy, &[], "a", second));
    (store, env)
}

const SAID: &str = "d/demo_supervisions_train.jsonl";

fn first_values(utt: &Utterance) -> Vec<f32> {
    let features = utt.features.as_ref().unwrap();
    features
        .values::<f32>()
        .unwrap()
        .iter()
        .step_by(2)
        .copied()
        .collect()
}

fn times(utt: &Utterance) -> [Option<String>; 3] {
    let meta = &utt.meta;
    [
        meta.recording.as_ref().map(ToString::to_string),
        meta.start.map(|time| time.to_string()),
        meta.end.map(|time| time.to_string()),
    ]
}

#[test]
fn a_supervision_finds_its_recording_and_its_frames() {
    let (_, env) = demo();
    let found = read_file(&LHOTSE, SAID, &[], Request::all(), &env);
    assert_eq!(found.warnings, [""; 0]);
    let utts = found.whole();
    let keys: Vec<_> = utts.iter().map(|utt| utt.key.to_string()).collect();
    assert_eq!(keys, ["s1", "s2", "whole"]);
    // Frames of the features that begin last before the supervision.
    let expected: Vec<f32> = (25..75u16).map(f32::from).collect();
    assert_eq!(first_values(&utts[0]), expected);
    let expected: Vec<f32> = (1020..1095u16).map(f32::from).collect();
    assert_eq!(first_values(&utts[1]), expected);
    assert_eq!(utts[0].meta.frame_shift, Decimal::parse("0.01"));
    assert_eq!((&utts[2].features, utts[2].meta.frame_shift), (&None, None));
    assert_eq!(utts[1].text.as_deref(), Some(&b"of s2"[..]));
    let some = |words: [&str; 3]| words.map(|word| Some(word.to_owned()));
    assert_eq!(times(&utts[0]), some(["r", "0.25", "0.75"]));
    assert_eq!(times(&utts[1]), some(["r", "1.0", "1.75"]));
    // What is all of a recording of its name has no other place.
    assert_eq!(times(&utts[2]), [None, None, None]);
    let Some(Audio::Reference(sound)) = &utts[0].audio else {
        panic!("{:?}", utts[0])
    };
    assert_eq!(sound.at, Locator::file("r.wav"));
    let span = Span::new(Decimal::parse("0.25"), Decimal::parse("0.75"));
    assert_eq!(sound.span, span);
    let whole = RecordingFacts {
        rate: Some(8000),
        samples: Some(16000),
        channels: Some(1),
        ..RecordingFacts::default()
    };
    assert_eq!(sound.recording, whole);
    let Some(Audio::Reference(sound)) = &utts[2].audio else {
        panic!("{:?}", utts[2])
    };
    assert_eq!((sound.span, sound.recording), (Span::Whole, whole));
}

#[test]
fn sound_or_features_are_left_out_where_one_is_asked_for() {
    let (store, env) = demo();
    let with = |forms| read_file(&LHOTSE, SAID, &[], Request::all().forms(forms), &env);
    let none = FieldSet::NONE;
    let found = with(FieldSet {
        audio: true,
        ..none
    });
    assert_eq!(
        found.warnings,
        [format!(
            "{SAID}: the features are left out in favour of the sound, here and below"
        )]
    );
    let utts = found.whole();
    assert!(
        utts.iter()
            .all(|utt| utt.features.is_none() && utt.audio.is_some())
    );
    let found = with(FieldSet {
        features: true,
        ..none
    });
    assert_eq!(
        found.warnings,
        [format!(
            "{SAID}: utterance s1: the sound is left out in favour of the features, here and below"
        )]
    );
    let utts = found.whole();
    let has = |utt: &Utterance| (utt.features.is_some(), utt.audio.is_some());
    // Sound that has no features stays.
    let all: Vec<_> = utts.iter().map(has).collect();
    assert_eq!(all, [(true, false), (true, false), (false, true)]);
    // Without features that are asked for, their manifest is not opened.
    store.insert("d/demo_features_train.jsonl", b"rubbish\n".to_vec());
    let parts = FieldSet {
        features: false,
        ..FieldSet::ALL
    };
    let found = read_file(&LHOTSE, SAID, &[], Request::all().parts(parts), &env);
    assert_eq!(found.whole().len(), 3);
    let found = read_file(&LHOTSE, SAID, &[], Request::all(), &env);
    assert!(
        found.said()[0].starts_with("d/demo_features_train.jsonl:1: "),
        "{found:?}"
    );
    assert!(!found.errors[0].can_continue());
}

#[test]
fn without_recordings_only_the_times_are_known() {
    let (store, env) = demo();
    store.remove("d/demo_recordings_train.jsonl");
    store.remove("d/demo_features_train.jsonl");
    let found = read_file(&LHOTSE, SAID, &[], Request::all(), &env);
    assert_eq!(
        found.warnings,
        [format!(
            "{SAID}: no manifest of recordings is beside it to tell where the sound is"
        )]
    );
    let utts = found.whole();
    assert!(
        utts.iter()
            .all(|utt| utt.audio.is_none() && utt.features.is_none())
    );
    let some = |words: [&str; 3]| words.map(|word| Some(word.to_owned()));
    assert_eq!(times(&utts[1]), some(["r", "1.0", "1.75"]));
    assert_eq!(times(&utts[2]), [None, None, None]);
    // By options, they may be anywhere, and so they may for a manifest of any name.
    store.insert("x.jsonl", lines([supervision("s1", "r", "0.25", "0.50")]));
    store.insert("elsewhere/all.jsonl", lines([recording("r")]));
    store.insert("elsewhere/feats.jsonl", features());
    let options = [
        ("recordings", "elsewhere/all.jsonl"),
        ("features", "elsewhere/feats.jsonl"),
    ];
    let found = read_file(&LHOTSE, "x.jsonl", &options, Request::all(), &env);
    assert_eq!(found.warnings, [""; 0]);
    let utts = found.whole();
    assert!(utts[0].audio.is_some());
    assert_eq!(first_values(&utts[0]).len(), 50);
}

#[test]
fn recordings_that_are_missing_twice_or_unused_are_named() {
    let (store, env) = surroundings();
    let table = "d/recordings.jsonl";
    let said = "d/supervisions.jsonl";
    let good = supervision("a", "a", "0", "1.0");
    store.insert(said, lines([good.clone()]));
    store.insert(table, lines([recording("a"), recording("a")]));
    let found = read_file(&LHOTSE, said, &[], Request::all(), &env);
    assert_eq!(found.said(), [format!("{table}:2: a second recording a")]);
    store.insert(
        table,
        lines([recording("a"), recording("c"), recording("b")]),
    );
    let found = read_file(&LHOTSE, said, &[], Request::all(), &env);
    assert_eq!(
        found.warnings,
        [format!(
            "{table}: 2 recordings have no supervision, and are ignored: b, …"
        )]
    );
    store.insert(table, lines([recording("a"), recording("c")]));
    let found = read_file(&LHOTSE, said, &[], Request::all(), &env);
    assert_eq!(
        found.warnings,
        [format!(
            "{table}: the recording c has no supervision, and is ignored"
        )]
    );
    // Behind a fault nobody knows what is unused.
    store.insert(
        said,
        lines([good.clone(), supervision("b", "gone", "0", "1.0")]),
    );
    let found = read_file(&LHOTSE, said, &[], Request::all(), &env);
    assert_eq!(
        found.said(),
        [format!(
            "{said}:2: utterance b: the recording gone is not in {table}"
        )]
    );
    assert!(found.errors[0].can_continue());
    assert_eq!(
        (found.keys(), found.warnings.len()),
        (vec!["a".to_owned()], 0)
    );
}

#[test]
fn a_folder_is_its_supervisions_or_else_its_cuts() {
    const NO: &str = "d: holds neither supervisions.jsonl.gz nor cuts.jsonl.gz";
    let empty = || String::new();
    let feature = String::from_utf8(features()).unwrap();
    let feature = feature.lines().next().unwrap().to_owned();
    let cut = |id: &str| {
        let recording = recording("r");
        format!(
            r#"{{"id": "{id}", "start": 0, "duration": 2, "channel": 0, "supervisions": [], "recording": {recording}, "type": "MonoCut"}}"#
        )
    };
    for (files, expected) in [
        (
            &[
                ("supervisions.jsonl", supervision("s", "r", "0", "1")),
                ("recordings.jsonl", recording("r")),
                ("cuts.jsonl", cut("c")),
            ][..],
            "s",
        ),
        (
            &[
                ("x_cuts.jsonl", cut("c")),
                ("recordings.jsonl", recording("r")),
            ],
            "c",
        ),
        (&[("recordings.json", recording("r"))], "r"),
        (&[("features.jsonl", feature)], "one"),
        (&[], NO),
        (&[("notes.jsonl", empty()), ("cuts.txt", empty())], NO),
        (
            &[("a_cuts.jsonl", cut("c")), ("b_cuts.jsonl", cut("c"))],
            "d: expected one manifest of cuts, found 2",
        ),
        (
            &[("recordings.jsonl", empty()), ("features.jsonl", empty())],
            "d: expected one manifest of recordings or features, found 2",
        ),
        (
            &[
                ("cuts.000000.jsonl", empty()),
                ("recording.000000.tar", empty()),
            ],
            "d: a Lhotse Shar, whose sound and features are in tar files",
        ),
    ] {
        let (store, env) = surroundings();
        store.insert("d/README", Vec::new());
        let numpy = file_of(&spr_format_numpy::FORMAT, &[], "a", rows(120, 2));
        store.insert("feats/one.npy", numpy);
        for (name, line) in files {
            store.insert(format!("d/{name}"), lines([line.clone()]));
        }
        let found = read_folder(&LHOTSE, "d", Request::all(), &env);
        let keys = found.keys().into_iter().chain(found.said());
        assert_eq!(keys.collect::<Vec<_>>(), [expected]);
        if expected.contains("found 2") {
            let hint = found.errors[0].hint_text().unwrap();
            let names: Vec<_> = files.iter().map(|(name, _)| format!("d/{name}")).collect();
            let mut names = names;
            names.sort();
            assert_eq!(hint, format!("name one of them: {}", names.join(", ")));
        }
    }
    let fits = |names: &[&str]| LHOTSE.folder().unwrap().fits(names);
    assert!(fits(&["README", "supervisions.jsonl.gz"]) && fits(&["my-cuts.json"]));
    assert!(!fits(&["recordings.jsonl"]) && !fits(&["cuts.txt", "mycuts.jsonl"]));
}
