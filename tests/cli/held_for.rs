//! What text is held for: contents of each format under the names of others.

use crate::{Said, Scratch, sample};

/// Text in a form of its own.
struct Form {
    /// The formats whose form it has.
    formats: &'static [&'static str],
    /// The extensions of those formats, each with the format.
    own: &'static [(&'static str, &'static str)],
    text: &'static str,
    /// A line between the others that is no line of the format.
    fault: &'static str,
}

const FORMS: &[Form] = &[
    Form {
        formats: &["ctm"],
        own: &[("ctm", "ctm")],
        text: "3129 A 0.39 0.08 BUT\n3129 A 0.50 0.10 IT\n",
        fault: "3129 A 0.39 -0.08 BUT\n",
    },
    Form {
        formats: &["ctm"],
        own: &[("ctm", "ctm")],
        text: "3129 A 0.39 0.08 BUT\n3129 A 0.50 0.10 IT\n",
        fault: "3129 A * * <ALT_BEGIN>\n",
    },
    Form {
        formats: &["stm"],
        own: &[("stm", "stm")],
        text: "g A ann 0.50 1.00 <o> hello there\ng A bob 1.00 2.00 <o> you\n",
        fault: "g A ann 2.00 1.00 <o> hello\n",
    },
    Form {
        formats: &["rttm"],
        own: &[("rttm", "rttm")],
        text: "SPEAKER g 1 0.50 1.00 <NA> <NA> ann <NA> <NA>\n\
               SPEAKER g 1 1.50 1.00 <NA> <NA> bob <NA> <NA>\n",
        fault: "SPEAKER g 1 x 1.00 <NA> <NA> ann <NA> <NA>\n",
    },
    Form {
        formats: &["trn", "kaldi"],
        own: &[("trn", "trn")],
        text: "hello (spk/u1)\nyou (spk/u2)\n",
        fault: "hello\n",
    },
    Form {
        formats: &["trn"],
        own: &[("trn", "trn")],
        text: "[noise] hello there (u1)\nyou (u2)\n",
        fault: "hello there\n",
    },
    Form {
        formats: &["timit", "htk-lab"],
        own: &[("phn", "timit"), ("PHN", "timit"), ("lab", "htk-lab")],
        text: "0 1600 h#\n1600 3200 sh\n",
        fault: "3200 1600 ix\n",
    },
    Form {
        formats: &["pyannote"],
        own: &[("lab", "pyannote")],
        text: "0.50 1.00 ann\n1.00 1.50 bob\n",
        fault: "2.50 1.00 ann\n",
    },
    Form {
        formats: &["srt"],
        own: &[("srt", "srt")],
        text: "1\n00:00:00,500 --> 00:00:01,000\nann\n\n2\n00:00:01,000 --> 00:00:01,500\nbob\n\n",
        fault: "3\n00:00:02,500 --> 00:00:02,000\nann\n\n",
    },
    Form {
        formats: &["audacity"],
        own: &[("txt", "audacity")],
        text: "0.500000\t1.000000\tann\n1.000000\t1.500000\tbob\n",
        fault: "2.500000\t1.000000\tann\n",
    },
    Form {
        formats: &["kaldi"],
        own: &[("ali", "kaldi"), ("ark", "kaldi"), ("txt", "kaldi")],
        text: "u1 1 2 3\nu2 4 5\n",
        fault: "",
    },
    Form {
        formats: &["kaldi"],
        own: &[("ark", "kaldi"), ("ali", "kaldi"), ("txt", "kaldi")],
        text: "u1  [\n 1 2 \n 3 4 ]\nu2  [\n 1 2 ]\n",
        fault: "",
    },
];

/// Extensions of text and of other data, of which none says no more than that it is text.
const EXTENSIONS: &[&str] = &[
    "ctm", "stm", "rttm", "trn", "lab", "phn", "mlf", "TextGrid", "ark", "ali", "json", "jsonl",
    "key", "pfile", "wav", "npy", "pkl", "track", "htk", "mfc", "uem", "sh", "py", "md",
];

/// Extensions whose formats take nearly any line.
const ANY: &[&str] = &["ark", "ali", "scp", "lab"];

fn held(said: &Said) -> Option<&str> {
    let (_, rest) = said.out.split_once("\"format\":\"")?;
    Some(rest.split_once('"')?.0)
}

#[test]
fn text_is_held_for_its_own_format_or_refused() {
    let s = Scratch::new();
    for form in FORMS {
        let own = |extension: &str| form.own.iter().find(|(own, _)| *own == extension);
        let all = EXTENSIONS
            .iter()
            .copied()
            .chain(form.own.iter().map(|(own, _)| *own));
        for extension in all {
            let name = format!("x.{extension}");
            s.write(&name, form.text);
            let said = s.run(&format!("info {name} --json"));
            let at = format!("{name}: {:?}: {}{}", form.text, said.out, said.err);
            match own(extension) {
                Some((_, format)) => {
                    assert_eq!((said.status, held(&said)), (0, Some(*format)), "{at}");
                }
                None => {
                    assert_eq!(said.status, 2, "{at}");
                    // A script file, which is looked for, is a form that `.ark` may have as well.
                    let is_script = held(&said) == Some("kaldi") && form.formats.contains(&"kaldi");
                    let named = form.formats.iter().any(|own| said.err.contains(own));
                    assert!(is_script || named && said.err.contains("--from"), "{at}");
                }
            }
        }
        for name in ["x", "x.txt", "x.scp", "x.dat"] {
            s.write(name, form.text);
            let said = s.run(&format!("info {name} --json"));
            let at = format!("{name}: {:?}: {}{}", form.text, said.out, said.err);
            match said.status {
                0 => assert!(form.formats == [held(&said).unwrap_or_default()], "{at}"),
                _ => assert_eq!(said.status, 2, "{at}"),
            }
        }
    }
}

#[test]
fn a_fault_in_one_line_does_not_change_what_a_file_is_held_for() {
    let s = Scratch::new();
    for form in FORMS.iter().filter(|form| !form.fault.is_empty()) {
        let lines: Vec<_> = form.text.split_inclusive('\n').collect();
        for at in 0..=lines.len() {
            let text = [&lines[..at], &[form.fault], &lines[at..]]
                .concat()
                .concat();
            for (extension, format) in form.own {
                let name = format!("x.{extension}");
                s.write(&name, &text);
                let said = s.run(&format!("info {name} --json"));
                let told = format!("{name}: {text:?}: {}{}", said.out, said.err);
                assert_eq!((said.status, held(&said)), (2, Some(*format)), "{told}");
                assert!(said.err.contains(&format!("\"file\":\"{name}\"")), "{told}");
            }
            for name in ["x", "x.dat"] {
                s.write(name, &text);
                let said = s.run(&format!("info {name} --json"));
                assert_eq!(said.status, 2, "{name}: {text:?}: {}{}", said.out, said.err);
            }
        }
    }
}

#[test]
fn other_text_is_no_data() {
    let s = Scratch::new();
    for text in [
        "#!/bin/sh\necho hello\n",
        "#include <a>\n#include <b>\n\nint main() {\n  return 0;\n}\n",
        "all: x\n\tcc x.c\n",
        "CC = gcc\n\nall: x\n\t$(CC) x.c\n",
        "[{\"id\": \"a\", \"start\": 0}, {\"id\": \"b\", \"start\": 1}]\n",
        "[\n  {\n    \"id\": \"a\"\n  }\n]\n",
        "{\n  \"a b\": 1,\n  \"c d\": 2\n}\n",
        "<a b>\n<c d>\n</c>\n",
        "\"a\" b\n\"c\" d\n",
        "\"Praat chronological TextGrid text file\"\n0 1 ! Time domain.\n1 ! Number of tiers.\n\
         \"IntervalTier\" \"a\" 0 1\n1 0 1\n\"x\"\n",
    ] {
        let others = EXTENSIONS
            .iter()
            .filter(|extension| !ANY.contains(extension));
        let others = others.map(|extension| format!("x.{extension}"));
        for name in others.chain(["x", "x.txt", "x.cpp"].map(str::to_owned)) {
            s.write(&name, text);
            let said = s.run(&format!("info {name} --json"));
            assert_eq!(said.status, 2, "{name}: {text:?}: {}{}", said.out, said.err);
        }
    }
    // Text of words, as it stands in Kaldi's `text` and in nearly every other file.
    for name in ["x.cpp", "x.md", "x.uem", "x.ctm", "x.json", "x.dat"] {
        s.write(name, "u1 one\nu2 two\n");
        let said = s.run(&format!("info {name} --json"));
        assert_eq!(said.status, 2, "{name}: {}{}", said.out, said.err);
    }
    for (name, text, why) in [
        (
            "a.uem",
            "g 1 0.00 9.00\nh 1 0.00 8.00\n",
            "is the extension of NIST UEM",
        ),
        (
            "cuts.json",
            "[{\"id\": \"c\", \"start\": 0, \"duration\": 1, \"supervisions\": []}]",
            "JSON array",
        ),
        (
            "m.json",
            "[\n{\"audio_filepath\": \"a.wav\", \"duration\": 1}\n]\n",
            "JSON array",
        ),
        (
            "a.TextGrid",
            "\"Praat chronological TextGrid text file\"\n0 1 ! Time domain.\n",
            "a chronological TextGrid, which is not read",
        ),
    ] {
        s.write(name, text);
        let said = s.run(&format!("{name} out.jsonl"));
        assert_eq!(said.status, 2, "{name}: {}", said.err);
        assert!(said.err.contains(why), "{name}: {}", said.err);
    }
}

#[test]
fn a_guess_is_told() {
    let s = Scratch::new();
    for name in ["t", "words.txt", "data/text"] {
        s.write(name, "u1 one\nu2 two\n");
        let said = s.ok(&format!("info {name}"));
        assert!(said.out.contains("kaldi (a guess)"), "{}", said.out);
        let said = s.ok(&format!("info {name} --json"));
        assert!(said.out.contains("\"guessed\":true"), "{}", said.out);
        let said = s.ok(&format!("{name} x.jsonl --explain"));
        let told = "format kaldi (a guess by the look of its text)";
        assert!(
            said.err.contains(told) || said.out.contains(told),
            "{}{}",
            said.out,
            said.err
        );
    }
    s.write("x.ali", "u1 1 2\n");
    let said = s.ok("info x.ali");
    assert!(!said.out.contains("guess"), "{}", said.out);
    // Numbers as keys, where HTK's labels have their starts.
    s.write("data/text", "1001 yes\n1002 no\n1003 stop\n");
    let said = s.ok("info data/text --json");
    assert_eq!(held(&said), Some("kaldi"), "{}", said.out);
    s.write("x.txt", "1001 yes\n1002 no\n1003 stop\n");
    let said = s.run("info x.txt");
    assert_eq!(said.status, 2, "{}", said.out);
    assert!(said.err.contains("may be kaldi or htk-lab"), "{}", said.err);
}

#[test]
fn a_list_with_one_wrong_range_is_a_list() {
    let s = Scratch::new();
    s.write("x.scp", "a=a.mfc[0,9]\nb=b.mfc[9\nc=c.mfc[0,9]\n");
    let said = s.run("x.scp x.jsonl");
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(
        said.err.contains("a.mfc") || said.err.contains("x.scp:2"),
        "{}",
        said.err
    );
}

#[test]
fn flac_behind_a_tag_is_flac() {
    let s = Scratch::new();
    s.write(
        "a.wav",
        std::fs::read(sample("../wav/ann-001.wav")).unwrap(),
    );
    s.ok("a.wav a.flac");
    let tagged = |size: usize| {
        let sizes = [size >> 7, size & 0x7f].map(|bits| u8::try_from(bits).unwrap());
        [
            &b"ID3\x04\0\0\0\0"[..],
            &sizes[..],
            &vec![0; size],
            &s.read("a.flac"),
        ]
        .concat()
    };
    s.write("tagged.flac", tagged(20));
    s.write("tagged.mp3", tagged(20));
    for name in ["tagged.flac", "tagged.mp3"] {
        let said = s.ok(&format!("info {name} --json"));
        assert_eq!(held(&said), Some("flac"), "{}", said.out);
        assert!(
            said.err.contains("an ID3 tag before the sound"),
            "{}",
            said.err
        );
    }
    s.write("with/a.flac", tagged(20));
    s.ok("diff a.flac with/a.flac");
    // The sound is beyond what is looked at.
    s.write("long", tagged(9000));
    let said = s.run("info long");
    assert_eq!(said.status, 2);
    assert!(
        said.err.contains("holds FLAC behind an ID3 tag"),
        "{}",
        said.err
    );
    assert!(said.err.contains("--from flac"), "{}", said.err);
    s.ok("info long --from flac");
}

#[test]
fn a_whole_last_line_needs_no_end() {
    let s = Scratch::new();
    for (name, text) in [
        ("a.trn", "hello there (u1)\nyou (u2)"),
        (
            "a.rttm",
            "SPEAKER g 1 0.50 1.00 <NA> <NA> ann <NA> <NA>\nSPEAKER g 1 2.50 1.00 <NA> <NA> ann <NA> <NA>",
        ),
        ("a.mlf", "#!MLF!#\n\"*/u1.lab\"\n0 100 a\n."),
    ] {
        s.write(name, text);
        let said = s.ok(&format!("info {name}"));
        assert!(
            said.err.contains("no line end, but is whole"),
            "{name}: {}",
            said.err
        );
        s.write(name, &text[..text.len() - 1]);
        let said = s.run(&format!("info {name}"));
        assert_eq!(said.status, 2, "{name}: {}", said.out);
    }
    // What has all of its fields is taken, though the last may be cut off.
    for (name, text, cut) in [
        ("a.ctm", "g A 0.5 0.1 IT\ng A 0.6 0.12 I", " I"),
        ("a.stm", "g A ann 0.5 0.6 it\ng A ann 0.6 0.7 is", " is"),
        ("a.phn", "0 9 a\n9 12 b", " b"),
        ("a.lab", "0 9 a\n9 12 b", "12 b"),
        ("words.lab", "hello\nthere", ""),
    ] {
        s.write(name, text);
        let said = s.ok(&format!("check {name}"));
        assert!(
            said.out.contains("no line end, but is whole"),
            "{name}: {}",
            said.out
        );
        if cut.is_empty() {
            continue;
        }
        s.write(name, text.strip_suffix(cut).unwrap());
        let said = s.run(&format!("info {name}"));
        assert_eq!(said.status, 2, "{name}: {}", said.out);
        assert!(said.err.contains("may be cut off"), "{name}: {}", said.err);
    }
}

#[test]
fn rttm_has_lines_of_other_kinds_and_no_two_recordings_of_one_name() {
    let s = Scratch::new();
    s.write(
        "a.rttm",
        "SPKR-INFO g 1 <NA> <NA> <NA> unknown ann <NA>\n\
         SPEAKER g 1 0.50 1.00 <NA> <NA> ann <NA>\n",
    );
    let said = s.run("check a.rttm");
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let line = |label: &str| {
        format!(
            "{{\"key\":\"u1\",\"segments\":[{{\"start\":0,\"end\":1,\"label\":\"{label}\",\"speaker\":\"{label}\"}}]}}\n"
        )
    };
    s.write("twice.jsonl", [line("ann"), line("bob")].concat());
    for to in ["rttm", "ctm"] {
        let said = s.run(&format!(
            "twice.jsonl twice.{to} --allow-loss all --duplicates keep"
        ));
        assert_eq!(said.status, 2, "{to}: {}", said.err);
        assert!(
            said.err.contains("a second utterance with this name"),
            "{to}: {}",
            said.err
        );
    }
}

#[test]
fn the_older_head_of_a_short_textgrid_is_known() {
    let s = Scratch::new();
    let grid = |head: &str| {
        format!(
            "File type = \"{head}\"\n\"TextGrid\"\n\n0\n1\n<exists>\n1\n\"IntervalTier\"\n\"a\"\n0\n1\n1\n0\n1\n\"x\"\n"
        )
    };
    s.write("a.TextGrid", grid("ooTextFile"));
    s.write("old/a.TextGrid", grid("ooTextFile short"));
    s.ok("diff a.TextGrid old/a.TextGrid");
    s.write("c.txt", grid("ooTextFile short"));
    let said = s.ok("info c.txt --json");
    assert_eq!(held(&said), Some("textgrid"), "{}", said.out);
}

#[test]
fn a_first_line_at_fault_does_not_hide_json() {
    let s = Scratch::new();
    for (name, format, line) in [
        (
            "f.json",
            "nemo",
            r#"{"audio_filepath":"a.wav","duration":2}"#,
        ),
        (
            "f.dat",
            "nemo",
            r#"{"audio_filepath":"a.wav","duration":2}"#,
        ),
        ("f.dat", "jsonl", r#"{"key":"a","labels":[1]}"#),
    ] {
        for fault in ["xx", r#""a.wav", "duration": 1}"#] {
            for text in [format!("{fault}\n{line}\n"), format!("{line}\n{fault}\n")] {
                s.write(name, &text);
                let said = s.run(&format!("info {name} --json"));
                let told = format!("{name}: {text:?}: {}{}", said.out, said.err);
                assert_eq!((said.status, held(&said)), (2, Some(format)), "{told}");
            }
        }
    }
    // Other text with JSON in it is none.
    s.write("page", "<script>\n{\"key\":\"a\",\"labels\":[1]}\n");
    assert_eq!(s.run("info page").status, 2);
}

#[test]
fn a_table_that_was_appended_twice_is_a_table() {
    let s = Scratch::new();
    s.write("tt", "u1 one\nu2 two\nu1 one\nu2 two\n");
    let said = s.ok("info tt --json");
    assert_eq!(held(&said), Some("kaldi"), "{}", said.out);
}
