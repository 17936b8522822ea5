//! The schemas of `docs/schemas`, and what is wrong with a value by one of them.

use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value};

/// The words that our schemas have.
const WORDS: [&str; 19] = [
    "$schema",
    "$id",
    "$defs",
    "$ref",
    "title",
    "description",
    "type",
    "const",
    "enum",
    "anyOf",
    "oneOf",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "minItems",
    "maxItems",
    "minimum",
    "exclusiveMinimum",
];

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/schemas"))
}

fn read(file: &str) -> Value {
    serde_json::from_slice(&fs::read(folder().join(file)).unwrap()).unwrap()
}

/// What is wrong with a value by the schema of this name.
pub(crate) fn faults(value: &Value, name: &str) -> Vec<String> {
    let whole = read(&format!("{name}.json"));
    let mut found = Vec::new();
    of_value(value, &whole, &whole, name, &mut found);
    found
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

/// Follows a reference to a part of `whole`, or to another file; returns the part and its whole.
fn referred(reference: &str, whole: &Value) -> (Value, Value) {
    match reference.strip_prefix('#') {
        Some(part) => (whole.pointer(part).unwrap().clone(), whole.clone()),
        None => (read(reference), read(reference)),
    }
}

fn of_value(value: &Value, schema: &Value, whole: &Value, at: &str, found: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else {
        return;
    };
    for word in schema.keys() {
        assert!(WORDS.contains(&word.as_str()), "{at}: the word {word}");
    }
    if let Some(reference) = schema.get("$ref") {
        let (part, whole) = referred(reference.as_str().unwrap(), whole);
        of_value(value, &part, &whole, at, found);
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
    let all = schema.get("enum").and_then(Value::as_array);
    let is_other = schema.get("const").is_some_and(|only| only != value);
    if is_other || all.is_some_and(|all| !all.contains(value)) {
        found.push(format!("{at}: {value}"));
    }
    of_number(value, schema, at, found);
    of_choice(value, schema, whole, at, found);
    if let Some(object) = value.as_object() {
        of_object(object, schema, whole, at, found);
    }
    if let Some(list) = value.as_array() {
        let bound = |word| schema.get(word).and_then(Value::as_u64);
        let range = bound("minItems").unwrap_or(0)..=bound("maxItems").unwrap_or(u64::MAX);
        if !range.contains(&(list.len() as u64)) {
            found.push(format!("{at}: {} items", list.len()));
        }
        for (n, item) in list.iter().enumerate() {
            if let Some(items) = schema.get("items") {
                of_value(item, items, whole, &format!("{at}[{n}]"), found);
            }
        }
    }
}

fn of_number(value: &Value, schema: &Map<String, Value>, at: &str, found: &mut Vec<String>) {
    let bound = |word| schema.get(word).and_then(Value::as_f64);
    if let Some(number) = value.as_f64() {
        let low = bound("minimum").is_some_and(|least| number < least);
        let not_above = bound("exclusiveMinimum").is_some_and(|least| number <= least);
        if low || not_above {
            found.push(format!("{at}: {number} is too small"));
        }
    }
}

/// `anyOf` and `oneOf`; the faults are those of the choice with the fewest.
fn of_choice(
    value: &Value,
    schema: &Map<String, Value>,
    whole: &Value,
    at: &str,
    found: &mut Vec<String>,
) {
    for word in ["anyOf", "oneOf"] {
        let Some(choices) = schema.get(word).and_then(Value::as_array) else {
            continue;
        };
        let tried = choices.iter().map(|choice| {
            let mut faults = Vec::new();
            of_value(value, choice, whole, at, &mut faults);
            faults
        });
        let tried: Vec<_> = tried.collect();
        let fitting = tried.iter().filter(|faults| faults.is_empty()).count();
        if fitting == 0 {
            found.extend(tried.into_iter().min_by_key(Vec::len).unwrap());
        } else if fitting > 1 && word == "oneOf" {
            found.push(format!("{at}: fits {fitting} of {word}"));
        }
    }
}

fn of_object(
    object: &Map<String, Value>,
    schema: &Map<String, Value>,
    whole: &Value,
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
            (Some(own), _) => of_value(value, own, whole, &at, found),
            (None, Some(Value::Bool(false))) => found.push(format!("{at}: is not in the schema")),
            (None, Some(others)) => of_value(value, others, whole, &at, found),
            (None, None) => {}
        }
    }
}

#[test]
fn a_schema_finds_faults() {
    let faults_of = |text: &str, name| faults(&serde_json::from_str(text).unwrap(), name);
    // The version, the type, the other field, and two that are missing.
    let found = faults_of("{\"schema\":2,\"input\":1,\"more\":0}", "index");
    assert_eq!(found.len(), 5, "{}", found.join("\n"));
    let line = r#"{"key":"a","features":null,"labels":[1,"nan"],"meta":{"tags":[["a","b","c"]]}}"#;
    assert_eq!(faults_of(line, "jsonl"), [""; 0]);
    assert_eq!(faults_of(line, "show"), ["show: has no \"schema\""]);
    for (right, wrong) in [("\"nan\"", "\"nun\""), ("\"c\"]", "\"c\",\"d\"]")] {
        let found = faults_of(&line.replace(right, wrong), "jsonl");
        assert_eq!(found.len(), 1, "{}", found.join("\n"));
    }
}
