//! What verbs print for programs is as the schemas in `docs/schemas` say.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::json_schema::{faults, folder};
use crate::{Said, Scratch, sample};

/// The schema of a line that `line` prints, which some verbs have several of.
fn name_of<'a>(name: &'a str, object: &Value) -> &'a str {
    match name {
        "check" if object.get("severity").is_some() => "check-finding",
        "info" if object.get("kind").is_some() => "survey",
        name => name,
    }
}

/// Data sets of many sorts, some with faults, and two shards of three.
fn data_sets() -> Scratch {
    let s = Scratch::new();
    s.ok(&format!("{} wav/ --to wav -q", sample("../wav/")));
    s.ok("wav other/ --to wav --dtype f32 --rate 8k -q --allow-loss all");
    s.write("t.txt", "a  [\n  1 nan ]\nb  [\n  3 4 ]\n");
    s.write("u.txt", "b  [\n  3 5 ]\nc  [\n  1 ]\n");
    for (name, text) in [("a.json", "one"), ("b.json", "two")] {
        let line = format!("{{\"audio_filepath\":\"x.wav\",\"duration\":1,\"text\":\"{text}\"}}\n");
        s.write(name, line);
    }
    s.write("x.ctm", "r 1 0 0.5 one\nr 1 0.5 0.25 two\n");
    s.write(
        "bytes.ark",
        b"a\xe9 \0BFM \x04\x01\0\0\0\x04\x01\0\0\0\0\0\x80\x3f",
    );
    s.shell(&format!("head -c 300000 {} > cut.ark", sample("fbank.ark")));
    s.ok(&format!("{} spr/ --to spr -q", sample("fbank.ark")));
    let fbank = sample("fbank.scp");
    for n in 1..=2 {
        s.ok(&format!(
            "convert {fbank} -o s.{{shard}}.ark --shard {n}/3 -q"
        ));
    }
    s
}

/// Commands, each with the schema of what it prints.
fn commands(s: &Scratch) -> Vec<(&'static str, String)> {
    let (fbank, ali) = (sample("fbank.scp"), sample("ali.ark"));
    let spr = fs::read_dir(s.path("spr")).unwrap().next().unwrap();
    let spr = spr.unwrap().path().display().to_string();
    vec![
        (
            "info",
            format!("info {fbank} {ali} wav t.txt x.ctm bytes.ark --json"),
        ),
        ("info", "info wav --quick --json".to_owned()),
        ("survey", "info -r . --json".to_owned()),
        ("show", format!("show {fbank} --head 2 --json")),
        ("jsonl", format!("{ali} - --to jsonl -q")),
        ("ls", format!("ls {fbank} {ali} wav x.ctm bytes.ark --json")),
        (
            "stats",
            format!("stats {fbank} {ali} wav t.txt x.ctm --json"),
        ),
        (
            "stats-by",
            format!("stats {fbank} wav x.ctm bytes.ark --by key,speaker,rate,kinds,file --json"),
        ),
        ("stats-by", format!("stats {ali} x.ctm --by label --json")),
        (
            "check",
            format!("check {fbank} {ali} wav t.txt cut.ark bytes.ark --json --all"),
        ),
        ("check", format!("check {fbank} cut.ark t.txt --json")),
        ("diff", "diff t.txt u.txt --by-key --json".to_owned()),
        ("diff", "diff t.txt bytes.ark --json".to_owned()),
        ("diff", format!("diff {fbank} {fbank} --json")),
        ("diff", "diff wav other --json".to_owned()),
        ("diff", "diff a.json b.json --json --by path".to_owned()),
        ("error", "info gone.ark --json".to_owned()),
        ("error", "info cut.ark --json --nothing".to_owned()),
        (
            "summary",
            format!("{fbank} o.pfile --json --labels {ali} --verify"),
        ),
        (
            "summary",
            format!("{fbank} o.ark --json --dtype f16 --allow-loss all"),
        ),
        (
            "summary",
            format!("split {fbank} part.{{part}}.ark -n 2 --json"),
        ),
        ("document", format!("report {fbank} {ali} -o r.html --json")),
        ("index", "index o.pfile -o again --json".to_owned()),
        ("progress", format!("{fbank} p.ark --progress json -q")),
        (
            "explain",
            format!("{fbank} --frame-shift 0.01 o.pfile --explain --json"),
        ),
        (
            "index",
            format!("index {} -o x.index --json", sample("fbank.ark")),
        ),
        ("header", format!("header {spr} --json")),
        (
            "shards-status",
            "shards status s.{shard}.ark --json".to_owned(),
        ),
        ("shards-plan", format!("shards plan {fbank} --of 3 --json")),
        (
            "shard",
            format!("convert {fbank} -o s.{{shard}}.ark --shard 1/3 --resume --json"),
        ),
        (
            "shard",
            format!("convert {fbank} -o s.{{shard}}.ark --shard 2/3 --resume=verify --json"),
        ),
    ]
}

/// Checks the objects in the lines of `text`, and returns the names of their schemas.
fn check_lines<'a>(text: &str, name: &'a str, what: &str) -> Vec<&'a str> {
    let objects = text.lines().filter(|line| line.starts_with('{'));
    let names = objects.map(|object| {
        let object: Value = serde_json::from_str(object).unwrap();
        let name = name_of(name, &object);
        let found = faults(&object, name);
        assert!(found.is_empty(), "{what}: {}", found.join("\n"));
        name
    });
    names.collect()
}

#[test]
fn objects_are_as_their_schemas_say() {
    let s = data_sets();
    let fbank = sample("fbank.scp");
    let mut tried = BTreeSet::new();
    for (name, line) in &commands(&s) {
        let said = s.run(line);
        let printed = match *name {
            "error" | "progress" => &said.err,
            _ => &said.out,
        };
        let names = check_lines(printed, name, line);
        assert!(!names.is_empty(), "{line}: {}{}", said.out, said.err);
        tried.extend(names);
    }
    // A report and the list of formats are over several lines, a log has a line an error.
    s.ok(&format!("{fbank} r.ark --report r.json -q"));
    let report = serde_json::from_slice(&s.read("r.json")).unwrap();
    let formats: Value = serde_json::from_str(&s.ok("formats --json").out).unwrap();
    let formats = formats.as_array().unwrap().iter();
    let objects = formats.map(|format| ("formats", format.clone()));
    for (name, object) in objects.chain([("summary", report)]) {
        let found = faults(&object, name);
        assert!(found.is_empty(), "{name}: {}", found.join("\n"));
        tried.insert(name);
    }
    for (line, name) in [
        ("cut.ark c.ark --on-error skip", "error"),
        ("check cut.ark t.txt", "check-finding"),
    ] {
        s.run(&format!("{line} --error-log {name}.jsonl -q"));
        let log = String::from_utf8(s.read(&format!("{name}.jsonl"))).unwrap();
        assert!(!check_lines(&log, name, line).is_empty());
    }
    let files = fs::read_dir(folder()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let names: Vec<_> = names
        .map(|name| name.trim_end_matches(".json").to_owned())
        .collect();
    let names: BTreeSet<_> = names.iter().map(String::as_str).collect();
    assert_eq!(tried, names, "each schema is tried");
    let page = fs::read_to_string(folder().with_file_name("arguments.md")).unwrap();
    for name in names {
        let link = format!("](schemas/{name}.json)");
        assert!(page.contains(&link), "arguments.md has no {link}");
    }
}

/// The folders in a folder, sorted.
fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(of).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The fixtures of a format that can be read: a script file, or else the one file or folder.
fn fixtures(format: &Path) -> Vec<String> {
    let cases = folders(format).into_iter();
    let cases = cases.filter(|case| case.join("expect.jsonl").exists());
    let inputs = cases.map(|case| {
        let script = case.join("input.scp");
        let entries = fs::read_dir(&case).unwrap();
        let mut entries = entries.map(|entry| entry.unwrap().path()).filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with("input") && !name.ends_with(".utt2num_frames")
        });
        match script.exists() {
            true => script,
            false => entries.next().unwrap(),
        }
    });
    inputs
        .map(|path| path.to_str().unwrap().to_owned())
        .collect()
}

/// Runs a verb over the inputs, and returns what it printed.
fn printed(s: &Scratch, verb: &str, inputs: &[String]) -> Said {
    let mut args: Vec<_> = verb.split(' ').collect();
    args.extend(inputs.iter().map(String::as_str));
    args.push("--json");
    s.run_args(&args)
}

#[test]
fn all_fixtures_are_told_as_the_schemas_say() {
    let s = Scratch::new();
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    for format in folders(&root) {
        // The one case of pdnn is of data options, and hf is for little-endian machines.
        let left_out =
            format.ends_with("pdnn") || (format.ends_with("hf") && cfg!(target_endian = "big"));
        if left_out {
            continue;
        }
        let inputs = fixtures(&format);
        if inputs.is_empty() {
            continue;
        }
        let name = format.display();
        for (schema, verb) in [
            ("info", "info"),
            ("info", "info --quick"),
            ("ls", "ls"),
            ("stats", "stats"),
            ("check", "check --all"),
        ] {
            let said = printed(&s, verb, &inputs);
            let names = check_lines(&said.out, schema, &format!("{verb} {name}"));
            assert!(names.len() >= inputs.len(), "{verb} {name}: {}", said.err);
            check_lines(&said.err, "error", &format!("{verb} {name}"));
        }
        let folder = format.to_str().unwrap().to_owned();
        let said = printed(&s, "info -r", &[folder]);
        assert!(!check_lines(&said.out, "survey", "info -r").is_empty());
        if format.ends_with("spraak") {
            let said = printed(&s, "header", &inputs);
            assert!(!check_lines(&said.out, "header", "header").is_empty());
        }
        for input in inputs {
            let said = printed(&s, "show", std::slice::from_ref(&input));
            check_lines(&said.out, "show", &format!("show {input}"));
            assert_eq!(said.status, 0, "{input}: {}", said.err);
        }
    }
}

#[test]
fn what_show_prints_is_read_again() {
    let s = Scratch::new();
    let shown = s.ok(&format!("show {} --json", sample("ali.ark"))).out;
    s.write("shown.jsonl", &shown);
    assert!(
        s.ok(&format!("diff shown.jsonl {}", sample("ali.ark")))
            .out
            .is_empty()
    );
    let one = s.ok("show shown.jsonl ann-002 --json").out;
    assert!(!one.is_empty() && shown.contains(&one));
    s.ok("shown.jsonl again.jsonl,schema=true -q");
    assert_eq!(s.read("again.jsonl"), shown.into_bytes());
    s.ok("shown.jsonl plain.jsonl -q");
    assert!(s.read("plain.jsonl").starts_with(b"{\"key\":"));
}
