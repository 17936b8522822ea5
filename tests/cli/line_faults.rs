//! A line at fault, of any sort and at any place, does not make a file one of another kind.

use std::fmt::Write as _;

use crate::{Said, Scratch};

/// A file of seven lines or more, each made of its number, under the name that is its own.
struct Kind {
    name: &'static str,
    head: &'static str,
    line: fn(usize) -> String,
}

const KINDS: &[Kind] = &[
    Kind {
        name: "a.ctm",
        head: "",
        line: |n| format!("3129 A {n}.39 0.08 BUT{n}\n"),
    },
    Kind {
        name: "whole.ctm",
        head: "",
        line: |n| format!("3129 1 {n} 1 12\n"),
    },
    Kind {
        name: "a.stm",
        head: "",
        line: |n| format!("g A ann {n}.50 {n}.75 <o> hello there\n"),
    },
    Kind {
        name: "whole.stm",
        head: "",
        line: |n| format!("g 1 2 {n} {} 12 13\n", n + 1),
    },
    Kind {
        name: "a.rttm",
        head: "",
        line: |n| format!("SPEAKER g 1 {n}.25 {n}.50 <NA> <NA> ann <NA> <NA>\n"),
    },
    Kind {
        name: "a.trn",
        head: "",
        line: |n| format!("hello there (ann-{n})\n"),
    },
    Kind {
        name: "a.lab",
        head: "",
        line: |n| format!("{n}00000 {n}50000 a{n}\n"),
    },
    Kind {
        name: "a.phn",
        head: "",
        line: |n| format!("{n}00 {n}50 a{n}\n"),
    },
    Kind {
        name: "seconds.lab",
        head: "",
        line: |n| format!("{n}.50 {n}.75 a{n}\n"),
    },
    Kind {
        name: "audacity.txt",
        head: "",
        line: |n| format!("{n}.500000\t{n}.750000\ta{n}\n"),
    },
    Kind {
        name: "a.ali",
        head: "",
        line: |n| format!("u{n} 1 2 3\n"),
    },
    Kind {
        name: "words.ark",
        head: "",
        line: |n| format!("u{n} hello {n} there\n"),
    },
    Kind {
        name: "vectors.ark",
        head: "",
        line: |n| format!("u{n}  [ 1.5 2 ]\n"),
    },
    Kind {
        name: "posteriors.ark",
        head: "",
        line: |n| format!("u{n} [ 1 0.5 2 0.5 ] [ 3 1 ] \n"),
    },
    Kind {
        name: "numbers.ark",
        head: "",
        line: |n| format!("u{n} {n}.5\n"),
    },
    Kind {
        name: "counts.ark",
        head: "",
        line: |n| format!("u{n} {n}5\n"),
    },
    Kind {
        name: "offsets.scp",
        head: "",
        line: |n| format!("u{n} d/{n}.ark:2\n"),
    },
    Kind {
        name: "ranges.scp",
        head: "",
        line: |n| format!("u{n} d/{n}.ark:2[0:0]\n"),
    },
    Kind {
        name: "htk.scp",
        head: "",
        line: |n| format!("u{n}=d/{n}.mfc[0,0]\n"),
    },
    Kind {
        name: "htk-files.scp",
        head: "",
        line: |n| format!("d/{n}.mfc\n"),
    },
    Kind {
        name: "a.json",
        head: "",
        line: |n| {
            format!("{{\"audio_filepath\": \"a{n}.wav\", \"duration\": 1.5, \"text\": \"x\"}}\n")
        },
    },
    Kind {
        name: "a.jsonl",
        head: "",
        line: |n| format!("{{\"key\":\"u{n}\",\"text\":\"x\"}}\n"),
    },
    Kind {
        name: "a.seg",
        head: ".spr\nDATA\tSEG\nLAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\nDIM1\t7\nDIM2\t7\n\
               TIMEBASE\tCONTINUOUS\n#\n",
        line: |n| format!("u{n}\tyes\t0.25\t0.75\n"),
    },
    Kind {
        name: "a.cor",
        head: ".spr\nDATA\tCORPUS\nLAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\nDIM1\t7\n#\n",
        line: |n| format!("u{n}\thello_there\t0\t-1\n"),
    },
];

const FAULTS: &[&str] = &[
    "word",
    "two words",
    "7",
    "7 8",
    "\u{1}\u{2}\u{3}",
    "[ x ]",
    "<x>",
    "# comment",
    "* * * * *",
    "g A * * <ALT_BEGIN>",
    "",
    "-",
    "{\"a\": 1}",
];

/// The format of a file, and what it holds.
fn held(said: &Said) -> Option<(String, String)> {
    let facts: serde_json::Value = serde_json::from_str(said.out.lines().next()?).ok()?;
    let format = facts["format"].as_str()?.to_owned();
    // A table of words is one, whether each has one word or several.
    let kinds = facts["kinds"].to_string().replace("\"token\"", "\"text\"");
    Some((format, kinds))
}

/// A folder with the files that lists name.
fn scratch() -> Scratch {
    let s = Scratch::new();
    let mfc = [&[0, 0, 0, 2, 0, 1, 0x86, 0xa0, 0, 8, 0, 6][..], &[0; 16]].concat();
    for n in 1..=7 {
        s.write(&format!("d/{n}.ark"), "u  [\n 1 2 \n 3 4 ]\n");
        s.write(&format!("d/{n}.mfc"), &mfc);
    }
    s
}

#[test]
fn a_faulty_line_does_not_change_what_a_file_is_held_for() {
    let s = scratch();
    let mut wrong = String::new();
    for kind in KINDS {
        let lines: Vec<_> = kind.head.split_inclusive('\n').map(str::to_owned).collect();
        let lines = [lines, (1..=7).map(kind.line).collect()].concat();
        for name in [kind.name, "x", "x.txt"] {
            s.write(name, lines.concat());
            let whole = s.run(&format!("info {name} --json"));
            if name == kind.name {
                assert_eq!(whole.status, 0, "{name}: {}{}", whole.out, whole.err);
            }
            for at in [0, lines.len() - 4, lines.len() - 1] {
                for fault in FAULTS {
                    let mut lines = lines.clone();
                    lines[at] = format!("{fault}\n");
                    s.write(name, lines.concat());
                    let said = s.run(&format!("info {name} --json"));
                    let same = whole.status == 0 && held(&said) == held(&whole);
                    let doubt = said.err.contains("the bytes don't tell which");
                    if said.status == 0 && !same && !doubt {
                        let (now, was) = (held(&said), held(&whole));
                        let _ = writeln!(
                            wrong,
                            "{} as {name}, line {at} {fault:?}: {now:?}, was {was:?}",
                            kind.name
                        );
                    }
                }
            }
            std::fs::remove_file(s.path(name)).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn forms_that_are_more_special_are_not_ambiguous() {
    let s = Scratch::new();
    for (name, text, format) in [
        (
            "turns.txt",
            "SPEAKER g 1 0.25 0.50 <NA> <NA> ann <NA> <NA>\n",
            "rttm",
        ),
        ("vector.txt", "u1  [ 1.5 2 ]\nu2  [ 1.5 2 ]\n", "kaldi"),
        ("posterior", "u1 [ 1 0.5 2 0.5 ] [ 3 1 ] \n", "kaldi"),
        ("whole.ctm", "g 1 1 2 12\ng 1 3 1 13\n", "ctm"),
        (
            "alternatives",
            "g A * * <ALT_BEGIN>\ng A 0.5 0.1 UH\ng A * * <ALT>\ng A * * <ALT_END>\n",
            "ctm",
        ),
    ] {
        s.write(name, text);
        let said = s.run(&format!("info {name} --json"));
        let found = held(&said).map(|(format, _)| format);
        assert_eq!(found.as_deref(), Some(format), "{name}: {}", said.err);
    }
}

#[test]
fn what_opens_as_another_kind_is_no_table_by_its_name() {
    let s = Scratch::new();
    for text in [
        "#!/bin/sh\necho hello\n",
        "[{\"a\": 1}]\n",
        "{\"a\": [ 1 ]}\n",
        "<?xml version=\"1.0\"?>\n<a/>\n",
    ] {
        for extension in [
            "ark", "ali", "scp", "lab", "htk", "mfc", "fileids", "wav", "ctm",
        ] {
            let name = format!("x.{extension}");
            s.write(&name, text);
            for line in [format!("info {name}"), format!("{name} o.jsonl")] {
                let said = s.run(&line);
                assert_eq!(said.status, 2, "{line}: {text}: {}{}", said.out, said.err);
            }
            std::fs::remove_file(s.path(&name)).unwrap();
        }
    }
}
