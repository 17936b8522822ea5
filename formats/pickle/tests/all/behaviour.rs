//! The format's behaviour as seen from outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use spr_core::bytes::{Env, Source};
use spr_core::format::{Options, Reader, Request};
use spr_core::model::{Dtype, Key, Matrix, Rank, Utterance, f16};
use spr_core::{ErrorKind, Limits};
use spr_format_pickle::FORMAT;
use spr_testkit::{Suite, compare_all, read, read_memory, suite, write, write_memory};

const PROTOCOLS: [&str; 6] = ["0", "1", "2", "3", "4", "5"];

#[test]
fn behaves() {
    suite(&Suite {
        options: &[
            &[],
            &[("keys", "none")],
            &[("protocol", "0")],
            &[("protocol", "4")],
            &[("layout", "dict")],
            &[("layout", "dict"), ("protocol", "0")],
            &[("layout", "dict"), ("protocol", "5")],
            &[("layout", "list")],
            &[("layout", "list"), ("protocol", "1"), ("keys", "none")],
        ],
        ..Suite::new(&FORMAT)
    });
}

/// Returns utterances of the given lengths, with values of every byte.
fn utterances(lengths: &[usize], dim: usize, label_columns: usize) -> Vec<Utterance> {
    let mut seed = 1u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed ^ seed >> 15
    };
    let mut utts = Vec::new();
    for (n, &frames) in lengths.iter().enumerate() {
        let features: Vec<_> = (0..frames * dim).map(|_| f32::from_bits(next())).collect();
        let labels: Vec<_> = (0..frames * label_columns)
            .map(|_| next().cast_signed())
            .collect();
        let cols = if frames == 0 { 0 } else { dim };
        utts.push(Utterance {
            key: Key::from(format!("speaker-{n}").as_str()),
            features: Some(Matrix::from_rows(&features, cols, Rank::Matrix).unwrap()),
            labels: (label_columns > 0).then(|| {
                let mut labels = Matrix::from_rows(&labels, label_columns, Rank::Matrix).unwrap();
                labels.reshape(Rank::Matrix, frames, label_columns).unwrap();
                labels
            }),
            ..Utterance::default()
        });
    }
    utts
}

#[test]
fn every_protocol_keeps_all_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let utts = utterances(&[1, 5000, 0, 37, 12000], 23, 1);
    for protocol in PROTOCOLS {
        let path = folder.path().join(format!("{protocol}.pkl"));
        write(&FORMAT, &[("protocol", protocol)], &utts, &path).unwrap();
        let back = read(&FORMAT, &[], &path).unwrap();
        compare_all(&utts, &back, true, false).unwrap_or_else(|e| panic!("{protocol}: {e}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_lengths_round_trip(
        lengths in prop::collection::vec(0usize..40, 0..6),
        dim in 1usize..9,
        label_columns in 0usize..4,
        protocol in prop::sample::select(&PROTOCOLS[..]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.pkl");
        let utts = utterances(&lengths, dim, label_columns);
        write(&FORMAT, &[("protocol", protocol)], &utts, &path).unwrap();
        let back = read(&FORMAT, &[], &path).unwrap();
        prop_assert_eq!(compare_all(&utts, &back, true, false), Ok(()));
    }
}

#[test]
fn what_is_written_is_what_every_python_loads() {
    let utt = Utterance {
        key: Key::from("a"),
        features: Some(Matrix::from_rows(&[1.0f32, -2.0], 2, Rank::Matrix).unwrap()),
        ..Utterance::default()
    };
    let bytes = write_memory(&FORMAT, &[], &[utt]).unwrap();
    let mut want =
        b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85".to_vec();
    want.extend_from_slice(b"X\x01\0\0\0b\x87R(K\x01\x8a\x08\x01\0\0\0\0\0\0\0");
    want.extend_from_slice(b"\x8a\x08\x02\0\0\0\0\0\0\0\x86cnumpy\ndtype\nX\x02\0\0\0f4");
    want.extend_from_slice(b"\x89\x88\x87R(K\x03X\x01\0\0\0<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xff");
    want.extend_from_slice(b"K\0tb\x89c_codecs\nencode\nX\x0a\0\0\0\0\0\xc2\x80?\0\0\0\xc3\x80");
    want.extend_from_slice(b"X\x06\0\0\0latin1\x86Rtb.");
    assert_eq!(
        bytes.escape_ascii().to_string(),
        want.escape_ascii().to_string()
    );
}

/// Returns a protocol 0 pickle of an array.
fn array(dtype: &str, order: &str, shape: &str, data: &str) -> String {
    format!(
        "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n{shape}cnumpy\n\
         dtype\n(S'{dtype}'\nI0\nI1\ntR(I3\nS'{order}'\nNNNI-1\nI-1\nI0\ntbI00\nS'{data}'\ntb"
    )
}

fn error(bytes: &[u8]) -> spr_core::Error {
    match read_memory(&FORMAT, &[], bytes) {
        Err(error) => error,
        Ok(utts) => panic!("read {utts:?}"),
    }
}

#[test]
fn says_what_it_does_not_read() {
    let two = array("i1", "|", "(I2\nI1\nt", "ab");
    let three = array("i1", "|", "(I3\nt", "abc");
    for (pickle, want) in [
        (
            "N.".to_owned(),
            "memory: holds None; an array of features, a (features, labels) pair, and a dict",
        ),
        (
            "(dS'a'\nNs.".to_owned(),
            "memory: utterance a: is None, not an array or a pair of arrays",
        ),
        (
            format!("({two}{three}Nt."),
            "holds a tuple of 3 items (an array of 2 x 1, an array of 3, None)",
        ),
        (
            format!("({two}(dt."),
            "(an array of 2 x 1, a dict of 0 entries)",
        ),
        (
            format!("({two}{three}t."),
            "2 frames of features, but labels for 3",
        ),
        (
            array("f4", "<", "(t", "abcd") + ".",
            "holds a single NumPy value",
        ),
        (
            array("c8", "<", "(I1\nt", "abcdefgh") + ".",
            "NumPy's type 'c8'",
        ),
        (array("O8", "|", "(I1\nt", "") + ".", "NumPy's type 'O8'"),
        (
            array("f4", "<", "(I1\nI1\nI1\nt", "abcd") + ".",
            "have 3 dimensions",
        ),
        (
            array("f4", "<", "(I-1\nt", "") + ".",
            "the shape of the features makes no sense",
        ),
        (
            array("f4", "<", "(I2\nt", "abcd") + ".",
            "an array of 2 of 4-byte numbers, but have 4",
        ),
        (
            array("f4", "<", "(I4611686018427387904\nI4\nt", "") + ".",
            "an array of 4611686018427387904 x 4",
        ),
        (
            array("f4", "<", "(I9223372036854775807\nI0\nt", "") + ".",
            "rows of 0 columns",
        ),
        (two.clone() + ".N.", "something follows the pickle"),
        (
            two.clone() + ".\n(lp0\n",
            "the pickle ends here, before its STOP",
        ),
    ] {
        let error = error(pickle.as_bytes());
        assert!(error.to_string().contains(want), "{error}");
    }
    let utts = read_memory(&FORMAT, &[], (two + ".\r\n \n").as_bytes()).unwrap();
    let features = utts[0].features.as_ref().unwrap();
    assert_eq!(features.as_slice::<i8>(), Some(&[97, 98][..]));
}

#[test]
fn text_that_is_not_bytes_is_found_while_reading() {
    let utts = utterances(&[400], 2, 0);
    let mut bytes = write_memory(&FORMAT, &[], &utts).unwrap();
    let start = bytes.windows(7).position(|w| w == b"encode\n").unwrap() + 12;
    let wide = start + bytes[start..].iter().position(|&b| b >= 0xc2).unwrap();
    bytes[wide] = 0xd0;
    let error = error(&bytes);
    assert_eq!(error.byte_offset(), Some(wide as u64));
    assert!(error.to_string().contains("beyond U+00FF"), "{error}");
}

#[test]
fn decoded_data_must_fill_the_shape_exactly() {
    let escaped = "\\x00a".repeat(1000);
    for (rows, want) in [(2001, "too short"), (1999, "too long")] {
        let pickle = array("u1", "|", &format!("(I{rows}\nt"), &escaped) + ".";
        let error = error(pickle.as_bytes());
        assert!(error.to_string().contains(want), "{error}");
    }
    let pickle = array("u1", "|", "(I2000\nt", &escaped) + ".";
    assert_eq!(
        read_memory(&FORMAT, &[], pickle.as_bytes()).unwrap()[0].frames(),
        2000
    );
}

#[test]
fn the_side_file_must_agree() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pkl");
    write(&FORMAT, &[], &utterances(&[2, 3], 4, 1), &path).unwrap();
    let side = folder.path().join("x.pkl.utt2num_frames");
    assert_eq!(
        fs::read_to_string(&side).unwrap(),
        "speaker-0 2\nspeaker-1 3\n"
    );
    for (text, want) in [
        (
            "a 2\nb 4\n",
            "2: utterance b: says 4 frames, but only 3 of 5 are left",
        ),
        ("a 2\nb 2\n", "names 4 frames in all, but the data have 5"),
        (
            "a 2\nb 3\nc 1\n",
            "3: utterance c: says 1 frames, but only 0 of 5 are left",
        ),
        ("a 2\nb\n", "2: a line is not 'key frames'"),
        ("", "names 0 frames in all, but the data have 5"),
    ] {
        fs::write(&side, text).unwrap();
        let error = read(&FORMAT, &[], &path).unwrap_err();
        assert!(error.to_string().contains(want), "{error}");
        assert!(error.hint_text().unwrap().contains("keys=none"));
    }
    let utts = read(&FORMAT, &[("keys", "none")], &path).unwrap();
    assert_eq!((utts.len(), utts[0].frames()), (1, 5));
}

fn open(source: Source, request: Request, env: &Env) -> Box<dyn Reader> {
    let opened = request.open(&FORMAT, source, &Options::default(), env);
    opened.unwrap().into_stream().unwrap()
}

#[test]
fn what_is_known_is_known_at_once() {
    let bytes = write_memory(&FORMAT, &[], &utterances(&[7, 2], 5, 2)).unwrap();
    let source = Source::from_bytes("x", bytes).unwrap();
    let reader = open(source, Request::all(), &Env::default());
    let info = reader.info();
    assert_eq!(
        (info.frames, info.dim, info.label_columns),
        (Some(9), Some(5), Some(2))
    );
    assert_eq!((info.dtype, info.utterances), (Some(Dtype::F32), Some(1)));
}

/// Arrays whose numbers are coded as text are found by reading all before them; one label a frame is a vector.
#[test]
fn joined_arrays_say_how_they_are_read() {
    for (protocol, labels, sequential, rank) in [
        ("2", 1, true, Rank::Vector),
        ("4", 1, false, Rank::Vector),
        ("4", 2, false, Rank::Matrix),
    ] {
        let written = utterances(&[7000, 2], 5, labels);
        let bytes = write_memory(&FORMAT, &[("protocol", protocol)], &written).unwrap();
        let source = Source::from_bytes("x", bytes).unwrap();
        let mut reader = open(source, Request::all(), &Env::default());
        assert_eq!(reader.info().sequential.is_some(), sequential, "{protocol}");
        let mut utt = Utterance::default();
        assert!(reader.read(&mut utt).unwrap());
        assert_eq!(utt.labels.unwrap().rank(), rank, "{protocol} {labels}");
    }
}

#[test]
fn limits_hold() {
    let limits = Limits {
        max_alloc: 20,
        ..Limits::default()
    };
    let env = Env::new(limits, Default::default(), |_| {});
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/pickle");
    for case in ["py36-p4-fortran", "py36-p4-pair"] {
        let pickle = fixtures.join(case).join("input.pkl");
        let source = env.open_file(&pickle.into()).unwrap();
        let mut reader = open(source, Request::all(), &env);
        let error = reader.read(&mut Utterance::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        assert!(!reader.read(&mut Utterance::default()).unwrap());
    }
}

/// All uncommon NumPy types, in both orders of rows and columns.
#[test]
fn halves_and_truth_values_keep_their_types() {
    // numpy.array([[1.5, -2], [numpy.inf, 5.96e-8]], '<f2').tobytes(), and its transpose's.
    let rows = "\\x00\\x3e\\x00\\xc0\\x00\\x7c\\x01\\x00";
    let columns = "\\x00\\x3e\\x00\\x7c\\x00\\xc0\\x01\\x00";
    for (data, fortran) in [(rows, "I00"), (columns, "I01")] {
        let pickle = array("f2", "<", "(I2\nI2\nt", data) + ".";
        let pickle = pickle.replace("tbI00\nS", &format!("tb{fortran}\nS"));
        let utts = read_memory(&FORMAT, &[], pickle.as_bytes()).unwrap();
        let features = utts[0].features.as_ref().unwrap();
        let halves = [1.5, -2.0, f32::INFINITY, 5.960_464_5e-8].map(f16::from_f32);
        assert_eq!(features.values::<f16>().unwrap(), halves);
    }
    // numpy.array([True, False]).tobytes()
    let pickle = array("b1", "|", "(I2\nt", "\\x01\\x00") + ".";
    let utts = read_memory(&FORMAT, &[], pickle.as_bytes()).unwrap();
    let features = utts[0].features.as_ref().unwrap();
    assert_eq!(features.values::<bool>().unwrap(), [true, false]);
    let error = error((array("b1", "|", "(I2\nt", "\\x01\\x02") + ".").as_bytes());
    let want = "utterance utt000000: a truth value that is neither 0 nor 1";
    assert!(error.to_string().contains(want), "{error}");
    assert_eq!(error.kind(), ErrorKind::Malformed);
}

#[test]
fn what_nobody_wants_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let utts = utterances(&[3, 4000, 0, 37, 9], 23, 1);
    for options in [
        &[][..],
        &[("protocol", "4")],
        &[("layout", "dict")],
        &[("layout", "list")],
    ] {
        let name = options.iter().map(|(name, value)| format!("{name}{value}"));
        let path = folder
            .path()
            .join(format!("x{}.pkl", name.collect::<String>()));
        write(&FORMAT, options, &utts, &path).unwrap();
        let env = Env::default();
        let read = |request: Request| {
            let source = env.open_file(&path.as_path().into()).unwrap();
            let (mut reader, mut all) = (open(source, request, &env), Vec::new());
            let mut utt = Utterance::default();
            while reader.read(&mut utt).unwrap() {
                all.push(utt.clone());
            }
            all
        };
        let some = read(Request::all().keys(|key| key.as_bytes() > b"speaker-2".as_slice()));
        compare_all(&utts[3..], &some, true, false).unwrap();
        let headers = read(Request::all().headers());
        for (utt, head) in utts.iter().zip(&headers) {
            let shape = |utt: &Utterance| utt.features.as_ref().map(|f| (f.rows(), f.cols()));
            assert_eq!((&utt.key, shape(utt)), (&head.key, shape(head)));
            assert_eq!(
                utt.labels.as_ref().map(Matrix::rows),
                head.labels.as_ref().map(Matrix::rows)
            );
        }
        assert_eq!(headers.len(), utts.len());
    }
}
