//! Labels of one utterance a file, or an entry.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::Limits;
use spr_core::format::{Format, Probe, Score};
use spr_format_labels::{CTM, HTK_LAB, MLF, STM, TEXTGRID, TIMIT};

use super::common::{read, read_within, write};

#[test]
fn levels_and_alternatives_are_tiers() {
    let levels = "0 10000000 s 1.5 one\n10000000 20000000 il\n20000000 30000000 t -2 two 0.5\n\
                  ///\n0 30000000 x\n";
    let read_all = read(&HTK_LAB, &[], levels);
    assert_eq!(
        read_all.utts,
        [
            "utt000000 alternative 1, level 1[s 0-1 1.5, il 1-2, t 2-3 -2] \
          alternative 1, level 2[one 0-2, two 2-3 0.5] alternative 2[x 0-3]"
        ]
    );
    // A start alone is the end of the label before it.
    assert_eq!(
        read(&HTK_LAB, &[], "0 a\n5000000 b\n").utts,
        ["utt000000 [a 0-0.5, b 0.5-]"]
    );
    for (text, told) in [
        ("-1 0 a\n", "memory:1: the time -1 is below 0"),
        (
            "0 1 a\nb\n",
            "memory:2: some labels have times, and some have none",
        ),
        (
            "one\n///\ntwo\n",
            "memory:2: alternatives of text are not read",
        ),
        (
            "1 a\n0 b\n",
            "memory:2: the label at 0 starts before the one before it",
        ),
        (
            "0 1 a\n.\n",
            "memory:2: a line of a point alone ends nothing here",
        ),
        (
            "#!/bin/sh\n",
            "memory@0: starts as JSON, XML or a script, and not with a label",
        ),
        (
            "<?xml version=\"1.0\"?>\n",
            "memory@0: starts as JSON, XML or a script, and not with a label",
        ),
    ] {
        assert_eq!(read(&HTK_LAB, &[], text).errors, [told]);
    }
}

#[test]
fn an_entry_at_fault_does_not_end_the_file() {
    let text = "#!MLF!#\n\"*/a.lab\"\n0 1 x\ny\n.\n\"*/b.lab\"\none\n.\n\"*/a.lab\"\ntwo\n.\n\"*/c.lab\"\n-1 0 z\n.\n";
    let read_all = read(&MLF, &[], text);
    assert_eq!(read_all.utts, ["b 'one'"]);
    assert_eq!(
        read_all.errors,
        [
            "memory:4: utterance a: some labels have times, and some have none",
            "memory:9: utterance a: a second entry of this name",
            "memory:13: utterance c: the time -1 is below 0",
        ]
    );
    for (pattern, key) in [
        ("*/a/b.c.lab", "a/b.c"),
        ("*/.lab", ".lab"),
        ("*/a.b/c", "a.b/c"),
        ("/a/b/c.lab", "c"),
        ("a", "a"),
    ] {
        let text = format!("#!MLF!#\n\"{pattern}\"\none\n.\n");
        assert_eq!(read(&MLF, &[], text).utts, [format!("{key} 'one'")]);
    }
    for arrow in ["->", "=>"] {
        let text = format!("#!MLF!#\n\"*/a*\" {arrow} \"lab\"\n");
        let told = format!("memory:2: labels that are in other files ({arrow}) are not read");
        assert_eq!(read(&MLF, &[], text).errors, [told]);
    }
    let cut = read(&MLF, &[], "#!MLF!#\n\"*/a.lab\"\none\n");
    let told = "utterance a: the file ends inside an entry, without a point";
    assert!(cut.errors[0].ends_with(told), "{cut:?}");
}

#[test]
fn names_are_numbers_and_gaps_are_filled() {
    let symbols = [("symbols", "words.txt")];
    let text = "0 10000000 one\n20000000 30000000 two\n";
    assert_eq!(
        read(&HTK_LAB, &symbols, text).utts,
        ["utt000000 [1 0-1, 2 2-3]"]
    );
    let gaps = [("symbols", "words.txt"), ("gaps", "sil")];
    assert_eq!(
        read(&HTK_LAB, &gaps, text).utts,
        ["utt000000 [1 0-1, 0 1-2, 2 2-3, 0 3-]"]
    );
    let unknown = read(&HTK_LAB, &symbols, "0 1 three\n");
    assert!(unknown.errors[0].contains("three"), "{unknown:?}");
    let gaps = [("symbols", "words.txt"), ("gaps", "pause")];
    let unknown = read(&HTK_LAB, &gaps, text).errors;
    assert!(
        unknown[0].contains("option gaps: ") && unknown[0].contains("pause"),
        "{unknown:?}"
    );
}

#[test]
fn samples_are_times() {
    let read_all = read(&TIMIT, &[], "0 8000 h#\n8000 16000 sh\n");
    assert_eq!(read_all.utts, ["utt000000 [h# 0-0.5, sh 0.5-1]"]);
    for (text, told) in [
        ("0 x h#\n", "memory:1: 'x' is not the number of a sample"),
        (
            "5 4 h#\n",
            "memory:1: the stretch starts at 5 and ends before that, at 4",
        ),
        (
            "0 18446744073709551615 h#\n",
            "memory:1: the sample 18446744073709551615 is too far from the start",
        ),
    ] {
        assert_eq!(read(&TIMIT, &[], text).errors, [told]);
    }
}

#[test]
fn grids_in_order_of_time_are_not_read() {
    let text = "\"Praat chronological TextGrid text file\"\n0 1   ! Time domain.\n";
    let read = read(&TEXTGRID, &[], text);
    assert!(
        read.errors[0].contains("a chronological TextGrid, which is not read"),
        "{read:?}"
    );
}

/// Returns a TextGrid of one tier of this name.
fn grid(name: &str, time: &str) -> String {
    format!(
        "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\n0\n2\n<exists>\n1\n\
         \"IntervalTier\"\n\"{name}\"\n0\n2\n1\n0\n{time}\n\"x\"\n"
    )
}

#[test]
fn numbers_of_a_grid_may_have_units() {
    for (time, end) in [
        ("1.5", Some("1.5")),
        ("+1.5", Some("1.5")),
        ("1.", Some("1")),
        ("1e0", Some("1")),
        ("15e-1s", Some("1.5")),
        ("1e", Some("1")),
        ("1em", Some("1")),
        ("50%", Some("50")),
        ("1e+", None),
        ("1.5.2", None),
    ] {
        let read = read(&TEXTGRID, &[], grid("a", time));
        let end = end.map(|end| format!("utt000000 a[x 0-{end}]"));
        assert_eq!(read.utts, Vec::from_iter(end), "{time}: {read:?}");
    }
}

#[test]
fn names_of_tiers_are_held_within_the_limits() {
    let long = grid(&"n".repeat(10_000), "1");
    let limits = |max_alloc| Limits {
        max_alloc,
        ..Limits::default()
    };
    assert_eq!(
        read_within(&TEXTGRID, &[], &long, limits(100_000)).errors,
        [""; 0]
    );
    let error = read_within(&TEXTGRID, &[], &long, limits(5_000)).errors;
    assert!(error[0].contains("over the limit"), "{error:?}");
}

#[test]
fn lines_of_stm_may_have_no_text() {
    let read_all = read(
        &STM,
        &[],
        "r 1 ann 0 1\nr 2 <NA> 1 2.5 <o,f> one two\nr 1 ann 2 3 three",
    );
    assert_eq!(
        read_all.utts,
        [
            "ann-r-0-1 /r @ann ''",
            "r-1-2.5 /r #2 'one two'",
            "ann-r-2-3 /r @ann 'three'"
        ]
    );
    assert_eq!(read_all.warnings.len(), 1, "{read_all:?}");
    // An empty label, before words that would be one.
    let line = "r 1 ann 0 1 <> <unk> one\n";
    let unknown = read(&STM, &[], line);
    assert_eq!(unknown.utts, ["ann-r-0-1 /r @ann '<unk> one'"]);
    let utts = spr_testkit::read_memory(&STM, &[], line.as_bytes()).unwrap();
    assert!(utts[0].meta.tags.is_empty());
    assert_eq!(write(&STM, &[], &utts).unwrap(), line);
    // Without text and line end nobody knows what follows.
    let cut = read(&STM, &[], "r 1 ann 0 1\nr 1 ann 2 3");
    assert_eq!(
        (cut.utts.len(), &cut.errors[..]),
        (
            1,
            &["memory:2: the last line has no line end and may be cut off".to_owned()][..]
        )
    );
}

#[test]
fn kinds_of_text_are_told_apart() {
    let score = |format: &dyn Format, head: &str, name: Option<&str>| {
        format.probe(&Probe {
            head: head.as_bytes(),
            whole: true,
            len: Some(head.len() as u64),
            path: name.map(std::path::Path::new),
        })
    };
    for (format, head, name, want) in [
        (
            &CTM as &dyn Format,
            "a 1 0.5 1 x\n",
            None,
            Score::Possible(60),
        ),
        (&CTM, "a 1 0 1 7\n", None, Score::No),
        (&CTM, "a 1 0 1 7\n", Some("x.ctm"), Score::Possible(70)),
        (
            &CTM,
            "a A * * <ALT_BEGIN>\na 1 0.5 1 x\n",
            None,
            Score::Possible(60),
        ),
        (&HTK_LAB, "0 100 a\n100 200 b\n", None, Score::Possible(65)),
        (
            &HTK_LAB,
            "0 100 a\n///\n0 90 b\n",
            None,
            Score::Possible(65),
        ),
        (&HTK_LAB, "0 a\n100 b\n", None, Score::AnyText),
        (&HTK_LAB, "400 a\n300 b\n200 c\n100 d\n", None, Score::No),
        (&HTK_LAB, "one\ntwo\n", Some("a.lab"), Score::Possible(20)),
        (&HTK_LAB, "one\ntwo\n", None, Score::No),
        (&HTK_LAB, "{\"a\": 1}\n", Some("a.lab"), Score::No),
        (&HTK_LAB, "[ {\"a\": 1} ]\n", Some("a.lab"), Score::No),
        (&HTK_LAB, "#! /bin/sh\n", Some("a.lab"), Score::No),
        (&HTK_LAB, "<!DOCTYPE html>\n", Some("a.lab"), Score::No),
        (&TIMIT, "0 100 h#\n100 200 sh\n", None, Score::Possible(65)),
    ] {
        assert_eq!(
            score(format, head, name),
            want,
            "{} {head:?}",
            format.info().name
        );
    }
}
