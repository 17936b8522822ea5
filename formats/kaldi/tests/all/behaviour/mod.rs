//! The behaviour suite, and behaviour specific to Kaldi.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use crate::common;
mod compressed;
mod damage;

use common::env;
use spr_core::bytes::{ByteOrder, Env, Locator, Source};
use spr_core::format::Request;
use spr_core::model::{Audio, Dtype, Matrix, Object, Rank, Utterance};
use spr_core::{Error, ErrorKind, Limits};
use spr_format_kaldi::FORMAT;
use spr_testkit::{Suite, read_memory, suite, write_memory, write_to};

#[test]
fn binary() {
    suite(&Suite {
        self_delimiting: true,
        kind_by_length: true,
        env,
        prepare: |utt| {
            plain_scalar(utt);
            // Some integers have the bits of usual floats; the majority decides.
            let labels = utt.labels.as_mut().and_then(|m| m.as_slice_mut::<i32>());
            for (n, label) in labels.into_iter().flatten().enumerate() {
                *label = if n % 3 == 2 { *label } else { 7 };
            }
        },
        ..Suite::new(&FORMAT)
    });
}

/// Audio files preceded by their size, as in ESPnet.
#[test]
fn sound_behind_its_size() {
    fn fits(utt: &mut Utterance) {
        plain_scalar(utt);
        let labels = utt.labels.as_mut().and_then(|m| m.as_slice_mut::<i32>());
        labels.into_iter().flatten().for_each(|label| *label = 7);
        // FLAC stores 24 bits per sample, eight channels, and no empty audio.
        let Some(sound) = utt.audio.as_mut().and_then(Audio::waveform_mut) else {
            return;
        };
        let samples = &mut sound.samples;
        if samples.rows() == 0 || samples.cols() > 8 {
            let (dtype, rows) = (samples.dtype(), samples.rows().max(1));
            let limits = Limits::default();
            samples
                .reset(dtype, Rank::Matrix, rows, 8, &limits)
                .unwrap();
        }
        if let Ok(samples) = samples.values_mut::<i32>() {
            samples.iter_mut().for_each(|sample| *sample &= !0xff);
        }
    }
    suite(&Suite {
        options: &[&[("audio", "flac")], &[("audio", "wav")]],
        self_delimiting: true,
        kind_by_length: true,
        env,
        prepare: fits,
        ..Suite::new(&FORMAT)
    });
}

/// Some floats have the bits of usual integers.
fn plain_scalar(utt: &mut Utterance) {
    let Some(features) = utt.features.as_mut().filter(|m| m.rank() == Rank::Scalar) else {
        return;
    };
    let dtype = features.dtype();
    *features = Matrix::from_rows(&[1.5f32], 1, Rank::Scalar).unwrap();
    features.cast(dtype, &Limits::default()).unwrap();
}

/// In text a single integer is a scalar, not a vector.
fn features_as(utt: &mut Utterance, dtype: Dtype) {
    if let Some(Object::SparseVector(sparse) | Object::SparseMatrix(sparse)) = &mut utt.object {
        sparse.dtype = dtype;
    }
    if let Some(labels) = utt.labels.as_mut().filter(|m| m.rows() == 1) {
        *labels = Matrix::from_rows(&[1i32, 2], 1, Rank::Vector).unwrap();
    }
    if let Some(features) = &mut utt.features {
        features.cast(dtype, &Limits::default()).unwrap();
    }
    plain_scalar(utt);
}

#[test]
fn text() {
    let text = Suite {
        kind_by_length: true,
        text: true,
        self_delimiting: true,
        ..Suite::new(&FORMAT)
    };
    suite(&Suite {
        options: &[&[("text", "true"), ("dtype", "f32")]],
        prepare: |utt| features_as(utt, Dtype::F32),
        ..text
    });
    suite(&Suite {
        options: &[&[("text", "true"), ("dtype", "f64")]],
        prepare: |utt| features_as(utt, Dtype::F64),
        ..text
    });
}

type Pairs<'a> = &'a [(&'a str, &'a str)];

fn floats(utt: &Utterance) -> (Rank, usize, usize, Vec<f32>) {
    let m = utt.features.as_ref().expect("features");
    (m.rank(), m.rows(), m.cols(), m.as_slice().unwrap().to_vec())
}

fn integers(utt: &Utterance) -> &[i32] {
    assert!(utt.features.is_none());
    utt.labels.as_ref().expect("labels").as_slice().unwrap()
}

fn one(bytes: &[u8], options: Pairs<'_>) -> Utterance {
    let mut utts = read_memory(&FORMAT, options, bytes)
        .unwrap_or_else(|e| panic!("{}: {e}", bytes.escape_ascii()));
    assert_eq!(utts.len(), 1, "{}", bytes.escape_ascii());
    utts.remove(0)
}

fn error(bytes: &[u8], options: Pairs<'_>) -> Error {
    match read_memory(&FORMAT, options, bytes) {
        Err(error) => error,
        Ok(utts) => panic!("{}: gives {utts:?}", bytes.escape_ascii()),
    }
}

fn features(key: &str, values: &[f32], cols: usize, rank: Rank) -> Utterance {
    Utterance {
        key: key.into(),
        features: Some(Matrix::from_rows(values, cols, rank).unwrap()),
        ..Utterance::default()
    }
}

fn labels(key: &str, values: &[i32]) -> Utterance {
    Utterance {
        key: key.into(),
        labels: Some(Matrix::from_rows(values, 1, Rank::Vector).unwrap()),
        ..Utterance::default()
    }
}

#[test]
fn binary_and_text_mix() {
    let bytes = b"a \0BFM \x04\x01\0\0\0\x04\x02\0\0\0\0\0\x80\x3f\0\0\0\x40\n\n\
        b  [\r\n 1 -.5\r\n 3e0 inf ]\r\n  c\t[ 5. 6]d [ 1-2;3 4 ]\n\
        e \0BDV\n\x04\x01\0\0\0\0\0\0\0\0\0\xf0\x3f";
    let utts = read_memory(&FORMAT, &[], bytes).unwrap();
    let keys: Vec<_> = utts.iter().map(|u| u.key.to_string()).collect();
    assert_eq!(keys, ["a", "b", "c", "d", "e"]);
    assert_eq!(floats(&utts[0]), (Rank::Matrix, 1, 2, vec![1.0, 2.0]));
    let b = vec![1.0, -0.5, 3.0, f32::INFINITY];
    assert_eq!(floats(&utts[1]), (Rank::Matrix, 2, 2, b));
    assert_eq!(floats(&utts[2]), (Rank::Vector, 2, 1, vec![5.0, 6.0]));
    assert_eq!(
        floats(&utts[3]),
        (Rank::Matrix, 2, 2, vec![1.0, -2.0, 3.0, 4.0])
    );
    let e = utts[4].features.as_ref().unwrap();
    assert_eq!(
        (e.rank(), e.as_slice::<f64>()),
        (Rank::Vector, Some(&[1.0][..]))
    );
}

#[test]
fn text_layout_is_kaldis() {
    let (matrix, vector) = (Rank::Matrix, Rank::Vector);
    for (utts, expected) in [
        (
            vec![features("k", &[1.0, 0.1, -3.0, 1e-7], 2, matrix)],
            "k  [\n  1 0.1 \n  -3 1e-7 ]\n",
        ),
        (
            vec![features("k", &[1.5, 2.0], 1, vector)],
            "k  [ 1.5 2 ]\n",
        ),
        (vec![features("k", &[], 0, matrix)], "k  [ ]\n"),
        (
            vec![
                features("a", &[1.0], 1, vector),
                features("b", &[], 1, vector),
            ],
            "a  [ 1 ]\nb  [ ]\n",
        ),
        (
            vec![labels("a", &[1, -2]), labels("b", &[])],
            "a 1 -2 \nb \n",
        ),
    ] {
        let bytes = write_memory(&FORMAT, &[("text", "true")], &utts).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }
    let utts = [features("k", &[1e-7, 16_777_216.0, 0.1], 1, vector)];
    let bytes = write_memory(&FORMAT, &[("text", "true"), ("digits", "kaldi")], &utts).unwrap();
    assert_eq!(bytes, b"k  [ 1e-07 1.677722e+07 0.1 ]\n");
}

#[test]
fn text_f64_keeps_its_digits() {
    let utt = Utterance {
        key: "k".into(),
        features: Some(Matrix::from_rows(&[0.1f64, 1e300], 2, Rank::Matrix).unwrap()),
        ..Utterance::default()
    };
    let bytes = write_memory(&FORMAT, &[("text", "true")], std::slice::from_ref(&utt)).unwrap();
    assert_eq!(one(&bytes, &[("dtype", "f64")]), utt);
    assert_eq!(one(&bytes, &[("holder", "double-matrix")]), utt);
    assert_eq!(
        error(&bytes, &[]).to_string(),
        "memory@11: utterance k: '1e+300' is not an f32 number"
    );
}

#[test]
fn integers_are_labels() {
    let utts = read_memory(&FORMAT, &[], b"a 1 -2\t3 \r\nb\nc \r\n\nd 2147483647\n").unwrap();
    let all: Vec<_> = utts.iter().map(integers).collect();
    assert_eq!(all, [&[1, -2, 3][..], &[], &[], &[i32::MAX]]);
    let bytes = b"a \0B\x04\x02\0\0\0\x04\x07\0\0\0\x04\xff\xff\xff\xffb \0B\x04\0\0\0\0";
    let utts = read_memory(&FORMAT, &[], bytes).unwrap();
    let all: Vec<_> = utts.iter().map(integers).collect();
    assert_eq!(all, [&[7, -1][..], &[]]);
}

#[test]
fn what_nobody_reads_is_refused_by_name() {
    for (bytes, name) in [
        (&b"k fLaC\0\0\0\x22"[..], "a FLAC file"),
        (b"k PKL\x80\x04", "kaldiio's own form of a pickled object"),
        (
            b"k AUDIO\x02\x06\0OggS\0\0",
            "an Ogg file in kaldiio's form",
        ),
        (
            b"k NPY\x01\x04what",
            "a file that is not known in kaldiio's form",
        ),
    ] {
        let error = error(bytes, &[]);
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        let message =
            format!("memory@2: utterance k: holds {name}, which this version does not convert");
        assert_eq!(error.to_string(), message);
    }
    let vector = one(b"k [ 1 0.5 ] \n", &[("holder", "float-vector")]);
    assert_eq!(floats(&vector), (Rank::Vector, 2, 1, vec![1.0, 0.5]));
}

#[test]
fn objects_without_a_key() {
    assert_eq!(one(b"[ 1 2 ]\n", &[]).key.as_bytes(), b"utt000000");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mean.vec");
    std::fs::write(&path, b"\0BFV \x04\x01\0\0\0\0\0\x80\x3f").unwrap();
    let utts = spr_testkit::read(&FORMAT, &[], &path).unwrap();
    assert_eq!(utts[0], features("mean", &[1.0], 1, Rank::Vector));
    let packed = one(b"\0B\x04\x02\0\0\0\x05\0\0\0\x04\0\0\0", &[]);
    assert_eq!(integers(&packed), [5, 4]);
    let tagged = one(b"\0B\x04\x01\0\0\0\x04\x05\0\0\0", &[]);
    assert_eq!(integers(&tagged), [5]);
    // A key may be a bracket in any case.
    let utts = [labels("[", &[1, 2]), labels("[", &[])];
    let bytes = write_memory(&FORMAT, &[("text", "true")], &utts).unwrap();
    assert_eq!(read_memory(&FORMAT, &[], &bytes).unwrap(), utts);
}

#[test]
fn the_holder_decides() {
    let matrix = one(b"a [ 1 2 ]\n", &[("holder", "float-matrix")]);
    assert_eq!(floats(&matrix), (Rank::Matrix, 1, 2, vec![1.0, 2.0]));
    let empty = one(b"a  [ ]\n", &[("holder", "float-vector")]);
    assert_eq!(floats(&empty), (Rank::Vector, 0, 1, vec![]));
    for (bytes, holder) in [
        (&b"a  [\n 1 ]\n"[..], "float-vector"),
        (b"a 1 2\n", "float-matrix"),
        (b"a [ 1 ]\n", "int32-vector"),
        (b"a \0BFV \x04\0\0\0\0", "float-matrix"),
        (b"a \0BFM \x04\0\0\0\0\x04\0\0\0\0", "int32-vector"),
    ] {
        error(bytes, &[("holder", holder)]);
    }
    assert_eq!(
        error(b"a 1\n", &[("holder", "tokens")]).kind(),
        ErrorKind::Usage
    );
}

#[test]
fn a_table_holds_one_kind() {
    let utts = [labels("a", &[1]), features("b", &[1.0], 1, Rank::Matrix)];
    let error = write_memory(&FORMAT, &[], &utts).unwrap_err();
    assert!(error.can_continue(), "{error}");
    let mut both = features("a", &[1.0], 1, Rank::Matrix);
    both.labels = labels("a", &[1]).labels;
    assert!(write_memory(&FORMAT, &[], &[both]).is_err());
}

#[test]
fn scripts_point_into_archives_only() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let options = spr_testkit::options(&FORMAT, &[]).unwrap();
    let env = Env::default();
    let script = || Locator::file(at("a.scp"));
    for bad in [
        Locator::Standard,
        Locator::Command("cat".into()),
        Locator::file(at("a.ark.gz")),
        Locator::file(at("a\nb.ark")),
    ] {
        let output = env.output(&bad).with_named("scp", script());
        assert!(write_to(&FORMAT, &options, &[], output.overwrite(true)).is_err());
    }
    let utts = [labels("utt-a", &[1, 2]), labels("b", &[3])];
    let output = env.output(&Locator::file(at("a.ark")));
    let output = output.with_named("scp", script()).overwrite(true);
    write_to(&FORMAT, &options, &utts, output).unwrap();
    let name = at("a.ark").display().to_string();
    let lines = std::fs::read_to_string(at("a.scp")).unwrap();
    assert_eq!(lines, format!("utt-a {name}:6\nb {name}:25\n"));
    let back = spr_testkit::read(&FORMAT, &[], &at("a.scp")).unwrap();
    assert_eq!(back, utts);
}

#[test]
fn a_script_file_has_its_archive_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let utts = [labels("utt-a", &[1, 2]), labels("b", &[3])];
    spr_testkit::write(&FORMAT, &[], &utts, &at("a.scp")).unwrap();
    let name = at("a.ark").display().to_string();
    let lines = std::fs::read_to_string(at("a.scp")).unwrap();
    assert_eq!(lines, format!("utt-a {name}:6\nb {name}:25\n"));
    assert_eq!(spr_testkit::read(&FORMAT, &[], &at("a.ark")).unwrap(), utts);
    // A requested archive is read as one.
    let pairs = [("table", "ark")];
    spr_testkit::write(&FORMAT, &pairs, &utts, &at("b.scp")).unwrap();
    assert!(!at("b.ark").exists());
    assert_eq!(
        spr_testkit::read(&FORMAT, &pairs, &at("b.scp")).unwrap(),
        utts
    );
}

#[test]
fn what_is_known_is_known_at_opening() {
    let info = |bytes: &[u8], options: Pairs<'_>| {
        let source = Source::from_bytes("x", bytes.to_vec()).unwrap();
        let options = spr_testkit::options(&FORMAT, options).unwrap();
        let opened = Request::all()
            .open(&FORMAT, source, &options, &env())
            .unwrap();
        opened.into_stream().unwrap().info().clone()
    };
    for (bytes, options, binary, labels) in [
        (&b"a 1 2 3 \nb 4 \n"[..], &[][..], false, true),
        (b"a  [ 1 2 ]\n", &[], false, false),
        (
            b"a  [\n 1 2 ]\n",
            &[("holder", "int32-vector")],
            false,
            true,
        ),
        (b"a \0BFM \x04\0\0\0\0\x04\0\0\0\0", &[], true, false),
        (b"a \0B\x04\x01\0\0\0\x04\x05\0\0\0", &[], true, true),
        (b"\0B\x04\x01\0\0\0\x05\0\0\0", &[], true, true),
    ] {
        let info = info(bytes, options);
        let order = binary.then_some(ByteOrder::Little);
        let columns = labels.then_some(1);
        let shown = bytes.escape_ascii();
        assert_eq!(
            (info.byte_order, info.label_columns),
            (order, columns),
            "{shown}"
        );
    }
}

/// Returns key and shape of each utterance, and the error at the end, if there is one.
fn shapes(bytes: &[u8], values: bool) -> (Vec<String>, Option<String>) {
    let request = match values {
        true => Request::all(),
        false => Request::all().headers(),
    };
    let source = Source::from_bytes("x", bytes.to_vec()).unwrap();
    let opened = request.open(&FORMAT, source, &Default::default(), &Env::default());
    let mut reader = match opened.and_then(|opened| opened.into_stream()) {
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), Some(error.to_string())),
    };
    let (mut all, mut utt) = (Vec::new(), Utterance::default());
    loop {
        match reader.read(&mut utt) {
            Ok(true) => all.push(format!("{} {:?} {:?}", utt.key, utt.features, utt.labels)),
            Ok(false) => return (all, None),
            Err(error) => return (all, Some(error.to_string())),
        }
    }
}

#[test]
fn shapes_and_cuts_are_seen_without_the_values() {
    let features = |key: &str, rows: usize, cols: usize, rank| {
        let values: Vec<f32> = (0u16..).map(f32::from).take(rows * cols).collect();
        Utterance {
            key: key.into(),
            features: Some(Matrix::from_rows(&values, cols, rank).unwrap()),
            ..Utterance::default()
        }
    };
    let mut utts = vec![
        features("a", 9, 2, Rank::Matrix),
        features("b", 3, 4, Rank::Matrix),
        features("c", 5, 1, Rank::Vector),
        features("d", 0, 0, Rank::Matrix),
        features("e", 2, 3, Rank::Matrix),
    ];
    utts[4]
        .features
        .as_mut()
        .unwrap()
        .cast(Dtype::F64, &Limits::default())
        .unwrap();
    for options in [&[][..], &[("compress", "1")], &[("compress", "5")]] {
        let bytes = write_memory(&FORMAT, options, &utts).unwrap();
        let (all, error) = shapes(&bytes, false);
        assert_eq!((all.len(), &error), (5, &None));
        assert_eq!((all, error), shapes(&bytes, true));
        for cut in 0..bytes.len() {
            let (seen, wrong) = shapes(&bytes[..cut], false);
            let (expected, error) = shapes(&bytes[..cut], true);
            assert_eq!(
                (seen, wrong.is_some()),
                (expected, error.is_some()),
                "{cut}"
            );
        }
    }
}

#[test]
fn a_last_line_that_is_whole_needs_no_end() {
    let whole = [
        "a  [ 1 2 ]\nb  [ 3 ]",
        "a  [\n  1 2 ]\nb  [\n  1 2\n  3 4 ]",
        "a dim=5 [ 1 2 ] \nb dim=5 [ 2 1 ]",
        "a rows=1 dim=5 [ 1 2 ] \nb rows=2 dim=5 [ 2 1 ] dim=5 [ 1 3 ] ",
    ];
    for text in whole {
        let (all, error) = shapes(text.as_bytes(), true);
        assert_eq!((all.len(), error), (2, None), "{text}");
    }
    let open = [
        "a 1 2 3 \nb 4 5",
        "a 1\nb 2",
        "a hello\nb world",
        "a 1 ; 2 ; \nb 2 ; ",
        "a [ 1 0.5 ] [ 2 1 ] \nb [ 1 0.5 ]",
        "a  [ 1 2 ]\nb  [ 3 ",
        "a dim=5 [ 1 2 ] \nb dim=5 [ 2 1 ",
        "a rows=1 dim=5 [ 1 2 ] \nb rows=2 dim=5 [ 2 1 ]",
        "a rows=1 dim=5 [ 1 2 ] \nb rows=0",
    ];
    for text in open {
        let (all, error) = shapes(text.as_bytes(), true);
        assert!(all.len() == 1 && error.is_some(), "{text} {error:?}");
    }
}
