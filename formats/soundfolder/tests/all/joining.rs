//! Transcripts beside sound, what contradicts, and what is left out.

use spr_core::bytes::Locator;
use spr_core::format::{Format, Options, Request};
use spr_core::model::{About, Audio, Key, RecordingFacts};
use spr_format_soundfolder::FORMAT;

use crate::{SOUND, fill, folder, read, surroundings, utt};

/// A TextGrid with tiers of these names, each of which has the same two intervals.
fn grid(tiers: &[&str]) -> Vec<u8> {
    let tier = |name: &&str| {
        format!("\"IntervalTier\"\n\"{name}\"\n0\n2\n2\n0\n1\n\" one \"\n1\n2\n\"two\"\n")
    };
    let tiers_text: String = tiers.iter().map(tier).collect();
    let head = "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\n0\n2\n<exists>\n";
    format!("{head}{}\n{tiers_text}", tiers.len()).into_bytes()
}

#[test]
fn text_beside_sound_is_one_line() {
    for (name, text, expected) in [
        ("a.txt", &b"\xef\xbb\xbfone\r\n\r\n two \r\n"[..], "one two"),
        ("a.TXT", b"one", "one"),
        ("a.txt", b"", ""),
        ("a.lab", b"go home\n", "go home"),
        ("a.lab", b"", ""),
        ("a.lab", b"1 2\n", "1 2"),
        ("a.lab", b"0 10 x\n-1 20 y\n", "0 10 x -1 20 y"),
        ("a.lab", b"0 10 x\ny\n", "0 10 x y"),
        ("a.normalized.txt", b"three\n", "three"),
        // Times in a text that is none of segments.
        ("a.txt", b"0 10 x\n", "0 10 x"),
    ] {
        let at = format!("data/{name}");
        let found = read(&[("data/a.wav", SOUND), (&at, text)]);
        assert_eq!(found.errors, [""; 0], "{name}");
        assert_eq!(found.texts(), [format!("a: {expected}")], "{name}");
        assert_eq!(found.warnings, [""; 0], "{name}");
        let from = "1 sound files, 1 with a transcript beside them";
        assert_eq!(found.decision, from);
    }
}

#[test]
fn segments_beside_sound_are_in_ticks_or_seconds() {
    for lines in ["0 5000000 x\n5000000 9000000 y\n", "0 0.5 x\n0.5 0.9 y\n"] {
        let found = read(&[
            ("data/a.wav", SOUND),
            ("data/a.lab", lines.as_bytes()),
            ("data/a.txt", b"said\n"),
        ]);
        assert_eq!(found.errors, [""; 0], "{lines}");
        assert_eq!(found.texts(), ["a: said"]);
        let segments = &found.utts[0].tiers[0].segments;
        let ends: Vec<_> = segments
            .iter()
            .map(|s| (s.end.unwrap().value(), &*s.label))
            .collect();
        assert_eq!(ends, [(0.5, &b"x"[..]), (0.9, b"y")]);
    }
}

#[test]
fn a_tier_of_words_is_text() {
    for (tiers, text) in [
        (&["words"][..], "a: one two"),
        (&["phones", "word"], "a: one two"),
        (&["text"], "a: one two"),
        (&["phones"], "a"),
        // None is better than one of two.
        (&["words", "text"], "a"),
    ] {
        let found = read(&[("data/a.wav", SOUND), ("data/a.TextGrid", &grid(tiers))]);
        assert_eq!(found.errors, [""; 0], "{tiers:?}");
        assert_eq!(found.texts(), [text], "{tiers:?}");
        assert_eq!(found.utts[0].tiers.len(), tiers.len());
    }
}

#[test]
fn sources_that_contradict_are_named() {
    let words = grid(&["words"]);
    for (files, message) in [
        (
            &[("a.txt", &b"one\n"[..]), ("x.trans.txt", b"a two\n")][..],
            "data/a.wav: utterance a: data/x.trans.txt:1 and data/a.txt say different things",
        ),
        (
            &[("x.trans.txt", b"a one\n"), ("trans.txt", b"a two\n")],
            "data/a.wav: utterance a: data/trans.txt:1 and data/x.trans.txt:1 say different things",
        ),
        (
            &[("a.txt", b"one\n"), ("a.lab", b"two\n")],
            "data/a.wav: utterance a: data/a.txt and data/a.lab say different things",
        ),
        (
            &[("a.txt", b"one\n"), ("a.textgrid", &words)],
            "data/a.wav: utterance a: data/a.txt and data/a.textgrid say different things",
        ),
        (
            &[("a.lab", b"0 10000000 one\n"), ("a.textgrid", &words)],
            "data/a.textgrid: utterance a: holds segments, and so does another file beside the sound",
        ),
        (
            &[("a.txt", b"\xff\n")],
            "data/a.txt: utterance a: is not UTF-8",
        ),
        (
            &[("a.lab", b"\xef\xbb\xbf0 1 caf\xe9\n")],
            "data/a.lab: utterance a: is not UTF-8",
        ),
        (
            &[("a.wav", b"")],
            "data/a.wav: utterance a: the file is empty",
        ),
        (
            &[("a.wav", b"<html>")],
            "data/a.wav: utterance a: holds no sound of a format that is read, as its name says",
        ),
    ] {
        let places: Vec<_> = files
            .iter()
            .map(|(name, bytes)| (format!("data/{name}"), *bytes))
            .collect();
        let mut files = vec![("data/a.wav", SOUND), ("data/b.wav", SOUND)];
        files.extend(places.iter().map(|(at, bytes)| (&**at, *bytes)));
        let found = read(&files);
        assert_eq!(found.errors, [message]);
        assert_eq!(found.texts(), ["b"], "{message}");
    }
    // The same, said twice.
    let found = read(&[
        ("data/a.wav", SOUND),
        ("data/a.txt", b"one two\n"),
        ("data/a.textgrid", &words),
        ("data/trans.txt", b"a one two\n"),
    ]);
    assert_eq!(
        (found.texts(), found.errors),
        (vec!["a: one two".to_owned()], Vec::new())
    );
}

#[test]
fn tables_fill_in_what_others_leave_open() {
    let found = read(&[
        ("data/a.wav", SOUND),
        ("data/1.tsv", b"path\ttext\tgender\tage\na\tone\t\t7\n"),
        (
            "data/2.tsv",
            b"path\ttext\tgender\tage\tsnr\na\tone\tf\t8\t1.50\n",
        ),
    ]);
    assert_eq!(found.texts(), ["a: one"]);
    let meta = &found.utts[0].meta;
    assert_eq!(meta.gender, Some("f".into()));
    // The first table counts where both say something.
    let tags: Vec<_> = meta
        .tags
        .iter()
        .map(|tag| (&*tag.key, &*tag.value))
        .collect();
    assert_eq!(tags, [(&b"age"[..], &b"7"[..]), (b"snr", b"1.50")]);
}

#[test]
fn what_is_left_out_is_told() {
    let found = read(&[
        ("data/a.wav", SOUND),
        ("data/sub/b.flac", b"fLaC"),
        ("data/._a.wav", b"rubbish"),
        ("data/.DS_Store", b"rubbish"),
        ("data/sub/Thumbs.db", b"rubbish"),
        ("data/a.normalized.txt", b"one\n"),
        ("data/a.txt", b"1\n"),
        ("data/c.txt", b"no sound\n"),
        ("data/README", b"about\n"),
    ]);
    assert_eq!(
        found.warnings,
        [
            "data/.DS_Store: left out, what systems leave in folders, with 2 more",
            "data/README: left out, neither sound that is read nor a transcript, with 2 more",
            "data/sub/b.flac: has no transcript, as 1 of 2 sound files have none",
        ]
    );
    assert_eq!(found.texts(), ["a: one"]);
    let found = read(&[("data/a.wav", SOUND), ("data/desktop.ini", b"rubbish")]);
    assert_eq!(
        found.warnings,
        ["data/desktop.ini: left out, what systems leave in folders"]
    );
    let found = read(&[("data/a.txt", b"one\n")]);
    assert_eq!(found.errors, ["data: holds no sound files"]);
}

#[test]
fn files_of_one_name_and_names_that_lie() {
    let (_, env) = surroundings();
    let options = Options::default();
    let flac =
        spr_testkit::memory_within(&spr_format_audio::FLAC, &options, &[utt("a", None)], &env);
    let flac = flac.unwrap();
    let found = read(&[
        ("data/a.wav", SOUND),
        ("data/a.flac", &flac),
        ("data/a.txt", b"one\n"),
        ("data/b.wav", &flac),
    ]);
    assert_eq!(
        found.errors,
        ["data/a.wav: utterance a: two files give the same key, the other is data/a.flac"]
    );
    assert_eq!(found.texts(), ["a: one", "b"]);
    assert_eq!(
        found.warnings,
        [
            "data/b.wav: has no transcript, as 1 of 2 sound files have none",
            "data/b.wav: is read as flac, which its first bytes are, and not as wav",
        ]
    );
    let Some(Audio::Reference(sound)) = &found.utts[1].audio else {
        panic!("{:?}", found.utts[1])
    };
    assert_eq!(sound.at, Locator::file("data/b.wav"));
    let facts = RecordingFacts {
        rate: Some(8000),
        channels: Some(1),
        samples: Some(3),
        ..sound.recording
    };
    assert_eq!(sound.recording, facts);
}

#[test]
fn only_what_is_asked_for_is_looked_at() {
    let (store, env) = surroundings();
    fill(
        &store,
        &[
            ("data/a.wav", b"<html>"),
            ("data/a.txt", b"\xff"),
            ("data/b.wav", SOUND),
            ("data/b.txt", b"two\n"),
        ],
    );
    let found = folder(Request::all().keys(|key| *key == Key::from("b")), &env);
    assert_eq!(
        (found.texts(), found.errors),
        (vec!["b: two".to_owned()], Vec::new())
    );
    assert_eq!(found.count, None);
    // Names alone need no file.
    let found = folder(Request::names(), &env);
    assert_eq!(found.texts(), ["a", "b"]);
    assert!(found.utts.iter().all(|utt| utt.audio.is_none()));
}

#[test]
fn sound_goes_to_a_folder() {
    let (_, env) = surroundings();
    let output = env.output(&Locator::file("out"));
    let created = FORMAT.create(output, &Options::default(), &About::default(), &env);
    let error = created.map(|_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "out: is a file, and a folder of sound files is written"
    );
    assert_eq!(error.hint_text().as_deref(), Some("end the name with /"));
    let (store, env) = surroundings();
    let output = env.output(&Locator::folder("out"));
    let utts = [utt("a", Some("one")), utt("b", None)];
    let written = spr_testkit::write_within(&FORMAT, &Options::default(), &utts, output, &env);
    let written = written.unwrap();
    let len = |name: &str| store.get(name).unwrap().len() as u64;
    let bytes = len("out/a.wav") + len("out/b.wav") + len("out/a.txt");
    assert_eq!((written.utterances, written.bytes), (2, bytes));
    let output = env.output(&Locator::folder("out")).overwrite(true);
    let writer = FORMAT.create(output, &Options::default(), &About::default(), &env);
    let caps = *writer.unwrap().caps();
    assert!(caps.text && caps.features.is_none());
    for (key, text, fits) in [
        ("a", "one", true),
        ("x/y.z", "", true),
        ("x/.y", "one", false),
        (".y", "one", false),
        ("a", "one\rtwo", false),
        ("a", "one\t", false),
    ] {
        let checked = caps.check(&utt(key, Some(text)));
        assert_eq!(checked.is_ok(), fits, "{key} {text:?} {checked:?}");
    }
}
