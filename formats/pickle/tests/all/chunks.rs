//! Long utterances that are read in chunks are those that are read whole.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::bytes::{Env, Source};
use spr_core::format::{ChunkSupport, FieldSet, Options, Reader, Request};
use spr_core::model::{Matrix, Rank, Utterance};
use spr_format_pickle::FORMAT;
use spr_testkit::{options, write_memory};

/// More than two chunks of 1 MiB.
const ROWS: usize = 150_000;

fn long(key: &str, rows: usize, labels: bool) -> Utterance {
    let values: Vec<f32> = (0..4 * rows).map(|n| n as f32).collect();
    let ids: Vec<i32> = (0..).take(rows).collect();
    Utterance {
        key: key.into(),
        features: Some(Matrix::from_rows(&values, 4, Rank::Matrix).unwrap()),
        labels: labels.then(|| Matrix::from_rows(&ids, 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    }
}

fn open(bytes: &[u8], layout: &Options, request: Request) -> Box<dyn Reader> {
    let source = Source::from_bytes("x.pkl", bytes.to_vec()).unwrap();
    let opened = request.open(&FORMAT, source, layout, &Env::default());
    opened.unwrap().into_stream().unwrap()
}

/// Each chunk: the key, the first row, the rows and whether it is the last; and the values of all.
type Chunks = (Vec<(String, u64, u64, bool)>, Vec<f32>, Vec<i32>);

fn chunks(mut reader: Box<dyn Reader>) -> Chunks {
    let (mut all, mut values, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    let mut utt = Utterance::default();
    while reader.read(&mut utt).unwrap() {
        let (first, last) = match &utt.chunk {
            Some(chunk) => {
                assert_eq!(chunk.rows, Some(ROWS as u64));
                (chunk.first, chunk.is_last)
            }
            None => (0, true),
        };
        all.push((utt.key.to_string(), first, utt.frames(), last));
        values.extend_from_slice(utt.features.as_ref().unwrap().as_slice().unwrap());
        if let Some(labels) = &utt.labels {
            assert_eq!(labels.rows() as u64, utt.frames());
            ids.extend_from_slice(labels.as_slice().unwrap());
        }
    }
    (all, values, ids)
}

#[test]
fn chunks_together_are_the_whole() {
    // 16 bytes a row: 65536 rows are a chunk.
    for layout in ["dict", "list"] {
        for labels in [false, true] {
            let utts = [long("a", ROWS, labels), long("b", 10, labels)];
            let written = write_memory(&FORMAT, &[("layout", layout)], &utts).unwrap();
            let options = options(&FORMAT, &[("layout", layout)]).unwrap();
            let chunked = Request::all().chunks(ChunkSupport::Any);
            let (parts, values, ids) = chunks(open(&written, &options, chunked));
            let (a, b) = match layout {
                "dict" => ("a", "b"),
                _ => ("utt000000", "utt000001"),
            };
            let expected = [
                (a, 0, 65_536, false),
                (a, 65_536, 65_536, false),
                (a, 131_072, 18_928, true),
                (b, 0, 10, true),
            ];
            let expected =
                expected.map(|(key, first, rows, last)| (key.to_owned(), first, rows, last));
            assert_eq!(parts, expected, "{layout}");
            let (whole, all, all_ids) = chunks(open(&written, &options, Request::all()));
            assert_eq!(whole.len(), 2);
            assert!(values == all && ids == all_ids, "{layout}");
            assert_eq!(ids.len(), if labels { ROWS + 10 } else { 0 });
        }
    }
}

#[test]
fn the_rows_of_joined_utterances_are_chunks_of_one() {
    let written = write_memory(&FORMAT, &[], &[long("a", ROWS, true)]).unwrap();
    for chunked in [ChunkSupport::Counted, ChunkSupport::Any] {
        let request = Request::all().chunks(chunked);
        let (parts, values, ids) = chunks(open(&written, &Options::default(), request));
        let rows: Vec<_> = parts
            .iter()
            .map(|(_, first, rows, last)| (*first, *rows, *last))
            .collect();
        let expected = [
            (0, 65_536, false),
            (65_536, 65_536, false),
            (131_072, 18_928, true),
        ];
        assert_eq!(rows, expected);
        assert_eq!((values[4 * ROWS - 1], ids[ROWS - 1]), (599_999.0, 149_999));
    }
    // Without values the shapes are the same.
    let request = Request::all().headers().chunks(ChunkSupport::Any);
    let mut reader = open(&written, &Options::default(), request);
    let (mut utt, mut frames) = (Utterance::default(), 0);
    while reader.read(&mut utt).unwrap() {
        frames += utt.frames();
        assert_eq!(utt.features.as_ref().unwrap().cols(), 4);
    }
    assert_eq!(frames, ROWS as u64);
}

#[test]
fn labels_alone_may_be_arrays_of_whole_numbers() {
    let ids = Utterance {
        key: "a".into(),
        features: Some(Matrix::from_rows(&[3i32, 1, 2], 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    };
    let written = write_memory(&FORMAT, &[("layout", "dict")], &[ids]).unwrap();
    let layout = options(&FORMAT, &[("layout", "dict")]).unwrap();
    let wanted = FieldSet {
        labels: true,
        ..FieldSet::NONE
    };
    let mut reader = open(&written, &layout, Request::all().parts(wanted));
    let mut utt = Utterance::default();
    assert!(reader.read(&mut utt).unwrap());
    assert_eq!(utt.labels.unwrap().as_slice::<i32>().unwrap(), [3, 1, 2]);
    assert!(utt.features.is_none());
}
