//! Writing, and reading back.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use crate::common;

use std::io::{self, Write};

use common::*;
use proptest::prelude::*;
use spr_core::ErrorKind;
use spr_core::bytes::{Env, Finish, Locator, Output};
use spr_core::format::{Format, Keys, Medium};
use spr_core::model::{About, Decimal, Matrix, Rank, Utterance};
use spr_format_pfile::FORMAT;
use spr_testkit::{Suite, suite};

#[test]
fn behaves_like_every_format() {
    suite(&Suite {
        options: &[&[], &[("keys", "none")], &[("byteorder", "big")]],
        ..Suite::new(&FORMAT)
    });
}

#[test]
fn writes_the_canonical_bytes() {
    let (main, side) = write(&utterances());
    assert!(main == small());
    assert_eq!(side, "utt000000 2\nutt000001 1\n");
}

#[test]
fn an_empty_data_set_reads_back() {
    let (main, side) = write(&[]);
    assert_eq!((main.len(), side.as_str()), (32768 + 4, ""));
    assert!(
        main.starts_with(b"-pfile_header version 0 size 32768\n-num_sentences 0\n-num_frames 0\n")
    );
    assert_eq!(read(main.clone()).unwrap(), []);
    assert_eq!(read_pipe(main).unwrap(), []);
}

#[test]
fn refuses_what_it_cannot_hold_and_goes_on() {
    let good = utterances();
    let features = (&[1.0f32, 2.0][..], 2);
    let labels = (&[1i32][..], 1);
    let with = |change: &dyn Fn(&mut Utterance)| {
        let mut utt = utt("bad", Some(features), Some(labels));
        change(&mut utt);
        utt
    };
    let matrix = |cols, rank| Matrix::from_rows(&[1.0f32, 2.0], cols, rank).unwrap();
    let bad: Vec<(Utterance, &str)> = vec![
        (
            with(&|u| u.features = None),
            "0 features and 1 labels per frame, the utterances before it have 2 and 1",
        ),
        (
            with(&|u| u.labels = None),
            "2 features and 0 labels per frame, the utterances before it have 2 and 1",
        ),
        (
            with(&|u| u.features = Some(matrix(1, Rank::Vector))),
            "has features that are not a matrix, which the format can't hold",
        ),
        (
            with(&|u| u.features = Some(matrix(1, Rank::Matrix))),
            "2 frames of features, but labels for 1",
        ),
        (
            with(&|u| {
                u.features = Some(Matrix::from_rows(&[1.0f64, 2.0], 2, Rank::Matrix).unwrap())
            }),
            "has features of f64, which the format can't hold",
        ),
        (
            with(&|u| u.labels = Some(Matrix::from_rows(&[1i64], 1, Rank::Vector).unwrap())),
            "has labels of i64, which the format can't hold",
        ),
        (
            with(&|u| u.labels = Some(Matrix::from_rows(&[1i32, 2], 2, Rank::Matrix).unwrap())),
            "2 features and 2 labels per frame, the utterances before it have 2 and 1",
        ),
        (
            utt("bad", Some((&[], 0)), None),
            "has no frames, which the format can't hold",
        ),
        (
            Utterance {
                key: "bad".into(),
                ..Utterance::default()
            },
            "has nothing that the format can hold",
        ),
        (
            with(&|u| u.meta.frame_shift = Decimal::parse("0.01")),
            "has a frame shift, which the format can't hold",
        ),
        (
            with(&|u| u.key = "a b".into()),
            "the key holds byte 0x20, which the format can't hold",
        ),
        (
            with(&|u| u.key = "".into()),
            "the key is empty, which the format can't hold",
        ),
    ];
    let (mut writer, output, files) = writer(&[], &Env::default());
    writer.write(&good[0]).unwrap();
    for (utt, message) in bad {
        let error = writer.write(&utt).unwrap_err();
        assert_eq!(error.message(), message);
        assert_eq!(
            (error.kind(), error.can_continue()),
            (ErrorKind::Unfit, true)
        );
        assert_eq!(error.key(), Some(&utt.key));
    }
    writer.write(&good[1]).unwrap();
    writer.finish().unwrap();
    output.commit().unwrap();
    assert!(files.get("memory").unwrap() == small());
}

#[test]
fn a_matrix_of_no_columns_is_refused() {
    let mut none = Matrix::default();
    none.reset(
        spr_core::model::Dtype::I32,
        Rank::Matrix,
        1,
        0,
        &spr_core::Limits::default(),
    )
    .unwrap();
    let (mut writer, ..) = writer(&[], &Env::default());
    let mut utt = utt("u", Some((&[1.0], 1)), None);
    utt.labels = Some(none);
    assert_eq!(
        writer.write(&utt).unwrap_err().message(),
        "has 0 labels per frame, which the format can't hold"
    );
}

#[test]
fn the_widest_header_is_full_and_reads_back() {
    let widest = 32_400;
    let values: Vec<f32> = (0..widest).map(|v| v as f32).collect();
    let utt = |n: usize| utt("wide", Some((&values[..n], n)), Some((&[3], 1)));
    let (mut writer, ..) = writer(&[], &Env::default());
    let error = writer.write(&utt(widest)).unwrap_err();
    assert_eq!(
        error.message(),
        "32401 columns, the header has room for 32400"
    );
    let wide = utt(widest - 1);
    let (main, _) = write(std::slice::from_ref(&wide));
    let found = read(main).unwrap();
    assert_eq!(
        (&found[0].features, &found[0].labels),
        (&wide.features, &wide.labels)
    );
}

#[test]
fn warns_once_unless_there_is_one_label() {
    for (labels, heard_of) in [(0, 1), (1, 0), (2, 1)] {
        let (env, heard) = listening();
        let (mut writer, ..) = writer(&[], &env);
        let values = [5; 2];
        for key in ["a", "b"] {
            let labels = (labels > 0).then_some((&values[..labels], labels));
            writer.write(&utt(key, Some((&[1.0], 1)), labels)).unwrap();
        }
        let heard = heard.lock().unwrap();
        assert_eq!(heard.len(), heard_of);
        if let Some(text) = heard.first() {
            assert_eq!(
                *text,
                format!("memory: {labels} labels per frame; PDNN reads exactly one label column")
            );
        }
    }
}

#[test]
fn names_go_where_the_option_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pfile.gz");
    let names = folder.path().join("names");
    let side = folder.path().join("a.pfile.gz.utt2num_frames");
    let mut utts = utterances();
    utts[0].key = "A-03".into();
    utts[1].key = "B-04".into();
    let write = |pairs: &[(&str, &str)]| {
        let env = Env::default();
        let output = env.output(&Locator::file(&path)).overwrite(true);
        let mut writer = FORMAT
            .create(output.clone(), &options(pairs), &About::default(), &env)
            .unwrap();
        utts.iter().for_each(|utt| writer.write(utt).unwrap());
        writer.finish().unwrap();
        output.commit().unwrap();
    };
    let read = |pairs: &[_]| read_file(&path, pairs).unwrap();
    write(&[]);
    assert_eq!(read(&[]), utts);
    let there = [("keys", names.to_str().unwrap())];
    write(&there);
    assert_eq!(read(&there), utts);
    write(&[("keys", "none")]);
    assert!(!side.exists());
    assert_eq!(read(&[]), utterances());
}

#[test]
fn caps_follow_place_and_options() {
    let keys = |pairs: &[_], medium| FORMAT.caps(&options(pairs), medium).unwrap().keys;
    assert_eq!(keys(&[], Medium::File), Keys::SideFile);
    assert_eq!(keys(&[], Medium::Stream), Keys::None);
    assert_eq!(keys(&[("keys", "none")], Medium::File), Keys::None);
    assert_eq!(keys(&[("keys", "names")], Medium::Stream), Keys::SideFile);
    let little = options(&[("byteorder", "little")]);
    assert_eq!(
        FORMAT.caps(&little, Medium::File).unwrap_err().kind(),
        ErrorKind::Usage
    );
    let output = Env::default().output(&Locator::Nowhere);
    assert!(
        FORMAT
            .create(output, &little, &About::default(), &Env::default())
            .is_err()
    );
}

/// A sink that fails after a number of bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 < bytes.len() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Finish for Full {
    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let run = |room| {
        let output = Output::stream("full", Box::new(Full(room)));
        let mut writer =
            FORMAT.create(output, &options(&[]), &About::default(), &Env::default())?;
        utterances().iter().try_for_each(|utt| writer.write(utt))?;
        writer.finish()
    };
    assert_eq!(run(1 << 20).unwrap().bytes, 32840);
    for room in [0, 32767, 32839] {
        let error = run(room).unwrap_err();
        assert_eq!(
            (error.kind(), error.file_name()),
            (ErrorKind::Io, Some("full"))
        );
    }
}

/// Generates data sets for a PFile, some larger than a block.
fn data_sets() -> impl Strategy<Value = Vec<Utterance>> {
    let shape = (0usize..5, 0usize..4).prop_filter("something", |(f, l)| f + l > 0);
    (
        shape,
        prop::collection::vec((1usize..6, any::<bool>()), 1..8),
        any::<u32>(),
    )
        .prop_map(|((f, l), lengths, seed)| {
            let mut state = seed;
            let mut next = move || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state
            };
            let mut all = Vec::new();
            for (n, (len, long)) in lengths.into_iter().enumerate() {
                let rows = if long { len * 8191 } else { len };
                let features: Vec<f32> = (0..rows * f).map(|_| f32::from_bits(next())).collect();
                let labels: Vec<i32> = (0..rows * l).map(|_| next().cast_signed()).collect();
                all.push(utt(
                    &format!("utt{n:06}"),
                    (f > 0).then_some((&features, f)),
                    (l > 0).then_some((&labels, l)),
                ));
            }
            all
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn everything_reads_back(utts in data_sets()) {
        let (main, _) = write(&utts);
        prop_assert!(read(main.clone()).unwrap() == utts);
        prop_assert!(read_pipe(main).unwrap() == utts);
    }

    #[test]
    fn any_header_text_is_an_error_or_data(text in "[-a-z_ 0-9\n]{0,60}", at in 1usize..250) {
        let mut bytes = short_header();
        let end = (at + text.len()).min(512);
        bytes.splice(at..end, text.bytes());
        bytes.truncate(512 + 15 * 4 + 12);
        match read(bytes) {
            Ok(found) => prop_assert_eq!(found.len(), 2),
            Err(error) => prop_assert_eq!(error.file_name(), Some("x.pfile")),
        }
    }
}
