//! Sound: folders of files, archives of waves, and what only seems to be a loss.

use std::fs;

use serde_json::Value;

use crate::Scratch;

fn folder() -> String {
    format!("{}/fixtures/samples/wav", env!("CARGO_MANIFEST_DIR"))
}

fn fixture(path: &str) -> String {
    format!("{}/fixtures/audio/{path}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_folder_of_waves_there_and_back() {
    let s = Scratch::new();
    let said = s.ok(&format!("{} a.ark", folder()));
    assert!(said.err.starts_with("3 utterances, "), "{}", said.err);
    for chain in [
        &["b.wav/"][..],
        &["b.jsonl", "c.wav/"],
        &["b.sph/", "c.wav/"],
        &["b.au/", "c.jsonl.gz", "d.wav/"],
    ] {
        let s = Scratch::new();
        let mut from = folder();
        for to in ["a.ark"].iter().chain(chain) {
            let said = s.ok(&format!("{from} {to}"));
            assert!(!said.err.contains("lost"), "{}", said.err);
            from = (*to).to_owned();
        }
        for entry in fs::read_dir(folder()).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            assert_eq!(s.read(&format!("{from}{name}")), fs::read(&path).unwrap());
        }
    }
}

#[test]
fn what_cannot_be_held_is_refused_by_name() {
    let s = Scratch::new();
    for to in ["a.pfile", "a.pkl"] {
        let error = s.fails(&format!("{} {to} --allow-loss all", folder()));
        assert!(
            error.contains("holds only audio, which the format can't hold"),
            "{error}"
        );
    }
    let error = s.fails(&format!("{} a.ark", fixture("wav-python-24/input.wav")));
    assert!(error.contains("precision: "), "{error}");
    let error = s.fails(&format!(
        "{} a.wav",
        fixture("refused/sphere-shorten/input.sph")
    ));
    assert!(error.contains("pcm,embedded-shorten-v2.00"), "{error}");
}

#[test]
fn a_type_asked_for_keeps_the_loudness() {
    let s = Scratch::new();
    let float = fixture("wav-sox-float/input.wav");
    s.ok(&format!("{float} a.wav --dtype i16"));
    s.ok(&format!("{} b.jsonl", fixture("wav-sox-16/input.wav")));
    s.ok("a.wav a.jsonl");
    let data = |name: &str| {
        let line: Value = serde_json::from_slice(&s.read(name)).unwrap();
        line["audio"].clone()
    };
    assert_eq!(data("a.jsonl"), data("b.jsonl"));
    assert_eq!(data("a.jsonl")["dtype"], "i16");
}

#[test]
fn logarithmic_and_nist_files_become_plain_waves() {
    let s = Scratch::new();
    for (n, case) in ["sphere-sox-mu-law/input.sph", "au-sox-a-law/input.au"]
        .iter()
        .enumerate()
    {
        let said = s.ok(&format!("{} {n}.wav", fixture(case)));
        assert!(said.err.contains("-law decoded"), "{}", said.err);
        let facts = s.ok(&format!("info {n}.wav")).out;
        assert!(
            facts.contains("1 channel of i16, 16000 samples/s\n")
                && facts.contains(", 0.01 s in all"),
            "{facts}"
        );
    }
}

#[test]
fn header_lines_are_kept_where_they_can_be() {
    let s = Scratch::new();
    let lines = fixture("sphere-lines/input.sph");
    s.ok(&format!("{lines} a.jsonl"));
    s.ok("a.jsonl a.sph");
    s.ok("a.sph b.jsonl");
    let without_key = |name: &str| {
        let mut line: Value = serde_json::from_slice(&s.read(name)).unwrap();
        line["key"].take();
        line
    };
    assert_eq!(without_key("a.jsonl"), without_key("b.jsonl"));
    assert_eq!(without_key("a.jsonl")["meta"]["tags"][0][2], "TIMIT");
    let said = s.ok(&format!("{lines} a.wav"));
    assert!(said.err.contains("not kept: metadata: "), "{}", said.err);
}

#[test]
fn capitals_in_names_of_files_do_not_matter() {
    let s = Scratch::new();
    fs::create_dir(s.path("in")).unwrap();
    fs::copy(
        fixture("sphere-wav-extension/input.wav"),
        s.path("in/SA1.WAV"),
    )
    .unwrap();
    s.write("in/SA1.PHN", "0 10 h#\n");
    let said = s.ok("in out.wav/");
    assert!(said.err.contains("1 files are not sphere"), "{}", said.err);
    assert_eq!(crate::names(&s.path("out.wav")), ["SA1.wav"]);
}
