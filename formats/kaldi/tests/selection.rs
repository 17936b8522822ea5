//! Tables of which some entries are read.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fs;
use std::sync::{Arc, Mutex};

use spr_core::bytes::{Env, Source};
use spr_core::format::{Format, Options};
use spr_core::model::Utterance;
use spr_core::{Error, Result};
use spr_format_kaldi::{FORMAT, Select};

/// Reads the entries whose keys start with `k` and returns their keys and the first error, and all
/// keys that were asked about.
fn read(source: Source, options: &[(&str, &str)]) -> (Vec<String>, Option<Error>, Vec<String>) {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let copy = asked.clone();
    let select = Select::new(move |key| {
        copy.lock().unwrap().push(key.to_string());
        key.as_bytes().starts_with(b"k")
    });
    let options = Options::new(FORMAT.info(), options.iter().copied()).unwrap();
    let mut reader = FORMAT
        .open_selected(source, &options, &Env::default(), select)
        .unwrap();
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
    let (keys, error, asked) = read(Source::open(&script)?, &[]);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(keys, ["k", "k2"]);
    assert_eq!(asked, ["x", "k", "y", "k2", "z"]);
    // The lines themselves are checked, and what is read is looked at.
    for (lines, message) in [
        (
            "k a.ark:2\nx\n",
            "a.scp:2: utterance x: no file name follows the key",
        ),
        ("x a.ark:2\n\n", "a.scp:2: a blank line"),
        ("x gone\nk gone\n", "utterance k: cannot open"),
    ] {
        fs::write(&script, lines).unwrap();
        let error = read(Source::open(&script)?, &[]).1.unwrap();
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
        // Wherever it is cut, that is an error.
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
    for (name, due) in [("k.mat", 1), ("x.mat", 0)] {
        let path = folder.path().join(name);
        fs::write(&path, matrix("FM", 1, 2, 8)).unwrap();
        let (keys, error, _) = read(Source::open(&path).unwrap(), &[]);
        assert!(error.is_none(), "{error:?}");
        assert_eq!(keys.len(), due, "{name}");
    }
}

#[test]
fn all_are_read_unless_said_otherwise() {
    let options = Options::new(FORMAT.info(), [("table", "ark")]).unwrap();
    let table = memory(b"a 1 2 \nb 3 \n");
    let reader = FORMAT.open_selected(table, &options, &Env::default(), Select::all());
    let frames = reader.unwrap().into_iter().map(|utt| utt.unwrap().frames());
    assert_eq!(frames.collect::<Vec<_>>(), [2, 1]);
}
