//! NeMo's lines: what comes back as it was, what is left out, and what can't be said.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::bytes::Locator;
use spr_core::format::Request;
use spr_core::model::{Audio, AudioReference, Decimal, Key, RecordingFacts, Span, Tag, Utterance};
use spr_format_manifest::NEMO;

use crate::common::{read_file, surroundings, text_of, write};

#[test]
fn lines_come_back_byte_for_byte() {
    let lines = [
        r#"{"audio_filepath": "x/a.wav", "offset": 0.5, "duration": 1.25}"#,
        r#"{"audio_filepath": "x/a.wav", "offset": 0.5, "duration": 1.25, "utt_id": "u"}"#,
        r#"{"audio_filepath": "x/a.wav", "offset": 0.5, "duration": 1.25, "id": "v"}"#,
        r#"{"audio_filepath": "x/a.wav", "offset": 0.5, "duration": 1.25, "id": 7}"#,
        r#"{"audio_filepath": "x/a.wav", "offset": 0.5, "duration": 1.25, "utt_id": "w", "id": "other"}"#,
        r#"{"audio_filepath": "x/a.wav", "offset": 0.5, "duration": 1.25, "text": "said", "lang": "nl", "speaker": "ann", "gender": "f", "channel": 1, "sampling_rate": 8000, "utt_id": "x", "snr": 1.50}"#,
        r#"{"audio_filepath": "x/a.wav", "offset": 0.5, "duration": 1.25, "text": "1", "utt_id": "y", "channel": "left", "normalized_text": "one"}"#,
    ];
    let (store, env) = surroundings();
    store.insert("m.json", (lines.join("\n") + "\n").into_bytes());
    let utts = read_file(&NEMO, "m.json", &[], Request::all(), &env).whole();
    let keys: Vec<_> = utts.iter().map(|utt| utt.key.to_string()).collect();
    assert_eq!(keys, ["a-0000500-0001750", "u", "v", "7", "w", "x", "y"]);
    write(&NEMO, &Locator::file("n.json"), &[], &utts, &env).unwrap();
    let written = text_of("n.json", &env);
    assert_eq!(written.lines().collect::<Vec<_>>(), lines);
    // Another key takes the place of that in a field.
    let mut renamed = utts[2].clone();
    renamed.key = Key::from("z");
    write(&NEMO, &Locator::file("n.json"), &[], &[renamed], &env).unwrap();
    assert_eq!(
        text_of("n.json", &env),
        "{\"audio_filepath\": \"x/a.wav\", \"offset\": 0.5, \"duration\": 1.25, \"id\": \"z\"}\n"
    );
}

#[test]
fn columns_that_would_be_read_as_fields_get_other_names() {
    let line = |tags: &[(&str, &str)]| {
        let (_, env) = surroundings();
        let mut utt = sound(&|audio| audio.span = Span::new(None, Decimal::parse("0.5")));
        utt.text = Some("said".into());
        utt.meta.tags = tags
            .iter()
            .map(|(key, value)| Tag::new("manifest", *key, *value))
            .collect();
        write(&NEMO, &Locator::file("n.json"), &[], &[utt], &env).unwrap();
        let text = text_of("n.json", &env);
        let rest = text
            .split("\"sampling_rate\": 8000")
            .nth(1)
            .unwrap()
            .to_owned();
        rest.trim_end()
            .trim_end_matches('}')
            .trim_start_matches(", ")
            .to_owned()
    };
    for (name, value, kept) in [
        ("snr", "1", true),
        ("lang", "\"nl\"", false),
        ("speaker", "[1]", true),
        ("channel", "1", false),
        ("channel", "\"left\"", true),
        ("offset", "1", false),
        ("text", "\"x\"", false),
        ("normalized_text", "\"x\"", true),
        ("recording_start", "\"x\"", false),
        ("id", "\"z\"", false),
        ("id", "null", true),
    ] {
        let name_written = match kept {
            true => name.to_owned(),
            false => format!("manifest:{name}"),
        };
        let found = line(&[(name, value)]);
        assert!(
            found.ends_with(&format!("\"{name_written}\": {value}")),
            "{name}: {found}"
        );
    }
}

/// An utterance that is a file, after a change.
fn sound(change: &dyn Fn(&mut AudioReference)) -> Utterance {
    let mut audio = AudioReference::new(Locator::file("a.wav"));
    audio.recording = RecordingFacts {
        rate: Some(8000),
        samples: Some(8000),
        channels: Some(1),
        ..RecordingFacts::default()
    };
    change(&mut audio);
    Utterance {
        key: "k".into(),
        audio: Some(Audio::Reference(audio)),
        ..Utterance::default()
    }
}

#[test]
fn sound_that_is_no_file_is_refused() {
    let time = Decimal::parse;
    for (utt, message) in [
        (
            Utterance {
                key: "k".into(),
                ..Utterance::default()
            },
            "of the manifest names",
        ),
        (
            sound(&|audio| audio.at = Locator::Command("cat a.wav".to_owned())),
            "its sound comes from a command, and the manifest names sound files",
        ),
        (
            sound(&|audio| audio.at = Locator::Standard),
            "its sound comes from standard input, and the manifest names sound files",
        ),
        (
            sound(&|audio| audio.at = Locator::FileAt("a.ark".into(), 7)),
            "its sound is inside another file, and the manifest names sound files",
        ),
        (
            sound(&|audio| audio.len = Some(7)),
            "its sound is inside another file",
        ),
        (
            sound(&|audio| audio.span = Span::new(time("0.5"), time("0.25"))),
            "has sound that ends before it starts",
        ),
        (
            sound(&|audio| audio.span = Span::new(time("-0.5"), time("0.25"))),
            "has sound that ends before it starts",
        ),
    ] {
        let (_, env) = surroundings();
        let error = write(&NEMO, &Locator::file("n.json"), &[], &[utt], &env).unwrap_err();
        assert!(error.to_string().contains(message), "{message}: {error}");
        assert!(
            error.to_string().starts_with("n.json: utterance k: "),
            "{error}"
        );
        assert!(error.can_continue());
    }
}

#[test]
fn skipped_lines_are_counted() {
    let line = |n: u32, skip: &str| {
        format!("{{\"audio_filepath\": \"{n}.wav\", \"duration\": 1, \"_skipme\": {skip}}}\n")
    };
    for (skips, told) in [
        (&["false", "0", "\"\""][..], &[][..]),
        (
            &["true", "0"],
            &["m.json: 1 line is marked with _skipme and left out"],
        ),
        (
            &["1", "false", "\"x\""],
            &["m.json: 2 lines are marked with _skipme and left out"],
        ),
    ] {
        let (store, env) = surroundings();
        let text: String = (1..).zip(skips).map(|(n, skip)| line(n, skip)).collect();
        store.insert("m.json", text.into_bytes());
        let found = read_file(&NEMO, "m.json", &[], Request::all(), &env);
        assert_eq!(found.warnings, told);
        let left = usize::from(!told.is_empty()) + usize::from(skips[0] == "1");
        assert_eq!(found.whole().len(), skips.len() - left);
    }
}

#[test]
fn names_may_be_paths() {
    let (store, env) = surroundings();
    let line = |file: &str, more: &str| {
        format!("{{\"audio_filepath\": \"{file}\", \"duration\": 1{more}}}\n")
    };
    let text = [
        line("x/a.wav", ""),
        line("y/a.wav", ""),
        line("y/a.flac", ""),
        line("", ""),
        line("b.wav", ", \"sampling_rate\": 0"),
        line("b.wav", ", \"offset\": 0.5"),
    ];
    store.insert("m.json", text.concat().into_bytes());
    let distinct = || Request::all().distinct(true);
    let found = read_file(&NEMO, "m.json", &[("keys", "path")], distinct(), &env);
    assert_eq!(found.keys(), ["x/a", "y/a", "y/a-2", "b-0000500-0001500"]);
    assert_eq!(
        found.said(),
        [
            "m.json:4: audio_filepath is empty",
            "m.json:5: sampling_rate is 0",
        ]
    );
    let found = read_file(&NEMO, "m.json", &[], distinct(), &env);
    assert_eq!(found.keys(), ["a", "b-0000500-0001500"]);
    let told = "a second line of this name, which is that of its sound file without folders";
    assert_eq!(found.said()[0], format!("m.json:2: utterance a: {told}"));
    // Repeated keys that are allowed are read with a warning.
    let found = read_file(&NEMO, "m.json", &[], Request::all(), &env);
    assert_eq!(found.keys(), ["a", "a", "a", "b-0000500-0001500"]);
    assert_eq!(
        found.warnings,
        [
            format!("m.json:2: utterance a: {told}"),
            format!("m.json:3: utterance a: {told}"),
        ]
    );
    // A number that is another's name is not given.
    let text = ["x/a.wav", "x/a-2.wav", "x/a.wav", "x/a.wav"].map(|file| line(file, ""));
    store.insert("n.json", text.concat().into_bytes());
    let found = read_file(&NEMO, "n.json", &[("keys", "path")], distinct(), &env);
    assert_eq!(found.keys(), ["x/a", "x/a-2", "x/a-3", "x/a-4"]);
}
