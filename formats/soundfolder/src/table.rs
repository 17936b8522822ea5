//! Tables of transcripts: what each line says of which sound file.

use std::collections::BTreeMap;

use spr_core::bytes::{Env, Location, MemoryCounter};
use spr_core::{Error, Result};
use spr_syntax::lines::{BOM, Lines};

use crate::rows::{Form, Row};

/// Endings of the names of tables, in small letters; `.tsv` is looked at for its columns.
const NAMED: [&str; 10] = [
    ".trans.txt",
    "/trans.txt",
    "/transcripts.txt",
    "/transcript.txt",
    "/transcript.v.1.3.txt",
    "/transcript.v.1.4.txt",
    "/transcriptions.txt",
    "/metadata.csv",
    "/metadata.txt",
    ".tsv",
];

/// Returns `true` if a file may be a table of transcripts, by its name.
pub(crate) fn is_named_so(file: &Location) -> bool {
    let name = file.plain();
    let name = name.name().unwrap_or_default().as_encoded_bytes();
    let name = [b"/", name].concat().to_ascii_lowercase();
    NAMED.iter().any(|ending| name.ends_with(ending.as_bytes()))
}

/// Returns `true` if text begins with a header line that names a column of sound files and one of what
/// is said in them.
pub(crate) fn is_table_of_sound(head: &[u8]) -> bool {
    let end = head.iter().position(|b| *b == b'\n').unwrap_or(head.len());
    Form::of_header(head[..end].strip_prefix(BOM).unwrap_or(&head[..end])).is_some()
}

/// A table of transcripts.
pub(crate) struct Table {
    pub(crate) at: Location,
    /// The folder in which its files are, at any depth.
    pub(crate) folder: Location,
    pub(crate) rows: Vec<Row>,
    /// The rows by the last part of the name of their file, without extension.
    by_name: BTreeMap<Vec<u8>, Vec<usize>>,
    /// What is wrong with other lines.
    pub(crate) faults: Vec<Error>,
}

impl Table {
    /// Reads a table, or returns `None` if it has no transcripts.
    ///
    /// # Errors
    /// It cannot be read, or is larger than the limits allow.
    pub(crate) fn read(at: &Location, env: &Env) -> Result<Option<Self>> {
        let source = env.open_file(at)?;
        let mut lines = Lines::new(source, None, env);
        let mut held = MemoryCounter::new("a table of transcripts");
        let mut table = Self {
            at: at.clone(),
            folder: at.parent().unwrap_or_else(|| ".".into()),
            rows: Vec::new(),
            by_name: BTreeMap::new(),
            faults: Vec::new(),
        };
        let mut form = None;
        while lines.advance()? {
            let line = lines.line();
            held.keep(line.len() + size_of::<Row>(), &env.limits)?;
            let known = match &form {
                Some(form) => form,
                None => match Form::of(at, line) {
                    Some((found, is_header)) => {
                        let found = form.insert(found);
                        if is_header {
                            continue;
                        }
                        found
                    }
                    None => return Ok(None),
                },
            };
            match known.row(line, lines.line_number(), env) {
                Ok(row) => table.add(row),
                Err(error) => table.faults.push(lines.placed(error).continuable()),
            }
        }
        Ok(Some(table))
    }

    fn add(&mut self, row: Row) {
        let same = self.by_name.entry(row.stem().to_vec()).or_default();
        let twin = same.iter().filter_map(|n| self.rows.get(*n));
        let twin = twin.into_iter().find(|other| other.name == row.name);
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
