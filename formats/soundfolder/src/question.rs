//! The meanings of the columns of a table: by the mapping, by the header, or by the values.

use spr_core::bytes::Location;
use spr_core::text::brief;
use spr_core::{Error, ErrorKind, Result};

use crate::columns::{Columns, Row};
use crate::delimited::{DELIMITERS, Dialect, Record, Records, dialect};
use crate::layouts::Layout;
use crate::meaning::{Mapping, Meaning, Named};
use crate::names::SoundNames;
use crate::values::Values;

/// The number of records by which columns are understood.
const SAMPLE: usize = 100_000;

/// A table whose columns are to be understood.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) at: &'a Location,
    pub(crate) text: &'a [u8],
    pub(crate) mapping: &'a Mapping,
    pub(crate) sounds: &'a SoundNames,
    /// Set if the table has a name of tables of transcripts.
    pub(crate) holds_text: bool,
}

fn shown(record: &Record<'_>) -> Row {
    let cells = record.cells.iter();
    cells
        .map(|cell| String::from_utf8_lossy(cell).trim().to_owned())
        .collect()
}

impl Question<'_> {
    /// Understands a table, or returns `None` if no column names sound files and another tells
    /// something of them.
    ///
    /// # Errors
    /// The mapping names columns that are not there, or the values leave open what a column means.
    pub(crate) fn columns(self) -> Result<Option<Columns>> {
        let Self { at, text, .. } = self;
        let plain = at.plain();
        let extension = plain.extension().unwrap_or_default().to_ascii_lowercase();
        // Commas and semicolons are frequent in text.
        let delimiters: &[u8] = match &*extension {
            "csv" => &DELIMITERS,
            "tsv" => b"\t",
            _ if self.mapping.is_empty() => b"\t|",
            _ => &DELIMITERS,
        };
        let first = text
            .split(|b| *b == b'\n')
            .find(|line| !line.trim_ascii().is_empty());
        let first = first.unwrap_or_default();
        let mut missing = None;
        for delimiter in delimiters.iter().filter(|b| first.contains(b)) {
            let dialect = dialect(text, *delimiter);
            let records = Records::new(text, dialect)
                .filter_map(Result::ok)
                .take(SAMPLE);
            let rows: Vec<_> = records.map(|record| shown(&record)).collect();
            match self.understand(dialect, &rows) {
                Ok(Some(found)) => return Ok(Some(found)),
                Ok(None) => {}
                Err(error) if error.kind() == ErrorKind::Usage => missing = Some(error),
                Err(error) => return Err(error),
            }
        }
        missing.map_or(Ok(None), Err)
    }

    fn understand(&self, dialect: Dialect, rows: &[Row]) -> Result<Option<Columns>> {
        let Some(first) = rows.first().filter(|first| first.len() > 1) else {
            return Ok(None);
        };
        let mut columns = Columns {
            dialect,
            has_header: false,
            names: (1..=first.len()).map(|n| n.to_string()).collect(),
            meanings: self.mapped(first)?,
            guessed: false,
            layout: None,
        };
        let is_sound = |cell: &str| self.sounds.is_named(self.at, cell);
        let layout = Layout::of_row(self.at, first, is_sound).filter(|_| self.mapping.is_empty());
        if let Some(layout) = layout {
            columns.layout = Some(layout.name);
            columns.meanings = layout.meanings();
            return Ok(Some(columns));
        }
        let words: Vec<_> = first.iter().map(|cell| Meaning::of_header(cell)).collect();
        columns.has_header = self.has_header(&columns, &words, rows)?;
        let body = &rows[usize::from(columns.has_header)..];
        if columns.has_header {
            columns.names.clone_from(first);
            columns.layout = Layout::of_header(first).map(|layout| layout.name);
            for (n, word) in words.into_iter().enumerate() {
                if columns.meanings[n].is_none()
                    && word.is_some_and(|word| columns.find(word).is_none())
                {
                    columns.meanings[n] = word;
                }
            }
        }
        if columns.find(Meaning::File).is_none() {
            match self.file_column(&columns, first, body)? {
                Some(file) => columns.meanings[file] = Some(Meaning::File),
                None => return Ok(None),
            }
        }
        if !columns.has_header && self.mapping.is_empty() {
            Values::of(&columns, body, self.holds_text)
                .decide(&mut columns)
                .map_err(|open| self.undecided(open, first))?;
        }
        let tells = [
            Meaning::Text,
            Meaning::Normalized,
            Meaning::Speaker,
            Meaning::Start,
        ];
        let tells_any = tells
            .into_iter()
            .any(|meaning| columns.find(meaning).is_some());
        Ok(tells_any.then_some(columns))
    }

    /// Returns the meanings that the mapping gives to the columns of a table with this first row.
    fn mapped(&self, first: &Row) -> Result<Vec<Option<Meaning>>> {
        let mut meanings = vec![None; first.len()];
        for (meaning, named) in &self.mapping.0 {
            let (at, what) = match named {
                Named::Number(n) => (Some(*n), format!("column {}", n + 1)),
                Named::Header(name) => (
                    first.iter().position(|cell| cell == name),
                    format!("column '{name}'"),
                ),
            };
            let Some(slot) = at.and_then(|at| meanings.get_mut(at)) else {
                let message = format!("has no {what}; its first row: {}", numbered(first));
                return Err(Error::usage(message).file(self.at.to_string()));
            };
            if slot.replace(*meaning).is_some() {
                let message = format!("columns: {what} has two meanings");
                return Err(Error::usage(message));
            }
        }
        Ok(meanings)
    }

    /// Returns `true` if the first row is a header: the mapping names its columns, or it holds header
    /// words and no sound file.
    fn has_header(
        &self,
        columns: &Columns,
        words: &[Option<Meaning>],
        rows: &[Row],
    ) -> Result<bool> {
        let Some((first, body)) = rows.split_first() else {
            return Ok(false);
        };
        if self.mapping.headers().next().is_some() {
            return Ok(true);
        }
        let is_sound = |cell: &String| self.sounds.is_named(self.at, cell);
        if first.iter().any(is_sound) {
            return Ok(false);
        }
        let known = words.iter().flatten().count();
        if known > 1 {
            return Ok(true);
        }
        let file = match columns.find(Meaning::File) {
            Some(file) => Some(file),
            None => self.file_column(columns, first, body)?,
        };
        let others = |file: usize| {
            let mut cells = body.iter().filter_map(|row| row.get(file));
            cells.any(|cell| self.sounds.find(self.at, cell).is_some())
        };
        let may_be = known == 1 || !self.mapping.is_empty();
        Ok(may_be && file.is_some_and(others))
    }

    /// Returns the column that names most sound files which are there.
    ///
    /// # Errors
    /// Two columns name the same number of different files.
    fn file_column(&self, columns: &Columns, first: &Row, body: &[Row]) -> Result<Option<usize>> {
        let open = columns.meanings.iter().enumerate();
        let open = open
            .filter(|(_, meaning)| meaning.is_none())
            .map(|(n, _)| n);
        let named = |n: usize| -> Vec<_> {
            let cells = body.iter().map(|row| row.get(n));
            cells.map(|cell| self.sounds.find(self.at, cell?)).collect()
        };
        let mut best: Option<(usize, usize, Vec<Option<usize>>)> = None;
        for n in open {
            let files = named(n);
            let count = files.iter().flatten().count();
            match &best {
                Some((_, most, _)) if count < *most => {}
                Some((other, most, known)) if count == *most && count > 0 && *known != files => {
                    let open = format!("columns {} and {} both name sound files", other + 1, n + 1);
                    return Err(self.undecided(open, first));
                }
                Some((_, most, _)) if count == *most => {}
                _ if count > 0 => best = Some((n, count, files)),
                _ => {}
            }
        }
        Ok(best.map(|(n, ..)| n))
    }

    /// Returns the error for columns whose meaning is open.
    fn undecided(&self, open: String, first: &Row) -> Error {
        let message = format!("{open}; its first row: {}", numbered(first));
        Error::new(ErrorKind::Ambiguous, message)
            .file(self.at.to_string())
            .hint("name the columns by their numbers, such as --columns-of file=1,text=2,speaker=3")
    }
}

/// Returns a row with the numbers of its columns.
fn numbered(row: &[String]) -> String {
    let cells = row.iter().enumerate();
    let cells = cells.map(|(n, cell)| format!("{}: {}", n + 1, brief(cell)));
    cells.collect::<Vec<_>>().join(" | ")
}
