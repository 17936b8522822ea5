//! Lines of a table: a key and the rest.

use spr_core::bytes::{Env, Source};
use spr_core::model::Key;
use spr_core::{Error, ErrorKind, Result};

use super::rules::Rule;
use crate::script_line::LineParts;

/// The lines of a table in sequence.
pub(super) struct Lines {
    source: Source,
    line: Vec<u8>,
    /// Its key and the rest; none of a line that is at fault.
    parts: Option<LineParts>,
    number: u64,
    /// The rule for values, if lines that break it are faulty.
    rule: Option<Rule>,
    /// Whether the warning about Windows line ends was given.
    told: bool,
}

/// The next item of a table.
pub(super) enum NextLine {
    /// A line with key and rest.
    Line,
    /// A faulty line.
    Fault(Error),
    End,
}

impl Lines {
    pub(super) fn new(source: Source) -> Self {
        Self {
            source,
            line: Vec::new(),
            parts: None,
            number: 0,
            rule: None,
            told: false,
        }
    }

    /// Makes lines faulty whose value breaks the rule, if there is one.
    pub(super) fn checked(self, rule: Option<Rule>) -> Self {
        Self { rule, ..self }
    }

    /// Reads the next line.
    ///
    /// # Errors
    /// Reading fails, or the line is longer than the limits allow.
    pub(super) fn next(&mut self, env: &Env) -> Result<NextLine> {
        self.parts = None;
        let (source, number) = (&mut self.source, self.number + 1);
        let more = source.line(&mut self.line, &env.limits);
        if !more.map_err(|e| e.line(number))? {
            return Ok(NextLine::End);
        }
        self.number = number;
        if !source.has_line_end() {
            return Ok(NextLine::Fault(self.place(cut(&self.line)).continuable()));
        }
        if self.line.ends_with(b"\r") {
            if !self.told {
                self.told = true;
                let message = "lines end in CR LF, of which Kaldi's scripts know only the LF";
                env.warn(&self.place(Error::malformed(message)));
            }
            self.line.pop();
        }
        let parts = split(&self.line).and_then(|parts| self.check(parts));
        Ok(match parts {
            Ok(parts) => {
                self.parts = Some(parts);
                NextLine::Line
            }
            Err(error) => NextLine::Fault(self.place(error).continuable()),
        })
    }

    fn check(&self, parts: LineParts) -> Result<LineParts> {
        let rest = self.line.get(parts.rest.clone()).unwrap_or_default();
        let broken = self
            .rule
            .and_then(|rule| rule(&String::from_utf8_lossy(rest)));
        match broken {
            Some(message) => Err(Error::malformed(message)),
            None => Ok(parts),
        }
    }

    pub(super) fn key(&self) -> &[u8] {
        let key = self.parts.as_ref().map(|parts| parts.key.clone());
        key.and_then(|key| self.line.get(key)).unwrap_or_default()
    }

    /// Returns the rest after the key, without surrounding blanks.
    pub(super) fn rest(&self) -> &[u8] {
        let rest = self.parts.as_ref().map(|parts| parts.rest.clone());
        rest.and_then(|rest| self.line.get(rest))
            .unwrap_or_default()
    }

    /// Returns the line number, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    /// Adds the line to an error.
    pub(super) fn place(&self, error: Error) -> Error {
        error.file(self.source.name()).line(self.number)
    }
}

/// The key of a line and what follows it. Unlike a script file a table has nothing before its keys.
fn split(line: &[u8]) -> Result<LineParts> {
    if memchr::memchr(0, line).is_some() {
        return Err(Error::malformed("a NUL byte in the line"));
    }
    let parts = LineParts::of(line)?;
    match parts.key.start {
        0 => Ok(parts),
        _ => Err(Error::malformed("a blank before the key")),
    }
}

/// Returns the error for a last line without a line end. It names the key if that is whole.
pub(super) fn cut(line: &[u8]) -> Error {
    let message = "the last line has no line end and may be cut off";
    let error = Error::new(ErrorKind::Truncated, message);
    let error = error.hint("if it is whole, put a line end behind it");
    match split(line) {
        Ok(parts) if parts.key.end < line.len() => {
            error.utterance(&Key::from(line.get(parts.key).unwrap_or_default()))
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_no_blanks_before_keys() {
        let parts = split(b"a  b  c\t").unwrap();
        assert_eq!((parts.key, parts.rest), (0..1, 3..7));
        for (line, fault) in [
            ("", "blank line"),
            (" a b", "before the key"),
            ("a b\0c", "NUL"),
            ("a\x01 b", "0x01"),
        ] {
            let error = split(line.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(fault), "{line:?}");
        }
    }
}
