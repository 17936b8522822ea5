//! The lines of tables, and the facts in them.

use spr_core::bytes::{Env, Location};
use spr_core::model::{Decimal, Key, Meta, Span, Tag};
use spr_core::{Error, Result};
use spr_syntax::json;
use spr_syntax::manifest::columns::COLUMN;

use crate::columns::Columns;
use crate::delimited::{Record, undoubled};
use crate::meaning::Meaning;
use crate::names::{is_of, last, sound_name};

/// A line about a sound file, or about a part of it.
pub(crate) struct Row {
    /// The path of the sound file, without extension, as far as the table has it.
    pub(crate) name: String,
    /// The number of the line, from 1.
    pub(crate) line: u64,
    /// The text, if the table has any.
    pub(crate) text: Option<String>,
    pub(crate) span: Span,
    /// Set if doubled quotes of the text were undone.
    pub(crate) unquoted: bool,
    speaker: Option<Key>,
    gender: Option<Key>,
    language: Option<Key>,
    columns: Vec<Tag>,
}

impl Row {
    fn new(name: String, line: u64) -> Self {
        Self {
            name,
            line,
            text: None,
            span: Span::Whole,
            unquoted: false,
            speaker: None,
            gender: None,
            language: None,
            columns: Vec::new(),
        }
    }

    /// Reads a line of the name of a sound file, a blank, and text.
    ///
    /// # Errors
    /// It is not UTF-8, or names no file.
    pub(crate) fn of_words(line: &[u8], number: u64, folder: &Location, env: &Env) -> Result<Self> {
        let line = utf8(line)?.trim();
        let (file, text) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let mut row = Self::new(sound_name(file, folder, env), number);
        row.text = Some(text.trim().to_owned());
        row.checked()
    }

    /// Reads a record.
    ///
    /// # Errors
    /// It is not UTF-8, has another number of cells than the table has columns, names no file, or has
    /// times that are none.
    pub(crate) fn of_record(
        columns: &Columns,
        record: &Record<'_>,
        folder: &Location,
        env: &Env,
    ) -> Result<Self> {
        let (found, expected) = (record.cells.len(), columns.names.len());
        if found != expected {
            let of = if columns.has_header {
                "header"
            } else {
                "first line"
            };
            let message = format!("has {found} columns, the {of} has {expected}");
            return Err(Error::malformed(message));
        }
        let mut row = Self::new(String::new(), record.line);
        let (mut start, mut end, mut duration) = (None, None, None);
        let mut normalized = None;
        let cells = record.cells.iter().zip(&columns.names);
        for ((cell, name), meaning) in cells.zip(&columns.meanings) {
            let undone = match columns.dialect.quoted {
                true => None,
                false => undoubled(cell.trim_ascii()),
            };
            let cell = utf8(undone.as_deref().unwrap_or(cell))?;
            // An empty cell is a missing value.
            let key = || (!cell.is_empty()).then(|| Key::from(cell));
            let time = || time(cell, name);
            match meaning {
                Some(Meaning::File) => row.name = sound_name(cell, folder, env),
                Some(Meaning::Text) => row.text = Some(cell.trim().to_owned()),
                Some(Meaning::Normalized) => normalized = Some(cell.trim().to_owned()),
                Some(Meaning::Speaker) => row.speaker = key(),
                Some(Meaning::Gender) => row.gender = key(),
                Some(Meaning::Language) => row.language = key(),
                Some(Meaning::Start) => start = time()?,
                Some(Meaning::End) => end = time()?,
                // Without a start it is that of the sound file, which has its own.
                Some(Meaning::Duration) if columns.find(Meaning::Start).is_some() => {
                    duration = time()?;
                }
                Some(Meaning::Split) if !columns.has_header => row.add("split", cell),
                Some(Meaning::Duration | Meaning::Split) => row.add(name, cell),
                None if columns.has_header => row.add(name, cell),
                None => {}
            }
            let is_text = matches!(meaning, Some(Meaning::Text | Meaning::Normalized));
            row.unquoted |= undone.is_some() && is_text;
        }
        if let Some(text) = normalized.filter(|text| row.text.is_none() || !text.is_empty()) {
            row.text = Some(text);
        }
        row.span = span(start, end, duration)?;
        row.checked()
    }

    /// Adds a column without a field in the model.
    fn add(&mut self, name: &str, cell: &str) {
        if cell.is_empty() {
            return;
        }
        let mut value = Vec::new();
        match json::is_number(cell) {
            true => value.extend_from_slice(cell.as_bytes()),
            false => json::write_text(cell, &mut value),
        }
        self.columns.push(Tag::new(COLUMN, name, value));
    }

    fn checked(self) -> Result<Self> {
        match last(&self.name).is_empty() {
            true => Err(Error::malformed("names no sound file")),
            false => Ok(self),
        }
    }

    /// Returns `true` if it is about a file with this path from the table's folder on, without
    /// extension.
    pub(crate) fn is_of(&self, inside: &[u8]) -> bool {
        is_of(&self.name, inside)
    }

    /// Returns `true` if both are about the same part of the same file.
    pub(crate) fn is_twin_of(&self, other: &Self) -> bool {
        (&self.name, self.span) == (&other.name, other.span)
    }

    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        let who = |row: &Self| {
            (
                row.speaker.clone(),
                row.gender.clone(),
                row.language.clone(),
            )
        };
        self.text == other.text && who(self) == who(other)
    }

    /// Adds everything but the text to an utterance.
    pub(crate) fn fill(&self, meta: &mut Meta) {
        let set = |field: &mut Option<Key>, own: &Option<Key>| {
            if field.is_none() {
                field.clone_from(own);
            }
        };
        set(&mut meta.speaker, &self.speaker);
        set(&mut meta.gender, &self.gender);
        set(&mut meta.language, &self.language);
        for tag in &self.columns {
            if meta.tags.iter().all(|known| known.key != tag.key) {
                meta.tags.push(tag.clone());
            }
        }
    }

    /// Returns the key of the part of a sound file with this key: with the times in milliseconds, as
    /// NeMo's manifests are read.
    pub(crate) fn key_of_part(&self, key: &Key) -> Option<Key> {
        let (start, end) = self.span.bounds()?;
        let shown = |time: Decimal| format!("-{:07}", (time.value() * 1000.0).round());
        let times = shown(start) + &end.map(shown).unwrap_or_default();
        Some([key.as_bytes(), times.as_bytes()].concat().into())
    }
}

fn utf8(cell: &[u8]) -> Result<&str> {
    std::str::from_utf8(cell).map_err(|_| {
        let hint = "encoding=latin1 or encoding=utf16 reads other tables";
        Error::malformed("is not UTF-8").hint(hint)
    })
}

/// Parses a time in seconds. An empty cell has none.
fn time(cell: &str, name: &str) -> Result<Option<Decimal>> {
    let cell = cell.trim();
    if cell.is_empty() {
        return Ok(None);
    }
    match Decimal::parse(cell) {
        Some(time) if !time.is_negative() => Ok(Some(time)),
        _ => {
            let message = format!("'{cell}' in column {name} is not a time in seconds");
            Err(Error::malformed(message))
        }
    }
}

fn span(start: Option<Decimal>, end: Option<Decimal>, duration: Option<Decimal>) -> Result<Span> {
    let by_duration = match (start, duration) {
        (Some(start), Some(duration)) => {
            let end = start.plus(duration).map(Decimal::trimmed);
            Some(end.ok_or_else(|| Error::malformed("the times have too many digits"))?)
        }
        _ => None,
    };
    let end = end.or(by_duration);
    match start.zip(end) {
        Some((start, end)) if end < start => {
            let message = format!("starts at {start} s and ends before that, at {end} s");
            Err(Error::malformed(message))
        }
        _ => Ok(Span::new(start, end)),
    }
}
