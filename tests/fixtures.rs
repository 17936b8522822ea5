//! Files made by other programs: each reads as its `expect.jsonl` says, and what must be refused
//! is refused with the words of its `error.txt`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fs;
use std::path::{Path, PathBuf};

use spr_convert::argument::Input;
use spr_convert::core::format::Request;
use spr_convert::core::model::{Matrix, Utterance};
use spr_convert::verbs::info::inspect;
use spr_convert::{Result, builtin};

/// Cases that must be found, so that a moved folder can't make the tests pass by finding none.
const CASES: [(&str, usize, usize); 8] = [
    ("audio", 60, 36),
    ("htk", 16, 12),
    ("jsonl", 16, 16),
    ("kaldi", 85, 39),
    ("numpy", 40, 21),
    ("pfile", 19, 26),
    ("pickle", 202, 69),
    ("spraak", 79, 42),
];

fn folders(of: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> = fs::read_dir(of)
        .unwrap_or_else(|e| panic!("{}: {e}", of.display()))
        .map(|e| e.unwrap().path())
        .filter(|p| p.is_dir() && p.file_name().unwrap() != "refused")
        .collect();
    folders.sort();
    folders
}

/// The file or folder that a case is about: its script file if it has one, else `input…`.
fn input(case: &Path) -> PathBuf {
    let script = case.join("input.scp");
    if script.exists() {
        return script;
    }
    let mut found: Vec<_> = fs::read_dir(case)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| {
            p.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with("input")
        })
        .filter(|p| p.extension().is_none_or(|e| e != "utt2num_frames"))
        .collect();
    assert_eq!(found.len(), 1, "{}: {found:?}", case.display());
    found.remove(0)
}

fn read(path: &Path) -> Result<Vec<Utterance>> {
    let registry = builtin::registry();
    let env = builtin::env();
    let inputs = Input::parse(path.to_str().unwrap(), None, &[], &registry, &env)?;
    let mut reader = Input::open_all(&inputs, Request::all(), &registry, &env)?.reader;
    let mut all = Vec::new();
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        all.push(utt.clone());
    }
    Ok(all)
}

/// Text has one NaN; its bits are not compared.
fn one_nan(matrix: &mut Option<Matrix>) {
    let Some(matrix) = matrix else { return };
    for value in matrix.as_slice_mut::<f32>().unwrap_or_default() {
        if value.is_nan() {
            *value = f32::NAN;
        }
    }
    for value in matrix.as_slice_mut::<f64>().unwrap_or_default() {
        if value.is_nan() {
            *value = f64::NAN;
        }
    }
}

fn same(mut got: Vec<Utterance>, mut expected: Vec<Utterance>) -> bool {
    for utt in got.iter_mut().chain(&mut expected) {
        one_nan(&mut utt.features);
        one_nan(&mut utt.labels);
    }
    got == expected
}

#[test]
fn files_of_other_programs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut faults = Vec::new();
    for (format, cases, refusals) in CASES {
        let mut found = 0;
        for case in folders(&root.join(format)) {
            found += 1;
            let expected = read(&case.join("expect.jsonl")).unwrap();
            match read(&input(&case)) {
                Ok(got) if same(got.clone(), expected.clone()) => {}
                Ok(got) => faults.push(format!(
                    "{}: got {}, expected {}",
                    case.display(),
                    show(&got),
                    show(&expected)
                )),
                Err(e) => faults.push(format!("{}: {e}", case.display())),
            }
        }
        assert_eq!(found, cases, "cases of {format}");
        let mut found = 0;
        for case in folders(&root.join(format).join("refused")) {
            found += 1;
            let phrase = fs::read_to_string(case.join("error.txt")).unwrap();
            match read(&input(&case)) {
                // The phrase is not to be found in the path.
                Err(e)
                    if e.to_string()
                        .replace(case.to_str().unwrap(), "")
                        .contains(phrase.trim()) => {}
                Err(e) => faults.push(format!(
                    "{}: '{}' not in: {e}",
                    case.display(),
                    phrase.trim()
                )),
                Ok(got) => faults.push(format!("{}: read as {}", case.display(), show(&got))),
            }
        }
        assert_eq!(found, refusals, "refusals of {format}");
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// `info` says the same of a file as of what it is expected to hold.
#[test]
fn info_is_right() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let registry = builtin::registry();
    let facts = |path: &Path| {
        let env = builtin::env();
        let inputs = Input::parse(path.to_str().unwrap(), None, &[], &registry, &env).unwrap();
        let (facts, result) = inspect(&inputs[0], false, &registry, &env);
        result.unwrap();
        serde_json::to_value(&facts).unwrap()
    };
    for (format, ..) in CASES {
        for case in folders(&root.join(format)) {
            let got = facts(&input(&case));
            let expected = facts(&case.join("expect.jsonl"));
            for field in [
                "utterances",
                "frames",
                "dim",
                "dtype",
                "kinds",
                "label_columns",
                "labels",
                "frame_shift",
                "duration",
                "sample_rate",
            ] {
                assert_eq!(got[field], expected[field], "{}: {field}", case.display());
            }
        }
    }
}

/// The beginning of what was read.
fn show(utts: &[Utterance]) -> String {
    let mut text = format!("{} utterances: {:?}", utts.len(), utts.first());
    if let Some(features) = utts.first().and_then(|u| u.features.as_ref()) {
        text.push_str(&format!(
            " {:?}",
            features.as_bytes().iter().take(24).collect::<Vec<_>>()
        ));
    }
    text
}
