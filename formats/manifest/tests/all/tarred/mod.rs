//! Tarred NeMo data: output is read back, and the folders of other programs are read.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod archives;

use std::sync::Arc;

use spr_core::Result;
use spr_core::bytes::{Env, Location, Locator, MemoryStore};
use spr_core::format::{Format, Options, Registry, Request};
use spr_core::model::{About, Audio, Matrix, Rank, Tag, Utterance, Waveform};
use spr_format_manifest::NEMO_TARRED;

const RATE: u32 = 8000;

pub(super) fn surroundings() -> (MemoryStore, Env) {
    let store = MemoryStore::new();
    let formats: [&'static dyn Format; 2] = [&spr_format_audio::WAV, &spr_format_audio::FLAC];
    let env = Env::default().with_formats(Registry::new(formats));
    (store.clone(), env.with_store(Arc::new(store)))
}

pub(super) fn utterance(key: &str, samples: usize) -> Utterance {
    let values: Vec<_> = (0..samples)
        .map(|n| i16::try_from(n % 99).unwrap())
        .collect();
    let mut utt = Utterance {
        key: key.into(),
        audio: Some(Audio::Samples(Waveform {
            rate: RATE,
            samples: Matrix::from_rows(&values, 1, Rank::Matrix).unwrap(),
        })),
        text: Some(format!("of {key}").into_bytes()),
        ..Utterance::default()
    };
    utt.meta.speaker = Some("ann".into());
    utt.meta.tags.push(Tag::new("manifest", "snr", "1.50"));
    utt
}

pub(super) fn write(utts: &[Utterance], pairs: &[(&str, &str)], env: &Env) -> Result<()> {
    let options = Options::new(NEMO_TARRED.info(), pairs.iter().copied())?;
    let output = env.output(&Locator::folder("out")).overwrite(true);
    let mut writer = NEMO_TARRED.create(output.clone(), &options, &About::default(), env)?;
    for utt in utts {
        writer.accept(utt)?;
        writer.write(utt)?;
    }
    writer.finish()?;
    output.commit()
}

/// What is read, with samples: key and number of samples, or the error. And the warnings.
pub(super) fn read(env: &Env) -> (Vec<String>, Vec<String>) {
    let (env, told) = spr_testkit::listening(env);
    let at = Location::from("out");
    let opened = Request::all().samples();
    let opened = opened.open_folder(&NEMO_TARRED, &at, &[], &Options::default(), &env);
    let mut reader = match opened {
        Ok(opened) => opened.into_stream().unwrap(),
        Err(error) => return (vec![error.to_string()], Vec::new()),
    };
    let mut found = Vec::new();
    for _ in 0..100 {
        let mut utt = Utterance::default();
        match reader.read(&mut utt) {
            Ok(false) => {
                let told = told.lock().unwrap().clone();
                return (found, told);
            }
            Ok(true) => {
                let samples = utt.waveform().map_or(0, |sound| sound.samples.rows());
                found.push(format!("{} {samples}", utt.key));
            }
            Err(error) => {
                assert!(error.can_continue(), "{error}");
                found.push(error.to_string());
            }
        }
    }
    panic!("no end: {found:?}")
}

pub(super) fn text(store: &MemoryStore, name: &str) -> String {
    String::from_utf8(store.get(name).unwrap()).unwrap()
}

#[test]
fn what_is_written_comes_back() {
    let utts = [
        utterance("a", 800),
        utterance("d/b.1", 400),
        utterance("dé-3", 1),
    ];
    let mut store = MemoryStore::new();
    for (pairs, shards) in [
        (&[][..], 1),
        (&[("shard-count", "1")], 3),
        (&[("audio", "flac"), ("shard-count", "2")], 2),
    ] {
        let (fresh, env) = surroundings();
        store = fresh;
        write(&utts, pairs, &env).unwrap();
        assert_eq!(store.locations().len(), 2 * shards + 1);
        assert_eq!(read(&env).0, ["a 800", "d/b.1 400", "dé-3 1"]);
    }
    let line = concat!(
        r#"{"audio_filepath": "d_b_1.flac", "duration": 0.05, "text": "of d/b.1", "speaker": "ann", "#,
        r#""sampling_rate": 8000, "utt_id": "d/b.1", "shard_id": 0, "snr": 1.50}"#,
        "\n"
    );
    let manifest = text(&store, "out/sharded_manifests/manifest_0.json");
    assert!(manifest.ends_with(line), "{manifest}");
    let all = text(&store, "out/tarred_audio_manifest.json");
    assert_eq!(
        all,
        manifest + &text(&store, "out/sharded_manifests/manifest_1.json")
    );
    // All sound in one tar file of a run of several.
    let (store, env) = surroundings();
    write(&utts, &[("shard", "3-of-16"), ("shard-count", "1")], &env).unwrap();
    let mut names: Vec<_> = store.locations().iter().map(ToString::to_string).collect();
    names.sort();
    let expected = [
        "out/audio_2.tar",
        "out/sharded_manifests/manifest_2.json",
        "out/tarred_audio_manifest.json",
    ];
    assert_eq!(names, expected);
}

#[test]
fn what_nemo_would_not_find_is_refused() {
    let (_, env) = surroundings();
    for (keys, message) in [
        (&["a-sub1"][..], "-sub"),
        (&[""], "an empty key"),
        (&["a/b", "a.b"], "as that of another utterance"),
    ] {
        let utts: Vec<_> = keys.iter().map(|key| utterance(key, 8)).collect();
        let error = write(&utts, &[], &env).unwrap_err();
        assert!(
            error.to_string().contains(message) && error.can_continue(),
            "{error}"
        );
    }
    for wrong in ["0-of-3", "4-of-3", "3", "a-of-b"] {
        assert!(write(&[], &[("shard", wrong)], &env).is_err(), "{wrong}");
    }
}

/// A folder with one tar file, and these lines for it.
pub(super) fn folder(lines: &[&str]) -> (MemoryStore, Env) {
    let (store, env) = surroundings();
    write(
        &[utterance("rec", 8000), utterance("other", 4000)],
        &[],
        &env,
    )
    .unwrap();
    let lines = lines.iter().map(|line| format!("{line}\n"));
    let lines: String = lines.collect();
    store.insert("out/sharded_manifests/manifest_0.json", lines.into_bytes());
    (store, env)
}

#[test]
fn parts_of_one_sound_are_cut_out() {
    let (store, env) = folder(&[
        r#"{"audio_filepath": "other.wav", "duration": 0.5, "offset": 0.0, "id": "all"}"#,
        r#"{"audio_filepath": "rec.wav", "duration": 0.25, "offset": 0.0}"#,
        r#"{"audio_filepath": "rec-sub1.wav", "duration": 0.5, "offset": 0.25}"#,
        r#"{"audio_filepath": "rec-sub2.wav", "duration": 0.9, "offset": 0.1, "id": "long", "_skipme": 0}"#,
        r#"{"audio_filepath": "none.wav", "duration": 1, "_skipme": true}"#,
    ]);
    let expected = [
        "rec-0000000-0000250 2000",
        "rec-sub1-0000250-0000750 4000",
        "long 7200",
        "all 4000",
    ];
    let (found, warnings) = read(&env);
    assert_eq!(found, expected);
    assert_eq!(
        warnings,
        [
            "out/sharded_manifests/manifest_0.json: utterance long: is so long a part of its sound that NeMo takes all of it"
        ]
    );
    // The same by a manifest of all, whose lines are in any order.
    let lines = text(&store, "out/sharded_manifests/manifest_0.json");
    let lines = lines.replace("\"duration\"", "\"shard_id\": 0, \"duration\"");
    store.remove("out/sharded_manifests/manifest_0.json");
    store.insert("out/tarred_audio_manifest.json", lines.into_bytes());
    assert_eq!(read(&env).0, expected);
}

#[test]
fn what_nemo_drops_is_named() {
    let (store, env) = folder(&[
        r#"{"audio_filepath": "none.wav", "duration": 0.5}"#,
        r#"{"audio_filepath": "rec.wav", "duration": 1"#,
        r#"{"audio_filepath": "rec.wav", "duration": 1.0}"#,
    ]);
    let (found, _) = read(&env);
    let manifest = "out/sharded_manifests/manifest_0.json";
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(
        found[0].starts_with(&format!("{manifest}:2: the line ends after")),
        "{found:?}"
    );
    assert_eq!(found[1], "rec 8000");
    assert!(found[2].starts_with("out/audio_0.tar@"), "{found:?}");
    assert!(
        found[2].ends_with(&format!("utterance other.wav: has no line in {manifest}")),
        "{found:?}"
    );
    assert_eq!(
        found[3],
        format!("{manifest}:1: out/audio_0.tar has no member none.wav")
    );
    // Behind damage.
    let mut tar = store.get("out/audio_0.tar").unwrap();
    tar[10] ^= 1;
    store.insert("out/audio_0.tar", tar);
    let (found, _) = read(&env);
    let ends = [
        "the header of a member is damaged",
        "has no line in out/sharded_manifests/manifest_0.json",
    ];
    assert!(
        found[1].ends_with(ends[0]) && found[2].ends_with(ends[1]),
        "{found:?}"
    );
    assert_eq!(found.len(), 5, "{found:?}");
    // Another number.
    let tar = store.remove("out/audio_0.tar").unwrap();
    store.insert("out/audio_1.tar", tar);
    assert_eq!(
        read(&env).0,
        ["out: has no lines for the tar file of the number 1"]
    );
}
