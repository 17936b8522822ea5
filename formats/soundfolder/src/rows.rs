//! The lines of tables: their forms, and what they say.

use spr_core::bytes::{Env, Location};
use spr_core::model::{Key, Meta, Tag};
use spr_core::{Error, Result};
use spr_syntax::json;
use spr_syntax::manifest::columns::COLUMN;

/// The columns of sound files, of text, and of whom it is from, in tables with a header.
const FILES: [&[u8]; 4] = [b"path", b"file", b"file_name", b"filename"];
const TEXTS: [&[u8]; 4] = [b"sentence", b"text", b"transcription", b"transcript"];
const SPEAKERS: [&[u8]; 3] = [b"client_id", b"speaker_id", b"speaker"];
const LANGUAGES: [&[u8]; 2] = [b"locale", b"language"];

/// How a table is taken apart.
pub(crate) enum Form {
    /// Columns between tabs, with a header line of their names, as in Common Voice.
    Columns(Vec<String>),
    /// Columns between bars: the file, and what is said in it, as in LJSpeech, or
    /// behind another bar, which is normalised. KSS has more columns after these.
    Bars,
    /// The file, a tab, and what is said in it.
    Tab,
    /// The file, a blank, and what is said in it, as in LibriSpeech.
    Words,
}

impl Form {
    /// Returns the form of a table by its first line, and whether that is a header.
    pub(crate) fn of(at: &Location, first: &[u8]) -> Option<(Self, bool)> {
        if let Some(form) = Self::of_header(first) {
            return Some((form, true));
        }
        let plain = at.plain();
        let form = match plain.extension().unwrap_or_default() {
            extension if extension.eq_ignore_ascii_case("tsv") => return None,
            _ if first.contains(&b'|') => Self::Bars,
            extension if extension.eq_ignore_ascii_case("csv") => return None,
            _ if first.contains(&b'\t') => Self::Tab,
            _ => Self::Words,
        };
        Some((form, false))
    }

    /// Returns the form of a table with this header line, if it is one.
    pub(crate) fn of_header(line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let names: Vec<_> = line.split(|b| *b == b'\t').collect();
        let has = |known: &[&[u8]]| names.iter().any(|name| known.contains(name));
        if !has(&FILES) || !has(&TEXTS) {
            return None;
        }
        let names = names
            .into_iter()
            .map(|name| String::from_utf8(name.to_vec()));
        names.collect::<Result<_, _>>().ok().map(Self::Columns)
    }

    /// Takes a line apart.
    ///
    /// # Errors
    /// It is not UTF-8, names no file, or has another number of columns than the header.
    pub(crate) fn row(&self, line: &[u8], number: u64, env: &Env) -> Result<Row> {
        let line = std::str::from_utf8(line).map_err(|_| Error::malformed("is not UTF-8"))?;
        let mut row = match self {
            Self::Columns(names) => columns(names, line)?,
            Self::Bars => {
                let mut cells = line.split('|');
                let file = cells.next().unwrap_or_default();
                let texts = cells.take(2).filter(|cell| !cell.trim().is_empty());
                let text = texts.last();
                let text = text.ok_or_else(|| Error::malformed("has no text after its first |"))?;
                Row::new(file, text)
            }
            Self::Tab => {
                let (file, text) = line.split_once('\t').unwrap_or((line, ""));
                Row::new(file, text)
            }
            Self::Words => {
                let line = line.trim();
                let (file, text) = line.split_once([' ', '\t']).unwrap_or((line, ""));
                Row::new(file, text)
            }
        };
        row.line = number;
        // An extension of sound is none of the name.
        let file = Location::from(row.name.as_str()).plain();
        let extension = file.extension().unwrap_or_default().to_ascii_lowercase();
        if env.sound_by_extension(&extension).is_some() {
            let name = row.name.to_ascii_lowercase();
            let end = name.rfind(&format!(".{extension}"));
            row.name.truncate(end.unwrap_or(name.len()));
        }
        match row.stem().is_empty() {
            true => Err(Error::malformed("names no sound file")),
            false => Ok(row),
        }
    }
}

/// Takes a line with a header's columns apart.
fn columns(names: &[String], line: &str) -> Result<Row> {
    let cells: Vec<_> = line.split('\t').collect();
    if cells.len() != names.len() {
        let (found, expected) = (cells.len(), names.len());
        let message = format!("has {found} columns, the header has {expected}");
        return Err(Error::malformed(message));
    }
    let mut row = Row::new("", "");
    let mut has_text = false;
    for (name, cell) in names.iter().zip(cells) {
        let is = |known: &[&[u8]]| known.contains(&name.as_bytes());
        // An empty cell is a missing value.
        let key = (!cell.is_empty()).then(|| Key::from(cell));
        if is(&FILES) && row.name.is_empty() {
            row.name = Row::new(cell, "").name;
        } else if is(&TEXTS) && !has_text {
            (row.text, has_text) = (cell.trim().to_owned(), true);
        } else if is(&SPEAKERS) && row.speaker.is_none() {
            row.speaker = key;
        } else if is(&LANGUAGES) && row.language.is_none() {
            row.language = key;
        } else if name == "gender" {
            row.gender = key;
        } else if key.is_some() {
            let mut value = Vec::new();
            match json::is_number(cell) {
                true => value.extend_from_slice(cell.as_bytes()),
                false => json::write_text(cell, &mut value),
            }
            row.columns.push(Tag::new(COLUMN, name.as_str(), value));
        }
    }
    Ok(row)
}

/// What a line says.
pub(crate) struct Row {
    /// The path of the sound file, without extension, as far as the table has it.
    pub(crate) name: String,
    /// The number of the line, from 1.
    pub(crate) line: u64,
    pub(crate) text: String,
    speaker: Option<Key>,
    gender: Option<Key>,
    language: Option<Key>,
    columns: Vec<Tag>,
}

impl Row {
    fn new(file: &str, text: &str) -> Self {
        let file = file.trim();
        Self {
            name: file.strip_prefix("./").unwrap_or(file).to_owned(),
            line: 0,
            text: text.trim().to_owned(),
            speaker: None,
            gender: None,
            language: None,
            columns: Vec::new(),
        }
    }

    /// Returns the last part of the name.
    pub(crate) fn stem(&self) -> &[u8] {
        self.name.rsplit('/').next().unwrap_or_default().as_bytes()
    }

    /// Returns `true` if it is about a file with this path from the table's folder on, without
    /// extension.
    pub(crate) fn is_of(&self, inside: &[u8]) -> bool {
        let before = inside.strip_suffix(self.name.as_bytes());
        before.is_some_and(|before| before.is_empty() || before.ends_with(b"/"))
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

    /// Tells an utterance what the line says, apart from the text.
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
}
