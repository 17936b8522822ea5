//! Lines of a table: a key and what follows it.

use spr_core::bytes::{Env, Source};
use spr_core::model::is_word_byte;
use spr_core::{Error, Result};

/// The lines of a table, one after the other.
pub(super) struct Lines {
    source: Source,
    line: Vec<u8>,
    /// Where the key ends, and where the rest starts and ends.
    key: usize,
    rest: (usize, usize),
    number: u64,
    /// Whether it was said that lines end as on Windows.
    told: bool,
}

/// What comes next in a table.
pub(super) enum Next {
    /// A line that is a key and a rest.
    Line,
    /// One that is not.
    Fault(Error),
    End,
}

impl Lines {
    pub(super) fn new(source: Source) -> Self {
        Self {
            source,
            line: Vec::new(),
            key: 0,
            rest: (0, 0),
            number: 0,
            told: false,
        }
    }

    /// Goes to the next line.
    ///
    /// # Errors
    /// Reading fails, or the line is longer than the limits allow.
    pub(super) fn next(&mut self, env: &Env) -> Result<Next> {
        (self.key, self.rest) = (0, (0, 0));
        let (source, number) = (&mut self.source, self.number + 1);
        let more = source.line(&mut self.line, &env.limits);
        if !more.map_err(|e| e.line(number))? {
            return Ok(Next::End);
        }
        self.number = number;
        if self.line.ends_with(b"\r") {
            if !self.told {
                self.told = true;
                let message = "lines end in CR LF, of which Kaldi's scripts know only the LF";
                env.warn(&self.place(Error::malformed(message)));
            }
            self.line.pop();
        }
        Ok(match split(&self.line) {
            Ok((key, rest)) => {
                (self.key, self.rest) = (key, rest);
                Next::Line
            }
            Err(message) => Next::Fault(self.place(Error::malformed(message)).continuable()),
        })
    }

    pub(super) fn key(&self) -> &[u8] {
        self.line.get(..self.key).unwrap_or_default()
    }

    /// What follows the key, without blanks around it.
    pub(super) fn rest(&self) -> &[u8] {
        self.line.get(self.rest.0..self.rest.1).unwrap_or_default()
    }

    /// The number of the line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    /// An error about the line.
    pub(super) fn place(&self, error: Error) -> Error {
        error.file(self.source.name()).line(self.number)
    }
}

/// The end of the key of a line, and where the rest starts and ends.
fn split(line: &[u8]) -> Result<(usize, (usize, usize)), String> {
    if memchr::memchr(0, line).is_some() {
        return Err("a NUL byte in the line".to_owned());
    }
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let Some(last) = line.iter().rposition(|byte| !is_blank(byte)) else {
        return Err("a blank line".to_owned());
    };
    let key = line.iter().position(is_blank).unwrap_or(line.len());
    if key == 0 {
        return Err("a blank before the key".to_owned());
    }
    if let Some(byte) = line.iter().take(key).find(|byte| !is_word_byte(**byte)) {
        return Err(format!("byte 0x{byte:02x} in the key"));
    }
    let behind = line.iter().skip(key);
    let start = key + behind.take_while(|byte| is_blank(byte)).count();
    Ok((key, (start, (last + 1).max(start))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_key_and_a_rest() {
        for (line, key, rest) in [
            ("a b", "a", "b"),
            ("a  b  c\t", "a", "b  c"),
            ("a", "a", ""),
            ("a ", "a", ""),
            ("\u{fc}-1\tx", "\u{fc}-1", "x"),
        ] {
            let (end, (from, to)) = split(line.as_bytes()).unwrap();
            assert_eq!((&line[..end], &line[from..to]), (key, rest), "{line:?}");
        }
        for (line, fault) in [
            ("", "blank line"),
            (" \t", "blank line"),
            (" a b", "before the key"),
            ("a b\0c", "NUL"),
            ("a\x01 b", "0x01"),
        ] {
            assert!(
                split(line.as_bytes()).unwrap_err().contains(fault),
                "{line:?}"
            );
        }
    }
}
