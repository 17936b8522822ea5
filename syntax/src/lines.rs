//! Lines of text and their fields.

use std::borrow::BorrowMut;
use std::sync::Arc;

use spr_core::bytes::{Env, MemoryCounter, Source};
use spr_core::model::{Decimal, Key, Origin, Position, is_word_byte};
pub use spr_core::text::BOM;
use spr_core::{Error, ErrorKind, Result};

/// Returns `true` for white space between fields.
pub fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Splits a line into fields.
pub fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(is_blank).filter(|field| !field.is_empty())
}

/// Returns a field for messages.
pub fn shown(field: &[u8]) -> Key {
    Key::from(field)
}

/// The rules by which a file is taken apart in lines.
enum Rules {
    /// Each line has an end, which may be that of Windows; comments start with these bytes.
    Text(Option<&'static [u8]>),
    /// A line is a value of JSON, so that the last is seen to be whole without an end.
    Json,
}

/// The lines of a file except blank ones and comments.
pub struct Lines<S = Source> {
    source: S,
    line: Vec<u8>,
    /// The line number in the file, from 1.
    number: u64,
    file: Arc<str>,
    rules: Rules,
    /// Returns `true` for a line that is seen to be whole without an end.
    closes: fn(&[u8]) -> bool,
    /// Whether a last line without an end is taken if no fault is found in it.
    end_is_optional: bool,
    /// Whether the line is the last one and has no end.
    lacks_end: bool,
    /// Whether the line was given back and is returned once more.
    again: bool,
    ended: bool,
    env: Env,
    warned: Vec<&'static str>,
}

impl<S: BorrowMut<Source>> Lines<S> {
    /// The lines of `source` but for blank ones and those that start with `comment`. The last needs an
    /// end, as a file may have been cut off in it.
    pub fn new(source: S, comment: Option<&'static [u8]>, env: &Env) -> Self {
        Self::by(Rules::Text(comment), source, env)
    }

    /// The lines of `source` but for blank ones, of which each is a value of JSON.
    pub fn of_json(source: S, env: &Env) -> Self {
        Self::by(Rules::Json, source, env)
    }

    fn by(rules: Rules, source: S, env: &Env) -> Self {
        Self {
            file: source.borrow().name().into(),
            source,
            line: Vec::new(),
            number: 0,
            rules,
            closes: |_| false,
            end_is_optional: false,
            lacks_end: false,
            again: false,
            ended: false,
            env: env.clone(),
            warned: Vec::new(),
        }
    }

    /// Takes a last line without an end, with a warning, if `closes` returns `true` for it: what it
    /// ends with, such as a bracket, is not there in a line that was cut off.
    #[must_use]
    pub fn closed_by(mut self, closes: fn(&[u8]) -> bool) -> Self {
        self.closes = closes;
        self
    }

    /// Takes a last line without an end, with a warning, if no error about it is asked for before the
    /// next [`advance`](Self::advance).
    #[must_use]
    pub fn with_optional_end(mut self) -> Self {
        self.end_is_optional = true;
        self
    }

    /// Goes to the next line; returns `false` at the end and after an error, and on every later call.
    ///
    /// # Errors
    /// The last line of text has no end, or a line is too long.
    pub fn advance(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.again) {
            return Ok(true);
        }
        if std::mem::take(&mut self.lacks_end) {
            self.tell_missing_end();
        }
        while !self.ended {
            // Nothing can follow an incomplete line.
            self.ended = true;
            let source = self.source.borrow_mut();
            if !source.line(&mut self.line, &self.env.limits)? {
                return Ok(false);
            }
            let has_end = source.has_line_end();
            self.number += 1;
            if self.has_content(has_end)? {
                self.ended = false;
                return Ok(true);
            }
            self.ended = false;
        }
        Ok(false)
    }

    /// Takes from the line what its rules say is none of it, and returns `false` if nothing is left.
    fn has_content(&mut self, has_end: bool) -> Result<bool> {
        let Rules::Text(comment) = self.rules else {
            return Ok(!self.line.trim_ascii().is_empty());
        };
        if !has_end && (self.closes)(&self.line) {
            self.tell_missing_end();
        } else if !has_end && !self.end_is_optional {
            return Err(self.cut_off());
        }
        self.line.pop_if(|end| *end == b'\r');
        let is_comment = comment.is_some_and(|c| self.line.starts_with(c));
        let has_content = !is_comment && !self.line.iter().all(is_blank);
        self.lacks_end = has_content && !has_end && !(self.closes)(&self.line);
        Ok(has_content)
    }

    fn tell_missing_end(&self) {
        let warning = Error::unfit("the last line has no line end, but is whole");
        self.env.warn(&warning.file(&*self.file).line(self.number));
    }

    fn cut_off(&self) -> Error {
        let error = "the last line has no line end and may be cut off";
        let error = Error::new(ErrorKind::Truncated, error);
        let error = error.hint("if it is whole, put a line end behind it");
        error.file(&*self.file).line(self.number)
    }

    /// Gives the line back, to be returned once more.
    pub fn give_back(&mut self) {
        self.again = true;
    }

    /// Returns the line without its end.
    pub fn line(&self) -> &[u8] {
        &self.line
    }

    /// Returns `true` if the line is the last one and has no end, so that its last field may be cut off.
    pub fn lacks_end(&self) -> bool {
        self.lacks_end
    }

    /// Returns the number of the line in the file, from 1.
    pub fn line_number(&self) -> u64 {
        self.number
    }

    /// Returns the name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// An error with the place of the line, unless it is about a file that the line names.
    pub fn placed(&self, error: Error) -> Error {
        match error.file_name().is_some_and(|file| file != &*self.file) {
            true => error,
            false => error.file(&*self.file).line(self.number),
        }
    }

    /// Returns an error about the line. If it is the last one and has no end, it may be cut off.
    pub fn error(&self, message: impl Into<String>) -> Error {
        match self.lacks_end {
            true => self.cut_off(),
            false => self.placed(Error::malformed(message)),
        }
    }

    /// Warns about the line, once per file for each `what`.
    #[track_caller]
    pub fn warn(&mut self, what: &'static str, message: impl Into<String>) {
        if !self.warned.contains(&what) {
            self.warned.push(what);
            self.env.warn(&self.placed(Error::malformed(message)));
        }
    }

    /// Warns that something of the file is left out.
    #[track_caller]
    pub fn tell_left_out(&self, message: impl Into<String>) {
        self.env
            .warn_left_out(&Error::unfit(message).file(&*self.file));
    }

    /// Returns the position of the line.
    pub fn origin(&self) -> Origin {
        Origin {
            file: Some(self.file.clone()),
            at: Some(Position::Line(self.number)),
            ..Origin::default()
        }
    }

    /// Counts `bytes` bytes of the line that are kept in memory.
    ///
    /// # Errors
    /// It is too much.
    pub fn hold(&self, held: &mut MemoryCounter, bytes: usize) -> Result<()> {
        held.add(bytes, self.source.borrow(), &self.env.limits)
    }

    /// Returns the compression of the file, if there is any.
    pub fn compression(&self) -> Option<String> {
        self.source.borrow().compression()
    }
}

/// Checks that a field is a single word.
pub fn word(field: &[u8]) -> Result<&[u8], String> {
    match field.iter().find(|b| !is_word_byte(**b)) {
        Some(b) => Err(format!("'{}' holds the byte 0x{b:02x}", shown(field))),
        None if field.is_empty() => Err("a word is missing".to_owned()),
        None => Ok(field),
    }
}

/// Checks that text has no control characters.
pub fn text(line: &[u8]) -> Result<&[u8], String> {
    let control = |b: &&u8| !is_blank(b) && !is_word_byte(**b);
    match line.iter().find(control) {
        Some(b) => Err(format!("the text holds the byte 0x{b:02x}")),
        None => Ok(line),
    }
}

/// Parses a number: an optional sign and digits, optionally with a point or an exponent.
pub fn number(field: &[u8]) -> Option<Decimal> {
    let text = std::str::from_utf8(field).ok()?;
    Decimal::parse(text)
}

/// Returns `true` for a number with a decimal comma, as some programs write in some languages.
pub fn has_decimal_comma(field: &[u8]) -> bool {
    let pointed: Vec<_> = field
        .iter()
        .map(|b| if *b == b',' { b'.' } else { *b })
        .collect();
    field.contains(&b',') && number(&pointed).is_some()
}

fn not_a_time(field: &[u8]) -> String {
    let field_shown = shown(field);
    match has_decimal_comma(field) {
        true => format!("'{field_shown}' has a decimal comma, and times have a point"),
        false => format!("'{field_shown}' is not a time"),
    }
}

/// Parses a time in seconds.
pub fn time(field: &[u8]) -> Result<Decimal, String> {
    match number(field) {
        None => Err(not_a_time(field)),
        Some(time) if time.is_negative() => Err(format!("the time {} is below 0", shown(field))),
        Some(time) => Ok(time),
    }
}

/// Returns the end of a segment from its start and its length in seconds.
pub fn end_after(start: Decimal, length: &[u8]) -> Result<Decimal, String> {
    let seconds = number(length).ok_or_else(|| not_a_time(length))?;
    if seconds.is_negative() {
        return Err(format!("the length {} is below 0", shown(length)));
    }
    let end = start.plus(seconds);
    end.ok_or_else(|| format!("the time {start} + {seconds} has too many digits"))
}

/// Parses a start and an end in seconds, where the end is not before the start.
pub fn stretch(start: &[u8], end: &[u8]) -> Result<(Decimal, Decimal), String> {
    let (start, end) = (time(start)?, time(end)?);
    match start <= end {
        true => Ok((start, end)),
        false => Err(format!(
            "the stretch starts at {start} and ends before that, at {end}"
        )),
    }
}
