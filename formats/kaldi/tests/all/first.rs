//! Faulty entries do not affect others, wherever they are.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use crate::common;

use std::fs;
use std::path::Path;

use spr_core::bytes::{Locator, Source};
use spr_core::format::{ErrorPolicy, OpenedDataset, Reader, Request};
use spr_core::model::{Key, Utterance};
use spr_format_kaldi::{FORMAT, RandomAccessTableReader, SequentialTableReader};

/// Objects as in separate files, and one of a foreign kind.
const GOOD: [(&str, &[u8], &[u8]); 4] = [
    (
        "matrix",
        b"\0BFM \x04\x01\0\0\0\x04\x02\0\0\0\0\0\x80\x3f\0\0\0\x40",
        b"\0B\x04\x02\0\0\0\x04\x07\0\0\0\x04\x08\0\0\0",
    ),
    ("text matrix", b" [\n  1 2 \n  3 4 ]\n", b"said and done\n"),
    ("text vector", b" [ 1 2 3 ]\n", b"7 8 9\n"),
    (
        "pairs",
        b"\0B\x04\x02\0\0\0\x04\x05\0\0\0\x04\x06\0\0\0\x04\x07\0\0\0\x04\x08\0\0\0",
        b" [ 1 2 3 ]\n",
    ),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Missing,
    Empty,
    Cut,
    Foreign,
}

const KEYS: [&str; 5] = ["a", "b", "c", "d", "e"];

/// The faulty ones of five entries.
const PLACES: [(&str, &[usize]); 5] = [
    ("first", &[0]),
    ("first two", &[0, 1]),
    ("middle", &[2]),
    ("last", &[4]),
    ("all", &[0, 1, 2, 3, 4]),
];

fn files(folder: &Path, good: &[u8], foreign: &[u8], fault: Fault, bad: &[usize]) -> String {
    let mut lines = String::new();
    for (n, key) in KEYS.iter().enumerate() {
        let file = folder.join(format!("{key}.obj"));
        let _ = fs::remove_file(&file);
        let bytes = match (bad.contains(&n), fault) {
            (false, _) => Some(good),
            (true, Fault::Missing) => None,
            (true, Fault::Empty) => Some(&b""[..]),
            (true, Fault::Cut) => Some(&good[..good.len() - 3]),
            (true, Fault::Foreign) => Some(foreign),
        };
        if let Some(bytes) = bytes {
            fs::write(&file, bytes).unwrap();
        }
        lines.push_str(&format!("{key} {}\n", file.display()));
    }
    let script = folder.join("x.scp");
    fs::write(&script, lines).unwrap();
    script.display().to_string()
}

fn in_order(rspecifier: &str) -> Vec<String> {
    let mut table = SequentialTableReader::open(rspecifier).unwrap();
    let mut keys = Vec::new();
    while !table.done() {
        keys.push(table.key().to_string());
        table.next().unwrap();
    }
    keys
}

/// Returns the keys that can be looked up, from the `first` one on.
fn by_key(rspecifier: &str, first: usize) -> Vec<String> {
    let mut table = RandomAccessTableReader::open(rspecifier).unwrap();
    let keys = (0..KEYS.len()).map(|i| KEYS[(first + i) % KEYS.len()]);
    let mut there: Vec<_> = keys
        .filter(|key| table.has_key(&Key::from(*key)).unwrap())
        .map(str::to_owned)
        .collect();
    there.sort();
    there
}

/// Reads while skipping faulty entries.
fn passing(table: &str, file: &str) -> Vec<String> {
    let env = common::env();
    let source = env.open(&Locator::file(file)).unwrap();
    let options = spr_testkit::options(&FORMAT, &[("table", table)]).unwrap();
    let opened = Request::all()
        .on_error(ErrorPolicy::Skip)
        .open(&FORMAT, source, &options, &env);
    drain(opened.unwrap().into_stream().unwrap())
}

fn drain(mut reader: Box<dyn Reader>) -> Vec<String> {
    let (mut utt, mut keys) = (Utterance::default(), Vec::new());
    loop {
        match reader.read(&mut utt) {
            Ok(true) => keys.push(utt.key.to_string()),
            Ok(false) => return keys,
            Err(error) if error.can_continue() => {}
            Err(_) => return keys,
        }
    }
}

#[test]
fn a_bad_entry_of_a_script_file_costs_itself_alone_wherever_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let mut seen = 0;
    for (name, good, foreign) in GOOD {
        for fault in [Fault::Missing, Fault::Empty, Fault::Cut, Fault::Foreign] {
            for (place, bad) in PLACES {
                let script = files(folder.path(), good, foreign, fault, bad);
                // If all are of a foreign kind, that is the kind.
                let all = fault == Fault::Foreign && place == "all";
                let left = (0..5).filter(|n| all || !bad.contains(n));
                let left: Vec<_> = left.map(|n| KEYS[n].to_owned()).collect();
                let what = format!("{name}, {fault:?}, {place}");
                assert_eq!(in_order(&format!("scp,p:{script}")), left, "{what}");
                assert_eq!(passing("scp", &script), left, "{what}, passed over");
                for first in 0..KEYS.len() {
                    let there = by_key(&format!("scp,p:{script}"), first);
                    assert_eq!(there, left, "{what}, by key from {first}");
                }
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 4 * 4 * 5);
}

#[test]
fn an_entry_of_a_foreign_sort_costs_an_archive_itself_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.ark").display().to_string();
    let mut seen = 0;
    for (name, good, foreign) in [GOOD[0], GOOD[2]] {
        for (place, bad) in PLACES {
            let entry = |n: usize| {
                let value = if bad.contains(&n) { foreign } else { good };
                [KEYS[n].as_bytes(), b" ", value].concat()
            };
            fs::write(&file, (0..5).flat_map(entry).collect::<Vec<_>>()).unwrap();
            let left = (0..5).filter(|n| place == "all" || !bad.contains(n));
            let left: Vec<_> = left.map(|n| KEYS[n].to_owned()).collect();
            assert_eq!(in_order(&format!("ark,p:{file}")), left, "{name}, {place}");
            assert_eq!(passing("ark", &file), left, "{name}, {place}, passed over");
            for first in 0..KEYS.len() {
                let there = by_key(&format!("ark,p:{file}"), first);
                assert_eq!(there, left, "{name}, {place}, by key from {first}");
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 10);
}

#[test]
fn what_is_salvaged_is_what_most_entries_hold() {
    let entries = [GOOD[0].2, GOOD[0].1, GOOD[0].1, GOOD[0].1];
    let bytes: Vec<u8> = entries
        .iter()
        .zip(KEYS)
        .flat_map(|(value, key)| [key.as_bytes(), b" ", value].concat())
        .collect();
    let env = common::env();
    let source = Source::from_bytes("x.ark", bytes).unwrap();
    let options = spr_testkit::options(&FORMAT, &[]).unwrap();
    let opened = Request::all()
        .damaged()
        .open(&FORMAT, source, &options, &env)
        .unwrap();
    let OpenedDataset::Stream(reader) = opened else {
        panic!("not a stream")
    };
    assert_eq!(drain(reader), ["b", "c", "d"]);
}
