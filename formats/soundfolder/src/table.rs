//! Tables of transcripts: which line is about which sound file.

use std::collections::BTreeMap;

use spr_core::bytes::{Env, Location, MemoryCounter};
use spr_core::{Error, ErrorKind, Result};

use crate::columns::Columns;
use crate::delimited::{DELIMITERS, Dialect, Fault, Records};
use crate::encoding::{self, Encoding};
use crate::meaning::{Mapping, Meaning};
use crate::names::{SoundNames, last};
use crate::question::Question;
use crate::rows::Row;

/// Endings of the names of tables with columns, in small letters.
const COLUMNS: [&str; 2] = [".csv", ".tsv"];

/// Endings of the names of tables of transcripts, whose lines may be a name, a blank, and text.
const TRANSCRIPTS: [&str; 9] = [
    "/aishell_transcript_v0.8.txt",
    ".trans.txt",
    "/trans.txt",
    "/transcripts.txt",
    "/transcript.txt",
    "/transcript.v.1.3.txt",
    "/transcript.v.1.4.txt",
    "/transcriptions.txt",
    "/metadata.txt",
];

/// Tables in a folder of their own, next to those of the sound files.
const APART: [&str; 1] = ["/aishell_transcript_v0.8.txt"];

/// Returns the folder in which the files of a table are.
fn folder_of(at: &Location) -> Location {
    let folder = at.parent().unwrap_or_else(|| ".".into());
    match ends_with(at, &APART) {
        true => folder.parent().unwrap_or_else(|| ".".into()),
        false => folder,
    }
}

/// Returns `true` if a file may be a table of transcripts, by its name.
pub(crate) fn is_named_so(file: &Location) -> bool {
    // The book.tsv of LibriTTS is about its paragraphs.
    ends_with(file, &COLUMNS) && !ends_with(file, &[".book.tsv"]) || ends_with(file, &TRANSCRIPTS)
}

fn ends_with(file: &Location, endings: &[&str]) -> bool {
    let name = file.plain();
    let name = name.name().unwrap_or_default().as_encoded_bytes();
    let name = [b"/", name].concat().to_ascii_lowercase();
    endings
        .iter()
        .any(|ending| name.ends_with(ending.as_bytes()))
}

/// Extensions of sound by which the first line of a table without a header is recognised.
const SOUND: [&str; 7] = [".wav", ".flac", ".mp3", ".ogg", ".opus", ".sph", ".m4a"];

/// Returns `true` if text begins with a header line that names a column of sound files and one of what
/// is said in them, or, in a file with the extension of tables, if its first or second line names a sound
/// file.
pub(crate) fn is_table_of_sound(head: &[u8], extension: Option<&str>) -> bool {
    let head = encoding::glance(head);
    let lines = head.split(|b| *b == b'\n').take(2);
    let lines: Vec<_> = lines
        .map(|line| String::from_utf8_lossy(line).to_lowercase())
        .collect();
    let is_table = extension.is_some_and(|own| COLUMNS.iter().any(|end| end[1..] == *own));
    DELIMITERS.into_iter().any(|delimiter| {
        let mut rows = lines.iter().map(|line| cells(line, delimiter));
        let header = rows.next().filter(|header| header.len() > 1);
        let header = header.unwrap_or_default();
        let has = |wanted: &[Meaning]| {
            let mut found = header.iter().filter_map(|cell| Meaning::of_header(cell));
            found.any(|meaning| wanted.contains(&meaning))
        };
        let is_sound = |cell: &&str| SOUND.iter().any(|end| cell.ends_with(end));
        let names_sound = |row: &[&str]| row.len() == header.len() && row.iter().any(is_sound);
        has(&[Meaning::File]) && has(&[Meaning::Text, Meaning::Normalized])
            || is_table && (names_sound(&header) || rows.any(|row| names_sound(&row)))
    })
}

/// Splits a line into its cells, without blanks and quotes around them.
fn cells(line: &str, delimiter: u8) -> Vec<&str> {
    let cells = line.split(char::from(delimiter));
    cells.map(|cell| cell.trim().trim_matches('"')).collect()
}

/// The options by which tables are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableOptions {
    pub(crate) mapping: Mapping,
    pub(crate) encoding: Option<Encoding>,
}

/// A table of transcripts.
pub(crate) struct Table {
    pub(crate) at: Location,
    /// The folder in which its files are, at any depth.
    pub(crate) folder: Location,
    pub(crate) rows: Vec<Row>,
    /// The columns, unless its lines are a name, a blank, and text.
    pub(crate) columns: Option<Columns>,
    /// The rows by the last part of the name of their file, without extension.
    by_name: BTreeMap<Vec<u8>, Vec<usize>>,
    /// The faults of other lines.
    pub(crate) faults: Vec<Error>,
}

impl Table {
    /// Reads a table, or returns `None` if it has no transcripts.
    ///
    /// # Errors
    /// It cannot be read, is larger than the limits allow, or leaves open what a column means.
    pub(crate) fn read(
        at: &Location,
        options: &TableOptions,
        sounds: &SoundNames,
        env: &Env,
    ) -> Result<Option<Self>> {
        let mut source = env.open_file(at)?;
        let bytes = source.rest("a table of transcripts", &env.limits)?;
        let text = encoding::decode(bytes, options.encoding);
        let text = text.map_err(|e| e.file(at.to_string()))?;
        let holds_text = ends_with(at, &TRANSCRIPTS) || ends_with(at, &["/metadata.csv"]);
        let question = Question {
            at,
            text: &text,
            mapping: &options.mapping,
            sounds,
            holds_text,
        };
        let columns = question.columns()?;
        if columns.is_none() && !ends_with(at, &TRANSCRIPTS) {
            return Ok(None);
        }
        let mut table = Self {
            at: at.clone(),
            folder: folder_of(at),
            rows: Vec::new(),
            columns: None,
            by_name: BTreeMap::new(),
            faults: Vec::new(),
        };
        let mut held = MemoryCounter::new("a table of transcripts");
        held.keep(text.len(), &env.limits)?;
        // Without columns a line is a record of one cell.
        let lines = Dialect {
            delimiter: b'\n',
            quoted: false,
        };
        let dialect = columns.as_ref().map_or(lines, |columns| columns.dialect);
        let mut is_header = columns.as_ref().is_some_and(|columns| columns.has_header);
        for record in Records::new(&text, dialect) {
            if record.is_ok() && std::mem::take(&mut is_header) {
                continue;
            }
            held.keep(size_of::<Row>(), &env.limits)?;
            let row = match (&record, &columns) {
                (Ok(record), Some(columns)) => Row::of_record(columns, record, &table.folder, env),
                (Ok(record), None) => {
                    let line = record.cells.first().map(|cell| &**cell);
                    Row::of_words(line.unwrap_or_default(), record.line, &table.folder, env)
                }
                (Err(fault), _) => Err(of_fault(fault)),
            };
            let line = record.map_or_else(|fault| fault.line, |record| record.line);
            table.take(row, line);
        }
        table.columns = columns;
        table.tell_columns(options.mapping.is_empty(), env);
        Ok(Some(table))
    }

    /// Warns of columns that are guessed, or not used though none are mapped, and of quotes that were
    /// undone.
    fn tell_columns(&self, none_are_mapped: bool, env: &Env) {
        let Some(columns) = &self.columns else { return };
        let is_known = columns.has_header || columns.layout.is_some();
        let has_rest = none_are_mapped && !is_known && columns.left().next().is_some();
        if columns.guessed || has_rest {
            let message = format!("understood by its values: {}", columns.told());
            let warning = Error::unfit(message).file(self.at.to_string());
            env.warn(&warning.hint("--columns-of decides, such as text=2,speaker=3"));
        }
        let mut unquoted = self.rows.iter().filter(|row| row.unquoted);
        if let Some(first) = unquoted.next() {
            let texts = match unquoted.count() {
                0 => "a text in doubled quotes was unquoted".to_owned(),
                n => format!("{} texts in doubled quotes were unquoted", n + 1),
            };
            env.warn(&self.placed(first, Error::unfit(texts)));
        }
    }

    fn take(&mut self, row: Result<Row>, line: u64) {
        match row {
            Ok(row) => self.add(row),
            Err(error) => {
                let error = error.file(self.at.to_string()).line(line);
                self.faults.push(error.continuable());
            }
        }
    }

    fn add(&mut self, row: Row) {
        let same = self
            .by_name
            .entry(last(&row.name).as_bytes().to_vec())
            .or_default();
        let twin = same.iter().filter_map(|n| self.rows.get(*n));
        let twin = twin.into_iter().find(|other| other.is_twin_of(&row));
        match twin {
            Some(other) if other.says_the_same(&row) => {}
            Some(other) => {
                let message = format!(
                    "a second line of this file, line {} says otherwise",
                    other.line
                );
                self.faults
                    .push(self.placed(&row, Error::malformed(message)));
            }
            None => {
                same.push(self.rows.len());
                self.rows.push(row);
            }
        }
    }

    /// Returns the rows about a file, whose path without extension is given.
    pub(crate) fn find(&self, stem: &Location) -> impl Iterator<Item = usize> {
        let inside = stem.relative_to(&self.folder);
        let name = stem.name().unwrap_or_default().as_encoded_bytes();
        let rows = self.by_name.get(name).filter(|_| inside.is_some());
        let inside = inside.map(|inside| inside.as_os_str().as_encoded_bytes().to_vec());
        let fits = move |n: &usize| {
            let row = self.rows.get(*n);
            row.zip(inside.as_ref())
                .is_some_and(|(row, inside)| row.is_of(inside))
        };
        rows.into_iter().flatten().copied().filter(fits)
    }

    /// Adds the place of a row to an error.
    pub(crate) fn placed(&self, row: &Row, error: Error) -> Error {
        error.file(self.at.to_string()).line(row.line).continuable()
    }
}

/// Returns the error for a line that starts no record.
fn of_fault(fault: &Fault) -> Error {
    let kind = match fault.cut {
        true => ErrorKind::Truncated,
        false => ErrorKind::Malformed,
    };
    let error = Error::new(kind, fault.why);
    match fault.cut {
        true => error.hint("if it is whole, put a line end behind it"),
        false => error,
    }
}
