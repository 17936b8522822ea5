//! Lists whose lines belong together by recording and channel.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::sync::Arc;

use spr_core::ErrorKind;
use spr_core::bytes::MemoryStore;
use spr_core::format::Format;
use spr_core::model::{Segment, Utterance};
use spr_format_labels::{AUDACITY, CTM, RTTM};
use spr_testkit::memory_within;

use super::common::{Read, env, label, labelled, read, write};

fn all<const N: usize>(utts: [&str; N]) -> Read {
    Read {
        utts: utts.map(str::to_owned).to_vec(),
        ..Read::default()
    }
}

#[test]
fn speakers_and_words_are_tiers() {
    let text = "SPKR-INFO rec 1 <NA> <NA> <NA> adult a <NA> <NA>\n\
                SPEAKER rec 1 0 1.5 <NA> <NA> a <NA> <NA>\n\
                LEXEME rec 1 0.50 0.25 one lex a 0.9 <NA>\n\
                SPEAKER rec 2 2 1 <NA> <NA> b <NA> <NA>\n\
                ;; a comment\n\
                NON-SPEECH rec 1 3 1 <NA> noise <NA> <NA> <NA>\n\
                SPKR-INFO rec 1 <NA> <NA> <NA> adult b <NA> <NA>\n\
                LEXEME x 1 0 1 two lex <NA> <NA>\n";
    let mut want = all([
        "rec-1 /rec #1 speakers[a 0-1.5 @a] words[one 0.50-0.75 @a 0.9]",
        "rec-2 /rec #2 [b 2-3 @b]",
        "x [two 0-1]",
    ]);
    want.warnings =
        vec!["memory: lines of other kinds are left out: 1 NON-SPEECH, 2 SPKR-INFO".to_owned()];
    assert_eq!(read(&RTTM, &[], text), want);
    // The channel that says nothing is none.
    let one = read(&RTTM, &[], "SPEAKER rec 1 0 1 <NA> <NA> a <NA> <NA>\n");
    assert_eq!(one, all(["rec [a 0-1 @a]"]));
    let two = read(&RTTM, &[], "SPEAKER rec 2 0 1 <NA> <NA> a <NA> <NA>\n");
    assert_eq!(two, all(["rec #2 [a 0-1 @a]"]));
}

#[test]
fn lines_at_fault_are_named() {
    let good = "SPEAKER rec 1 0 1 <NA> <NA> a <NA> <NA>\n";
    for (line, told) in [
        (
            "END rec 1 8000 <NA> <NA> <NA> a <NA> <NA>",
            "a line END ends lists whose times are numbers of samples, which are not read",
        ),
        (
            "TURN rec 1 0 1 <NA> <NA> a <NA> <NA>",
            "'TURN' is not a sort of line of RTTM",
        ),
        (
            "SPEAKER rec 1 0 1 <NA> <NA>",
            "expected 8 to 10 fields, found 7",
        ),
        (
            "SPEAKER rec 1 0 1 <NA> <NA> a <NA> <NA> x",
            "expected 8 to 10 fields, found 11",
        ),
        (
            "SPEAKER rec 1 0 1 <NA> <NA> <NA> <NA> <NA>",
            "the speaker is not told",
        ),
        (
            "LEXEME rec 1 0 1 <NA> lex a <NA> <NA>",
            "the word is not told",
        ),
        (
            "SPEAKER rec 1 x 1 <NA> <NA> a <NA> <NA>",
            "'x' is not a time",
        ),
        ("SPEAKER rec 1 0 1 <NA> <NA> a x <NA>", "'x' is not a score"),
    ] {
        let read = read(&RTTM, &[], format!("{good}{line}\n"));
        let told = format!("memory:2: utterance rec: {told}");
        assert_eq!(read.errors.len(), 1, "{line}: {read:?}");
        assert!(read.errors[0].starts_with(&told), "{line}: {read:?}");
    }
    // Of a stream, which can be read only once.
    let apart = read(
        &RTTM,
        &[],
        format!("{good}{}{good}", good.replace("rec", "x")),
    );
    assert_eq!(apart.utts, ["rec [a 0-1 @a]", "x [a 0-1 @a]"]);
    let told = "memory:3: utterance rec: the lines of one recording are in two places";
    assert!(apart.errors[0].starts_with(told), "{apart:?}");
}

#[test]
fn words_of_channels_and_sorts() {
    let text = "r A 0.0 0.5 one 0.9 lex ann\nr B 1 1 two NA\nr A 1 0.25 uh <NA> fp NA\n";
    let read = read(&CTM, &[], text);
    assert_eq!(
        read.utts,
        [
            "r-A /r #A [one 0.0-0.5 @ann 0.9, uh 1-1.25]",
            "r-B /r #B [two 1-2]"
        ]
    );
    assert_eq!(
        read.warnings,
        ["memory:3: kinds of words such as 'fp' are not kept"]
    );
    for (line, told) in [
        (
            "r 1 0 1 <ALT_BEGIN>",
            "alternatives are not read, such as '<ALT_BEGIN>'",
        ),
        ("r 1 0 1", "expected 5, 6 or 8 fields, found 4"),
        ("r 1 0 1 a 1 lex", "expected 5, 6 or 8 fields, found 7"),
    ] {
        let read = super::common::read(&CTM, &[], format!("{line}\nx 1 0 1 a\n"));
        assert_eq!(read.errors, [format!("memory:1: utterance r: {told}")]);
        assert_eq!(read.utts, ["x [a 0-1]"]);
    }
}

/// Reads a file, which is read twice.
fn read_file(format: &'static dyn Format, text: &str) -> Read {
    let store = MemoryStore::new();
    store.insert("file", text.as_bytes().to_vec());
    let env = env().with_store(Arc::new(store));
    super::common::read_from(format, &[], &env, |env| {
        env.open_file(&"file".into()).unwrap()
    })
}

#[test]
fn recordings_in_turn_are_whole() {
    let turns = "SPEAKER a 1 0 1 <NA> <NA> x <NA> <NA>\n\
                 SPEAKER b 1 0 1 <NA> <NA> y <NA>\n\
                 SPKR-INFO a 1 <NA> <NA> <NA> adult x <NA> <NA>\n\
                 SPEAKER a 1 1 1 <NA> <NA> z\n\
                 SPEAKER b 2 1 1 <NA> <NA> z\n\
                 SPEAKER c 1 0 1 <NA> <NA> z <NA> <NA>\n";
    let mut want = all([
        "a [x 0-1 @x, z 1-2 @z]",
        "b-1 /b #1 [y 0-1 @y]",
        "b-2 /b #2 [z 1-2 @z]",
        "c [z 0-1 @z]",
    ]);
    want.warnings = vec!["file: lines of other kinds are left out: 1 SPKR-INFO".to_owned()];
    assert_eq!(read_file(&RTTM, turns), want);
    let words = "a 1 0 1 one\nb 1 0 1 two\na 1 1 1 three\n";
    let want = all(["a [one 0-1, three 1-2]", "b [two 0-1]"]);
    assert_eq!(read_file(&CTM, words), want);
    // A fault in one of its places is one of all of the recording, and of no other.
    for (text, told) in [
        (
            "a 1 0 1 one\nb 1 0 1 two\na 1 x 1 three\n",
            "file:3: utterance a: 'x' is not a time",
        ),
        (
            "a 1 x 1 one\nb 1 0 1 two\na 1 0 1 three\n",
            "file:1: utterance a: 'x' is not a time",
        ),
    ] {
        let found = read_file(&CTM, text);
        assert_eq!(found.errors, [told]);
        assert_eq!(found.utts, ["b [two 0-1]"]);
    }
    // Whole recordings before the cut are read.
    let cut = "SPEAKER a 1 0 1 <NA> <NA> x <NA> <NA>\n\
               SPEAKER b 1 0 1 <NA> <NA> y <NA> <NA>\n\
               SPEAKER c 1 0 1 <NA> <NA> y <NA> <NA>\n\
               SPEAKER a 1 1 1 <NA> <NA> z <N";
    let found = read_file(&RTTM, cut);
    assert_eq!(found.utts, ["b [y 0-1 @y]"]);
    assert_eq!(
        found.errors,
        ["file:4: the last line has no line end and may be cut off"]
    );
}

#[test]
fn segments_out_of_order_are_sorted() {
    let told = "has segments that are not in the order of their times, and are sorted by them";
    let found = read(&CTM, &[], "a 1 1 1 two\na 1 0 1 one\n");
    assert_eq!(found.utts, ["a [one 0-1, two 1-2]"]);
    assert_eq!(found.warnings, [format!("memory: utterance a: {told}")]);
    // Speakers who talk at once stay as they are.
    let found = read(&CTM, &[], "a 1 1 1 two\na 1 0 1.5 one\n");
    assert_eq!(found.utts, ["a [two 1-2, one 0-1.5]"]);
    assert_eq!(found.warnings, [""; 0]);
    let found = read(&AUDACITY, &[], "1.0\t2.0\ttwo\n0.0\t1.0\tone\n");
    assert_eq!(found.utts, ["utt000000 [one 0.0-1.0, two 1.0-2.0]"]);
    assert_eq!(found.warnings, [format!("memory: {told}")]);
}

#[test]
fn a_word_without_a_speaker_stays_so() {
    let mut words = vec![label("one", "0", "1"), label("two", "1", "2")];
    words[0].speaker = Some(b"ann"[..].into());
    let lines = "LEXEME r 1 0 1 one lex ann <NA> <NA>\nLEXEME r 1 1 1 two lex <NA> <NA> <NA>\n";
    assert_eq!(write(&RTTM, &[], &[labelled("r", words)]).unwrap(), lines);
    assert_eq!(read(&RTTM, &[], lines), all(["r [one 0-1 @ann, two 1-2]"]));
}

/// A segment that is its speaker's name.
fn turn(speaker: &str, start: &str, end: &str) -> Segment {
    Segment {
        speaker: Some(speaker.as_bytes().into()),
        ..label(speaker, start, end)
    }
}

#[test]
fn parts_of_recordings_are_joined() {
    let mut second = labelled("r", vec![label("c", "2.5", "3"), label("b", "0.5", "1")]);
    second.meta.channel = Some("2".into());
    let utts = [
        labelled("r", vec![label("d", "4", "4.5")]),
        labelled("q", vec![label("x", "0", "1")]),
        second,
        labelled("r", vec![label("a", "0", "0.25"), label("b", "0", "0.125")]),
    ];
    let lines = [
        "q 1 0 1 x\n",
        "r 1 0 0.125 b\n",
        "r 1 0 0.25 a\n",
        "r 1 4 0.5 d\n",
        "r 2 0.5 0.5 b\n",
        "r 2 2.5 0.5 c\n",
    ];
    assert_eq!(
        write(&CTM, &[("times", "recording")], &utts).unwrap(),
        lines.concat()
    );
    // Each by itself otherwise, and no name twice.
    assert_eq!(
        write(&CTM, &[], &utts[..2]).unwrap(),
        "r 1 4 0.5 d\nq 1 0 1 x\n"
    );
    assert!(write(&CTM, &[], &utts).is_err());
    let turns = [
        labelled("r", vec![turn("b", "1", "2")]),
        labelled("r", vec![turn("a", "0", "0.5")]),
    ];
    let lines = [
        "SPEAKER r 1 0 0.5 <NA> <NA> a <NA> <NA>\n",
        "SPEAKER r 1 1 1 <NA> <NA> b <NA> <NA>\n",
    ];
    assert_eq!(write(&RTTM, &[], &turns).unwrap(), lines.concat());
    assert!(write(&RTTM, &[("times", "utterance")], &turns).is_err());
    assert!(write(&RTTM, &[("times", "x")], &turns).is_err());
}

#[test]
fn words_have_speakers_of_their_own() {
    let word = Segment {
        speaker: Some(b"ann".as_slice().into()),
        score: Some(spr_core::model::Decimal::parse("0.5").unwrap()),
        ..label("one", "0", "1")
    };
    let utts = [labelled("r", vec![word, turn("ann", "1", "2")])];
    let lines = [
        "LEXEME r 1 0 1 one lex ann 0.5 <NA>\n",
        "LEXEME r 1 1 1 ann lex ann <NA> <NA>\n",
    ];
    assert_eq!(write(&RTTM, &[], &utts).unwrap(), lines.concat());
}

#[test]
fn joined_recordings_are_held_within_the_limits() {
    let mut env = env();
    let utts: Vec<Utterance> = (0..100)
        .map(|n| labelled("r", vec![turn("speaker", &n.to_string(), "200")]))
        .collect();
    let options = spr_testkit::options(&RTTM, &[]).unwrap();
    assert!(memory_within(&RTTM, &options, &utts, &env).is_ok());
    env.limits.max_alloc = 1000;
    let error = memory_within(&RTTM, &options, &utts, &env).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(
        error.to_string().contains("the labels of recordings"),
        "{error}"
    );
}
