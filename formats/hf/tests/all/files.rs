//! Files of other programs and of this one: damaged, in part, and in folders.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use spr_core::bytes::{Env, Locator, MemoryStore, Source};
use spr_core::format::{
    ErrorPolicy, FieldSet, Format, OpenedDataset, Options, Registry, Request, Subset, create,
};
use spr_core::model::{About, Audio, EncodedAudio, Key, Tag, Utterance};
use spr_core::{Limits, Result};
use spr_format_hf::FORMAT;
use spr_testkit::{damaged, faults, generate};

fn fixture(name: &str) -> Vec<u8> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../fixtures/hf", name]
        .iter()
        .collect();
    fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn env() -> Env {
    let formats: [&'static dyn Format; 1] = [&spr_format_audio::WAV];
    Env::default().with_formats(Registry::new(formats))
}

fn options(pairs: &[(&str, &str)]) -> Options {
    Options::new(FORMAT.info(), pairs.iter().copied()).unwrap()
}

/// Writes to memory, and returns all files by their names.
fn write(
    utts: &[Utterance],
    at: &str,
    pairs: &[(&str, &str)],
    about: &About,
) -> Result<(Env, Vec<String>)> {
    let store = MemoryStore::new();
    let env = env().with_store(Arc::new(store.clone()));
    let locator = match at.strip_suffix('/') {
        Some(folder) => Locator::folder(folder),
        None => Locator::file(at),
    };
    let output = env.output(&locator);
    let mut writer = create(&FORMAT, output.clone(), &options(pairs), about, &env)?;
    for utt in utts {
        writer.accept(utt)?;
        writer.write(utt)?;
    }
    writer.finish()?;
    output.commit()?;
    let mut names: Vec<_> = store.locations().iter().map(ToString::to_string).collect();
    names.sort();
    Ok((env, names))
}

/// Reads all utterances, the errors, and the warnings.
fn read(
    env: &Env,
    at: &str,
    pairs: &[(&str, &str)],
    request: Request,
) -> Result<(Vec<Utterance>, Vec<String>)> {
    let (env, told) = spr_testkit::listening(env);
    let options = options(pairs);
    let opened = match env.is_folder(&at.into()) {
        true => request.open_folder(&FORMAT, &at.into(), &[], &options, &env)?,
        false => request.open(&FORMAT, env.open_file(&at.into())?, &options, &env)?,
    };
    let (mut reader, mut all) = (opened.into_stream()?, Vec::new());
    let mut utt = Utterance::default();
    loop {
        match reader.read(&mut utt) {
            Ok(false) => return Ok((all, told.lock().unwrap().clone())),
            Ok(true) => all.push(utt.clone()),
            Err(e) if e.can_continue() => told.lock().unwrap().push(e.to_string()),
            Err(e) => return Err(e),
        }
    }
}

fn said(key: &str, text: &str) -> Utterance {
    Utterance {
        key: key.into(),
        text: Some(text.as_bytes().to_vec()),
        ..Utterance::default()
    }
}

fn sounding(key: &str, samples: usize) -> Utterance {
    let mut utt = said(key, "words");
    let bytes = generate::encoded("wav", samples).bytes;
    utt.audio = Some(Audio::Encoded(EncodedAudio {
        format: "wav".to_owned(),
        bytes,
        ..EncodedAudio::default()
    }));
    utt
}

/// No byte of a small file, whatever it is, may cause a panic, an abort or an endless loop.
#[test]
fn every_byte_may_be_wrong() {
    let (env, _) = write(
        &[sounding("a", 9), sounding("b", 3)],
        "own.parquet",
        &[],
        &About::default(),
    )
    .unwrap();
    let mut own = env.open_file(&"own.parquet".into()).unwrap();
    let own = own.rest("a file", &Limits::default()).unwrap();
    let files = [
        own,
        fixture("pyarrow-none/input.parquet"),
        fixture("pyarrow-zstd/input.parquet"),
        fixture("pyarrow-v2/input.parquet"),
        fixture("saved-one/input/data-00000-of-00002.arrow"),
    ];
    for file in files {
        for at in 0..file.len() {
            for bits in [0x01, 0x10, 0x80, 0xff] {
                let mut wrong = file.clone();
                wrong[at] ^= bits;
                damaged::read(&FORMAT, &wrong, at % 2 == 0, &env);
            }
        }
        for end in 0..file.len() {
            let source = Source::from_bytes("cut", file[..end].to_vec()).unwrap();
            let read = faults::read_source(&FORMAT, &Options::default(), source, &env);
            assert!(read.whole().is_err(), "{end} of {} bytes", file.len());
        }
    }
}

#[test]
fn a_damaged_row_group_costs_its_rows() {
    let mut file = fixture("pyarrow-groups/input.parquet");
    let store = MemoryStore::new();
    let env = env().with_store(Arc::new(store.clone()));
    store.insert("x.parquet", file.clone());
    let (whole, _) = read(&env, "x.parquet", &[], Request::all()).unwrap();
    assert_eq!(whole.len(), 3);
    // The header of the first page.
    file[4..12].fill(0xff);
    store.insert("x.parquet", file);
    let (left, told) = read(
        &env,
        "x.parquet",
        &[],
        Request::all().on_error(ErrorPolicy::Skip),
    )
    .unwrap();
    assert_eq!(left, whole[1..]);
    assert!(
        told[0].contains("row group 0, rows 0 to 0: the column \"id\": "),
        "{told:?}"
    );
}

#[test]
fn columns_that_are_not_asked_for_are_not_read() {
    let utts: Vec<_> = (0..50).map(|n| sounding(&format!("u{n}"), 500)).collect();
    let (env, _) = write(&utts, "x.parquet", &[], &About::default()).unwrap();
    let mut source = env.open_file(&"x.parquet".into()).unwrap();
    let mut file = source.rest("a file", &Limits::default()).unwrap();
    // All sound files become zeros, with the headers of their pages.
    let riff: Vec<_> = (0..file.len() - 4)
        .filter(|at| &file[*at..at + 4] == b"RIFF")
        .collect();
    let (first, last) = (riff[0] - 40, riff[riff.len() - 1] + 900);
    file[first..last].fill(0);
    let store = MemoryStore::new();
    store.insert("x.parquet", file);
    let env = self::env().with_store(Arc::new(store));
    let text = FieldSet {
        text: true,
        ..FieldSet::NONE
    };
    let (found, told) = read(&env, "x.parquet", &[], Request::all().parts(text)).unwrap();
    assert_eq!((found.len(), told), (50, Vec::new()));
    assert!(
        found
            .iter()
            .all(|utt| utt.text.is_some() && utt.audio.is_none())
    );
    let (found, told) = read(&env, "x.parquet", &[], Request::all()).unwrap();
    assert!(found.is_empty() && told.len() == 1, "{told:?}");
}

#[test]
fn rows_are_found_by_key() {
    for name in ["pyarrow-index", "pyarrow-groups", "pyarrow-none"] {
        let store = MemoryStore::new();
        store.insert("x.parquet", fixture(&format!("{name}/input.parquet")));
        let env = env().with_store(Arc::new(store));
        let (all, _) = read(&env, "x.parquet", &[], Request::all()).unwrap();
        let source = env.open_file(&"x.parquet".into()).unwrap();
        let request = Request::all().lookup();
        let opened = request
            .open(&FORMAT, source, &Options::default(), &env)
            .unwrap();
        let OpenedDataset::Table(mut table) = opened else {
            panic!("{name}: a stream");
        };
        let mut utt = Utterance::default();
        for wanted in all.iter().rev() {
            assert!(table.find(&wanted.key, &mut utt).unwrap(), "{name}");
            assert_eq!(&utt, wanted, "{name}");
        }
        assert!(!table.find(&Key::from("z"), &mut utt).unwrap());
        assert_eq!(table.keys().unwrap().len(), 3);
    }
}

/// Row groups out of a run, and those without a wanted key, are not read; here one is damaged.
#[test]
fn only_what_is_chosen_is_read() {
    let store = MemoryStore::new();
    let env = env().with_store(Arc::new(store.clone()));
    let mut file = fixture("pyarrow-groups/input.parquet");
    store.insert("x.parquet", file.clone());
    let (whole, _) = read(&env, "x.parquet", &[], Request::all()).unwrap();
    // Damage to the first row that leaves its key alone.
    let is_damage = |at: &usize| {
        let mut wrong = file.clone();
        wrong[*at..at + 4].fill(0xff);
        store.insert("x.parquet", wrong);
        let names = read(&env, "x.parquet", &[], Request::names());
        let all = read(&env, "x.parquet", &[], Request::all());
        let Ok(((names, no), (_, told))) = names.and_then(|names| Ok((names, all?))) else {
            return false;
        };
        let is_first = told.len() == 1 && told[0].contains("row group 0, rows 0 to 0");
        (names.len(), no.len()) == (3, 0) && is_first
    };
    let at = (4..file.len()).find(is_damage).unwrap();
    file[at..at + 4].fill(0xff);
    store.insert("x.parquet", file);
    let run = |first: u64, end: u64| Request::all().share(Subset::Run { first, end });
    let refused = read(&env, "x.parquet", &[], Request::all()).unwrap();
    assert_eq!(refused.1.len(), 1, "{refused:?}");
    let not_first = |key: &Key| key.as_bytes() != b"a";
    for (request, left) in [
        (run(1, 3), &whole[1..]),
        (run(2, 9), &whole[2..]),
        (run(7, 9), &[]),
        (Request::all().keys(not_first), &whole[1..]),
        (run(1, 2).keys(not_first), &whole[1..2]),
        (run(1, 3).keys(|key| key.as_bytes() == b"c"), &whole[2..]),
    ] {
        let (found, told) = read(&env, "x.parquet", &[], request).unwrap();
        assert_eq!((found.as_slice(), told), (left, Vec::new()));
    }
}

#[test]
fn runs_and_keys_go_over_files_of_a_folder() {
    let utts: Vec<_> = (0..40).map(|n| sounding(&format!("u{n:02}"), n)).collect();
    let (env, names) = write(&utts, "set/", &[("shard-size", "700")], &About::default()).unwrap();
    assert!(names.len() > 5, "{names:?}");
    let (all, _) = read(&env, "set", &[], Request::all()).unwrap();
    assert_eq!(all.len(), utts.len());
    let utts = all;
    for first in (0..44u64).step_by(7) {
        for end in (first..46).step_by(5) {
            let run = Request::all().share(Subset::Run { first, end });
            let (found, told) = read(&env, "set", &[], run.clone()).unwrap();
            let at = |n: u64| usize::try_from(n).unwrap().min(40);
            assert_eq!(
                (found.as_slice(), told),
                (&utts[at(first)..at(end)], Vec::new())
            );
            let even = |key: &Key| key.as_bytes()[2].is_multiple_of(2);
            let (found, _) = read(&env, "set", &[], run.keys(even)).unwrap();
            let wanted: Vec<_> = utts[at(first)..at(end)]
                .iter()
                .filter(|utt| even(&utt.key))
                .collect();
            assert_eq!(found.iter().collect::<Vec<_>>(), wanted, "{first} to {end}");
        }
    }
    let every = Request::all().keys(|key| key.as_bytes() > b"u10".as_slice());
    let every = every.share(Subset::EveryNth { index: 1, count: 3 });
    let (found, _) = read(&env, "set", &[], every).unwrap();
    let wanted: Vec<_> = utts[11..].iter().skip(1).step_by(3).collect();
    assert_eq!(found.iter().collect::<Vec<_>>(), wanted);
}

/// Where the key is the name of a sound file, it is known although no sound is asked for.
#[test]
fn names_of_sound_files_are_keys_without_sound() {
    let store = MemoryStore::new();
    store.insert("x.parquet", fixture("pyarrow-path/input.parquet"));
    let env = env().with_store(Arc::new(store));
    let (found, told) = read(&env, "x.parquet", &[], Request::names()).unwrap();
    assert_eq!((found[0].key.as_bytes(), told.len()), (&b"ann-1"[..], 0));
    assert!(found[0].audio.is_none());
}

/// An index that says other pages than there are would hide rows.
#[test]
fn an_index_that_lies_is_an_error() {
    let utts: Vec<_> = (0..9).map(|n| said(&format!("u{n}"), "words")).collect();
    let (env, _) = write(&utts, "x.parquet", &[], &About::default()).unwrap();
    let mut source = env.open_file(&"x.parquet".into()).unwrap();
    let whole = source.rest("a file", &Limits::default()).unwrap();
    let store = MemoryStore::new();
    let env = self::env().with_store(Arc::new(store.clone()));
    let footer = u32::from_le_bytes(whole[whole.len() - 8..whole.len() - 4].try_into().unwrap());
    let end = whole.len() - 8 - footer as usize;
    let mut refused = 0;
    // Whatever byte of the index is wrong, all rows come, or an error does.
    for at in end - 200..end {
        let mut file = whole.clone();
        file[at] ^= 2;
        store.insert("x.parquet", file);
        let Ok((found, told)) = read(&env, "x.parquet", &[], Request::all()) else {
            continue;
        };
        assert!(
            found.len() == utts.len() || !told.is_empty(),
            "byte {at}: {found:?}"
        );
        refused += usize::from(
            told.iter()
                .any(|told| told.contains("other pages than their index")),
        );
    }
    assert!(refused > 0);
}

#[test]
fn folders_have_splits_files_and_a_card() {
    let tagged = |key: &str, split: &str| {
        let mut utt = said(key, "words");
        let value = format!("\"{split}\"");
        utt.meta.tags = vec![Tag::new("manifest", "split", value)];
        utt
    };
    let utts = [
        tagged("a", "test"),
        tagged("b", "train"),
        tagged("c", "test"),
        tagged("d", "extra"),
    ];
    let mut about = About::default();
    about.license = Some("mit".to_owned());
    about.description = Some("Four.".to_owned());
    let (env, names) = write(&utts, "set/", &[("shard-size", "16")], &about).unwrap();
    assert_eq!(
        names,
        [
            "set/README.md",
            "set/data/extra-00000-of-00001.parquet",
            "set/data/test-00000-of-00002.parquet",
            "set/data/test-00001-of-00002.parquet",
            "set/data/train-00000-of-00001.parquet",
        ]
    );
    let keys = |utts: &[Utterance]| {
        utts.iter()
            .map(|utt| utt.key.to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let (all, told) = read(&env, "set", &[], Request::all()).unwrap();
    assert_eq!((keys(&all).as_str(), told), ("b a c d", Vec::new()));
    assert_eq!(all[1], utts[0]);
    let (test, _) = read(&env, "set", &[("split", "test")], Request::all()).unwrap();
    assert_eq!((keys(&test).as_str(), test[0].meta.tags.len()), ("a c", 0));
    let error = read(&env, "set", &[("split", "tset")], Request::all()).unwrap_err();
    assert!(error.hint_text().unwrap().contains("did you mean 'test'?"));
    let folder = Request::all().open_folder(
        &FORMAT,
        &"set".into(),
        &[],
        &options(&[("split", "train")]),
        &env,
    );
    let read_about = folder.unwrap().into_stream().unwrap().info().about.clone();
    assert_eq!(read_about.split.as_deref(), Some("train"));
    assert_eq!(
        (read_about.license, read_about.description),
        (about.license, about.description)
    );
}

#[test]
fn what_is_no_split_or_class_is_refused() {
    let mut utt = said("a", "words");
    utt.meta.tags = vec![Tag::new("manifest", "split", "7")];
    let refused = |at: &str, pairs: &[(&str, &str)]| {
        let utts = [utt.clone()];
        write(&utts, at, pairs, &About::default())
            .err()
            .map(|e| e.to_string())
    };
    assert!(
        refused("x/", &[])
            .unwrap()
            .contains("the column split is 7, which names no split")
    );
    assert_eq!(refused("x.parquet", &[]), None);
    assert!(
        refused("x.parquet", &[("classes", "split")])
            .unwrap()
            .contains("is no text")
    );
    assert!(
        refused("x.parquet", &[("classes", "txet")])
            .unwrap()
            .contains("there is no column 'txet'")
    );
    assert!(
        refused("x.parquet", &[("split", "a")])
            .unwrap()
            .contains("a file has no splits")
    );
    assert!(refused("x/", &[("split", "a b")]).is_some());
    assert!(
        refused("x.arrow", &[])
            .unwrap()
            .contains("Arrow files are read, and not written")
    );
}

#[test]
fn null_empty_and_missing_are_three_things() {
    let mut empty = said("empty", "");
    empty.meta.tags = vec![Tag::new("manifest", "x", "\"\"")];
    let mut null = said("null", "");
    null.meta.speaker = Some("ann".into());
    null.meta.tags = vec![Tag::new("manifest", "x", "null")];
    let mut missing = said("missing", "");
    missing.meta.speaker = Some("bob".into());
    let utts = [empty, null, missing];
    let (env, _) = write(&utts, "x.parquet", &[], &About::default()).unwrap();
    let (found, told) = read(&env, "x.parquet", &[], Request::all()).unwrap();
    assert_eq!((found.as_slice(), told), (&utts[..], Vec::new()));
}

#[test]
fn guesses_are_told_and_options_choose() {
    let path = Path::new("pyarrow-types/input.parquet");
    let store = MemoryStore::new();
    store.insert("x.parquet", fixture(path.to_str().unwrap()));
    let env = env().with_store(Arc::new(store));
    let (found, told) = read(&env, "x.parquet", &[], Request::all()).unwrap();
    assert!(found[0].labels.is_none() && found[0].arrays.len() == 3);
    assert!(
        told[0].contains("several columns may be labels, and none is taken as such: vector, more"),
        "{told:?}"
    );
    let chosen = [("labels", "more"), ("features", "none"), ("text", "none")];
    let (found, told) = read(&env, "x.parquet", &chosen, Request::all()).unwrap();
    assert!(found[0].labels.is_some() && found[0].features.is_none() && found[0].text.is_none());
    assert!(told.is_empty(), "{told:?}");
    for (pairs, part) in [
        (
            ("features", "text"),
            "the column 'text' of LargeUtf8 can't be features",
        ),
        (("labels", "vectr"), "there is no column 'vectr'"),
    ] {
        let error = read(&env, "x.parquet", &[pairs], Request::all()).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}

/// A value of a column as JSON, written in one of several ways.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>()
            .prop_filter("JSON", |n| n.is_finite())
            .prop_map(|n| format!("{n:e}")),
        any::<f32>()
            .prop_filter("JSON", |n| n.is_finite())
            .prop_map(|n| format!("{n}")),
        "[a-z\u{e9}]{0,5}".prop_map(|text| format!("\"{text}\"")),
        Just("\"\\u00e9\"".to_owned()),
        Just("1.50".to_owned()),
        Just("-0".to_owned()),
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("[1, {\"a\": null}]".to_owned()),
        Just("18446744073709551615".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Columns come back to the letter, whatever their kinds and order.
    #[test]
    fn columns_come_back(rows in proptest::collection::vec(
        proptest::collection::btree_map("[a-d]", value(), 0..4), 1..5,
    ), is_turned in any::<bool>()) {
        let utts: Vec<_> = rows.iter().enumerate().map(|(n, row)| {
            let mut utt = said(&format!("u{n}"), "x");
            utt.meta.tags = row.iter().map(|(name, value)| Tag::new("manifest", name.as_str(), value.as_str())).collect();
            if is_turned && n % 2 == 1 {
                utt.meta.tags.reverse();
            }
            utt
        }).collect();
        let (env, _) = write(&utts, "x.parquet", &[], &About::default()).unwrap();
        let (found, told) = read(&env, "x.parquet", &[], Request::all()).unwrap();
        prop_assert_eq!(&found, &utts);
        prop_assert!(told.is_empty());
        // And once more, with what the data set says of its columns.
        let (again, _) = write(&found, "y.parquet", &[], &About::default()).unwrap();
        prop_assert_eq!(read(&again, "y.parquet", &[], Request::all()).unwrap().0, utts);
    }
}
