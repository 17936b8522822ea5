//! The options of the two formats: codes, coders, separate headers, ranges.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use proptest::prelude::*;
use spr_core::bytes::{Env, Source};
use spr_core::format::{Format, Medium, Options, Request};
use spr_core::model::{Audio, Decimal, Dtype, Matrix, Rank, Tag, Utterance, Waveform};
use spr_core::number::companding::Companding;
use spr_core::{ErrorKind, Result};
use spr_format_spraak::{KEY, SPR, Spraak};
use spr_testkit::{faults, generate, read_memory, write_memory};

type Pairs<'a> = &'a [(&'a str, &'a str)];

fn one(format: &'static Spraak, options: Pairs<'_>, bytes: &[u8]) -> Result<Utterance> {
    read_memory(format, options, bytes).map(|mut utts| utts.remove(0))
}

fn write(format: &'static Spraak, options: Pairs<'_>, utt: &Utterance) -> Result<Vec<u8>> {
    write_memory(format, options, std::slice::from_ref(utt))
}

fn track(rows: usize, cols: usize) -> Utterance {
    Utterance {
        key: "utt000000".into(),
        features: Some(generate::matrix(Dtype::F32, Rank::Matrix, rows, cols, 3)),
        ..Utterance::default()
    }
}

fn sound(samples: &[i16], channels: usize) -> Utterance {
    Utterance {
        key: "utt000000".into(),
        audio: Some(Audio::Samples(Waveform {
            rate: 16000,
            samples: Matrix::from_rows(samples, channels, Rank::Matrix).unwrap(),
        })),
        ..Utterance::default()
    }
}

fn waveform(utt: &mut Utterance) -> &mut Waveform {
    utt.audio.as_mut().unwrap().waveform_mut().unwrap()
}

#[test]
fn samples_lie_as_the_header_says() {
    let mut utt = sound(&[100, -100, 200, -200, 300, -300], 2);
    utt.meta.frame_shift = Decimal::parse("0.010");
    utt.meta.tags = vec![Tag::new("spraak", "speaker", "ann")];
    let head = "\
        .spr\nDATA\tSAMPLE\nLAYOUT\tMATRIX\nTYPE\tI16\nFORMAT\tBIN01\nFSHIFT\t0.010\n\
        NCHAN\t2\nCHANLEN\t3\nSAMPLEFREQ\t16000\nspeaker\tann\n#\n";
    let data = [
        0x64, 0x00, 0x9c, 0xff, 0xc8, 0x00, 0x38, 0xff, 0x2c, 0x01, 0xd4, 0xfe,
    ];
    let bytes = [head.as_bytes(), &data].concat();
    assert_eq!(write(&SPR, &[], &utt).unwrap(), bytes);
    assert_eq!(one(&SPR, &[], &bytes).unwrap(), utt);
    let key = write(&KEY, &[], &utt).unwrap();
    assert!(
        key.starts_with(b".key\nDATATYPE\tSAMPLE\nDATAFORMAT\tSHORT\nFSHIFT\t0.010\nNCHAN\t2\n")
    );
    assert_eq!(one(&KEY, &[], &key).unwrap(), utt);
    // Lines that describe samples are not left to the tags.
    for own in ["NCHAN", "CHANLEN", "SAMPLEFREQ", "DIM1"] {
        utt.meta.tags[0].key = own.into();
        assert!(write(&SPR, &[], &utt).is_err(), "{own}");
    }
}

#[test]
fn files_hold_features_or_samples() {
    let both = Utterance {
        audio: sound(&[1], 1).audio,
        ..track(1, 1)
    };
    let error = write(&SPR, &[], &both).unwrap_err();
    assert!(error.to_string().contains("one of them"), "{error}");
    let mut silent = sound(&[1], 1);
    waveform(&mut silent).rate = 0;
    assert!(write(&SPR, &[], &silent).is_err());
    let mut none = sound(&[], 0);
    assert!(write(&SPR, &[], &none).is_err());
    waveform(&mut none).samples = generate::plain(Dtype::I16, Rank::Vector, 3, 1);
    assert!(write(&SPR, &[], &none).is_err());
}

#[test]
fn codes_are_written_by_name() {
    for (name, law) in [
        ("ULAW", Companding::MuLaw),
        ("MULAW", Companding::MuLaw),
        ("ALAW", Companding::ALaw),
    ] {
        // Samples with an exact code are restored.
        let exact: Vec<i16> = (0..=255).map(|code| law.decode(code)).collect();
        let utt = sound(&exact, 2);
        for format in [&SPR, &KEY] {
            let bytes = write(format, &[("type", name)], &utt).unwrap();
            assert_eq!(one(format, &[], &bytes).unwrap(), utt, "{name}");
            let caps = caps(format, &[("type", name)]);
            assert!(caps.features.is_none());
            assert_eq!(caps.audio.dtypes, [Dtype::I16]);
            assert!(write(format, &[("type", name)], &track(1, 1)).is_err());
            let mut wide = utt.clone();
            waveform(&mut wide).samples = generate::plain(Dtype::I32, Rank::Matrix, 2, 2);
            assert!(write(format, &[("type", name)], &wide).is_err());
        }
        let spr = write(&SPR, &[("type", name)], &utt).unwrap();
        let written = if name == "ALAW" { "ALAW" } else { "ULAW" };
        assert!(spr.starts_with(
            format!(".spr\nDATA\tSAMPLE\nLAYOUT\tMATRIX\nTYPE\t{written}\n").as_bytes()
        ));
        assert!(
            spr.ends_with(
                &(0..=255)
                    .map(|code| law.encode(law.decode(code)))
                    .collect::<Vec<_>>()
            )
        );
    }
}

fn caps(format: &'static Spraak, options: Pairs<'_>) -> spr_core::format::Caps {
    let options = spr_testkit::options(format, options).unwrap();
    format.caps(&options, Medium::Folder).unwrap()
}

#[test]
fn packed_data_come_back_or_fail() {
    for utt in [track(200, 300), track(0, 3), sound(&[5; 600], 2)] {
        let bytes = write(&SPR, &[("compress", "gzip")], &utt).unwrap();
        let end = bytes.windows(3).position(|w| w == b"\n#\n").unwrap() + 3;
        assert!(bytes[..end].ends_with(b"\nCOMPRESS\tgzip\n#\n"));
        assert_eq!(bytes[end..end + 2], [0x1f, 0x8b]);
        assert_eq!(one(&SPR, &[], &bytes).unwrap(), utt);
        let slow = faults::one_byte(&bytes).unwrap();
        let drained = faults::read_source(&SPR, &Options::default(), slow, &Env::default());
        assert_eq!(drained.whole().unwrap(), std::slice::from_ref(&utt));
        for n in (0..bytes.len())
            .step_by(1 + bytes.len() / 300)
            .chain([end, bytes.len() - 1])
        {
            assert!(
                read_memory(&SPR, &[], &bytes[..n]).is_err(),
                "{n} of {}",
                bytes.len()
            );
        }
        // A gzip stream has a checksum: streams that can still be read have a changed header or
        // changed parameters.
        let mut random = faults::Random::new(7);
        for _ in 0..300 {
            let body = faults::flip(&bytes[end..], &mut random);
            if let Ok(found) = one(&SPR, &[], &[&bytes[..end], &body].concat()) {
                assert_eq!(found, utt);
            }
        }
    }
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let utt = sound(&[1, 2], 1);
    let cases: [(&'static Spraak, Pairs<'_>); 12] = [
        (&SPR, &[("byteorder", "big"), ("text", "true")]),
        (&SPR, &[("format", "BIN10"), ("text", "true")]),
        (&SPR, &[("format", "BIN10"), ("byteorder", "big")]),
        (&SPR, &[("type", "ULAW"), ("text", "true")]),
        (&SPR, &[("compress", "gzip"), ("header", "none")]),
        (&SPR, &[("compress", "bzip2")]),
        (&SPR, &[("type", "I16")]),
        (&SPR, &[("header", "h.spr")]),
        (&SPR, &[("data", "SAMPLE")]),
        (&SPR, &[("frames", "0:1")]),
        (&KEY, &[("format", "BIN01")]),
        (&KEY, &[("dim2", "3")]),
    ];
    for (format, options) in cases {
        let error = write(format, options, &utt).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{options:?}: {error}");
    }
    assert!(write_memory(&KEY, &[("compress", "gzip")], &[utt]).is_err());
}

#[test]
fn raw_data_have_their_keys_on_the_command_line() {
    let utt = track(4, 3);
    for (format, options) in [
        (&SPR, &[("header", "none"), ("format", "BIN01")][..]),
        (&SPR, &[("header", "none"), ("format", "BIN10")]),
        (&SPR, &[("header", "none"), ("text", "true")]),
        (&KEY, &[("header", "none")]),
    ] {
        let bytes = write(format, options, &utt).unwrap();
        let mut all = vec![("type", "F32"), ("dim2", "3")];
        all.extend(options);
        assert_eq!(one(format, &all, &bytes).unwrap(), utt, "{options:?}");
    }
    let bytes = write(&SPR, &[("header", "none")], &utt).unwrap();
    assert_eq!(bytes.len(), 48);
    let mut named = utt.clone();
    named.meta.frame_shift = Decimal::parse("0.01");
    assert!(write(&SPR, &[("header", "none")], &named).is_err());
    let caps = caps(&SPR, &[("header", "none")]);
    assert!(!caps.frame_shift && !caps.frame_offset && caps.tags == spr_core::format::Tags::None);
    // Bytes that look like a header are data.
    let looks = b".spr\nDATA TRACK\n#\n12";
    let mut options = vec![("header", "none"), ("type", "I8"), ("dim2", "4")];
    let error = one(&SPR, &options, looks).unwrap_err();
    assert!(error.hint_text().unwrap().contains("format="), "{error}");
    options.push(("format", "BIN01"));
    assert_eq!(
        one(&SPR, &options, looks).unwrap().features.unwrap().rows(),
        5
    );
    let error = one(&SPR, &[("header", "none")], &bytes).unwrap_err();
    assert!(error.hint_text().unwrap().contains("type="), "{error}");
}

#[test]
fn keys_come_from_the_nearest_layer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("h");
    let outer = path.to_str().unwrap();
    let header = |text: &str| fs::write(&path, text).unwrap();
    let shape = |utt: Utterance| {
        let features = utt.features.unwrap();
        (features.dtype(), features.rows(), features.cols())
    };
    let data = [1u8, 2, 3, 4, 5, 6, 7, 8];
    // With and without magic line and end line, in either type of header.
    for text in [
        ".spr\nTYPE I16\nFORMAT BIN10\nDIM2 2\nx 1\n#\nignored",
        ".spr\nTYPE I16\nFORMAT BIN10\nDIM2 2\nx 1",
        "TYPE I16\nFORMAT BIN10\nDIM2 2\nx 1\n",
        ".key\nDATAFORMAT SHORT\nNPARAM 2\nx 1\n###\n",
    ] {
        header(text);
        let utt = one(&SPR, &[("header", outer)], &data).unwrap();
        assert_eq!(utt.meta.tags[0].key, b"x");
        let values = utt.features.as_ref().unwrap().as_slice::<i16>().unwrap();
        assert_eq!(values, [0x0102, 0x0304, 0x0506, 0x0708], "{text}");
        assert_eq!(shape(utt), (Dtype::I16, 2, 2));
    }
    header("DATAFORMAT SHORT\nNPARAM 2\n");
    assert_eq!(
        shape(one(&KEY, &[("header", outer)], &data).unwrap()),
        (Dtype::I16, 2, 2)
    );
    // The file's own header overrides the separate one; options override both.
    header("TYPE I8\nDIM2 4\nFORMAT BIN01\nx outer\ny outer\n");
    let own = [&b".spr\nTYPE I16\nx own\n#\n"[..], &data].concat();
    let utt = one(&SPR, &[("header", outer)], &own).unwrap();
    let tags: Vec<_> = utt.meta.tags.iter().map(|t| &t.value[..]).collect();
    assert_eq!(tags, [&b"own"[..], b"outer"]);
    assert_eq!(shape(utt), (Dtype::I16, 1, 4));
    let utt = one(
        &SPR,
        &[("header", outer), ("dim2", "2"), ("type", "U16")],
        &own,
    );
    assert_eq!(shape(utt.unwrap()), (Dtype::U16, 2, 2));
    // Errors name the file that they are in.
    header("TYPE I8\nDIM2 -4\n");
    let error = one(&SPR, &[("header", outer)], &data).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{outer}@8: DIM2 is '-4', not a number")
    );
    let error = one(&SPR, &[("header", outer), ("dim2", "x")], &data).unwrap_err();
    assert_eq!(error.to_string(), "memory: DIM2 is 'x', not a number");
    let error = one(&SPR, &[("header", "/no/such")], &data).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
}

#[test]
fn integers_of_key_files_may_have_no_sign() {
    let bytes = b".key\nDATAFORMAT BYTE\nNPARAM 2\n#\n\xff\x01";
    let signed = one(&KEY, &[], bytes).unwrap().features.unwrap();
    assert_eq!(signed.as_slice::<i8>().unwrap(), [-1, 1]);
    let unsigned = one(&KEY, &[("unsigned", "true")], bytes).unwrap();
    assert_eq!(
        unsigned
            .features
            .as_ref()
            .unwrap()
            .as_slice::<u8>()
            .unwrap(),
        [255, 1]
    );
    let again = write(&KEY, &[("unsigned", "true")], &unsigned).unwrap();
    assert!(again.starts_with(b".key\nDATATYPE\tTRACK\nDATAFORMAT\tBYTE\n"));
    assert!(write(&KEY, &[], &unsigned).is_err());
}

#[test]
fn ranges_are_taken_on_reading() {
    let values: Vec<i16> = (0..12).collect();
    let utt = Utterance {
        features: Some(Matrix::from_rows(&values, 3, Rank::Matrix).unwrap()),
        ..track(1, 1)
    };
    let bytes = write(&SPR, &[], &utt).unwrap();
    let taken = |options: Pairs<'_>| -> Result<Vec<i16>> {
        let utt = one(&SPR, options, &bytes)?;
        Ok(utt.features.unwrap().as_slice::<i16>().unwrap().to_vec())
    };
    assert_eq!(
        taken(&[("frames", "1:2"), ("columns", "0:1")]).unwrap(),
        [3, 4, 6, 7]
    );
    assert_eq!(taken(&[("columns", "2:")]).unwrap(), [2, 5, 8, 11]);
    for options in [
        ("frames", "1:4"),
        ("columns", "3:3"),
        ("channels", "1:1"),
        ("frames", "x"),
    ] {
        assert!(taken(&[options]).is_err(), "{options:?}");
    }
    let source = Source::from_bytes("x", bytes.clone()).unwrap();
    let options = spr_testkit::options(&SPR, &[("frames", "1:2")]).unwrap();
    let opened = Request::all().open(&SPR, source, &options, &Env::default());
    let mut reader = opened.unwrap().into_stream().unwrap();
    // The stage that selects does not count in advance.
    assert_eq!(reader.info().frames, None);
    assert!(reader.read(&mut Utterance::default()).unwrap());
    let bytes = write(
        &SPR,
        &[("type", "ALAW")],
        &sound(&[8, -8, 24, -24, 40, -40], 2),
    )
    .unwrap();
    let options = [
        ("channels", "1:1"),
        ("frames", "0:1"),
        ("fshift", "0.0000625"),
    ];
    let utt = one(&SPR, &options, &bytes).unwrap();
    assert_eq!(
        utt.waveform().unwrap().samples.as_slice::<i16>().unwrap(),
        [-8, -24]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Samples of any type and number of channels are restored, compressed or not, in either
    /// header.
    #[test]
    fn samples_survive(
        dtype in prop::sample::select(Dtype::COMMON),
        rows in 0..40usize,
        cols in 1..5usize,
        rate in 1..=u32::MAX,
        seed: u64,
    ) {
        let samples = generate::matrix(dtype, Rank::Matrix, rows, cols, seed);
        let utt = Utterance { audio: Some(Waveform { rate, samples }.into()), ..sound(&[], 1) };
        for (format, options) in [
            (&SPR, &[][..]),
            (&SPR, &[("format", "BIN10"), ("compress", "gzip")]),
            (&KEY, &[]),
        ] {
            match write(format, options, &utt) {
                Ok(bytes) => prop_assert_eq!(&one(format, &[], &bytes).unwrap(), &utt),
                Err(e) => prop_assert!(!caps(format, options).audio.dtypes.contains(&dtype), "{}", e),
            }
        }
    }
}

#[test]
fn channels_of_a_track_are_taken_apart() {
    let head = ".spr\nNCHAN 2\nTYPE I8\nFORMAT BIN01\nDIM1 2\nDIM2 6\n#\n";
    let bytes = [head.as_bytes(), &[0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15]].concat();
    for (channels, expected, count) in [
        ("0", &[0i8, 1, 2, 3, 4, 5][..], "1"),
        ("1", &[10, 11, 12, 13, 14, 15], "1"),
        ("1,0", &[10, 0, 11, 1, 12, 2, 13, 3, 14, 4, 15, 5], "2"),
    ] {
        let utt = one(&SPR, &[("channels", channels)], &bytes).unwrap();
        assert_eq!(utt.features.unwrap().as_slice::<i8>(), Some(expected));
        assert_eq!(utt.meta.tags, [Tag::new("spraak", "NCHAN", count)]);
    }
    // The default without NCHAN is one.
    let single = String::from_utf8_lossy(&bytes).replace("NCHAN 2\n", "");
    assert!(one(&SPR, &[("channels", "0")], single.as_bytes()).is_ok());
    for (lines, channels) in [
        ("NCHAN 2", "2"),
        ("NCHAN 4", "0"),
        ("NCHAN 0", "0"),
        ("NCHAN x", "0"),
    ] {
        let odd = String::from_utf8_lossy(&bytes).replace("NCHAN 2", lines);
        assert!(
            one(&SPR, &[("channels", channels)], odd.as_bytes()).is_err(),
            "{lines}"
        );
    }
    // Fields that are not requested may be invalid.
    let odd = String::from_utf8_lossy(&bytes).replace("NCHAN 2", "NCHAN x");
    assert!(one(&SPR, &[], odd.as_bytes()).is_ok());
}

#[test]
fn data_said_to_be_gzip_may_be_a_zlib_stream() {
    let split = |bytes: &[u8]| {
        let at = bytes.windows(3).position(|w| w == b"\n#\n").unwrap() + 3;
        (bytes[..at].to_vec(), bytes[at..].to_vec())
    };
    let (head, _) = split(&write(&SPR, &[("compress", "gzip")], &track(3, 2)).unwrap());
    let (_, data) = split(&write(&SPR, &[], &track(3, 2)).unwrap());
    for level in [0, 1, 6, 9] {
        let mut stream = ZlibEncoder::new(Vec::new(), Compression::new(level));
        stream.write_all(&data).unwrap();
        let mut stream = stream.finish().unwrap();
        let read = one(&SPR, &[], &[&head[..], &stream].concat());
        assert_eq!(read.unwrap(), track(3, 2), "{level}");
        // Its first two bytes are no multiple of 31 then.
        stream[1] ^= 1;
        assert!(one(&SPR, &[], &[&head[..], &stream].concat()).is_err());
    }
    let error = one(&SPR, &[], &head).unwrap_err().to_string();
    assert!(error.contains("the gzip data are cut off"), "{error}");
}

#[test]
fn a_coder_may_have_its_level_and_others_are_named() {
    let packed = write(&SPR, &[("compress", "gzip")], &track(3, 2)).unwrap();
    let said = |coder: &str| {
        let at = packed
            .windows(13)
            .position(|w| w == b"COMPRESS\tgzip")
            .unwrap();
        let head = [&packed[..at], format!("COMPRESS\t{coder}").as_bytes()].concat();
        [&head[..], &packed[at + 13..]].concat()
    };
    for coder in ["gzip", "GZIP", "gzip -9", "gzip -1 "] {
        assert_eq!(
            one(&SPR, &[], &said(coder)).unwrap(),
            track(3, 2),
            "{coder}"
        );
    }
    for coder in ["bzip2", "shorten -x", "\"\""] {
        let error = one(&SPR, &[], &said(coder)).unwrap_err();
        let name = coder.trim_matches('"');
        assert!(
            error
                .to_string()
                .contains(&format!("COMPRESS {name} is not known")),
            "{error}"
        );
    }
    let level = write(&SPR, &[("compress", "gzip -9")], &track(3, 2)).unwrap();
    assert!(String::from_utf8_lossy(&level).contains("\nCOMPRESS\tgzip -9\n#\n"));
    assert_eq!(one(&SPR, &[], &level).unwrap(), track(3, 2));
    assert!(write(&SPR, &[("compress", "gzip -x")], &track(3, 2)).is_err());
    assert!(write(&SPR, &[("compress", "bzip2")], &track(3, 2)).is_err());
}

#[test]
fn the_default_of_a_frame_shift_is_told() {
    for (lines, shift) in [
        ("", Some("0.01")),
        ("FSHIFT 0.02\n", Some("0.02")),
        ("DATA PARAM\n", None),
    ] {
        let text = format!(".spr\n{lines}TYPE I8\nFORMAT BIN01\nDIM1 1\nDIM2 1\n#\n\u{1}");
        let source = Source::from_bytes("f", text.into_bytes()).unwrap();
        let opened = Request::all().open(&SPR, source, &Options::default(), &Env::default());
        let reader = opened.unwrap().into_stream().unwrap();
        assert_eq!(
            reader.info().frame_shift,
            shift.and_then(Decimal::parse),
            "{lines}"
        );
        assert_eq!(reader.info().decision.is_some(), lines.is_empty());
    }
}
