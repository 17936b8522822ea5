//! Lines of text, and their fields.

use std::borrow::BorrowMut;
use std::sync::Arc;

use spr_core::bytes::{Env, Held, Source};
use spr_core::model::{Decimal, Key, Origin, Position, is_word_byte};
use spr_core::{Error, ErrorKind, Result};

/// What some editors put before UTF-8.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// The white space between fields.
pub(crate) fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The fields of a line.
pub(crate) fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(is_blank).filter(|field| !field.is_empty())
}

/// A field as messages show it.
pub(crate) fn shown(field: &[u8]) -> Key {
    Key::from(field)
}

/// The lines of a file that are neither blank nor comments.
pub(crate) struct Lines<S = Source> {
    source: S,
    line: Vec<u8>,
    /// The line's number in the file, from 1.
    number: u64,
    file: Arc<str>,
    /// What comments start with, if there are any.
    comment: Option<&'static [u8]>,
    /// Whether the line was given back, to be the next once more.
    again: bool,
    env: Env,
    warned: Vec<&'static str>,
}

impl<S: BorrowMut<Source>> Lines<S> {
    /// The lines of `source` but for blank ones and those that start with `comment`.
    pub(crate) fn new(source: S, comment: Option<&'static [u8]>, env: &Env) -> Self {
        Self {
            file: source.borrow().name().into(),
            source,
            line: Vec::new(),
            number: 0,
            comment,
            again: false,
            env: env.clone(),
            warned: Vec::new(),
        }
    }

    /// Goes to the next line; `false` at the end.
    ///
    /// # Errors
    /// The last line has no end, or a line is too long.
    pub(crate) fn next(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.again) {
            return Ok(true);
        }
        loop {
            let source = self.source.borrow_mut();
            let start = source.offset();
            if !source.line(&mut self.line, &self.env.limits)? {
                return Ok(false);
            }
            self.number += 1;
            if source.offset() - start == self.line.len() as u64 {
                let error = "the last line has no line end and may be cut off";
                let error = Error::new(ErrorKind::Truncated, error);
                let error = error.hint("if it is whole, put a line end behind it");
                return Err(self.placed(error));
            }
            if self.number == 1 && self.line.starts_with(BOM) {
                self.line.drain(..BOM.len());
            }
            self.line.pop_if(|end| *end == b'\r');
            let comment = self.comment.is_some_and(|c| self.line.starts_with(c));
            if !comment && !self.line.iter().all(is_blank) {
                return Ok(true);
            }
        }
    }

    /// Has the line be the next once more.
    pub(crate) fn give_back(&mut self) {
        self.again = true;
    }

    /// The line without its end.
    pub(crate) fn line(&self) -> &[u8] {
        &self.line
    }

    /// An error with the place of the line.
    pub(crate) fn placed(&self, error: Error) -> Error {
        error.file(&*self.file).line(self.number)
    }

    /// An error about the line.
    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        self.placed(Error::malformed(message))
    }

    /// Warns about the line, of each thing once a file.
    #[track_caller]
    pub(crate) fn warn(&mut self, what: &'static str, message: impl Into<String>) {
        if !self.warned.contains(&what) {
            self.warned.push(what);
            self.env.warn(&self.error(message));
        }
    }

    /// Warns about the file.
    #[track_caller]
    pub(crate) fn tell(&self, message: impl Into<String>) {
        self.env.warn(&Error::malformed(message).file(&*self.file));
    }

    /// Where the line is.
    pub(crate) fn origin(&self) -> Origin {
        Origin {
            file: Some(self.file.clone()),
            at: Some(Position::Line(self.number)),
            ..Origin::default()
        }
    }

    /// Counts so many bytes that are kept of the line.
    ///
    /// # Errors
    /// It is too much.
    pub(crate) fn hold(&self, held: &mut Held, bytes: usize) -> Result<()> {
        held.add(bytes, self.source.borrow(), &self.env.limits)
    }

    /// Compressions of the file that are undone.
    pub(crate) fn compression(&self) -> Option<String> {
        self.source.borrow().compression()
    }
}

/// A field that is one word.
pub(crate) fn word(field: &[u8]) -> Result<&[u8], String> {
    match field.iter().find(|b| !is_word_byte(**b)) {
        Some(b) => Err(format!("'{}' holds the byte 0x{b:02x}", shown(field))),
        None if field.is_empty() => Err("a word is missing".to_owned()),
        None => Ok(field),
    }
}

/// Text that holds no control characters.
pub(crate) fn text(line: &[u8]) -> Result<&[u8], String> {
    let control = |b: &&u8| !is_blank(b) && !is_word_byte(**b);
    match line.iter().find(control) {
        Some(b) => Err(format!("the text holds the byte 0x{b:02x}")),
        None => Ok(line),
    }
}

/// A number: an optional sign, digits, perhaps with a point or a power of ten.
pub(crate) fn number(field: &[u8]) -> Option<Decimal> {
    let text = std::str::from_utf8(field).ok()?;
    Decimal::parse(text)
}

/// A time in seconds.
pub(crate) fn time(field: &[u8]) -> Result<Decimal, String> {
    match number(field) {
        None => Err(format!("'{}' is not a time", shown(field))),
        Some(time) if time.is_negative() => Err(format!("the time {} is below 0", shown(field))),
        Some(time) => Ok(time),
    }
}

/// The end of a stretch that starts at `start` and is so many seconds long.
pub(crate) fn end_after(start: Decimal, length: &[u8]) -> Result<Decimal, String> {
    let seconds = number(length).ok_or_else(|| format!("'{}' is not a time", shown(length)))?;
    if seconds.is_negative() {
        return Err(format!("the length {} is below 0", shown(length)));
    }
    let end = start.plus(seconds);
    end.ok_or_else(|| format!("the time {start} + {seconds} has too many digits"))
}

/// Two times in seconds, the second no earlier than the first.
pub(crate) fn stretch(start: &[u8], end: &[u8]) -> Result<(Decimal, Decimal), String> {
    let (start, end) = (time(start)?, time(end)?);
    match start <= end {
        true => Ok((start, end)),
        false => Err(format!(
            "the stretch starts at {start} and ends before that, at {end}"
        )),
    }
}
