//! Damaged, truncated and hostile files: an immediate error without a panic.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use crate::common;

use common::*;
use spr_core::ErrorKind;
use spr_core::bytes::Source;
use spr_core::model::Utterance;

#[test]
fn absurd_sizes_fail_at_once() {
    let huge = "9223372036854775808";
    let data = format!("-data size 15 offset 0 ndim 2 nrow {huge} ncol {huge}");
    let frames = format!("-num_frames {huge}");
    let wide = |n: u64| {
        [
            ("-num_features", format!("-num_features {n}")),
            ("-first_label", format!("-first_label_column {}", n + 2)),
            ("-format", format!("-format 2d{n}f1d")),
            (
                "-data",
                format!("-data size {} nrow 3 ncol {}", 3 * (n + 3), n + 3),
            ),
            (
                "-sent",
                format!("-sent_table_data size 3 offset {}", 3 * (n + 3)),
            ),
        ]
    };
    let (wide, wider) = (wide(1 << 20), wide(1 << 50));
    let changed = |changes: &[(&str, String)]| {
        let changes: Vec<_> = changes
            .iter()
            .map(|(name, line)| (*name, line.as_str()))
            .collect();
        with_lines(&changes)
    };
    for (what, bytes, kind) in [
        (
            "header of 0 bytes",
            with_lines(&[("-pfile", "-pfile_header version 0 size 0")]),
            ErrorKind::Malformed,
        ),
        (
            "header of 10 GB",
            with_lines(&[("-pfile", "-pfile_header version 0 size 10000000000")]),
            ErrorKind::Limit,
        ),
        (
            "number over 64 bits",
            with_lines(&[(
                "-pfile",
                "-pfile_header version 0 size 99999999999999999999",
            )]),
            ErrorKind::Malformed,
        ),
        (
            "2^63 frames",
            with_lines(&[("-num_frames", &frames), ("-data", &data)]),
            ErrorKind::Malformed,
        ),
        (
            "rows of 4 MB that are not there",
            changed(&wide),
            ErrorKind::Truncated,
        ),
        ("rows of 4 PB", changed(&wider), ErrorKind::Limit),
    ] {
        for error in [failure(bytes.clone()), read_pipe(bytes).unwrap_err()] {
            assert_eq!(error.kind(), kind, "{what}: {error}");
        }
    }
}

#[test]
fn counts_that_fit_each_other_but_not_the_file_fail() {
    let lines = [
        "-pfile_header version 0 size 512",
        "-num_sentences 4000000000",
        "-num_frames 4000000000",
        "-first_feature_column 2",
        "-num_features 3",
        "-format ddfff",
        "-data size 20000000000 offset 0 ndim 2 nrow 4000000000 ncol 5",
        "-sent_table_data size 4000000001 offset 20000000000 ndim 1",
        "-end",
    ];
    let error = failure(header(&lines, 512));
    assert_eq!(
        error.to_string(),
        "x.pfile@512: the file ends here: expected 96000000516 bytes by the header, found 512"
    );
    assert_eq!(
        read_pipe(header(&lines, 512)).unwrap_err().kind(),
        ErrorKind::Truncated
    );
}

#[test]
fn widths_and_counts_beyond_all_memory_fail() {
    // No rows, but a width of 64 EiB each.
    let lines = [
        "-pfile_header version 0 size 512",
        "-num_sentences 0",
        "-num_frames 0",
        "-first_feature_column 2",
        "-num_features 18446744073709551613",
        "-format dd18446744073709551613f",
        "-data size 0 offset 0 ndim 2 nrow 0 ncol 18446744073709551615",
        "-end",
    ];
    let error = failure(header(&lines, 512));
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    // More rows than 32 bits can count.
    let lines = [
        "-pfile_header version 0 size 512",
        "-num_sentences 1",
        "-num_frames 5000000000",
        "-num_features 0",
        "-first_label_column 2",
        "-num_labels 1",
        "-format ddd",
        "-data size 15000000000 offset 0 ndim 2 nrow 5000000000 ncol 3",
        "-end",
    ];
    let error = failure(header(&lines, 512));
    assert_eq!(
        error.message(),
        "5000000000 rows of 3 columns are more than a PFile can count"
    );
}

#[test]
fn headers_that_are_no_text() {
    let mut bytes = small();
    bytes[40] = 0xff;
    let error = failure(bytes);
    assert_eq!(error.line_number(), Some(2), "{error}");
    assert!(error.to_string().is_ascii() && !error.to_string().contains('\x1b'));
    let with_escape = with_lines(&[("-num_labels", "\x1b[2J")]);
    assert!(failure(with_escape).to_string().contains("'\\x1b[2J'"));
}

#[test]
fn every_cut_is_an_error() {
    let whole = small();
    let text = whole.iter().position(|&b| b == 0).unwrap();
    let cuts = (0..text + 2).chain(32760..whole.len());
    for cut in cuts {
        let bytes = whole[..cut].to_vec();
        for error in [failure(bytes.clone()), read_pipe(bytes).unwrap_err()] {
            assert!(
                matches!(error.kind(), ErrorKind::Truncated | ErrorKind::Malformed),
                "{cut}: {error}"
            );
            assert!(error.byte_offset().is_some(), "{cut}: {error}");
            if cut > 256 {
                assert_eq!(error.kind(), ErrorKind::Truncated, "{cut}: {error}");
                assert!(
                    error.message().ends_with(&format!("found {cut}")) || cut < 32768,
                    "{cut}: {error}"
                );
            }
        }
    }
}

#[test]
fn what_follows_is_an_error() {
    for more in [1, 4, 5000] {
        let bytes = [small(), vec![0; more]].concat();
        let error = failure(bytes.clone());
        assert_eq!(
            error.to_string(),
            format!(
                "x.pfile@32840: {more} bytes follow the sentence table, which should end the file"
            )
        );
        let error = read_pipe(bytes).unwrap_err();
        assert_eq!(
            (error.kind(), error.byte_offset()),
            (ErrorKind::Malformed, Some(32840))
        );
    }
}

#[test]
fn bit_flips_are_errors_or_data() {
    let whole = short_header();
    let text = whole.iter().position(|&b| b == 0).unwrap();
    let (mut errors, mut read_well) = (0, 0);
    for at in (0..text).chain(512..whole.len()) {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            let (known, pipe) = (read(bytes.clone()), read_pipe(bytes));
            assert_eq!(known.is_ok(), pipe.is_ok(), "byte {at} bit {bit}");
            match known {
                Ok(found) => {
                    read_well += 1;
                    assert_eq!(found.iter().map(Utterance::frames).sum::<u64>(), 3);
                }
                Err(error) => {
                    errors += 1;
                    assert!(error.file_name().is_some(), "{error}");
                }
            }
        }
    }
    assert!(errors > 1500 && read_well > 250, "{errors} {read_well}");
}

#[test]
fn after_an_error_the_stream_is_over() {
    let mut bytes = small();
    bytes[32768 + 20 + 7] = 9;
    let mut reader = open(Source::from_bytes("x", bytes).unwrap(), &[]).unwrap();
    let mut utt = Utterance::default();
    assert!(reader.read(&mut utt).is_err());
    assert!(!reader.read(&mut utt).unwrap());
}
