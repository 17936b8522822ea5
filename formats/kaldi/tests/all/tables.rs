//! Tables under Kaldi's names: by key, mapped, in separate files, compressed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use spr_core::bytes::{Access, Env};
use spr_core::model::{Key, Matrix, Rank, Utterance};
use spr_core::{ErrorKind, Limits};
use spr_format_kaldi::{
    RandomAccessTableReader, RandomAccessTableReaderMapped, SequentialTableReader, TableWriter,
};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        fs::write(self.0.path().join(name), bytes).unwrap();
        self.at(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.path().join(name)).unwrap()
    }
}

/// Returns a float matrix whose first value is `n`.
fn matrix(key: &str, n: u16) -> Utterance {
    let values: Vec<f32> = (n..n + 12).map(f32::from).collect();
    Utterance {
        key: key.into(),
        features: Some(Matrix::from_rows(&values, 3, Rank::Matrix).unwrap()),
        ..Utterance::default()
    }
}

fn labels(key: &str, n: i32) -> Utterance {
    Utterance {
        key: key.into(),
        labels: Some(Matrix::from_rows(&[n, n, n], 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    }
}

fn fill(wspecifier: &str, more: &[(&str, &str)], utterances: &[Utterance]) {
    let mut table = TableWriter::open_with(wspecifier, more, Env::default()).unwrap();
    utterances.iter().for_each(|utt| table.write(utt).unwrap());
    table.close().unwrap();
}

/// Returns an environment in which typed commands may run.
fn typed() -> Env {
    Env::new(Limits::default(), Access::Typed, |_| {})
}

fn first(utt: &Utterance) -> f32 {
    match (&utt.features, &utt.labels) {
        (Some(features), _) => match features.as_slice::<f32>() {
            Some(values) => values[0],
            None => panic!("{features:?}"),
        },
        (None, Some(labels)) => {
            f32::from(i16::try_from(labels.as_slice::<i32>().unwrap()[0]).unwrap())
        }
        _ => panic!("holds nothing"),
    }
}

/// Looks up keys in turn: values, `None` for missing ones, or the final error.
fn ask(rspecifier: &str, keys: &[&str]) -> Result<Vec<Option<f32>>, String> {
    let table = RandomAccessTableReader::open_with(rspecifier, &[], typed());
    let mut table = table.map_err(|e| e.to_string())?;
    let mut found = Vec::new();
    for key in keys {
        let key = Key::from(*key);
        let there = table.has_key(&key).map_err(|e| e.to_string())?;
        found.push(there.then(|| first(table.value(&key).unwrap())));
    }
    Ok(found)
}

const UNSORTED: [&str; 4] = ["c", "a", "d", "b"];
const SORTED: [&str; 4] = ["a", "b", "c", "d"];

/// Returns archives of the keys in every form that is skipped without decoding, and in some that
/// are not.
fn archives(folder: &Folder, keys: [&str; 4]) -> Vec<String> {
    let forms: [(&str, &[(&str, &str)]); 6] = [
        ("plain", &[]),
        ("text", &[("text", "true")]),
        ("cm", &[("compress", "2")]),
        ("cm2", &[("compress", "4")]),
        ("cm3", &[("compress", "6")]),
        ("labels", &[]),
    ];
    let mut names = Vec::new();
    for (name, options) in forms {
        let entries = keys.map(|key| match (name, u16::from(key.as_bytes()[0] - b'a')) {
            ("labels", n) => labels(key, 10 * i32::from(n)),
            (_, n) => matrix(key, 10 * n),
        });
        let path = folder.at(name);
        fill(&format!("ark:{path}"), options, &entries);
        names.push(path);
    }
    names
}

#[test]
fn any_order_from_any_archive() {
    let folder = Folder::new();
    for path in archives(&folder, UNSORTED) {
        let asked = ["b", "a", "x", "d", "d", "c", "b", "aa"];
        let want = [10., 0., -1., 30., 30., 20., 10., -1.].map(|v| (v >= 0.0).then_some(v));
        for rspecifier in [
            format!("ark:{path}"),
            format!("ark:cat {path} |"),
            format!("ark,cs:{path}"),
        ] {
            assert_eq!(
                ask(&rspecifier, &asked).as_deref(),
                Ok(&want[..]),
                "{rspecifier}"
            );
        }
        let once = format!("ark,o:{path}");
        assert_eq!(ask(&once, &asked[..6]).as_deref(), Ok(&want[..6]));
        let error = ask(&once, &asked).unwrap_err();
        assert!(
            error.contains("utterance b: asked for twice, but o promises"),
            "{error}"
        );
    }
}

#[test]
fn sorted_archives_stop_early_and_are_checked() {
    let folder = Folder::new();
    for path in archives(&folder, SORTED) {
        for at in [path.clone(), format!("cat {path} |")] {
            let asked = ["aa", "a", "c", "b", "d", "e"];
            let want = [None, Some(0.), Some(20.), Some(10.), Some(30.), None];
            let found = ask(&format!("ark,s:{at}"), &asked);
            assert_eq!(found.as_deref(), Ok(&want[..]), "{at}");
            let error = ask(&format!("ark,s,cs:{at}"), &asked).unwrap_err();
            let expected = "utterance a: asked for after aa, but cs promises sorted order";
            assert!(error.contains(expected), "{error}");
            let found = ask(
                &format!("ark,s,cs,o:{at}"),
                &["a", "a", "bb", "c", "d", "e"],
            );
            let want = [Some(0.), Some(0.), None, Some(20.), Some(30.), None];
            assert_eq!(found.as_deref(), Ok(&want[..]), "{at}");
        }
    }
    let damaged = folder.write("cut", &folder.read("plain")[..100]);
    assert!(ask(&format!("ark,s:{damaged}"), &["a"]).is_ok());
    for path in archives(&folder, UNSORTED) {
        for options in ["s", "s,cs"] {
            let error = ask(&format!("ark,{options}:{path}"), &["d"]).unwrap_err();
            let expected = "the keys are not sorted: it follows c";
            assert!(error.contains(expected), "{error}");
        }
    }
}

#[test]
fn damage_is_never_absence() {
    let folder = Folder::new();
    for path in archives(&folder, UNSORTED) {
        let whole = fs::read(&path).unwrap();
        let cut = folder.write("cut", &whole[..whole.len() - 5]);
        for at in [cut.clone(), format!("cat {cut} |")] {
            let rspecifier = format!("ark:{at}");
            let table = RandomAccessTableReader::open_with(&rspecifier, &[], typed());
            let mut table = table.unwrap();
            assert!(table.has_key(&"a".into()).unwrap());
            let error = table.has_key(&"x".into()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
            assert_eq!(
                ask(&format!("ark,p:{at}"), &["x", "a"]),
                Ok(vec![None, Some(0.)])
            );
        }
        let twice = folder.write("twice", [whole.clone(), whole].concat());
        let error = ask(&format!("ark:{twice}"), &["x"]).unwrap_err();
        assert!(
            error.contains("the key appears twice in the archive"),
            "{error}"
        );
    }
}

#[test]
fn script_files_by_key() {
    let folder = Folder::new();
    let (ark, scp) = (folder.at("x.ark"), folder.at("x.scp"));
    let entries = UNSORTED.map(|key| matrix(key, u16::from(key.as_bytes()[0] - b'a')));
    fill(&format!("ark,scp:{ark},{scp}"), &[], &entries);
    let asked = ["b", "x", "b", "a", "d"];
    let want = [Some(1.), None, Some(1.), Some(0.), Some(3.)];
    for rspecifier in [
        format!("scp:{scp}"),
        format!("scp:cat {scp} |"),
        format!("scp,o,cs:{scp}"),
    ] {
        assert_eq!(
            ask(&rspecifier, &asked).as_deref(),
            Ok(&want[..]),
            "{rspecifier}"
        );
    }
    let error = ask(&format!("scp,s:{scp}"), &["a"]).unwrap_err();
    assert!(
        error.ends_with(":2: utterance a: the keys are not sorted: it follows c"),
        "{error}"
    );
    let lines = String::from_utf8(folder.read("x.scp")).unwrap();
    for (text, expected) in [
        (
            format!("{lines}{lines}"),
            ":6: utterance a: appears twice, before on line 2",
        ),
        (format!("{lines}\n"), ":5: a blank line"),
        (
            format!("{lines}e\n"),
            ":5: utterance e: no file name follows the key",
        ),
    ] {
        let bad = folder.write("bad.scp", text);
        let error = ask(&format!("scp:{bad}"), &["a"]).unwrap_err();
        assert!(error.ends_with(expected), "{error}");
    }
    let bad = folder.write(
        "bad.scp",
        format!("{lines}e /nowhere/e.mat\nf {ark}:2[0:9]\n"),
    );
    let rspecifier = format!("scp:{bad}");
    let mut table = RandomAccessTableReader::open(&rspecifier).unwrap();
    let error = table.has_key(&"e".into()).unwrap_err();
    assert!(error.can_continue() && error.to_string().contains("utterance e: cannot open"));
    assert!(table.has_key(&"f".into()).is_err());
    assert!(table.has_key(&"d".into()).unwrap());
    let found = ask(&format!("scp,p:{bad}"), &["e", "d"]);
    assert_eq!(found, Ok(vec![None, Some(3.)]));
}

#[test]
fn speakers_for_utterances() {
    let folder = Folder::new();
    let ark = folder.at("x.ark");
    fill(
        &format!("ark:{ark}"),
        &[],
        &[matrix("ann", 1), matrix("bob", 2)],
    );
    let map = folder.write("utt2spk", "ann-1 ann\nbob-1 bob\nann-2 ann\neve-1 eve\n");
    let (table, map) = (format!("ark:{ark}"), format!("ark:{map}"));
    let mut mapped = RandomAccessTableReaderMapped::open(&table, &map).unwrap();
    for (key, value) in [("ann-2", 1.0), ("bob-1", 2.0), ("ann-1", 1.0)] {
        assert_eq!(first(mapped.value(&key.into()).unwrap()), value);
    }
    assert!(!mapped.has_key(&"eve-1".into()).unwrap());
    assert!(mapped.has_key(&"ann".into()).is_err());
    let mut plain = RandomAccessTableReaderMapped::open(&table, "").unwrap();
    assert!(plain.has_key(&"ann".into()).unwrap());
    assert!(RandomAccessTableReaderMapped::open(&table, "nothing").is_err());
}

#[test]
fn front_to_back() {
    let folder = Folder::new();
    let scp = folder.write(
        "x.scp",
        format!("a {0}\nx /nowhere\nb {0}\n", folder.at("x.mat")),
    );
    folder.write("x.mat", "[ 1 2\n 3 4 ]\n");
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let ears = heard.clone();
    let env = Env::new(Limits::default(), Access::Typed, move |w| {
        ears.lock().unwrap().push(w.to_string());
    });
    for background in ["", ",bg"] {
        let mut keys = Vec::new();
        let rspecifier = format!("scp,p{background}:{scp}");
        let mut table = SequentialTableReader::open_with(&rspecifier, &[], env.clone()).unwrap();
        while !table.done() {
            keys.push(table.key().to_string());
            table.next().unwrap();
        }
        assert_eq!(keys, ["a", "b"]);
        let heard = std::mem::take(&mut *heard.lock().unwrap());
        assert_eq!(heard.len(), 1);
        assert!(heard[0].contains("utterance x: cannot open"), "{heard:?}");
        let mut table = SequentialTableReader::open(&format!("scp{background}:{scp}")).unwrap();
        assert!(table.next().is_err());
    }
    assert!(SequentialTableReader::open("x.ark").is_err());
    assert!(SequentialTableReader::open("ark:/nowhere").is_err());
    // No command runs without permission.
    let error = SequentialTableReader::open("ark:cat x |").err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
    assert!(TableWriter::open("ark:| cat").is_err());
}

#[test]
fn one_file_an_object() {
    let folder = Folder::new();
    let list = folder.write(
        "list.scp",
        format!("b {}\na {}\n", folder.at("b.mat"), folder.at("a.mat")),
    );
    let entries = [matrix("a", 1), matrix("b", 2)];
    for (options, start) in [("", &b"\0BFM "[..]), (",t", b" [\n  1 ")] {
        fill(&format!("scp{options}:{list}"), &[], &entries);
        assert!(folder.read("a.mat").starts_with(start));
        assert_eq!(
            ask(&format!("scp:{list}"), &["b", "a"]),
            Ok(vec![Some(2.), Some(1.)])
        );
        fs::remove_file(folder.at("a.mat")).unwrap();
        fs::remove_file(folder.at("b.mat")).unwrap();
    }
    fill(&format!("scp:{list}"), &[], &[labels("a", 5)]);
    assert_eq!(folder.read("a.mat").len(), 2 + 4 * 5);
    assert!(!Path::new(&folder.at("b.mat")).exists());

    let mut table = TableWriter::open(&format!("scp:{list}")).unwrap();
    let error = table.write(&matrix("c", 3)).unwrap_err();
    assert!(error.can_continue());
    assert!(
        error
            .to_string()
            .contains("utterance c: no file is named for it in"),
        "{error}"
    );
    table.write(&entries[0]).unwrap();
    let error = table.write(&entries[0]).unwrap_err();
    assert!(
        error.to_string().contains("utterance a: appears twice"),
        "{error}"
    );
    drop(table);
    assert!(
        folder.read("a.mat").starts_with(b"\0B\x04"),
        "nothing was replaced"
    );

    let mut table = TableWriter::open(&format!("scp,p:{list}")).unwrap();
    table.write(&matrix("c", 3)).unwrap();
    assert_eq!(table.close().unwrap().utterances, 0);
}

#[test]
fn lists_that_can_t_be_written_to() {
    let folder = Folder::new();
    let x = folder.at("x");
    for (lines, expected) in [
        (
            format!("a {x}\nb {x}2\na {x}3\n"),
            ":3: utterance a: appears twice, before on line 1",
        ),
        (format!("a {x}\nb {x}\n"), ":2: utterance b: "),
        (format!("a {x}:7\n"), ":1: utterance a: "),
        (format!("a {x}\n\n"), ":2: a blank line"),
        (format!("a cat {x} |\n"), ":1: utterance a: "),
        (
            format!("a {x}\nb | cat > {x}2\n"),
            ":2: utterance b: refused to run the command 'cat > ",
        ),
    ] {
        let list = folder.write("list.scp", lines);
        let Err(error) = TableWriter::open(&format!("scp:{list}")) else {
            panic!("{expected}");
        };
        assert!(error.to_string().contains(expected), "{error}");
    }
    let list = folder.write("list.scp", format!("a | cat > {x}\n"));
    let env = Env::new(Limits::default(), Access::Files, |_| {});
    let mut table = TableWriter::open_with(&format!("scp:{list}"), &[], env).unwrap();
    table.write(&matrix("a", 1)).unwrap();
    table.close().unwrap();
    assert!(folder.read("x").starts_with(b"\0BFM "));
    assert!(TableWriter::open(&format!("scp:{}", folder.at("missing"))).is_err());
}

#[test]
fn compressed_as_kaldi_does_it() {
    let values: Vec<f32> = [0.5, -1.25, 3.0, 100.0, 0.0, 7.5, -0.125, 2.0, 9.0, 1.0].repeat(2);
    let utt = |values: &[f32], cols| Utterance {
        key: "a".into(),
        features: Some(Matrix::from_rows(values, cols, Rank::Matrix).unwrap()),
        ..Utterance::default()
    };
    let folder = Folder::new();
    let (ark, wspecifier) = (folder.at("x.ark"), format!("ark:{}", folder.at("x.ark")));
    let stored = |method: &str, utt: &Utterance| {
        fill(
            &wspecifier,
            &[("compress", method)],
            std::slice::from_ref(utt),
        );
        folder.read("x.ark")[4..].to_vec()
    };
    // Ten rows of two columns, encoded by Kaldi's own code.
    for (method, bytes) in KALDI {
        assert_eq!(
            stored(method, &utt(&values, 2)),
            unhex(bytes),
            "method {method}"
        );
    }
    assert_eq!(
        stored("auto", &utt(&values, 2)),
        stored("2", &utt(&values, 2))
    );
    assert_eq!(stored("1", &utt(&values, 5)), stored("3", &utt(&values, 5)));
    // An empty matrix is stored plain.
    assert_eq!(stored("2", &utt(&[], 0)), b"FM \x04\0\0\0\0\x04\0\0\0\0");

    for wrong in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        for method in ["1", "2", "3", "5"] {
            let options = [("compress", method)];
            let mut table = TableWriter::open_with(&wspecifier, &options, Env::default()).unwrap();
            let error = table.write(&utt(&[wrong, 1.0], 2)).unwrap_err();
            assert!(error.can_continue(), "{error}");
            assert!(error.to_string().contains("can't be compressed"), "{error}");
        }
        assert_eq!(stored("6", &utt(&[wrong, 1.0], 2)).len(), 4 + 16 + 2);
    }
    // Text contains the loss.
    fill(
        &format!("ark,t:{ark}"),
        &[("compress", "6")],
        &[utt(&[0.2, 254.7, 300.0, 7.0], 2)],
    );
    assert_eq!(folder.read("x.ark"), b"a  [\n  0 255 \n  255 7 ]\n");
    // Other numbers are not methods.
    let eight = [("compress", "8")];
    assert!(TableWriter::open_with(&wspecifier, &eight, Env::default()).is_err());
}

/// The compressed form from the token on, by number of the method.
const KALDI: [(&str, &str); 6] = [
    (
        "2",
        "434d200000a0bf0080ca420a00000002000000d8022903bf0aea190000b0052016ffff55c04000ff55c0\
      4000ff00ffc0544000ffc05440",
    ),
    (
        "3",
        "434d32200000a0bf0080ca420a000000020000006d040000bf0affff29032016d8023808ea19b0056d04\
      0000bf0affff29032016d8023808ea19b005",
    ),
    (
        "4",
        "434d3220000000c700ff7f470a000000020000000080ff7f038064800080078000800280098001800080\
      ff7f03806480008007800080028009800180",
    ),
    (
        "5",
        "434d33200000a0bf0080ca420a0000000200000004000bff031603081a0604000bff031603081a06",
    ),
    (
        "6",
        "434d33200000000000007f430a000000020000000000036400070002090100000364000700020901",
    ),
    (
        "7",
        "434d3320000000000000803f0a000000020000007f00ffff00ff00ffffff7f00ffff00ff00ffffff",
    ),
];

fn unhex(text: &str) -> Vec<u8> {
    text.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

#[test]
fn stored_bytes_pass_through() {
    let folder = Folder::new();
    let (a, b) = (folder.at("a.ark"), folder.at("b.ark"));
    let utterances = [matrix("a", 1), matrix("b", 2), matrix("c", 3)];
    let keep = [("compress", "keep")];
    for method in ["2", "3", "4", "5", "6", "7"] {
        fill(&format!("ark:{a}"), &[("compress", method)], &utterances);
        let mut table =
            SequentialTableReader::open_with(&format!("ark:{a}"), &keep, Env::default()).unwrap();
        let mut out = TableWriter::open_with(&format!("ark:{b}"), &keep, Env::default()).unwrap();
        let mut plain = TableWriter::open(&format!("ark:{b}2")).unwrap();
        while !table.done() {
            out.write(table.value()).unwrap();
            assert!(
                plain.write(table.value()).is_err(),
                "a tag is not part of a plain table"
            );
            table.next().unwrap();
        }
        // Changed features are not written in their stored form.
        let mut changed = table.value().clone();
        changed.key = "d".into();
        changed.features = matrix("d", 7).features;
        out.write(&changed).unwrap();
        out.close().unwrap();
        let (before, after) = (folder.read("a.ark"), folder.read("b.ark"));
        assert!(after.starts_with(&before), "method {method}");
        assert!(
            after[before.len()..].starts_with(b"d \0BFM "),
            "method {method}"
        );
    }
}
