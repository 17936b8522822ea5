//! Script files as lists, and what is wrong with them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;

use spr_core::bytes::{Env, Location, Locator, MemoryStore, Part};
use spr_core::format::{Format, Weight};
use spr_core::model::{Key, Utterance};
use spr_format_kaldi::{DATA, FORMAT};

/// Returns an environment with these files.
fn env(files: &[(&str, &[u8])]) -> Env {
    let env = Env::default().with_store(Arc::new(MemoryStore::new()));
    for (name, bytes) in files {
        let output = env.output(&Locator::file(*name));
        let mut sink = output.create(Part::Main, false).unwrap();
        sink.put(bytes).unwrap();
        sink.finish().unwrap();
        output.commit().unwrap();
    }
    env
}

#[test]
fn entries_weigh_what_is_between_their_places() {
    let list = b"a x.ark:2\nb x.ark:10[0:3]\nc y.ark:1\n\nd cat z |\n";
    let env = env(&[
        ("d/x.scp", list),
        ("d/x.ark", &[0; 30]),
        ("d/y.ark", &[0; 5]),
        ("d/utt2num_frames", b"a 7\nb 9\nx 3\n"),
    ]);
    let lists = FORMAT.lists().unwrap();
    let mut all = Vec::new();
    let mut each = |key: &Key, weight: Weight| {
        all.push((key.to_string(), weight.frames, weight.bytes));
        Ok(())
    };
    lists.weigh(&"d/x.scp".into(), &env, &mut each).unwrap();
    let want = [
        ("a", Some(7), Some(8)),
        ("b", Some(9), Some(20)),
        ("c", None, Some(4)),
        ("", None, None),
        ("d", None, None),
    ];
    let want = want.map(|(key, frames, bytes)| (key.to_owned(), frames, bytes));
    assert_eq!(all, want);
}

#[test]
fn lists_belong_to_the_one_file_that_they_point_into() {
    let of = |list: &[u8]| {
        let env = env(&[("x.ark", b"x"), ("y.ark", b"y"), ("x.scp", list)]);
        let lists = FORMAT.lists().unwrap();
        lists.pointing_into(&"x.ark".into(), &env)
    };
    let scp: Vec<Location> = vec!["x.scp".into()];
    assert_eq!(of(b"a x.ark:2\nb x.ark:9[0:5]\n").unwrap(), scp);
    assert!(of(b"a y.ark:2\n").unwrap().is_empty());
    assert!(of(b"no list\n\n").unwrap().is_empty());
    let error = of(b"a x.ark:2\nb y.ark:2\n").unwrap_err().to_string();
    assert!(error.contains("and into other files"), "{error}");
    let lists = FORMAT.lists().unwrap();
    let table = |value: &str| [("table".to_owned(), value.to_owned())];
    assert!(lists.is_list(&"x.scp".into(), &[]));
    assert!(lists.is_list(&"x".into(), &table("scp")));
    assert!(!lists.is_list(&"x.ark".into(), &table("ark")));
}

#[test]
fn an_index_is_compared_with_its_archive() {
    let env = env(&[
        ("x.ark", b"a  [ 1 ]\nb  [ 2 ]\n"),
        ("x.scp", b"a x.ark:2\nc x.ark:5\n"),
    ]);
    let mut all = Vec::new();
    let audit = FORMAT.audit().unwrap();
    let at = "x.ark".into();
    let mut found = |finding: spr_core::format::Finding| {
        all.push(format!("{}: {}", finding.sort, finding.error));
    };
    let mut auditor = audit.begin(Some(&at), &env, &mut found).unwrap();
    for key in ["b", "a"] {
        let utt = Utterance {
            key: key.into(),
            ..Utterance::default()
        };
        auditor.utterance(&utt, None, &mut found);
    }
    let was_read = |key: &Key| [b"a", b"b"].contains(&key.as_bytes().try_into().unwrap());
    auditor.finish(&was_read, &mut found).unwrap();
    let want = [
        "offsets: x.scp:2: utterance c: byte 5 of x.ark follows the key [",
        "index: x.scp: utterance b: is in the archive, but not in its script file",
        "order: utterance a: comes after b; the keys are not sorted",
        "index: x.scp:2: utterance c: is in the script file, but not in its archive",
    ];
    assert_eq!(all, want);
}

#[test]
fn a_directory_knows_what_its_reader_will_say() {
    let env = env(&[
        ("d/utt2spk", b"a a\nb b\n"),
        ("d/spk2utt", b"a a\nb b\n"),
        ("d/text", b"a A\n"),
        ("d/cmvn.scp", b"a c.ark:2\nb c.ark:9\n"),
    ]);
    let mut all = Vec::new();
    let audit = DATA.audit().unwrap();
    assert!(audit.suits(&["spk2utt"]) && !audit.suits(&["text"]));
    let at = "d".into();
    let mut found = |finding: spr_core::format::Finding| {
        all.push(format!("{}: {}", finding.severity.name(), finding.error));
    };
    let auditor = audit.begin(Some(&at), &env, &mut found).unwrap();
    let members: Vec<_> = auditor.members().into_iter().map(|(_, at)| at).collect();
    assert_eq!(members, ["d/cmvn.scp".into()]);
    let error = |file: &str, key: &str| {
        let error = spr_core::Error::unfit("has no line").file(file);
        error.utterance(&key.into())
    };
    assert!(auditor.repeats(&error("d/text", "b")));
    assert!(!auditor.repeats(&error("d/text", "a")) && !auditor.repeats(&error("x.wav", "b")));
    let first = "fault: d/text: utterance b: no line for this utterance of utt2spk";
    assert_eq!(all.first().map(String::as_str), Some(first));
}
