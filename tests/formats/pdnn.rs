//! PDNN's data specs give the frames, labels and order that PDNN gives: each case of
//! `fixtures/pdnn` through the program, a file for each partition and all in one file.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use spr_convert::core::model::{Matrix, Utterance};

/// Frames in their order, whatever utterance they belong to.
#[derive(Debug, Default, PartialEq)]
struct Frames {
    columns: usize,
    features: Vec<f32>,
    labels: Vec<i32>,
}

impl Frames {
    fn add(&mut self, utt: &Utterance) {
        let features = utt.features.as_ref().unwrap();
        self.columns = features.cols();
        self.features
            .extend_from_slice(features.as_slice::<f32>().unwrap());
        let labels = utt.labels.as_ref().and_then(Matrix::as_slice::<i32>);
        self.labels.extend_from_slice(labels.unwrap());
    }
}

/// The utterances of a file.
fn utterances(path: &Path) -> Vec<Utterance> {
    let mut reader = spr_convert::open(path.to_str().unwrap()).unwrap();
    let mut all = Vec::new();
    let mut utt = Utterance::default();
    while reader.read(&mut utt).unwrap() {
        all.push(utt.clone());
    }
    all
}

fn frames<'a>(utterances: impl IntoIterator<Item = &'a Utterance>) -> Frames {
    let mut frames = Frames::default();
    utterances.into_iter().for_each(|utt| frames.add(utt));
    frames
}

/// Runs the program in the folder of a case.
fn run(case: &Path, spec: &str, more: &[&str], out: &Path) {
    let run = Command::new(env!("CARGO_BIN_EXE_spr-convert"))
        .current_dir(case)
        .arg(spec)
        .args(more)
        .arg(out)
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{}: {err}", case.display());
}

#[test]
fn frames_labels_and_order_are_those_of_pdnn() {
    let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/pdnn");
    let counted = fs::read_to_string(root.join("cases.txt")).unwrap();
    let mut cases: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    assert_eq!(counted, format!("{} read, 0 refused\n", cases.len()));
    for case in cases {
        let scratch = tempfile::tempdir().unwrap();
        let spec = fs::read_to_string(case.join("spec")).unwrap();
        let spec = spec.strip_suffix('\n').unwrap();
        let expected = utterances(&case.join("expect.jsonl"));
        let name = case.display();

        run(&case, spec, &[], &scratch.path().join("{part:04}.pkl"));
        let mut parts = 0;
        for (i, expected) in expected.iter().enumerate() {
            let part = scratch.path().join(format!("{i:04}.pkl"));
            let got = frames(&utterances(&part));
            assert!(got == frames([expected]), "{name}: partition {i}: {got:?}");
            parts += 1;
        }
        let files = fs::read_dir(scratch.path()).unwrap().count();
        assert_eq!(
            files,
            2 * parts,
            "{name}: a side file for each, and no more"
        );

        // All in one file, with one thread less.
        let whole = scratch.path().join("whole.jsonl");
        run(&case, spec, &["-j", "1"], &whole);
        assert!(frames(&utterances(&whole)) == frames(&expected), "{name}");
    }
}
