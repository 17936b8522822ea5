//! Label files: frame labels and back, recordings, tiers, faults.

use std::fs;

use crate::{Scratch, sample};

/// The sample alignment as labels with names, and those names.
fn named() -> Scratch {
    let s = Scratch::new();
    let symbols: String = (0..30).map(|n| format!("ph{n} {n}\n")).collect();
    s.write("phones.txt", symbols);
    s
}

fn text(s: &Scratch, name: &str) -> String {
    String::from_utf8(s.read(name)).unwrap()
}

#[test]
fn an_alignment_is_labels_of_every_format_and_back() {
    let s = named();
    let (feats, ali) = (sample("fbank.ark"), sample("ali.ark"));
    for (name, ending) in [
        ("ctm", ".ctm"),
        ("rttm", ".rttm"),
        ("textgrid", ".TextGrid/"),
        ("htk-lab", ".lab/"),
        ("mlf", ".mlf"),
        ("audacity", ".txt/"),
        ("timit", ".phn/"),
        ("pyannote", ".d/"),
    ] {
        let labels = format!("{name}:{name}{ending}");
        s.ok(&format!("{ali} {labels},symbols=phones.txt"));
        let line = format!(
            "{feats} --labels {labels},symbols=phones.txt ark:{name}.f --labels-out ark:{name}.ark"
        );
        s.ok(&line);
        let back = s.read(&format!("{name}.ark"));
        assert_eq!(back, fs::read(&ali).unwrap(), "{name}");
        // Names are no numbers by themselves.
        let error = s.fails(&format!(
            "{feats} --labels {labels} ark:x --labels-out ark:y"
        ));
        assert!(error.contains("of a segment is not a number"), "{error}");
    }
    assert!(text(&s, "ctm.ctm").starts_with("ann-001 1 0 0.01 ph4\nann-001 1 0.01 0.01 ph13\n"));
}

#[test]
fn labels_of_a_recording_join_by_time() {
    let s = Scratch::new();
    let utterance = |key: &str, frames: usize, place: &str| {
        let rows = vec!["[1]"; frames].join(",");
        format!(
            "{{\"key\":\"{key}\",\"features\":{{\"dtype\":\"f32\",\"shape\":[{frames},1],\"data\":[{rows}]}},\
             \"labels\":null,\"meta\":{{\"recording\":\"rec\",{place}}}}}\n"
        )
    };
    let data = utterance("u1", 4, "\"start\":0.5,\"end\":0.54")
        + &utterance("u2", 3, "\"start\":1.004,\"end\":1.034");
    s.write("data.jsonl", data);
    s.write("words.txt", "sil 0\none 1\ntwo 2\n");
    s.write(
        "rec.ctm",
        "rec 1 0.40 0.12 one\nrec 1 0.53 0.01 two\nrec 1 1 0.0154 one\n",
    );
    let join =
        |options: &str| format!("data.jsonl jsonl:- --labels rec.ctm,symbols=words.txt{options}");
    let error = s.fails(&join(""));
    assert!(
        error.contains("u1: the segments leave a gap before frame 3"),
        "{error}"
    );
    let error = s.fails(&join(",gaps=sil"));
    assert!(
        error.contains("u2: the segment '1' is not made of whole frames"),
        "{error}"
    );
    let out = s.ok(&join(",gaps=sil,round=True")).out;
    assert!(out.contains("\"labels\":[1,1,0,2]"), "{out}");
    assert!(out.contains("\"labels\":[1,0,0]"), "{out}");
    let said = s.ok(&(join(",gaps=sil,round=True") + " --explain")).out;
    assert!(
        said.contains("join by key, or else by recording and time"),
        "{said}"
    );
}

#[test]
fn recordings_are_told_by_name_and_time_where_that_is_asked_for() {
    let s = Scratch::new();
    let line = |key: &str, who: &str, start: &str, end: &str| {
        format!(
            "{{\"key\":\"{key}\",\"segments\":[{{\"start\":0,\"end\":0.25,\"label\":\"x\"}}],\"text\":null,\
             \"meta\":{{\"speaker\":\"{who}\",\"recording\":\"rec\",\"channel\":\"A\",\"start\":{start},\"end\":{end}}}}}\n"
        )
    };
    let data = line("u2", "bob", "2.5", "3") + &line("u1", "ann", "0.5", "1");
    s.write("in.jsonl", data.replace(",\"text\":null", ""));
    s.ok("in.jsonl a.ctm");
    assert_eq!(text(&s, "a.ctm"), "u2 A 0 0.25 x\nu1 A 0 0.25 x\n");
    s.ok("in.jsonl b.ctm,times=recording");
    let words = "rec A 0.5 0.25 x NA lex ann\nrec A 2.5 0.25 x NA lex bob\n";
    assert_eq!(text(&s, "b.ctm"), words);
    let error = s.run("in.jsonl c.rttm").err;
    assert!(
        error.contains("keys") && error.contains("--allow-loss keys"),
        "{error}"
    );
    s.ok("in.jsonl c.rttm --allow-loss keys");
    assert!(text(&s, "c.rttm").starts_with("LEXEME rec A 0.5 0.25 x lex ann <NA> <NA>\n"));
    s.ok("in.jsonl d.rttm,times=utterance");
    let who =
        "SPEAKER u2 A 0 0.25 <NA> <NA> x <NA> <NA>\nSPEAKER u1 A 0 0.25 <NA> <NA> x <NA> <NA>\n";
    assert_eq!(text(&s, "d.rttm"), who);
    s.write("t.jsonl", "{\"key\":\"w\",\"text\":\"one two\",\"meta\":{\"recording\":\"r\",\"start\":0.5,\"end\":2}}\n");
    s.ok("t.jsonl t.stm --allow-loss keys");
    assert_eq!(text(&s, "t.stm"), "r 1 <NA> 0.5 2 one two\n");
    s.ok("t.stm t.trn");
    assert_eq!(text(&s, "t.trn"), "one two (r-0.5-2)\n");
}

#[test]
fn a_tier_is_picked_by_its_name() {
    let s = Scratch::new();
    let tiers = "{\"key\":\"a\",\"tiers\":[{\"name\":\"words\",\"segments\":[{\"start\":0,\"end\":1,\"label\":\"x\"}]},\
                 {\"name\":\"phones\",\"segments\":[{\"start\":0,\"end\":0.5,\"label\":\"y\"}]}],\"meta\":{}}\n";
    s.write("in.jsonl", tiers);
    s.ok("in.jsonl a.TextGrid");
    let error = s.fails("a.TextGrid a.ctm");
    assert!(
        error.contains("tiers of segments of 1 utterance (words, phones)"),
        "{error}"
    );
    s.ok("a.TextGrid,tier=phones a.ctm");
    assert_eq!(text(&s, "a.ctm"), "a 1 0 0.5 y\n");
    s.ok("in.jsonl,tier=words b.ctm");
    assert_eq!(text(&s, "b.ctm"), "a 1 0 1 x\n");
    let error = s.run("a.TextGrid,tier=word c.ctm").err;
    assert!(error.contains("utterance a: has no tier 'word'"), "{error}");
    assert!(error.contains("it has 'words', 'phones'"), "{error}");
}

/// Times that have more digits than samples or units of 100 ns tell are rounded if that is allowed.
#[test]
fn rounding_of_times_is_a_loss() {
    let s = Scratch::new();
    s.write("a.ctm", "a 1 0 0.33333333333 x\n");
    for output in ["a.lab", "a.phn", "a.mlf"] {
        let error = s.fails(&format!("a.ctm {output}"));
        assert!(error.contains("precision"), "{output}: {error}");
        s.ok(&format!("a.ctm {output} --allow-loss precision"));
    }
    assert_eq!(text(&s, "a.lab"), "0 3333333 x\n");
    assert_eq!(text(&s, "a.phn"), "0 5333 x\n");
}

#[test]
fn lines_that_two_formats_have_ask_which() {
    let s = Scratch::new();
    s.write("a.data", "0 100000 x\n100000 200000 y\n");
    let error = s.run("a.data a.jsonl").err;
    assert!(error.contains("may be htk-lab or timit"), "{error}");
    assert!(error.contains("--from htk-lab or --from timit"), "{error}");
    s.ok("htk-lab:a.data h.jsonl");
    assert!(text(&s, "h.jsonl").contains("\"end\":0.01"));
    s.ok("timit:a.data,rate=8000 t.jsonl");
    assert!(text(&s, "t.jsonl").contains("\"end\":12.5"));
}

#[test]
fn utterances_at_fault_are_passed_over() {
    let s = Scratch::new();
    s.write("a.ctm", "a 1 0 1 x\nb 1 0 x\nb 1 0 1 y\nc 1 0 1 z\n");
    s.write("a.stm", "r 1 s 0 1.5 x\nr 1 s 3 2 y\nr 1 s 4 5.5 z\n");
    s.write(
        "a.mlf",
        "#!MLF!#\n\"*/a.lab\"\n0 1 x\n.\n\"*/b.lab\"\n1 0 x\n.\n\"*/c.lab\"\n0 1 x\n.\n",
    );
    for (name, line) in [("a.ctm", 2), ("a.stm", 2), ("a.mlf", 6)] {
        let error = s.fails(&format!("{name} x.jsonl"));
        assert!(error.contains(&format!("{name}:{line}: ")), "{error}");
        let said = s.run(&format!("{name} {name}.jsonl --on-error skip"));
        assert_eq!(said.status, 3, "{}", said.err);
        assert_eq!(
            text(&s, &format!("{name}.jsonl")).lines().count(),
            2,
            "{name}"
        );
    }
}

/// Times that a format rounds are counted, and the largest change is told in seconds.
#[test]
fn rounded_times_of_segments_are_measured() {
    let s = Scratch::new();
    s.write(
        "s.jsonl",
        "{\"key\":\"a\",\"segments\":[{\"start\":0.123456789,\"end\":1.98765432101,\"label\":\"x\"}]}\n",
    );
    for (target, change) in [
        ("htk-lab:x/", "2.101e-8"),
        ("mlf:x.mlf", "2.101e-8"),
        ("timit:x/", "2.932e-5"),
    ] {
        let error = s.fails(&format!("s.jsonl {target}"));
        let told = format!(
            "2 of 2 values in 1 utterance change, by up to {change} (times of segments in seconds)"
        );
        assert!(error.contains(&told), "{target}: {error}");
    }
}
