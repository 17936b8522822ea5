//! The card of a data set: `README.md`, with YAML at its head.

use std::fmt::Write;

use spr_core::bytes::{Env, Location};
use spr_core::model::About;
use spr_core::{Error, Result};

use crate::about::CARD;
use crate::json::Json;

/// The line around the head.
const FENCE: &str = "---";
/// The parts of the head that are made anew.
const MADE: [&str; 2] = ["dataset_info", "configs"];
const LICENSE: &str = "license";

/// What a card says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Card {
    license: Option<String>,
    /// The text below the head.
    description: Option<String>,
    /// The other lines of the head.
    others: String,
}

/// Reads a card, which may be missing.
///
/// # Errors
/// It can't be read, or is too long.
pub(crate) fn read(at: &Location, env: &Env) -> Result<Card> {
    if !env.exists(at) {
        return Ok(Card::default());
    }
    let mut source = env.open_file(at)?;
    let bytes = source.rest("the card", &env.limits)?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| Error::malformed("is not UTF-8").file(at.to_string()))?;
    Ok(Card::of(&text.replace("\r\n", "\n")))
}

impl Card {
    fn of(text: &str) -> Self {
        let mut card = Self::default();
        let head = text
            .strip_prefix(FENCE)
            .and_then(|rest| rest.strip_prefix('\n'));
        let parts = head.and_then(|rest| {
            let end = format!("\n{FENCE}\n");
            let is_whole = || {
                rest.strip_suffix(&format!("\n{FENCE}"))
                    .map(|head| (head, ""))
            };
            rest.split_once(&end).or_else(is_whole)
        });
        let (head, body) = parts.unwrap_or(("", text));
        let body = body.trim_matches('\n');
        card.description = (!body.is_empty()).then(|| body.to_owned());
        let mut is_kept = true;
        for line in head.lines() {
            if let Some((name, value)) = entry(line) {
                is_kept = !MADE.contains(&name);
                let value = value.trim().trim_matches(['"', '\'']);
                if name == LICENSE && is_plain(value) {
                    card.license = Some(value.to_owned());
                    is_kept = false;
                }
            }
            if is_kept {
                card.others.push_str(line);
                card.others.push('\n');
            }
        }
        card
    }

    /// Adds what the card says to what the files say.
    pub(crate) fn add_to(&self, about: &mut About) {
        about.license = self.license.clone().or(about.license.take());
        about.description = self.description.clone().or(about.description.take());
        if !self.others.is_empty() {
            about.other.insert(CARD.to_owned(), self.others.clone());
        }
    }
}

/// Splits a line at the head's own level into its name and value.
fn entry(line: &str) -> Option<(&str, &str)> {
    let begins = line.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    line.split_once(':').filter(|_| begins)
}

/// Returns `true` for a value that stands on one line without quotes.
fn is_plain(value: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    !value.is_empty() && value.chars().all(inside)
}

/// Appends text as YAML: in double quotes as JSON, which YAML reads as well.
fn quoted(text: &str) -> String {
    Json::text(text).to_string()
}

/// Makes a card of the descriptions of columns, and of the splits with their rows.
pub(crate) fn make(features: &[(String, Json)], splits: &[(String, u64)], about: &About) -> String {
    let mut text = format!("{FENCE}\n");
    if let Some(license) = &about.license {
        let license = match is_plain(license) {
            true => license.clone(),
            false => quoted(license),
        };
        text.push_str(&format!("{LICENSE}: {license}\n"));
    }
    text.push_str(about.other.get(CARD).map_or("", String::as_str));
    text.push_str("dataset_info:\n  features:\n");
    for (name, told) in features {
        let _ = writeln!(text, "  - name: {}", quoted(name));
        kind(told, 4, &mut text);
    }
    text.push_str("  splits:\n");
    for (split, rows) in splits {
        let _ = writeln!(text, "  - name: {split}\n    num_examples: {rows}");
    }
    text.push_str("configs:\n- config_name: default\n  data_files:\n");
    for (split, _) in splits {
        let _ = writeln!(text, "  - split: {split}\n    path: data/{split}-*");
    }
    let _ = writeln!(text, "{FENCE}");
    if let Some(description) = &about.description {
        let _ = write!(text, "\n{description}\n");
    }
    text
}

/// Appends the type of a column or of the items of a list.
fn kind(told: &Json, indent: usize, text: &mut String) {
    let lead = " ".repeat(indent);
    let named = told.get("_type").and_then(Json::as_str);
    match (named, told) {
        (Some("Value"), _) => {
            let word = told.get("dtype").and_then(Json::as_str).unwrap_or_default();
            let _ = writeln!(text, "{lead}dtype: {word}");
        }
        (Some("List" | "Sequence" | "LargeList"), _) => {
            let word = if named == Some("LargeList") {
                "large_list"
            } else {
                "list"
            };
            items(word, told.get("feature"), indent, text);
            let length = told.get("length").and_then(Json::as_int);
            if let Some(length) = length.filter(|length| *length >= 0) {
                let _ = writeln!(text, "{lead}length: {length}");
            }
        }
        (None, Json::List(several)) => items("list", several.first(), indent, text),
        (None, Json::Map(fields)) => {
            let _ = writeln!(text, "{lead}struct:");
            members(fields, indent, text);
        }
        (Some(name), Json::Map(facts)) => {
            let word = snake(name);
            let _ = writeln!(text, "{lead}dtype:");
            let facts = facts.iter().filter(|(name, _)| *name != "_type");
            let facts: Vec<_> = facts.cloned().collect();
            match told.get("names").and_then(Json::items) {
                Some(names) if name == "ClassLabel" => {
                    let _ = writeln!(text, "{lead}  {word}:\n{lead}    names:");
                    for (n, class) in names.iter().enumerate() {
                        let _ = writeln!(text, "{lead}      '{n}': {class}");
                    }
                }
                _ if facts.is_empty() => {
                    text.truncate(text.trim_end().len());
                    let _ = writeln!(text, " {word}");
                }
                _ => {
                    let _ = writeln!(text, "{lead}  {word}: {}", Json::Map(facts));
                }
            }
        }
        _ => {}
    }
}

/// Appends the items of a list: a word where one is enough.
fn items(word: &str, item: Option<&Json>, indent: usize, text: &mut String) {
    let lead = " ".repeat(indent);
    let Some(item) = item else { return };
    let named = item.get("_type").and_then(Json::as_str);
    match (named, item) {
        (Some("Value"), _) => {
            let dtype = item.get("dtype").and_then(Json::as_str).unwrap_or_default();
            let _ = writeln!(text, "{lead}{word}: {dtype}");
        }
        (None, Json::Map(fields)) => {
            let _ = writeln!(text, "{lead}{word}:");
            members(fields, indent, text);
        }
        _ => {
            let _ = writeln!(text, "{lead}{word}:");
            kind(item, indent + 2, text);
        }
    }
}

fn members(fields: &[(String, Json)], indent: usize, text: &mut String) {
    let lead = " ".repeat(indent);
    for (name, told) in fields {
        let _ = writeln!(text, "{lead}- name: {}", quoted(name));
        kind(told, indent + 2, text);
    }
}

/// Returns the name of a type as cards write it: `ClassLabel` is `class_label`, `Array2D` is
/// `array2_d`.
fn snake(name: &str) -> String {
    let mut word = String::new();
    for (n, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && n > 0 {
            word.push('_');
        }
        word.extend(letter.to_lowercase());
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_come_back() {
        let text = "---\nlanguage:\n- en\nlicense: cc0-1.0\ndataset_info:\n  features:\n  - name: id\n\
                    configs:\n- config_name: default\ntags:\n- a: b\n---\n\n# Title\n\nMore.\n";
        let card = Card::of(text);
        assert_eq!(card.license.as_deref(), Some("cc0-1.0"));
        assert_eq!(card.description.as_deref(), Some("# Title\n\nMore."));
        assert_eq!(card.others, "language:\n- en\ntags:\n- a: b\n");
        let mut about = About::default();
        card.add_to(&mut about);
        let made = make(&[], &[("train".to_owned(), 3)], &about);
        assert_eq!(Card::of(&made), card);
        about.license = Some("see: the page".to_owned());
        let made = make(&[], &[], &about);
        assert!(
            made.starts_with("---\nlicense: \"see: the page\"\n"),
            "{made}"
        );
        assert_eq!(
            Card::of("just text").description.as_deref(),
            Some("just text")
        );
        assert_eq!(
            Card::of("---\nlicense: x\n---").license.as_deref(),
            Some("x")
        );
    }

    #[test]
    fn types_have_their_words() {
        let features = r#"{
            "id": {"dtype": "string", "_type": "Value"},
            "audio": {"sampling_rate": 8000, "_type": "Audio"},
            "plain": {"_type": "Audio"},
            "gender": {"names": ["f", "m"], "_type": "ClassLabel"},
            "fbank": {"feature": {"feature": {"dtype": "float32", "_type": "Value"},
                      "length": 4, "_type": "Sequence"}, "_type": "Sequence"},
            "segments": [{"start": {"dtype": "float64", "_type": "Value"}}],
            "fixed": {"shape": [38, 4], "dtype": "float32", "_type": "Array2D"},
            "large": {"feature": {"dtype": "int8", "_type": "Value"}, "_type": "LargeList"},
            "pair": {"a": {"dtype": "bool", "_type": "Value"}, "b": [{"dtype": "string", "_type": "Value"}]}
        }"#;
        let features = Json::parse(features).unwrap();
        let made = make(features.members().unwrap(), &[], &About::default());
        for part in [
            "  - name: \"id\"\n    dtype: string\n",
            "    dtype:\n      audio: {\"sampling_rate\": 8000}\n",
            "    dtype: audio\n",
            "      class_label:\n        names:\n          '0': \"f\"\n",
            "    list:\n      list: float32\n      length: 4\n",
            "    list:\n    - name: \"start\"\n      dtype: float64\n",
            "      array2_d: ",
            "    large_list: int8\n",
            "    struct:\n    - name: \"a\"\n      dtype: bool\n    - name: \"b\"\n      list: string\n",
        ] {
            assert!(made.contains(part), "{part}\n{made}");
        }
    }
}
