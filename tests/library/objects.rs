//! Objects of one format inside another, and sound that is somewhere else.

use std::fs;
use std::path::{Path, PathBuf};

use spr_convert::ErrorKind;

use super::{Scratch, read};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

#[test]
fn containers_hold_objects_of_other_formats() {
    let s = Scratch::new();
    for (name, holder, before) in [
        ("audio/wav-python-16/input.wav", "wave", ""),
        ("htk/htk-user/input.htk", "htk", ""),
        ("numpy/type-f4/input.npy", "float-matrix", "\0B"),
    ] {
        let file = fixture(name);
        let alone = read(file.to_str().unwrap());
        let object = fs::read(&file).unwrap();
        let entry = |key: &str| [key.as_bytes(), b" ", before.as_bytes(), &object].concat();
        s.write("x.ark", [entry("a"), entry("b")].concat());
        let script = format!("a {0}\nb {0}\n", file.display());
        s.write("x.scp", script);
        for input in [
            format!("kaldi:{},holder={holder}", s.at("x.ark")),
            s.at("x.scp"),
        ] {
            let held = read(&input);
            let keys: Vec<_> = held.iter().map(|utt| utt.key.as_bytes()).collect();
            assert_eq!(keys, [b"a", b"b"], "{input}");
            for utt in &held {
                assert_eq!(utt.features, alone[0].features, "{input}");
                assert_eq!(utt.audio, alone[0].audio, "{input}");
                assert!(utt.features.is_some() || utt.audio.is_some(), "{input}");
            }
        }
    }
}

#[test]
fn sound_that_is_somewhere_else_is_opened_by_whom_needs_it() {
    let s = Scratch::new();
    let missing = s.at("missing.wav");
    let line = format!(
        "{{\"key\":\"a\",\"features\":null,\"labels\":null,\"audio\":{{\"path\":\"{missing}\"}},\"meta\":{{}}}}\n"
    );
    let input = s.write("in.jsonl", &line);
    spr_convert::convert(&input, &s.at("out.jsonl")).unwrap();
    assert_eq!(fs::read_to_string(s.path("out.jsonl")).unwrap(), line);
    let before = s.files();
    let error = spr_convert::convert(&input, &s.at("out.wav")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    assert!(error.to_string().contains(&missing), "{error}");
    assert_eq!(s.files(), before);
    // Once it is there, so is the sound.
    let wav = fixture("audio/wav-python-16/input.wav");
    fs::copy(&wav, &missing).unwrap();
    spr_convert::convert(&input, &s.at("out.wav")).unwrap();
    assert_eq!(
        read(&s.at("out.wav"))[0].audio,
        read(wav.to_str().unwrap())[0].audio
    );
}
