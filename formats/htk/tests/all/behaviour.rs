//! The behaviour suite for both formats.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::path::Path;
use std::slice;
use std::sync::{Arc, Mutex};

use spr_core::Limits;
use spr_core::bytes::{Access, Env, Source};
use spr_core::format::{Format, ObjectBounds, Options, Probe, Registry, Request, Score};
use spr_core::model::{Decimal, Matrix, Rank, Tag, Utterance};
use spr_format_htk::{HTK, SPHINX};
use spr_testkit::{Suite, read_memory, suite, write_memory};

/// The one header line is the kind, and there is none beside sound.
fn of_htk(utt: &mut Utterance) {
    utt.meta.tags = vec![Tag::new("htk", "kind", "MFCC_E_D_A")];
    if utt.audio.is_some() {
        utt.meta.clear();
    }
}

#[test]
fn htk_behaves() {
    suite(&Suite {
        options: &[&[], &[("check", "true")], &[("byteorder", "little")]],
        prepare: of_htk,
        ..Suite::new(&HTK)
    });
}

#[test]
fn sphinx_behaves() {
    suite(&Suite::new(&SPHINX));
}

/// Returns an utterance with `features`.
fn utterance(features: &[f32], cols: usize) -> Utterance {
    Utterance {
        features: Some(Matrix::from_rows(features, cols, Rank::Matrix).unwrap()),
        ..Utterance::default()
    }
}

#[test]
fn sphinx_frames_have_any_number_of_values() {
    let utt = utterance(&[1.0, 2.0, 3.0, 4.0], 2);
    let two = &[("dim", "2")];
    let bytes = write_memory(&SPHINX, two, slice::from_ref(&utt)).unwrap();
    assert_eq!(bytes[..8], [0, 0, 0, 4, 0x3f, 0x80, 0, 0]);
    let back = read_memory(&SPHINX, two, &bytes).unwrap();
    assert_eq!(back[0].features, utt.features);
    let four = read_memory(&SPHINX, &[("dim", "4")], &bytes).unwrap();
    assert_eq!(four[0].frames(), 1);
    for error in [
        read_memory(&SPHINX, &[], &bytes).map(drop),
        write_memory(&SPHINX, &[("dim", "4")], &[utt]).map(drop),
        read_memory(&SPHINX, &[("dim", "0")], &bytes).map(drop),
    ] {
        assert!(error.is_err());
    }
}

#[test]
fn the_width_of_sphinx_frames_is_guessed_where_one_fits() {
    for (count, options, want) in [
        (13 * 101, &[][..], Ok((13, ""))),
        (39 * 101, &[], Ok((13, "fill frames of 13 and of 39"))),
        (39 * 101, &[("dim", "13")], Ok((13, ""))),
        (39 * 101, &[("dim", "39")], Ok((39, ""))),
        (13 * 40, &[], Ok((13, "fill frames of 13 and of 40"))),
        (
            40 * 101,
            &[],
            Ok((40, "don't fill frames of 13, but of 40")),
        ),
        (40 * 101, &[("dim", "40")], Ok((40, ""))),
        (13 * 40, &[("dim", "40")], Ok((40, ""))),
        (
            80 * 101,
            &[],
            Err("they fill frames of 40 and of 80: dim=N says which"),
        ),
        (80 * 101, &[("dim", "80")], Ok((80, ""))),
        (
            7 * 11,
            &[],
            Err("the option dim sets how many values a frame has"),
        ),
        (0, &[], Ok((0, ""))),
    ] {
        let mut bytes = u32::to_be_bytes(count).to_vec();
        bytes.extend((0..count).flat_map(|_| 1.5f32.to_be_bytes()));
        let said = Arc::new(Mutex::new(String::new()));
        let heard = said.clone();
        let env = Env::new(Limits::default(), Access::Safe, move |warning| {
            heard.lock().unwrap().push_str(warning.message());
        });
        let source = Source::from_bytes("x.mfc", bytes).unwrap();
        let pairs = options
            .iter()
            .map(|(k, v): &(&str, &str)| ((*k).to_owned(), (*v).to_owned()));
        let options = Options::new(SPHINX.info(), pairs).unwrap();
        let opened = Request::all().open(&SPHINX, source, &options, &env);
        match want {
            Ok((dim, guess)) => {
                let mut utt = Utterance::default();
                assert!(
                    opened
                        .unwrap()
                        .into_stream()
                        .unwrap()
                        .read(&mut utt)
                        .unwrap()
                );
                assert_eq!(utt.features.unwrap().cols(), dim, "{count}");
                let said = said.lock().unwrap();
                assert!(
                    said.contains(guess) && said.is_empty() == guess.is_empty(),
                    "{said}"
                );
            }
            Err(hint) => assert_eq!(opened.err().unwrap().hint_text().as_deref(), Some(hint)),
        }
    }
}

#[test]
fn sphinx_files_of_either_byte_order_are_read() {
    let mut bytes = 13u32.to_le_bytes().to_vec();
    bytes.extend([1.5f32; 13].iter().flat_map(|value| value.to_le_bytes()));
    let back = read_memory(&SPHINX, &[], &bytes).unwrap();
    assert_eq!(back[0].features, utterance(&[1.5; 13], 13).features);
    // If other data may follow, the length does not decide.
    let mut source = Source::from_bytes("x", bytes).unwrap();
    let nested = SPHINX.nested().unwrap();
    let mut utt = Utterance::default();
    assert!(
        nested
            .read(&mut source, ObjectBounds::Own, &mut utt, &Env::default())
            .is_err()
    );
}

/// Returns two frames of one value, with this period and kind.
fn htk(period: i32, size: u16, kind: u16, data: &[u8]) -> Vec<u8> {
    let mut bytes = 2i32.to_be_bytes().to_vec();
    bytes.extend(period.to_be_bytes());
    bytes.extend(size.to_be_bytes());
    bytes.extend(kind.to_be_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn periods_are_frame_shifts() {
    for (period, shift) in [(100_000, Some("0.01")), (1, Some("0.0000001")), (0, None)] {
        let bytes = htk(period, 4, 9, &[0; 8]);
        let utts = read_memory(&HTK, &[], &bytes).unwrap();
        let read = utts[0].meta.frame_shift;
        assert_eq!(read.map(|shift| shift.to_string()).as_deref(), shift);
        assert_eq!(write_memory(&HTK, &[], &utts).unwrap(), bytes);
    }
    for shift in ["0.00000001", "0.010000001", "300", "0"] {
        let mut utt = utterance(&[1.0], 1);
        utt.meta.frame_shift = Decimal::parse(shift);
        let error = write_memory(&HTK, &[], &[utt]).unwrap_err().to_string();
        assert!(error.contains("frame shift"), "{error}");
    }
}

/// Computes what HTK writes for these frames with `_C`, where every column fills the range of the
/// integers.
fn compressed(frames: &[[f32; 2]]) -> Vec<u8> {
    let column = |col: usize| frames.iter().map(move |frame| frame[col]);
    let ranges = [0, 1].map(|col| {
        let (min, max) = column(col).fold((f32::MAX, f32::MIN), |(a, b), v| (a.min(v), b.max(v)));
        let by = 2.0 * 32767.0 / (max - min);
        (by, (max + min) * 32767.0 / (max - min))
    });
    let mut data = Vec::new();
    data.extend(ranges.iter().flat_map(|(by, _)| by.to_be_bytes()));
    data.extend(ranges.iter().flat_map(|(_, plus)| plus.to_be_bytes()));
    for frame in frames {
        for (value, (by, plus)) in frame.iter().zip(ranges) {
            #[expect(clippy::cast_possible_truncation, reason = "it is in the range")]
            let short = (value * by - plus).round() as i16;
            data.extend(short.to_be_bytes());
        }
    }
    data
}

#[test]
fn compressed_frames_are_undone() {
    let frames = [[1.0f32, -5.0], [2.5, 0.25], [3.0, 5.0]];
    let data = compressed(&frames);
    let mut bytes = 7i32.to_be_bytes().to_vec();
    bytes.extend(htk(100_000, 4, 0o2406, &data)[4..].iter());
    let utts = read_memory(&HTK, &[], &bytes).unwrap();
    let features = utts[0].features.as_ref().unwrap();
    assert_eq!((features.rows(), features.cols()), (3, 2));
    let wanted = frames.as_flattened();
    for (got, want) in features.values::<f32>().unwrap().iter().zip(wanted) {
        assert!((got - want).abs() < 2e-4, "{got} {want}");
    }
    // The kind is that before compression.
    assert_eq!(utts[0].meta.tags, [Tag::new("htk", "kind", "MFCC_D")]);
    for frames in 0..4i32 {
        let mut short = frames.to_be_bytes().to_vec();
        short.extend_from_slice(&bytes[4..12]);
        let error = read_memory(&HTK, &[], &short).unwrap_err().to_string();
        assert!(error.contains("expected 4 or more"), "{error}");
    }
}

#[test]
fn integers_and_sound_are_read() {
    let shorts = |values: [i16; 2]| values.map(i16::to_be_bytes).concat();
    let utts = read_memory(&HTK, &[], &htk(625, 2, 0, &shorts([7, -7]))).unwrap();
    let sound = utts[0].waveform().unwrap();
    assert_eq!(
        (sound.rate, sound.samples.as_slice::<i16>()),
        (16_000, Some(&[7, -7][..]))
    );
    let back = write_memory(&HTK, &[], &utts).unwrap();
    assert_eq!(back, htk(625, 2, 0, &shorts([7, -7])));
    let utts = read_memory(&HTK, &[], &htk(100_000, 2, 5, &shorts([32767, 0]))).unwrap();
    assert_eq!(utts[0].features, utterance(&[1.0, 0.0], 1).features);
    assert_eq!(utts[0].meta.tags, [Tag::new("htk", "kind", "LPREFC")]);
    let utts = read_memory(&HTK, &[], &htk(100_000, 2, 10, &shorts([3, 9]))).unwrap();
    let codes = Matrix::from_rows(&[3i16, 9], 1, Rank::Matrix).unwrap();
    assert_eq!(utts[0].features, Some(codes));
}

#[test]
fn a_check_sum_is_compared() {
    let mut utt = utterance(&[1.5, -2.0], 1);
    utt.meta.frame_shift = Decimal::parse("0.01");
    let bytes = write_memory(&HTK, &[("check", "true")], slice::from_ref(&utt)).unwrap();
    assert_eq!(bytes[10..12], (9u16 | 0o10000).to_be_bytes());
    let words = bytes[12..20]
        .chunks(2)
        .map(|w| u64::from(w[0]) << 8 | u64::from(w[1]));
    let sum = words.fold(0, |sum, word| (sum * 65536 + word) % 36897);
    assert_eq!(bytes[20..], u16::try_from(sum).unwrap().to_be_bytes());
    let back = read_memory(&HTK, &[], &bytes).unwrap();
    assert_eq!(back[0].features, utt.features);
    let mut wrong = bytes;
    wrong[13] ^= 1;
    let error = read_memory(&HTK, &[], &wrong).unwrap_err().to_string();
    assert!(error.contains("the check sum is"), "{error}");
}

#[test]
fn little_endian_files_are_known_by_their_length() {
    let mut bytes = 2i32.to_le_bytes().to_vec();
    bytes.extend(100_000i32.to_le_bytes());
    bytes.extend(4u16.to_le_bytes());
    bytes.extend(9u16.to_le_bytes());
    bytes.extend([1.5f32, -2.0].map(f32::to_le_bytes).concat());
    let utts = read_memory(&HTK, &[], &bytes).unwrap();
    assert_eq!(utts[0].features, utterance(&[1.5, -2.0], 1).features);
    assert_eq!(utts[0].meta.frame_shift, Decimal::parse("0.01"));
}

#[test]
fn what_is_not_read_is_refused_by_name() {
    let bytes = htk(100_000, 4, 0o40006, &[0; 8]);
    let mut source = Source::from_bytes("x", bytes.clone()).unwrap();
    let registry = Registry::new([&HTK as &'static dyn Format, &SPHINX]);
    assert_eq!(registry.detect(&mut source).unwrap().info().name, "htk");
    let error = read_memory(&HTK, &[], &bytes).unwrap_err().to_string();
    assert!(error.contains("MFCC_V, which hold codes"), "{error}");
    for kind in [0, 5, 10, 0o2406, 0o10013, 0o40006] {
        let mut utt = utterance(&[1.0], 1);
        utt.meta.tags = vec![Tag::new("htk", "kind", kind.to_string())];
        let error = write_memory(&HTK, &[], &[utt]).unwrap_err().to_string();
        assert!(error.contains("not a kind of plain floats"), "{error}");
    }
    let period = htk(907, 2, 0, &[0; 4]);
    let error = read_memory(&HTK, &[], &period).unwrap_err().to_string();
    assert!(error.contains("no whole number of samples"), "{error}");
}

#[test]
fn files_are_known_by_the_arithmetic_of_their_size() {
    let bytes = htk(100_000, 4, 9, &[0; 8]);
    let probe = |len: usize, path: Option<&str>| {
        HTK.probe(&Probe {
            head: &bytes[..len.min(16)],
            whole: false,
            len: Some(len as u64),
            path: path.map(Path::new),
        })
    };
    assert_eq!(probe(20, None), Score::Possible(70));
    assert_eq!(probe(19, None), Score::No);
    assert_eq!(probe(19, Some("x.fea")), Score::NameOnly);
}

#[test]
fn the_start_of_a_pipe_is_likely_or_not() {
    let probe = |head: &[u8], whole: bool, len: Option<u64>, name: Option<&str>| {
        HTK.probe(&Probe {
            head,
            whole,
            len,
            path: name.map(Path::new),
        })
    };
    let likely = htk(100_000, 4, 9, &[0; 7]);
    let mut little = likely.clone();
    for (at, n) in [(0, 4), (4, 4), (8, 2), (10, 2)] {
        little[at..at + n].reverse();
    }
    for head in [&likely, &little] {
        assert_eq!(probe(head, false, None, None), Score::Possible(40));
        assert_eq!(probe(head, false, None, Some("x.fea")), Score::Possible(40));
        // Their length is known, and it is wrong.
        assert_eq!(probe(head, true, None, None), Score::No);
        assert_eq!(probe(head, true, None, Some("x.fea")), Score::NameOnly);
        assert_eq!(probe(head, false, Some(19), None), Score::No);
    }
    for (what, head) in [
        ("no period", htk(0, 4, 9, &[0; 8])),
        ("a period below 0", htk(-1, 4, 9, &[0; 8])),
        ("no values", htk(100_000, 0, 9, &[0; 8])),
        ("half a value", htk(100_000, 6, 9, &[0; 8])),
        ("text", b"some text, and more of it".to_vec()),
        ("a part of a header", likely[..11].to_vec()),
    ] {
        assert_eq!(probe(&head, false, None, None), Score::No, "{what}");
    }
}

#[test]
fn files_of_sphinx_are_not_called_as_those_of_htk() {
    let bytes = [&8i32.to_be_bytes()[..], &[0; 32]].concat();
    let probe = |name: Option<&str>| {
        SPHINX.probe(&Probe {
            head: &bytes,
            whole: true,
            len: None,
            path: name.map(Path::new),
        })
    };
    assert_eq!(probe(None), Score::Possible(70));
    assert_eq!(probe(Some("x.fea")), Score::No);
    assert_eq!(probe(Some("x.mfc")), Score::Possible(75));
}

#[test]
fn files_of_kaldi_come_back_byte_for_byte() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/samples/htk");
    for name in ["ann-001", "ann-002", "ann-003"] {
        let bytes = std::fs::read(format!("{folder}/{name}.fea")).unwrap();
        let utts = read_memory(&HTK, &[], &bytes).unwrap();
        assert_eq!(utts[0].features.as_ref().map(Matrix::cols), Some(40));
        assert_eq!(utts[0].meta.frame_shift, Decimal::parse("0.01"));
        assert_eq!(write_memory(&HTK, &[], &utts).unwrap(), bytes);
    }
}
