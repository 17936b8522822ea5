//! The behaviour of the two SPRAAK formats beyond the suite.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod files;
mod samples;
mod stale;

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::strict::Strict;
use proptest::prelude::*;
use spr_core::bytes::{Access, ByteOrder, Env, Locator, Source};
use spr_core::format::{Format, Options, Reader, Registry, Request};
use spr_core::model::{Decimal, Dtype, KeySource, Matrix, Meta, Rank, Tag, Utterance};
use spr_core::stage::FolderReader;
use spr_core::{ErrorKind, Limits, Result};
use spr_format_spraak::{KEY, SPR, Spraak};
use spr_testkit::{Suite, generate, read_memory, suite, write_memory};

static STRICT_SPR: Strict = Strict(&SPR);
static STRICT_KEY: Strict = Strict(&KEY);

#[test]
fn spr_behaves() {
    suite(&Suite {
        options: &[&[], &[("format", "BIN10")]],
        ..Suite::new(&STRICT_SPR)
    });
}

#[test]
fn key_behaves() {
    suite(&Suite {
        options: &[&[], &[("unsigned", "true")]],
        ..Suite::new(&STRICT_KEY)
    });
}

#[test]
fn text_behaves() {
    for format in [&STRICT_SPR, &STRICT_KEY] {
        suite(&Suite {
            options: &[&[("text", "true")]],
            text: true,
            ..Suite::new(format)
        });
    }
}

/// Returns the utterance of the two dumps: 2 x 3 floats, a frame shift and, in the first, an
/// offset.
fn example(offset: Option<&str>) -> Utterance {
    let values = [1.0f32, -2.5, 0.25, 3.0, 0.0, -1.0];
    Utterance {
        key: "utt000000".into(),
        features: Some(Matrix::from_rows(&values, 3, Rank::Matrix).unwrap()),
        meta: Meta {
            frame_shift: Decimal::parse("0.01"),
            frame_offset: offset.and_then(Decimal::parse),
            ..Meta::default()
        },
        ..Utterance::default()
    }
}

fn tag(key: &str, value: &str) -> Tag {
    Tag::new("spraak", key, value)
}

const SPR_HEAD: &str = "\
    .spr\nDATA\tTRACK\nLAYOUT\tMATRIX\nTYPE\tF32\nFORMAT\tBIN01\nDIM1\t2\nDIM2\t3\n\
    FSHIFT\t0.01\nFOFFSET\t0\n#\n";
const SPR_DATA: [u8; 24] = [
    0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x20, 0xc0, 0x00, 0x00, 0x80, 0x3e, 0x00, 0x00, 0x40, 0x40,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0xbf,
];
const KEY_HEAD: &str = "\
    .key\nDATATYPE\tTRACK\nDATAFORMAT\tFLOAT\nNFR\t2\nNPARAM\t3\nFSHIFT\t0.01\n#\n";
const KEY_DATA: [u8; 24] = [
    0x3f, 0x80, 0x00, 0x00, 0xc0, 0x20, 0x00, 0x00, 0x3e, 0x80, 0x00, 0x00, 0x40, 0x40, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0xbf, 0x80, 0x00, 0x00,
];

fn file(head: &str, data: &[u8]) -> Vec<u8> {
    [head.as_bytes(), data].concat()
}

/// Reads one file, and returns the warnings as well.
fn read(
    format: &'static Spraak,
    options: &[(&str, &str)],
    bytes: &[u8],
) -> Result<(Utterance, Vec<String>)> {
    let source = Source::from_bytes("f", bytes.to_vec())?;
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let heard = warnings.clone();
    let env = Env::new(Limits::default(), Access::default(), move |e| {
        heard.lock().unwrap().push(e.to_string());
    });
    let options = Options::new(format.info(), options.iter().copied())?;
    let mut reader = Request::all()
        .open(format, source, &options, &env)?
        .into_stream()?;
    let mut utt = Utterance::default();
    assert!(reader.read(&mut utt)?);
    assert!(!reader.read(&mut Utterance::default())?);
    let warnings = warnings.lock().unwrap().clone();
    Ok((utt, warnings))
}

#[test]
fn the_bytes_are_these() {
    let spr = file(SPR_HEAD, &SPR_DATA);
    let key = file(KEY_HEAD, &KEY_DATA);
    assert_eq!((spr.len(), key.len()), (114, 90));
    let cases = [(&SPR, spr, Some("0")), (&KEY, key, None)];
    for (format, bytes, offset) in cases {
        let utt = example(offset);
        assert_eq!(
            write_memory(format, &[], std::slice::from_ref(&utt)).unwrap(),
            bytes
        );
        assert_eq!(read(format, &[], &bytes).unwrap(), (utt, vec![]));
    }
}

#[test]
fn each_format_reads_the_header_of_the_other() {
    for (format, bytes) in [
        (&KEY, file(SPR_HEAD, &SPR_DATA)),
        (&SPR, file(KEY_HEAD, &KEY_DATA)),
        (
            &KEY,
            file(KEY_HEAD.strip_prefix(".key\n").unwrap(), &KEY_DATA),
        ),
    ] {
        let (utt, _) = read(format, &[], &bytes).unwrap();
        assert_eq!(utt.features, example(None).features);
    }
}

#[test]
fn text_and_byte_orders_as_asked() {
    let utts = [example(None)];
    let text = write_memory(&SPR, &[("text", "true")], &utts).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("\nTYPE\tF32\nFORMAT\tASCII\n"), "{text}");
    assert!(text.ends_with("\n#\n1 -2.5 0.25\n3 0 -1\n"), "{text}");
    let text = write_memory(&KEY, &[("text", "true")], &utts).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("\nDATAFORMAT\tA-FLOAT\nNFR\t2\n"), "{text}");
    assert!(text.ends_with("\n#\n1 -2.5 0.25\n3 0 -1\n"), "{text}");
    let big = write_memory(&SPR, &[("byteorder", "big")], &utts).unwrap();
    assert!(big.ends_with(&KEY_DATA));
    let error = write_memory(&KEY, &[("byteorder", "little")], &utts).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    let both = [("byteorder", "little"), ("text", "true")];
    assert!(write_memory(&SPR, &both, &utts).is_err());
    let (utt, _) = read(&KEY, &[("byteorder", "little")], &file(KEY_HEAD, &SPR_DATA)).unwrap();
    assert_eq!(utt.features, utts[0].features);
}

/// Returns a header as SPRAAK itself writes it: foreign keys first, values in column 24, and a line
/// of blanks as space for changes.
fn spraak_header(rows: usize, cols: usize) -> String {
    let mut header = ".spr\n".to_owned();
    for (key, value) in [
        ("database_id", "DEMO1"),
        ("database_version", "1.0"),
        ("utterance_id", "abc0_xy1027"),
        ("NCHAN", "1"),
        ("TRACKTYPE", "SPECTRUM"),
        ("SAMPLEFREQ", "16000"),
        ("FORMAT", "BIN01"),
        ("DATA", "TRACK"),
        ("TYPE", "F32"),
        ("LAYOUT", "MATRIX"),
        ("DIM1", &rows.to_string()),
        ("DIM2", &cols.to_string()),
        ("FSHIFT", "0.01"),
        ("FLENGTH", "0.025"),
        ("WINDOWTYPE", "HAMMING"),
        ("SPECTYPE", "LOGPOW"),
        ("FREQSCALE", "MELDM"),
        ("FILTERSHAPE", "TRI"),
    ] {
        let tabs = "\t".repeat((24 - key.len()).div_ceil(8));
        header += &format!("{key}{tabs}{value}\n");
    }
    header + &" ".repeat(149) + "\n#\n"
}

#[test]
fn a_file_of_spraak_itself() {
    let header = spraak_header(309, 24);
    assert_eq!(header.len(), 448);
    let features = generate::matrix(Dtype::F32, Rank::Matrix, 309, 24, 7);
    let mut data = features.as_bytes().to_vec();
    if ByteOrder::NATIVE == ByteOrder::Big {
        spr_core::bytes::swap_in_place(&mut data, 4);
    }
    let bytes = file(&header, &data);
    assert_eq!(bytes.len(), 30_112);
    let (utt, warnings) = read(&SPR, &[], &bytes).unwrap();
    assert_eq!(
        (utt.features.as_ref(), warnings.len()),
        (Some(&features), 0)
    );
    assert_eq!(utt.meta.frame_shift, Decimal::parse("0.01"));
    assert_eq!(utt.meta.frame_offset, None);
    let expected: Vec<_> = [
        ("database_id", "DEMO1"),
        ("database_version", "1.0"),
        ("utterance_id", "abc0_xy1027"),
        ("NCHAN", "1"),
        ("TRACKTYPE", "SPECTRUM"),
        ("SAMPLEFREQ", "16000"),
        ("FLENGTH", "0.025"),
        ("WINDOWTYPE", "HAMMING"),
        ("SPECTYPE", "LOGPOW"),
        ("FREQSCALE", "MELDM"),
        ("FILTERSHAPE", "TRI"),
    ]
    .map(|(key, value)| tag(key, value))
    .into();
    assert_eq!(utt.meta.tags, expected);
    // Conversion to a key header and back loses nothing.
    let key = write_memory(&KEY, &[], std::slice::from_ref(&utt)).unwrap();
    let (back, _) = read(&KEY, &[], &key).unwrap();
    assert_eq!(back, utt);
    // One byte short, as after a conversion of line ends.
    let error = read(&SPR, &[], &bytes[..bytes.len() - 1]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated);
    let text = "f@448: the file ends here: expected 29664 bytes, found 29663";
    assert_eq!(error.to_string(), text);
}

#[test]
fn a_param_stays_a_param() {
    let head = ".spr\nx\t1\nDATA\tPARAM\nTYPE\tF32\nFORMAT\tBIN01\nDIM1\t2\nDIM2\t3\n#\n";
    let (utt, _) = read(&SPR, &[], &file(head, &SPR_DATA)).unwrap();
    assert_eq!(utt.meta.tags, [tag("DATA", "PARAM"), tag("x", "1")]);
    for format in [&SPR, &KEY] {
        let bytes = write_memory(format, &[], std::slice::from_ref(&utt)).unwrap();
        assert_eq!(read(format, &[], &bytes).unwrap().0, utt);
        let track = write_memory(format, &[("data", "TRACK")], std::slice::from_ref(&utt));
        let (track, _) = read(format, &[], &track.unwrap()).unwrap();
        assert_eq!(track.meta.tags, [tag("x", "1")]);
        // When reading, the option overrides the header.
        let (track, _) = read(format, &[("data", "TRACK")], &bytes).unwrap();
        assert_eq!(track.meta.tags, [tag("x", "1")]);
    }
}

fn opened(source: Source, options: &Options) -> Box<dyn Reader> {
    let opened = Request::all().open(&SPR, source, options, &Env::default());
    opened.unwrap().into_stream().unwrap()
}

#[test]
fn open_ends_go_to_the_end() {
    for head in [
        SPR_HEAD.replace("DIM1\t2\n", "DIM1\t-1\n"),
        SPR_HEAD.replace("DIM1\t2\n", ""),
    ] {
        let bytes = file(&head, &SPR_DATA);
        let text = file(&head.replace("BIN01", "ASCII"), b"1 -2.5 0.25\n3 0 -1\n");
        for bytes in [bytes, text] {
            assert_eq!(read(&SPR, &[], &bytes).unwrap().0, example(Some("0")));
            let options = Options::default();
            let slow = spr_testkit::faults::one_byte(&bytes).unwrap();
            let mut reader = opened(slow, &options);
            let mut utt = Utterance::default();
            assert!(reader.read(&mut utt).unwrap());
            assert_eq!(utt, example(Some("0")));
            for n in head.len() + 1..bytes.len() {
                if n == head.len() + 12 {
                    continue; // one whole vector, of the binary file or of the text
                }
                let cut = read(&SPR, &[], &bytes[..n]);
                assert_eq!(cut.unwrap_err().kind(), ErrorKind::Truncated, "{n} bytes");
                let slow = spr_testkit::faults::one_byte(&bytes[..n]).unwrap();
                let mut reader = opened(slow, &options);
                let error = reader.read(&mut utt).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Truncated, "{n} bytes");
            }
        }
    }
}

#[test]
fn what_is_too_much_is_an_error_unless_asked_for() {
    for (head, data, more) in [
        (SPR_HEAD.to_owned(), &SPR_DATA[..], &b"\0"[..]),
        (
            SPR_HEAD.replace("BIN01", "ASCII"),
            b"1 -2.5 0.25 3 0 -1\n",
            b"5\n",
        ),
    ] {
        let whole = file(&head, data);
        let long = [&whole, more].concat();
        let error = read(&SPR, &[], &long).unwrap_err();
        assert!(
            error.to_string().contains("goes on after 2 vectors"),
            "{error}"
        );
        let (utt, warnings) = read(&SPR, &[("all", "false")], &long).unwrap();
        assert_eq!(utt, example(Some("0")));
        assert!(warnings.is_empty(), "{warnings:?}");
        // What is left is no vector.
        assert!(read(&SPR, &[("all", "true")], &long).is_err());
        let twice = [&whole, data].concat();
        let (utt, _) = read(&SPR, &[("all", "true")], &twice).unwrap();
        assert_eq!(utt.features.unwrap().rows(), 4);
    }
}

#[test]
fn a_missing_format_is_found_out() {
    let head = SPR_HEAD.replace("FORMAT\tBIN01\n", "");
    let (utt, warnings) = read(&SPR, &[], &file(&head, &KEY_DATA)).unwrap();
    assert_eq!(utt.features, example(None).features);
    assert!(warnings[0].ends_with("no FORMAT is given; taken to be BIN10"));
    let (utt, warnings) = read(&SPR, &[], &file(&head, b"1 -2.5 .25\n3 0 -1\n")).unwrap();
    assert_eq!(utt.features, example(None).features);
    assert!(warnings[0].ends_with("no FORMAT is given; taken to be ASCII"));
    let (utt, _) = read(&SPR, &[("byteorder", "little")], &file(&head, &SPR_DATA)).unwrap();
    assert_eq!(utt.features, example(None).features);
    assert!(read(&SPR, &[], &file(&head, &KEY_DATA[..23])).is_err());
}

#[test]
fn headers_refuse_what_they_can_not_hold() {
    let with = |tags: &[Tag]| Utterance {
        meta: Meta {
            tags: tags.to_vec(),
            ..Meta::default()
        },
        ..example(None)
    };
    let refused = |format: &'static Spraak, tags: &[Tag]| {
        let error = write_memory(format, &[], &[with(tags)]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unfit, "{tags:?}");
        assert!(error.can_continue() && error.key().is_some());
    };
    for format in [&SPR, &KEY] {
        refused(format, &[tag("a b", "1")]);
        refused(format, &[tag("", "1")]);
        refused(format, &[tag("a", "1"), tag("b", "1"), tag("a", "2")]);
        for own in ["TYPE", "DIM1", "FORMAT", "COMPRESS", "FOFFSET"] {
            refused(format, &[tag(own, "1")]);
        }
        refused(format, &[tag("DATA", "CORPUS")]);
        refused(format, &[tag("a", "1"), tag("DATA", "PARAM")]);
    }
    refused(&KEY, &[tag("NFR", "1")]);
    refused(&KEY, &[tag("a", "two\nlines")]);
    refused(&KEY, &[tag("a", " blanks")]);
    let tags = [tag("a", "two\nlines "), tag("b", ""), tag("NFR", "\"x\\")];
    let bytes = write_memory(&SPR, &[], &[with(&tags)]).unwrap();
    assert_eq!(read(&SPR, &[], &bytes).unwrap().0.meta.tags, tags);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Tags of any bytes survive if the writer accepts them.
    #[test]
    fn tags_survive(
        pairs in prop::collection::btree_map("[!-~]{1,6}", any::<Vec<u8>>(), 0..5),
        spr: bool,
    ) {
        let format = if spr { &SPR } else { &KEY };
        let tags: Vec<_> = pairs
            .into_iter()
            .map(|(key, value)| Tag { value, ..tag(&key, "") })
            .collect();
        let utt = Utterance {
            meta: Meta { tags, ..Meta::default() },
            ..example(None)
        };
        match write_memory(format, &[], std::slice::from_ref(&utt)) {
            Ok(bytes) => prop_assert_eq!(&read_memory(format, &[], &bytes).unwrap()[0], &utt),
            Err(e) => prop_assert!(!spr && e.kind() == ErrorKind::Unfit, "{}", e),
        }
    }

    /// Any file that starts like a header is read or rejected without a panic.
    #[test]
    fn any_header_is_read_or_refused(
        lines in prop::collection::vec("(DATA|DIM1|DIM2|TYPE|FORMAT|[!-~]{1,4})[ \t]{0,2}[ -~]{0,9}\\\\?", 0..8),
        data: Vec<u8>,
    ) {
        for magic in [".spr\n", ".key\n", ""] {
            let head = format!("{magic}{}\n#\n", lines.join("\n"));
            let _ = read(&SPR, &[], &file(&head, &data));
            let _ = read(&KEY, &[], &file(&head, &data));
        }
    }
}
