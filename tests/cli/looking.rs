//! `diff`, `stats`, `plot` and `report` on inputs with faults: the status, the file in the error,
//! and no file left, but for the page that is about the damage.

use std::fs;

use super::{Scratch, sample};

/// What is wrong with an input, its name, and what the error says of it.
fn faults(s: &Scratch) -> [(&'static str, &'static str); 6] {
    let whole = fs::read(sample("fbank.ark")).unwrap();
    s.write("whole.ark", &whole);
    s.write("cut.ark", &whole[..100_000]);
    s.write("junk.ark", "junk junk junk");
    s.write("missing.scp", "ann-001 none.ark:8\n");
    s.ok("whole.ark whole.pfile -q");
    s.write("cut.pfile", &s.read("whole.pfile")[..400_000]);
    s.ok("whole.ark whole.jsonl -q");
    s.write("cut.jsonl", &s.read("whole.jsonl")[..300_000]);
    [
        ("cut.ark", "cut.ark@82949: utterance ann-003: the file ends"),
        ("junk.ark", "junk.ark@14: utterance junk: the file ends"),
        ("missing.scp", "none.ark: utterance ann-001: cannot open"),
        ("cut.pfile", "cut.pfile@"),
        ("cut.jsonl", "cut.jsonl:4: utterance ann-004: "),
        ("none.ark", "none.ark: cannot open"),
    ]
}

#[test]
fn damage_is_an_error_with_its_place_and_leaves_nothing() {
    let s = Scratch::new();
    let faults = faults(&s);
    let before = s.names();
    let verbs = [
        "diff IN whole.ark",
        "diff whole.ark IN",
        "diff --by-key IN whole.ark",
        "stats IN",
        "plot IN",
        "plot IN -o out.png",
        "plot IN -o out.svg",
        "report IN -o out.html",
    ];
    let mut seen = 0;
    for (name, error) in faults {
        for verb in verbs {
            let line = verb.replace("IN", name);
            let said = s.run(&line);
            assert_eq!(said.status, 2, "{line}: {}", said.err);
            let told = said.err.lines().filter(|l| l.contains("error: "));
            let told: Vec<_> = told.collect();
            assert_eq!(told.len(), 1, "{line}: {}", said.err);
            assert!(told[0].contains(error), "{line}: {}", said.err);
            // Of what can be opened at all there is a page, which names the damage.
            let _ = fs::remove_file(s.path("out.html"));
            assert_eq!(s.names(), before, "{line}");
            let said = s.run(&format!("{line} --json"));
            assert_eq!(said.status, 2, "{line} --json: {}", said.err);
            let object = said.err.lines().find(|l| l.starts_with('{')).unwrap();
            let object: serde_json::Value = serde_json::from_str(object).unwrap();
            // A picture has no facts to print, whatever the input.
            let said = object["message"].as_str().unwrap();
            let picture = verb.starts_with("plot") && said == "a picture is not JSON";
            assert!(picture || object["file"].is_string(), "{line}: {object}");
            let _ = fs::remove_file(s.path("out.html"));
            seen += 1;
        }
    }
    assert_eq!(seen, 6 * 8);
}

#[test]
fn an_input_without_utterances_is_warned_about() {
    let s = Scratch::new();
    s.write("empty.ark", "");
    s.write("other/empty.ark", "");
    s.write("one.ark", "a [ 1 2 ]\n");
    for (line, status, warnings) in [
        ("stats empty.ark", 0, 1),
        ("stats --json empty.ark", 0, 1),
        ("report empty.ark -o out.html", 0, 1),
        ("diff empty.ark empty.ark", 0, 1),
        ("diff empty.ark other/empty.ark", 0, 2),
        ("diff empty.ark one.ark", 1, 1),
        ("diff one.ark empty.ark --by-key", 1, 1),
        ("diff one.ark one.ark", 0, 0),
        ("stats one.ark", 0, 0),
    ] {
        let said = s.run(line);
        assert_eq!(said.status, status, "{line}: {}", said.err);
        let warning = "empty.ark: holds no utterances";
        assert_eq!(
            said.err.matches(warning).count(),
            warnings,
            "{line}: {}",
            said.err
        );
    }
}

#[test]
fn tables_without_utterances_are_told() {
    let s = Scratch::new();
    s.write("e.ark", "");
    s.write("e.jsonl", "");
    s.write("a.ark", "a 1 2 3\n");
    for name in ["e.ark", "e.jsonl"] {
        for verb in ["ls", "ls --json", "show", "show --json", "info", "stats"] {
            let said = s.ok(&format!("{verb} {name}"));
            let told = format!("warning: {name}: holds no utterances");
            assert!(said.err.contains(&told), "{verb} {name}: {}", said.err);
        }
    }
    for line in [
        "ls a.ark",
        "show a.ark",
        "show a.ark --head 0",
        "show a.ark a",
    ] {
        assert_eq!(s.ok(line).err, "", "{line}");
    }
}
