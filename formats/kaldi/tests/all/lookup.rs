//! Tables by key, as labels are looked up for features: entries that stand twice, and damage.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use spr_core::bytes::{Env, Locator};
use spr_core::format::{ErrorPolicy, OpenedDataset, RandomAccess, Request};
use spr_core::model::{Audio, Key, Utterance};
use spr_core::{Error, Result};
use spr_format_kaldi::FORMAT;
use spr_testkit::faults::one_byte;

use super::common::holding;
use super::nested::wave;

/// Opens a file as a table.
fn table(
    env: &Env,
    file: &str,
    options: &[(&str, &str)],
    lenient: bool,
) -> Result<Box<dyn RandomAccess>> {
    let options = spr_testkit::options(&FORMAT, options)?;
    let source = env.open(&Locator::file(file))?;
    let request = Request::all()
        .lookup()
        .on_error(ErrorPolicy::skip_if(lenient));
    match request.open(&FORMAT, source, &options, env)? {
        OpenedDataset::Table(table) => Ok(table),
        OpenedDataset::Stream(_) => panic!("{file} is no table"),
    }
}

/// Returns what there is under a key: labels, a sample, nothing, or an error.
fn find(table: &mut dyn RandomAccess, key: &str) -> String {
    let mut utt = Utterance::default();
    match table.find(&key.into(), &mut utt) {
        Ok(false) => "none".to_owned(),
        Ok(true) => match (&utt.labels, &utt.audio) {
            (Some(labels), _) => format!("{:?}", labels.values::<i32>().unwrap()),
            (_, Some(Audio::Samples(wave))) => {
                format!("{:?}", wave.samples.values::<i16>().unwrap())
            }
            _ => panic!("{utt:?}"),
        },
        Err(error) => error.to_string(),
    }
}

/// Returns the first key that stands twice in an archive, after a question for `asked`.
fn twice(archive: &[u8], lenient: bool, asked: &str) -> Result<Option<String>, Error> {
    let env = holding(&[("x.ark", archive)]);
    let mut table = table(&env, "x.ark", &[], lenient)?;
    find(&mut *table, asked);
    Ok(table.find_twice()?.map(|key| key.to_string()))
}

#[test]
fn entries_that_stand_twice_are_found() {
    let same = "a 1 1\nb 2 2\nc 3 3\nb 2 2\nd 4 4\n";
    let other = "a 1 1\nb 2 2\nc 3 3\nb 2 9\nd 4 4\n";
    let neighbours = "a 1 1\nb 2 2\nb 2 2\n";
    for (archive, lenient, want) in [
        (same, false, Some("b")),
        (same, true, None),
        (other, false, Some("b")),
        (other, true, Some("b")),
        (neighbours, false, Some("b")),
        (neighbours, true, None),
        ("a 1 1\nb 2 2\n", false, None),
    ] {
        for asked in ["a", "b", "z"] {
            // The question itself may have met the fault, and ended the table.
            let found = twice(archive.as_bytes(), lenient, asked).unwrap();
            let met = asked == "z" && want.is_some();
            assert_eq!(
                found.as_deref(),
                want.filter(|_| !met),
                "{archive:?} {asked}"
            );
        }
    }
    let env = holding(&[("x.ark", other)]);
    let mut table = table(&env, "x.ark", &[], true).unwrap();
    assert_eq!(find(&mut *table, "b"), "[2, 2]");
    assert_eq!(
        find(&mut *table, "d"),
        "x.ark@20: utterance b: the key appears twice in the archive"
    );
    assert_eq!(find(&mut *table, "a"), "[1, 1]");
    // Sorted archives have equal keys side by side, which were compared.
    assert!(table.keys().is_none());
}

#[test]
fn sound_that_stands_twice_is_compared() {
    let entry = |key: &str, samples: &[i16]| [key.as_bytes(), b" ", &wave(samples)].concat();
    let same = [entry("a", &[1, 2]), entry("b", &[3]), entry("a", &[1, 2])].concat();
    assert_eq!(twice(&same, true, "a").unwrap(), None);
    let other = [entry("a", &[1, 2]), entry("b", &[3]), entry("a", &[1, 3])].concat();
    assert_eq!(twice(&other, true, "a").unwrap().as_deref(), Some("a"));
}

#[test]
fn damage_behind_what_was_asked_for_is_an_error() {
    let matrix = b"\0BFM \x04\x01\0\0\0\x04\x01\0\0\0\0\0\x80\x3f";
    let archive = [b"a ", &matrix[..], b"b ", &matrix[..9]].concat();
    let error = twice(&archive, false, "none").unwrap_or_else(|error| Some(error.to_string()));
    // Asking met it.
    assert_eq!(error, None);
    let env = holding(&[("x.ark", archive)]);
    let mut table = table(&env, "x.ark", &[], false).unwrap();
    let error = table.find_twice().unwrap_err().to_string();
    assert!(error.starts_with("x.ark@"), "{error}");
    assert!(error.contains("utterance b"), "{error}");
    // It is told once.
    assert_eq!(table.find_twice().unwrap(), None);
    // An entry that is wrong in itself does not hide the others.
    let env = holding(&[("x.ark", "a 1 1\nb 1 x\nc 1 1\na 1 1\n")]);
    let options = [("holder", "int32-vector")];
    let mut table = self::table(&env, "x.ark", &options, false).unwrap();
    assert_eq!(table.find_twice().unwrap(), Some("a".into()));
}

#[test]
fn archives_that_are_sorted_are_read_no_further_than_needed() {
    let env = holding(&[("x.ark", "a 1 1\nc 3 3\nc 4 4\nb 2 2\n")]);
    let mut sorted = table(&env, "x.ark", &[("sorted", "true")], false).unwrap();
    assert_eq!(find(&mut *sorted, "b"), "none");
    // Equal keys would be neighbours.
    assert_eq!(sorted.find_twice().unwrap(), None);
    assert_eq!(
        find(&mut *sorted, "d"),
        "x.ark@14: utterance c: the key appears twice in the archive"
    );
}

#[test]
fn script_files_know_their_keys() {
    let files = [
        ("x.scp", "b x.ark:2\na x.ark:10\nc gone.ark:2\n"),
        ("x.ark", "k 1 1 1\nl 2 2 2\n"),
    ];
    let (env, warnings) = spr_testkit::listening(&holding(&files));
    let mut strict = table(&env, "x.scp", &[], false).unwrap();
    assert_eq!(strict.keys(), Some(["b", "a", "c"].map(Key::from).to_vec()));
    assert_eq!(strict.find_twice().unwrap(), None);
    let found = ["a", "b", "z"].map(|key| find(&mut *strict, key));
    assert_eq!(found, ["[2, 2, 2]", "[1, 1, 1]", "none"]);
    let gone = find(&mut *strict, "c");
    assert!(
        gone.starts_with("gone.ark: utterance c: cannot open"),
        "{gone}"
    );
    assert!(warnings.lock().unwrap().is_empty());
    let mut permissive = table(&env, "x.scp", &[("permissive", "true")], false).unwrap();
    assert_eq!(find(&mut *permissive, "c"), "none");
    assert_eq!(*warnings.lock().unwrap(), [gone]);
    let twice = holding(&[("x.scp", "a x.ark:2\nb x.ark:2\na x.ark:10\n"), files[1]]);
    let error = table(&twice, "x.scp", &[], false)
        .err()
        .unwrap()
        .to_string();
    assert!(error.starts_with("x.scp:3: utterance a: "), "{error}");
}

/// Opens what comes through a pipe as a table, whose keys are said to be sorted.
fn piped(bytes: &[u8], lenient: bool) -> Box<dyn RandomAccess> {
    let options = spr_testkit::options(&FORMAT, &[("sorted", "true")]).unwrap();
    let request = Request::all()
        .lookup()
        .on_error(ErrorPolicy::skip_if(lenient));
    let source = one_byte(bytes).unwrap();
    match request.open(&FORMAT, source, &options, &Env::default()) {
        Ok(OpenedDataset::Table(table)) => table,
        _ => panic!("no table"),
    }
}

#[test]
fn entries_of_a_pipe_are_kept_and_compared() {
    for (archive, lenient, want) in [
        ("a 1 1\na 1 1\nb 2 2\n", true, "[2, 2]"),
        (
            "a 1 1\na 1 1\nb 2 2\n",
            false,
            "memory@8: utterance a: the key appears twice in the archive",
        ),
        (
            "a 1 1\na 1 9\nb 2 2\n",
            true,
            "memory@8: utterance a: the key appears twice in the archive",
        ),
        ("a 1 1\nb 2 2\nc 3 3\n", false, "[2, 2]"),
    ] {
        let mut table = piped(archive.as_bytes(), lenient);
        assert_eq!(find(&mut *table, "b"), want, "{archive:?} {lenient}");
        // Those before are not gone.
        assert_eq!(find(&mut *table, "a"), "[1, 1]", "{archive:?} {lenient}");
    }
}

#[test]
fn permissive_tables_take_faults_for_the_end() {
    let (env, warnings) = spr_testkit::listening(&holding(&[
        ("twice.ark", "a 1 1\nb 2 2\nb 9 9\nc 3 3\n"),
        ("wrong.ark", "a 1 1\nb 2 x\nc 3 3\n"),
    ]));
    let options = [("permissive", "true"), ("holder", "int32-vector")];
    let mut twice = table(&env, "twice.ark", &options, false).unwrap();
    assert_eq!(find(&mut *twice, "c"), "none");
    assert_eq!(find(&mut *twice, "b"), "[2, 2]");
    let told = "twice.ark@14: utterance b: the key appears twice in the archive";
    assert_eq!(std::mem::take(&mut *warnings.lock().unwrap()), [told]);
    let mut wrong = table(&env, "wrong.ark", &options, false).unwrap();
    assert_eq!(find(&mut *wrong, "b"), "none");
    assert_eq!(find(&mut *wrong, "c"), "[3, 3]");
    let warnings = warnings.lock().unwrap();
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].contains("utterance b: 'x' is not an int32"),
        "{warnings:?}"
    );
}
