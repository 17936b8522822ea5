//! MP3 and Ogg files that are truncated or changed.
#![cfg(all(feature = "mp3", feature = "vorbis"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fs;
use std::path::Path;

use spr_core::bytes::{Env, Source};
use spr_core::format::{Format, Options, Request};
use spr_core::model::{Audio, Utterance};
use spr_core::{ErrorKind, Result};
use spr_format_audio::{MP3, OGG};
use spr_testkit::faults::{Random, flip, one_byte};

pub(super) fn file(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/lossy");
    fs::read(folder.join(name)).unwrap()
}

/// Reads a file, and returns the error at its end.
fn read(
    format: &'static dyn Format,
    source: Source,
    request: Request,
) -> (Vec<Utterance>, Result<()>) {
    let env = Env::default();
    let mut all = Vec::new();
    let run = || {
        let opened = request.open(format, source, &Options::default(), &env)?;
        let mut reader = opened.into_stream()?;
        let mut utt = Utterance::default();
        while reader.read(&mut utt)? {
            all.push(utt.clone());
        }
        Ok(())
    };
    let result = run();
    (all, result)
}

fn rows(utts: &[Utterance]) -> usize {
    utts.iter()
        .map(|utt| utt.waveform().map_or(0, |sound| sound.samples.rows()))
        .sum()
}

fn formats() -> [(&'static dyn Format, &'static str); 2] {
    [(&MP3, "mono.mp3"), (&OGG, "mono.ogg")]
}

#[test]
fn every_cut_is_an_error_and_salvaged() {
    for (format, name) in formats() {
        let bytes = file(name);
        let mut salvaged = 0;
        for n in 0..bytes.len() {
            let cut = || Source::from_bytes("cut", bytes[..n].to_vec()).unwrap();
            let (_, result) = read(format, cut(), Request::all());
            let error = result.expect_err(&format!("{name} cut to {n}"));
            let kinds = [ErrorKind::Truncated, ErrorKind::Malformed];
            assert!(kinds.contains(&error.kind()), "{name} cut to {n}: {error}");
            assert_eq!(error.file_name(), Some("cut"), "{error}");
            salvaged = rows(&read(format, cut(), Request::all().damaged()).0).max(salvaged);
        }
        // A short Ogg file has a single page of audio.
        assert!(
            name != "mono.mp3" || salvaged > 500,
            "only {salvaged} samples are salvaged"
        );
    }
}

#[test]
fn changed_bytes_do_no_harm() {
    for (format, name) in formats() {
        let (bytes, mut random) = (file(name), Random::new(3));
        for _ in 0..1500 {
            let changed = flip(&bytes, &mut random);
            for request in [Request::all(), Request::all().damaged()] {
                let source = Source::from_bytes("changed", changed.clone()).unwrap();
                let (utts, result) = read(format, source, request);
                // Pages have checksums, frames have not.
                assert!(
                    name != "mono.ogg" || result.is_err(),
                    "a flip in {name} is not found"
                );
                assert!(rows(&utts) < 1 << 20);
            }
        }
    }
}

#[test]
fn what_stands_around_the_sound_is_told_from_it() {
    let mp3 = file("mono.mp3");
    let tag = [&b"ID3\x04\0\0\0\0\x01\x00"[..], &[7; 128]].concat();
    let id3 = [b"TAG", &[0; 125][..]].concat();
    let whole = rows(
        &read(
            &MP3,
            Source::from_bytes("x", mp3.clone()).unwrap(),
            Request::all(),
        )
        .0,
    );
    assert_eq!(whole, 2500);
    for (before, behind, fault) in [
        (&tag[..], &id3[..], None),
        (&tag, b"", None),
        (b"", b"APETAGEX and so on", None),
        (b"", b"rubbish", Some("no MP3 frame starts here")),
        (b"rubbish", b"", Some("no MP3 frame starts here")),
    ] {
        let bytes = [before, &mp3, behind].concat();
        let (utts, result) = read(&MP3, one_byte(&bytes).unwrap(), Request::all());
        match fault {
            None => assert_eq!((rows(&utts), result.is_ok()), (whole, true)),
            Some(fault) => {
                let error = result.unwrap_err().to_string();
                assert!(error.contains(fault), "{error}");
            }
        }
    }
    let ogg = file("mono.ogg");
    for (behind, fault) in [
        (&b"rubbish"[..], "goes on after the sound"),
        (&ogg, "another stream follows"),
    ] {
        let source = Source::from_bytes("x", [&ogg[..], behind].concat()).unwrap();
        let error = read(&OGG, source, Request::all())
            .1
            .unwrap_err()
            .to_string();
        assert!(error.contains(fault), "{error}");
    }
}

/// Headers contain the same facts as decoding.
#[test]
fn facts_need_no_decoding() {
    let env = Env::default();
    for (format, name) in formats() {
        let source = || Source::from_bytes("x", file(name)).unwrap();
        let facts = format.nested().unwrap().facts(&mut source(), &env).unwrap();
        let all = read(format, source(), Request::all()).0;
        assert_eq!(
            all[0].audio.as_ref().map(Audio::facts),
            Some(facts.whole()),
            "{name}"
        );
        let stored = read(format, source(), Request::all().files(&["mp3", "ogg"])).0;
        match &stored[0].audio {
            Some(Audio::Encoded(encoded)) => assert_eq!(encoded.bytes, file(name)),
            other => panic!("{other:?}"),
        }
    }
}

/// Frames with mixed blocks are copied, but not decoded, which would be noise.
#[test]
fn mixed_blocks_are_refused() {
    for (name, frame, flag) in [
        ("mono.mp3", 1044, 32 + 9 + 38),
        ("stereo.mp3", 1461, 32 + 20 + 33),
    ] {
        let mut bytes = file(name);
        // Another window, a short block, a mixed one.
        for bit in [0, 1, 3] {
            bytes[frame + (flag + bit) / 8] |= 0x80 >> ((flag + bit) % 8);
        }
        bytes[frame + (flag + 2) / 8] &= !(0x80 >> ((flag + 2) % 8));
        let source = || Source::from_bytes("x", bytes.clone()).unwrap();
        let error = read(&MP3, source(), Request::all().samples())
            .1
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{name}: {error}");
        assert!(
            error.to_string().contains("mixed blocks"),
            "{name}: {error}"
        );
        read(&MP3, source(), Request::all().files(&["mp3"]))
            .1
            .unwrap();
    }
}
