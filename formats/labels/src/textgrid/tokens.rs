//! The tokens of a Praat text file: free-standing strings, numbers and flags. Everything else is
//! comment, so that the long form is the short one with comments.

use spr_core::model::Decimal;
use spr_core::{Error, Result};

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// Quoted text, in which quotes are still doubled.
    Text(&'a str),
    Number(Decimal),
    /// `<exists>` or `<absent>`.
    Flag(&'a str),
}

/// The tokens of a text.
pub(super) struct Tokens<'a> {
    rest: &'a str,
    /// The line number, from 1.
    line: u64,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            rest: text,
            line: 1,
        }
    }

    /// Returns an error about the line.
    pub(super) fn error(&self, message: impl Into<String>) -> Error {
        Error::malformed(message).line(self.line)
    }

    /// Consumes `n` bytes.
    fn pass(&mut self, n: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at_checked(n).unwrap_or((self.rest, ""));
        self.line += line_ends(passed);
        self.rest = rest;
        passed
    }

    /// Returns the next token, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Token<'a>>> {
        loop {
            let blanks = self.rest.len() - self.rest.trim_start().len();
            self.pass(blanks);
            let Some(first) = self.rest.chars().next() else {
                return Ok(None);
            };
            match first {
                '!' => {
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.pass(end);
                }
                '"' => return self.text().map(Some),
                '<' => {
                    let end = self
                        .rest
                        .find(['>', '\n'])
                        .filter(|end| self.rest[*end..].starts_with('>'));
                    let end =
                        end.ok_or_else(|| self.error("a flag does not end: '<' without '>'"))?;
                    return Ok(Some(Token::Flag(self.pass(end + 1))));
                }
                '0'..='9' | '+' | '-' => {
                    let word = self.word();
                    match number(word) {
                        Some(number) => return Ok(Some(Token::Number(number))),
                        None => {
                            let shown = spr_core::model::Key::from(word);
                            return Err(self.error(format!("'{shown}' is not a number")));
                        }
                    }
                }
                _ => {
                    self.word();
                }
            }
        }
    }

    /// Returns `true` if only blanks follow.
    pub(super) fn is_over(&self) -> bool {
        self.rest.trim().is_empty()
    }

    fn word(&mut self) -> &'a str {
        let end = self
            .rest
            .find(char::is_whitespace)
            .unwrap_or(self.rest.len());
        self.pass(end)
    }

    /// Reads quoted text up to a quote that is not doubled.
    fn text(&mut self) -> Result<Token<'a>> {
        let bytes = self.rest.as_bytes();
        let mut at = 1;
        loop {
            match (bytes.get(at), bytes.get(at + 1)) {
                (None, _) => return Err(self.error("a text does not end: a quote is missing")),
                (Some(b'"'), Some(b'"')) => at += 2,
                (Some(b'"'), _) => break,
                _ => at += 1,
            }
        }
        let quoted = self.pass(at + 1);
        Ok(Token::Text(quoted.get(1..at).unwrap_or_default()))
    }
}

/// Counts the line ends in a text.
fn line_ends(text: &str) -> u64 {
    text.bytes().filter(|b| *b == b'\n').count() as u64
}

/// Returns the number at the start of a word. Letters after it, such as a unit, are ignored.
fn number(word: &str) -> Option<Decimal> {
    let sign = usize::from(word.starts_with(['+', '-']));
    let digits = |from: usize| {
        let rest = word.get(from..).unwrap_or_default();
        from + rest.bytes().take_while(u8::is_ascii_digit).count()
    };
    let whole = digits(sign);
    if whole == sign {
        return None;
    }
    let mut end = whole;
    if word[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if let Some(power) = word[end..].strip_prefix(['e', 'E']) {
        let sign = usize::from(power.starts_with(['+', '-']));
        let last = digits(end + 1 + sign);
        if last > end + 1 + sign {
            end = last;
        }
    }
    let letters = word[end..].chars().all(|c| c.is_alphabetic() || c == '%');
    let text = word.get(..end)?;
    let text = text.strip_prefix('+').unwrap_or(text);
    Decimal::parse(text.strip_suffix('.').unwrap_or(text)).filter(|_| letters)
}

/// Replaces doubled quotes by single ones.
pub(super) fn meant(quoted: &str) -> String {
    quoted.replace("\"\"", "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Vec<String>> {
        let mut tokens = Tokens::new(text);
        let mut found = Vec::new();
        while let Some(token) = tokens.next()? {
            found.push(match token {
                Token::Text(text) => format!("'{}'", meant(text)),
                Token::Number(number) => number.to_string(),
                Token::Flag(flag) => flag.to_owned(),
            });
        }
        Ok(found)
    }

    #[test]
    fn what_stands_free_counts() {
        let long = "File type = \"oo\"\nxmin = 0 \ntiers? <exists> \nsize = 3 ! 7 tiers\nitem [1]:\n .5 text = \"a \"\"b\"\"\n c\"";
        assert_eq!(
            all(long).unwrap(),
            ["'oo'", "0", "<exists>", "3", "'a \"b\"\n c'"]
        );
        assert_eq!(
            all("0.5s -1 +2 1e3 1e-2 5% 3.").unwrap(),
            ["0.5", "-1", "2", "1000", "0.01", "5", "3"]
        );
        for (text, message) in [
            ("1\n\"a", ":2: a text does not end: a quote is missing"),
            (
                "\"a\"\n\n<exists",
                ":3: a flag does not end: '<' without '>'",
            ),
            ("-x", ":1: '-x' is not a number"),
            ("1.2.3", ":1: '1.2.3' is not a number"),
        ] {
            let error = all(text).unwrap_err().file("");
            assert_eq!(error.to_string(), message, "{text}");
        }
    }
}
