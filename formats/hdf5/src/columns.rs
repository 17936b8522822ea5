//! Attributes without a field in the model, which are columns: of a data set of Hugging Face, a
//! manifest, or a data set of another format.

use std::borrow::Cow;

use serde_json::value::RawValue;
use spr_core::model::{Meta, Tag};
use spr_core::{Error, Result};
use spr_syntax::json::{self, Fields, Object};
use spr_syntax::manifest::columns;

use crate::about;
use crate::attributes::{Attributes, Value};

/// Starts the name of an attribute whose text is JSON: of what is none of the values of attributes.
const JSON: &str = "json:";

/// The columns of an utterance, by the names of attributes.
#[derive(Default)]
pub(crate) struct Columns(Vec<(String, Value)>);

impl Columns {
    /// Adds the attributes without a field, unless there are some of that name, and tells those that can't be columns.
    /// Those that differ are told as well, but for those of groups, which the nearest overrules.
    pub(crate) fn add(
        &mut self,
        attributes: &Attributes,
        is_group: bool,
        mut tell: impl FnMut(&str),
    ) {
        for (name, value) in attributes
            .iter()
            .filter(|(name, _)| about::is_unknown(name))
        {
            let value = value.filter(|value| is_column(value));
            let known = self.0.iter().find(|(other, _)| other == name);
            match (value, known) {
                (Some(value), None) => self.0.push((name.to_owned(), value.clone())),
                (Some(value), Some((_, other))) if is_group || value == other => {}
                _ => tell(name),
            }
        }
    }

    /// Makes them what is known of the utterance.
    ///
    /// # Errors
    /// They make no line of JSON.
    pub(crate) fn finish(self, meta: &mut Meta) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut line = Vec::new();
        let mut fields = Fields::open(&mut line);
        for (name, value) in &self.0 {
            match (name.strip_prefix(JSON), value) {
                (Some(name), Value::Text(text)) if raw(text).is_some() => {
                    fields.raw(name, &String::from_utf8_lossy(text));
                }
                _ => fields.raw(name, &words(value)),
            }
        }
        fields.close();
        columns::read(Object::of_line(&line)?, meta);
        Ok(())
    }
}

/// Returns `true` if a value is one of JSON.
fn is_column(value: &Value) -> bool {
    match value {
        Value::Text(text) => std::str::from_utf8(text).is_ok(),
        _ => true,
    }
}

/// Returns a value as JSON. What is no number is text.
fn words(value: &Value) -> String {
    match value {
        Value::Float(value) if value.is_finite() => format!("{value:?}"),
        Value::Float(value) => quoted(&value.to_string()),
        Value::Text(text) => quoted(&String::from_utf8_lossy(text)),
        Value::Integer(_) | Value::Bool(_) => String::from_utf8_lossy(&value.text()).into_owned(),
    }
}

fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    json::write_text(text, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns the text as JSON that stays the same on a line.
fn raw(text: &[u8]) -> Option<&RawValue> {
    let raw = serde_json::from_slice::<&RawValue>(text).ok()?;
    (raw.get().as_bytes() == text && !raw.get().contains('\n')).then_some(raw)
}

/// Returns the attributes that columns are, with their names.
///
/// # Errors
/// There are two of a name, or one that is not UTF-8 or not JSON, or has a name with a zero byte.
pub(crate) fn attributes(tags: &[Tag]) -> Result<Vec<(String, Value)>> {
    if tags.is_empty() {
        return Ok(Vec::new());
    }
    let mut line = Vec::new();
    let mut fields = Fields::open(&mut line);
    columns::write(tags, |name, _| !about::is_unknown(name), &mut fields)?;
    fields.close();
    let mut all = Vec::new();
    for (name, raw) in Object::of_line(&line)?.rest() {
        if name.contains('\0') {
            let message = format!("the column '{}' has a zero byte", name.escape_debug());
            return Err(Error::unfit(message));
        }
        all.push(attribute(name, raw.get()));
    }
    Ok(all)
}

/// Returns a column as an attribute with a value of its type, or else one with its JSON.
fn attribute(name: Cow<'_, str>, json: &str) -> (String, Value) {
    let value = value(json).filter(|value| words(value) == json);
    match value.filter(|_| !name.is_empty() && !name.starts_with(JSON)) {
        Some(value) => (name.into_owned(), value),
        None => (format!("{JSON}{name}"), Value::Text(json.into())),
    }
}

/// Returns the value that JSON stands for, if it is one of attributes.
fn value(json: &str) -> Option<Value> {
    match json {
        "true" | "false" => Some(Value::Bool(json == "true")),
        _ if json.starts_with('"') => {
            let text: String = serde_json::from_str(json).ok()?;
            (!text.contains('\0')).then(|| Value::Text(text.into()))
        }
        _ if json.contains(['.', 'e', 'E']) => json.parse().ok().map(Value::Float),
        _ => {
            let number: i128 = json.parse().ok()?;
            let fits = i64::try_from(number).is_ok() || u64::try_from(number).is_ok();
            fits.then_some(Value::Integer(number))
        }
    }
}

#[cfg(test)]
mod tests {
    use spr_syntax::manifest::columns::COLUMN;

    use super::*;

    #[test]
    fn columns_come_back_as_they_were() {
        for (json, expected) in [
            ("12", Some(Value::Integer(12))),
            (
                "-9223372036854775808",
                Some(Value::Integer(i64::MIN.into())),
            ),
            (
                "18446744073709551615",
                Some(Value::Integer(u64::MAX.into())),
            ),
            ("18446744073709551616", None),
            ("1.5", Some(Value::Float(1.5))),
            ("1.50", None),
            ("1.0", Some(Value::Float(1.0))),
            ("1e400", None),
            ("-0", None),
            ("true", Some(Value::Bool(true))),
            ("null", None),
            ("[1, 2]", None),
            ("\"far\"", Some(Value::Text(b"far".to_vec()))),
            ("\"\"", Some(Value::Text(Vec::new()))),
            (r#""a\u0000b""#, None),
            (r#""\u0061""#, None),
        ] {
            for name in ["snr", "", "json:x", "text", "a:b"] {
                let tags = [Tag::new(COLUMN, name, json)];
                let made = attributes(&tags).unwrap();
                let is_typed = !made[0].0.starts_with(JSON);
                if let ("snr", Some(value)) = (name, &expected) {
                    assert_eq!(made, [("snr".to_owned(), value.clone())]);
                }
                assert!(!is_typed || expected.is_some(), "{name}: {json}");
                let mut meta = Meta::default();
                Columns(made).finish(&mut meta).unwrap();
                assert_eq!(meta.tags, tags, "{name}: {json}");
            }
        }
        let tags = [Tag::new("kaldi-data", "utt2uniq", "x")];
        let mut meta = Meta::default();
        Columns(attributes(&tags).unwrap())
            .finish(&mut meta)
            .unwrap();
        assert_eq!(meta.tags, tags);
        assert!(attributes(&[Tag::new(COLUMN, "a\0b", "1")]).is_err());
    }
}
