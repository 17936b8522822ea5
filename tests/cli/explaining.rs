//! `--explain`: every verb tells of all that it would read, do and write, in words and in JSON, and
//! does nothing.

use serde_json::Value;

use crate::{Scratch, sample};

/// A line, and of each argument that is told what its sentence must contain.
type Case = (&'static str, &'static [(&'static str, &'static str)]);

/// The steps that must be told, in their order, behind the sentences.
const CASES: &[(Case, &[&str])] = &[
    (
        (
            "a.ark o.ark --dtype f64 --on-error skip",
            &[
                ("input", "faulty utterances are skipped"),
                ("output", "values as f64"),
            ],
        ),
        &[],
    ),
    (
        (
            "a.ark,context=1 o.jsonl --labels l.ark --text text --utt2spk spk --prefix x- --stages unique|first(2)",
            &[
                ("input", "1 frames before and 1 after each"),
                ("labels", "join by speaker, or else by key"),
                ("text", "join by key"),
                ("speakers", "spk; join by key"),
                ("stages", "unique|first(2)"),
                ("output", "writes file o.jsonl"),
            ],
        ),
        &["rename(prefix=x-)", "context(1,1)", "unique", "first(2)"],
    ),
    (
        (
            "a.ark,label=l.ark,context=1 o.pfile --label-dtype i64",
            &[
                ("input", "with labels from l.ark; 1 frames"),
                ("labels", "reads file l.ark"),
                ("output", "labels as i64"),
            ],
        ),
        &["context(1,1)"],
    ),
    (
        (
            "select a.ark o.ark --glob b* --first 2",
            &[("input", "a.ark"), ("stages", ""), ("output", "o.ark")],
        ),
        &["select(b*)", "first(2)"],
    ),
    (
        (
            "sort a.ark o.ark --by frames",
            &[("input", "a.ark"), ("stages", "sort"), ("output", "o.ark")],
        ),
        &["sort(frames,memory=131072k)"],
    ),
    (
        (
            "merge a.ark b.ark -o o.ark",
            &[
                ("input", "a.ark"),
                ("input", "b.ark"),
                ("stages", "unique"),
                ("output", "o.ark"),
            ],
        ),
        &["unique"],
    ),
    (
        (
            "split a.ark o.{part}.ark -n 2",
            &[
                ("input", "a.ark"),
                ("parts", "2 parts"),
                ("output", "; one for each part"),
            ],
        ),
        &[],
    ),
    (
        (
            "repair a.ark -o o.ark",
            &[
                ("input", "what is intact of damaged data is read"),
                ("output", "writes file o.ark"),
            ],
        ),
        &[],
    ),
    (
        (
            "check a.ark,context=1 --labels l.ark",
            &[("input", "with labels from l.ark"), ("labels", "l.ark")],
        ),
        &["context(1,1)"],
    ),
    (
        (
            "plot a.ark -o o.svg --labels l.ark",
            &[
                ("input", "with labels"),
                ("labels", "l.ark"),
                ("output", "a picture; writes file o.svg"),
            ],
        ),
        &[],
    ),
    (
        (
            "report a.ark -o o.html",
            &[("input", "a.ark"), ("output", "a page; writes file o.html")],
        ),
        &[],
    ),
    (
        ("info -r .", &[("input", "surveys all data sets in it")]),
        &[],
    ),
    (
        (
            "report -r . -o o.html",
            &[
                ("input", "in the folders below"),
                ("output", "a page; writes file o.html"),
            ],
        ),
        &[],
    ),
    (("shards plan a.ark --of 2", &[("input", "a.ark")]), &[]),
    (
        (
            "shards merge --no-copy sh.{shard}.scp -o o.scp",
            &[
                ("input", "the script files of 2 shards"),
                ("output", "a script file; writes file o.scp"),
            ],
        ),
        &[],
    ),
    (
        (
            "index a.ark",
            &[
                ("input", "a.ark"),
                ("output", "an index; writes file a.scp"),
            ],
        ),
        &[],
    ),
    (
        (
            "diff a.ark b.ark",
            &[("input", "a.ark"), ("input", "b.ark")],
        ),
        &[],
    ),
];

/// Verbs that read one input and write nothing.
const READING: [&str; 4] = ["info", "ls", "show", "stats"];

/// What a line of JSON says: the argument, the sentence, the steps.
fn said(line: &str) -> (String, String, Vec<String>) {
    let value: Value = serde_json::from_str(line).unwrap();
    let text = |key: &str| value[key].as_str().unwrap().to_owned();
    let steps = value["steps"].as_array().unwrap().iter();
    let steps = steps.map(|step| step.as_str().unwrap().to_owned());
    (text("argument"), text("understood"), steps.collect())
}

fn explains(s: &Scratch, (line, told): Case, steps: &[&str]) {
    let before = s.names();
    let words = s.ok(&format!("{line} --explain"));
    let json = s.ok(&format!("{line} --explain --json"));
    assert_eq!(s.names(), before, "{line}: it does nothing");
    let all: Vec<_> = json.out.lines().map(said).collect();
    let names: Vec<_> = all.iter().map(|(name, ..)| name.as_str()).collect();
    let wanted: Vec<_> = told.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, wanted, "{line}: {}", json.out);
    for ((name, how, _), (_, part)) in all.iter().zip(told) {
        assert!(how.contains(part), "{line}: {how}");
        assert!(words.out.contains(&format!("{name}: {how}\n")), "{line}");
    }
    let built: Vec<_> = all.into_iter().flat_map(|(.., steps)| steps).collect();
    assert_eq!(built, steps, "{line}");
}

#[test]
fn every_verb_is_explained_and_does_nothing() {
    let s = Scratch::new();
    s.write("a.ark", "ann-1  [\n 1 2 ]\nbob-1  [\n 3 4 ]\n");
    s.write("b.ark", "cleo-1  [\n 1 2 ]\n");
    s.write("l.ark", "ann-1 1\nbob-1 2\n");
    s.write("text", "ann-1 a b\nbob-1 c\n");
    s.write("spk", "ann-1 ann\nbob-1 bob\n");
    for n in 1..=2 {
        let shard = format!("a.ark sh.{{shard}}.scp --shard {n}/2 -q");
        s.ok(&shard);
    }
    for (case, steps) in CASES {
        explains(&s, *case, steps);
    }
    for verb in READING {
        let line = format!("{verb} a.ark,context=1 --labels l.ark");
        let line: &'static str = line.leak();
        let told = &[("input", "1 after each"), ("labels", "l.ark")];
        explains(&s, (line, told), &["context(1,1)"]);
    }
}

#[test]
fn every_verb_that_reads_can_be_explained() {
    let s = Scratch::new();
    let told = s.run("formats --explain").err;
    let verbs = told.split("a flag of ").nth(1).unwrap().trim();
    let tried: Vec<_> = CASES
        .iter()
        .filter_map(|((line, _), _)| line.split(' ').next())
        .chain(READING)
        .collect();
    for verb in verbs.split(", ").filter(|verb| *verb != "convert") {
        assert!(tried.contains(&verb), "{verb} is not tried");
    }
    s.ok(&format!("info {} --explain", sample("fbank.scp")));
    for line in ["info -r none", "report -r none -o o.html"] {
        let error = s.fails(&format!("{line} --explain"));
        assert!(error.contains("none: cannot open"), "{error}");
    }
}
