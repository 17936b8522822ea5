//! What HDF5 has no place for, layouts that are asked for, and lookup by key.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use spr_core::bytes::{Env, Locator, MemoryStore};
use spr_core::format::{Format, OpenedDataset, Options, Probe, Request, Score, create};
use spr_core::model::{About, Matrix, Rank, Utterance};
use spr_core::{ErrorKind, Remedy, Result};
use spr_format_hdf5::FORMAT;
use spr_testkit::{options, read};

fn utterance(key: &str) -> Utterance {
    Utterance {
        key: key.into(),
        features: Some(Matrix::from_rows(&[1.0f32, 2.0], 2, Rank::Matrix).unwrap()),
        ..Utterance::default()
    }
}

fn fixture(case: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hdf5");
    folder.join(case).join("input.h5")
}

#[test]
fn what_would_not_come_back_is_refused_and_the_next_is_written() {
    let env = Env::default().with_store(Arc::new(MemoryStore::new()));
    let output = env.output(&Locator::file("out.h5"));
    let (about, plain) = (About::default(), Options::default());
    let mut writer = create(&FORMAT, output.clone(), &plain, &about, &env).unwrap();
    type Change = fn(&mut Utterance);
    let cases: [(Change, &str); 8] = [
        (
            |utt| utt.key = "a\0b".into(),
            "the key has a zero byte, where HDF5 ends a name",
        ),
        (
            |utt| utt.key = "/".repeat(64).as_str().into(),
            "the key has 64 slashes, the most are 63",
        ),
        (
            |utt| utt.text = Some(b"a\0".to_vec()),
            "the text has a zero byte, where HDF5 ends a text",
        ),
        (
            |utt| utt.meta.speaker = Some("a\0".into()),
            "a name has a zero byte, where HDF5 ends a text",
        ),
        (
            |utt| utt.key = "first".into(),
            "a second utterance with this key",
        ),
        (
            |utt| utt.key = "first/more".into(),
            "a part of the path 'first/more' would be both a dataset and a group",
        ),
        (
            |utt| utt.key = "deep".into(),
            "a part of the path 'deep' would be both a dataset and a group",
        ),
        (
            |utt| utt.key = b"\xff"[..].into(),
            "the key is not UTF-8, which the format can't hold",
        ),
    ];
    for key in ["first", "deep/er"] {
        writer.write(&utterance(key)).unwrap();
    }
    for (change, message) in cases {
        let mut utt = utterance("x");
        change(&mut utt);
        let accepted = writer.accept(&utt).unwrap_err();
        let written = writer.write(&utt).unwrap_err();
        for error in [accepted, written] {
            assert_eq!((error.message(), error.key()), (message, Some(&utt.key)));
            assert!(error.can_continue());
            let twice = message.starts_with("a second");
            assert_eq!(error.remedy() == Some(&Remedy::KeepOnlyOne), twice);
        }
    }
    writer.accept(&utterance("last")).unwrap();
    writer.write(&utterance("last")).unwrap();
    assert_eq!(writer.finish().unwrap().utterances, 3);
    output.commit().unwrap();
    let source = env.open_file(&"out.h5".into()).unwrap();
    let opened = Request::all().open(&FORMAT, source, &plain, &env).unwrap();
    let utts: Result<Vec<_>> = opened.into_stream().unwrap().into_iter().collect();
    assert_eq!(utts.unwrap(), ["first", "deep/er", "last"].map(utterance));
}

fn keys(case: &str, layout: &str) -> Result<String> {
    let layout = [("layout", layout)];
    let layout = if layout[0].1.is_empty() {
        &[][..]
    } else {
        &layout
    };
    let utts = read(&FORMAT, layout, &fixture(case))?;
    let keys: Vec<_> = utts.iter().map(|utt| utt.key.to_string()).collect();
    Ok(keys.join(" "))
}

#[test]
fn the_layout_that_is_asked_for_is_taken() {
    for (case, layout, expected) in [
        ("field-groups", "", "u0 u1 u2"),
        (
            "field-groups",
            "paths",
            "features/u0 features/u1 features/u2 labels/u0 labels/u1 labels/u2",
        ),
        ("field-groups", "fields", "u0 u1 u2"),
        ("utterance-groups", "", "u0 u1"),
        ("utterance-groups", "utterances", "u0 u1"),
        ("lengths-alone", "rows", "utt000000 utt000001"),
        ("lengths-alone", "paths", "feats lengths"),
    ] {
        assert_eq!(keys(case, layout).unwrap(), expected, "{case} {layout}");
    }
    let error = keys("shapes", "rows").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(
        error.message(),
        "has no lengths, offsets or keys that tell utterances apart"
    );
    let error = keys("shapes", "columns").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    let known = "known: paths, fields, utterances, rows";
    assert_eq!(error.hint_text().unwrap(), known);
    let rows = options(&FORMAT, &[("layout", "rows")]).unwrap();
    let env = Env::default();
    let output = env.output(&Locator::Nowhere);
    let error = create(&FORMAT, output, &rows, &About::default(), &env);
    let message = "option layout: it is for reading";
    assert_eq!(error.err().unwrap().message(), message);
}

#[test]
fn attributes_that_are_not_read_are_told_once() {
    let (env, heard) = spr_testkit::listening(&Env::default());
    let source = env.open_file(&fixture("attributes").into()).unwrap();
    let plain = Options::default();
    let opened = Request::all().open(&FORMAT, source, &plain, &env).unwrap();
    assert_eq!(opened.into_stream().unwrap().into_iter().count(), 4);
    let heard = heard.lock().unwrap();
    let [one] = &heard[..] else {
        panic!("{heard:?}")
    };
    assert!(
        one.ends_with("input.h5: the attribute 'list' is not read"),
        "{one}"
    );
}

#[test]
fn utterances_are_found_in_any_order() {
    let env = Env::default();
    let source = env.open_file(&fixture("rows-f2").into()).unwrap();
    let lookup = Request::all().lookup();
    let opened = lookup.open(&FORMAT, source, &Options::default(), &env);
    let OpenedDataset::Table(mut table) = opened.unwrap() else {
        panic!("a stream")
    };
    assert_eq!(table.keys().unwrap(), ["ann", "bob", "eve"].map(Into::into));
    let all = read(&FORMAT, &[], &fixture("rows-f2")).unwrap();
    let mut utt = Utterance::default();
    for n in [2, 0, 2, 1] {
        assert!(table.find(&all[n].key, &mut utt).unwrap());
        assert_eq!(utt, all[n]);
    }
    assert!(!table.find(&"joe".into(), &mut utt).unwrap());
    assert_eq!(table.find_twice().unwrap(), None);
}

#[test]
fn a_file_is_known_by_its_magic_or_its_name() {
    let block = [vec![b'x'; 512], b"\x89HDF\r\n\x1a\n".to_vec()].concat();
    for (head, path, score) in [
        (&b"\x89HDF\r\n\x1a\nrest"[..], "a", Score::Certain),
        // Behind a block of something else, whose size is a power of two from 512 on.
        (&block, "a", Score::Certain),
        (&block[1..], "a.txt", Score::No),
        (&block[1..], "a.h5", Score::NameOnly),
        (b"", "a.h5", Score::No),
    ] {
        let probe = Probe {
            head,
            whole: false,
            len: None,
            path: Some(Path::new(path)),
        };
        assert_eq!(FORMAT.probe(&probe), score, "{path}");
    }
}
