//! Tokens and numbers of models, in text and in binary.

use spr_core::bytes::Source;
use spr_core::{Error, Limits, Result};

/// The longest token or number of a model in bytes.
const LONGEST: usize = 64;

/// Reads the tokens and numbers of a model.
pub(super) struct Scanner {
    source: Source,
    pub(super) is_binary: bool,
    limits: Limits,
}

impl Scanner {
    /// Starts at the marker of a binary model, or at the first token of a text.
    pub(super) fn new(mut source: Source, limits: &Limits) -> Result<Self> {
        let is_binary = source.peek(2)? == b"\0B";
        if is_binary {
            source.skip(2)?;
        }
        Ok(Self {
            source,
            is_binary,
            limits: *limits,
        })
    }

    /// Returns an error at the current position.
    pub(super) fn malformed(&self, message: impl Into<String>) -> Error {
        self.source.malformed(message)
    }

    /// Counts `bytes` of a growing list against the limits, before they are stored.
    pub(super) fn hold(&self, what: &str, bytes: usize) -> Result<()> {
        self.source.hold(what, bytes as u64, &self.limits).map(drop)
    }

    /// Reads a word: blanks before it and the one behind it are passed over.
    pub(super) fn word(&mut self) -> Result<String> {
        while self
            .source
            .peek(1)?
            .first()
            .is_some_and(u8::is_ascii_whitespace)
        {
            self.source.skip(1)?;
        }
        let head = self.source.peek(LONGEST + 1)?;
        let end = head.iter().position(u8::is_ascii_whitespace);
        let word = &head[..end.unwrap_or(head.len())];
        let told = String::from_utf8_lossy(word).into_owned();
        match end {
            Some(end) if end > 0 => {
                self.source.skip(end as u64 + 1)?;
                Ok(told)
            }
            _ if head.len() > LONGEST => Err(self.malformed("expected a token or a number")),
            _ => {
                let message = "the model ends before </TransitionModel>";
                Err(self.source.error(spr_core::ErrorKind::Truncated, message))
            }
        }
    }

    /// Reads a word, which must be this one.
    pub(super) fn expect(&mut self, wanted: &str) -> Result<()> {
        let found = self.word()?;
        match found == wanted {
            true => Ok(()),
            false => Err(self.malformed(format!("expected {wanted}, found '{found}'"))),
        }
    }

    /// Parses an integer.
    pub(super) fn parsed(&self, word: &str) -> Result<i32> {
        let wrong = || self.malformed(format!("expected an integer, found '{word}'"));
        word.parse().map_err(|_| wrong())
    }

    /// Reads an integer: in binary the size 4 and four bytes, the lowest first.
    pub(super) fn integer(&mut self) -> Result<i32> {
        if !self.is_binary {
            let word = self.word()?;
            return self.parsed(&word);
        }
        match self.source.byte()? {
            4 => Ok(i32::from_le_bytes(self.source.array()?)),
            size => Err(self.malformed(format!("expected an integer of 4 bytes, found {size}"))),
        }
    }

    /// Reads a count, which is not negative.
    pub(super) fn count(&mut self, what: &str) -> Result<usize> {
        let count = self.integer()?;
        usize::try_from(count).map_err(|_| self.malformed(format!("expected a number of {what}")))
    }

    /// Reads the probability of a transition, which says nothing of labels.
    pub(super) fn pass_probability(&mut self) -> Result<()> {
        if !self.is_binary {
            let word = self.word()?;
            let number = word.parse::<f64>();
            let wrong = |_| self.malformed(format!("expected a probability, found '{word}'"));
            return number.map(drop).map_err(wrong);
        }
        match self.source.byte()? {
            size @ (4 | 8) => self.source.skip(size.into()),
            size => Err(self.malformed(format!("expected a float, found one of {size} bytes"))),
        }
    }

    /// Reads integers as `WriteIntegerVector` stores them in binary: their size, their number
    /// without a size, and the integers.
    pub(super) fn packed_integers(&mut self, what: &str) -> Result<Vec<i32>> {
        match self.source.byte()? {
            4 => {}
            size => {
                let message = format!("expected {what} of 4 bytes each, found {size}");
                return Err(self.malformed(message));
            }
        }
        let count = i32::from_le_bytes(self.source.array()?);
        let wrong = |_| self.malformed(format!("expected a number of {what}"));
        let count = usize::try_from(count).map_err(wrong)?;
        self.source.expect(count as u64 * 4)?;
        let mut all = Vec::new();
        for n in 1..=count {
            self.hold(what, n * 4)?;
            all.push(i32::from_le_bytes(self.source.array()?));
        }
        Ok(all)
    }

    /// Reads a vector of floats for nothing but its length.
    pub(super) fn vector_length(&mut self) -> Result<usize> {
        if self.is_binary {
            let size = match self.word()?.as_str() {
                "FV" => 4,
                "DV" => 8,
                other => {
                    return Err(self.malformed(format!("expected a vector, found '{other}'")));
                }
            };
            let count = self.count("values")?;
            self.source.skip(count as u64 * size)?;
            return Ok(count);
        }
        self.expect("[")?;
        let mut count = 0;
        loop {
            let word = self.word()?;
            if word == "]" {
                return Ok(count);
            }
            let wrong = |_| self.malformed(format!("expected a number, found '{word}'"));
            word.parse::<f64>().map_err(wrong)?;
            count += 1;
        }
    }
}
