//! Lists whose lines belong together by recording and channel.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::ErrorKind;
use spr_core::model::{Segment, Utterance};
use spr_format_labels::{CTM, RTTM};
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
            "expected 9 or 10 fields, found 7",
        ),
        (
            "SPEAKER rec 1 0 1 <NA> <NA> a",
            "expected 9 or 10 fields, found 8",
        ),
        (
            "SPEAKER rec 1 0 1 <NA> <NA> a <NA> <NA> x",
            "expected 9 or 10 fields, found 11",
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
