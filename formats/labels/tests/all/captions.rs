//! Captions and the JSON of Whisper.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::model::Utterance;
use spr_format_labels::{SRT, VTT, WHISPER};

use super::common::{label, labelled, read, write};

/// As Whisper writes it: no line end after the last blank line is needed.
const SUBRIP: &str = "1\n00:00:00,000 --> 00:00:02,480\nand so my fellow Americans\n\n\
                      2\n00:00:02,480 --> 00:00:05,000\nask not\nwhat your country\n\n";

#[test]
fn captions_of_subrip() {
    let found = read(&SRT, &[], SUBRIP);
    let segments = "and so my fellow Americans 0-2.48, ask not what your country 2.48-5";
    assert_eq!(found.utts, [format!("utt000000 [{segments}]")]);
    assert_eq!((found.errors, found.warnings), (vec![], vec![]));
    // As on Windows, with positions, marks and a point; the last line without its end.
    let windows = "1\r\n00:00:01.000 --> 00:00:02.000 X1:40 X2:600\r\n{\\an8}<i>one</i> <unk>\r\n\
                   \r\n\r\n2\r\n00:01:00,500 --> 00:01:01,000\r\n42";
    let found = read(&SRT, &[], windows);
    assert_eq!(found.utts, ["utt000000 [one <unk> 1-2, 42 60.5-61]"]);
    assert_eq!(
        found.warnings,
        [
            "memory:8: the last line has no line end, but is whole",
            "memory: marks inside the text, such as <i>, are not kept",
        ]
    );
    for (text, message) in [
        (
            "1\n00:00:00,000 --> 00:00:02,000\none\n\ntwo\n",
            "memory:5: expected times, START --> END",
        ),
        (
            "1\n00:00:00,000 --> 00:00:01,000\none\n2\n00:00:01,000 --> 00:00:02,000\ntwo\n",
            "memory:5: times inside a caption, without a blank line before them",
        ),
        (
            "1\n00:00:03,000 --> 00:00:02,000\none\n",
            "memory:2: starts at 3 s and ends before that, at 2 s",
        ),
        (
            "1\n00:00:03 --> 00:00:04\none\n",
            "memory:2: '00:00:03' is not a time such as 00:01:02.500",
        ),
        (
            "1\n00:00:00,000 --> 00:00:02,000\n",
            "memory:2: the file ends inside a caption, before its text",
        ),
        (
            "1\n00:00:00,000 --> 00:00:0",
            "memory:2: the last line has no line end and may be cut off",
        ),
        (
            "1\n",
            "memory:1: the file ends inside a caption, before its text",
        ),
    ] {
        assert_eq!(read(&SRT, &[], text).errors, [message], "{text}");
    }
    let utt = |text: &str| labelled("a", vec![label(text, "0", "1")]);
    let written = write(&SRT, &[], &[utt("one two")]).unwrap();
    assert_eq!(written, "1\n00:00:00,000 --> 00:00:01,000\none two\n\n");
    for text in ["<i>one", "a --> b", "", " a", "a\nb"] {
        assert!(write(&SRT, &[], &[utt(text)]).is_err(), "{text}");
    }
    let point = labelled("a", vec![label("a", "1", "1")]);
    assert!(write(&SRT, &[], &[point]).is_err());
}

#[test]
fn captions_of_webvtt() {
    let text = "WEBVTT - a title\n\nNOTE\na comment --> no times\n\nSTYLE\n::cue {}\n\n\
                intro\n00:01.000 --> 00:02.000 align:start\n<v Ann B>one &amp; <b>two</b></v>\n\n\
                00:00:02.000 --> 00:00:03.000\n<v Ann B>yes</v>\n<v Bob>no</v>\n";
    let text = text.replace(" --> no times", "");
    let found = read(&VTT, &[], &text);
    let segments = "one & two 1-2 @Ann B, yes 2-3 @Ann B, no 2-3 @Bob";
    assert_eq!(found.utts, [format!("utt000000 [{segments}]")]);
    assert_eq!(
        found.warnings,
        ["memory: marks inside the text, such as <i>, are not kept"]
    );
    for (text, message) in [
        (
            "WEBVTTX\n\n00:01.000 --> 00:02.000\na\n",
            "memory: the first line is not WEBVTT",
        ),
        ("WEBVTT\n\n", "memory: the file holds no labels"),
        (
            "WEBVTT\n\nname\na\n",
            "memory:3: expected times, START --> END",
        ),
        (
            "WEBVTT\n\n00:01,000 --> 00:02,000\na\n",
            "memory:3: '00:01,000' is not a time such as 00:01:02.500",
        ),
    ] {
        assert_eq!(read(&VTT, &[], text).errors, [message], "{text}");
    }
    let mut utt = labelled("a", vec![label("a <b> & c", "3599.5", "3600.001")]);
    utt.tiers[0].segments[0].speaker = Some(b"x > y"[..].into());
    let written = write(&VTT, &[], &[utt]).unwrap();
    let want = "WEBVTT\n\n00:59:59.500 --> 01:00:00.001\n\
                <v x &gt; y>a &lt;b&gt; &amp; c</v>\n\n";
    assert_eq!(written, want);
    let back = read(&VTT, &[], want);
    assert_eq!(back.utts, ["utt000000 [a <b> & c 3599.5-3600.001 @x > y]"]);
}

#[test]
fn transcripts_of_whisper() {
    // As openai-whisper writes it with --word_timestamps, and as WhisperX does.
    let words = r#"{"text": " And so.", "segments": [{"id": 0, "seek": 0, "start": 0.0, "end": 1.5,
        "text": " And so.", "tokens": [50364], "temperature": 0.0, "avg_logprob": -0.2,
        "words": [{"word": " And", "start": 0.0, "end": 0.5, "probability": 0.75},
                  {"word": " so.", "start": 0.5, "end": 1.5, "probability": 0.5}]}],
        "language": "en"}"#;
    let found = read(&WHISPER, &[], words);
    assert_eq!(
        found.utts,
        ["utt000000 'And so.' segments[And so. 0.0-1.5] words[And 0.0-0.5 0.75, so. 0.5-1.5 0.5]"]
    );
    let spoken = r#"{"segments": [{"start": 0.1, "end": 1, "text": "in 2024", "speaker": "S0",
        "words": [{"word": "in", "start": 0.1, "end": 0.2, "score": 0.9, "speaker": "S0"},
                  {"word": "2024"}]}], "word_segments": [], "language": "en"}"#;
    let found = read(&WHISPER, &[], spoken);
    assert_eq!(
        found.utts,
        ["utt000000 segments[in 2024 0.1-1 @S0] words[in 0.1-0.2 @S0 0.9]"]
    );
    assert_eq!(
        found.warnings,
        ["memory: 1 words without times are left out of the words"]
    );
    for (text, message) in [
        (
            r#"{"segments": [{"start": 2, "end": 1, "text": ""}]}"#,
            "memory: a stretch starts at 2 and ends before that, at 1",
        ),
        (
            r#"{"segments": [{"start": -1, "end": 1, "text": ""}]}"#,
            "memory: start is negative: -1",
        ),
        (
            r#"{"text": "a", "segm"#,
            "memory: the file ends inside the object",
        ),
    ] {
        assert_eq!(read(&WHISPER, &[], text).errors, [message], "{text}");
    }
    let mut utt = labelled("a", vec![label("one", "0", "1.5")]);
    utt.text = Some(b"one".to_vec());
    utt.meta.language = Some("en".into());
    assert_eq!(
        write(&WHISPER, &[], &[utt]).unwrap(),
        "{\"text\": \"one\", \"segments\": [{\"id\": 0, \"start\": 0.0, \"end\": 1.5, \
         \"text\": \"one\"}], \"language\": \"en\"}\n"
    );
    let text = Utterance {
        key: "a".into(),
        text: Some(b"one".to_vec()),
        ..Utterance::default()
    };
    let written = write(&WHISPER, &[], &[text]).unwrap();
    assert_eq!(read(&WHISPER, &[], &written).utts, ["utt000000 'one'"]);
}
