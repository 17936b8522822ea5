//! Files that are read, files that are rejected, and the messages.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use crate::common;

use std::io::Cursor;

use common::*;
use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::{Format, Probe, Score};
use spr_core::model::{Dtype, KeySource, Rank, Utterance};
use spr_core::{ErrorKind, Limits};
use spr_format_pfile::FORMAT;

#[test]
fn a_small_file() {
    let source = Source::from_bytes("x.pfile", small()).unwrap();
    let mut reader = open(source, &[]).unwrap();
    let info = reader.info().clone();
    assert_eq!((info.utterances, info.frames), (Some(2), Some(3)));
    assert_eq!((info.dim, info.dtype), (Some(2), Some(Dtype::F32)));
    assert_eq!(info.label_columns, Some(1));
    assert_eq!(info.byte_order, Some(ByteOrder::Big));
    assert_eq!((info.keys, info.compression), (KeySource::Generated, None));
    assert_eq!(drain(&mut *reader).unwrap(), utterances());
}

#[test]
fn every_field_is_overwritten() {
    let source = Source::from_bytes("x.pfile", small()).unwrap();
    let mut reader = open(source, &[]).unwrap();
    let mut used = utt("old", Some((&[9.0; 12], 4)), Some((&[1; 9], 3)));
    used.meta.frame_shift = spr_core::model::Decimal::parse("0.01");
    assert!(reader.read(&mut used).unwrap());
    assert_eq!(used, utterances()[0]);
}

#[test]
fn accepted_variants_of_the_header() {
    let mut reversed = LINES[1..10].to_vec();
    reversed.reverse();
    let reversed = [&LINES[..1], &reversed, &LINES[10..]].concat();
    let with = |lines: &[&str], size| [header(lines, size), big(&rows()), big(&TABLE)].concat();
    let mut blanks = LINES;
    blanks[2] = "-num_frames \t 3 \r";
    blanks[8] = "-data ncol 5 nrow 3 size 15";
    for (what, bytes) in [
        ("order of lines", with(&reversed, 32768)),
        ("header size", short_header()),
        ("blanks, order of pairs", with(&blanks, 32768)),
        ("run lengths", with_lines(&[("-format", "-format 2d2fd")])),
        (
            "mixed run lengths",
            with_lines(&[("-format", "-format d1df1f1d")]),
        ),
    ] {
        let found = read(bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(found, utterances(), "{what}");
    }
}

#[test]
fn no_table() {
    let mut bytes = with_lines(&[("-sent_table", "")]);
    let more = failure(bytes.clone());
    assert_eq!(
        more.to_string(),
        "x.pfile@32828: 12 bytes follow the last row, which should end the file"
    );
    bytes.truncate(bytes.len() - 12);
    assert_eq!(read(bytes.clone()).unwrap(), utterances());
    assert_eq!(read_pipe(bytes).unwrap(), utterances());
}

#[test]
fn labels_missing_alone_before_and_many() {
    let file =
        |lines: &[&str], rows: &[u32]| [header(lines, 4096), big(rows), big(&[0, 2])].concat();
    let start = [
        "-pfile_header version 0 size 4096",
        "-num_sentences 1",
        "-num_frames 2",
    ];
    let end = [
        "-data size 8 offset 0 ndim 2 nrow 2 ncol 4",
        "-sent_table_data size 2 offset 8 ndim 1",
        "-end",
    ];
    let rows = [0, 0, 5, 6, 0, 1, 7, 8];

    let lines = ["-first_feature_column 2", "-num_features 2", "-format 2d2f"];
    let utt = &read(file(&[&start[..], &lines, &end].concat(), &rows)).unwrap()[0];
    let bits: Vec<_> = utt
        .features
        .as_ref()
        .unwrap()
        .as_slice::<f32>()
        .unwrap()
        .iter()
        .map(|v| v.to_bits())
        .collect();
    assert_eq!((bits, utt.labels.is_none()), (vec![5, 6, 7, 8], true));

    let lines = [
        "-num_features 0",
        "-first_label_column 2",
        "-num_labels 2",
        "-format dddd",
    ];
    let utt = &read(file(&[&start[..], &lines, &end].concat(), &rows)).unwrap()[0];
    let labels = utt.labels.as_ref().unwrap();
    assert_eq!((labels.rank(), labels.cols()), (Rank::Matrix, 2));
    assert_eq!(labels.as_slice::<i32>().unwrap(), [5, 6, 7, 8]);
    assert!(utt.features.is_none());

    let lines = [
        "-first_feature_column 3",
        "-num_features 1",
        "-first_label_column 2",
        "-num_labels 1",
        "-format dddf",
    ];
    let utt = &read(file(&[&start[..], &lines, &end].concat(), &rows)).unwrap()[0];
    assert_eq!(utt.labels.as_ref().unwrap().rank(), Rank::Vector);
    assert_eq!(
        utt.labels.as_ref().unwrap().as_slice::<i32>().unwrap(),
        [5, 7]
    );
    let features = utt.features.as_ref().unwrap().as_slice::<f32>().unwrap();
    assert_eq!(features, [f32::from_bits(6), f32::from_bits(8)]);
}

#[test]
fn byte_orders_of_rows_and_table_are_found_apart() {
    for (rows_little, table_little) in [(false, true), (true, false), (true, true)] {
        let order = |little_endian, words: &[u32]| {
            if little_endian {
                little(words)
            } else {
                big(words)
            }
        };
        let bytes = [
            header(&LINES, 32768),
            order(rows_little, &rows()),
            order(table_little, &TABLE),
        ]
        .concat();
        assert_eq!(read(bytes.clone()).unwrap(), utterances());
        let forced = read_with(bytes.clone(), &[("byteorder", "little")]);
        assert_eq!(forced.is_ok(), rows_little && table_little);
        assert!(read_with(bytes, &[("byteorder", "big")]).is_err());
    }
    assert!(read_with(small(), &[("byteorder", "little")]).is_err());
    let source = Source::from_bytes("x", small()).unwrap();
    let error = open(source, &[("byteorder", "middle")]).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Usage);
}

#[test]
fn a_single_row_needs_the_option_to_be_little_endian() {
    let lines = [
        "-pfile_header version 0 size 512",
        "-num_sentences 1",
        "-num_frames 1",
        "-num_features 0",
        "-first_label_column 2",
        "-num_labels 1",
        "-format ddd",
        "-data size 3 nrow 1 ncol 3",
        "-end",
    ];
    let bytes = [header(&lines, 512), little(&[0, 0, 5])].concat();
    let label = |pairs: &[_]| {
        let utt = &read_with(bytes.clone(), pairs).unwrap()[0];
        utt.labels.as_ref().unwrap().as_slice::<i32>().unwrap()[0]
    };
    assert_eq!(
        (label(&[]), label(&[("byteorder", "little")])),
        (5 << 24, 5)
    );
}

/// The start of a line of the header, the line in its place, and the error.
const WRONG: &[(&str, &str, &str)] = &[
    (
        "-num_sentences",
        "",
        "x.pfile@0: the header has no -num_sentences",
    ),
    (
        "-num_frames",
        "",
        "x.pfile@0: the header has no -num_frames",
    ),
    (
        "-num_features",
        "",
        "x.pfile@0: the header has no -num_features",
    ),
    (
        "-first_feature",
        "",
        "x.pfile@0: the header has no -first_feature_column",
    ),
    (
        "-first_label",
        "",
        "x.pfile@0: the header has no -first_label_column",
    ),
    ("-format", "", "x.pfile@0: the header has no -format"),
    ("-data", "", "x.pfile@0: the header has no -data"),
    ("-end", "", "x.pfile@0: the header has no line -end"),
    (
        "-num_frames",
        "-num_frames 4",
        "x.pfile@0: -data: nrow is 3, but -num_frames is 4",
    ),
    (
        "-num_frames",
        "-num_frames three",
        "x.pfile:3: -num_frames has a wrong value: 'three'",
    ),
    (
        "-num_labels",
        "-num_frames 3",
        "x.pfile:7: -num_frames is given twice: '3'",
    ),
    (
        "-num_labels",
        "num_labels 1",
        "x.pfile:7: 'num_labels 1' is not a header line '-name value'",
    ),
    (
        "-num_sentences",
        "-num_sentences 3",
        "x.pfile@0: -sent_table_data: size is 3, but -num_sentences + 1 is 4",
    ),
    (
        "-data",
        "-data size 16 offset 0 ndim 2 nrow 3 ncol 5",
        "x.pfile@0: -data: size is 16, but nrow x ncol is 3 x 5",
    ),
    (
        "-data",
        "-data size 15 offset 1 ndim 2 nrow 3 ncol 5",
        "x.pfile@0: -data: offset is 1, but a PFile's is 0",
    ),
    (
        "-data",
        "-data size 15 offset 0 ndim 1 nrow 3 ncol 5",
        "x.pfile@0: -data: ndim is 1, but a PFile's is 2",
    ),
    (
        "-sent",
        "-sent_table_data size 3 offset 14 ndim 1",
        "x.pfile@0: -sent_table_data: offset is 14, but -data: size is 15",
    ),
    (
        "-first_feature",
        "-first_feature_column 1",
        "x.pfile@0: feature columns 1 to 2, a row has columns 2 to 4 for them",
    ),
    (
        "-first_label",
        "-first_label_column 5",
        "x.pfile@0: label columns 5 to 5, a row has columns 2 to 4 for them",
    ),
    (
        "-first_label",
        "-first_label_column 3",
        "x.pfile@0: feature and label columns overlap",
    ),
    (
        "-format",
        "-format ddfd",
        "x.pfile@0: -format: number of letters is 4, but -data: ncol is 5",
    ),
    (
        "-format",
        "-format ddfdd",
        "x.pfile@0: -format: column 3 is 'd', not 'f'",
    ),
    (
        "-format",
        "-format fdffd",
        "x.pfile@0: -format: column 0 is 'f', not 'd'",
    ),
    (
        "-format",
        "-format 2d3f",
        "x.pfile@0: -format: column 4 is 'f', not 'd'",
    ),
    (
        "-format",
        "-format ddffx",
        "x.pfile@0: -format: 'ddffx' is not a list of d and f",
    ),
    (
        "-pfile",
        "-pfile_header version 1 size 32768",
        "x.pfile:1: PFile version 1, only version 0 is known",
    ),
    (
        "-pfile",
        "-pfile_header version 0",
        "x.pfile:1: no version and size after -pfile_header",
    ),
    (
        "-pfile",
        "-pfile_headers version 0 size 32768",
        "x.pfile@0: the file does not start with a line '-pfile_header version 0 size N'",
    ),
];

#[test]
fn wrong_headers_say_what_is_wrong() {
    for (name, line, message) in WRONG.iter().copied() {
        assert_eq!(failure(with_lines(&[(name, line)])).to_string(), message);
    }
    let data = "-data size 18 offset 0 ndim 2 nrow 3 ncol 6";
    let error = failure(with_lines(&[("-data", data), ("-sent", "")]));
    let message = "x.pfile@0: -data: ncol is 6, but 2 + features + labels is 5";
    assert_eq!(error.to_string(), message);
}

#[test]
fn unknown_lines_are_reported() {
    let bytes = with_lines(&[("-num_labels", "-num_labels 1\n-first_target_column 9")]);
    let (env, heard) = listening();
    let source = Source::from_bytes("x.pfile", bytes).unwrap();
    let mut reader = open_in(source, &[], &env).unwrap();
    assert_eq!(drain(&mut *reader).unwrap(), utterances());
    assert_eq!(
        *heard.lock().unwrap(),
        ["x.pfile:8: header line '-first_target_column' is not understood"]
    );
    let many = format!("-num_labels 1{}", "\n-more 1".repeat(1000));
    let (env, heard) = listening();
    let source = Source::from_bytes("x.pfile", with_lines(&[("-num_labels", &many)])).unwrap();
    open_in(source, &[], &env).unwrap();
    assert_eq!(heard.lock().unwrap().len(), 10);
}

#[test]
fn rows_out_of_order_name_sentence_row_and_byte() {
    // (row, sentence, frame) and the message.
    for (row, sentence, frame, message) in [
        (
            0,
            1,
            0,
            "x.pfile@32768: utterance utt000000: row 0 says sentence 1, frame 0, expected sentence 0, frame 0",
        ),
        (
            1,
            0,
            2,
            "x.pfile@32788: utterance utt000000: row 1 says sentence 0, frame 2, expected sentence 0, frame 1 or sentence 1, frame 0",
        ),
        (
            2,
            2,
            0,
            "x.pfile@32808: utterance utt000000: row 2 says sentence 2, frame 0, expected sentence 0, frame 2 or sentence 1, frame 0",
        ),
        (
            2,
            1,
            1,
            "x.pfile@32808: utterance utt000000: row 2 says sentence 1, frame 1, expected sentence 0, frame 2 or sentence 1, frame 0",
        ),
    ] {
        let mut words = rows();
        words[row * 5..row * 5 + 2].copy_from_slice(&[sentence, frame]);
        let bytes = [header(&LINES, 32768), big(&words), big(&TABLE)].concat();
        assert_eq!(failure(bytes).to_string(), message);
    }
}

#[test]
fn counts_and_table_must_agree_with_the_rows() {
    let mut words = rows();
    words[10..12].copy_from_slice(&[0, 2]);
    let bytes = [header(&LINES, 32768), big(&words), big(&TABLE)].concat();
    assert_eq!(
        failure(bytes).to_string(),
        "x.pfile@32828: the data have 1 sentences, -num_sentences is 2"
    );
    let bytes = [header(&LINES, 32768), big(&rows()), big(&[0, 1, 3])].concat();
    assert_eq!(
        failure(bytes).to_string(),
        "x.pfile@32832: sentence table entry 1 is 1, but the data have row 2 there"
    );
    let none = with_lines(&[("-num_sentences", "-num_sentences 0"), ("-sent_table", "")]);
    assert_eq!(
        failure(none).to_string(),
        "x.pfile@0: -num_sentences is 0, but -num_frames is 3"
    );
    let many = with_lines(&[("-num_sentences", "-num_sentences 4"), ("-sent_table", "")]);
    assert_eq!(
        failure(many).to_string(),
        "x.pfile@0: -num_sentences is 4, but -num_frames is 3"
    );
}

#[test]
fn slow_and_compressed_sources() {
    let slow = Source::from_reader("slow", Box::new(Dribble(Cursor::new(short_header())))).unwrap();
    assert_eq!(drain(&mut *open(slow, &[]).unwrap()).unwrap(), utterances());
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &short_header()).unwrap();
    let packed = encoder.finish().unwrap();
    let source = Source::from_bytes("x.pfile.gz", packed.clone()).unwrap();
    let mut reader = open(source, &[]).unwrap();
    assert_eq!(reader.info().compression.as_deref(), Some("gzip"));
    assert_eq!(drain(&mut *reader).unwrap(), utterances());
    for cut in [packed.len() - 1, packed.len() - 9, packed.len() / 2] {
        let error = failure(packed[..cut].to_vec());
        assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
        assert!(error.message().contains("gzip"), "{error}");
    }
}

fn length(words: &[u32]) -> u32 {
    words.len().try_into().unwrap()
}

#[test]
fn sentences_over_several_blocks() {
    // Rows of 3 words; blocks hold 64 Ki words.
    let lengths = [1u32, 70_000, 3, 21_846, 21_845, 1];
    let total: u32 = lengths.iter().sum();
    let mut words = Vec::new();
    let mut table = vec![0];
    for (sentence, len) in (0..).zip(lengths) {
        for frame in 0..len {
            words.extend([sentence, frame, length(&words)]);
        }
        table.push(length(&words) / 3);
    }
    let lines = [
        "-pfile_header version 0 size 512".to_owned(),
        format!("-num_sentences {}", lengths.len()),
        format!("-num_frames {total}"),
        "-num_features 0".to_owned(),
        "-first_label_column 2".to_owned(),
        "-num_labels 1".to_owned(),
        "-format ddd".to_owned(),
        format!("-data size {} nrow {total} ncol 3", 3 * total),
        format!("-sent_table_data size {}", table.len()),
        "-end".to_owned(),
    ];
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    let found = read([header(&lines, 512), big(&words), big(&table)].concat()).unwrap();
    let labels: Vec<_> = found
        .iter()
        .flat_map(|u| {
            u.labels
                .as_ref()
                .unwrap()
                .as_slice::<i32>()
                .unwrap()
                .to_vec()
        })
        .collect();
    assert_eq!(
        found.iter().map(Utterance::frames).collect::<Vec<_>>(),
        lengths.map(u64::from)
    );
    assert!(
        labels
            .iter()
            .zip(words.chunks(3))
            .all(|(&label, row)| label == row[2] as i32)
    );
    assert_eq!(labels.len(), total as usize);
    // A sentence above the limit is rejected with its position.
    let limits = Limits {
        max_alloc: 100_000,
        ..Limits::default()
    };
    let env = Env::new(limits, spr_core::bytes::Access::Typed, |_| {});
    let bytes = [header(&lines, 512), big(&words), big(&table)].concat();
    let source = Source::from_bytes("x.pfile", bytes).unwrap();
    let error = drain(&mut *open_in(source, &[], &env).unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert_eq!(error.key().unwrap().as_str(), Some("utt000001"));
}

#[test]
fn names_come_from_the_side_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pfile");
    std::fs::write(&path, small()).unwrap();
    let side = folder.path().join("a.pfile.utt2num_frames");
    let read = |pairs: &[_]| read_file(&path, pairs);
    let keys = |pairs: &[_]| -> Vec<_> {
        read(pairs)
            .unwrap()
            .iter()
            .map(|u| u.key.to_string())
            .collect()
    };
    assert_eq!(keys(&[]), ["utt000000", "utt000001"]);
    std::fs::write(&side, "A-03 2\nB-04 1\n").unwrap();
    assert_eq!(keys(&[]), ["A-03", "B-04"]);
    let source = Env::default().open_file(&path.as_path().into()).unwrap();
    let reader = open(source, &[]).unwrap();
    assert_eq!(reader.info().keys, KeySource::SideFile);
    let places: Vec<_> = read(&[])
        .unwrap()
        .iter()
        .map(|utt| utt.origin.byte())
        .collect();
    assert_eq!(places, [Some(32768), Some(32768 + 2 * 20)]);
    assert_eq!(keys(&[("keys", "none")]), ["utt000000", "utt000001"]);
    let elsewhere = folder.path().join("names");
    std::fs::write(&elsewhere, "C 2\nD 1\n").unwrap();
    assert_eq!(keys(&[("keys", elsewhere.to_str().unwrap())]), ["C", "D"]);
    for (text, message) in [
        (
            "A-03 2\nB-04 2\n",
            "utterance B-04: says 2 frames, the data have 1",
        ),
        ("A-03 2\n", "has fewer lines than the data have utterances"),
        (
            "A-03 2\nB-04 1\nC 1\n",
            "has more lines than the data have utterances",
        ),
        ("A-03 2\nB-04\n", "a line is not 'key frames'"),
    ] {
        std::fs::write(&side, text).unwrap();
        let error = read(&[]).unwrap_err();
        assert!(error.to_string().ends_with(message), "{error}");
        assert!(error.hint_text().unwrap().contains("keys=none"));
        assert!(error.line_number().is_some());
    }
}

#[test]
fn is_known_by_its_first_line() {
    let probe = |head: &[u8]| {
        FORMAT.probe(&Probe {
            head,
            whole: false,
            len: None,
            path: None,
        })
    };
    assert_eq!(probe(&small()[..4096]), Score::Certain);
    assert_eq!(probe(b"-pfile_heade"), Score::No);
    assert_eq!(probe(b" -pfile_header version 0 size 32768\n"), Score::No);
}
