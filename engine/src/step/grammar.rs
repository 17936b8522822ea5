//! The grammar `step(value,key=value)|step`, with the places of names and values.

use spr_core::{Error, Result};

/// A stage as written.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) name: String,
    /// The offset of the name in bytes.
    pub(super) at: usize,
    pub(super) values: Vec<Value>,
}

/// A value in parentheses.
#[derive(Debug, PartialEq)]
pub(super) struct Value {
    /// The key before `=`, if there is one.
    pub(super) key: Option<String>,
    pub(super) text: String,
    /// Its offset, including the key.
    pub(super) at: usize,
}

/// The characters that end a word.
const SIGNS: &[char] = &['(', ')', '|', ',', '=', '\'', '"'];

/// Parses a chain of stages.
///
/// # Errors
/// The syntax is invalid; the error contains the position in characters.
pub(super) fn calls(text: &str) -> Result<Vec<Call>> {
    let mut cursor = Cursor { text, at: 0 };
    let mut calls = Vec::new();
    loop {
        calls.push(cursor.call()?);
        match cursor.sign() {
            None => return Ok(calls),
            Some('|') => cursor.at += 1,
            Some(_) => return Err(cursor.expected("| and another stage, or the end")),
        }
    }
}

/// Adds the position to an error: `'shufle(10)', character 1: …`.
pub(super) fn misplaced(text: &str, at: usize, error: Error) -> Error {
    let before = text.get(..at).unwrap_or(text);
    error.context(format!(
        "'{text}', character {}",
        before.chars().count() + 1
    ))
}

/// A value as it is written, in quotes if it has to be.
pub(super) fn quoted(text: &str) -> String {
    let plain = !text.is_empty() && text.trim() == text && !text.contains(SIGNS);
    match (plain, text.contains('\'')) {
        (true, _) => text.to_owned(),
        (false, true) if !text.contains('"') => format!("\"{text}\""),
        (false, _) => format!("'{}'", text.replace('\'', "''")),
    }
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl Cursor<'_> {
    /// Skips blanks, and returns the next character.
    fn sign(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed.chars().next()
    }

    fn expected(&self, what: &str) -> Error {
        let found = match self.text[self.at..].chars().next() {
            None => "the end".to_owned(),
            Some(sign) => format!("'{}'", sign.escape_debug()),
        };
        let error = Error::usage(format!("expected {what}, found {found}"));
        misplaced(self.text, self.at, error)
    }

    fn call(&mut self) -> Result<Call> {
        self.sign();
        let at = self.at;
        let name = self.word().to_owned();
        if name.is_empty() {
            return Err(self.expected("the name of a stage"));
        }
        let mut values = Vec::new();
        if self.sign() == Some('(') {
            self.at += 1;
            if self.sign() == Some(')') {
                self.at += 1;
                return Ok(Call { name, at, values });
            }
            loop {
                values.push(self.value()?);
                let sign = self.sign();
                match sign {
                    Some(',') => self.at += 1,
                    Some(')') => break,
                    _ => return Err(self.expected("a comma or )")),
                }
            }
            self.at += 1;
        }
        Ok(Call { name, at, values })
    }

    /// Reads a word without surrounding blanks, which may be empty.
    fn word(&mut self) -> &str {
        let rest = &self.text[self.at..];
        let len = rest.find(SIGNS).unwrap_or(rest.len());
        self.at += len;
        rest[..len].trim_end()
    }

    fn value(&mut self) -> Result<Value> {
        self.sign();
        let at = self.at;
        let first = self.text()?;
        let (key, text) = match self.sign() {
            Some('=') => {
                self.at += 1;
                self.sign();
                (Some(first), self.text()?)
            }
            _ => (None, first),
        };
        Ok(Value { key, text, at })
    }

    /// Reads a word, or quoted text, in which a quote is doubled.
    fn text(&mut self) -> Result<String> {
        let Some(quote @ ('\'' | '"')) = self.sign() else {
            let word = self.word().to_owned();
            return match word.is_empty() {
                true => Err(self.expected("a value")),
                false => Ok(word),
            };
        };
        let mut text = String::new();
        let mut rest = &self.text[self.at + 1..];
        while let Some((part, behind)) = rest.split_once(quote) {
            text.push_str(part);
            let Some(more) = behind.strip_prefix(quote) else {
                self.at = self.text.len() - behind.len();
                return Ok(text);
            };
            text.push(quote);
            rest = more;
        }
        let error = Error::usage("the quote is not closed");
        Err(misplaced(self.text, self.at, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(key: Option<&str>, text: &str, at: usize) -> Value {
        Value {
            key: key.map(str::to_owned),
            text: text.to_owned(),
            at,
        }
    }

    #[test]
    fn stages_have_names_values_and_places() {
        let text =
            " shuffle ( 1000 , seed = 1 )|context(5,5) | unique|select('a|b, (c)',x=\"'\")|y()";
        let calls = calls(text).unwrap();
        let all: Vec<_> = calls
            .into_iter()
            .map(|call| (call.name, call.at, call.values))
            .collect();
        assert_eq!(
            all,
            [
                (
                    "shuffle".to_owned(),
                    1,
                    vec![value(None, "1000", 11), value(Some("seed"), "1", 18)]
                ),
                (
                    "context".to_owned(),
                    29,
                    vec![value(None, "5", 37), value(None, "5", 39)]
                ),
                ("unique".to_owned(), 44, vec![]),
                (
                    "select".to_owned(),
                    51,
                    vec![value(None, "a|b, (c)", 58), value(Some("x"), "'", 69)]
                ),
                ("y".to_owned(), 76, vec![]),
            ]
        );
    }

    #[test]
    fn quotes_in_quotes_are_doubled() {
        for text in ["it's", "\"", "'\"", "text != '' and key = \"a\"", "''", "'"] {
            let call = format!("a({})", quoted(text));
            assert_eq!(calls(&call).unwrap()[0].values, [value(None, text, 2)]);
        }
    }

    #[test]
    fn faults_are_told_with_their_place() {
        let cases = [
            ("", 1, "expected the name of a stage, found the end"),
            ("a|", 3, "expected the name of a stage, found the end"),
            ("a||b", 3, "expected the name of a stage, found '|'"),
            ("(5)", 1, "expected the name of a stage, found '('"),
            ("a(5", 4, "expected a comma or ), found the end"),
            ("a(5,)", 5, "expected a value, found ')'"),
            ("a(,5)", 3, "expected a value, found ','"),
            ("a(x=)", 5, "expected a value, found ')'"),
            ("a(x=1=2)", 6, "expected a comma or ), found '='"),
            ("a(5(6))", 4, "expected a comma or ), found '('"),
            (
                "a(5)b",
                5,
                "expected | and another stage, or the end, found 'b'",
            ),
            (
                "a,b",
                2,
                "expected | and another stage, or the end, found ','",
            ),
            ("a('b)", 3, "the quote is not closed"),
            ("ä('b)", 3, "the quote is not closed"),
            ("a('b'c)", 6, "expected a comma or ), found 'c'"),
        ];
        for (text, character, message) in cases {
            let error = calls(text).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("'{text}', character {character}: {message}")
            );
        }
    }
}
