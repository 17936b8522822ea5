//! What verbs print for programs is as the schemas in `docs/schemas` say.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::{Scratch, sample};

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/schemas"))
}

fn schema(name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder().join(format!("{name}.json"))).unwrap()).unwrap()
}

/// The name of a value's type; whole numbers are numbers, too.
fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type {other}"),
    }
}

/// What is wrong with a value by a schema of the words that ours have.
fn faults(value: &Value, schema: &Value, at: &str, found: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else {
        return;
    };
    for word in schema.keys() {
        let known = [
            "$schema",
            "$id",
            "title",
            "description",
            "type",
            "const",
            "required",
            "properties",
            "additionalProperties",
            "items",
        ];
        assert!(known.contains(&word.as_str()), "{at}: the word {word}");
    }
    let names: Vec<_> = match schema.get("type") {
        None => Vec::new(),
        Some(Value::String(name)) => vec![name.as_str()],
        Some(names) => {
            let names = names.as_array().unwrap().iter();
            names.map(|name| name.as_str().unwrap()).collect()
        }
    };
    if !names.is_empty() && !names.iter().any(|name| is_of_type(value, name)) {
        found.push(format!("{at}: {value} is not of {names:?}"));
    }
    if schema.get("const").is_some_and(|only| only != value) {
        found.push(format!("{at}: {value}"));
    }
    if let Some(object) = value.as_object() {
        of_object(object, schema, at, found);
    }
    for (n, item) in value.as_array().into_iter().flatten().enumerate() {
        if let Some(items) = schema.get("items") {
            faults(item, items, &format!("{at}[{n}]"), found);
        }
    }
}

fn of_object(
    object: &Map<String, Value>,
    schema: &Map<String, Value>,
    at: &str,
    found: &mut Vec<String>,
) {
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten() {
        if !object.contains_key(name.as_str().unwrap()) {
            found.push(format!("{at}: has no {name}"));
        }
    }
    for (name, value) in object {
        let at = format!("{at}.{name}");
        let own = schema.get("properties").and_then(|all| all.get(name));
        match (own, schema.get("additionalProperties")) {
            (Some(own), _) => faults(value, own, &at, found),
            (None, Some(Value::Bool(false))) => found.push(format!("{at}: is not in the schema")),
            (None, Some(others)) => faults(value, others, &at, found),
            (None, None) => {}
        }
    }
}

/// The schema of a line that `line` prints, which some verbs have several of.
fn name_of<'a>(name: &'a str, object: &Value) -> &'a str {
    match name {
        "check" if object.get("severity").is_some() => "check-finding",
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
    ]
}

#[test]
fn objects_are_as_their_schemas_say() {
    let s = data_sets();
    let fbank = sample("fbank.scp");
    let mut tried = BTreeSet::from(["survey"]);
    for (name, line) in &commands(&s) {
        let said = s.run(line);
        let printed = match *name {
            "error" | "progress" => &said.err,
            _ => &said.out,
        };
        let objects = printed.lines().filter(|line| line.starts_with('{'));
        let mut count = 0;
        for object in objects {
            let object: Value = serde_json::from_str(object).unwrap();
            let name = name_of(name, &object);
            tried.insert(name);
            count += 1;
            let mut found = Vec::new();
            faults(&object, &schema(name), name, &mut found);
            assert!(found.is_empty(), "{line}: {}", found.join("\n"));
        }
        assert!(count > 0, "{line}: {}{}", said.out, said.err);
    }
    // A report is over several lines, a log has a line an error.
    s.ok(&format!("{fbank} r.ark --report r.json -q"));
    let report: Value = serde_json::from_slice(&s.read("r.json")).unwrap();
    s.run("cut.ark c.ark --on-error skip --error-log e.jsonl -q");
    let log = String::from_utf8(s.read("e.jsonl")).unwrap();
    let logged: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    for (name, object) in [("summary", report), ("error", logged)] {
        let mut found = Vec::new();
        faults(&object, &schema(name), name, &mut found);
        assert!(found.is_empty(), "{name}: {}", found.join("\n"));
    }
    let files = fs::read_dir(folder()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let names: Vec<_> = names
        .map(|name| name.trim_end_matches(".json").to_owned())
        .collect();
    let names: BTreeSet<_> = names.iter().map(String::as_str).collect();
    assert_eq!(tried, names, "each schema is tried");
}

#[test]
fn a_schema_finds_faults() {
    let object: Value = serde_json::from_str("{\"schema\":2,\"input\":1,\"more\":0}").unwrap();
    let mut found = Vec::new();
    faults(&object, &schema("index"), "index", &mut found);
    // The version, the type, the other field, and two that are missing.
    assert_eq!(found.len(), 5, "{}", found.join("\n"));
}
