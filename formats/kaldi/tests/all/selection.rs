//! Reading of some entries of a table.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use spr_core::bytes::{Env, Source};
use spr_core::format::{Format, Options, Request, Subset};
use spr_core::model::Utterance;
use spr_core::{Error, Result};
use spr_format_kaldi::FORMAT;
use spr_testkit::faults;

use super::common::env;
use super::nested::wave;

/// Reads the entries whose keys start with `k`. Returns their keys and the first error, and all
/// keys that were checked.
fn read(source: Source, options: &[(&str, &str)]) -> (Vec<String>, Option<Error>, Vec<String>) {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let copy = asked.clone();
    let request = Request::all().keys(move |key| {
        copy.lock().unwrap().push(key.to_string());
        key.as_bytes().starts_with(b"k")
    });
    let options = Options::new(FORMAT.info(), options.iter().copied()).unwrap();
    let opened = request.open(&FORMAT, source, &options, &Env::default());
    let mut reader = opened.unwrap().into_stream().unwrap();
    let mut utt = Utterance::default();
    let mut keys = Vec::new();
    let error = loop {
        match reader.read(&mut utt) {
            Ok(true) => keys.push(utt.key.to_string()),
            Ok(false) => break None,
            Err(error) => break Some(error),
        }
    };
    if !error.as_ref().is_some_and(Error::can_continue) {
        assert!(!reader.read(&mut utt).unwrap());
    }
    let asked = asked.lock().unwrap().clone();
    (keys, error, asked)
}

fn file(path: &Path) -> Source {
    Env::default().open_file(&path.into()).unwrap()
}

fn memory(bytes: &[u8]) -> Source {
    Source::from_bytes("memory", bytes.to_vec()).unwrap()
}

fn matrix(token: &str, rows: u8, cols: u8, values: usize) -> Vec<u8> {
    let shape = [4, rows, 0, 0, 0, 4, cols, 0, 0, 0];
    let values = vec![0; values];
    [b"\0B", token.as_bytes(), b" ", &shape[..], &values[..]].concat()
}

#[test]
fn what_dropped_lines_name_is_not_opened() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("a.ark");
    fs::write(&archive, [b"k ", &matrix("FM", 1, 2, 8)[..]].concat()).unwrap();
    let script = folder.path().join("a.scp");
    let lines = "x gone.ark:7\nk a.ark:2\ny rm -rf nothing |\nk2 a.ark:2[0:0]\nz a.ark:99999\n";
    fs::write(&script, lines).unwrap();
    let (keys, error, asked) = read(file(&script), &[]);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(keys, ["k", "k2"]);
    assert_eq!(asked, ["x", "k", "y", "k2", "z"]);
    // The lines themselves are checked, and so are the objects that are read.
    for (lines, message) in [
        (
            "k a.ark:2\nx\n",
            "a.scp:2: utterance x: no file name follows the key",
        ),
        ("x a.ark:2\n\n", "a.scp:2: a blank line"),
        ("x gone\nk gone\n", "utterance k: cannot open"),
    ] {
        fs::write(&script, lines).unwrap();
        let error = read(file(&script), &[]).1.unwrap();
        assert!(error.to_string().contains(message), "{error}");
    }
    Ok(())
}

#[test]
fn dropped_entries_are_passed_over() {
    let entries: [&[u8]; 6] = [
        &matrix("FM", 1, 2, 8),
        &matrix("DM", 2, 2, 32),
        b"\0BCM3 \0\0\0\0\0\0\x80?\x01\0\0\0\x02\0\0\0\x07\x08",
        b" [\n  1 2 ]\n",
        b"\0BFP \x04\x01\0\0\0\0\0\0\0",
        &matrix("FM", 0, 0, 0),
    ];
    for (i, dropped) in entries.iter().enumerate() {
        for kept in entries {
            let bytes = [b"x ", *dropped, b"k1 ", kept, b"y ", dropped, b"k2 ", kept].concat();
            let (keys, error, asked) = read(memory(&bytes), &[]);
            assert!(error.is_none(), "{i}: {error:?}");
            assert_eq!(keys, ["k1", "k2"]);
            assert_eq!(asked, ["x", "k1", "y", "k2"]);
        }
        // A cut at any position is an error.
        for len in 1..dropped.len() - 1 {
            let bytes = [&b"x "[..], &dropped[..len]].concat();
            let (keys, error, _) = read(memory(&bytes), &[("holder", "float-matrix")]);
            assert!(keys.is_empty() && error.is_some(), "{i}: {len} bytes");
        }
    }
}

#[test]
fn a_file_of_one_object_is_dropped_or_not() {
    let folder = tempfile::tempdir().unwrap();
    for (name, expected) in [("k.mat", 1), ("x.mat", 0)] {
        let path = folder.path().join(name);
        fs::write(&path, matrix("FM", 1, 2, 8)).unwrap();
        let (keys, error, _) = read(file(&path), &[]);
        assert!(error.is_none(), "{error:?}");
        assert_eq!(keys.len(), expected, "{name}");
    }
}

#[test]
fn all_are_read_unless_said_otherwise() {
    let options = Options::new(FORMAT.info(), [("table", "ark")]).unwrap();
    let table = memory(b"a 1 2 \nb 3 \n");
    let opened = Request::all().open(&FORMAT, table, &options, &Env::default());
    let reader = opened.unwrap().into_stream().unwrap();
    let frames = reader.into_iter().map(|utt| utt.unwrap().frames());
    assert_eq!(frames.collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn shares_are_dealt_without_opening_the_others() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("a.ark"),
        [b"k ", &matrix("FM", 1, 2, 8)[..]].concat(),
    )
    .unwrap();
    let script = folder.path().join("a.scp");
    fs::write(
        &script,
        "a gone\nb a.ark:2\n\nd a.ark:2\ne gone\nf a.ark:2\n",
    )
    .unwrap();
    let share = |index, count| {
        let request = Request::all().share(Subset::EveryNth { index, count });
        let options = Options::default();
        let opened = request.open(&FORMAT, file(&script), &options, &Env::default())?;
        let drained = faults::drain(opened.into_stream()?);
        let keys: Vec<_> = drained
            .utterances
            .iter()
            .map(|u| u.key.to_string())
            .collect();
        Ok::<_, Error>((keys.concat(), drained.errors.len()))
    };
    // A faulty line is distributed like any other.
    assert_eq!(share(0, 2).unwrap(), (String::new(), 3));
    assert_eq!(share(1, 2).unwrap(), ("bdf".to_owned(), 0));
    assert!(share(2, 2).is_err());
}

#[test]
fn entries_say_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("a.ark");
    fs::write(
        &archive,
        [
            b"k ",
            &matrix("FM", 1, 2, 8)[..],
            b"l ",
            &matrix("FM", 0, 0, 0),
        ]
        .concat(),
    )
    .unwrap();
    let script = folder.path().join("a.scp");
    let name = archive.display().to_string();
    fs::write(
        &script,
        format!("x {name}:2\ny cat {name} |\nz {name}:2[0:0]\n"),
    )
    .unwrap();
    for (source, expected) in [
        (file(&archive), vec![Some(2), Some(27)]),
        (file(&script), vec![Some(2), Some(2)]),
    ] {
        let opened = Request::all().open(&FORMAT, source, &Options::default(), &Env::default());
        let read = faults::drain(opened.unwrap().into_stream().unwrap()).utterances;
        let places: Vec<_> = read.iter().map(|utt| utt.origin.byte()).collect();
        assert_eq!(places, expected);
        assert!(
            read.iter()
                .all(|utt| utt.origin.file.as_deref() == Some(&*name))
        );
    }
}

/// Reads a file, and returns the keys and where they are.
fn places(path: &Path, request: Request) -> Vec<(String, Option<u64>)> {
    let opened = request.open(&FORMAT, file(path), &Options::default(), &env());
    let read = faults::drain(opened.unwrap().into_stream().unwrap());
    assert_eq!(read.errors.len(), 0, "{:?}", read.errors);
    let utts = read.utterances.iter();
    utts.map(|utt| (utt.key.to_string(), utt.origin.byte()))
        .collect()
}

#[test]
fn runs_begin_where_weighing_says() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let entry = matrix("FM", 1, 2, 8);
    let archive = [
        b"k ",
        &entry[..],
        b"t  [\n 1 2 ]\nl ",
        &entry,
        b"m ",
        &entry,
    ]
    .concat();
    let place = |key: &str, byte| (key.to_owned(), byte);
    // Of text only those before it tell how it is read; its line end may be the start of the next.
    let starts = [
        place("k", Some(0)),
        place("t", None),
        place("l", Some(36)),
        place("m", Some(62)),
    ];
    fs::write(at("a.ark"), &archive).unwrap();
    assert_eq!(places(&at("a.ark"), Request::all().weights()), starts);
    let run = |first, end, start| {
        let request = Request::all().share(Subset::Run { first, end });
        places(&at("a.ark"), request.starting_at(start))
    };
    let behind = [place("l", Some(39)), place("m", Some(64))];
    assert_eq!(run(2, 9, Some(36)), behind);
    assert_eq!(run(2, 3, Some(36)), behind[..1]);
    // Without the place the entries before are passed over.
    assert_eq!(run(2, 9, None), behind);
    // What is not passed over may be damaged.
    let mut damaged = archive;
    damaged[25..36].fill(0);
    fs::write(at("a.ark"), damaged).unwrap();
    assert_eq!(run(2, 9, Some(36)), behind);
    // Objects without a key have no such places.
    fs::write(at("b.mat"), &entry).unwrap();
    let one = Request::all().share(Subset::Run { first: 0, end: 1 });
    assert_eq!(
        places(&at("b.mat"), one.starting_at(Some(5))),
        [place("b", None)]
    );
}

#[test]
fn sound_is_passed_over_and_weighed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ark");
    let sound = wave(&[1, 2, 3]);
    fs::write(
        &path,
        [b"a ", &sound[..], b"b ", &sound, b"c ", &sound].concat(),
    )
    .unwrap();
    let place = |key: &str, byte| (key.to_owned(), Some(byte));
    let last = Request::all().keys(|key| key.as_bytes() == b"c");
    assert_eq!(places(&path, last), [place("c", 106)]);
    let starts = [place("a", 0), place("b", 52), place("c", 104)];
    assert_eq!(places(&path, Request::all().weights()), starts);
}
