//! Lines of Lhotse's manifests: what they mean, and what is wrong with others.

use std::path::Path;

use serde_json::Value;
use spr_core::ErrorKind;
use spr_core::bytes::{Env, Locator, MemoryStore};
use spr_core::format::{Format, Probe, Request, Score};
use spr_core::model::{Audio, AudioReference, Decimal, Matrix, Span, Tag, Utterance};
use spr_format_manifest::LHOTSE;
use spr_syntax::lilcom::Encoder;

use super::{lines, recording, supervision};
use crate::behaviour::faults;
use crate::common::{Found, file_of, read_file, read_folder, rows, surroundings, text_of, write};

/// A cut of the recording r, with more fields.
fn cut(start: &str, duration: &str, more: &str) -> String {
    let recording = recording("r");
    format!(
        r#"{{"id": "c", "start": {start}, "duration": {duration}, "supervisions": [], "recording": {recording}, "type": "MonoCut"{more}}}"#
    )
}

/// Reads one line.
fn one(line: &str) -> Utterance {
    let (store, env) = surroundings();
    store.insert("m.jsonl", lines([line.to_owned()]));
    let found = read_file(&LHOTSE, "m.jsonl", &[], Request::all(), &env);
    found.whole().pop().unwrap()
}

fn reference(utt: &Utterance) -> &AudioReference {
    let Some(Audio::Reference(sound)) = &utt.audio else {
        panic!("{utt:?}")
    };
    sound
}

#[test]
fn recordings_at_fault_are_named() {
    let good = recording("a");
    let with = |from: &str, to: &str| {
        let line = good.replace(from, to);
        assert_ne!(line, good, "{from}");
        line
    };
    let two = r#""channels": [0], "source": "a.wav"}, {"type": "file", "channels": [1], "source": "b.wav"}"#;
    let cases = [
        (
            with("\"file\"", "\"shar\""),
            "a recording of a Lhotse Shar, whose sound is in tar files",
        ),
        (
            with("\"file\"", "\"url\""),
            "a recording from a source of type url",
        ),
        (
            with("\"a.wav\"", "\"\""),
            "a source that does not say where it is",
        ),
        (with("[0], \"source\"", "\"0\", \"source\""), "channels"),
        (
            with("\"sampling_rate\": 8000", "\"sampling_rate\": 0"),
            "sampling_rate is 0",
        ),
        (
            with("\"duration\": 2.0", "\"duration\": 2.11"),
            "the recording a has 2 s of samples, and a duration of 2.11 s",
        ),
        (
            with("\"id\"", "\"transforms\": [{}], \"id\""),
            "the recording a has transforms, which change its sound",
        ),
        (
            with("\"channels\": [0], \"source\": \"a.wav\"}", two),
            "the channels [] are not one of, or all of, those of a file",
        ),
        (with("\"num_samples\": 16000, ", ""), "has no num_samples"),
        (
            r#"{"id": "a", "sources": [], "sampling_rate": 8000, "num_samples": 8}"#.to_owned(),
            "the recording a has no sources",
        ),
    ];
    let cases: Vec<_> = cases.iter().map(|(line, why)| (&**line, *why)).collect();
    faults(&LHOTSE, &good, &cases);
    // Nearly the duration, and no transforms.
    let line = with(
        "\"duration\": 2.0",
        "\"duration\": 2.09, \"transforms\": []",
    );
    assert_eq!(reference(&one(&line)).at, Locator::file("a.wav"));
    let line = with("\"file\"", "\"command\"").replace("a.wav", "cat a.wav");
    assert_eq!(
        reference(&one(&line)).at,
        Locator::Command("cat a.wav".to_owned())
    );
}

#[test]
fn cuts_outside_their_recording_are_named() {
    let good = cut("0.5", "2.0", "");
    let said = |more: &str| {
        let said = supervision("s", "r", "0", "1.0").replace("}", more);
        cut("0.5", "1.0", "").replace(
            "\"supervisions\": []",
            &format!("\"supervisions\": [{said}]"),
        )
    };
    let cases = [
        (cut("-0.5", "1.0", ""), "starts -0.5 s before its recording"),
        (
            cut("2.5", "0.5", ""),
            "lasts from 2.5 to 3 s of a recording of 2 s",
        ),
        (
            cut("0.5", "2.01", ""),
            "lasts from 0.5 to 2.51 s of a recording of 2 s",
        ),
        (
            cut("0", "1.0", ", \"channel\": [0, 1]"),
            "the channels [0, 1] are not one of, or all of, those of a file",
        ),
        (
            cut("0", "1.0", "").replace("MonoCut", "PaddingCut"),
            "a PaddingCut, which is no stretch of one recording",
        ),
        (
            said(", \"custom\": {\"frame_shift\": 0}}"),
            "frame_shift is 0",
        ),
        (
            said(", \"alignment\": {\"word\": [[\"a\", 0.4, 0.2]]}}"),
            "an alignment at 0.4, before the utterance starts",
        ),
        (
            said(", \"alignment\": {\"word\": [[\"a\", 0.5]]}}"),
            "an alignment of 2 values, expected 3 or 4",
        ),
        (
            said(", \"alignment\": {\"word\": [{\"symbol\": \"a\", \"start\": 0.5}]}}"),
            "has no duration",
        ),
        (
            said(", \"text\": 7}").replace("\"text\": \"of s\", ", ""),
            "text is not text: 7",
        ),
    ];
    let cases: Vec<_> = cases.iter().map(|(line, why)| (&**line, *why)).collect();
    faults(&LHOTSE, &good, &cases);
}

#[test]
fn manifests_of_other_things_are_refused_by_name() {
    for (line, what) in [
        (r#"{"id": "a", "width": 3, "height": 4}"#, "images"),
        (r#"{"shape": [3], "storage_type": "numpy_files"}"#, "arrays"),
        (r#"{"array": {}, "temporal_dim": 0}"#, "arrays"),
    ] {
        let (store, env) = surroundings();
        store.insert("m.jsonl", lines([line.to_owned()]));
        let found = read_file(&LHOTSE, "m.jsonl", &[], Request::all(), &env);
        assert_eq!(
            found.said(),
            [format!("m.jsonl:1: a Lhotse manifest of {what}")]
        );
        assert_eq!(found.errors[0].kind(), ErrorKind::Unsupported);
        assert!(!found.errors[0].can_continue());
    }
    let (store, env) = surroundings();
    store.insert("m.jsonl", Vec::new());
    let found = read_file(&LHOTSE, "m.jsonl", &[], Request::all(), &env);
    assert_eq!(
        (found.keys(), found.said(), found.warnings),
        Default::default()
    );
    let score = |text: &str| {
        LHOTSE.probe(&Probe {
            head: text.as_bytes(),
            whole: true,
            len: None,
            path: None,
        })
    };
    assert_eq!(score(&recording("a")), Score::Certain);
    assert_eq!(score(&supervision("a", "r", "0", "1")), Score::Certain);
    assert_eq!(
        score(r#"{"tracks": [], "type": "MixedCut"}"#),
        Score::Certain
    );
    assert_eq!(
        score(r#"{"id": "a", "start": 0, "duration": 1}"#),
        Score::No
    );
    assert_eq!(score(&format!("x{}", recording("a"))), Score::No);
}

#[test]
fn channels_are_those_of_a_file_or_one_of_them() {
    let sources = |line: String, list: &str| {
        let all = r#"[{"type": "file", "channels": [0], "source": "r.wav"}]"#;
        assert!(line.contains(all));
        line.replace(all, list)
            .replace("\"num_samples\"", "\"channel_ids\": [], \"num_samples\"")
    };
    let both = r#"[{"type": "file", "channels": [0, 1], "source": "r.wav"}]"#;
    let two = r#"[{"type": "file", "channels": [0], "source": "r.wav"}, {"type": "file", "channels": [1], "source": "r2.wav"}]"#;
    for (list, channel, at, number, count) in [
        (both, "[0, 1]", "r.wav", None, 2),
        (both, "1", "r.wav", Some(1), 2),
        (both, "[0]", "r.wav", Some(0), 2),
        (two, "1", "r2.wav", None, 1),
        (two, "[0]", "r.wav", None, 1),
    ] {
        let line = cut("0.5", "1.0", &format!(", \"channel\": {channel}"));
        let utt = one(&sources(line, list).replace(", \"channel_ids\": [0]", ""));
        let sound = reference(&utt);
        assert_eq!(
            (sound.at.clone(), sound.channel),
            (Locator::file(at), number)
        );
        assert_eq!(sound.recording.channels, Some(count), "{list} {channel}");
    }
}

#[test]
fn what_a_cut_and_its_supervision_say_is_kept_apart() {
    let said = r#"{"id": "s", "recording_id": "r", "start": 0, "duration": 1.0, "channel": 0, "custom": {"snr": 1.50, "frame_shift": 0.01}, "alignment": {"word": [{"symbol": "a", "start": 0.5, "duration": 0.25, "score": 1}, ["b", 0.75, 0.25, null]]}, "gender": "f"}"#;
    let line = cut(
        "0.5",
        "1.0",
        ", \"channel\": 0, \"custom\": {\"snr\": 2, \"x\": [1]}",
    );
    let utt = one(&line.replace(
        "\"supervisions\": []",
        &format!("\"supervisions\": [{said}]"),
    ));
    let column = |key: &str, value: &str| Tag::new("manifest", key, value);
    assert_eq!(
        utt.meta.tags,
        [
            Tag::new("lhotse", "supervision_id", "s"),
            column("snr", "1.50"),
            column("cut.snr", "2"),
            column("x", "[1]"),
        ]
    );
    assert_eq!(utt.meta.gender, Some("f".into()));
    assert_eq!(utt.meta.frame_shift, Decimal::parse("0.01"));
    let segments = &utt.tiers[0].segments;
    let times: Vec<_> = segments
        .iter()
        .map(|s| (&*s.label, s.start.value(), s.end.unwrap().value(), s.score))
        .collect();
    assert_eq!(
        times,
        [
            (&b"a"[..], 0.0, 0.25, Some(Decimal::new(1, 0))),
            (b"b", 0.25, 0.5, None),
        ]
    );
}

#[test]
fn what_a_supervision_says_otherwise_than_its_cut_comes_back() {
    let said = r#"{"id": "s", "recording_id": "other", "start": 0.002, "duration": 0.995, "channel": [0, 1], "text": "x"}"#;
    let line = cut("0.5", "1.0", ", \"channel\": 0").replace(
        "\"supervisions\": []",
        &format!("\"supervisions\": [{said}]"),
    );
    let utt = one(&line);
    let tags: Vec<_> = utt
        .meta
        .tags
        .iter()
        .map(|tag| (&*tag.key, &*tag.value))
        .collect();
    assert_eq!(
        tags,
        [
            (&b"supervision_id"[..], &b"s"[..]),
            (b"supervision_start", b"0.002"),
            (b"supervision_duration", b"0.995"),
            (b"supervision_recording_id", b"other"),
            (b"supervision_channel", b"[0, 1]"),
        ]
    );
    let (_, env) = surroundings();
    write(&LHOTSE, &Locator::file("c.jsonl"), &[], &[utt], &env).unwrap();
    let written = text_of("c.jsonl", &env);
    assert!(
        written.contains(&format!("\"supervisions\": [{said}]")),
        "{written}"
    );
}

#[test]
fn what_is_said_in_a_part_of_a_cut_is_an_utterance_of_that_part() {
    let said = r#"{"id": "s", "recording_id": "r", "start": 0.05, "duration": 0.25, "text": "x"}"#;
    let line = cut("0.5", "1.0", "").replace(
        "\"supervisions\": []",
        &format!("\"supervisions\": [{said}]"),
    );
    let utt = one(&line);
    let Some(Audio::Reference(sound)) = &utt.audio else {
        panic!("no sound")
    };
    let time = |text| Decimal::parse(text);
    assert_eq!(sound.span, Span::new(time("0.55"), time("0.8")));
    assert_eq!(utt.duration(None), time("0.25"));
    assert_eq!(utt.text.as_deref(), Some(&b"x"[..]));
    // One that goes beyond the cut is of all of it.
    let beyond = one(&line.replace("\"duration\": 0.25", "\"duration\": 1.25"));
    assert_eq!(beyond.duration(None), time("1"));
}

/// A line of features, of 12 frames of two columns in a store.
fn features(store: &str, path: &str, key: &str) -> String {
    format!(
        r#"{{"type": "fbank", "num_frames": 12, "num_features": 2, "frame_shift": 0.01, "sampling_rate": 8000, "start": 0, "duration": 0.12, "storage_type": "{store}", "storage_path": "{path}", "storage_key": "{key}", "recording_id": "r", "channels": 0}}"#
    )
}

/// Returns a store with features in several forms, and the offset of those of ann in the archive.
fn stores() -> (MemoryStore, Env, usize) {
    let (store, env) = surroundings();
    let numpy = &spr_format_numpy::FORMAT;
    store.insert("f/ann.npy", file_of(numpy, &[], "a", rows(12, 2)));
    store.insert("f/sub/short.npy", file_of(numpy, &[], "a", rows(11, 2)));
    store.insert("f/wide.npy", file_of(numpy, &[], "a", rows(12, 3)));
    let encoder = Encoder::new(-5, false).unwrap();
    let matrix = rows(12, 2);
    let (lilcom, _) = encoder
        .encode(matrix.values::<f32>().unwrap(), &[12, 2])
        .unwrap();
    store.insert("f/ann.llc", lilcom.clone());
    store.insert("f/long.llc", [lilcom, vec![0]].concat());
    let kaldi = &spr_format_kaldi::FORMAT;
    let [zoe, ann] = [(1, "zoe"), (12, "ann")].map(|(n, key)| file_of(kaldi, &[], key, rows(n, 2)));
    let at = zoe.len() + "ann ".len();
    store.insert("f/all.ark", [zoe, ann].concat());
    store.insert(
        "f/all.scp",
        format!("zoe f/all.ark:4\nann f/all.ark:{at}\n").into_bytes(),
    );
    store.insert("f/text", b"ann  [\n 1 2 ]\n".to_vec());
    (store, env, at)
}

/// Reads a manifest of features.
fn stored(line: &str, store: &MemoryStore, env: &Env) -> Found {
    store.insert("m.jsonl", lines([line.to_owned()]));
    read_file(&LHOTSE, "m.jsonl", &[], Request::all(), env)
}

#[test]
fn features_are_read_from_their_store() {
    let (store, env, at) = stores();
    let archive = format!("f/all.ark:{at}");
    for (kind, path, key) in [
        ("numpy_files", "f", "ann.npy"),
        ("numpy_files", "f", "/ann.npy"),
        ("lilcom_files", "f", "ann.llc"),
        ("lilcom_url", "f", "ann.llc"),
        ("kaldiio", "f/all.scp", "ann"),
        ("kaldiio", &archive, "ann"),
    ] {
        let found = stored(&features(kind, path, key), &store, &env);
        assert_eq!(
            (found.keys(), found.said()),
            (vec!["ann".to_owned()], Vec::new()),
            "{kind}"
        );
        // Halves are stored by lilcom without a change.
        assert_eq!(found.utts[0].features, Some(rows(12, 2)), "{kind} {path}");
        let meta = &found.utts[0].meta;
        assert_eq!(
            (&meta.recording, meta.start, meta.end),
            (
                &Some("r".into()),
                Some(Decimal::new(0, 0)),
                Decimal::parse("0.12"),
            )
        );
    }
    // Whole features that have the name of their recording are the recording.
    let line = features("numpy_files", "f", "ann.npy").replace("\"r\"", "\"ann\"");
    let found = stored(&line, &store, &env).whole();
    assert_eq!(
        (&found[0].meta.recording, found[0].meta.start),
        (&None, None)
    );
}

#[test]
fn features_that_are_not_as_said_are_named() {
    let (store, env, _) = stores();
    let line = |path: &str, key: &str| features("numpy_files", path, key);
    let mut short = rows(12, 2);
    short = Matrix::from_rows(
        &short.values::<f32>().unwrap()[..4],
        1,
        spr_core::model::Rank::Vector,
    )
    .unwrap();
    let vector = file_of(&spr_format_numpy::FORMAT, &[], "a", short);
    store.insert("f/vector.npy", vector);
    for (line, message) in [
        (
            line("f", "sub/short.npy"),
            "f/sub/short.npy: utterance short: 11 rows, the manifest says 12",
        ),
        (
            line("f", "wide.npy"),
            "f/wide.npy: utterance wide: 3 columns, the manifest says 2",
        ),
        (
            features("lilcom_files", "f", "long.llc"),
            "the file goes on after the last value",
        ),
        (
            features("kaldiio", "f/all.scp", "nobody"),
            "f/all.scp: utterance nobody: nobody is not in it",
        ),
        (
            line("f", "ann.npy").replace("\"frame_shift\": 0.01", "\"frame_shift\": 0"),
            "m.jsonl:1: frame_shift is 0",
        ),
        (
            line("f", "ann.npy").replace("0.12", "0.23"),
            "m.jsonl:1: has 12 frames of 0.01 s, 0.120 s in all, and a duration of 0.23 s",
        ),
        (
            features("numpy_url", "f", "ann.npy"),
            "features in a store of type numpy_url, which is not read",
        ),
    ] {
        let found = stored(&line, &store, &env);
        let said = found.said();
        assert!(
            said.len() == 1 && said[0].contains(message),
            "{message}: {said:?}"
        );
        assert!(found.errors[0].can_continue());
    }
    // Without counts there is nothing to compare.
    let plain = line("f", "sub/short.npy").replace("\"num_frames\": 12, ", "");
    let found = stored(&plain, &store, &env).whole();
    assert_eq!(found[0].features.as_ref().map(Matrix::rows), Some(11));
}

#[test]
fn a_cut_gets_the_frames_of_its_time() {
    let (store, env, _) = stores();
    let with = |start: &str, duration: &str, edit: &dyn Fn(String) -> String| {
        let features = edit(features("numpy_files", "f", "ann.npy"));
        let line = cut(start, duration, &format!(", \"features\": {features}"));
        stored(&line, &store, &env)
    };
    let same = |line: String| line;
    let first = |found: Found| -> (f32, usize) {
        let utt = found.whole().pop().unwrap();
        let features = utt.features.unwrap();
        (features.values::<f32>().unwrap()[0], features.rows())
    };
    assert_eq!(first(with("0.02", "0.05", &same)), (2.0, 5));
    // 0.015 s are 120 samples, half a frame of 80 more than one.
    assert_eq!(first(with("0.015", "0.05", &same)), (2.0, 5));
    // Without a rate, frames are counted in seconds.
    let no_rate = |line: String| line.replace("\"sampling_rate\": 8000, \"start\"", "\"start\"");
    assert_eq!(first(with("0.024", "0.05", &no_rate)), (2.0, 5));
    // Features may start later in the recording, and end a little early.
    let later = |line: String| line.replace("\"start\": 0,", "\"start\": 0.5,");
    assert_eq!(first(with("0.55", "0.16", &later)), (5.0, 7));
    let found = with("0.4", "0.1", &later);
    assert_eq!(
        found.said(),
        ["m.jsonl:1: its features start at 0.5 s, behind its start"]
    );
    let found = with("0.05", "0.18", &same);
    assert_eq!(
        found.said(),
        ["m.jsonl:1: its features end 0.110 s before its end"]
    );
}

#[test]
fn stores_that_lhotse_wrote_are_read() {
    for name in [
        "lhotse-numpy-hdf5",
        "lhotse-lilcom-hdf5",
        "lhotse-chunked-lilcom-hdf5",
        "lhotse-lilcom-files",
        "lhotse-features",
    ] {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fixtures/manifest")
            .join(name);
        let text = std::fs::read_to_string(fixture.join("expect.jsonl")).unwrap();
        let expected: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let (_, env) = surroundings();
        let env = env.with_store(Env::default().store().clone());
        let folder = fixture.join("input.lhotse");
        let found = read_folder(&LHOTSE, folder.to_str().unwrap(), Request::all(), &env).whole();
        assert_eq!(found.len(), expected.len(), "{name}");
        for (utt, expected) in found.iter().zip(&expected) {
            assert_eq!(utt.key.to_string(), expected["key"].as_str().unwrap());
            let values = expected["features"]["data"].as_array().unwrap().iter();
            let values: Vec<f64> = values
                .flat_map(|row| row.as_array().unwrap())
                .map(|value| value.as_f64().unwrap())
                .collect();
            let features = utt.features.as_ref().unwrap();
            assert_eq!(features.cols() * features.rows(), values.len());
            let found = features.values::<f32>().unwrap().iter();
            for (found, expected) in found.zip(values) {
                let expected: f32 = expected.to_string().parse().unwrap();
                assert_eq!(*found, expected, "{name}");
            }
        }
    }
}
