//! AudioFolder's tables: beside sound that is there, of CSV that was cut, and of other programs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::bytes::{Location, Locator, Source};
use spr_core::format::{Format, Medium, Options, Probe, Request, Score};
use spr_core::model::{About, Audio, AudioReference, Decimal, Key, Span, Utterance};
use spr_format_manifest::AUDIO_FOLDER;

use crate::common::{Found, read_folder, surroundings, text_of, write};

fn named(key: &str, at: impl Into<Location>) -> Utterance {
    let audio = AudioReference::new(Locator::File(at.into()));
    Utterance {
        key: key.into(),
        audio: Some(Audio::Reference(audio)),
        text: Some("said".into()),
        ..Utterance::default()
    }
}

fn edit(mut utt: Utterance, change: &dyn Fn(&mut AudioReference)) -> Utterance {
    match &mut utt.audio {
        Some(Audio::Reference(audio)) => change(audio),
        other => panic!("{other:?}"),
    }
    utt
}

#[test]
fn a_table_alone_names_files_in_its_folder() {
    let (_, env) = surroundings();
    let table = Locator::file("data/metadata.jsonl");
    let utts = [
        named("sub/a", "data/sub/a.wav"),
        named("b-1", "data/sub/b.flac"),
        named("c", "data/c.mp3"),
    ];
    let written = write(&AUDIO_FOLDER, &table, &[], &utts, &env).unwrap();
    assert_eq!(written.utterances, 3);
    let text = text_of("data/metadata.jsonl", &env);
    assert_eq!(
        text,
        "{\"file_name\": \"sub/a.wav\", \"text\": \"said\"}\n\
         {\"file_name\": \"sub/b.flac\", \"utt_id\": \"b-1\", \"text\": \"said\"}\n\
         {\"file_name\": \"c.mp3\", \"text\": \"said\"}\n"
    );
    assert_eq!(written.bytes, text.len() as u64);
    let mut found = read_folder(&AUDIO_FOLDER, "data", Request::all(), &env).whole();
    found
        .iter_mut()
        .for_each(|utt| utt.origin = Default::default());
    assert_eq!(found, utts);
    for (utt, message) in [
        (
            named("a", "elsewhere/a.wav"),
            "its sound is no whole file in the table's folder, but elsewhere/a.wav",
        ),
        (
            edit(named("a", "data/a.wav"), &|audio| {
                audio.span = Span::new(Decimal::parse("0.5"), None)
            }),
            "its sound is no whole file in the table's folder, but data/a.wav",
        ),
        (
            edit(named("a", "data/a.wav"), &|audio| audio.channel = Some(0)),
            "its sound is no whole file in the table's folder",
        ),
        (
            edit(named("a", "data/a.wav"), &|audio| audio.len = Some(9)),
            "its sound is no whole file in the table's folder",
        ),
        (
            edit(named("a", ""), &|audio| audio.at = Locator::Standard),
            "its sound is no whole file in the table's folder",
        ),
        (
            Utterance {
                audio: None,
                ..named("a", "")
            },
            "is about",
        ),
        (
            Utterance {
                key: Key::from(&b"\xe9"[..]),
                ..named("a", "data/a.wav")
            },
            "UTF-8",
        ),
    ] {
        let error = write(&AUDIO_FOLDER, &table, &[], &[utt], &env).unwrap_err();
        assert!(error.to_string().contains(message), "{message}: {error}");
        assert!(
            error
                .to_string()
                .starts_with("data/metadata.jsonl: utterance "),
            "{error}"
        );
        assert!(error.can_continue());
    }
    for name in ["data/train.jsonl", "data/metadata.csv"] {
        let error = write(&AUDIO_FOLDER, &Locator::file(name), &[], &[], &env).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{name}: is not called metadata.jsonl, as the table of an AudioFolder is")
        );
    }
    let caps = |medium| AUDIO_FOLDER.caps(&Options::default(), medium).unwrap();
    assert!(caps(Medium::File).audio.references && !caps(Medium::Folder).audio.references);
}

/// Reads a folder with these files.
fn read(files: &[(&str, &[u8])]) -> Found {
    let (store, env) = surroundings();
    for (name, bytes) in files {
        store.insert(format!("data/{name}"), bytes.to_vec());
    }
    read_folder(&AUDIO_FOLDER, "data", Request::all(), &env)
}

#[test]
fn a_csv_table_that_may_be_cut_is_told() {
    let cut = "the last row has no line end and may be cut off";
    for (text, keys, message) in [
        (&b"file_name,text\na.wav,one\n"[..], &["a"][..], ""),
        (
            b"file_name,text\na.wav,one",
            &[],
            &*format!("data/metadata.csv:2: {cut}"),
        ),
        (
            b"file_name,text\na.wav,one\nb.wav,tw",
            &["a"],
            &format!("data/metadata.csv:3: {cut}"),
        ),
        (
            b"file_name,text\na.wav,\"one\ntwo\n",
            &[],
            "data/metadata.csv:2: the last row ends inside quotes and may be cut off",
        ),
        (b"file_name,text\na.wav,\"one\ntwo\"\n", &["a"], ""),
        (
            b"file_name,text",
            &[],
            &format!("data/metadata.csv:1: {cut}"),
        ),
        (
            b"file_name,text\na.wav,\xe9\nb.wav,two\n",
            &["b"],
            "data/metadata.csv:2: a row that is not UTF-8",
        ),
        (
            b"\xef\xbb\xbffile_name,text\na.wav,one\nb.wav\n",
            &["a"],
            "data/metadata.csv:3: a row of 1 values, expected 2 as there are names",
        ),
        (
            b"file_name,\xe9\na.wav,one\n",
            &[],
            "data/metadata.csv:1: a row that is not UTF-8",
        ),
    ] {
        let found = read(&[("metadata.csv", text)]);
        assert_eq!(found.keys(), keys, "{:?}", text.escape_ascii().to_string());
        let expected = Some(message).filter(|message| !message.is_empty());
        assert_eq!(found.said(), expected.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn what_no_table_names_is_told() {
    let lines = b"{\"file_name\": \"a.wav\"}\n";
    let table = ("metadata.jsonl", &lines[..]);
    let found = read(&[table, ("a.wav", b""), ("x/b.FLAC", b""), ("notes.txt", b"")]);
    assert_eq!(
        found.warnings,
        ["data/x/b.FLAC: is in no table, and is ignored"]
    );
    let found = read(&[table, ("a.wav", b""), ("x/b.mp3", b""), ("c.ogg", b"")]);
    assert_eq!(
        found.warnings,
        ["data/c.ogg: is in no table, and is ignored, the first of 2 sound files"]
    );
    let found = read(&[table, ("a.wav", b"")]);
    assert_eq!(found.warnings, [""; 0]);
    // Behind a fault nobody knows.
    let faulty = [&lines[..], b"{\"file_name\": \"\"}\n"].concat();
    let found = read(&[("metadata.jsonl", &faulty), ("a.wav", b""), ("b.wav", b"")]);
    assert_eq!(
        (found.said(), found.warnings),
        (
            vec!["data/metadata.jsonl:2: file_name is empty".to_owned()],
            Vec::new()
        )
    );
}

#[test]
fn one_folder_has_one_table() {
    let lines = b"{\"file_name\": \"a.wav\"}\n";
    let csv = b"file_name,text\na.wav,one\n";
    let found = read(&[("metadata.jsonl", lines), ("metadata.csv", csv)]);
    assert_eq!(
        found.said(),
        ["data/metadata.csv: data/metadata.jsonl is there as well, and one folder has one table"]
    );
    // Unless one is of another program.
    let found = read(&[("metadata.jsonl", lines), ("metadata.csv", b"LJ001|one\n")]);
    assert_eq!(found.keys(), ["a"]);
    assert_eq!(
        found.warnings,
        ["data/metadata.csv: left out, a table without a column file_name"]
    );
    let found = read(&[("metadata.jsonl", lines), ("x/metadata.csv", csv)]);
    assert_eq!(found.keys(), ["a", "x/a"]);
    let found = read(&[("a.wav", b"")]);
    assert_eq!(
        found.said(),
        ["data: has neither metadata.jsonl nor metadata.csv in it"]
    );
}

#[test]
fn a_folder_is_told_by_its_table() {
    let (store, env) = surroundings();
    let owns = || AUDIO_FOLDER.owns_folder(&"data".into(), &env);
    for (name, text, is_own) in [
        ("metadata.csv", "file_name,text\n", true),
        ("metadata.csv", "\"file_name\",text\n", true),
        ("metadata.csv", "\u{feff}file_name,text\r\n", true),
        ("metadata.csv", "text,file_name\n", true),
        ("metadata.csv", "LJ001-0001|file_name of|x\n", false),
        ("metadata.csv", "id,text\n", false),
        ("metadata.jsonl", "", true),
    ] {
        store.insert(format!("data/{name}"), text.as_bytes().to_vec());
        assert_eq!(owns(), is_own, "{text}");
    }
    let fits = |names: &[&str]| AUDIO_FOLDER.folder().unwrap().fits(names);
    assert!(fits(&["a.wav", "metadata.jsonl"]) && fits(&["metadata.csv"]));
    assert!(!fits(&["a.wav", "my-metadata.csv"]));
    let score = |head: &str| {
        AUDIO_FOLDER.probe(&Probe {
            head: head.as_bytes(),
            whole: false,
            len: None,
            path: None,
        })
    };
    assert_eq!(score("\n{\"file_name\": \"a\"}"), Score::Possible(50));
    assert_eq!(score("{\"file\": \"a\"}"), Score::No);
    assert_eq!(score("[\"file_name\"]"), Score::No);
    let source = Source::from_bytes("m.jsonl", Vec::new()).unwrap();
    let opened = Request::all().open(&AUDIO_FOLDER, source, &Options::default(), &env);
    let error = opened.map(|_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "m.jsonl: is a file, an AudioFolder is a folder with a metadata.jsonl in it"
    );
    let output = env.output(&Locator::folder("out"));
    let writer = AUDIO_FOLDER.create(output, &Options::default(), &About::default(), &env);
    assert!(!writer.unwrap().caps().audio.references);
}
