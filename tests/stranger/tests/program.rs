//! The program and the library, with a format of another crate.

use std::path::Path;
use std::process::Command;

use spr_convert::core::format::Writer;
use spr_convert::core::model::{Key, Matrix, Utterance};
use spr_convert::core::ndarray::array;
use spr_convert::{ConvertOptions, OpenOptions, builtin};
use stranger::TOY;

/// Runs the program in a folder, and gives its exit status and what it prints.
fn run(folder: &Path, line: &str) -> (Option<i32>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_stranger"));
    let done = program.args(line.split(' ')).current_dir(folder).output();
    let done = done.unwrap();
    let text = [done.stdout, done.stderr].concat();
    (done.status.code(), String::from_utf8(text).unwrap())
}

fn ok(folder: &Path, line: &str) -> String {
    let (status, text) = run(folder, line);
    assert_eq!(status, Some(0), "{line}: {text}");
    text
}

/// Two utterances in the format.
fn write(folder: &Path) -> String {
    let at = folder.join("in.toy").to_str().unwrap().to_owned();
    let formats = builtin::registry().with_format(&TOY);
    let options = ConvertOptions::within(&formats, &builtin::env());
    let mut writer = options.create(&at).unwrap();
    for (key, features) in [
        ("a", array![[1f32, 2.0], [3.0, 4.0]]),
        ("b", array![[5.0, 6.0]]),
    ] {
        let utt = Utterance {
            key: Key::from(key),
            features: Some(Matrix::from(features)),
            ..Utterance::default()
        };
        writer.write(&utt).unwrap();
    }
    assert_eq!(writer.finish().unwrap().utterances, 2);
    at
}

#[test]
fn the_library_takes_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let at = write(folder.path());
    let formats = builtin::registry().with_format(&TOY);
    let options = OpenOptions::within(&formats, &builtin::env());
    let keys = options.open(&at).unwrap().into_iter();
    let keys: Vec<_> = keys.map(|utt| utt.unwrap().key.to_string()).collect();
    assert_eq!(keys, ["a", "b"]);
    let to = folder.path().join("out.ark");
    let options = ConvertOptions::within(&formats, &builtin::env());
    let outcome = options.convert(&at, to.to_str().unwrap()).unwrap();
    assert_eq!((outcome.from, outcome.to), ("toy", "kaldi"));
    // Without the format nothing knows what it is.
    assert!(spr_convert::open(&at).is_err());
}

#[test]
fn the_verbs_take_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder);
    ok(folder, "in.toy out.ark");
    assert!(ok(folder, "info in.toy").contains("toy"));
    assert!(ok(folder, "formats").contains("(.toy)"));
    assert!(ok(folder, "formats toy").contains("f32"));
    assert!(ok(folder, "check in.toy").contains("nothing wrong"));
    ok(folder, "diff in.toy out.ark");
    for verb in [
        "ls in.toy",
        "show in.toy a",
        "stats in.toy",
        "index out.ark",
    ] {
        ok(folder, verb);
    }
    ok(folder, "select in.toy -o a.toy --glob a");
    ok(folder, "sort in.toy -o sorted.toy --by frames");
    ok(
        folder,
        "merge a.toy in.toy -o merged.toy --duplicates first",
    );
    assert_eq!(
        ok(folder, "ls merged.toy --tsv").matches("\ta\t").count(),
        1
    );
    ok(folder, "out.ark again.toy");
    ok(folder, "diff in.toy again.toy");
}

#[test]
fn hints_and_completions_know_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder);
    for (line, hint) in [
        ("in.toy x --to tooy", "'toy'"),
        ("in.toy out.toyy", "did you mean .toy?"),
        ("info toi:in.toy", "toy:"),
        ("formats tooy", "'toy'"),
        ("in.toy x.ark --from tooy", "'toy'"),
    ] {
        let (status, text) = run(folder, line);
        assert!(status != Some(0) && text.contains(hint), "{line}: {text}");
    }
    let script = ok(folder, "completions bash");
    assert!(script.contains(" toy"), "{script}");
    let keys = ok(folder, "completions -- spr-convert show in.toy ");
    assert_eq!(keys, "a\nb\n");
    assert!(ok(folder, "completions -- spr-convert info in.toy,type=").contains("type=toy"));
}
