//! The words of an expression.

use std::borrow::Cow;

use spr_core::{Error, Result};

use super::Sign;

/// A word of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    Name(String),
    Number(f64),
    Text(String),
    Sign(Sign),
    Open,
    Close,
    And,
    Or,
    Not,
    End,
}

/// The words of a text, of which the next one is looked at.
pub(super) struct Words<'a> {
    text: &'a str,
    /// The offset of the next word in bytes.
    pub(super) at: usize,
    /// The offset behind it.
    end: usize,
    pub(super) next: Word,
}

/// Comparisons, the longer signs first.
const SIGNS: [(&str, Sign); 8] = [
    ("==", Sign::Equal),
    ("!=", Sign::Unequal),
    ("<=", Sign::AtMost),
    (">=", Sign::AtLeast),
    ("=", Sign::Equal),
    ("<", Sign::Less),
    (">", Sign::Greater),
    ("~", Sign::Contains),
];

impl<'a> Words<'a> {
    /// Reads the first word.
    pub(super) fn new(text: &'a str) -> Result<Self> {
        let (at, end, next) = (0, 0, Word::End);
        let mut words = Self {
            text,
            at,
            end,
            next,
        };
        words.step()?;
        Ok(words)
    }

    /// Goes on to the next word, and returns the one before.
    pub(super) fn step(&mut self) -> Result<Word> {
        let rest = &self.text[self.end..];
        let rest = rest.trim_start();
        self.at = self.text.len() - rest.len();
        let (len, word) = self.word(rest)?;
        self.end = self.at + len;
        Ok(std::mem::replace(&mut self.next, word))
    }

    /// Returns the word at the start of `rest`, with its length in bytes.
    fn word(&self, rest: &str) -> Result<(usize, Word)> {
        let Some(first) = rest.chars().next() else {
            return Ok((0, Word::End));
        };
        if let Some((sign, word)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            return Ok((sign.len(), Word::Sign(*word)));
        }
        match first {
            '(' => Ok((1, Word::Open)),
            ')' => Ok((1, Word::Close)),
            '\'' | '"' => self.quoted(rest, first),
            '0'..='9' | '.' | '-' | '+' => self.number(rest),
            c if c.is_alphabetic() || c == '_' => {
                let ends = |c: char| !(c.is_alphanumeric() || c == '_');
                let name = &rest[..rest.find(ends).unwrap_or(rest.len())];
                let word = match name.to_ascii_lowercase().as_str() {
                    "and" => Word::And,
                    "or" => Word::Or,
                    "not" => Word::Not,
                    _ => Word::Name(name.to_owned()),
                };
                Ok((name.len(), word))
            }
            _ => Err(self.expected("a column, a number, text in quotes or a comparison")),
        }
    }

    fn quoted(&self, rest: &str, quote: char) -> Result<(usize, Word)> {
        let mut text = String::new();
        let mut signs = rest.char_indices().skip(1).peekable();
        while let Some((at, sign)) = signs.next() {
            if sign != quote {
                text.push(sign);
            } else if signs.next_if(|(_, next)| *next == quote).is_some() {
                text.push(quote);
            } else {
                return Ok((at + 1, Word::Text(text)));
            }
        }
        Err(self.fault(self.at, "the quote is not closed"))
    }

    fn number(&self, rest: &str) -> Result<(usize, Word)> {
        // A sign may stand in front, and behind an exponent's `e`.
        let mut before = 'e';
        let ends = |c: char| {
            let goes_on = match c {
                '+' | '-' => matches!(before, 'e' | 'E'),
                _ => c.is_alphanumeric() || c == '.',
            };
            before = c;
            !goes_on
        };
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let (digits, unit) = match word.strip_suffix(['k', 'K']) {
            Some(digits) => (digits, 1000.0),
            None => (word, 1.0),
        };
        // `inf` and `nan` begin with letters, and `-inf` is none of ours.
        let plain = digits.contains(|c: char| c.is_ascii_digit());
        let number = digits.parse::<f64>().ok().filter(|_| plain);
        match number.map(|number| number * unit).filter(|n| n.is_finite()) {
            Some(number) => Ok((word.len(), Word::Number(number))),
            None => Err(self.fault(self.at, &format!("'{word}' is not a number"))),
        }
    }

    /// Returns an error about the next word, which should be something else.
    pub(super) fn expected(&self, what: &str) -> Error {
        let found: Cow<'_, str> = match self.text[self.at..].split_whitespace().next() {
            None => "the end".into(),
            Some(word) => format!("'{word}'").into(),
        };
        self.fault(self.at, &format!("expected {what}, found {found}"))
    }

    /// Returns an error that points at an offset with `^`.
    pub(super) fn fault(&self, at: usize, message: &str) -> Error {
        self.misplaced(at, Error::usage(message))
    }

    /// Adds the place to an error.
    pub(super) fn misplaced(&self, at: usize, error: Error) -> Error {
        misplaced(self.text, at, error)
    }
}

/// Adds the place in a text to an error: `seconds >^> 1, character 10: …`.
pub(crate) fn misplaced(text: &str, at: usize, error: Error) -> Error {
    let (before, after) = text.split_at(at);
    let character = before.chars().count() + 1;
    error.context(format!("{before}^{after}, character {character}"))
}
