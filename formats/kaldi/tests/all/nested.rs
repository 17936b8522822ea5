//! Audio, HTK, Sphinx and NumPy objects in tables, read by their own formats.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use crate::common;

use std::fs;

use common::env;
use spr_core::bytes::{Env, Source};
use spr_core::model::{Dtype, Matrix, Rank, Utterance, Waveform};
use spr_core::{ErrorKind, Limits};
use spr_format_kaldi::FORMAT;
use spr_testkit::faults::{self, Drained, one_byte};
use spr_testkit::{memory_within, open_within};

type Pairs<'a> = &'a [(&'a str, &'a str)];

fn drained(source: Source, options: Pairs<'_>, env: &Env) -> Drained {
    let options = spr_testkit::options(&FORMAT, options).unwrap();
    faults::read_source(&FORMAT, &options, source, env)
}

fn memory(bytes: &[u8]) -> Source {
    Source::from_bytes("memory", bytes.to_vec()).unwrap()
}

fn read(bytes: &[u8], options: Pairs<'_>) -> Vec<Utterance> {
    drained(memory(bytes), options, &env()).whole().unwrap()
}

fn sound(key: &str, samples: &[i16], channels: usize) -> Utterance {
    let samples = Matrix::from_rows(samples, channels, Rank::Matrix).unwrap();
    Utterance {
        key: key.into(),
        audio: Some(
            Waveform {
                rate: 8000,
                samples,
            }
            .into(),
        ),
        ..Utterance::default()
    }
}

/// Returns a file as Kaldi writes it: 44 bytes, then the samples.
pub(super) fn wave(samples: &[i16]) -> Vec<u8> {
    let data: Vec<u8> = samples.iter().flat_map(|s| s.to_le_bytes()).collect();
    let size = u32::try_from(data.len()).unwrap();
    let head = b"\x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data";
    [
        b"RIFF",
        &(36 + size).to_le_bytes()[..],
        b"WAVEfmt ",
        head,
        &size.to_le_bytes(),
        &data,
    ]
    .concat()
}

fn htk(frames: u8) -> Vec<u8> {
    let values = vec![0x3f; 8 * usize::from(frames)];
    [
        &[0, 0, 0, frames, 0, 1, 0x86, 0xa0, 0, 8, 0, 9][..],
        &values,
    ]
    .concat()
}

fn sphinx(frames: u8) -> Vec<u8> {
    let count = 13 * frames;
    [&[0, 0, 0, count][..], &vec![0; 4 * usize::from(count)]].concat()
}

fn numpy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let len = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\0", &len[..], header.as_bytes(), data].concat()
}

#[test]
fn waves_are_written_and_read_as_kaldi_has_them() {
    let utts = [sound("a", &[1, -2, 3], 1), sound("b", &[7], 1)];
    let options = spr_testkit::options(&FORMAT, &[]).unwrap();
    let bytes = memory_within(&FORMAT, &options, &utts, &env()).unwrap();
    let expected = [b"a ", &wave(&[1, -2, 3])[..], b"b ", &wave(&[7])].concat();
    assert_eq!(bytes, expected);
    assert_eq!(read(&bytes, &[]), utts);
    assert_eq!(read(&bytes, &[("holder", "wave")]), utts);
    for (bad, why) in [
        (sound("a", &[], 1), "without samples"),
        (sound("a", &[0; 256], 256), "of that many channels"),
    ] {
        let both = [utts[0].clone(), bad];
        let error = memory_within(&FORMAT, &options, &both, &env()).unwrap_err();
        assert!(
            error.can_continue() && error.to_string().contains(why),
            "{error}"
        );
    }
    // Without the format they can be neither written nor read.
    let error = memory_within(&FORMAT, &options, &utts, &Env::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    let error = drained(memory(&bytes), &[], &Env::default())
        .whole()
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert_eq!(error.file_name(), Some("memory"));
}

#[test]
fn a_wave_without_a_size_is_the_last() {
    let mut stream = wave(&[1, 2]);
    stream[40..44].copy_from_slice(&[0xff; 4]);
    let last = [b"a ", &wave(&[5])[..], b"b ", &stream].concat();
    assert_eq!(read(&last, &[])[1], sound("b", &[1, 2], 1));
    let first = [b"b ", &stream[..], b"a ", &wave(&[5])].concat();
    let error = drained(memory(&first), &[], &env()).whole().unwrap_err();
    assert!(
        error.to_string().contains("another entry follows"),
        "{error}"
    );
}

#[test]
fn only_files_of_their_own_hold_sound_of_any_width() {
    let mut eight = wave(&[0x0180]);
    // One byte per sample.
    eight[28..36].copy_from_slice(&[0x40, 0x1f, 0, 0, 1, 0, 8, 0]);
    let archive = [b"a ", &eight[..], b"b ", &eight].concat();
    let error = drained(memory(&archive), &[], &env()).whole().unwrap_err();
    assert!(error.to_string().contains("8-bit samples"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("8.wav");
    fs::write(&path, &eight).unwrap();
    let script = format!("a {}\n", path.display());
    let utts = read(script.as_bytes(), &[("table", "scp")]);
    let samples = &utts[0].waveform().unwrap().samples;
    assert_eq!((samples.dtype(), samples.rows()), (Dtype::U8, 2));
    let list = b"LIST\x0e\0\0\0INFOINAM\x02\0\0\0a\0";
    let path = folder.path().join("x.wav");
    let mut bytes = [&wave(&[1])[..], list].concat();
    let size = u32::try_from(bytes.len() - 8).unwrap();
    bytes[4..8].copy_from_slice(&size.to_le_bytes());
    fs::write(&path, bytes).unwrap();
    let script = format!("a {}\n", path.display());
    let utts = read(script.as_bytes(), &[("table", "scp")]);
    assert_eq!(utts, [sound("a", &[1], 1)]);
}

#[test]
fn files_of_their_own_are_told_by_content_or_size() {
    let folder = tempfile::tempdir().unwrap();
    let shape = |utt: &Utterance| {
        let features = utt.features.as_ref().unwrap();
        (features.rows(), features.cols())
    };
    let mut little = sphinx(2);
    little[..4].reverse();
    for (bytes, rows, cols) in [(htk(3), 3, 2), (sphinx(2), 2, 13), (little, 2, 13)] {
        let path = folder.path().join("x.fea");
        fs::write(&path, &bytes).unwrap();
        let options = || spr_testkit::options(&FORMAT, &[("table", "ark")]).unwrap();
        let request = spr_core::format::Request::all();
        let bare = open_within(&FORMAT, options(), &(&path).into(), request, &env());
        let bare = faults::drain(bare.unwrap()).whole().unwrap();
        assert_eq!((bare.len(), bare[0].key.to_string()), (1, "x".to_owned()));
        assert_eq!(shape(&bare[0]), (rows, cols));
        let script = format!("a {}\n", path.display());
        let utts = read(script.as_bytes(), &[("table", "scp")]);
        assert_eq!(utts[0].features, bare[0].features);
        // The length of a pipe is unknown, which alone would determine the byte order.
        if bytes[0] == 0 {
            let piped = drained(one_byte(&bytes).unwrap(), &[], &env())
                .whole()
                .unwrap();
            assert_eq!(piped[0].features, bare[0].features);
        }
        let more = [&bytes[..], b"\n"].concat();
        assert!(drained(memory(&more), &[], &env()).whole().is_err());
    }
    let wav = folder.path().join("y.wav");
    fs::write(&wav, wave(&[1, 2])).unwrap();
    let script = format!("a {}\n", wav.display());
    assert_eq!(
        read(script.as_bytes(), &[("table", "scp")]),
        [sound("a", &[1, 2], 1)]
    );
    let options = spr_testkit::options(&FORMAT, &[("table", "ark")]).unwrap();
    let request = spr_core::format::Request::all();
    let bare = open_within(&FORMAT, options, &(&wav).into(), request, &env()).unwrap();
    assert_eq!(
        faults::drain(bare).whole().unwrap(),
        [sound("y", &[1, 2], 1)]
    );
}

#[test]
fn archives_of_htk_and_sphinx_need_the_holder() {
    for (holder, bytes, cols) in [("htk", htk(2), 2), ("sphinx", sphinx(3), 13)] {
        let archive = [b"a ", &bytes[..], b"b ", &bytes].concat();
        let utts = read(&archive, &[("holder", holder)]);
        assert_eq!(utts.len(), 2);
        assert_eq!(utts[1].features.as_ref().unwrap().cols(), cols);
        assert!(drained(memory(&archive), &[], &env()).whole().is_err());
        for cut in 3..archive.len() {
            let cut = drained(memory(&archive[..cut]), &[("holder", holder)], &env());
            assert!(cut.errors.len() == 1 || cut.utterances.len() == 1);
        }
    }
}

#[test]
fn arrays_are_features() {
    let floats: Vec<u8> = [1f32, 2.0, 3.0, 4.0, 5.0, 6.0]
        .iter()
        .flat_map(|v| v.to_be_bytes())
        .collect();
    let matrix = numpy(">f4", "(2, 3)", &floats);
    let vector = numpy("<f8", "(1,)", &0.5f64.to_le_bytes());
    let archive = [b"a \0B", &matrix[..], b"b \0B", &vector, b"c \0B", &matrix].concat();
    let utts = read(&archive, &[]);
    let values = Matrix::from_rows(&[1f32, 2.0, 3.0, 4.0, 5.0, 6.0], 3, Rank::Matrix).unwrap();
    assert_eq!(utts[0].features, Some(values.clone()));
    let half = Matrix::from_rows(&[0.5f64], 1, Rank::Vector).unwrap();
    assert_eq!(utts[1].features, Some(half));
    assert_eq!(utts[2].features, Some(values));
    let refused = drained(memory(&archive), &[("holder", "float-vector")], &env());
    assert!(
        refused.errors[0]
            .to_string()
            .contains("holds a float-matrix and not")
    );
    let mut small = env();
    small.limits = Limits {
        max_alloc: 10,
        ..Limits::default()
    };
    let error = drained(memory(&archive), &[], &small).whole().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

/// Returns the word, the size in the given number of bytes, and the file.
fn wrapped(word: &[u8], bytes: usize, file: &[u8]) -> Vec<u8> {
    let size = (file.len() as u64).to_le_bytes();
    let count = u8::try_from(bytes).unwrap();
    [word, &[count], &size[..bytes], file].concat()
}

/// Returns a NumPy array of f32 with 2 rows and 2 columns.
fn array() -> Vec<u8> {
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
    let header = format!("{header:<117}\n");
    let size = u16::try_from(header.len()).unwrap().to_le_bytes();
    let values: Vec<u8> = [1f32, 2.0, 3.0, 4.0]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    [&b"\x93NUMPY\x01\0"[..], &size, header.as_bytes(), &values].concat()
}

#[test]
fn files_with_their_sizes_before_them_are_read() {
    let expected = Matrix::from_rows(&[1f32, 2.0, 3.0, 4.0], 2, Rank::Matrix).unwrap();
    for bytes in 1..=8 {
        // The sizes that kaldiio uses: 2 bytes from 256 on, and so on.
        let audio = |key: &str, samples: &[i16]| {
            [
                key.as_bytes(),
                b" ",
                &wrapped(b"AUDIO", bytes, &wave(samples)),
            ]
            .concat()
        };
        let table = [audio("a", &[1, -2, 3]), audio("b", &[4])].concat();
        let expected_sound = [sound("a", &[1, -2, 3], 1), sound("b", &[4], 1)];
        assert_eq!(read(&table, &[]), expected_sound, "{bytes}");
        assert_eq!(
            read(&table, &[("holder", "wave")]),
            expected_sound,
            "{bytes}"
        );
        let entry = |key: &str| [key.as_bytes(), b" ", &wrapped(b"NPY", bytes, &array())].concat();
        let utts = read(&[entry("a"), entry("b")].concat(), &[]);
        assert_eq!(utts.len(), 2, "{bytes}");
        for utt in &utts {
            assert_eq!(utt.features.as_ref(), Some(&expected), "{bytes}");
        }
        let whole = entry("a");
        for n in 2..whole.len() {
            let result = drained(memory(&whole[..n]), &[], &env()).whole();
            assert!(result.is_err(), "{bytes}: {n} bytes are not whole");
        }
    }
    // Unrealistic sizes allocate nothing, and 9 bytes are not a valid size.
    let huge = b"a AUDIO\x08\xff\xff\xff\xff\xff\xff\xff\x7fRIFF";
    let error = drained(memory(huge), &[], &env()).whole().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    assert!(
        drained(memory(b"a NPY\x09\0\0"), &[], &env())
            .whole()
            .is_err()
    );
    // An unreadable object affects only its entry.
    let flac = [
        b"a ",
        &wrapped(b"AUDIO", 1, b"fLaC")[..],
        b"b ",
        &wrapped(b"AUDIO", 1, &wave(&[4])),
    ]
    .concat();
    let drained = drained(memory(&flac), &[("permissive", "true")], &env());
    assert_eq!((drained.utterances.len(), drained.errors.len()), (1, 1));
}
