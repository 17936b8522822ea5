//! The meaning of headers, and invalid ones.

use spr_core::ErrorKind;
use spr_core::bytes::Source;
use spr_core::model::Dtype;

use crate::header::End;

use super::*;

fn contents(dialect: Dialect, lines: &str) -> Result<Contents> {
    let magic = std::str::from_utf8(dialect.magic()).unwrap();
    let lines = lines.replace('/', "\n");
    let text = format!("{magic}\n{lines}\n#\n");
    let env = Env::default();
    let mut source = Source::from_bytes("h", text.into_bytes())?;
    let assumed = (dialect == Dialect::Key).then_some(Dialect::Key);
    Contents::of(
        &Header::read(&mut source, assumed, End::Required, &env)?,
        &env,
    )
}

fn error(dialect: Dialect, lines: &str) -> String {
    contents(dialect, lines).err().unwrap().to_string()
}

#[test]
fn key_headers_mean_the_same() {
    let spr = "DATA PARAM/TYPE F32/FORMAT BIN10/DIM1 -1/DIM2 3/FSHIFT 0.010/x 1";
    let key = "x 1/DATATYPE PARAM/DATAFORMAT FLOAT/NPARAM 3/FSHIFT 0.010";
    for (dialect, lines) in [(Dialect::Spr, spr), (Dialect::Key, key)] {
        let found = contents(dialect, lines).unwrap();
        assert_eq!(
            (found.stored, found.rows, found.cols),
            (StoredType::Plain(Dtype::F32), None, 3)
        );
        assert_eq!(found.encoding, Some(Encoding::Binary(ByteOrder::Big)));
        assert_eq!(found.meta.frame_shift.unwrap().to_string(), "0.010");
        assert_eq!(found.meta.tags, [tag(b"DATA", b"PARAM"), tag(b"x", b"1")]);
    }
}

#[test]
fn an_encoding_is_given_or_left_open() {
    let spr = |lines| contents(Dialect::Spr, lines).unwrap().encoding;
    assert_eq!(spr("TYPE F32/DIM2 1"), None);
    assert_eq!(spr("TYPE A-FLOAT/DIM2 1"), Some(Encoding::Text));
    assert_eq!(
        spr("TYPE A-FLOAT/DIM2 1/FORMAT BIN01"),
        Some(Encoding::Binary(ByteOrder::Little))
    );
    let text = error(Dialect::Spr, "TYPE F32/DIM2 1/FORMAT BIN11");
    assert_eq!(text, "h@21: FORMAT BIN11 is not known");
}

#[test]
fn entries_count_where_frames_do_not() {
    let found = contents(Dialect::Key, "DATAFORMAT INT/NENTRY 4/NPARAM 1").unwrap();
    assert_eq!((found.rows, found.meta.tags.len()), (Some(4), 0));
    let found = contents(Dialect::Key, "DATAFORMAT INT/NENTRY 4/NFR 5/NPARAM 1").unwrap();
    assert_eq!(
        (found.rows, found.meta.tags),
        (Some(5), vec![tag(b"NENTRY", b"4")])
    );
    let sound = "DATATYPE SAMPLE/DATAFORMAT I16/NENTRY 4/SAMPLEFREQ 8000";
    let found = contents(Dialect::Key, sound).unwrap();
    assert_eq!(found.meta.tags, [tag(b"NENTRY", b"4")]);
}

#[test]
fn other_kinds_are_refused_by_name() {
    for (lines, what) in [
        ("DATA SEG", "SEG data"),
        ("DATA MVGAUSS/TYPE F32/DIM1 1/DIM2 3", "MVGAUSS data"),
        ("CORPUS CGN/DIM1 1", "CORPUS data"),
        ("DICTIONARY x", "DICTIONARY data"),
        ("DATA DES/DICTIONARY x", "DICTIONARY data"),
        ("DATA DES", "DES data"),
        ("DATA TRACK/LAYOUT LIST", "LAYOUT LIST"),
        ("DATA TRACK/LAYOUT CUSTOM", "LAYOUT CUSTOM"),
        ("DATA TRACK/TYPE STRING", "TYPE STRING"),
        (
            "DATA TRACK/TYPE ULAW/DIM2 1/FORMAT ASCII",
            "ULAW written as text",
        ),
        (
            "TYPE F32/DIM2 1/COMPRESS bzip2 9",
            "COMPRESS bzip2 9 is not known",
        ),
    ] {
        let error = contents(Dialect::Spr, lines).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{lines}");
        assert!(error.to_string().contains(what), "{lines}: {error}");
    }
    let tags = contents(Dialect::Spr, "DATA TRACK/CORPUS x/TYPE F32/DIM2 1");
    assert_eq!(tags.unwrap().meta.tags, [tag(b"CORPUS", b"x")]);
}

#[test]
fn nonsense_is_refused_with_its_place() {
    for (lines, text) in [
        ("TYPE F32", "h@16: the header has no DIM2"),
        ("DIM2 3", "h@14: the header has no TYPE"),
        ("TYPE F33/DIM2 3", "h@5: TYPE F33 is not known"),
        (
            "TYPE F32/DIM2 -1",
            "h@14: DIM2 may not be left open with -1",
        ),
        ("DIM1 -2/TYPE F32/DIM2 3", "h@5: DIM1 is '-2', not a number"),
        ("DIM1 3x/TYPE F32/DIM2 3", "h@5: DIM1 is '3x', not a number"),
        ("TYPE F32/DIM2 0", "h@23: DIM2 is 0: the vectors are empty"),
        ("FSHIFT x/TYPE F32/DIM2 3", "h@5: FSHIFT is 'x', not a time"),
        (
            "FSHIFT -1/TYPE F32/DIM2 3",
            "h@5: FSHIFT is -1, not a time above 0",
        ),
        (
            "FSHIFT 0/TYPE F32/DIM2 3",
            "h@5: FSHIFT is 0, not a time above 0",
        ),
        ("LAYOUT x/TYPE F32/DIM2 3", "h@5: LAYOUT x is not known"),
    ] {
        assert_eq!(error(Dialect::Spr, lines), text);
    }
    for (lines, text) in [
        ("DATAFORMAT FLOAT", "h@24: the header has no NPARAM"),
        (
            "DATAFORMAT INT/NPARAM x",
            "h@20: NPARAM is 'x', not a number",
        ),
    ] {
        assert_eq!(error(Dialect::Key, lines), text);
    }
}

#[test]
fn samples_are_counted_by_channel() {
    let found = |lines| contents(Dialect::Spr, lines).unwrap();
    let sound =
        found("DATA SAMPLE/TYPE I16/DIM1 7/DIM2 9/CHANLEN 3/NCHAN 2/SAMPLEFREQ 16000.0/x 1");
    assert!(sound.sort == RowKind::Sound { rate: 16000 });
    assert_eq!(
        (sound.rows, sound.cols, sound.data_length()),
        (Some(3), 2, Some(12))
    );
    assert_eq!(sound.meta.tags, [tag(b"x", b"1")]);
    for rate in ["16000", "1.6e4", "1.6E+04", "160.0e2", "016000."] {
        let lines = format!("DATA SAMPLE/TYPE I16/SAMPLEFREQ {rate}");
        let sound = contents(Dialect::Spr, &lines).unwrap();
        assert!(sound.sort == RowKind::Sound { rate: 16000 }, "{rate}");
    }
    for rate in [
        "1.60001e4",
        "-1.6e4",
        "1.6e",
        "1.6e40",
        "16e-4",
        "1600e1x",
        "inf",
        "0e3",
    ] {
        let lines = format!("DATA SAMPLE/TYPE I16/SAMPLEFREQ {rate}");
        assert!(contents(Dialect::Spr, &lines).is_err(), "{rate}");
    }
    let sound = found("DATA SAMPLE/TYPE ULAW");
    assert!(sound.sort == RowKind::Sound { rate: 8000 });
    assert_eq!((sound.rows, sound.cols), (None, 1));
    assert_eq!((sound.stored.dtype(), sound.stored.size()), (Dtype::I16, 1));
    for (lines, what) in [
        ("NCHAN 0", "h@26: NCHAN 0 is not a number of channels"),
        ("NCHAN -1", "h@26: NCHAN -1 is not a number of channels"),
        ("CHANLEN x", "h@26: CHANLEN is 'x', not a number"),
        (
            "SAMPLEFREQ 0",
            "h@26: SAMPLEFREQ is '0', not a whole number of samples a second",
        ),
        (
            "SAMPLEFREQ 8000.5",
            "h@26: SAMPLEFREQ is '8000.5', not a whole number of samples a second",
        ),
    ] {
        assert_eq!(
            error(Dialect::Spr, &format!("DATA SAMPLE/TYPE I16/{lines}")),
            what
        );
    }
}

#[test]
fn a_coder_is_the_first_word() {
    let coder = |value| contents(Dialect::Spr, &format!("TYPE F32/DIM2 1/COMPRESS {value}"));
    for value in ["gzip", "GZIP", "gzip -9"] {
        assert_eq!(coder(value).unwrap().coder, Some(Codec::Gzip));
    }
    for value in ["gzip9", "lz4", ""] {
        assert!(coder(value).is_err(), "{value}");
    }
}
