//! Reading script files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use spr_core::bytes::{Access, Env};
use spr_core::format::{OpenedDataset, Options, Request};
use spr_core::model::{Key, Utterance};
use spr_core::{ErrorKind, Limits};
use spr_format_kaldi::FORMAT;
use spr_testkit::faults::{Drained, read_source};
use tempfile::TempDir;

/// Returns a folder with an archive of the 4 x 2 matrices `a` and `b`, the vector `v` and the
/// labels `l`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = "a  [\n 1 2\n 3 4\n 5 6\n 7 8 ]\nb  [\n 9 10\n 11 12\n 13 14\n 15 16 ]\n\
                v  [ 1 2 3 ]\n";
    fs::write(folder.path().join("x.ark"), text).unwrap();
    fs::write(folder.path().join("l.ark"), "l 5 6 7 \n").unwrap();
    fs::write(folder.path().join("m.mat"), " [\n 1 2 ]\n").unwrap();
    folder
}

/// The position of the object of `b`.
const B: usize = 29;

fn script(folder: &Path, lines: &str) -> PathBuf {
    let path = folder.join("x.scp");
    fs::write(&path, lines).unwrap();
    path
}

fn read(folder: &Path, lines: &str, access: Access) -> (Drained, Vec<String>) {
    let warnings = Arc::<Mutex<Vec<String>>>::default();
    let heard = warnings.clone();
    let env = Env::new(Limits::default(), access, move |w| {
        heard.lock().unwrap().push(w.to_string());
    });
    let options = spr_testkit::options(&FORMAT, &[("table", "scp")]).unwrap();
    let source = env.open_file(&script(folder, lines).into()).unwrap();
    let drained = read_source(&FORMAT, &options, source, &env);
    let warnings = warnings.lock().unwrap().clone();
    (drained, warnings)
}

fn values(utt: &Utterance) -> Vec<f32> {
    utt.features.as_ref().unwrap().as_slice().unwrap().to_vec()
}

fn errors(drained: &Drained) -> Vec<String> {
    drained.errors.iter().map(ToString::to_string).collect()
}

#[test]
fn places_and_ranges() {
    let folder = folder();
    let lines = format!(
        "b x.ark:{B}\r\n a\tx.ark:2  \nm m.mat\nr x.ark:{B}[1:2]\ns x.ark:{B}[0:0,1:1]\n\
         t x.ark:2[:,0:0]\nu x.ark:2[2:5]\nv x.ark:63[1:2]"
    );
    let (drained, warnings) = read(folder.path(), &lines, Access::Typed);
    assert_eq!(errors(&drained), [""; 0]);
    let got: Vec<_> = drained
        .utterances
        .iter()
        .map(|u| (u.key.to_string(), values(u)))
        .collect();
    let want: [(&str, &[f32]); 8] = [
        ("b", &[9., 10., 11., 12., 13., 14., 15., 16.]),
        ("a", &[1., 2., 3., 4., 5., 6., 7., 8.]),
        ("m", &[1., 2.]),
        ("r", &[11., 12., 13., 14.]),
        ("s", &[10.]),
        ("t", &[1., 3., 5., 7.]),
        ("u", &[5., 6., 7., 8.]),
        ("v", &[2., 3.]),
    ];
    for ((key, values), (want_key, want)) in got.iter().zip(want) {
        assert_eq!((&**key, &**values), (want_key, want));
    }
    assert_eq!(got.len(), want.len());
    assert_eq!(warnings.len(), 1);
    let expected = "x.scp:7: utterance u: the range goes past the last row, to which it is cut";
    assert!(warnings[0].ends_with(expected), "{warnings:?}");
}

#[test]
fn one_bad_line_does_not_end_the_table() {
    let folder = folder();
    let lines = format!(
        "a x.ark:2\n\nb\nc missing.ark:5\nd x.ark:3\ne x.ark:{B}[9:9]\nf x.ark:{B}[3]\n\
         g x.ark:9999\nh x.ark\ni m.mat]\nj ark:x.ark\nk l.ark:2\nz x.ark:{B}\n"
    );
    let (drained, _) = read(folder.path(), &lines, Access::Typed);
    let errors = errors(&drained);
    let ends = [
        "x.scp:2: a blank line",
        "x.scp:3: utterance b: no file name follows the key",
        "missing.ark: utterance c: cannot open: No such file or directory",
        "x.scp:6: utterance e: the range 9:9 is outside its 4 rows",
        "x.scp:7: utterance f: '[3]' is not a range",
        "x.ark@9999: utterance g: byte 9999 is past the end, at 74",
        "x.ark@0: utterance h: no Kaldi object starts here",
        "x.scp:10: utterance i: ']' after a file name, but no range before it",
        "x.scp:11: utterance j: 'ark:x.ark' is not a valid Kaldi file name: it names a table, not a file",
        "l.ark@2: utterance k: holds an int32-vector, but the first entry held a float-matrix",
    ];
    for (error, end) in errors.iter().zip(ends) {
        assert!(error.ends_with(end), "{error}");
    }
    // Offset 3 is the bracket itself, a byte late but the same object.
    let keys: Vec<_> = drained
        .utterances
        .iter()
        .map(|u| u.key.to_string())
        .collect();
    assert_eq!(
        (errors.len(), keys),
        (10, vec!["a".to_owned(), "d".into(), "z".into()])
    );
}

#[test]
fn labels_have_no_ranges() {
    let folder = folder();
    let (drained, _) = read(folder.path(), "l l.ark:2\nm l.ark:2[0:1]\n", Access::Typed);
    let labels = drained.utterances[0].labels.as_ref().unwrap();
    assert_eq!(labels.as_slice(), Some(&[5, 6, 7][..]));
    assert!(
        errors(&drained)[0].ends_with("a range, but only matrices and vectors of floats have them")
    );
}

#[test]
fn commands_need_trust_and_run_once() {
    let folder = folder();
    let mat = folder.path().join("m.mat").display().to_string();
    let log = folder.path().join("log").display().to_string();
    let lines = format!(
        "a echo x >> {log}; cat {mat} |\nb echo x >> {log}; cat {mat} |[0:0,1:1]\nc cat {mat}; false |\n"
    );
    let (drained, _) = read(folder.path(), &lines, Access::Typed);
    assert_eq!(drained.errors.len(), 3);
    assert!(drained.errors.iter().all(|e| e.kind() == ErrorKind::Usage));
    assert!(!Path::new(&log).exists());
    let (drained, _) = read(folder.path(), &lines, Access::Files);
    assert_eq!(drained.utterances.len(), 2);
    assert_eq!(values(&drained.utterances[0]), [1., 2.]);
    assert_eq!(values(&drained.utterances[1]), [2.]);
    assert_eq!(fs::read_to_string(&log).unwrap(), "x\n");
    assert!(errors(&drained)[0].contains("exit status 1"), "{drained:?}");
}

#[test]
fn archives_stay_open() {
    let folder = folder();
    let path = script(
        folder.path(),
        &format!("a x.ark:2\nb x.ark:{B}\na x.ark:2\n"),
    );
    let mut reader = spr_testkit::open(&FORMAT, &[], &path).unwrap();
    let mut utt = Utterance::default();
    assert!(reader.read(&mut utt).unwrap());
    fs::remove_file(folder.path().join("x.ark")).unwrap();
    assert!(reader.read(&mut utt).unwrap());
    assert!(reader.read(&mut utt).unwrap());
    assert_eq!(values(&utt)[..2], [1., 2.]);
    assert!(!reader.read(&mut utt).unwrap());
}

#[test]
fn scripts_are_found_by_content_and_name() {
    let folder = folder();
    let by_content = folder.path().join("list");
    fs::write(&by_content, "a x.ark:2\n").unwrap();
    assert_eq!(
        spr_testkit::read(&FORMAT, &[], &by_content).unwrap().len(),
        1
    );
    let by_name = script(folder.path(), "a plain\n");
    fs::copy(folder.path().join("m.mat"), folder.path().join("plain")).unwrap();
    assert_eq!(spr_testkit::read(&FORMAT, &[], &by_name).unwrap().len(), 1);
    let binary = folder.path().join("b.scp");
    fs::write(&binary, b"\0BFV \x04\0\0\0\0").unwrap();
    assert!(spr_testkit::read(&FORMAT, &[("table", "scp")], &binary).is_err());
}

#[test]
fn keys_are_known_before_anything_is_read() {
    let folder = folder();
    let file = folder.path().join("keys.scp");
    fs::write(&file, "b nowhere.ark:5\na nowhere.ark:9\n").unwrap();
    let source = Env::default().open_file(&file.as_path().into()).unwrap();
    let request = Request::all().lookup();
    let opened = request.open(&FORMAT, source, &Options::default(), &Env::default());
    let OpenedDataset::Table(table) = opened.unwrap() else {
        panic!("a script file is no table");
    };
    let keys = table.keys().unwrap();
    assert_eq!(keys, [Key::from("b"), Key::from("a")]);
}
