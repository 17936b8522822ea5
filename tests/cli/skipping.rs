//! Entries at fault are passed over where Kaldi's `p` or `--on-error skip` asks for it: told,
//! counted, with status 3. The first of a table does not decide for the others.

use crate::{Said, Scratch, sample};

/// A list of three integers, as Kaldi writes it.
const INTEGERS: &[u8] = b"\0B\x04\x03\0\0\0\x04\x01\0\0\0\x04\x02\0\0\0\x04\x03\0\0\0";

/// Sound tables, and tables of which the first entry or one in the middle is at fault.
fn tables() -> Scratch {
    let s = Scratch::new();
    let ark = std::fs::read(sample("fbank.ark")).unwrap();
    let scp = std::fs::read_to_string(sample("fbank.scp")).unwrap();
    let lines: Vec<_> = scp.lines().map(|l| l.to_owned() + "\n").collect();
    s.write("fbank.ark", &ark);
    s.write("mixed.ark", [b"bad ", INTEGERS, &ark].concat());
    s.write("first.scp", format!("bad missing.ark:5\n{scp}"));
    s.write(
        "middle.scp",
        format!("{}bad fbank.ark:9\n{}", lines[0], lines[1..].concat()),
    );
    s
}

/// What is read, in Kaldi's words and by the flag.
const BAD: [&str; 6] = [
    "scp,p:first.scp",
    "scp,p:middle.scp",
    "ark,p:mixed.ark",
    "first.scp --on-error skip",
    "middle.scp --on-error skip",
    "mixed.ark --on-error skip",
];

fn skipped(said: &Said, line: &str) {
    assert_eq!(said.status, 3, "{line}: {}{}", said.out, said.err);
    let told = said.err.lines().filter(|l| l.contains(": skipped: "));
    let told: Vec<_> = told.collect();
    assert_eq!(told.len(), 1, "{line}: {}", said.err);
    assert!(told[0].contains("utterance bad: "), "{line}: {}", said.err);
    assert!(said.err.contains("1 skipped"), "{line}: {}", said.err);
}

#[test]
fn every_verb_passes_over_what_it_is_told_to() {
    let s = tables();
    let verbs = [
        ("ls IN", "ann-001 "),
        ("info IN", "12 utterances, 3111 frames"),
        ("info IN --json", "\"utterances\":12,\"frames\":3111"),
        ("IN", "12 utterances, 3111 frames"),
        ("stats IN", "12 utterances, 3111 frames"),
        ("show IN", "ann-001\n"),
        ("show IN --json --head 1", "\"key\":\"ann-001\""),
        ("plot IN --to text", ""),
        ("plot IN -o o.svg --overwrite", ""),
        ("report IN -o o.html --overwrite", ""),
        ("diff IN fbank.ark", ""),
        ("diff fbank.ark IN", ""),
        ("diff fbank.ark IN --by-key", ""),
        ("diff IN fbank.ark --by-key", ""),
        ("convert IN -o o.jsonl --overwrite", ""),
        ("select IN -o o.jsonl --overwrite", ""),
        ("sort IN -o o.jsonl --overwrite", ""),
        ("merge IN -o o.jsonl --overwrite", ""),
        ("split IN -o o{part}.jsonl -n 2 --overwrite", ""),
    ];
    for (verb, expected) in verbs {
        for bad in BAD {
            // The first utterance is the last that is shown before the one in the middle.
            if bad.contains("middle") && verb.contains("--head") {
                continue;
            }
            let line = verb.replace("IN", bad);
            let said = s.run(&line);
            skipped(&said, &line);
            assert!(said.out.contains(expected), "{line}: {}", said.out);
            let (name, _) = bad.split_once(' ').unwrap_or((bad, ""));
            if name.starts_with("scp,p") || name.starts_with("ark,p") || verb.contains("--head") {
                continue;
            }
            let said = s.run(&verb.replace("IN", name));
            assert_eq!(said.status, 2, "{verb} {name}: it was not asked for");
        }
    }
    let page = String::from_utf8(s.read("o.html")).unwrap();
    assert!(page.contains("utterance bad: "), "the page names it");
}

#[test]
fn an_index_has_what_is_whole() {
    let s = tables();
    for bad in ["ark,p:mixed.ark", "mixed.ark --on-error skip"] {
        let line = format!("index {bad} --overwrite");
        skipped(&s.run(&line), &line);
        let script = String::from_utf8(s.read("mixed.scp")).unwrap();
        assert_eq!(script.lines().count(), 12);
        s.ok("diff mixed.scp fbank.ark");
    }
    s.fails("index mixed.ark --overwrite");
}

#[test]
fn for_check_they_are_faults() {
    let s = tables();
    for bad in BAD {
        let said = s.run(&format!("check {bad}"));
        assert_eq!(said.status, 1, "{bad}: {}", said.err);
        assert!(said.out.contains("utterance bad: "), "{bad}: {}", said.out);
        assert!(said.out.contains("12 utterances, 3111 frames"), "{bad}");
    }
}

#[test]
fn what_is_asked_for_by_name_is_found_beside_it() {
    let s = tables();
    for bad in BAD {
        let line = format!("show {bad} bob-001");
        let said = s.run(&line);
        assert!(matches!(said.status, 0 | 3), "{line}: {}", said.err);
        assert!(said.out.starts_with("bob-001\n"), "{line}: {}", said.out);
    }
    let ali = std::fs::read(sample("ali.ark")).unwrap();
    let matrix = b"bad \0BFM \x04\x01\0\0\0\x04\x01\0\0\0\0\0\0\0";
    s.write("ali.ark", [matrix.as_slice(), &ali].concat());
    let said = s.ok("fbank.ark o.jsonl --labels ark,p:ali.ark");
    assert!(
        said.err.contains("12 utterances, 3111 frames"),
        "{}",
        said.err
    );
}

#[test]
fn a_command_that_may_not_run_is_skipped_with_the_way_to_allow_it() {
    let s = Scratch::new();
    s.write("a.scp", "a echo 1 |\nb echo 2 |\n");
    for line in ["scp,p:a.scp o.jsonl", "info scp,p:a.scp"] {
        let said = s.run(line);
        assert_eq!(said.status, 3, "{line}: {}", said.err);
        let hints = said.err.matches("--allow-pipes").count();
        assert_eq!(hints, 1, "{line}: {}", said.err);
    }
}

/// `-q` hides notes and hints, and never that data were left out.
#[test]
fn what_is_left_out_is_told_to_the_quiet_too() {
    let s = Scratch::new();
    s.write(
        "v.jsonl",
        r#"{"key":"a","features":null,"labels":[1],"meta":{}}
{"key":"b","features":null,"labels":[2],"meta":{}}
"#,
    );
    s.write("list", "a\nzoe\n");
    s.write("zoe", "zoe\n");
    s.write(
        "x.rttm",
        "SPKR-INFO rec 1 <NA> <NA> <NA> unknown ann <NA> <NA>\nSPEAKER rec 1 0 1 <NA> <NA> ann <NA> <NA>\n",
    );
    s.write(
        "wav/ann-001.wav",
        std::fs::read(sample("../wav/ann-001.wav")).unwrap(),
    );
    s.write("wav/ann-001.dat", "?");
    for (line, told) in [
        (
            "v.jsonl o.ark --ignore-label 1",
            "utterance a: has only ignored labels and is left out",
        ),
        (
            "select v.jsonl o.ark --keys list",
            "list: utterance zoe: the data have no such utterance",
        ),
        (
            "select v.jsonl o.ark --keys zoe",
            "v.jsonl: none of its utterances is left",
        ),
        (
            "ls x.rttm",
            "x.rttm: lines of other kinds are left out: 1 SPKR-INFO",
        ),
        (
            "ls wav",
            "wav/ann-001.dat: left out, neither sound that is read nor a transcript",
        ),
        ("v.jsonl o.ark", ""),
    ] {
        let overwrite = if line.contains("o.ark") {
            " --overwrite"
        } else {
            ""
        };
        let said = s.ok(&format!("{line} -q{overwrite}"));
        assert!(said.err.contains(told), "{line}: {}", said.err);
        assert_eq!(said.err.is_empty(), told.is_empty(), "{line}: {}", said.err);
        assert!(!said.err.contains("hint:"), "{line}: {}", said.err);
    }
    s.write("empty.jsonl", "");
    assert_eq!(s.ok("empty.jsonl empty.ark -q").err, "");
}
