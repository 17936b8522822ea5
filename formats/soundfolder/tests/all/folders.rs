//! Folders that are written are read back, and tables are told by their first line.

use std::sync::Arc;

use spr_core::bytes::{Env, Location, Locator};
use spr_core::format::{Format, Options, Probe, Request, Score};
use spr_core::model::{About, Audio, EncodedAudio, Key, Utterance};
use spr_core::{Error, Result};
use spr_format_soundfolder::FORMAT;

use crate::{surroundings, utt};

fn write(utts: &[Utterance], env: &Env) -> Result<()> {
    let output = env.output(&Locator::folder("data"));
    let mut writer = FORMAT.create(output.clone(), &Options::default(), &About::default(), env)?;
    for utt in utts {
        writer.accept(utt)?;
        writer.write(utt)?;
    }
    writer.finish()?;
    output.commit()
}

/// Reads all utterances and errors, with their sound.
fn read(env: &Env) -> Vec<Result<Utterance>> {
    let at = Location::from("data");
    let request = Request::all().samples();
    let opened = request.open_folder(&FORMAT, &at, &[], &Options::default(), env);
    let mut reader = opened.unwrap().into_stream().unwrap();
    let mut all = Vec::new();
    loop {
        let mut utt = Utterance::default();
        match reader.read(&mut utt) {
            Ok(false) => return all,
            Ok(true) => all.push(Ok(utt)),
            Err(error) => all.push(Err(error)),
        }
    }
}

#[test]
fn what_is_written_comes_back() {
    let (store, env) = surroundings();
    let utts = [
        utt("a", Some("één  twee")),
        utt("sub/b.2", None),
        utt("sub/c", Some("")),
    ];
    write(&utts, &env).unwrap();
    assert_eq!(store.get("data/a.txt").unwrap(), "één  twee\n".as_bytes());
    let got: Vec<_> = read(&env).into_iter().map(Result::unwrap).collect();
    assert_eq!(got, utts);
    let stored = EncodedAudio {
        format: "flac".to_owned(),
        bytes: b"fLaC and so on".to_vec(),
        ..EncodedAudio::default()
    };
    let other = Utterance {
        audio: Some(Audio::Encoded(stored)),
        ..utt("d", None)
    };
    let env = env.with_store(Arc::new(store.clone()));
    let output = env.output(&Locator::folder("flac"));
    let (options, about) = (Options::default(), About::default());
    let mut writer = FORMAT
        .create(output.clone(), &options, &about, &env)
        .unwrap();
    writer.write(&other).unwrap();
    writer.finish().unwrap();
    output.commit().unwrap();
    assert_eq!(store.get("flac/d.flac").unwrap(), b"fLaC and so on");
}

#[test]
fn what_would_be_read_otherwise_is_refused() {
    let (store, env) = surroundings();
    for wrong in [
        utt("a", Some("two\nlines")),
        utt("a", Some(" blank")),
        utt("a", Some("\u{feff}mark")),
        utt("x/.hidden", None),
        utt("../a", None),
        Utterance::default(),
        Utterance {
            text: Some(vec![0xff]),
            ..utt("a", None)
        },
    ] {
        assert!(write(&[wrong], &env).is_err());
    }
    assert_eq!(store.get("data/a.wav"), None);
}

#[test]
fn segments_are_read_by_their_forms() {
    let (store, env) = surroundings();
    let keys = ["a", "b"].map(|key| utt(key, None));
    write(&keys, &env).unwrap();
    store.insert(
        "data/a.lab",
        b"0 10000000 x\n10000000 20000000 y\n".to_vec(),
    );
    store.insert("data/b.lab", b"0 is no time\n".to_vec());
    let got: Vec<_> = read(&env).into_iter().map(Result::unwrap).collect();
    assert_eq!(got[0].tiers[0].segments.len(), 2);
    assert_eq!(
        (got[1].text.as_deref(), got[1].tiers.len()),
        (Some(&b"0 is no time"[..]), 0)
    );
    store.insert("data/a.lab", b"0 10000000 x\n10000000 5 y\n".to_vec());
    let errors: Vec<Error> = read(&env).into_iter().filter_map(Result::err).collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].key(), Some(&Key::from("a")));
    assert!(errors[0].can_continue());
}

#[test]
fn tables_are_known_by_their_columns() {
    for (text, is_table) in [
        ("client_id\tpath\tsentence\n", true),
        ("\u{feff}path\tx\ttext\r\n", true),
        ("path,sentence\n", true),
        ("Datei;Sprecher;Text\n", true),
        ("\"wav_filename\",\"transcript\"\n", true),
        ("path\tx\n", false),
        ("a sentence in a\tpath\n", false),
        ("", false),
    ] {
        let head = Probe {
            head: text.as_bytes(),
            whole: true,
            len: None,
            path: None,
        };
        assert_eq!(FORMAT.probe(&head) > Score::No, is_table, "{text}");
    }
}
