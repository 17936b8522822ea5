//! Damage: every fault is told, and what is whole is what was written.

use spr_core::bytes::{Env, MemoryStore};
use spr_core::format::Request;
use spr_core::model::{Key, Utterance};
use spr_core::{Error, Result};

use super::trips::lines;
use super::{features, names, plain, read, read_all, surroundings, time, write};

/// Five cuts with sound and features.
fn made() -> (MemoryStore, Env, Vec<Utterance>) {
    let (store, env) = surroundings();
    let utts: Vec<_> = (1..=5i16)
        .map(|n| {
            let mut utt = plain(&format!("u-{n}"), n);
            utt.features = Some(features(2, f32::from(n)));
            utt.meta.frame_shift = Some(time("0.01"));
            utt.text = Some(format!("text {n}").into_bytes());
            utt
        })
        .collect();
    write(&utts, &[("sound", "wav")], &env).unwrap();
    assert_eq!(read(&[], &env), utts);
    let cuts = lines(&store, &env);
    store.remove("d/cuts.000000.jsonl.gz");
    store.insert("d/cuts.000000.jsonl", cuts.into_bytes());
    (store, env, utts)
}

/// Reads, and checks that all that is read was written, and that nothing is lost in silence.
fn told(utts: &[Utterance], env: &Env, what: &str) -> (Vec<Key>, Vec<Error>) {
    let read: Result<_> = read_all(Request::all().damaged(), &[], env);
    let (got, errors) = match read {
        Ok(read) => read,
        Err(error) => (Vec::new(), vec![error]),
    };
    for utt in &got {
        let written = utts.iter().find(|other| other.key == utt.key);
        assert_eq!(Some(utt), written, "{what}: {errors:?}");
    }
    assert!(
        got.len() == utts.len() || !errors.is_empty(),
        "{what}: {} read",
        got.len()
    );
    (got.into_iter().map(|utt| utt.key).collect(), errors)
}

const FILES: [&str; 3] = [
    "cuts.000000.jsonl",
    "features.000000.tar",
    "recording.000000.tar",
];

#[test]
fn every_cut_is_noticed() {
    let (store, env, utts) = made();
    assert_eq!(names(&env), FILES);
    for file in FILES {
        let at = format!("d/{file}");
        let bytes = store.remove(&at).unwrap();
        let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
        // The last line is whole without its end.
        let used = if file.ends_with("jsonl") {
            used
        } else {
            used + 1
        };
        for len in (0..used).step_by(7) {
            store.insert(at.clone(), bytes[..len].to_vec());
            let (keys, errors) = told(&utts, &env, &format!("{file}, {len} bytes"));
            assert!(
                keys.len() < utts.len() && !errors.is_empty(),
                "{file}, {len} bytes"
            );
        }
        store.insert(at, bytes);
    }
}

#[test]
fn damaged_headers_lose_no_more_than_their_cut() {
    let (store, env, utts) = made();
    for file in &FILES[1..] {
        let at = format!("d/{file}");
        let bytes = store.remove(&at).unwrap();
        let headers: Vec<_> = (0..bytes.len())
            .step_by(512)
            .filter(|at| bytes[*at..].starts_with(b"u-"))
            .collect();
        assert_eq!(headers.len(), 10);
        for (n, header) in headers.iter().enumerate() {
            for byte in [0, 1, 124, 130, 150, 156] {
                let mut broken = bytes.clone();
                broken[header + byte] ^= 0x13;
                store.insert(at.clone(), broken);
                let what = format!("{file}, byte {}", header + byte);
                let (keys, errors) = told(&utts, &env, &what);
                let lost = utts[n / 2].key.clone();
                let expected: Vec<_> = utts
                    .iter()
                    .map(|utt| utt.key.clone())
                    .filter(|key| *key != lost)
                    .collect();
                assert_eq!(keys, expected, "{what}: {errors:?}");
            }
        }
        store.insert(at, bytes);
    }
}

#[test]
fn flipped_bits_change_nothing_in_silence() {
    let (store, env, utts) = made();
    for file in FILES {
        let at = format!("d/{file}");
        let bytes = store.remove(&at).unwrap();
        for n in 0..bytes.len().min(12_000) {
            // Values of arrays and samples have no sum in npy and wav, nor has text.
            let block = &bytes[n / 512 * 512..];
            if file.ends_with("tar") && !block.starts_with(b"u-") {
                continue;
            }
            let mut broken = bytes.clone();
            broken[n] ^= 1 << (n % 8);
            store.insert(at.clone(), broken);
            let read = read_all(Request::all(), &[], &env);
            let Ok((got, errors)) = read else { continue };
            if file.ends_with("tar") {
                assert!(got.iter().all(|utt| utts.contains(utt)), "{file}, byte {n}");
                assert!(
                    got.len() == utts.len() || !errors.is_empty(),
                    "{file}, byte {n}"
                );
            }
        }
        store.insert(at, bytes);
    }
}

/// Returns the lines without some of them, counted from 0.
fn without(text: &str, lost: &[usize]) -> String {
    let lines = text.lines().enumerate();
    let kept = lines.filter(|(n, _)| !lost.contains(n));
    kept.map(|(_, line)| format!("{line}\n")).collect()
}

#[test]
fn streams_are_joined_by_name() {
    let (store, env, utts) = made();
    let cuts = String::from_utf8(store.get("d/cuts.000000.jsonl").unwrap()).unwrap();
    let keys = |got: &[Key]| got.iter().map(ToString::to_string).collect::<Vec<_>>();
    let all = ["u-1", "u-2", "u-3", "u-4", "u-5"];
    // A cut that is lost leaves an entry in each of two files.
    for lost in 0..5 {
        store.insert("d/cuts.000000.jsonl", without(&cuts, &[lost]).into_bytes());
        let (got, errors) = told(&utts, &env, "a lost cut");
        let expected: Vec<_> = (0..5).filter(|n| *n != lost).map(|n| all[n]).collect();
        assert_eq!(keys(&got), expected);
        assert_eq!(errors.len(), 2, "{errors:?}");
        let text = errors[0].to_string();
        assert!(
            text.contains(all[lost]) && text.contains("has no such cut"),
            "{text}"
        );
    }
    // A line that is damaged is one fault.
    let broken = cuts.replacen("\"id\": \"u-2\"", "\"id\": u-2", 1);
    store.insert("d/cuts.000000.jsonl", broken.into_bytes());
    let (got, errors) = told(&utts, &env, "a broken line");
    assert_eq!(keys(&got), ["u-1", "u-3", "u-4", "u-5"]);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].line_number(), Some(2));
    // A cut without entries.
    let more = cuts.replacen(
        '\n',
        &format!("\n{}\n", cuts.lines().next().unwrap().replace("u-1", "u-9")),
        1,
    );
    store.insert("d/cuts.000000.jsonl", more.into_bytes());
    let (got, errors) = told(&utts, &env, "a cut without entries");
    assert_eq!(keys(&got), all);
    let text = errors[0].to_string();
    assert!(
        text.contains("u-9") && text.contains("has no entry of this cut"),
        "{text}"
    );
}

#[test]
fn placeholders_must_be_true() {
    let (store, env, utts) = made();
    let cuts = String::from_utf8(store.get("d/cuts.000000.jsonl").unwrap()).unwrap();
    for (from, to, message) in [
        (
            "\"num_samples\": 160",
            "\"num_samples\": 161",
            "num_samples is 161 here, 160 in",
        ),
        (
            "\"num_features\": 3",
            "\"num_features\": 4",
            "num_features is 4 here, 3 in",
        ),
        (
            "\"start\": 0, ",
            "\"start\": 0.5, ",
            "starts at 0.5, in a Shar",
        ),
        ("MonoCut", "MixedCut", "a MixedCut"),
    ] {
        store.insert(
            "d/cuts.000000.jsonl",
            cuts.replacen(from, to, 1).into_bytes(),
        );
        let (got, errors) = told(&utts, &env, from);
        assert_eq!(got.len(), 4);
        assert!(errors[0].to_string().contains(message), "{}", errors[0]);
    }
    store.insert("d/cuts.000000.jsonl", cuts.into_bytes());
    for (file, from, to, message) in [
        (
            "recording",
            "\"num_samples\": 160",
            "\"num_samples\": 161",
            "num_samples is 161 here",
        ),
        (
            "features",
            "\"num_frames\": 2",
            "\"num_frames\": 1",
            "num_frames is 2 here, 1 in",
        ),
    ] {
        let at = format!("d/{file}.000000.tar");
        let bytes = store.get(&at).unwrap();
        let place = memchr(&bytes, from.as_bytes());
        let mut broken = bytes.clone();
        broken[place..place + to.len()].copy_from_slice(to.as_bytes());
        store.insert(at.clone(), broken);
        let (_, errors) = told(&utts, &env, from);
        let text = errors[0].to_string();
        assert!(
            text.contains(message) || text.contains(&message.replace("is 161 here", "is 160 here")),
            "{text}"
        );
        store.insert(at, bytes);
    }
}

fn memchr(bytes: &[u8], what: &[u8]) -> usize {
    bytes
        .windows(what.len())
        .position(|part| part == what)
        .unwrap()
}

#[test]
fn shards_lack_no_file() {
    let (store, env, _) = made();
    let bytes = store.get("d/features.000000.tar").unwrap();
    store.insert("d/emb.000001.tar", bytes.clone());
    let error = read_all(Request::all(), &[], &env).unwrap_err().to_string();
    assert!(
        error.contains("has no cuts.000001.jsonl.gz") || error.contains("has no emb.000000.tar"),
        "{error}"
    );
    store.remove("d/emb.000001.tar");
    store.insert("d/features.000000.tar.gz", bytes);
    let error = read_all(Request::all(), &[], &env).unwrap_err().to_string();
    assert!(
        error.contains("the same field of the same shard"),
        "{error}"
    );
    store.remove("d/features.000000.tar.gz");
    // What lhotse stumbles over is told.
    store.insert("d/README.md", b"x".to_vec());
    let (listening, warnings) = spr_testkit::listening(&env);
    let (got, errors) = read_all(Request::all(), &[], &listening).unwrap();
    assert_eq!((got.len(), errors.len()), (5, 0));
    let warnings = warnings.lock().unwrap();
    assert!(
        warnings[0].contains("README.md: is no file of a Shar"),
        "{warnings:?}"
    );
}
