//! Pickles with one entry per utterance, and the options that select among the contents of a
//! pickle.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use spr_core::bytes::{Access, Env, Locator, Source};
use spr_core::format::{Format, Medium, Options, Request};
use spr_core::model::{About, Key, Matrix, Rank, Utterance};
use spr_core::{Error, Limits};
use spr_format_pickle::FORMAT;
use spr_testkit::{compare_all, read, read_memory, write, write_memory};

fn fixture(case: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/pickle");
    folder.join(case).join("input.pkl")
}

fn keys(utts: &[Utterance]) -> Vec<String> {
    utts.iter().map(|utt| utt.key.to_string()).collect()
}

fn utterance(key: &[u8], rows: usize, cols: usize, labels: bool) -> Utterance {
    let values: Vec<f32> = (0u8..).map(f32::from).take(rows * cols).collect();
    let mut features = Matrix::from_rows(&values, cols, Rank::Matrix).unwrap();
    features.reshape(Rank::Matrix, rows, cols).unwrap();
    let ids: Vec<i32> = (0..).take(rows).collect();
    Utterance {
        key: Key::from(key),
        features: Some(features),
        labels: labels.then(|| Matrix::from_rows(&ids, 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    }
}

fn error(case: &str, options: &[(&str, &str)]) -> Error {
    read(&FORMAT, options, &fixture(case)).unwrap_err()
}

#[test]
fn a_set_is_picked_by_name_or_place() {
    for (case, split, key) in [
        ("here-sets", "valid", "valid"),
        ("here-sets", "set2", "test"),
        ("here-sets-two", "set1", "set1"),
        ("here-dict-pairs-p2", "één", "één"),
        ("here-dict-mixed-sets", "set0", "ann"),
        ("here-list-p2", "set2", "utt000000"),
    ] {
        let path = match case {
            "here-dict-mixed-sets" => fixture("refused/dict-mixed"),
            case => fixture(case),
        };
        let utts = read(&FORMAT, &[("split", split)], &path).unwrap();
        assert_eq!(keys(&utts), [key], "{case}");
    }
    let error = error("here-sets", &[("split", "dev")]);
    assert!(
        error
            .to_string()
            .ends_with("split=dev: no entry has this name")
    );
    assert_eq!(
        error.hint_text().as_deref(),
        Some("it has: train, valid, test")
    );
    let error = self::error("here-gz/../here-long-p2", &[("split", "train")]);
    assert!(
        error.to_string().contains("nothing to pick from"),
        "{error}"
    );
}

#[test]
fn the_layout_decides_where_two_fit() {
    let either = "refused/list-either";
    let error = error(either, &[]);
    assert_eq!(
        error.hint_text().as_deref(),
        Some("layout=list or layout=pdnn decides")
    );
    let utts = read(&FORMAT, &[("layout", "list")], &fixture(either)).unwrap();
    assert_eq!(keys(&utts), ["utt000000", "utt000001"]);
    let utts = read(&FORMAT, &[("layout", "pdnn")], &fixture(either)).unwrap();
    assert_eq!(utts.len(), 1);
    assert!(utts[0].labels.is_some());
    for (case, layout) in [
        ("here-dict-p2", "list"),
        ("here-list-p2", "dict"),
        ("here-named-array", "list"),
        ("here-sets", "pdnn"),
    ] {
        let error = self::error(case, &[("layout", layout)]);
        let want = format!("which is not a data set of layout={layout}");
        assert!(error.to_string().ends_with(&want), "{error}");
    }
}

/// Returns the warnings about a fixture, and the keys read from it.
fn said(case: &str, options: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = said.clone();
    let env = Env::new(Limits::default(), Access::Safe, move |warning| {
        heard.lock().unwrap().push(warning.message().to_owned());
    });
    let source = env.open(&Locator::file(fixture(case))).unwrap();
    let pairs = options
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    let options = Options::new(FORMAT.info(), pairs).unwrap();
    let opened = Request::all()
        .open(&FORMAT, source, &options, &env)
        .unwrap();
    let mut reader = opened.into_stream().unwrap();
    let (mut keys, mut utt) = (Vec::new(), Utterance::default());
    while reader.read(&mut utt).unwrap() {
        keys.push(utt.key.to_string());
    }
    let said = said.lock().unwrap().clone();
    (keys, said)
}

#[test]
fn guesses_are_told_and_the_layout_makes_them_none() {
    let (one, five) = (
        ["utt000000"],
        [
            "utt000000",
            "utt000001",
            "utt000002",
            "utt000003",
            "utt000004",
        ],
    );
    let rows = "5 arrays of one dimension, of one type and length, are taken as the rows of a matrix; \
                layout=list reads each as an utterance";
    let more = "beside features and labels a dict has batch_label, filenames: left out";
    let both = "a dict of features and labels is taken as one set; layout=dict reads each as an \
                utterance";
    for (case, layout, keys, want) in [
        ("here-rows-arrays-p2", None, &one[..], Some(rows)),
        ("here-rows-arrays-p2", Some("pdnn"), &one, None),
        ("here-rows-arrays-p2", Some("list"), &five, None),
        ("here-rows-lists-p2", None, &one, None),
        ("here-rows-lists-p2", Some("list"), &five[..2], None),
        ("here-list-vectors", None, &five[..3], None),
        ("here-rows-side-file", None, &["a", "b", "c"], None),
        ("here-set-data", None, &one, None),
        ("here-set-columns", None, &one, Some(both)),
        ("here-set-columns", Some("pdnn"), &one, None),
        ("here-set-columns", Some("dict"), &["data", "labels"], None),
        ("here-set-more", None, &one, Some(more)),
    ] {
        let options = layout.map(|layout| ("layout", layout));
        let (found, said) = said(case, options.as_slice());
        assert_eq!(found, keys, "{case} {layout:?}");
        assert_eq!(said, Vec::from_iter(want), "{case} {layout:?}");
    }
}

#[test]
fn names_that_are_there_need_no_side_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pkl");
    let utts = [
        utterance(b"a b", 2, 3, true),
        utterance(b"\xe9", 1, 2, false),
    ];
    write(&FORMAT, &[("layout", "dict")], &utts, &path).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let back = read(&FORMAT, &[], &path).unwrap();
    compare_all(&utts, &back, true, false).unwrap();
    let error = read(&FORMAT, &[("keys", "Cargo.toml")], &path).unwrap_err();
    assert!(error.to_string().contains("names in the pickle"), "{error}");
}

#[test]
fn a_dict_holds_one_of_a_name() {
    let twice = [utterance(b"a", 1, 1, false), utterance(b"a", 2, 1, false)];
    let error = write_memory(&FORMAT, &[("layout", "dict")], &twice).unwrap_err();
    assert!(
        error.to_string().contains("utterance a: comes twice"),
        "{error}"
    );
    write_memory(&FORMAT, &[("layout", "list")], &twice).unwrap();
    let long = [utterance(&[b'a'; 2000], 1, 1, false)];
    let error = write_memory(&FORMAT, &[("layout", "dict")], &long).unwrap_err();
    assert!(error.to_string().contains("a name too long"), "{error}");
}

#[test]
fn names_survive_every_protocol() {
    let names: [&[u8]; 7] = [
        b"",
        b"plain",
        b"back\\slash\n\r\0\x1a",
        "é Ж 😀".as_bytes(),
        b"\xff\\u0041",
        &[1; 170],
        &[0x80; 170],
    ];
    let utts = names.map(|name| utterance(name, 1, 1, false));
    for protocol in ["0", "1", "2", "3", "4", "5"] {
        let options = [("layout", "dict"), ("protocol", protocol)];
        let bytes = write_memory(&FORMAT, &options, &utts).unwrap();
        let back = read_memory(&FORMAT, &[], &bytes).unwrap();
        compare_all(&utts, &back, true, false).unwrap_or_else(|e| panic!("{protocol}: {e}"));
    }
}

#[test]
fn what_arrays_share_is_spelled_once() {
    let utts: Vec<_> = (0..100u8)
        .map(|n| utterance(&[b'a', n], 1, 1, true))
        .collect();
    let bytes = write_memory(&FORMAT, &[("layout", "dict")], &utts).unwrap();
    let count = |word: &[u8]| bytes.windows(word.len()).filter(|w| *w == word).count();
    for word in [&b"_reconstruct\n"[..], b"ndarray\n", b"encode\n", b"latin1"] {
        assert_eq!(count(word), 1, "{}", word.escape_ascii());
    }
    assert_eq!(count(b"dtype\n"), 2);
    assert_eq!(bytes[..2], [0x80, 2]);
}

#[test]
fn options_for_reading_are_no_options_for_writing() {
    for (pairs, want) in [
        (&[("split", "train")][..], "option split: it is for reading"),
        (
            &[("layout", "dict"), ("keys", "x")],
            "option keys=x: a dict holds the names itself",
        ),
        (&[("layout", "tuple")], "'tuple' is not a valid value"),
    ] {
        let options = spr_testkit::options(&FORMAT, pairs).unwrap();
        let env = Env::default();
        let errors = [
            FORMAT.caps(&options, Medium::File).map(drop),
            FORMAT
                .create(
                    env.output(&Locator::Nowhere),
                    &options,
                    &About::default(),
                    &env,
                )
                .map(drop),
        ];
        for error in errors {
            let error = error.unwrap_err().to_string();
            assert!(error.contains(want), "{error}");
        }
    }
}

/// Many names of one array take memory only for the names.
#[test]
fn an_array_of_many_names_is_kept_once() {
    let array = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR\
        (I1\n(I900\ntcnumpy\ndtype\n(S'i1'\nI0\nI1\ntR(I3\nS'|'\nNNNI-1\nI-1\nI0\ntbI00\nS'";
    let list = |times: usize| {
        let more = b"g1\na".repeat(times);
        let start = [&b"(lp0\n"[..], array, &[b'a'; 900], b"'\ntbp1\na"];
        [start.concat(), more, b".".to_vec()].concat()
    };
    for (layout, utterances, want) in [
        (
            &[("layout", "list")][..],
            50_001,
            "beside the arrays take more than",
        ),
        (&[], 1, "some are named again and again"),
    ] {
        let source = Source::from_bytes("x", list(50_000)).unwrap();
        let options = spr_testkit::options(&FORMAT, layout).unwrap();
        let opened = Request::all().open(&FORMAT, source, &options, &Env::default());
        let reader = opened.unwrap().into_stream().unwrap();
        assert_eq!(reader.info().utterances, Some(utterances));
        let error = read_memory(&FORMAT, layout, &list(2_000_000)).unwrap_err();
        assert!(error.to_string().contains(want), "{error}");
    }
}

/// The output of NumPy 2 with Python 3 for `[numpy.float16(1.5), numpy.float16(-2)]`.
#[test]
fn single_values_of_half_precision_are_numbers() {
    let bytes = b"(lp0\ncnumpy._core.multiarray\nscalar\np1\n(cnumpy\ndtype\np2\n(Vf2\np3\nI00\nI01\ntp4\nRp5\n\
        (I3\nV<\np6\nNNNI-1\nI-1\nI0\ntp7\nbc_codecs\nencode\np8\n(V\\u0000>\np9\nVlatin1\np10\ntp11\nRp12\n\
        tp13\nRp14\nag1\n(g5\ng8\n(V\\u0000\xc0\np15\ng10\ntp16\nRp17\ntp18\nRp19\na.";
    let utts = read_memory(&FORMAT, &[], bytes).unwrap();
    let features = utts[0].features.as_ref().unwrap();
    assert_eq!(features.values::<f64>().unwrap(), [1.5, -2.0]);
}
