//! Folders with features in each store, features alone, and what neither can hold.

use spr_core::bytes::{Env, Locator};
use spr_core::format::{Format, Medium, Request};
use spr_core::loss::LossKind;
use spr_core::model::{
    Audio, AudioReference, Decimal, Dtype, Matrix, Rank, RecordingFacts, Segment, Span, Tag, Tier,
    Utterance,
};
use spr_format_manifest::LHOTSE;

use crate::common::{read_folder, rows, surroundings, text_of, write};

fn time(text: &str) -> Option<Decimal> {
    Decimal::parse(text)
}

/// An utterance that is a file of this many samples.
fn sound(key: &str, at: &str, samples: u64) -> Utterance {
    let mut reference = AudioReference::new(Locator::file(at));
    reference.recording = RecordingFacts {
        rate: Some(8000),
        samples: Some(samples),
        channels: Some(1),
        ..RecordingFacts::default()
    };
    Utterance {
        key: key.into(),
        audio: Some(Audio::Reference(reference)),
        ..Utterance::default()
    }
}

fn featured(mut utt: Utterance, features: Matrix) -> Utterance {
    utt.features = Some(features);
    utt.meta.frame_shift = time("0.01");
    utt
}

fn edit(utt: &mut Utterance) -> &mut AudioReference {
    match &mut utt.audio {
        Some(Audio::Reference(reference)) => reference,
        other => panic!("{other:?}"),
    }
}

const OUT: &str = "out";

fn folder() -> Locator {
    Locator::folder(OUT)
}

fn line(file: &str, env: &Env) -> String {
    text_of(&format!("{OUT}/{file}.jsonl.gz"), env)
}

#[test]
fn a_folder_names_its_features() {
    let (store, env) = surroundings();
    let mut part = sound("äpfel-1", "s/rec.wav", 0);
    let audio = edit(&mut part);
    audio.recording.samples = Some(16000);
    audio.span = Span::new(time("0.5"), time("0.74"));
    part.text = Some("één".into());
    let meta = &mut part.meta;
    (meta.recording, meta.start, meta.end) = (Some("rec".into()), time("0.5"), time("0.74"));
    let part = featured(part, rows(24, 2));
    let written = write(
        &LHOTSE,
        &folder(),
        &[],
        &[part.clone(), sound("b", "s/b.wav", 800)],
        &env,
    )
    .unwrap();
    assert_eq!((written.utterances, written.frames), (2, 24));
    assert!(written.rounded.is_empty());
    assert_eq!(
        line("features", &env),
        concat!(
            r#"{"type": "features", "num_frames": 24, "num_features": 2, "frame_shift": 0.01, "#,
            r#""sampling_rate": 8000, "start": 0.5, "duration": 0.24, "storage_type": "numpy_files", "#,
            r#""storage_path": "out/features", "storage_key": "äpf/äpfel-1.npy", "recording_id": "rec", "channels": 0}"#,
            "\n"
        )
    );
    let recordings = line("recordings", &env);
    let names: Vec<_> = recordings.lines().map(|line| &line[..13]).collect();
    assert_eq!(
        names,
        ["{\"id\": \"rec\", ", "{\"id\": \"b\", \"s"].map(|name| &name[..13])
    );
    let said = line("supervisions", &env);
    assert!(
        said.starts_with(
            r#"{"id": "äpfel-1", "recording_id": "rec", "start": 0.5, "duration": 0.24, "channel": 0, "text": "één"}"#
        ),
        "{said}"
    );
    let bytes = store.get("out/features/äpf/äpfel-1.npy").unwrap();
    let npy = spr_testkit::read_memory(&spr_format_numpy::FORMAT, &[], &bytes).unwrap();
    assert_eq!(npy[0].features, part.features);
    let back = read_folder(&LHOTSE, OUT, Request::all(), &env).whole();
    assert_eq!(back[0].features, part.features);
    assert_eq!((&back[0].text, &back[1].features), (&part.text, &None));
}

#[test]
fn stores_of_lilcom_round_and_say_how_much() {
    // Frames of 0.3 are rounded to 10/32 at ticks of 2^-5, to 1/4 at 2^-2.
    let many = Matrix::from_rows(&[0.3f32; 501 * 2], 2, Rank::Matrix).unwrap();
    let one = Matrix::from_rows(&[0.5f32; 2], 2, Rank::Matrix).unwrap();
    let utts = [
        featured(sound("many", "m.wav", 40080), many),
        featured(sound("one", "o.wav", 80), one),
    ];
    for (pairs, value) in [
        (&[("store", "lilcom_files")][..], 0.3125),
        (&[("store", "lilcom_chunky")], 0.3125),
        (&[("store", "lilcom_chunky"), ("tick", "-2")], 0.25),
    ] {
        let (store, env) = surroundings();
        let written = write(&LHOTSE, &folder(), pairs, &utts, &env).unwrap();
        let [(kind, loss)] = &written.rounded.lines().collect::<Vec<_>>()[..] else {
            panic!("{:?}", written.rounded)
        };
        assert_eq!(
            (*kind, loss.utterances, loss.values),
            (LossKind::Precision, 1, 1002)
        );
        assert!(
            (loss.max_abs_err - f64::from((0.3f32 - value).abs())).abs() < 1e-6,
            "{loss:?}"
        );
        let back = read_folder(&LHOTSE, OUT, Request::all(), &env).whole();
        let values = back[0].features.as_ref().unwrap();
        assert_eq!((values.rows(), values.cols()), (501, 2));
        assert!(
            values.values::<f32>().unwrap().iter().all(|v| *v == value),
            "{pairs:?}"
        );
        assert_eq!(back[1].features, utts[1].features);
        let manifest = line("features", &env);
        let key = |n: usize| {
            let line = manifest.lines().nth(n).unwrap();
            let key = line.split("\"storage_key\": \"").nth(1).unwrap();
            key.split('"').next().unwrap().to_owned()
        };
        if pairs[0].1 == "lilcom_files" {
            assert_eq!([key(0), key(1)], ["man/many.llc", "one/one.llc"]);
            assert!(store.get("out/features/man/many.llc").is_some());
            continue;
        }
        assert!(
            manifest.contains("\"storage_path\": \"out/features.lca\""),
            "{manifest}"
        );
        // An offset, and the length of a chunk of 500 frames and of one of the last.
        let numbers =
            |key: String| -> Vec<usize> { key.split(',').map(|n| n.parse().unwrap()).collect() };
        let (first, second) = (numbers(key(0)), numbers(key(1)));
        assert_eq!((first.len(), first[0], second.len()), (3, 0, 2));
        assert_eq!(second[0], first[1] + first[2]);
        let file = store.get("out/features.lca").unwrap();
        assert_eq!(file.len(), second[0] + second[1]);
    }
}

#[test]
fn features_alone_have_no_recordings() {
    let (store, env) = surroundings();
    let alone = featured(
        Utterance {
            key: "ann".into(),
            ..Utterance::default()
        },
        rows(10, 3),
    );
    for store_of in ["numpy_files", "lilcom_files", "lilcom_chunky"] {
        let pairs = [("rate", "16000"), ("store", store_of)];
        let written = write(
            &LHOTSE,
            &folder(),
            &pairs,
            std::slice::from_ref(&alone),
            &env,
        )
        .unwrap();
        assert_eq!((written.utterances, written.frames), (1, 10));
        let manifest = line("features", &env);
        let expected = concat!(
            r#"{"type": "features", "num_frames": 10, "num_features": 3, "frame_shift": 0.01, "#,
            r#""sampling_rate": 16000, "start": 0.0, "duration": 0.1, "#
        );
        assert!(manifest.starts_with(expected), "{manifest}");
        assert!(
            manifest.ends_with("\"recording_id\": \"ann\", \"channels\": 0}\n"),
            "{manifest}"
        );
        assert!(store.get("out/recordings.jsonl.gz").is_none());
        let back = read_folder(&LHOTSE, OUT, Request::all(), &env).whole();
        assert_eq!(
            back,
            [Utterance {
                origin: back[0].origin.clone(),
                ..alone.clone()
            }],
            "{store_of}"
        );
    }
    // Even of nothing there is a manifest.
    let (_, env) = surroundings();
    write(&LHOTSE, &folder(), &[("rate", "8000")], &[], &env).unwrap();
    assert_eq!(line("features", &env), "");
    for (utt, message) in [
        (
            Utterance {
                features: None,
                ..alone.clone()
            },
            "has no features, which every line of the manifest names",
        ),
        (
            Utterance {
                key: "a/b".into(),
                ..alone.clone()
            },
            "its name can't be that of a file of features",
        ),
        (
            Utterance {
                key: ".a".into(),
                ..alone.clone()
            },
            "its name can't be that of a file of features",
        ),
        (
            Utterance {
                key: "a\\b".into(),
                ..alone.clone()
            },
            "its name can't be that of a file of features",
        ),
        (
            Utterance {
                text: Some("x".into()),
                ..alone.clone()
            },
            "text",
        ),
    ] {
        let error = write(&LHOTSE, &folder(), &[("rate", "8000")], &[utt], &env).unwrap_err();
        assert!(
            error.to_string().contains(message) && error.can_continue(),
            "{error}"
        );
        assert!(error.to_string().starts_with("out"), "{error}");
    }
}

#[test]
fn options_ask_for_what_there_is() {
    let (folder, file) = (Medium::Folder, Medium::File);
    for (pairs, medium, message) in [
        (
            &[("store", "lilcom_files")][..],
            file,
            "option store: only a folder has features, cuts in a file have none",
        ),
        (
            &[("tick", "-3")],
            folder,
            "option tick: only store=lilcom_files and store=lilcom_chunky round values",
        ),
        (&[("store", "lilcom_files"), ("tick", "21")], folder, "21"),
        (&[("store", "hdf5")], folder, "hdf5"),
        (
            &[("rate", "0")],
            folder,
            "option rate: 0 is no sampling rate",
        ),
        (
            &[("rate", "8000")],
            file,
            "option rate: features alone go to a folder",
        ),
    ] {
        let options = spr_testkit::options(&LHOTSE, pairs).unwrap();
        let error = LHOTSE.caps(&options, medium).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
    let caps = |pairs: &[(&str, &str)], medium| {
        let options = spr_testkit::options(&LHOTSE, pairs).unwrap();
        LHOTSE.caps(&options, medium).unwrap()
    };
    assert!(caps(&[], file).features.is_none());
    let plain = caps(&[], folder);
    assert_eq!(plain.features.unwrap().dtypes, [Dtype::F32, Dtype::F64]);
    let rounded = caps(&[("store", "lilcom_chunky"), ("tick", "20")], folder);
    assert_eq!(
        (rounded.features.unwrap().dtypes, rounded.rounded),
        (&[Dtype::F32][..], true)
    );
    let alone = caps(&[("rate", "8000")], folder);
    assert!(alone.features.is_some() && !alone.audio.references && !alone.text);
}

#[test]
fn what_a_manifest_cannot_say_is_refused() {
    let good = || sound("a", "a.wav", 800);
    let with = |change: &dyn Fn(&mut Utterance)| {
        let mut utt = good();
        change(&mut utt);
        utt
    };
    let at = |at: Locator| with(&|utt| edit(utt).at = at.clone());
    let unknown = |utt: &mut Utterance| edit(utt).recording.samples = None;
    let tier = |name: &str, end: Option<Decimal>| Tier {
        name: name.as_bytes().into(),
        segments: vec![Segment::new(Decimal::ZERO, end, b"x".as_slice())],
        points: false,
    };
    for (utt, message) in [
        (
            featured(
                Utterance {
                    audio: None,
                    ..good()
                },
                rows(2, 2),
            ),
            "of the manifest names",
        ),
        (
            Utterance {
                features: Some(rows(2, 2)),
                ..good()
            },
            "frame",
        ),
        (at(Locator::Standard), "its sound comes from standard input"),
        (
            at(Locator::FileAt("a.ark".into(), 7)),
            "its sound is inside another file",
        ),
        (
            with(&|utt| {
                unknown(utt);
                edit(utt).at = Locator::Command("cat a.wav".to_owned());
            }),
            "its sound comes from a command, and nobody knows how long it lasts",
        ),
        (
            with(&|utt| {
                edit(utt).span = Span::new(time("0.2"), time("0.1"));
            }),
            "has sound that ends before it starts",
        ),
        (
            with(&|utt| utt.tiers = vec![tier("word", time("0.05")), tier("word", time("0.05"))]),
            "has two tiers of one name",
        ),
        (
            with(&|utt| {
                utt.tiers = vec![Tier {
                    points: true,
                    segments: Vec::new(),
                    ..tier("p", None)
                }]
            }),
            "has a tier of points without any",
        ),
        (
            with(&|utt| utt.tiers = vec![tier("word", None)]),
            "has no end",
        ),
    ] {
        let (_, env) = surroundings();
        let error = write(&LHOTSE, &folder(), &[], &[utt], &env).unwrap_err();
        assert!(error.to_string().contains(message), "{message}: {error}");
        assert!(error.can_continue(), "{error}");
    }
    // A cut ends with its sound.
    let (_, env) = surroundings();
    let late = with(&|utt| utt.tiers = vec![tier("word", time("0.2"))]);
    let error = write(
        &LHOTSE,
        &Locator::file("c.jsonl"),
        &[],
        std::slice::from_ref(&late),
        &env,
    )
    .unwrap_err();
    assert!(
        error.to_string().contains("has segments after its end"),
        "{error}"
    );
    write(&LHOTSE, &folder(), &[], &[late], &env).unwrap();
}

#[test]
fn recordings_of_one_name_are_one() {
    let named = |key: &str, at: &str, samples| {
        let mut utt = sound(key, at, samples);
        utt.meta.recording = Some("r".into());
        utt
    };
    let (_, env) = surroundings();
    let write = |utts: &[Utterance]| write(&LHOTSE, &folder(), &[], utts, &env);
    write(&[named("a", "r.wav", 800), named("b", "r.wav", 800)]).unwrap();
    assert_eq!(line("recordings", &env).lines().count(), 1);
    let error = write(&[named("a", "r.wav", 800), named("b", "q.wav", 800)]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the recording r was in another place before"),
        "{error}"
    );
    let error = write(&[named("a", "r.wav", 800), named("b", "r.wav", 801)]).unwrap_err();
    let message = "the recording r is 801 samples of 1 channels at 8000 Hz, and was 800 samples of 1 channels at 8000 Hz before";
    assert!(error.to_string().contains(message), "{error}");
    // Without a name it is that of the key, of the file, or of the path.
    let mut other = sound("r", "x/r.wav", 800);
    other.meta.tags.push(Tag::new("manifest", "n", "1"));
    write(&[named("a", "r.wav", 800), other, sound("b", "y/r.wav", 8)]).unwrap();
    let recordings = line("recordings", &env);
    let ids: Vec<_> = recordings
        .lines()
        .map(|line| line.split('"').nth(3).unwrap())
        .collect();
    assert_eq!(ids, ["r", "x/r.wav", "b"]);
}

#[test]
fn headers_are_read_where_facts_are_unknown() {
    let (store, env) = surroundings();
    let wave = spr_testkit::generate::encoded("wav", 4);
    store.insert("s/a.wav", wave.bytes);
    let mut whole = sound("a", "s/a.wav", 0);
    edit(&mut whole).recording = RecordingFacts::default();
    let mut part = whole.clone();
    part.key = "a-2".into();
    edit(&mut part).span = Span::new(None, time("0.0005"));
    write(
        &LHOTSE,
        &Locator::file("c.jsonl"),
        &[],
        &[whole, part],
        &env,
    )
    .unwrap();
    let cuts = text_of("c.jsonl", &env);
    assert!(
        cuts.lines().all(|line| line.contains("\"num_samples\": 5")),
        "{cuts}"
    );
    assert!(
        cuts.lines()
            .all(|line| line.ends_with("\"type\": \"MonoCut\"}")),
        "{cuts}"
    );
    // One of two channels is one, all of them are several.
    let mut stereo = sound("s", "s.wav", 800);
    edit(&mut stereo).recording.channels = Some(2);
    let mut left = stereo.clone();
    (left.key, edit(&mut left).channel) = ("l".into(), Some(1));
    write(
        &LHOTSE,
        &Locator::file("c.jsonl"),
        &[],
        &[stereo, left],
        &env,
    )
    .unwrap();
    let cuts = text_of("c.jsonl", &env);
    let kinds: Vec<_> = cuts
        .lines()
        .map(|line| {
            let channel = line
                .split("\"channel\": ")
                .nth(1)
                .unwrap()
                .split(", \"s")
                .next()
                .unwrap();
            (channel, line.contains("MultiCut"))
        })
        .collect();
    assert_eq!(kinds, [("[0, 1]", true), ("1", false)]);
}
