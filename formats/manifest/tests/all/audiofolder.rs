//! AudioFolders: output is read back, and tables of other programs are read.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::sync::Arc;

use spr_core::bytes::{Env, Location, Locator, MemoryStore};
use spr_core::format::{Format, Options, Registry, Request};
use spr_core::model::{About, Audio, EncodedAudio, Key, Matrix, Rank, Tag, Utterance, Waveform};
use spr_core::{Error, Result};
use spr_format_manifest::AUDIO_FOLDER;

/// Returns a store with WAV files, and an environment over it.
fn surroundings() -> (MemoryStore, Env) {
    let store = MemoryStore::new();
    let registry = Registry::new([&spr_format_audio::WAV as &'static dyn Format]);
    let env = Env::default().with_formats(registry);
    (store.clone(), env.with_store(Arc::new(store)))
}

fn write(utts: &[Utterance], env: &Env) -> Result<()> {
    let output = env.output(&Locator::folder("data"));
    let mut writer =
        AUDIO_FOLDER.create(output.clone(), &Options::default(), &About::default(), env)?;
    for utt in utts {
        writer.accept(utt)?;
        writer.write(utt)?;
    }
    writer.finish()?;
    output.commit()
}

/// Reads all utterances and errors.
fn read(request: Request, env: &Env) -> Vec<Result<Utterance>> {
    let at = Location::from("data");
    let opened = request.open_folder(&AUDIO_FOLDER, &at, &[], &Options::default(), env);
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

fn sound(values: &[i16]) -> Audio {
    Audio::Samples(Waveform {
        rate: 8000,
        samples: Matrix::from_rows(values, 1, Rank::Matrix).unwrap(),
    })
}

#[test]
fn what_is_written_comes_back() {
    let (store, env) = surroundings();
    let mut first = Utterance {
        key: "ann-1".into(),
        audio: Some(sound(&[1, -2, 3])),
        text: Some("één".into()),
        ..Utterance::default()
    };
    let meta = &mut first.meta;
    (meta.speaker, meta.gender) = (Some("ann".into()), Some("f".into()));
    (meta.language, meta.recording) = (Some("nl".into()), Some("r 1".into()));
    meta.start = spr_core::model::Decimal::parse("0.5");
    meta.tags.push(Tag::new("manifest", "snr", "1.50"));
    let second = Utterance {
        key: "sub/b.2".into(),
        audio: Some(Audio::Encoded(EncodedAudio {
            format: "flac".to_owned(),
            bytes: b"fLaC and so on".to_vec(),
            ..EncodedAudio::default()
        })),
        ..Utterance::default()
    };
    let utts = [first, second];
    write(&utts, &env).unwrap();
    assert_eq!(store.get("data/sub/b.2.flac").unwrap(), b"fLaC and so on");
    let table = String::from_utf8(store.get("data/metadata.jsonl").unwrap()).unwrap();
    let rows = concat!(
        r#"{"file_name": "ann-1.wav", "text": "één", "speaker": "ann", "gender": "f", "#,
        r#""language": "nl", "recording_name": "r 1", "recording_start": 0.5, "snr": 1.50}"#,
        "\n",
        r#"{"file_name": "sub/b.2.flac"}"#,
        "\n"
    );
    assert_eq!(table, rows);
    let back = read(
        Request::all()
            .keys(|key| key == &Key::from("ann-1"))
            .samples(),
        &env,
    );
    let [Ok(back)] = &back[..] else {
        panic!("{back:?}")
    };
    assert_eq!(*back, utts[0]);
    let all = read(Request::all(), &env);
    assert_eq!(all[1].as_ref().unwrap().key, utts[1].key);
}

#[test]
fn what_has_no_place_is_refused() {
    let (_, env) = surroundings();
    let with = |key: &[u8], audio| Utterance {
        key: key.into(),
        audio,
        text: Some(b"one".to_vec()),
        ..Utterance::default()
    };
    let some = || Some(sound(&[1]));
    let mut latin = with(b"a", some());
    latin.text = Some(b"\xe9".to_vec());
    for (utt, message) in [
        (with(b"a", None), "has no sound"),
        (with(b"\xe9", some()), "UTF-8"),
        (with(b"../a", some()), "a"),
        (with(b"a", Some(sound(&[]))), "without samples"),
        (latin, "the text is not UTF-8"),
    ] {
        let output = env.output(&Locator::folder("data"));
        let mut writer = AUDIO_FOLDER
            .create(output, &Options::default(), &About::default(), &env)
            .unwrap();
        let error: Error = writer.write(&utt).unwrap_err();
        assert!(
            error.can_continue() && error.to_string().contains(message),
            "{error}"
        );
    }
}

#[test]
fn tables_of_splits_in_either_form_are_read() {
    let (store, env) = surroundings();
    let csv = "\u{feff}file_name,transcription,speaker_id,snr,note\r\n\
               a.wav,\"one,\ntwo\",7,1.50,\r\n\
               b.wav,three\r\n\
               c.wav,\"say \"\"four\"\"\",bob,-1,007\r\n";
    store.insert("data/test/metadata.csv", csv.as_bytes().to_vec());
    let lines = "{\"file_name\": \"x/a.wav\", \"sentence\": \"five\", \"locale\": \"nl\"}\n\n\
                 {\"text\": \"six\"}\n{\"file_name\": \"b.wav\", \"utt_id\": 8}\n";
    store.insert("data/train/metadata.jsonl", lines.as_bytes().to_vec());
    let all = read(Request::all(), &env);
    let shown = all.iter().map(|utt| match utt {
        Ok(utt) => format!(
            "{} {:?}",
            utt.key,
            utt.text.as_deref().map(String::from_utf8_lossy)
        ),
        Err(error) => {
            assert!(error.can_continue());
            error.to_string()
        }
    });
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            r#"test/a Some("one,\ntwo")"#,
            "data/test/metadata.csv:4: a row of 2 values, expected 5 as there are names",
            r#"test/c Some("say \"four\"")"#,
            r#"train/x/a Some("five")"#,
            "data/train/metadata.jsonl:3: has no file_name",
            "8 None",
        ]
    );
    let first = all[0].as_ref().unwrap();
    assert_eq!(first.meta.speaker, Some("7".into()));
    assert_eq!(first.meta.tags, [Tag::new("manifest", "snr", "1.50")]);
    let third = all[2].as_ref().unwrap();
    // A value with a leading zero is text.
    assert_eq!(third.meta.tags[1], Tag::new("manifest", "note", "\"007\""));
}
