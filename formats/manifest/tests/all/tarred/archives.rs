//! Packed tar files, members that are no sound, folders of other shapes, and manifests that are named.

use spr_core::bytes::{Env, Locator, MemoryStore, Output, Part, Source};
use spr_core::format::{Format, Medium, Options, Probe, Request, Score};
use spr_core::model::{Audio, Key, Matrix, Rank, Utterance};
use spr_format_manifest::NEMO_TARRED;
use spr_testkit::damaged::with_member_kind;

use super::{folder, surroundings, text, utterance, write};
use crate::common::{Found, read_file, read_folder};

const TAR: &str = "out/audio_0.tar";
const LINES: &str = "out/sharded_manifests/manifest_0.json";

/// Packs the tar file, whose members have no place any more.
fn pack(store: &MemoryStore, env: &Env) {
    let bytes = store.remove(TAR).unwrap();
    let env = env.clone().with_store(env.store().clone());
    let output: Output = env.output(&Locator::file(format!("{TAR}.gz")));
    let mut sink = output.create(Part::Main, false).unwrap();
    sink.put(&bytes).unwrap();
    sink.finish().unwrap();
    output.commit().unwrap();
}

fn samples(utt: &Utterance) -> Vec<i16> {
    utt.waveform()
        .unwrap()
        .samples
        .values::<i16>()
        .unwrap()
        .to_vec()
}

fn all(request: Request, env: &Env) -> Found {
    read_folder(&NEMO_TARRED, "out", request, env)
}

#[test]
fn parts_of_packed_sound_are_cut_out() {
    let (store, env) = folder(&[
        r#"{"audio_filepath": "rec.wav", "duration": 0.25, "offset": 0.5, "id": "part"}"#,
        r#"{"audio_filepath": "rec.wav", "duration": 0.25, "id": "first"}"#,
        r#"{"audio_filepath": "rec.wav", "duration": 0.5, "offset": 0.75, "id": "rest"}"#,
        r#"{"audio_filepath": "other.wav", "duration": 0.5, "id": "all"}"#,
    ]);
    let plain = all(Request::all().samples(), &env).whole();
    pack(&store, &env);
    let packed = all(Request::all().samples(), &env);
    assert_eq!(
        packed.warnings,
        [
            "out/audio_0.tar.gz: utterance first: the first 0.25 s are taken of a sound of 1.000 s",
            "out/audio_0.tar.gz: utterance rest: ends at 1.25 s, 0.250 s after the end of the recording, where it is cut",
        ]
    );
    let packed = packed.whole();
    let whole: Vec<i16> = (0..8000).map(|n| n % 99).collect();
    for (utt, (key, expected)) in packed.iter().zip([
        ("part", &whole[4000..6000]),
        ("first", &whole[..2000]),
        ("rest", &whole[6000..]),
        ("all", &whole[..4000]),
    ]) {
        assert_eq!(
            (utt.key.to_string().as_str(), &samples(utt)[..]),
            (key, expected)
        );
        assert_eq!(utt.waveform().unwrap().rate, 8000);
    }
    let waves = |utts: &[Utterance]| utts.iter().map(|utt| utt.audio.clone()).collect::<Vec<_>>();
    assert_eq!(waves(&packed), waves(&plain));
    // Where no samples are wanted, a whole member stays the file that it is.
    let stored = all(Request::all(), &env).whole();
    let form = |utt: &Utterance| match &utt.audio {
        Some(Audio::Samples(_)) => "samples",
        Some(Audio::Encoded(_)) => "a file",
        _ => "neither",
    };
    let forms: Vec<_> = stored.iter().map(form).collect();
    assert_eq!(forms, ["samples", "samples", "samples", "a file"]);
    let names = all(Request::names(), &env).whole();
    assert!(names.iter().all(|utt| utt.audio.is_none()) && names.len() == 4);
}

#[test]
fn a_channel_of_packed_sound_is_read() {
    let line = |channel| {
        format!(
            r#"{{"audio_filepath": "a.wav", "offset": 0.25, "duration": 0.125, "channel": {channel}, "utt_id": "{channel}"}}"#
        )
    };
    let (store, env) = surroundings();
    let values: Vec<i16> = (0..4000).flat_map(|n| [n, -n]).collect();
    let mut utt = utterance("a", 0);
    let sound = utt.audio.as_mut().and_then(Audio::waveform_mut).unwrap();
    sound.samples = Matrix::from_rows(&values, 2, Rank::Matrix).unwrap();
    write(&[utt], &[], &env).unwrap();
    store.insert(LINES, format!("{}\n{}\n", line(0), line(1)).into_bytes());
    pack(&store, &env);
    let utts = all(Request::all().samples(), &env).whole();
    let left: Vec<i16> = (2000..3000).collect();
    let right: Vec<i16> = left.iter().map(|n| -n).collect();
    let found: Vec<_> = utts.iter().map(samples).collect();
    assert_eq!(found, [left, right]);
}

#[test]
fn parts_that_packed_sound_does_not_have_are_named() {
    for (line, message) in [
        (
            r#"{"audio_filepath": "rec.wav", "duration": 0.125, "offset": 1.125}"#,
            "starts at 1.125 s, the recording ends at 1 s",
        ),
        (
            r#"{"audio_filepath": "rec.wav", "duration": 0.5, "channel": 1}"#,
            "channel 1 was asked for, but there are only 1",
        ),
        (
            r#"{"audio_filepath": "rec.wav", "duration": 9.0, "offset": 0.75}"#,
            "ends at 9.75 s, more than 0.5 s after the end of the recording, at 1 s",
        ),
    ] {
        let (store, env) = folder(&[line, r#"{"audio_filepath": "other.wav", "duration": 0.5}"#]);
        pack(&store, &env);
        let found = all(Request::all(), &env);
        assert_eq!(found.keys(), ["other"], "{line}");
        let said = found.said();
        assert!(said.len() == 1 && said[0].contains(message), "{said:?}");
    }
}

#[test]
fn members_that_are_no_sound_are_named() {
    let lines = [
        r#"{"audio_filepath": "rec.wav", "duration": 1.0}"#,
        r#"{"audio_filepath": "other.wav", "duration": 0.5}"#,
    ];
    // The sound of the first member, behind its header.
    let (store, env) = folder(&lines);
    let tar = store.get(TAR).unwrap();
    let mut broken = tar.clone();
    broken[512..516].copy_from_slice(b"RUFF");
    store.insert(TAR, broken);
    let found = all(Request::all().samples(), &env);
    assert_eq!(found.keys(), ["other"]);
    assert_eq!(found.errors.len(), 1, "{found:?}");
    // Links and folders are none.
    let second = tar
        .windows(9)
        .position(|bytes| bytes == b"other.wav")
        .unwrap();
    for (kind, told) in [(b'5', 0), (b'2', 1)] {
        let mut tar = tar.clone();
        // A member without data.
        tar[second + 124..second + 136].copy_from_slice(b"00000000000\0");
        tar.drain(second + 512..second + 512 + 8192);
        store.insert(TAR, with_member_kind(tar, second, kind));
        let found = all(Request::all(), &env);
        assert_eq!(found.keys(), ["rec"]);
        assert_eq!(
            found.said(),
            [format!("{LINES}:2: {TAR} has no member other.wav")]
        );
        assert_eq!(found.warnings.len(), told, "{found:?}");
    }
}

#[test]
fn sound_without_an_extension_is_known_by_its_first_bytes() {
    let (store, env) = folder(&[
        r#"{"audio_filepath": "record", "duration": 1.0}"#,
        r#"{"audio_filepath": "other.wav", "duration": 0.5}"#,
    ]);
    let rename = |from: &[u8], to: &[u8]| {
        let mut tar = store.get(TAR).unwrap();
        let at = tar
            .windows(from.len())
            .position(|bytes| bytes == from)
            .unwrap();
        tar[at..at + 16].fill(0);
        tar[at..at + to.len()].copy_from_slice(to);
        store.insert(TAR, with_member_kind(tar, at, b'0'));
    };
    rename(b"rec.wav", b"record");
    let found = all(Request::all().samples(), &env);
    assert_eq!(
        (found.keys(), found.errors.len()),
        (vec!["record".to_owned(), "other".to_owned()], 0)
    );
    let mut tar = store.get(TAR).unwrap();
    tar[512..516].copy_from_slice(b"RUFF");
    store.insert(TAR, tar);
    let found = all(Request::all().samples(), &env);
    assert_eq!(found.keys(), ["other"]);
    let said = found.said();
    assert!(
        said[0].contains("record: is no sound file that is known"),
        "{said:?}"
    );
}

#[test]
fn a_manifest_may_be_named() {
    let (store, env) = surroundings();
    let utts = [utterance("a", 80), utterance("b", 80)];
    write(&utts, &[("shard-count", "1")], &env).unwrap();
    let named = |at: &str| read_file(&NEMO_TARRED, at, &[], Request::all(), &env);
    assert_eq!(named(LINES).keys(), ["a"]);
    assert_eq!(named("out/sharded_manifests/manifest_1.json").keys(), ["b"]);
    assert_eq!(named("out/tarred_audio_manifest.json").keys(), ["a", "b"]);
    // In the folder of the tar files as well.
    let lines = store.get(LINES).unwrap();
    store.insert("out/manifest_0.json", lines.clone());
    assert_eq!(named("out/manifest_0.json").keys(), ["a"]);
    store.insert("x/manifest_0.json", lines);
    assert_eq!(
        named("x/manifest_0.json").said(),
        ["x: holds no tar files of sound, such as audio_0.tar"]
    );
    let source = Source::from_bytes("-", text(&store, LINES).into_bytes()).unwrap();
    let opened = Request::all().open(&NEMO_TARRED, source, &Options::default(), &env);
    let error = opened.map(|_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "-: a tarred manifest from a pipe, which does not tell where its tar files are"
    );
    let head = text(&store, LINES);
    let score = |head: &str| {
        NEMO_TARRED.probe(&Probe {
            head: head.as_bytes(),
            whole: false,
            len: None,
            path: None,
        })
    };
    assert_eq!(score(&head), Score::Certain);
    assert_eq!(score(&head.replace("shard_id", "shard")), Score::No);
    assert_eq!(score(&head.replace("audio_filepath", "path")), Score::No);
    assert_eq!(score(&format!("x{head}")), Score::No);
}

#[test]
fn folders_must_have_tar_files_and_lines_of_the_same_numbers() {
    let line = "{\"audio_filepath\": \"a.wav\", \"duration\": 0.01, \"shard_id\": 0}\n";
    let single = "tarred_audio_manifest.json";
    let only = |message: &str| vec![format!("out: {message}")];
    for (files, message) in [
        (
            &["audio_0.tar", "x.json"][..],
            only("holds no tarred_audio_manifest.json and no sharded_manifests/manifest_0.json"),
        ),
        (
            &[single],
            only("holds no tar files of sound, such as audio_0.tar"),
        ),
        (
            &["audio_0.tar", single, "tarred_audio_manifest.json.bak"],
            only("holds 2 manifests tarred_audio_manifest…, expected one"),
        ),
        (
            &["audio_0.tar", "my_audio_0.tar", single],
            vec!["out/my_audio_0.tar: has the number 0, as out/audio_0.tar has".to_owned()],
        ),
        (
            &["audio_0.tar", "manifest_0.json", "manifest_1.json"],
            only("has no tar file of the number 1"),
        ),
        (
            &[
                "audio_0.tar",
                "audio_2.tar",
                "manifest_0.json",
                "manifest_2.json",
            ],
            Vec::new(),
        ),
    ] {
        let (made, env) = surroundings();
        write(&[utterance("a", 80)], &[], &env).unwrap();
        let tar = made.get(TAR).unwrap();
        let (store, env) = surroundings();
        for name in files {
            let bytes = match name.ends_with(".tar") {
                true => tar.clone(),
                false => line.as_bytes().to_vec(),
            };
            store.insert(format!("out/{name}"), bytes);
        }
        let found = all(Request::all(), &env);
        assert_eq!(found.said(), message, "{files:?}");
        if message.is_empty() {
            assert_eq!(
                found.warnings,
                ["out: the tar files are not numbered from 0 without gaps, as NeMo wants them"]
            );
            // Two tar files with one name.
            let found = all(Request::all().distinct(true), &env);
            assert_eq!(
                (found.keys().len(), found.errors.len()),
                (1, 1),
                "{found:?}"
            );
        }
    }
    let fits = |names: &[&str]| NEMO_TARRED.folder().unwrap().fits(names);
    assert!(fits(&["audio_0.tar", "sharded_manifests"]) && fits(&["audio_0.tar", single]));
    assert!(fits(&["my_audio_0.tar.gz", "manifest_0.json"]));
    assert!(!fits(&["audio_0.tar"]) && !fits(&[single]) && !fits(&["x.tar", single]));
}

#[test]
fn lines_of_all_tar_files_must_say_which() {
    let (store, env) = folder(&[]);
    store.remove(LINES);
    let lines = "{\"audio_filepath\": \"rec.wav\", \"duration\": 1.0}\n";
    store.insert("out/tarred_audio_manifest.json", lines.as_bytes().to_vec());
    let found = all(Request::all(), &env);
    let message = "out/tarred_audio_manifest.json:1: has no shard_id, and no manifest of each tar file is there";
    assert_eq!(found.said()[0], message, "{found:?}");
}

#[test]
fn what_is_written_has_sound_of_a_known_length_and_plain_names() {
    let (_, env) = surroundings();
    let mut silent = utterance("a", 8);
    silent.audio = None;
    let mut named = utterance("b", 8);
    named.key = Key::from("b\tc");
    for (utt, message) in [
        (silent, "of the manifest names"),
        (named, "the key has control characters"),
    ] {
        let error = write(&[utt], &[], &env).unwrap_err();
        assert!(
            error.to_string().contains(message) && error.can_continue(),
            "{error}"
        );
    }
    // A stored file whose facts are unknown is looked into.
    let mut stored = utterance("c", 8);
    stored.audio = Some(Audio::Encoded(spr_testkit::generate::encoded("wav", 4)));
    write(&[stored], &[], &env).unwrap();
    let found = all(Request::all().samples(), &env).whole();
    assert_eq!(
        found[0].waveform().map(|sound| sound.samples.rows()),
        Some(5)
    );
    let output = env.output(&Locator::file("out.json"));
    let created = NEMO_TARRED.create(output, &Options::default(), &Default::default(), &env);
    let error = created.map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "out.json: tarred NeMo data are a folder");
    let caps = |pairs: &[(&str, &str)]| {
        NEMO_TARRED.caps(
            &spr_testkit::options(&NEMO_TARRED, pairs).unwrap(),
            Medium::Folder,
        )
    };
    assert!(caps(&[("audio", "mp3")]).is_err() && caps(&[("shard", "0-of-2")]).is_err());
    assert!(caps(&[("audio", "flac")]).unwrap().text);
}
