//! JSON objects whose fields keep their order and the spelling of their numbers.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use spr_core::model::Decimal;
use spr_core::{Error, Result};

/// The fields of an object that nobody has taken yet, in their order.
#[derive(Debug, Default)]
pub(crate) struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

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
    /// The object that a line is.
    ///
    /// # Errors
    /// It is none, or a field appears twice in it.
    pub(crate) fn of_line(line: &'a [u8]) -> Result<Self> {
        serde_json::from_slice(line).map_err(|e| syntax_error(&e, line))
    }

    /// The object that a value of the field `what` is.
    ///
    /// # Errors
    /// It is none.
    pub(crate) fn of(raw: &'a RawValue, what: &str) -> Result<Self> {
        parse(raw, what, "an object")
    }

    /// Takes a field; null is none.
    pub(crate) fn take(&mut self, name: &str) -> Option<&'a RawValue> {
        let at = self.0.iter().position(|(own, _)| own == name)?;
        let (_, value) = self.0.remove(at);
        (value.get() != "null").then_some(value)
    }

    /// Takes a field that must be there.
    ///
    /// # Errors
    /// It is not.
    pub(crate) fn require(&mut self, name: &str) -> Result<&'a RawValue> {
        self.take(name)
            .ok_or_else(|| Error::malformed(format!("has no {name}")))
    }

    /// Takes a field if it is of a sort that `read` knows; else it stays.
    pub(crate) fn take_if<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&'a RawValue) -> Option<T>,
    ) -> Option<T> {
        let at = self.0.iter().position(|(own, _)| own == name)?;
        let value = read(self.0[at].1)?;
        self.0.remove(at);
        Some(value)
    }

    /// Whether there is a field of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
    }

    /// What was not taken.
    pub(crate) fn rest(self) -> impl Iterator<Item = (Cow<'a, str>, &'a RawValue)> {
        self.0.into_iter()
    }
}

/// Whether text from the start of a file has this name of a field.
pub(crate) fn names(text: &[u8], name: &str) -> bool {
    let quoted = format!("\"{name}\"");
    memchr::memmem::find(text, quoted.as_bytes()).is_some()
}

/// A value of a type that serde knows; `expected` says what it should be.
///
/// # Errors
/// It is not of that type.
pub(crate) fn parse<'a, T: Deserialize<'a>>(
    raw: &'a RawValue,
    what: &str,
    expected: &str,
) -> Result<T> {
    serde_json::from_str(raw.get())
        .map_err(|_| Error::malformed(format!("{what} is not {expected}: {}", excerpt(raw.get()))))
}

/// A string.
///
/// # Errors
/// It is none.
pub(crate) fn text<'a>(raw: &'a RawValue, what: &str) -> Result<Cow<'a, str>> {
    let Text(text) = parse(raw, what, "text")?;
    Ok(text)
}

/// A string, or the digits of an integer.
pub(crate) fn name<'a>(raw: &'a RawValue) -> Option<Cow<'a, str>> {
    let written = raw.get();
    match written.parse::<i64>() {
        Ok(_) => Some(Cow::Borrowed(written)),
        Err(_) => text(raw, "").ok(),
    }
}

/// Whether text is a number as JSON has it.
pub(crate) fn is_number(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok_and(|raw| raw.get() == text)
        && text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
}

/// A number as it is written.
///
/// # Errors
/// It is none, or has an exponent beyond all measure.
pub(crate) fn decimal(raw: &RawValue, what: &str) -> Result<Decimal> {
    let written = raw.get();
    let number = written.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let decimal = number.then(|| Decimal::parse(written)).flatten();
    decimal.ok_or_else(|| Error::malformed(format!("{what} is not a number: {}", excerpt(written))))
}

/// A number of seconds from some start on.
///
/// # Errors
/// It is none, or negative.
pub(crate) fn time(raw: &RawValue, what: &str) -> Result<Decimal> {
    let time = decimal(raw, what)?;
    match time.is_negative() {
        true => Err(Error::malformed(format!("{what} is negative: {time}"))),
        false => Ok(time),
    }
}

/// A whole number, which may be written as `16000.0`.
///
/// # Errors
/// It is none, or negative, or too large.
pub(crate) fn count<T: TryFrom<i64>>(raw: &RawValue, what: &str) -> Result<T> {
    let (digits, power) = decimal(raw, what)?.in_lowest_terms();
    let power = u32::try_from(power).ok();
    let whole = power.and_then(|power| digits.checked_mul(10i64.checked_pow(power)?));
    let fits = whole.and_then(|whole| T::try_from(whole).ok());
    fits.ok_or_else(|| {
        let message = format!("{what} is not a count: {}", excerpt(raw.get()));
        Error::malformed(message)
    })
}

/// As much of a value as fits a message.
fn excerpt(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What the parser says, with the byte of the line in place of its line and column.
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
pub(crate) fn write_text(text: &str, out: &mut Vec<u8>) {
    // A vector takes everything.
    let _ = serde_json::to_writer(out, text);
}

/// Appends a time with no more digits than it needs, and a point, so that all times of a column are
/// of one type for programs that guess types.
pub(crate) fn write_time(time: Decimal, out: &mut Vec<u8>) {
    let (digits, power) = time.in_lowest_terms();
    let text = Decimal::new(digits, power).to_string();
    out.extend_from_slice(text.as_bytes());
    if !text.contains(['.', 'e']) {
        out.extend_from_slice(b".0");
    }
}

/// Fields on their way to a line.
pub(crate) struct Fields<'a> {
    out: &'a mut Vec<u8>,
    any: bool,
}

impl<'a> Fields<'a> {
    /// Opens an object.
    pub(crate) fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, any: false }
    }

    /// Starts a field, whose value is to be appended.
    pub(crate) fn start(&mut self, name: &str) -> &mut Vec<u8> {
        if std::mem::replace(&mut self.any, true) {
            self.out.extend_from_slice(b", ");
        }
        write_text(name, self.out);
        self.out.extend_from_slice(b": ");
        self.out
    }

    /// Text.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        write_text(text, self.start(name));
    }

    /// A time.
    pub(crate) fn time(&mut self, name: &str, time: Decimal) {
        write_time(time, self.start(name));
    }

    /// A whole number.
    pub(crate) fn count(&mut self, name: &str, count: impl Into<u64>) {
        let digits = count.into().to_string();
        self.start(name).extend_from_slice(digits.as_bytes());
    }

    /// Any value, as it is written in JSON.
    pub(crate) fn raw(&mut self, name: &str, value: &str) {
        self.start(name).extend_from_slice(value.as_bytes());
    }

    /// Closes the object.
    pub(crate) fn close(self) {
        self.out.push(b'}');
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
            (
                "[1]",
                "byte 0 of the line: invalid type: sequence, expected an object",
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
