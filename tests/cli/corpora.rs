//! Random corpora of several files, some of them at fault: whatever the verb and the way in which
//! the files are named, a run gives what each file gives alone, and its status tells what is missing.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;

use crate::{Said, Scratch};

/// The formats of the files: extension, and whether a file has one utterance.
const FORMATS: [(&str, bool); 9] = [
    ("ark", false),
    ("jsonl", false),
    ("npz", false),
    ("safetensors", false),
    ("wav", true),
    ("npy", true),
    ("htk", true),
    ("ctm", false),
    ("rttm", false),
];

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Cut(u8),
    Empty,
    Missing,
    Garbage,
    Foreign,
}

#[derive(Clone, Debug)]
struct Corpus {
    format: usize,
    /// The utterances of each file.
    files: Vec<u8>,
    faults: Vec<(u8, Fault)>,
    way: u8,
    verb: u8,
    skip: bool,
}

fn corpus() -> impl Strategy<Value = Corpus> {
    let fault = prop_oneof![
        3 => any::<u8>().prop_map(Fault::Cut),
        1 => Just(Fault::Empty),
        1 => Just(Fault::Missing),
        1 => Just(Fault::Garbage),
        1 => Just(Fault::Foreign),
    ];
    let files = prop::collection::vec(1u8..4, 1..5);
    let faults = prop::collection::vec((any::<u8>(), fault), 0..3);
    (
        0..FORMATS.len(),
        files,
        faults,
        0u8..4,
        0u8..5,
        any::<bool>(),
    )
        .prop_map(|(format, files, faults, way, verb, skip)| Corpus {
            format,
            files,
            faults,
            way,
            verb,
            skip,
        })
}

/// The lines of one utterance of the canonical form, fit for a format.
fn utterance(key: &str, extension: &str) -> String {
    match extension {
        "wav" => format!(
            "{{\"key\":\"{key}\",\"audio\":{{\"rate\":8000,\"dtype\":\"i16\",\"shape\":[4,1],\"data\":[[1],[2],[3],[4]]}}}}\n"
        ),
        "ctm" => format!(
            "{{\"key\":\"{key}\",\"segments\":[{{\"start\":0.25,\"end\":0.75,\"label\":\"yes\"}}]}}\n"
        ),
        "rttm" => format!(
            "{{\"key\":\"{key}\",\"segments\":[{{\"start\":0.25,\"end\":0.75,\"label\":\"ann\"}}]}}\n"
        ),
        _ => format!(
            "{{\"key\":\"{key}\",\"features\":{{\"dtype\":\"f32\",\"shape\":[2,2],\"data\":[[1.5,2],[3,4]]}},\"meta\":{{\"frame_shift\":0.01}}}}\n"
        ),
    }
}

/// Writes the files of a corpus; returns their names.
fn write(s: &Scratch, corpus: &Corpus) -> Vec<String> {
    let (extension, single) = FORMATS[corpus.format];
    let mut names = Vec::new();
    for (n, count) in corpus.files.iter().enumerate() {
        let name = format!("in/f{n}.{extension}");
        let lines = (0..if single { 1 } else { *count }).map(|u| {
            let key = if single {
                format!("f{n}")
            } else {
                format!("f{n}-u{u}")
            };
            utterance(&key, extension)
        });
        s.write("u.jsonl", lines.collect::<String>());
        std::fs::create_dir_all(s.path("in")).unwrap();
        s.ok(&format!("u.jsonl {name} --allow-loss all"));
        names.push(name);
    }
    for (which, fault) in &corpus.faults {
        let name = &names[usize::from(*which) % names.len()];
        let path = s.path(name);
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        match fault {
            Fault::Cut(at) => s.write(name, &bytes[..bytes.len() * usize::from(*at) / 256]),
            Fault::Empty => s.write(name, b""),
            Fault::Missing => std::fs::remove_file(path).unwrap(),
            Fault::Garbage => s.write(name, [0x91, 0x07, 0xFE, 0x42].repeat(9)),
            Fault::Foreign => s.write(name, "[{\"a\": 1}]\n"),
        }
    }
    names
}

/// The names of what a run has written.
fn keys(s: &Scratch, name: &str) -> BTreeSet<String> {
    let Ok(text) = std::fs::read_to_string(s.path(name)) else {
        return BTreeSet::new();
    };
    let key = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        value["key"].as_str().unwrap().to_owned()
    };
    text.lines().map(key).collect()
}

/// What a file gives alone: its utterances, and whether all was read.
fn alone(s: &Scratch, name: &str) -> (BTreeSet<String>, i32) {
    let said = s.run(&format!(
        "{name} alone.jsonl --overwrite --on-error skip -q"
    ));
    let found = keys(s, "alone.jsonl");
    let _ = std::fs::remove_file(s.path("alone.jsonl"));
    (found, said.status)
}

fn line(corpus: &Corpus, names: &[String], s: &Scratch) -> Option<String> {
    let extension = FORMATS[corpus.format].0;
    let inputs = match corpus.way {
        0 | 1 => names.join(" "),
        // A pattern does not find what is missing, and nobody has named it.
        3 if FORMATS[corpus.format].1 => "in".to_owned(),
        _ => format!("in/*.{extension}"),
    };
    if corpus.way >= 2 && std::fs::read_dir(s.path("in")).unwrap().next().is_none() {
        return None;
    }
    let verb = ["convert", "select", "sort", "merge", "convert"][usize::from(corpus.verb)];
    let skip = if corpus.skip { "--on-error skip" } else { "" };
    Some(format!(
        "{verb} {inputs} -o out.jsonl {skip} --error-log log"
    ))
}

fn check(corpus: &Corpus) -> Result<(), TestCaseError> {
    let s = Scratch::new();
    let mut names = write(&s, corpus);
    let Some(line) = line(corpus, &names, &s) else {
        return Ok(());
    };
    if corpus.way >= 2 {
        names.retain(|name| s.path(name).exists());
    }
    let truths: Vec<_> = names.iter().map(|name| alone(&s, name)).collect();
    let said = s.run(&line);
    let found = keys(&s, "out.jsonl");
    let mut story = String::new();
    for (name, (keys, status)) in names.iter().zip(&truths) {
        let _ = writeln!(story, "{name} alone: {status} {keys:?}");
    }
    let Said { status, err, .. } = &said;
    let story = format!("{story}{line}: {status} {found:?}\n{err}");
    let whole = truths.iter().all(|(_, status)| *status == 0);
    let read: BTreeSet<_> = truths.iter().flat_map(|(keys, _)| keys.clone()).collect();
    if whole {
        prop_assert_eq!(*status, 0, "{}", story);
        prop_assert_eq!(&found, &read, "{}", story);
    } else if !corpus.skip {
        prop_assert_eq!(*status, 2, "{}", story);
        prop_assert!(!s.path("out.jsonl").exists(), "{}", story);
    } else if read.is_empty() {
        prop_assert!([2, 3].contains(status), "{}", story);
        prop_assert!(found.is_empty(), "{}", story);
    } else {
        prop_assert_eq!(*status, 3, "{}", story);
        prop_assert_eq!(&found, &read, "{}", story);
        let log = String::from_utf8(s.read("log")).unwrap();
        for (name, (_, status)) in names.iter().zip(&truths) {
            if *status != 0 {
                prop_assert!(err.contains(&name[3..]), "{} is not named: {}", name, story);
                prop_assert!(
                    log.contains(&name[3..]),
                    "{} is not in the log: {}",
                    name,
                    story
                );
            }
        }
    }
    Ok(())
}

/// The number of corpora that are tried: `PROPTEST_CASES`, or a few.
fn cases() -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(60)
}

#[test]
fn several_files_give_what_each_gives() {
    let config = Config {
        failure_persistence: None,
        ..Config::with_cases(cases())
    };
    // The same corpora on every machine; `PROPTEST_CASES` goes on to others.
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let result = runner.run(&corpus(), |corpus| check(&corpus));
    result.unwrap_or_else(|error| panic!("{error}"));
}
