//! Archives of other programs, damaged and odd ones.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::{Arc, Mutex};

use spr_core::bytes::{Env, Finish, Locator, MemoryStore, Output, Part, Source};
use spr_core::format::{ErrorPolicy, Format, OpenedDataset, Options, Registry, Request};
use spr_core::model::{About, Key, Utterance};
use spr_core::{Error, Result};
use spr_format_webdataset::FORMAT;
use spr_syntax::tar::TarWriter;

/// A stream whose bytes can be seen afterwards.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Finish for Kept {
    fn finish(self: Box<Self>) -> std::io::Result<()> {
        Ok(())
    }
}

pub(crate) fn archive<T: AsRef<[u8]>>(members: &[(&str, T)]) -> Vec<u8> {
    let kept = Kept::default();
    let output = Output::stream("x.tar", Box::new(kept.clone()));
    let mut writer = TarWriter::new(output.create(Part::Main, false).unwrap());
    for (name, data) in members {
        writer.append(name.as_bytes(), data.as_ref()).unwrap();
    }
    writer.finish().unwrap();
    output.commit().unwrap();
    kept.0.lock().unwrap().clone()
}

pub(crate) fn options(pairs: &[(&str, &str)]) -> Options {
    Options::new(FORMAT.info(), pairs.iter().copied()).unwrap()
}

/// The keys with their texts, and the errors, in order, and the warnings.
fn read(bytes: &[u8], pairs: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let (env, warnings) = spr_testkit::listening(&Env::default());
    let source = Source::from_bytes("x.tar", bytes.to_vec()).unwrap();
    let request = Request::all().on_error(ErrorPolicy::Skip);
    let opened = request.open(&FORMAT, source, &options(pairs), &env);
    let mut reader = opened.unwrap().into_stream().unwrap();
    let mut found = Vec::new();
    let mut utt = Utterance::default();
    for _ in 0..1000 {
        match reader.read(&mut utt) {
            Ok(false) => {
                let warnings = warnings.lock().unwrap().clone();
                return (found, warnings);
            }
            Ok(true) => {
                let text = utt.text.as_deref().unwrap_or_default();
                found.push(format!("{} {}", utt.key, String::from_utf8_lossy(text)));
            }
            Err(error) => {
                assert!(error.can_continue(), "{error}");
                found.push(error.to_string());
            }
        }
    }
    panic!("no end: {found:?}");
}

const SAMPLES: [(&str, &str); 6] = [
    ("a.json", "{}"),
    ("a.txt", "one"),
    ("b.json", "{}"),
    ("b.txt", "two"),
    ("c.json", "{}"),
    ("c.txt", "three"),
];

#[test]
fn a_cut_archive_never_gives_half_a_sample() {
    let bytes = archive(&SAMPLES);
    let whole = ["a one", "b two", "c three"];
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    for len in 1..=end {
        let (found, _) = read(&bytes[..len], &[]);
        let (last, before) = found.split_last().unwrap();
        assert!(last.starts_with("x.tar"), "{len}: {found:?}");
        let faults = before
            .iter()
            .filter(|line| line.starts_with("x.tar"))
            .count();
        assert_eq!(faults, 0, "{len}: {found:?}");
        assert!(
            whole.iter().take(before.len()).eq(before),
            "{len}: {found:?}"
        );
        // A sample without an end is not known to be whole. One before an intact header is.
        assert!(before.len() < whole.len(), "{len}: {found:?}");
        let headers = [2048, 4096].map(|start| start + 512);
        let known = headers.iter().filter(|end| len >= **end).count();
        assert_eq!(before.len(), known, "{len}: {found:?}");
    }
}

#[test]
fn damage_costs_the_samples_that_it_may_have_hit() {
    let bytes = archive(&SAMPLES);
    let doubt = "utterance b: members of this sample may be lost in the damage before it";
    let doubt = format!("x.tar@2048: {doubt}");
    // The headers of a.txt and b.txt. Of what a whole sample has, nothing is known before the first.
    for (header, lost, kept) in [(1, "a", &[&*doubt, "c three"][..]), (3, "b", &["c three"])] {
        let mut broken = bytes.clone();
        broken[header * 1024 + 10] ^= 1;
        let (found, _) = read(&broken, &[]);
        let fault = format!(
            "x.tar@{}: utterance {lost}: the header of a member is damaged",
            header * 1024
        );
        let at = found.iter().position(|line| *line == fault);
        let at = at.unwrap_or_else(|| panic!("{found:?}"));
        assert_eq!(&found[at + 1..], kept);
    }
    let mut broken = bytes;
    broken[2 * 1024 + 10] ^= 1;
    let (found, _) = read(&broken, &[]);
    assert_eq!(
        found,
        [
            "x.tar@2048: utterance a: the header of a member is damaged",
            "x.tar@3072: utterance b: members of this sample may be lost in the damage before it",
            "c three"
        ]
    );
}

#[test]
fn what_is_behind_the_end_is_asked_about() {
    let one = archive(&SAMPLES[..2]);
    let both = [one.clone(), archive(&SAMPLES[2..4])].concat();
    let (found, _) = read(&both, &[]);
    let fault = format!(
        "x.tar@{}: there are data behind the end of the archive",
        one.len()
    );
    assert_eq!(found, ["a one", &fault, "b two"]);
    let (found, warnings) = read(&both, &[("all", "true")]);
    assert_eq!(
        (found, warnings.len()),
        (vec!["a one".to_owned(), "b two".to_owned()], 0)
    );
    let (found, warnings) = read(&both, &[("all", "false")]);
    assert_eq!((found, warnings), (vec!["a one".to_owned()], vec![fault]));
}

#[test]
fn members_that_are_passed_over_or_in_two_places_are_told() {
    let odd = [
        ("README", "-"),
        ("__meta__/a.txt", "-"),
        (".x.txt", "-"),
        ("a.txt", "one"),
        ("b.txt", "two"),
        ("a.json", "{}"),
        ("b.txt", "again"),
        ("c.txt", "1"),
        ("c.transcript", "2"),
        ("d.txt", "1"),
        ("d.TXT", "2"),
    ];
    let (found, warnings) = read(&archive(&odd), &[]);
    assert_eq!(
        found,
        [
            "a one",
            "b two",
            "x.tar@5120: utterance a: a sample with this key came before, with other members",
            "b again",
            "x.tar@7168: utterance c: has two members of text: .txt and .transcript",
            "x.tar@9216: utterance d: has two members .txt",
        ]
    );
    let passed = "has a name that WebDataset passes over";
    assert_eq!(warnings.iter().filter(|w| w.contains(passed)).count(), 3);
    let second = "x.tar@6144: utterance b: a sample with this key came before, and this is another";
    assert!(warnings.iter().any(|w| w == second), "{warnings:?}");
    let (found, _) = read(&archive(&odd[7..9]), &[("text", "transcript")]);
    assert_eq!(found, ["c 2"]);
}

fn memory() -> (MemoryStore, Env) {
    let store = MemoryStore::new();
    let formats = [&spr_format_numpy::FORMAT as &'static dyn Format];
    let env = Env::default().with_formats(Registry::new(formats));
    (store.clone(), env.with_store(Arc::new(store)))
}

fn write(keys: &[&str], pairs: &[(&str, &str)], env: &Env) -> Result<()> {
    let output = env.output(&Locator::folder("out"));
    let mut writer = FORMAT.create(output.clone(), &options(pairs), &About::default(), env)?;
    for key in keys {
        let utt = Utterance {
            key: (*key).into(),
            text: Some(b"words".to_vec()),
            ..Utterance::default()
        };
        writer.accept(&utt)?;
        writer.write(&utt)?;
    }
    writer.finish()?;
    output.commit()
}

#[test]
fn a_folder_is_shards_in_the_order_of_their_numbers() {
    let (store, env) = memory();
    write(&["a", "b", "c"], &[("shard-count", "2")], &env).unwrap();
    let mut names: Vec<_> = store.locations().iter().map(ToString::to_string).collect();
    names.sort();
    assert_eq!(names, ["out/shard-000000.tar", "out/shard-000001.tar"]);
    store.insert("out/shard-10.tar", archive(&[("d.txt", "ten")]));
    store.insert("out/shard-9.tar", archive(&[("e.txt", "nine")]));
    let (env, told) = spr_testkit::listening(&env);
    let opened = Request::all().open_folder(&FORMAT, &"out".into(), &[], &options(&[]), &env);
    let mut reader = opened.unwrap().into_stream().unwrap();
    let (mut utt, mut keys) = (Utterance::default(), Vec::new());
    while reader.read(&mut utt).unwrap() {
        keys.push(utt.key.to_string());
    }
    assert_eq!(keys, ["a", "b", "c", "e", "d"]);
    assert_eq!(*told.lock().unwrap(), ["out: lacks shards 2 to 8"]);
}

#[test]
fn two_samples_of_one_key_behind_each_other_are_not_written() {
    let (store, env) = memory();
    let error: Error = write(&["a", "a"], &[], &env).unwrap_err();
    assert!(
        error.can_continue() && store.locations().is_empty(),
        "{error}"
    );
    write(&["a.b", "a.c"], &[("names", "escape")], &env).unwrap();
}

#[test]
fn samples_are_looked_up() {
    let (store, env) = memory();
    write(&["a.1", "b", "c"], &[("names", "escape")], &env).unwrap();
    assert_eq!(store.locations().len(), 1);
    let source = env.open_file(&"out/shard-000000.tar".into()).unwrap();
    let opened = Request::all()
        .lookup()
        .open(&FORMAT, source, &options(&[]), &env)
        .unwrap();
    let OpenedDataset::Table(mut table) = opened else {
        panic!("a stream")
    };
    let mut utt = Utterance::default();
    for key in ["c", "a.1", "b", "c"] {
        assert!(table.find(&Key::from(key), &mut utt).unwrap());
        assert_eq!(
            (utt.key.to_string().as_str(), utt.text.as_deref()),
            (key, Some(&b"words"[..]))
        );
    }
    assert!(!table.find(&Key::from("a%2e1"), &mut utt).unwrap());
    assert_eq!(table.keys().unwrap().len(), 3);
}
