//! Text next to sound whose lines begin with times, and files of label formats.

use spr_core::format::{Format, Options};
use spr_core::model::{About, Segment};
use spr_format_soundfolder::FORMAT;

use crate::{LONG, SOUND, read, surroundings, utt};

/// Shows a segment as start, end, speaker and label.
fn shown(segment: &Segment) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let end = segment.end.unwrap();
    let speaker = segment
        .speaker
        .as_ref()
        .map(|name| format!(" @{}", text(name)));
    let speaker = speaker.unwrap_or_default();
    format!("{}-{end}{speaker} {}", segment.start, text(&segment.label))
}

/// Files beside a sound of 2 s at 8000 Hz: name and content, the text and the segments in it, and the
/// kind of which the reader tells.
const FILES: [(&str, &str, &str, &[&str], &str); 14] = [
    // TIMIT: the whole sound, and a part of it.
    (
        "a.TXT",
        "0 16000 She had a suit.\n",
        "She had a suit.",
        &[],
        "text with times in samples",
    ),
    (
        "a.txt",
        "0 8000 She had\n8000 12000 a suit.",
        "She had a suit.",
        &["0-1 She had", "1-1.5 a suit."],
        "text with times in samples",
    ),
    (
        "a.txt",
        "0 12000 She had\n",
        "She had",
        &["0-1.5 She had"],
        "text with times in samples",
    ),
    (
        "a.txt",
        "0.25\t0.75\thello you\r\n\\\t100.0\t200.0\r\n0.75\t0.75\t\r\n1.0\t1.5\tnow\r\n",
        "hello you now",
        &["0.25-0.75 hello you", "0.75-0.75 ", "1.0-1.5 now"],
        "label tracks of Audacity",
    ),
    (
        "a.txt",
        "# fe_03_00001.sph\n\n0.1 0.9 A: hello\n0.8 1.9 B: hi there\n",
        "hello hi there",
        &["0.1-0.9 @A hello", "0.8-1.9 @B hi there"],
        "text with times and speakers, as in Fisher",
    ),
    (
        "a.txt",
        "0.0 1.2 one two\n1.2 2 three\n",
        "one two three",
        &["0.0-1.2 one two", "1.2-2 three"],
        "text with times in seconds",
    ),
    (
        "a.lab",
        "0.0 1.2 one two\n",
        "one two",
        &["0.0-1.2 one two"],
        "text with times in seconds",
    ),
    (
        "a.stm",
        "a 1 X 0.0 0.5 <o> one two\na 1 Y 0.5 1 IGNORE_TIME_SEGMENT_IN_SCORING\n",
        "one two",
        &[
            "0.0-0.5 @X one two",
            "0.5-1 @Y IGNORE_TIME_SEGMENT_IN_SCORING",
        ],
        "stm",
    ),
    (
        "a.ctm",
        "a 1 0.0 0.5 one\na 1 0.5 0.5 two\n",
        "one two",
        &["0.0-0.5 one", "0.5-1 two"],
        "ctm",
    ),
    ("a.trn", "one two (a)\n", "one two", &[], "trn"),
    (
        "a.srt",
        "1\n00:00:00,000 --> 00:00:01,500\none\ntwo\n\n",
        "one two",
        &["0-1.5 one two"],
        "srt",
    ),
    (
        "a.vtt",
        "WEBVTT\n\n00:00.000 --> 00:01.500\n<v Ann>one two\n\n",
        "one two",
        &["0-1.5 @Ann one two"],
        "vtt",
    ),
    (
        "a.json",
        "{\"segments\": [{\"start\": 0, \"end\": 1.5, \"text\": \" in 2024\", \"words\": [\
             {\"word\": \"in\", \"start\": 0, \"end\": 0.5}]}]}",
        "in 2024",
        &["0-1.5 in 2024", "0-0.5 in"],
        "whisper",
    ),
    (
        "a.eaf",
        "<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID=\"a\" TIME_VALUE=\"0\"/>\
             <TIME_SLOT TIME_SLOT_ID=\"b\" TIME_VALUE=\"1500\"/></TIME_ORDER>\
             <TIER TIER_ID=\"Ann\"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID=\"a1\" \
             TIME_SLOT_REF1=\"a\" TIME_SLOT_REF2=\"b\"><ANNOTATION_VALUE>one two\
             </ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER></ANNOTATION_DOCUMENT>",
        "one two",
        &["0-1.5 one two"],
        "eaf",
    ),
];

#[test]
fn times_are_no_words() {
    for (name, lines, text, segments, kind) in FILES {
        let found = read(&[
            ("data/a.wav", LONG),
            (&format!("data/{name}"), lines.as_bytes()),
        ]);
        assert_eq!(found.errors, [""; 0], "{name} {lines}");
        assert_eq!(found.texts(), [format!("a: {text}")], "{lines}");
        let tiers = found.utts[0].tiers.iter();
        let read: Vec<_> = tiers.flat_map(|tier| &tier.segments).map(shown).collect();
        assert_eq!(read, segments, "{lines}");
        let told = format!("data: transcripts beside the sound: {kind} (1 file)");
        assert_eq!(found.warnings, [told]);
    }
}

#[test]
fn what_whisper_writes_is_one_transcript() {
    let text =
        "{\"text\": \" One.\", \"segments\": [{\"start\": 0, \"end\": 1, \"text\": \" One.\"}]}";
    let found = read(&[
        ("data/a.wav", LONG),
        ("data/a.json", text.as_bytes()),
        ("data/a.srt", b"1\n00:00:00,000 --> 00:00:01,000\nOne.\n\n"),
        ("data/a.txt", b"One.\n"),
        ("data/a.vtt", b"WEBVTT\n\n00:00.000 --> 00:01.000\nOne.\n\n"),
    ]);
    assert_eq!(found.errors, [""; 0]);
    assert_eq!(found.texts(), ["a: One."]);
    assert_eq!(found.utts[0].tiers.len(), 1);
    assert_eq!(
        found.warnings,
        [
            "data/a.vtt: left out, neither sound that is read nor a transcript, with 1 more",
            "data: transcripts beside the sound: plain text (1 file), whisper (1 file)",
        ]
    );
    // Turns of speakers have no text, and other JSON is not from Whisper.
    let found = read(&[
        ("data/a.wav", LONG),
        ("data/a.json", b"{\"pitch\": 60}"),
        ("data/a.rttm", b"SPEAKER a 1 0 1 <NA> <NA> ann <NA> <NA>\n"),
    ]);
    assert_eq!(found.texts(), ["a"]);
    assert_eq!(found.utts[0].tiers[0].segments.len(), 1);
    let told = "data/a.json: left out, JSON beside the sound that is not of Whisper";
    assert_eq!(found.warnings[0], told);
}

#[test]
fn text_that_begins_with_numbers_stays() {
    for text in [
        "10 20 men",
        "1 2 3",
        "5 100000 people",
        "0 7 oh",
        "1984 2001 were years\nof change",
        "3.5 percent of 4.5",
        "one\ntwo\n0 8000 three",
    ] {
        let found = read(&[("data/a.wav", LONG), ("data/a.txt", text.as_bytes())]);
        assert_eq!(found.errors, [""; 0], "{text}");
        assert_eq!(found.texts(), [format!("a: {}", text.replace('\n', " "))]);
        assert_eq!(found.warnings, [""; 0]);
        assert!(found.utts[0].tiers.is_empty());
    }
}

#[test]
fn times_that_contradict_are_faults() {
    let ends = |end: &str| {
        format!(
            "ends at {end} s, but the sound lasts 2 s; if these numbers are words, give the texts \
             as a table"
        )
    };
    for (name, lines, message) in [
        (
            "a.txt",
            "0 46797 She had\n",
            format!("a.txt:1: utterance a: {}", ends("5.849625")),
        ),
        (
            "a.txt",
            "0.5\t1\tone\n1.5\t2.5\ttwo\n",
            format!("a.txt:2: utterance a: {}", ends("2.5")),
        ),
        (
            "a.txt",
            "0.5\t1.0\tone\ntwo\n1.0\t1.5\tthree\n",
            "a.txt:2: utterance a: does not begin with two times, as other lines of the file do"
                .to_owned(),
        ),
        (
            "a.txt",
            "1.5\t1.0\tone\n",
            "a.txt:1: utterance a: the stretch starts at 1.5 and ends before that, at 1.0"
                .to_owned(),
        ),
        (
            "a.txt",
            "0,5\t1,25\tone\n",
            "a.txt:1: utterance a: '0,5' has a decimal comma, and times have a point".to_owned(),
        ),
        (
            "a.txt",
            "-1.0 1.0 one\n",
            "a.txt:1: utterance a: the time -1.0 is below 0".to_owned(),
        ),
        (
            "a.stm",
            "b 1 X 0.0 0.5 one\n",
            "a.stm: utterance a: is about b, and not about a".to_owned(),
        ),
        (
            "a.trn",
            "one (a)\ntwo (a)\n",
            "a.trn: utterance a: holds 2 transcripts of one sound file".to_owned(),
        ),
    ] {
        let at = format!("data/{name}");
        let found = read(&[
            ("data/a.wav", LONG),
            (&at, lines.as_bytes()),
            ("data/b.wav", SOUND),
        ]);
        assert_eq!(found.errors, [format!("data/{message}")]);
        assert_eq!(found.texts(), ["b"], "{lines}");
    }
    // Labels of a format of their own are read.
    let found = read(&[("data/a.wav", LONG), ("data/a.ctm", b"a 1 1 2.5 one\n")]);
    assert_eq!(found.texts(), ["a: one"]);
    let told = "data/a.ctm: has segments up to 3.5 s, but the sound lasts 2 s";
    assert_eq!(found.warnings[0], told);
    // Lines that are out of order are sorted, with a warning.
    let lines = b"1.0\t1.5\ttwo\n0.0\t1.0\tone\n";
    let found = read(&[("data/a.wav", LONG), ("data/a.txt", lines)]);
    assert_eq!(found.texts(), ["a: one two"]);
    assert_eq!(
        found.warnings[0],
        "data/a.txt: the lines are not in the order of their times, and are sorted by them"
    );
}

#[test]
fn text_that_would_be_times_is_not_written() {
    let (_, env) = surroundings();
    let output = env.output(&spr_core::bytes::Locator::folder("data"));
    let writer = FORMAT.create(output, &Options::default(), &About::default(), &env);
    let caps = *writer.unwrap().caps();
    for (text, fits) in [
        ("0 46797 She had", false),
        ("0.5 1.25 hello", false),
        ("0.5\t1.25\thello", false),
        ("10 20 men", true),
        ("5 100000 people", true),
    ] {
        assert_eq!(caps.check(&utt("a", Some(text))).is_ok(), fits, "{text}");
    }
}
