//! The pipelines in the documents do what the documents say.

use super::{Scratch, sample};

/// The blocks of a language in a document.
fn blocks(language: &str) -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/pipelines.md");
    let text = std::fs::read_to_string(path).unwrap();
    let start = format!("```{language}\n");
    let blocks = text.split(&start).skip(1);
    let blocks = blocks.map(|rest| rest.split("\n```").next().unwrap().to_owned() + "\n");
    blocks.collect()
}

fn scratch() -> Scratch {
    let s = Scratch::new();
    for name in ["fbank.ark", "fbank.scp", "ali.txt"] {
        s.write(name, std::fs::read(sample(name)).unwrap());
    }
    s
}

#[test]
fn makefiles_work_and_stop_at_faults() {
    let s = scratch();
    if !s.has("make") {
        return;
    }
    let [whole, shards] = <[String; 2]>::try_from(blocks("make")).unwrap();
    s.write("Makefile", whole);
    s.write("shards.mk", shards);
    let made = s.shell("make 2>&1");
    assert_eq!(made.status, 0, "{}", made.out);
    assert!(s.path("train.pfile").exists() && s.path("train.html").exists());
    assert!(s.shell("make").out.contains("Nothing to be done"));
    for _ in 0..2 {
        let made = s.shell("make -f shards.mk -j 2 merged.ark 2>&1");
        assert_eq!(made.status, 0, "{}", made.out);
        s.ok("diff fbank.ark merged.ark");
    }
    let bytes = s.read("fbank.ark");
    s.write("fbank.ark", &bytes[..bytes.len() / 2]);
    let made = s.shell("rm train.*; make 2>&1");
    assert_ne!(made.status, 0, "{}", made.out);
    assert!(!s.path("checked.txt").exists() && !s.path("train.pfile").exists());
}

/// The script lets a few skipped utterances pass, and no error.
#[test]
fn a_script_decides_by_the_number_of_what_was_skipped() {
    let s = scratch();
    let script = blocks("sh").pop().unwrap();
    let script = script.replace("in.scp", "in.jsonl").replace(
        "$(jq .skipped summary.json)",
        "$(tr -d ' \\n' < summary.json | sed 's/.*\"skipped\":\\([0-9]*\\).*/\\1/')",
    );
    s.write("run.sh", script);
    let whole = "{\"key\":\"a\",\"features\":{\"dtype\":\"f32\",\"shape\":[1,1],\"data\":[[1]]}}\n";
    for (faults, status) in [(0, 0), (3, 0), (11, 1)] {
        let bad = "{\"key\":\"b\",\"features\":5}\n".repeat(faults);
        s.write("in.jsonl", format!("{whole}{bad}"));
        let said = s.shell("rm -f out.* skipped.jsonl summary.json; . ./run.sh");
        assert_eq!(said.status, status, "{faults}: {}", said.err);
    }
    let said = s.shell("rm -f in.jsonl out.* skipped.jsonl summary.json; . ./run.sh");
    assert_eq!(said.status, 2, "{}", said.err);
}
