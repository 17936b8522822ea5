//! The table of a folder: JSON lines, or CSV with a header line.

use std::sync::Arc;

use spr_core::bytes::{Env, Location, Source};
use spr_core::model::{Position, Utterance};
use spr_core::{Error, ErrorKind, Result};
use spr_syntax::json::{self, Fields};
use spr_syntax::lines::Lines;

use super::columns::{TEXT, is_text};

/// An open table, whose rows are returned as JSON objects.
pub(super) enum Table {
    Lines(Box<Lines>),
    Csv(Box<Csv>),
}

impl Table {
    /// Opens a table. The name determines its type.
    ///
    /// # Errors
    /// It cannot be opened, or its header is invalid.
    pub(super) fn open(at: &Location, env: &Env) -> Result<Self> {
        let source = env.open_file(at)?;
        Ok(match at.extension() {
            Some("csv") => Self::Csv(Box::new(Csv::new(source, env)?)),
            _ => Self::Lines(Box::new(Lines::of_json(source, env))),
        })
    }

    /// Reads the next row, and returns `false` at the end.
    ///
    /// # Errors
    /// The table cannot be read.
    pub(super) fn next(&mut self) -> Result<bool> {
        match self {
            Self::Lines(lines) => lines.advance(),
            Self::Csv(csv) => csv.next(),
        }
    }

    /// Returns the row.
    pub(super) fn row(&self) -> &[u8] {
        match self {
            Self::Lines(lines) => lines.line(),
            Self::Csv(csv) => &csv.row,
        }
    }

    /// Makes an error one of the row, after which reading can continue.
    pub(super) fn error(&self, error: Error) -> Error {
        match self {
            Self::Lines(lines) => lines.placed(error).continuable(),
            Self::Csv(csv) => csv.error(error).continuable(),
        }
    }

    /// Sets the origin of an utterance to the row.
    pub(super) fn origin(&self, utt: &mut Utterance) {
        match self {
            Self::Lines(lines) => utt.origin = lines.origin(),
            Self::Csv(csv) => {
                utt.origin.file = Some(csv.file.clone());
                utt.origin.at = Some(Position::Line(csv.line));
            }
        }
    }
}

/// Returns `true` if a CSV table has a column, or may have one that can't be read.
pub(super) fn has_column(at: &Location, name: &str, env: &Env) -> bool {
    let first = || {
        let mut line = Vec::new();
        let more = env.open_file(at)?.line(&mut line, &env.limits)?;
        Ok::<_, Error>(more.then_some(line))
    };
    let Ok(Some(line)) = first() else { return true };
    let mut cells = line.split(|b| b",\"\r".contains(b));
    cells.any(|cell| cell.trim_ascii().ends_with(name.as_bytes()))
}

/// A CSV table.
pub(super) struct Csv {
    rows: csv::StringRecordsIntoIter<std::io::Cursor<Vec<u8>>>,
    names: csv::StringRecord,
    file: Arc<str>,
    /// The positions of line ends.
    ends: Vec<u64>,
    line: u64,
    /// Whether the last line has no end.
    cut: bool,
    row: Vec<u8>,
    env: Env,
}

impl Csv {
    fn new(mut source: Source, env: &Env) -> Result<Self> {
        let file: Arc<str> = source.name().into();
        let (mut text, mut line, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        let mut cut = false;
        while source.line(&mut line, &env.limits)? {
            cut = !source.has_line_end();
            env.limits
                .bytes("a table", (text.len() + line.len()) as u64)?;
            text.append(&mut line);
            ends.push(text.len() as u64);
            text.push(b'\n');
        }
        let mut reader = csv::Reader::from_reader(std::io::Cursor::new(text));
        let names = reader.headers().cloned();
        let names = names.map_err(|e| fault(&e).file(&*file).line(1))?;
        Ok(Self {
            rows: reader.into_records(),
            names,
            file,
            ends,
            line: 1,
            cut,
            row: Vec::new(),
            env: env.clone(),
        })
    }

    fn next(&mut self) -> Result<bool> {
        let Some(row) = self.rows.next() else {
            return match std::mem::take(&mut self.cut) {
                true => Err(self.error(cut("has no line end")).continuable()),
                false => Ok(false),
            };
        };
        let row = match row {
            Ok(row) => row,
            Err(e) => {
                self.line = self.line_of(e.position());
                return Err(self.error(fault(&e)).continuable());
            }
        };
        self.line = self.line_of(row.position());
        let reader = self.rows.reader();
        let text = reader.get_ref().get_ref();
        if reader.position().byte() >= text.len() as u64 {
            let open = row
                .iter()
                .next_back()
                .is_some_and(|last| last.ends_with('\n'));
            if open && !text.trim_ascii_end().ends_with(b"\"") {
                return Err(self.error(cut("ends inside quotes")).continuable());
            }
            if std::mem::take(&mut self.cut) {
                return Err(self.error(cut("has no line end")).continuable());
            }
        }
        let cells = || self.names.iter().zip(&row);
        let mut texts = cells().filter(|(name, _)| TEXT.contains(name)).peekable();
        if texts.peek().is_some() && texts.all(|(_, value)| value.is_empty()) {
            self.env
                .warn(&self.error(Error::unfit("the text is empty")));
        }
        self.row.clear();
        let mut fields = Fields::open(&mut self.row);
        // An empty field is a missing value.
        for (name, value) in cells().filter(|(_, value)| !value.is_empty()) {
            match json::is_number(value) && !is_text(name) {
                true => fields.raw(name, value),
                false => fields.text(name, value),
            }
        }
        fields.close();
        Ok(true)
    }

    /// Returns the line number of a row. The position of a row is the end of the previous one,
    /// possibly within its line end.
    fn line_of(&self, row: Option<&csv::Position>) -> u64 {
        let Some(row) = row else { return self.line };
        1 + self.ends.partition_point(|end| *end <= row.byte()) as u64
    }

    fn error(&self, error: Error) -> Error {
        error.file(&*self.file).line(self.line)
    }
}

/// Returns the error for a last row that may lack something.
fn cut(how: &str) -> Error {
    let message = format!("the last row {how} and may be cut off");
    Error::new(ErrorKind::Truncated, message)
}

fn fault(error: &csv::Error) -> Error {
    Error::malformed(match error.kind() {
        csv::ErrorKind::Utf8 { .. } => "a row that is not UTF-8".to_owned(),
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => {
            format!("a row of {len} values, expected {expected_len} as there are names")
        }
        _ => "a row that can't be read".to_owned(),
    })
}
