//! Folders of files of rows, lookup and weights, and fixtures that must be refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, StringArray};
use parquet::file::reader::{FileReader, SerializedFileReader};
use spr_core::bytes::Env;
use spr_core::format::{ErrorPolicy, Format, OpenedDataset, Options, Probe, Request, Score};
use spr_core::model::{Key, Utterance};
use spr_format_hf::FORMAT;

use crate::common::{parquet, read, surroundings, texts};

fn fixtures() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../fixtures/hf"]
        .iter()
        .collect()
}

fn file(id: &str) -> Vec<u8> {
    parquet(&[("id", texts(&[id])), ("text", texts(&["x"]))], None)
}

#[test]
fn every_file_that_must_be_refused_is() {
    let env = Env::default();
    let mut count = 0;
    for entry in std::fs::read_dir(fixtures().join("refused")).unwrap() {
        let folder = entry.unwrap().path();
        let message = std::fs::read_to_string(folder.join("error.txt")).unwrap();
        let inputs = ["input.parquet", "input.arrow"].map(|name| folder.join(name));
        let input = inputs.iter().find(|path| path.exists()).unwrap();
        let error = match read(input.to_str().unwrap(), &[], Request::all(), &env) {
            Ok(found) => found.errors.concat(),
            Err(error) => error.to_string(),
        };
        assert!(
            error.contains(message.trim()),
            "{}: {error}",
            folder.display()
        );
        count += 1;
    }
    assert_eq!(count, 15);
}

#[test]
fn splits_lie_in_files_or_folders() {
    for (files, keys, errors) in [
        (&["data/train-00000-of-00001.parquet"][..], "0", &[][..]),
        (
            &["train.parquet", "test.parquet", "dev.parquet"],
            "0 2 1",
            &[],
        ),
        (
            &["valid/a.parquet", "train/b.parquet", "x.d/c.parquet"],
            "1 0",
            &[],
        ),
        (
            &["data/cache-1.parquet", "_x.parquet", "a.parquet"],
            "2",
            &[],
        ),
        (
            &["data/train-00001-of-00003.parquet"],
            "0",
            &["set: split train: lacks shards 0, 2"],
        ),
        (
            &[
                "data/train-00000-of-00005.parquet",
                "data/train-00003-of-00005.parquet",
            ],
            "0 1",
            &["set: split train: lacks shards 1 to 2, 4"],
        ),
        // As this program numbers shards, from 1.
        (
            &[
                "data/train-00001-of-00002.parquet",
                "data/train-00002-of-00002.parquet",
            ],
            "0 1",
            &[],
        ),
    ] {
        let (store, env) = surroundings();
        store.insert(
            "set/README.md",
            b"---\nlicense: mit\n---\n\nSaid.\n".to_vec(),
        );
        for (n, name) in files.iter().enumerate() {
            store.insert(format!("set/{name}"), file(&n.to_string()));
        }
        let found = read("set", &[], Request::all(), &env).unwrap();
        assert_eq!(found.keys(), keys, "{files:?}");
        assert_eq!(found.errors, errors, "{files:?}");
        assert_eq!(found.warnings, [""; 0], "{files:?}");
        assert_eq!(found.about.license.as_deref(), Some("mit"));
        assert_eq!(found.about.description.as_deref(), Some("Said."));
    }
}

#[test]
fn folders_without_rows_or_with_a_split_twice_are_refused() {
    let (store, env) = surroundings();
    store.insert("set/README.md", Vec::new());
    let error = read("set", &[], Request::all(), &env).unwrap_err();
    assert_eq!(
        error.to_string(),
        "set: holds no .parquet files, nor does a folder data or train in it"
    );
    assert!(!FORMAT.owns_folder(&"set".into(), &env));
    store.insert("set/train/a.parquet", file("a"));
    store.insert("set/data/train-00000-of-00001.parquet", file("b"));
    let error = read("set", &[], Request::all(), &env).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("set: has files of the split train in two folders, "),
        "{error}"
    );
    assert!(FORMAT.owns_folder(&"set".into(), &env));
    store.remove("set/train/a.parquet");
    let error = read("set", &[("split", "zzz")], Request::all(), &env).unwrap_err();
    assert!(error.to_string().contains("has no split 'zzz'"), "{error}");
    assert_eq!(error.hint_text().as_deref(), Some("the splits are train"));
    let fits = |names: &[&str]| FORMAT.folder().unwrap().fits(names);
    for names in [
        &["dataset_dict.json"][..],
        &["state.json"],
        &["data"],
        &["my-train"],
        &["a.arrow"],
    ] {
        assert!(fits(names), "{names:?}");
    }
    for names in [
        &["train.txt"][..],
        &["_a.parquet"],
        &["cache-1.arrow"],
        &[".a.parquet"],
        &["datas"],
    ] {
        assert!(!fits(names), "{names:?}");
    }
}

#[test]
fn a_key_of_two_files_is_told_where_they_must_differ() {
    let (store, env) = surroundings();
    store.insert("set/train.parquet", file("a"));
    store.insert("set/test.parquet", file("a"));
    let found = read("set", &[], Request::all(), &env).unwrap();
    assert_eq!((found.keys().as_str(), found.errors.len()), ("a a", 0));
    let found = read("set", &[], Request::all().distinct(true), &env).unwrap();
    assert_eq!((found.keys().as_str(), found.errors.len()), ("a", 1));
}

#[test]
fn folders_that_datasets_saved_are_read() {
    let env = Env::default();
    for (name, keys) in [
        ("saved-one", "a b c"),
        ("saved-both", "a b z"),
        ("hub", "ann-1 ann-2 bob-3 cat-1 dan-1"),
    ] {
        let at = fixtures().join(name).join("input");
        let found = read(at.to_str().unwrap(), &[], Request::all(), &env).unwrap();
        assert_eq!(
            (found.keys().as_str(), found.errors.len()),
            (keys, 0),
            "{name}"
        );
        assert!(
            found.utts.iter().all(|utt| utt.features.is_some()),
            "{name}"
        );
    }
}

#[test]
fn a_file_is_told_by_its_first_bytes_or_its_name() {
    let arrow =
        std::fs::read(fixtures().join("saved-one/input/data-00000-of-00002.arrow")).unwrap();
    for (head, name, score) in [
        (&b"PAR1"[..], None, Score::Certain),
        (&arrow[..64], Some("x.arrow"), Score::Certain),
        (&arrow[..64], None, Score::Possible(60)),
        (b"rubbish", Some("x.parquet"), Score::NameOnly),
        (b"rubbish", Some("x.txt"), Score::No),
        (b"", Some("x.parquet"), Score::No),
    ] {
        let probe = Probe {
            head,
            whole: false,
            len: None,
            path: name.map(std::path::Path::new),
        };
        assert_eq!(FORMAT.probe(&probe), score, "{name:?}");
    }
}

fn table(env: &Env, request: Request) -> spr_core::Result<OpenedDataset> {
    let source = env.open_file(&"x.parquet".into())?;
    request
        .lookup()
        .open(&FORMAT, source, &Options::default(), env)
}

#[test]
fn rows_are_found_by_keys_that_may_be_numbers_or_twice() {
    let (store, env) = surroundings();
    store.insert(
        "x.parquet",
        parquet(
            &[
                ("id", texts(&["a", "b", "a"])),
                ("text", texts(&["1", "2", "3"])),
            ],
            None,
        ),
    );
    let OpenedDataset::Table(mut found) = table(&env, Request::all()).unwrap() else {
        panic!("a stream")
    };
    assert_eq!(found.find_twice().unwrap(), Some(Key::from("a")));
    let mut utt = Utterance::default();
    assert!(found.find(&Key::from("a"), &mut utt).unwrap());
    assert_eq!(utt.text.as_deref(), Some(&b"1"[..]));
    // Without a column of keys, rows are numbered as a stream numbers them.
    store.insert(
        "x.parquet",
        parquet(&[("text", texts(&["1", "2", "3"]))], None),
    );
    let stream = read("x.parquet", &[], Request::all(), &env).unwrap();
    let OpenedDataset::Table(mut found) = table(&env, Request::all()).unwrap() else {
        panic!("a stream")
    };
    assert_eq!(found.keys().unwrap().len(), 3);
    assert_eq!(found.find_twice().unwrap(), None);
    for wanted in &stream.utts {
        assert!(found.find(&wanted.key, &mut utt).unwrap());
        assert_eq!(utt.text, wanted.text);
    }
}

#[test]
fn rows_without_keys_cost_themselves_where_faults_are_skipped() {
    let (store, env) = surroundings();
    let ids: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("c")]));
    store.insert(
        "x.parquet",
        parquet(&[("id", ids), ("text", texts(&["1", "2", "3"]))], None),
    );
    let message = "x.parquet: row 1: the column 'id': is null, expected a key";
    let error = table(&env, Request::all()).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), message);
    let skipped = Arc::new(Mutex::new(Vec::new()));
    let listener = skipped.clone();
    let env = env.telling_skipped(move |e| listener.lock().unwrap().push(e.to_string()));
    let OpenedDataset::Table(mut found) =
        table(&env, Request::all().on_error(ErrorPolicy::Skip)).unwrap()
    else {
        panic!("a stream")
    };
    assert_eq!(*skipped.lock().unwrap(), [message]);
    let mut utt = Utterance::default();
    assert!(found.find(&Key::from("c"), &mut utt).unwrap());
    assert_eq!(utt.text.as_deref(), Some(&b"3"[..]));
}

#[test]
fn a_row_weighs_its_part_of_the_row_group() {
    let weigh = |at: PathBuf| {
        let env = Env::default();
        let mut all = Vec::new();
        let source = env.open_file(&at.into()).unwrap();
        let told = FORMAT.weigh(source, &Options::default(), &env, &mut |key, weight| {
            assert_eq!(weight.frames, None);
            all.push((key.to_string(), weight.bytes.unwrap()));
            Ok(())
        });
        (told.unwrap(), all)
    };
    for name in ["pyarrow-groups", "pyarrow-index", "pyarrow-none"] {
        let at = fixtures().join(name).join("input.parquet");
        let reader = SerializedFileReader::new(std::fs::File::open(&at).unwrap()).unwrap();
        let groups = reader.metadata().row_groups().iter();
        let sizes = groups.flat_map(|group| {
            let rows = usize::try_from(group.num_rows()).unwrap();
            vec![u64::try_from(group.compressed_size()).unwrap() / rows as u64; rows]
        });
        let expected: Vec<_> = ["a", "b", "c"]
            .map(str::to_owned)
            .into_iter()
            .zip(sizes)
            .collect();
        assert_eq!(weigh(at), (true, expected), "{name}");
    }
    let arrow = fixtures().join("saved-one/input/data-00000-of-00002.arrow");
    assert_eq!(weigh(arrow), (false, Vec::new()));
}

#[test]
fn a_full_disk_is_told_as_such() {
    let (_, env) = surroundings();
    for room in [0, 3, 100, 400] {
        let sink = Box::new(spr_testkit::faults::FailingSink::new(room));
        let output = spr_core::bytes::Output::stream("x.parquet", sink);
        let options = Options::default();
        let mut writer = FORMAT
            .create(output, &options, &Default::default(), &env)
            .unwrap();
        let utt = Utterance {
            key: "a".into(),
            text: Some("words".into()),
            ..Utterance::default()
        };
        writer.write(&utt).unwrap();
        let error = writer.finish().unwrap_err();
        assert_eq!(error.kind(), spr_core::ErrorKind::Io, "{error}");
        assert!(error.to_string().starts_with("x.parquet: "), "{error}");
    }
}
