//! JSON objects that preserve the order of fields and the spelling of numbers.

mod fields;

pub use fields::Fields;

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use spr_core::model::Decimal;
use spr_core::{Error, ErrorKind, Result};

/// The fields of an object that have not been taken yet, in order.
#[derive(Debug, Default)]
pub struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut fields: Vec<(Cow<'de, str>, &'de RawValue)> = Vec::new();
                while let Some((Text(name), value)) = map.next_entry::<Text<'de>, _>()? {
                    if fields.iter().any(|(other, _)| *other == name) {
                        let message = format!("the field '{}' appears twice", name.escape_debug());
                        return Err(serde::de::Error::custom(message));
                    }
                    fields.push((name, value));
                }
                Ok(Object(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

impl<'a> Object<'a> {
    /// Parses a line.
    ///
    /// # Errors
    /// It is none, or a field appears twice in it.
    pub fn of_line(line: &'a [u8]) -> Result<Self> {
        if line.trim_ascii_start().starts_with(b"[") {
            let message = "starts a JSON array, expected one JSON object per line";
            let error = Error::new(ErrorKind::Unsupported, message);
            return Err(error.hint("`jq -c '.[]' FILE` writes a line for each object of an array"));
        }
        serde_json::from_slice(line).map_err(|e| syntax_error(&e, line))
    }

    /// Parses the value of the field `what` as an object.
    ///
    /// # Errors
    /// It is none.
    pub fn of(raw: &'a RawValue, what: &str) -> Result<Self> {
        parse(raw, what, "an object")
    }

    /// Takes a field; null counts as missing.
    pub fn take(&mut self, name: &str) -> Option<&'a RawValue> {
        let at = self.0.iter().position(|(own, _)| own == name)?;
        let (_, value) = self.0.remove(at);
        (value.get() != "null").then_some(value)
    }

    /// Takes a required field.
    ///
    /// # Errors
    /// It is not.
    pub fn require(&mut self, name: &str) -> Result<&'a RawValue> {
        self.take(name)
            .ok_or_else(|| Error::malformed(format!("has no {name}")))
    }

    /// Takes a field if `read` accepts it; otherwise it stays.
    pub fn take_if<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&'a RawValue) -> Option<T>,
    ) -> Option<T> {
        let at = self.0.iter().position(|(own, _)| own == name)?;
        let value = read(self.0[at].1)?;
        self.0.remove(at);
        Some(value)
    }

    /// Returns `true` if the field exists.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
    }

    /// Returns the fields that were not taken, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (&**name, *value))
    }

    /// Returns the fields that were not taken, and gives up the object.
    pub fn rest(self) -> impl Iterator<Item = (Cow<'a, str>, &'a RawValue)> {
        self.0.into_iter()
    }
}

/// Returns the first bytes of a file from where JSON starts, if they start with an object or a list, or
/// with one line of other text before an object: a line at fault does not change what a file is held
/// for.
pub fn start(head: &[u8]) -> Option<&[u8]> {
    let head = head.trim_ascii_start();
    if matches!(head.first(), Some(b'{' | b'[')) {
        return Some(head);
    }
    let end = memchr::memchr(b'\n', head)?;
    let (first, rest) = head.split_at(end);
    let rest = rest.trim_ascii_start();
    let is_text = !first
        .iter()
        .any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace());
    let is_foreign = first.starts_with(b"<") || first.starts_with(b"#!");
    let opens = rest.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    let is_object = opens.is_some_and(|fields| fields.starts_with(b"\""));
    (is_text && !is_foreign && is_object).then_some(rest)
}

/// Returns `true` if the first bytes of a file contain this field name.
pub fn names(text: &[u8], name: &str) -> bool {
    let quoted = format!("\"{name}\"");
    memchr::memmem::find(text, quoted.as_bytes()).is_some()
}

/// Parses a value of a type that serde supports; `expected` names the type in errors.
///
/// # Errors
/// It is not of that type.
pub fn parse<'a, T: Deserialize<'a>>(raw: &'a RawValue, what: &str, expected: &str) -> Result<T> {
    serde_json::from_str(raw.get())
        .map_err(|_| Error::malformed(format!("{what} is not {expected}: {}", excerpt(raw.get()))))
}

/// Parses a string.
///
/// # Errors
/// It is none.
pub fn text<'a>(raw: &'a RawValue, what: &str) -> Result<Cow<'a, str>> {
    let Text(text) = parse(raw, what, "text")?;
    Ok(text)
}

/// Parses a string, or returns the digits of an integer.
pub fn name<'a>(raw: &'a RawValue) -> Option<Cow<'a, str>> {
    let written = raw.get();
    match written.parse::<i64>() {
        Ok(_) => Some(Cow::Borrowed(written)),
        Err(_) => text(raw, "").ok(),
    }
}

/// Returns `true` if text is a JSON number.
pub fn is_number(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok_and(|raw| raw.get() == text)
        && text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
}

/// Parses a number without loss.
///
/// # Errors
/// It is none, or has an exponent beyond all measure.
pub fn decimal(raw: &RawValue, what: &str) -> Result<Decimal> {
    let written = raw.get();
    let number = written.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let decimal = number.then(|| Decimal::parse(written)).flatten();
    decimal.ok_or_else(|| Error::malformed(format!("{what} is not a number: {}", excerpt(written))))
}

/// Parses a number of seconds.
///
/// # Errors
/// It is none, or negative.
pub fn time(raw: &RawValue, what: &str) -> Result<Decimal> {
    let time = decimal(raw, what)?;
    match time.is_negative() {
        true => Err(Error::malformed(format!("{what} is negative: {time}"))),
        false => Ok(time),
    }
}

/// Parses an integer, which may be written as `16000.0`.
///
/// # Errors
/// It is none, or negative, or too large.
pub fn count<T: TryFrom<i64>>(raw: &RawValue, what: &str) -> Result<T> {
    let (digits, power) = decimal(raw, what)?.in_lowest_terms();
    let power = u32::try_from(power).ok();
    let whole = power.and_then(|power| digits.checked_mul(10i128.checked_pow(power)?));
    let whole = whole.and_then(|whole| i64::try_from(whole).ok());
    let fits = whole.and_then(|whole| T::try_from(whole).ok());
    fits.ok_or_else(|| {
        let message = format!("{what} is not a count: {}", excerpt(raw.get()));
        Error::malformed(message)
    })
}

/// Shortens a value for a message.
fn excerpt(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Converts an error of the parser, with the byte of the line instead of line and column.
fn syntax_error(error: &serde_json::Error, line: &[u8]) -> Error {
    if error.classify() == Category::Eof {
        let message = format!(
            "the line ends after {} bytes, inside the object",
            line.len()
        );
        return Error::truncated(message);
    }
    let text = error.to_string();
    let message = text.rfind(" at line ").map_or(&*text, |end| &text[..end]);
    Error::malformed(format!("byte {} of the line: {message}", error.column()))
}

/// Appends text as a string.
pub fn write_text(text: &str, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let _ = serde_json::to_writer(out, text);
}

/// Appends a time with the necessary digits and always with a point, so that programs that infer
/// types see one type in a column.
pub fn write_time(time: Decimal, out: &mut Vec<u8>) {
    let text = time.trimmed().to_string();
    out.extend_from_slice(text.as_bytes());
    if !text.contains(['.', 'e']) {
        out.extend_from_slice(b".0");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn fields_keep_their_order_and_spelling() {
        let line = br#" {"b": 1.50, "a": null, "\u00e9": [1e3 ,2]} "#;
        let mut object = Object::of_line(line).unwrap();
        assert!(object.has("b") && !object.has("e"));
        assert!(object.take("a").is_none() && !object.has("a"));
        let rest: Vec<_> = object
            .rest()
            .map(|(k, v)| (k.into_owned(), v.get()))
            .collect();
        assert_eq!(
            rest,
            [("b".to_owned(), "1.50"), ("é".to_owned(), "[1e3 ,2]")]
        );
    }

    #[test]
    fn lines_that_are_no_object() {
        for (line, message) in [
            ("[1]", "starts a JSON array, expected one JSON object"),
            (
                "1",
                "byte 1 of the line: invalid type: integer `1`, expected an object",
            ),
            (r#"{"a":1,"a":2}"#, "the field 'a' appears twice"),
            (
                r#"{"a":1"#,
                "the line ends after 6 bytes, inside the object",
            ),
            (r#"{"a":NaN}"#, "byte 6 of the line: expected value"),
            (r#"{"a":1} x"#, "byte 9 of the line: trailing characters"),
        ] {
            let error = Object::of_line(line.as_bytes()).unwrap_err();
            assert!(error.message().contains(message), "{line}: {error}");
        }
    }

    #[test]
    fn numbers_are_what_they_should_be() {
        assert_eq!(count::<u32>(&raw("16000.0"), "x").unwrap(), 16000);
        assert_eq!(count::<u32>(&raw("8e3"), "x").unwrap(), 8000);
        for text in ["-1", "1.5", "1e40", "99999999999", "\"1\"", "null"] {
            assert!(count::<u32>(&raw(text), "x").is_err(), "{text}");
        }
        assert_eq!(time(&raw("0.450"), "x").unwrap().to_string(), "0.450");
        for text in ["-0.1", "\"0.5\"", "[0]", "1e999"] {
            assert!(time(&raw(text), "x").is_err(), "{text}");
        }
        assert_eq!(name(&raw("7")).unwrap(), "7");
        assert!(name(&raw("7.5")).is_none());
    }

    #[test]
    fn times_are_short_and_of_one_type() {
        for (time, text) in [
            ("0.450", "0.45"),
            ("1", "1.0"),
            ("0", "0.0"),
            ("1e2", "100.0"),
        ] {
            let mut out = Vec::new();
            write_time(Decimal::parse(time).unwrap(), &mut out);
            assert_eq!(out, text.as_bytes());
        }
    }
}
