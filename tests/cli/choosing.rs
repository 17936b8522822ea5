//! Which utterances are taken, and in which order: `select`, `sort`, `merge`.

use serde_json::{Value, json};

use crate::verbs::{keys, lines};
use crate::{Scratch, sample};

#[test]
fn select_takes_what_meets_every_rule() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    s.write("list", "cleo-001 and what follows\n\nann-001\nzoe\n");
    let select = |rules: &str| {
        let said = s.ok(&format!("select {ark} out.ark --overwrite {rules}"));
        (keys(&s, "out.ark"), said.err)
    };
    assert_eq!(select("--glob ann-*").0.len(), 4);
    assert_eq!(select("--glob ann-* --glob bob-00[12]").0.len(), 6);
    assert_eq!(
        select("--regex 00[34]$ --glob b*").0,
        ["bob-003", "bob-004"]
    );
    assert_eq!(select("--max-frames 99").0, ["bob-004"]);
    assert_eq!(select("--min-frames 300").0, ["bob-001"]);
    let (listed, said) = select("--keys list");
    assert_eq!(listed, ["ann-001", "cleo-001"]);
    assert!(
        said.contains("list: utterance zoe: the data have no such utterance"),
        "{said}"
    );
    assert_eq!(
        select("--exclude-keys list --first 2").0,
        ["ann-002", "ann-003"]
    );
    let drawn = select("--sample 5 --seed 7").0;
    assert_eq!(drawn.len(), 5);
    assert!(drawn.is_sorted(), "in their order");
    assert_eq!(select("--sample 5 --seed 7").0, drawn);
    assert_ne!(select("--sample 5 --seed 8").0, drawn);
    assert_eq!(select("--sample 50").0.len(), 12);
    assert_eq!(select("--glob c* --sample 2").0.len(), 2);
    // All that a conversion can.
    s.ok(&format!(
        "select {ark} few.pfile --keys list --labels {}",
        sample("ali.txt")
    ));
    let facts: Value = serde_json::from_str(&s.ok("info --json few.pfile").out).unwrap();
    assert_eq!(facts["kinds"], json!(["features", "labels"]));
    for rules in [
        "--regex (",
        "--glob [",
        "--min-frames 3 --max-frames 2",
        "--keys missing",
    ] {
        s.fails(&format!("select {ark} bad.ark {rules}"));
    }
    let said = s.shell(&format!("spr-convert select - x.ark --sample 1 < {ark}"));
    assert_eq!(said.status, 2);
    assert!(said.err.contains("read only once"), "{}", said.err);
}

#[test]
fn sort_spills_and_changes_nothing_else() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    s.ok(&format!("sort {ark} frames.ark --by frames"));
    let entries = lines(&s.ok("ls --json frames.ark").out);
    let frames: Vec<_> = entries
        .iter()
        .map(|e| e["frames"].as_u64().unwrap())
        .collect();
    assert!(frames.is_sorted() && frames.len() == 12);
    for memory in ["0", "100k", "1g"] {
        s.ok(&format!(
            "sort frames.ark back.ark --memory {memory} --overwrite"
        ));
        assert_eq!(s.read("back.ark"), std::fs::read(&ark).unwrap(), "{memory}");
    }
}

#[test]
fn merge_wants_every_key_once() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    s.ok(&format!("select {ark} a.ark --glob ann-*"));
    s.ok(&format!("select {ark} b.pfile --glob bob-*"));
    s.ok("merge a.ark b.pfile both.ark");
    assert_eq!(keys(&s, "both.ark").len(), 8);
    s.ok("sort a.ark a2.jsonl --by frames");
    let said = s.run("merge a.ark a2.jsonl twice.ark");
    assert_eq!(said.status, 2);
    assert_eq!(
        said.err,
        "spr-convert: error: a2.jsonl: utterance ann-003: a.ark has an utterance with this key, too\n\
         spr-convert: hint: --duplicates first and --duplicates last keep one of them, \
         --duplicates keep keeps both\n"
    );
    // Where some are left out, the second is named alone.
    let error = s.fails("merge a.ark a2.jsonl twice.ark --has features");
    let told = "a2.jsonl@0: utterance ann-003: a second utterance with this key";
    assert!(error.contains(told), "{error}");
    s.ok("merge a.ark a2.jsonl first.ark --duplicates first");
    assert_eq!(s.read("first.ark"), s.read("a.ark"));
    s.ok("merge a.ark a2.jsonl last.ark --duplicates last");
    s.ok("diff last.ark a2.jsonl");
}

#[test]
fn a_list_of_keys_may_be_a_folder_that_is_a_data_set() {
    let s = Scratch::new();
    let (ark, wav) = (sample("fbank.ark"), sample("../wav"));
    s.ok(&format!("select {ark} a.ark --glob ann-*"));
    s.ok("a.ark spr:spr/");
    s.ok(&format!("{wav} kaldi-data:data"));
    let sounds = keys(&s, &wav);
    for (folder, wanted) in [
        ("spr", keys(&s, "a.ark")),
        ("data", sounds.clone()),
        (&wav, sounds),
    ] {
        s.ok(&format!("select {ark} in.ark --keys {folder} --overwrite"));
        assert_eq!(keys(&s, "in.ark"), wanted, "{folder}");
        s.ok(&format!(
            "select {ark} out.ark --exclude-keys {folder} --overwrite"
        ));
        assert_eq!(keys(&s, "out.ark").len(), 12 - wanted.len(), "{folder}");
    }
    s.shell("mkdir arks mixed; cp a.ark arks; cp spr/*1.spr mixed");
    s.ok(&format!("{wav} mixed/ --to wav --add"));
    for (folder, why) in [
        (
            "arks",
            "arks: is a folder with kaldi files of many utterances each",
        ),
        ("mixed", "mixed: holds files of the formats "),
    ] {
        let error = s.run(&format!("select {ark} x.ark --keys {folder}")).err;
        assert!(error.contains(why), "{error}");
        let hint = "hint: a list of the keys does as well: one a line\n";
        assert!(error.contains(hint), "{error}");
    }
}

#[test]
fn a_list_of_keys_is_a_list_or_a_data_set() {
    let s = Scratch::new();
    let ark = sample("fbank.ark");
    s.ok(&format!("select {ark} part.ark --glob ann-*"));
    s.ok("part.ark part.pfile");
    s.ok("part.ark part.jsonl");
    s.ok("part.ark part.ark.gz --to kaldi");
    s.ok("part.ark part.pkl,layout=dict");
    s.ok("index part.ark");
    s.write("part.list", "ann-001\r\n\nann-002 x y\nann-003\nann-004\n");
    let wanted = keys(&s, "part.ark");
    assert_eq!(wanted.len(), 4);
    for list in ["list", "ark", "pfile", "jsonl", "ark.gz", "pkl", "scp"] {
        s.ok(&format!(
            "select {ark} in.jsonl --keys part.{list} --overwrite"
        ));
        assert_eq!(keys(&s, "in.jsonl"), wanted, "{list}");
        s.ok(&format!(
            "select {ark} out.jsonl --exclude-keys part.{list} --overwrite"
        ));
        let left = keys(&s, "out.jsonl");
        assert!(
            left.len() == 8 && left.iter().all(|key| !key.starts_with("ann-")),
            "{list}"
        );
    }
    // What is neither is refused wherever a list is read.
    s.write("noise", b"ann-001\n\x1f\x01\0\xff");
    for (line, place) in [
        (
            "select IN x.ark --keys noise",
            "byte 0x00 in a list of keys",
        ),
        (
            "select IN x.ark --exclude-keys noise",
            "byte 0x00 in a list of keys",
        ),
        (
            "convert IN x.ark --stages select(keys=noise)",
            "byte 0x00 in a list of keys",
        ),
        (
            "convert IN x.jsonl --labels IN --utt2spk noise",
            "noise:1: ",
        ),
        ("split IN x{part}.ark -n 2 --utt2spk noise", "noise:1: "),
    ] {
        let error = s.fails(&line.replace("IN", &ark));
        assert!(error.contains(place), "{line}: {error}");
    }
    // Names need not be UTF-8.
    s.write("latin", b"bj\xf6rn\nann-001\n");
    s.ok(&format!("select {ark} y.ark --keys latin"));
    assert_eq!(keys(&s, "y.ark"), ["ann-001"]);
}

/// A list that is a pipe can be read once, whatever asks for it: keys to look up, each of several
/// inputs, what is read twice.
#[cfg(unix)]
#[test]
fn lists_from_pipes_are_read_once() {
    let s = Scratch::new();
    let (ark, scp) = (sample("fbank.ark"), sample("fbank.scp"));
    s.write("list", "ann-001\ncleo-001\n");
    s.write("map", "ann-001 x\nann-002 y\n");
    s.write("speakers", "ann\n");
    let who = "awk '{split($1, a, \"-\"); print $1, a[1]}'";
    s.shell(&format!("{who} < {scp} > utt2spk; mkfifo pipe"));
    let cases = [
        ("list", "select {scp} out.ark --keys pipe", 2),
        ("list", "select {ark} out.ark --keys pipe", 2),
        (
            "list",
            "select {scp} {ark} out.ark --keys pipe --duplicates first",
            2,
        ),
        ("list", "select {scp} out.ark --exclude-keys pipe", 10),
        (
            "list",
            "select {scp} out.ark --exclude-keys pipe --sample 10",
            10,
        ),
        (
            "list",
            "select {scp} {ark} out.ark --exclude-keys pipe --sample 3 --duplicates first",
            3,
        ),
        (
            "map",
            "{scp} {ark} out.ark --duplicates first --map-keys pipe --on-error skip",
            2,
        ),
        (
            "speakers",
            "select {scp} out.ark --utt2spk utt2spk --speakers ./pipe",
            4,
        ),
        (
            "utt2spk",
            "select {scp} {ark} out.ark --duplicates first --utt2spk pipe --speakers ann --sample 9",
            4,
        ),
    ];
    let mut wrong = Vec::new();
    for (file, line, expected) in cases {
        let line = line.replace("{scp}", &scp).replace("{ark}", &ark);
        let said = s.shell(&format!(
            "cat {file} > pipe & timeout 60 spr-convert {line} --overwrite; s=$?; kill %1 2>/dev/null; exit $s"
        ));
        let found = match said.status {
            0 | 3 => keys(&s, "out.ark").len(),
            _ => usize::MAX,
        };
        if found != expected {
            wrong.push(format!("{line}: {found} of {expected}: {}", said.err));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn lengths_in_frames_are_those_of_frames() {
    let s = Scratch::new();
    let wave = sample("../wav/ann-001.wav");
    s.write("text.jsonl", "{\"key\":\"a\",\"text\":\"yes\"}\n");
    for (input, what) in [(wave.as_str(), "audio"), ("text.jsonl", "text")] {
        for rule in ["--min-frames 1", "--max-frames 10", "--stages length(0-)"] {
            let error = s.fails(&format!("select {input} out.jsonl {rule}"));
            let expected = format!("has {what}, but no frames that could be counted");
            assert!(error.contains(&expected), "{rule}: {error}");
        }
    }
}

#[test]
fn speakers_who_are_not_there_are_told() {
    let s = Scratch::new();
    s.write("utt2spk", "a ann\nb bob\n");
    s.write("speakers", "bob\nzoe\nyan\n");
    let line = |key| format!("{{\"key\":\"{key}\",\"text\":\"yes\"}}\n");
    s.write("in.jsonl", line("a") + &line("b"));
    for (speakers, told) in [
        ("ann", None),
        ("ann,zoe", Some("warning: the data have no speaker 'zoe'")),
        (
            "speakers",
            Some("warning: speakers: the data have no speaker 'yan', nor 1 more of the list"),
        ),
    ] {
        let said = s.ok(&format!(
            "select in.jsonl out.jsonl --overwrite --utt2spk utt2spk --speakers {speakers}"
        ));
        assert_eq!(keys(&s, "out.jsonl").len(), 1, "{speakers}");
        match told {
            Some(told) => assert!(said.err.contains(told), "{speakers}: {}", said.err),
            None => assert!(!said.err.contains("no speaker"), "{}", said.err),
        }
    }
}
