//! Folders of shards, and lookup in archives.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::{Arc, Mutex};

use spr_core::Result;
use spr_core::bytes::{Env, MemoryStore};
use spr_core::format::{ErrorPolicy, Format, OpenedDataset, Probe, Request, Score};
use spr_core::model::{Key, Utterance};
use spr_format_webdataset::FORMAT;
use spr_testkit::faults::drain;

use crate::archives::{archive, options};

fn surroundings() -> (MemoryStore, Env, Arc<Mutex<Vec<String>>>) {
    let store = MemoryStore::new();
    let (env, told) =
        spr_testkit::listening(&crate::members::env().with_store(Arc::new(store.clone())));
    (store, env, told)
}

fn folder(request: Request, env: &Env) -> Result<OpenedDataset> {
    request.open_folder(&FORMAT, &"d".into(), &[], &options(&[]), env)
}

#[test]
fn a_folder_is_told_by_its_names() {
    for (names, fits) in [
        (&["a.tar"][..], true),
        (&["x-000000.tar.gz", "x-000001.tar.zst"], true),
        (
            &[
                "a.tar",
                "README",
                "README.md",
                "sizes.json",
                "info.yaml",
                "._a.tar",
            ],
            true,
        ),
        (&["a.tar", "_SUCCESS", ".index"], true),
        (&["README.md"], false),
        (&[".a.tar"], false),
        (&["a.tar", "b.wav"], false),
        // Other formats have archives as well.
        (&["recording.000000.tar", "cuts.000000.jsonl.gz"], false),
        (&["audio_0.tar", "manifest_0.json"], false),
        (&["audio_0.tar", "sharded_manifests"], false),
        (&["audio_0.tar", "tarred_audio_manifest.json"], false),
    ] {
        assert_eq!(FORMAT.folder().unwrap().fits(names), fits, "{names:?}");
    }
    let (store, env, _) = surroundings();
    store.insert("d/README.md", Vec::new());
    let error = folder(Request::all(), &env).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "d: holds no .tar files");
}

#[test]
fn an_archive_is_told_by_its_first_bytes_or_its_name() {
    let archive = archive(&[("a.txt", "x")]);
    for (head, name, score) in [
        (&archive[..], None, Score::Certain),
        (b"rubbish", Some("x.tar"), Score::NameOnly),
        (b"", Some("x.tar"), Score::No),
        (b"rubbish", Some("x.wav"), Score::No),
    ] {
        let probe = Probe {
            head,
            whole: true,
            len: None,
            path: name.map(std::path::Path::new),
        };
        assert_eq!(FORMAT.probe(&probe), score, "{name:?}");
    }
}

#[test]
fn shards_that_are_missing_or_repeat_a_key_are_told() {
    let (store, env, told) = surroundings();
    store.insert("d/s-0.tar", archive(&[("a.txt", "one")]));
    store.insert(
        "d/s-2.tar",
        archive(&[("b.txt", "two"), ("a.txt", "three")]),
    );
    let reader = folder(Request::all(), &env).unwrap().into_stream().unwrap();
    let keys: Vec<_> = drain(reader)
        .whole()
        .unwrap()
        .iter()
        .map(|utt| utt.key.to_string())
        .collect();
    assert_eq!(keys, ["a", "b", "a"]);
    assert_eq!(*told.lock().unwrap(), ["d: lacks shard 1"]);
    let reader = folder(Request::all().distinct(true), &env)
        .unwrap()
        .into_stream()
        .unwrap();
    let drained = drain(reader);
    let keys: Vec<_> = drained
        .utterances
        .iter()
        .map(|utt| utt.key.to_string())
        .collect();
    assert_eq!(
        (keys, drained.errors.len()),
        (vec!["a".to_owned(), "b".to_owned()], 1)
    );
    assert_eq!(drained.errors[0].key(), Some(&Key::from("a")));
}

#[test]
fn samples_are_looked_up_past_faults_where_that_is_asked_for() {
    let (store, env, _) = surroundings();
    let whole = archive(&[
        ("a.txt", "1"),
        ("b.txt", "2"),
        ("c.txt", "3"),
        ("d.txt", "4"),
        ("a.txt", "5"),
    ]);
    store.insert("x.tar", whole.clone());
    let open = |request: Request| -> Result<OpenedDataset> {
        request.lookup().open(
            &FORMAT,
            env.open_file(&"x.tar".into())?,
            &options(&[]),
            &env,
        )
    };
    let table = |opened: OpenedDataset| match opened {
        OpenedDataset::Table(table) => table,
        OpenedDataset::Stream(_) => panic!("a stream"),
    };
    let mut all = table(open(Request::all()).unwrap());
    assert_eq!(all.find_twice().unwrap(), Some(Key::from("a")));
    assert_eq!(all.keys().unwrap().len(), 4);
    let mut utt = Utterance::default();
    // The first one counts.
    assert!(all.find(&Key::from("a"), &mut utt).unwrap());
    assert_eq!(utt.text.as_deref(), Some(&b"1"[..]));
    let mut damaged = whole;
    damaged[1024 + 10] ^= 1;
    store.insert("x.tar", damaged);
    let error = open(Request::all()).map(|_| ()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the header of a member is damaged"),
        "{error}"
    );
    assert!(!error.can_continue());
    let skipped = Arc::new(Mutex::new(Vec::new()));
    let listener = skipped.clone();
    let env = env.telling_skipped(move |e| listener.lock().unwrap().push(e.to_string()));
    let source = env.open_file(&"x.tar".into()).unwrap();
    let lenient = Request::all().on_error(ErrorPolicy::Skip).lookup();
    let mut left = table(lenient.open(&FORMAT, source, &options(&[]), &env).unwrap());
    assert!(!left.find(&Key::from("b"), &mut utt).unwrap());
    assert!(left.find(&Key::from("d"), &mut utt).unwrap());
    assert_eq!(utt.text.as_deref(), Some(&b"4"[..]));
    assert!(!skipped.lock().unwrap().is_empty());
}
