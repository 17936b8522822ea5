//! The behaviour suite for the manifest formats.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::Error;
use spr_core::bytes::{Env, Locator, Source};
use spr_core::format::{Format, Options, Reader, Request};
use spr_core::model::{Audio, Decimal, Key, Span, Tag, Utterance};
use spr_format_manifest::{LHOTSE, NEMO};
use spr_testkit::{Suite, generate, suite};

/// Columns that are of some format and not twice there.
fn text_only(utt: &mut Utterance) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned().into_bytes();
    for (n, tag) in utt.meta.tags.iter_mut().enumerate() {
        let key = [text(&tag.key), n.to_string().into_bytes()].concat();
        *tag = Tag::new(tag.format.clone(), key, text(&tag.value));
    }
}

/// Adds a segment of an audio file, which every line needs.
fn stretched(utt: &mut Utterance) {
    text_only(utt);
    if utt.audio.is_none() {
        utt.audio = Some(Audio::Reference(generate::reference(
            utt.key.as_bytes().len(),
        )));
    }
    if let Some(Audio::Reference(place)) = &mut utt.audio {
        place.span = Span::new(Some(Decimal::new(45, -2)), Some(Decimal::new(8, -1)));
        place.recording.rate = Some(8000);
    }
}

#[test]
fn nemo_behaves() {
    suite(&Suite {
        text: true,
        self_delimiting: true,
        options: &[&[], &[("paths", "asis")]],
        prepare: stretched,
        ..Suite::new(&NEMO)
    });
}

/// Adds a segment of a recording with all required facts, and segments as in Lhotse.
fn cut(utt: &mut Utterance) {
    stretched(utt);
    let name = format!("recording of {}", utt.key);
    if let Some(Audio::Reference(place)) = &mut utt.audio {
        place.at = Locator::file(format!("{name}.wav"));
        place.recording.channels = Some(1);
        place.recording.samples = Some(9_000_000);
        (utt.meta.start, utt.meta.end) = (Some(place.span.start()), place.span.end());
    }
    utt.meta.recording = Some(name.as_str().into());
    for (n, tier) in utt.tiers.iter_mut().enumerate() {
        if tier.name.is_empty() {
            tier.name = format!("kind {n}").into_bytes().into();
        }
        let proper = tier.segments.iter_mut();
        for segment in proper.filter(|segment| segment.is_proper()) {
            // Within what the utterance lasts.
            let Some(end) = segment.end else { continue };
            let start = short(segment.start);
            (segment.start, segment.end) = (start, Some(short(end).max(start)));
            if !tier.points {
                segment.end = start.plus(Decimal::new(1, -4));
            }
        }
    }
}

/// Returns a time below a third of a second, preserving order.
fn short(time: Decimal) -> Decimal {
    let value = time.value() / (1.0 + time.value()) / 3.0;
    Decimal::of((value * 1e4).floor() / 1e4).unwrap()
}

#[test]
fn lhotse_behaves() {
    suite(&Suite {
        text: true,
        self_delimiting: true,
        prepare: cut,
        ..Suite::new(&LHOTSE)
    });
}

fn open(format: &'static dyn Format, text: &str) -> Box<dyn Reader> {
    let source = Source::from_bytes("m.json", text.as_bytes().to_vec()).unwrap();
    let opened = Request::all().open(format, source, &Options::default(), &Env::default());
    opened.unwrap().into_stream().unwrap()
}

/// Checks that each faulty line is an error with its number, and that the next line is read.
pub(crate) fn faults(format: &'static dyn Format, good: &str, lines: &[(&str, &str)]) {
    for (line, message) in lines {
        let mut reader = open(format, &format!("{good}\n\n{line}\n{good}\n"));
        let mut utt = Utterance::default();
        assert!(reader.read(&mut utt).unwrap());
        let error: Error = reader.read(&mut utt).unwrap_err();
        let place = (error.file_name(), error.line_number());
        assert_eq!(place, (Some("m.json"), Some(3)), "{line}: {error}");
        assert!(error.to_string().contains(message), "{line}: {error}");
        assert!(error.can_continue(), "{line}: {error}");
        assert!(reader.read(&mut utt).unwrap(), "{line}");
        assert!(!reader.read(&mut utt).unwrap(), "{line}");
    }
}

#[test]
fn malformed_nemo_lines_are_named() {
    let good = r#"{"audio_filepath": "a.wav", "duration": 1, "utt_id": "a"}"#;
    faults(
        &NEMO,
        good,
        &[
            ("rubbish", "byte 1 of the line: expected value"),
            ("[1]", "expected one JSON object per line"),
            (r#"{"audio_filepath": "a.wav", "durat"#, "inside the object"),
            (r#"{"duration": 1}"#, "has no audio_filepath"),
            (
                r#"{"audio_filepath": ["a.wav"], "duration": 1}"#,
                "audio_filepath is not text: [",
            ),
            (r#"{"audio_filepath": "a.wav"}"#, "has no duration"),
            (
                r#"{"audio_filepath": "a.wav", "duration": null}"#,
                "has no duration",
            ),
            (
                r#"{"audio_filepath": "a.wav", "duration": "1"}"#,
                "duration is not a number: \"1\"",
            ),
            (
                r#"{"audio_filepath": "a.wav", "duration": -1}"#,
                "duration is negative: -1",
            ),
            (
                r#"{"audio_filepath": "a.wav", "duration": 1, "offset": -0.5}"#,
                "offset is negative",
            ),
            (
                r#"{"audio_filepath": "a.wav", "duration": 1, "text": 7}"#,
                "text is not text: 7",
            ),
            (
                r#"{"audio_filepath": "a.wav", "duration": 1, "sampling_rate": 8e-3}"#,
                "sampling_rate is not a count",
            ),
            (
                r#"{"audio_filepath": "a.wav", "duration": 1, "x": 1, "x": 2}"#,
                "the field 'x' appears twice",
            ),
            (
                r#"{"audio_filepath": "a.wav", "duration": 1, "shard_id": 0}"#,
                "a tarred manifest, whose sound is inside tar files",
            ),
        ],
    );
}

#[test]
fn nemo_lines_without_names_are_named_by_their_sound() {
    let lines = r#"
{"audio_filepath": "x/a.b.wav", "duration": 1.5}
{"audio_filepath": "x/a.b.wav", "duration": 1.5, "offset": 0}
{"audio_filepath": "x/a.b.wav", "duration": 0.35, "offset": 0.45}
{"audio_filepath": "x/.wav", "duration": 0.35, "id": 7}
{"audio_filepath": "skipped.wav", "duration": 1, "_skipme": true}
{"audio_filepath": "y/a.b.flac", "duration": 2}
"#;
    let mut reader = open(&NEMO, lines);
    let mut utt = Utterance::default();
    let keys = ["a.b", "a.b-0000000-0001500", "a.b-0000450-0000800", "7"];
    for key in keys {
        assert!(reader.read(&mut utt).unwrap());
        assert_eq!(utt.key, Key::from(key));
    }
    // A second line of a name is read, with a warning.
    assert!(reader.read(&mut utt).unwrap());
    assert_eq!(utt.key, Key::from("a.b"));
}
