//! Facts as tables for programs that read no JSON.

use serde::Serialize;
use serde_json::Value;
use spr_core::{Error, Result};

/// Returns the single values of facts, each with its name: `labels.max`, `features.0.mean`. What is
/// not known has no text.
pub(super) fn flat(facts: &impl Serialize) -> Result<Vec<(String, String)>> {
    let facts = serde_json::to_value(facts);
    let mut found = Vec::new();
    let facts = facts.map_err(|e| Error::io("cannot write", e.into()))?;
    add("", &facts, &mut found);
    Ok(found)
}

fn add(name: &str, value: &Value, found: &mut Vec<(String, String)>) {
    let below = |part: &str| match name {
        "" => part.to_owned(),
        _ => format!("{name}.{part}"),
    };
    match value {
        Value::Object(fields) => {
            for (part, value) in fields {
                add(&below(part), value, found);
            }
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            for (i, item) in items.iter().enumerate() {
                add(&below(&i.to_string()), item, found);
            }
        }
        _ => found.push((name.to_owned(), word(value))),
    }
}

/// Returns the text of a single value, or of several, joined by `+`.
pub(super) fn word(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(word).collect::<Vec<_>>().join("+"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn facts_are_flat() {
        let facts = json!({
            "kinds": ["features", "labels"],
            "labels": {"min": 0, "max": null},
            "columns": [{"mean": 0.5}, {"mean": 1.5}],
        });
        let flat = flat(&facts).unwrap();
        let flat: Vec<_> = flat.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let want = [
            ("columns.0.mean", "0.5"),
            ("columns.1.mean", "1.5"),
            ("kinds", "features+labels"),
            ("labels.max", ""),
            ("labels.min", "0"),
        ];
        let mut sorted = flat.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, want);
    }
}
