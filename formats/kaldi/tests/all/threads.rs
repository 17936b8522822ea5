//! Archives do not depend on the number of threads that format or compress them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fs;

use std::sync::Arc;

use spr_core::bytes::{Env, Locator, MemoryStore, Output, Source};
use spr_core::format::{Format, Request, WriteSummary};
use spr_core::model::{About, Dtype, Element, Lists, Matrix, Object, Rank, Sparse, Utterance};
use spr_core::{Error, Result};
use spr_format_kaldi::FORMAT;
use spr_testkit::faults::FailingSink;

type Pairs<'a> = &'a [(&'a str, &'a str)];

const TEXT: (&str, &str) = ("text", "true");
/// More than fits a block.
const MANY: usize = 100_000;

/// Returns values whose shortest digits equal Rust's own formatting.
fn values(n: usize) -> Vec<f32> {
    (0u16..1999)
        .cycle()
        .map(|v| f32::from(v) / 4.0 - 99.0)
        .take(n)
        .collect()
}

fn features<T: Element>(key: &str, values: &[T], cols: usize, rank: Rank) -> Utterance {
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

/// Returns matrices and vectors from empty to several blocks, with rows up to several blocks.
fn mix() -> Vec<Utterance> {
    let mut utts = Vec::new();
    for n in 0..300 {
        utts.push(features(&format!("small{n}"), &values(n), 1, Rank::Vector));
        utts.push(features(
            &format!("row{n}"),
            &values(6 * n),
            2 * n,
            Rank::Matrix,
        ));
    }
    let doubles: Vec<f64> = values(3 * MANY).into_iter().map(f64::from).collect();
    utts.push(features("long", &values(3 * MANY), 3, Rank::Matrix));
    utts.push(features("double", &doubles, 30, Rank::Matrix));
    utts.push(features("wide", &values(3 * MANY), MANY, Rank::Matrix));
    // A row fills a block.
    utts.push(features("full", &values(2 << 15), 1 << 15, Rank::Matrix));
    utts.push(features("vector", &values(MANY), 1, Rank::Vector));
    utts.push(features("empty", &values(0), 0, Rank::Matrix));
    // Not formatted in blocks, but after those that are.
    let sparse = Sparse {
        dtype: Dtype::F32,
        dim: 8,
        rows: Lists::from_iter([[(0, 1.5), (7, -2.0)]]),
    };
    utts.push(Utterance {
        key: "sparse".into(),
        object: Some(Object::SparseMatrix(sparse)),
        ..Utterance::default()
    });
    utts.push(features("last", &values(6), 3, Rank::Matrix));
    utts
}

fn env(threads: usize) -> Env {
    let mut env = Env::default();
    env.threads = threads;
    env
}

/// Returns an output called `main` in a store.
fn memory(threads: usize) -> (Output, MemoryStore) {
    let store = MemoryStore::new();
    let env = env(threads).with_store(Arc::new(store.clone()));
    (env.output(&Locator::file("main")), store)
}

fn write(
    output: &Output,
    options: Pairs<'_>,
    utts: &[Utterance],
    threads: usize,
) -> Result<WriteSummary> {
    let options = spr_testkit::options(&FORMAT, options)?;
    let mut writer = FORMAT.create(output.clone(), &options, &About::default(), &env(threads))?;
    for utt in utts {
        writer.write(utt)?;
    }
    writer.finish()
}

/// Returns the bytes of an archive, after checking that they are the same for several numbers of
/// threads.
fn archive(options: Pairs<'_>, utts: &[Utterance]) -> Vec<u8> {
    let archives = [1, 2, 5].map(|threads| {
        let (output, store) = memory(threads);
        let written = write(&output, options, utts, threads).unwrap();
        output.commit().unwrap();
        let bytes = store.remove("main").unwrap();
        assert_eq!(written.bytes, bytes.len() as u64);
        bytes
    });
    assert!(
        archives.iter().all(|bytes| *bytes == archives[0]),
        "{options:?}"
    );
    archives.into_iter().next().unwrap()
}

/// Formats a matrix or vector without the format's own code.
fn expected(utt: &Utterance) -> String {
    let features = utt.features.as_ref().unwrap();
    let mut values = features.clone();
    values.cast(f64::DTYPE, &Default::default()).unwrap();
    let values = values.as_slice::<f64>().unwrap();
    let (before, line) = match features.rank() {
        Rank::Matrix => ("\n  ", features.cols()),
        _ => (" ", features.len()),
    };
    let mut text = format!("{}  [", utt.key);
    for row in values.chunks(line.max(1)) {
        text.push_str(before);
        row.iter()
            .for_each(|value| text.push_str(&format!("{value} ")));
    }
    text + "]\n"
}

#[test]
fn text_is_the_same() {
    let utts = mix();
    let bytes = archive(&[TEXT], &utts);
    let text = String::from_utf8(bytes).unwrap();
    let whole = |utt: &&Utterance| utt.features.as_ref().is_some_and(|m| !m.is_empty());
    for utt in utts.iter().filter(whole) {
        assert!(text.contains(&expected(utt)), "{}", utt.key);
    }
    let keys = text.lines().filter(|line| !line.starts_with("  "));
    let keys: Vec<_> = keys
        .filter_map(|line| line.split(' ').next())
        .filter(|w| !w.is_empty())
        .collect();
    let expected: Vec<_> = utts.iter().map(|utt| utt.key.to_string()).collect();
    assert_eq!(keys, expected);
    archive(&[TEXT, ("digits", "kaldi")], &utts);
    archive(&[TEXT, ("compress", "1")], &utts);
}

#[test]
fn compressed_is_the_same() {
    let utts = mix();
    for method in ["1", "2", "3", "5"] {
        archive(&[("compress", method)], &utts);
    }
    // A matrix that is encoded separately, between two that are compressed by threads.
    let large = features("large", &values(3_000_000), 3, Rank::Matrix);
    let small = |key: &str| features(key, &values(60), 3, Rank::Matrix);
    let utts = [small("before"), large, small("after")];
    let bytes = archive(&[("compress", "2")], &utts);
    let source = Source::from_bytes("x", bytes).unwrap();
    let opened = Request::all().open(&FORMAT, source, &Default::default(), &env(1));
    let mut reader = opened.and_then(|opened| opened.into_stream()).unwrap();
    let mut utt = Utterance::default();
    for expected in &utts {
        assert!(reader.read(&mut utt).unwrap());
        assert_eq!((&utt.key, utt.frames()), (&expected.key, expected.frames()));
    }
}

#[test]
fn what_cannot_be_compressed_costs_that_entry_only() {
    let mut utts = mix();
    utts.truncate(500);
    let expected = archive(&[("compress", "2")], &utts);
    let bad = features("bad", &[1.0, f32::INFINITY], 2, Rank::Matrix);
    for threads in [1, 2, 5] {
        let (output, store) = memory(threads);
        let options = spr_testkit::options(&FORMAT, &[("compress", "2")]).unwrap();
        let mut writer = FORMAT
            .create(output.clone(), &options, &About::default(), &env(threads))
            .unwrap();
        for utt in &utts {
            let error = writer.write(&bad).unwrap_err();
            assert!(error.can_continue(), "{error}");
            writer.write(utt).unwrap();
        }
        writer.finish().unwrap();
        output.commit().unwrap();
        assert!(store.get("main").unwrap() == expected);
    }
}

#[test]
fn integers_and_numbers_are_the_same() {
    let integers: Vec<i32> = (-50_000..50_000).collect();
    let mut utts: Vec<_> = (0..2000)
        .map(|n| labels(&format!("l{n}"), &integers[..n]))
        .collect();
    utts.push(labels("all", &integers));
    let mut expected = String::new();
    for utt in &utts {
        expected.push_str(&format!("{} ", utt.key));
        let values = utt.labels.as_ref().unwrap().as_slice::<i32>().unwrap();
        values
            .iter()
            .for_each(|value| expected.push_str(&format!("{value} ")));
        expected.push('\n');
    }
    assert!(archive(&[TEXT], &utts) == expected.into_bytes());

    let number = |(n, value): (usize, f32)| features(&format!("n{n}"), &[value], 1, Rank::Scalar);
    let numbers: Vec<_> = values(20_000).into_iter().enumerate().map(number).collect();
    let expected: String = values(20_000)
        .iter()
        .enumerate()
        .map(|(n, value)| format!("n{n} {value} \n"))
        .collect();
    assert!(archive(&[TEXT], &numbers) == expected.into_bytes());
}

#[test]
fn script_files_point_at_objects() {
    let utts = mix();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, threads: usize| folder.path().join(format!("{name}{threads}"));
    let expected = archive(&[TEXT], &utts);
    for threads in [1, 2, 5] {
        let (path, script) = (at("ark", threads), at("scp", threads));
        let output = env(threads).output(&Locator::file(&path));
        let output = output.with_named("scp", Locator::file(&script));
        let written = write(&output, &[TEXT], &utts, threads).unwrap();
        output.commit().unwrap();
        assert!(fs::read(&path).unwrap() == expected);
        let script = fs::read_to_string(&script).unwrap();
        assert_eq!(written.bytes, (expected.len() + script.len()) as u64);
        assert_eq!(script.lines().count(), utts.len());
        for (line, utt) in script.lines().zip(&utts) {
            let (start, offset) = line.rsplit_once(':').unwrap();
            assert_eq!(start, format!("{} {}", utt.key, path.display()));
            let head = format!("{} ", utt.key);
            let before = &expected[..offset.parse().unwrap()];
            assert!(before.ends_with(head.as_bytes()), "{line}");
            let entry = before.len() - head.len();
            assert!(entry == 0 || expected[entry - 1] == b'\n', "{line}");
        }
    }
}

#[test]
fn files_of_their_own_hold_their_objects() {
    let utts = [
        features("a", &values(6), 3, Rank::Matrix),
        features("b", &values(3 * MANY), 3, Rank::Matrix),
        features("c", &values(2), 1, Rank::Vector),
    ];
    let folder = tempfile::tempdir().unwrap();
    for threads in [1, 2, 5] {
        let at = |key: &str| folder.path().join(format!("{key}{threads}"));
        let lines = ["a", "b", "c"].map(|key| format!("{key} {}\n", at(key).display()));
        let list = at("list");
        fs::write(&list, lines.concat()).unwrap();
        let list = list.display().to_string();
        let output = env(threads)
            .output(&Locator::file(at("none")))
            .overwrite(true);
        write(&output, &[TEXT, ("list", &list)], &utts, threads).unwrap();
        output.commit().unwrap();
        for utt in &utts {
            let key = utt.key.to_string();
            let text = fs::read_to_string(at(&key)).unwrap();
            assert!(
                format!("{key} {text}") == expected(utt),
                "{key}, {threads} threads"
            );
        }
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let utts = mix();
    let len = archive(&[TEXT], &utts).len();
    for threads in [1, 2, 5] {
        for room in [0, 1, len / 3, len - 1, len] {
            let output = Output::stream("full", Box::new(FailingSink::new(room)));
            let error: Error = write(&output, &[TEXT], &utts, threads).unwrap_err();
            assert_eq!(error.file_name(), Some("full"), "{error}");
            assert!(!error.can_continue(), "{error}");
        }
        // The error occurs before the end of the data.
        let output = Output::stream("full", Box::new(FailingSink::new(0)));
        let options = spr_testkit::options(&FORMAT, &[TEXT]).unwrap();
        let mut writer = FORMAT
            .create(output, &options, &About::default(), &env(threads))
            .unwrap();
        let long = features("long", &values(MANY), 10, Rank::Matrix);
        assert!((0..20).any(|_| writer.write(&long).is_err()));
    }
}
