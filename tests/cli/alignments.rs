//! Folders and patterns of alignments, and what their transition ids stand for.

use std::fs;

use serde_json::Value;

use crate::Scratch;

const CASES: [&str; 2] = ["ali-jobs", "ali-jobs-chain"];

fn fixture(case: &str, name: &str) -> Vec<u8> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/kaldi");
    fs::read(format!("{root}/{case}/{name}")).unwrap()
}

/// A folder `tri` with the alignments of a case, and features for them.
fn folder(case: &str) -> Scratch {
    let s = Scratch::new();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/kaldi");
    for entry in fs::read_dir(format!("{root}/{case}/input.exp")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        s.write(&format!("tri/{name}"), fs::read(&path).unwrap());
    }
    let text = String::from_utf8(fixture(case, "expect.jsonl")).unwrap();
    let features = text.lines().map(|line| {
        let utt: Value = serde_json::from_str(line).unwrap();
        let n = utt["labels"].as_array().unwrap().len();
        let rows: Vec<_> = (0..n).map(|row| format!("[{row}.5]")).collect();
        let rows = rows.join(",");
        let key = &utt["key"];
        format!(
            "{{\"key\":{key},\"features\":{{\"dtype\":\"f32\",\"shape\":[{n},1],\"data\":[{rows}]}},\
             \"labels\":null,\"meta\":{{}}}}\n"
        )
    });
    s.write("feats.jsonl", features.collect::<String>());
    s
}

#[test]
fn ids_become_what_kaldi_makes_of_them() {
    for case in CASES {
        let s = folder(case);
        for unit in ["phones", "pdfs"] {
            let expected = String::from_utf8(fixture(case, &format!("{unit}.jsonl"))).unwrap();
            for line in [
                format!("tri jsonl:- -q --ali-to {unit}"),
                format!("tri/,ali-to={unit} jsonl:- -q"),
                format!("tri/,ali-to={unit},model=tri/final.mdl jsonl:- -q"),
            ] {
                assert_eq!(s.ok(&line).out, expected, "{case}: {line}");
            }
            for model in ["text.mdl", "binary.mdl"] {
                s.write(model, fixture(case, model));
                let said = s.ok(&format!("tri jsonl:- -q --ali-to {unit} --model {model}"));
                assert_eq!(said.out, expected, "{case} {model}");
            }
        }
    }
}

#[test]
fn labels_come_from_a_folder_and_from_a_pattern() {
    for case in CASES {
        let s = folder(case);
        s.ok("feats.jsonl --labels tri --ali-to phones a.jsonl -q");
        for line in [
            "feats.jsonl --labels tri/ali.*.gz --ali-to phones b.jsonl -q --overwrite",
            "feats.jsonl --labels tri/,ali-to=phones b.jsonl -q --overwrite",
            "feats.jsonl,label=tri,ali-to=phones b.jsonl -q --overwrite",
            "feats.jsonl,label=tri/ali.*.gz,ali-to=phones b.jsonl -q --overwrite",
        ] {
            s.ok(line);
            assert_eq!(s.read("a.jsonl"), s.read("b.jsonl"), "{line}");
        }
        assert!(
            s.ok("check feats.jsonl --labels tri")
                .out
                .contains("nothing wrong")
        );
        assert!(
            s.ok("check feats.jsonl --labels tri/ali.*.gz")
                .out
                .contains("nothing wrong")
        );
    }
}

#[test]
fn faults_are_told_and_leave_nothing() {
    let s = folder("ali-jobs");
    for (line, message) in [
        (
            "tri o.ark --ali-to words",
            "expected phones or pdfs, found 'words'",
        ),
        (
            "tri o.ark --ali-to phones --model none.mdl",
            "none.mdl: cannot open",
        ),
        (
            "tri o.ark --ali-to phones --model feats.jsonl",
            "is no model that says what labels stand for",
        ),
        (
            "tri o.ark --model tri/final.mdl",
            "--model: nothing says what its labels become",
        ),
        (
            "tri/,model=tri/final.mdl o.ark",
            "ali-to: expected phones or pdfs",
        ),
        ("feats.jsonl o.ark --ali-to phones", "there is no final.mdl"),
        (
            "tri tri/final.mdl -t kaldi --ali-to phones --overwrite",
            "tri/final.mdl",
        ),
    ] {
        let error = s.fails(line);
        assert!(error.contains(message), "{line}: {error}");
    }
    let said = s.run("tri o.ark --ali-to words");
    assert!(said.err.contains("need the lexicon"), "{}", said.err);
    // A model that is cut, and one of other data.
    let model = s.read("tri/final.mdl");
    s.write("cut.mdl", &model[..model.len() / 2]);
    let error = s.fails("tri o.ark --ali-to phones --model cut.mdl");
    assert!(error.contains("cut.mdl"), "{error}");
    s.write("other.mdl", fixture("ali-jobs-chain", "binary.mdl"));
    let error = s.fails("tri o.ark --ali-to phones --model other.mdl");
    assert!(
        error.contains("is not in other.mdl: it has 1 to 6"),
        "{error}"
    );
    let said = s.run("tri o.ark --ali-to phones --model other.mdl --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert!(
        said.err.contains("all 3 utterances were skipped"),
        "{}",
        said.err
    );
}

#[test]
fn jobs_that_are_missing_are_told() {
    let s = folder("ali-jobs-chain");
    fs::remove_file(s.path("tri/ali.3.gz")).unwrap();
    fs::remove_file(s.path("tri/ali.11.gz")).unwrap();
    let error = s.fails("tri o.ark");
    assert!(
        error.contains("lacks the alignments of job 3, 11 of 11"),
        "{error}"
    );
    let error = s.fails("feats.jsonl --labels tri o.pfile");
    assert!(
        error.contains("lacks the alignments of job 3, 11 of 11"),
        "{error}"
    );
    // Those that are there can be named.
    s.ok("tri/ali.*.gz o.ark -q");
    let said = s.run("tri p.ark --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert_eq!(s.read("o.ark").len(), s.read("p.ark").len());
}

#[test]
fn a_key_in_two_jobs_is_an_error() {
    let s = folder("ali-jobs");
    fs::copy(s.path("tri/ali.1.gz"), s.path("tri/ali.2.gz")).unwrap();
    let error = s.fails("tri o.ark");
    assert!(error.contains("ann-001"), "{error}");
    let error = s.fails("tri/ali.*.gz o.ark");
    assert!(error.contains("ann-001"), "{error}");
}

#[test]
fn shards_and_choices_see_the_folder_as_one() {
    let s = folder("ali-jobs-chain");
    let all = s.ok("ls tri").out;
    assert_eq!(all.lines().count(), 11);
    assert!(all.starts_with("u01"), "{all}");
    s.ok("select tri --glob u0* o.ark -q --ali-to phones");
    assert_eq!(s.ok("ls o.ark").out.lines().count(), 9);
    for n in 1..=2 {
        s.ok(&format!(
            "tri part.{{shard}}.jsonl --shard {n}/2 -q --ali-to pdfs"
        ));
    }
    let names = s.names();
    let parts = names
        .iter()
        .filter(|name| name.starts_with("part.") && name.ends_with(".jsonl"));
    let parts = parts.flat_map(|name| s.read(name)).collect::<Vec<_>>();
    assert_eq!(parts, fixture("ali-jobs-chain", "pdfs.jsonl"));
}

#[test]
fn what_is_missing_or_in_the_way_is_named() {
    let s = Scratch::new();
    for (text, why) in [
        (
            "one\\ntwo",
            "holds only text with a line end in it, kaldi holds it as words",
        ),
        (
            "one\\u0001",
            "holds only text with other blanks or characters in it",
        ),
    ] {
        s.write(
            "t.jsonl",
            format!("{{\"key\":\"a\",\"text\":\"{text}\",\"meta\":{{}}}}\n"),
        );
        let error = s.fails("t.jsonl t.ali,text=true");
        assert!(error.contains(why), "{error}");
    }
    let features = r#""features":{"dtype":"f32","shape":[1,1],"data":[[1]]}"#;
    s.write(
        "l.jsonl",
        format!("{{\"key\":\"a\",{features},\"labels\":[1]}}\n{{\"key\":\"b\",\"labels\":[1]}}\n"),
    );
    let error = s.fails("l.jsonl l.pkl");
    assert!(error.contains("utterance b: holds labels alone"), "{error}");
}
