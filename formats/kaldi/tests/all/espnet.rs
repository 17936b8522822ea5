//! Audio files preceded by their size, as written by ESPnet, compared with an archive made here.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use crate::common;

use std::sync::Arc;

use common::env;
use spr_core::bytes::{Env, Locator, MemoryStore, Source};
use spr_core::format::{OpenedDataset, Options, Request};
use spr_core::model::{Audio, Utterance};
use spr_core::{Error, Result};
use spr_format_kaldi::FORMAT;
use spr_testkit::generate::encoded;
use spr_testkit::memory_within;

/// Returns entries with these keys, each with an audio file of three samples, and its size in the
/// given number of bytes.
fn archive(keys: &[(&str, u8)], format: &str) -> Vec<u8> {
    let file = encoded(format, 2).bytes;
    let size = (file.len() as u64).to_le_bytes();
    let entry = |(key, count): &(&str, u8)| {
        let size = &size[..usize::from(*count)];
        [key.as_bytes(), b" AUDIO", &[*count], size, &file].concat()
    };
    keys.iter().flat_map(entry).collect()
}

fn read(bytes: &[u8], request: Request) -> (Vec<Utterance>, Vec<Error>) {
    let source = Source::from_bytes("sound.ark", bytes.to_vec()).unwrap();
    let opened = request.open(&FORMAT, source, &Options::default(), &env());
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    let mut reader = match opened.and_then(OpenedDataset::into_stream) {
        Ok(reader) => reader,
        Err(e) => return (all, vec![e]),
    };
    let mut utt = Utterance::default();
    loop {
        match reader.read(&mut utt) {
            Ok(true) => all.push(utt.clone()),
            Ok(false) => return (all, errors),
            Err(e) => {
                let goes_on = e.can_continue();
                errors.push(e);
                if !goes_on {
                    return (all, errors);
                }
            }
        }
    }
}

/// Writes `utts`.
fn write(utts: &[Utterance], audio: &str) -> Result<Vec<u8>> {
    let options = spr_testkit::options(&FORMAT, &[("audio", audio)])?;
    memory_within(&FORMAT, &options, utts, &env())
}

#[test]
fn entries_are_read_as_samples_or_as_they_are() {
    for format in ["flac", "wav"] {
        // The size may take more bytes than necessary.
        let bytes = archive(&[("ann-1", 1), ("bob-2", 2), ("cy-3", 8)], format);
        let (utts, errors) = read(&bytes, Request::all());
        assert!(errors.is_empty(), "{errors:?}");
        let rows = utts
            .iter()
            .map(|utt| utt.waveform().unwrap().samples.rows());
        assert_eq!(rows.collect::<Vec<_>>(), [3; 3], "{format}");
        let (stored, _) = read(&bytes, Request::all().files(&["flac", "wav"]));
        for utt in &stored {
            match &utt.audio {
                Some(Audio::Encoded(file)) => {
                    assert_eq!(
                        (&*file.format, &file.bytes),
                        (format, &encoded(format, 2).bytes)
                    );
                    assert_eq!((file.facts.rate, file.facts.samples), (Some(8000), Some(3)));
                }
                other => panic!("{other:?}"),
            }
        }
        let (keys, _) = read(&bytes, Request::all().keys(|key| key.as_bytes() == b"cy-3"));
        assert_eq!(keys.len(), 1);
    }
}

#[test]
fn files_go_in_and_out_untouched() {
    for format in ["flac", "wav"] {
        let bytes = archive(&[("ann-1", 1), ("bob-2", 1)], format);
        let (utts, _) = read(&bytes, Request::all().files(&["flac", "wav"]));
        assert_eq!(write(&utts, format).unwrap(), bytes);
        let other = if format == "flac" { "wav" } else { "flac" };
        let error = write(&utts, other).unwrap_err().to_string();
        assert!(error.contains(&format!("a {format} file")), "{error}");
    }
}

#[test]
fn samples_are_encoded() {
    let (utts, _) = read(&archive(&[("ann-1", 1)], "flac"), Request::all());
    for format in ["flac", "wav"] {
        let written = write(&utts, format).unwrap();
        assert_eq!(written[..12], *b"ann-1 AUDIO\x01");
        assert_eq!(usize::from(written[12]), written.len() - 13);
        assert_eq!(read(&written, Request::all()).0[0].audio, utts[0].audio);
    }
}

#[test]
fn every_cut_and_every_lie_is_found() {
    let bytes = archive(&[("ann-1", 1), ("bob-2", 1)], "flac");
    for request in [Request::all(), Request::all().files(&["flac"])] {
        for n in 1..bytes.len() {
            let (utts, errors) = read(&bytes[..n], request.clone());
            let whole = n == bytes.len() / 2;
            assert_eq!(errors.is_empty(), whole, "cut to {n}: {errors:?}");
            assert_eq!(utts.len(), usize::from(n >= bytes.len() / 2), "cut to {n}");
        }
    }
    for (at, with, fault) in [
        (11, &b"\x09"[..], "the file ends"),
        (11, b"\x08", "over the limit"),
        (12, b"\xff", "the file ends"),
        (
            13,
            b"Opus",
            "holds a file that is not known in kaldiio's form",
        ),
        (13 + 30, b"\xff", "MD5"),
    ] {
        let mut lie = archive(&[("ann-1", 1)], "flac");
        lie[at..at + with.len()].copy_from_slice(with);
        let (_, errors) = read(&lie, Request::all());
        let error = errors.first().map(ToString::to_string).unwrap_or_default();
        assert!(error.contains(fault), "{at} {with:02x?}: {error}");
    }
    // A damaged entry does not affect others.
    let mut damaged = bytes;
    damaged[13 + 40] ^= 1;
    let (utts, errors) = read(&damaged, Request::all());
    assert_eq!((utts.len(), errors.len()), (1, 1), "{errors:?}");
    assert_eq!(utts[0].key, "bob-2".into());
}

/// Entries that are not looked up are not decoded.
#[test]
fn places_are_found_by_a_script_file() {
    let store = MemoryStore::new();
    let bytes = archive(&[("ann-1", 1), ("bob-2", 1)], "flac");
    store.insert("sound.ark", bytes.clone());
    let second = bytes.len() / 2 + 6;
    store.insert(
        "s.scp",
        format!("x sound.ark:{second}\ny sound.ark:6\n").into_bytes(),
    );
    let env: Env = env().with_store(Arc::new(store));
    let source = env.open(&Locator::file("s.scp")).unwrap();
    let opened = Request::all()
        .lookup()
        .open(&FORMAT, source, &Options::default(), &env);
    let Ok(OpenedDataset::Table(mut table)) = opened else {
        panic!("no table");
    };
    let mut utt = Utterance::default();
    for key in ["y", "x"] {
        assert!(table.find(&key.into(), &mut utt).unwrap());
        assert_eq!(
            utt.waveform().unwrap().samples.as_slice::<i16>(),
            Some(&[1, -1, 5][..])
        );
    }
    assert!(!table.find(&"z".into(), &mut utt).unwrap());
}
