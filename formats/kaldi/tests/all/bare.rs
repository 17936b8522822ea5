//! Objects without keys: one file, one or several objects, or a place in an archive.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use spr_core::bytes::{Env, Locator};
use spr_core::format::{ChunkSupport, Request};
use spr_core::model::{Dtype, Key, Rank, Utterance};
use spr_core::{ErrorKind, Result};
use spr_format_kaldi::FORMAT;

use super::common::holding;

type Pairs<'a> = &'a [(&'a str, &'a str)];

/// Reads what there is at a place, as keys with values and errors, and the warnings.
fn read_at(
    env: &Env,
    at: &Locator,
    options: Pairs<'_>,
    request: Request,
) -> Result<(Vec<String>, Vec<String>)> {
    let (env, warnings) = spr_testkit::listening(env);
    let options = spr_testkit::options(&FORMAT, options)?;
    let opened = request.open(&FORMAT, env.open(at)?, &options, &env)?;
    let mut reader = opened.into_stream()?;
    let (mut all, mut utt) = (Vec::new(), Utterance::default());
    loop {
        match reader.read(&mut utt) {
            Ok(false) => break,
            Ok(true) => all.push(shown(&utt)),
            Err(error) => all.push(error.to_string()),
        }
    }
    let warnings = warnings.lock().unwrap().clone();
    Ok((all, warnings))
}

fn shown(utt: &Utterance) -> String {
    let key = &utt.key;
    match (&utt.features, &utt.labels) {
        (Some(values), _) => {
            let numbers = values.as_slice::<f32>().unwrap();
            format!(
                "{key} {:?} {}x{} {numbers:?}",
                values.rank(),
                values.rows(),
                values.cols()
            )
        }
        (_, Some(labels)) => format!("{key} {:?}", labels.values::<i32>().unwrap()),
        _ => format!("{key} {:?}", utt.object),
    }
}

fn read(file: &str, bytes: &str, options: Pairs<'_>) -> Result<(Vec<String>, Vec<String>)> {
    read_at(
        &holding(&[(file, bytes)]),
        &Locator::file(file),
        options,
        Request::all(),
    )
}

const ONE: &str = "b Matrix 2x2 [1.0, 2.0, 3.0, 4.0]";

#[test]
fn objects_of_a_file_are_numbered() {
    let text = " [\n 1 2\n 3 4 ]\n [\n 5 6 ]\n";
    let all = [
        "b-000000 Matrix 2x2 [1.0, 2.0, 3.0, 4.0]",
        "b-000001 Matrix 1x2 [5.0, 6.0]",
    ];
    let read_all = read("a/b.mat", text, &[("all", "true")]).unwrap();
    assert_eq!(read_all, (all.map(str::to_owned).to_vec(), vec![]));
    assert_eq!(read("a/b.mat", text, &[("all", "false")]).unwrap().0, [ONE]);
    let refused = read("a/b.mat", text, &[]).unwrap().0;
    assert_eq!(
        refused,
        ["a/b.mat@16: utterance b: more objects follow the first"]
    );
    // Those that are not wanted count as well.
    let env = holding(&[("b.mat", text)]);
    let second = Request::all().keys(|key| key.as_bytes() == b"b-000001");
    let at = Locator::file("b.mat");
    assert_eq!(
        read_at(&env, &at, &[("all", "true")], second).unwrap().0,
        all[1..]
    );
}

#[test]
fn a_range_is_one_of_an_object() {
    let text = " [\n 1 2\n 3 4\n 5 6 ]\n";
    let range = |range| read("b.mat", text, &[("range", range)]);
    assert_eq!(range("0:1").unwrap().0, [ONE]);
    assert_eq!(range("1:2,1:1").unwrap().0, ["b Matrix 2x1 [4.0, 6.0]"]);
    let (clipped, warnings) = range("2:4").unwrap();
    assert_eq!(clipped, ["b Matrix 1x2 [5.0, 6.0]"]);
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].starts_with("b.mat@0: utterance b: "),
        "{warnings:?}"
    );
    let beyond = range("2:9").unwrap().0;
    assert!(beyond[0].starts_with("b.mat@0: "), "{beyond:?}");
    for (name, text, options, why) in [
        (
            "b.ark",
            "a [ 1 2 ]\n",
            &[("range", "0:0")][..],
            "it has keys",
        ),
        (
            "b.scp",
            "a b.mat\n",
            &[("range", "0:0")],
            "it is a script file",
        ),
        (
            "b.mat",
            text,
            &[("range", "0:0"), ("all", "true")],
            "all objects are read",
        ),
    ] {
        let error = read(name, text, options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        let told = format!("{name}: a range is one of a single object, but {why}");
        assert_eq!(error.to_string(), told);
    }
    let error = read("b.scp", "a b.mat\n", &[("all", "true")])
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "b.scp: all: of the files that a script file names one object each is read"
    );
    // Entries with keys are no single object in whatever way they are read.
    let env = holding(&[("b.ark", "a [ 1 2 ]\n")]);
    let (at, options) = (Locator::file("b.ark"), [("range", "0:0")]);
    for request in [Request::all().damaged(), Request::all().lookup()] {
        let error = read_at(&env, &at, &options, request)
            .unwrap_err()
            .to_string();
        assert!(error.ends_with("but it has keys"), "{error}");
    }
}

#[test]
fn an_object_in_an_archive_is_called_as_the_file() {
    let env = holding(&[("b.ark", "k [ 1 2 ]\nl [ 3 ]\n")]);
    let at = Locator::FileAt("b.ark".into(), 2);
    // Behind it the archive goes on.
    let read = |options| read_at(&env, &at, options, Request::all()).unwrap().0;
    assert_eq!(read(&[]), ["b Vector 2x1 [1.0, 2.0]"]);
    assert_eq!(read(&[("range", "1:1")]), ["b Vector 1x1 [2.0]"]);
    let at = Locator::FileAt("b.ark".into(), 10);
    let archive = read_at(&env, &at, &[("table", "ark")], Request::all());
    assert_eq!(archive.unwrap().0, ["l Vector 1x1 [3.0]"]);
}

#[test]
fn integers_in_brackets_are_what_the_holder_says() {
    let (floats, warnings) = read("b.vec", "[ 1 -2 3 ]\n", &[]).unwrap();
    assert_eq!(floats, ["b Vector 3x1 [1.0, -2.0, 3.0]"]);
    let told = "b.vec: holds float-vector or int32-vector: the text doesn't tell which";
    assert!(warnings[0].starts_with(told), "{warnings:?}");
    let ints = [("holder", "int32-vector")];
    for (text, want) in [
        ("[ 1 -2 3 ]\n", "b [1, -2, 3]"),
        ("[ 1\n2\t3]", "b [1, 2, 3]"),
        ("[ ]\n", "b []"),
        (
            "[ 2147483647 -2147483648 ]\n",
            "b [2147483647, -2147483648]",
        ),
        (
            "[ 1 2147483648 ]\n",
            "b.vec@1: utterance b: '2147483648' is not an int32",
        ),
        ("[ 1 0.5 ]\n", "b.vec@1: utterance b: '0.5' is not an int32"),
    ] {
        let (all, warnings) = read("b.vec", text, &ints).unwrap();
        assert_eq!((all, warnings), (vec![want.to_owned()], vec![]), "{text:?}");
    }
}

#[test]
fn long_integers_in_brackets_may_be_cut() {
    let ints = [("holder", "int32-vector")];
    let text = format!("[ {}", "12 ".repeat(3000));
    let (cut, _) = read("b.vec", &text, &ints).unwrap();
    assert_eq!(
        cut,
        ["b.vec@9002: utterance b: the file ends inside a vector"]
    );
    let (whole, _) = read("b.vec", &format!("{text}]\n"), &ints).unwrap();
    assert_eq!(whole[0].matches("12").count(), 3000);
}

/// Returns a matrix of a column of floats, the numbers of the rows.
fn column(rows: u32) -> Vec<u8> {
    let values = (0..rows).flat_map(|row| (row as f32).to_le_bytes());
    let head = [b"\0BFM \x04", &rows.to_le_bytes()[..], b"\x04\x01\0\0\0"];
    head.concat().into_iter().chain(values).collect()
}

#[test]
fn long_objects_come_in_chunks() {
    // A chunk has 2^20 bytes, so 2^18 rows.
    let (rows, step) = (600_000u32, 1 << 18);
    let object = column(rows);
    let archive = [b"a ", &object[..], b"b \0BFV \x04\x01\0\0\0\0\0\x80\x3f"].concat();
    let more = [&object[..], b"x"].concat();
    let env = holding(&[
        ("x.ark", archive),
        ("a.mat", object.clone()),
        ("m.mat", more),
        ("c.mat", object[..object.len() - 1].to_vec()),
    ]);
    let chunks = |file: &str| {
        let request = Request::all().chunks(ChunkSupport::Counted);
        let source = env.open(&Locator::file(file)).unwrap();
        let opened = request.open(&FORMAT, source, &Default::default(), &env)?;
        let mut reader = opened.into_stream()?;
        let (mut all, mut utt) = (Vec::new(), Utterance::default());
        while reader.read(&mut utt)? {
            let values = utt.features.as_ref().unwrap();
            assert_eq!((values.dtype(), values.cols()), (Dtype::F32, 1));
            let first = values.as_slice::<f32>().unwrap()[0];
            let chunk = utt
                .chunk
                .map(|chunk| (chunk.first, chunk.rows, chunk.is_last));
            let one = (utt.key.clone(), values.rank(), values.rows(), chunk);
            assert!(chunk.is_none_or(|(at, ..)| at as f32 == first), "{one:?}");
            all.push(one);
        }
        Ok::<_, spr_core::Error>(all)
    };
    let of = |key: &str, at: u64, n: usize, is_last| {
        (
            Key::from(key),
            Rank::Matrix,
            n,
            Some((at, Some(u64::from(rows)), is_last)),
        )
    };
    let parts = |key: &str| {
        [
            of(key, 0, step, false),
            of(key, 1 << 18, step, false),
            of(key, 1 << 19, 75_712, true),
        ]
    };
    let small = (Key::from("b"), Rank::Vector, 1, None);
    let all: Vec<_> = parts("a").into_iter().chain([small]).collect();
    assert_eq!(chunks("x.ark").unwrap(), all);
    assert_eq!(chunks("a.mat").unwrap(), parts("a"));
    // A fault is found before the first chunk, or behind the last one.
    let error = chunks("c.mat").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Truncated);
    let error = chunks("m.mat").unwrap_err().to_string();
    assert!(error.contains("more bytes follow the object"), "{error}");
}
