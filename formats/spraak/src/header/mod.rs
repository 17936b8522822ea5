//! The header of a file: its lines in order, with unique keys.
//!
//! [`edit`] changes the header of a file and copies its data.

pub mod edit;
pub(crate) mod grammar;
pub(crate) mod layers;
mod lines;
pub(crate) mod print;
mod translate;

use std::sync::Arc;

use spr_core::bytes::{Env, Source};
use spr_core::model::Key;
use spr_core::{Error, Result};

pub use crate::vocabulary::Dialect;
use crate::vocabulary::UNNAMED;
pub(crate) use lines::End;

/// The origin of a line: a file, or the options.
#[derive(Clone)]
pub(crate) struct EntryPosition {
    file: Arc<str>,
    at: Option<u64>,
}

/// A header line.
pub(crate) struct Entry {
    /// The key as written.
    pub(crate) word: Vec<u8>,
    /// The spr name of the key, if it differs.
    standard: Option<&'static str>,
    /// The value, unquoted.
    pub(crate) value: Vec<u8>,
    position: EntryPosition,
}

impl Entry {
    /// Returns the spr name of the key.
    pub(crate) fn key(&self) -> &[u8] {
        self.standard.map_or(&self.word[..], str::as_bytes)
    }

    /// Returns an error about this line.
    pub(crate) fn error(&self, what: impl Into<String>) -> Error {
        self.place(Error::malformed(what))
    }

    /// Adds this line as the place of an error.
    pub(crate) fn place(&self, error: Error) -> Error {
        let error = error.file(&*self.position.file);
        match self.position.at {
            Some(at) => error.byte(at),
            None => error,
        }
    }
}

/// A parsed header.
pub(crate) struct Header {
    pub(crate) dialect: Dialect,
    pub(crate) entries: Vec<Entry>,
    /// The name of the file for messages.
    pub(crate) file: Arc<str>,
    /// The offset of the data in bytes.
    pub(crate) end: u64,
    /// The number of lines before the data.
    pub(crate) lines: u64,
}

impl Header {
    /// Reads a header up to its end line. A file without a magic line is taken for a header of the
    /// `assumed` dialect; without one it is an error.
    pub(crate) fn read(
        source: &mut Source,
        assumed: Option<Dialect>,
        end: End,
        env: &Env,
    ) -> Result<Self> {
        let magic = magic(source.peek(6)?);
        let Some(dialect) = magic.or(assumed) else {
            return Err(source.malformed("the first line is not .spr").hint(
                "a key header without its first line is read as key, \
                 data without a header with header=none or header=FILE",
            ));
        };
        let file: Arc<str> = source.name().into();
        let mut header = Self {
            dialect,
            entries: Vec::new(),
            file,
            end: 0,
            lines: 0,
        };
        lines::read(source, magic.is_some(), end, env, &mut header)?;
        header.end = source.offset();
        header.understand();
        header.drop_superseded(env);
        Ok(header)
    }

    /// Returns the line with this key, by its spr name.
    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.key() == key.as_bytes())
    }

    /// Returns the line with the kind of data, and the kind. Without `DATA`, the keys `CORPUS` and
    /// `DICTIONARY` define it, and `DICTIONARY` refines a `DES`.
    pub(crate) fn kind(&self) -> Option<(&Entry, &[u8])> {
        let data = (self.entries.iter().rev()).find(|e| match self.dialect {
            Dialect::Spr => e.word == b"DATA",
            Dialect::Key => e.word == b"DATATYPE" || e.word == b"DATA",
        });
        let find = |key: &[u8]| self.entries.iter().rev().find(|e| e.word == key);
        match (data, find(b"DICTIONARY"), find(b"CORPUS")) {
            (Some(data), Some(entry), _) if data.value == b"DES" => Some((entry, b"DICTIONARY")),
            (Some(data), ..) => Some((data, &data.value)),
            (None, Some(entry), _) => Some((entry, b"DICTIONARY")),
            (None, None, Some(entry)) => Some((entry, b"CORPUS")),
            (None, None, None) => None,
        }
    }

    /// Returns `true` if a line only marks the data as a corpus or a dictionary without naming it.
    pub(crate) fn is_nameless(&self, entry: &Entry) -> bool {
        let kind = entry.word == b"CORPUS" || entry.word == b"DICTIONARY";
        self.dialect == Dialect::Key && kind && entry.value == UNNAMED
    }

    /// Returns the name of a key, given by its spr name, in this header's dialect, for messages.
    pub(crate) fn name_of(&self, key: &str) -> String {
        let kind = self.kind().map_or(&b""[..], |(_, kind)| kind);
        match self.get(key) {
            Some(entry) => shown(&entry.word),
            None => shown(self.dialect.name_of(kind, key.as_bytes())),
        }
    }

    /// Returns an error about the bytes of the file at `at`.
    pub(crate) fn error(&self, at: u64, what: impl Into<String>) -> Error {
        Error::malformed(what).file(&*self.file).byte(at)
    }

    /// Finds the spr names of the keys in a key header.
    fn understand(&mut self) {
        if self.dialect == Dialect::Spr {
            return;
        }
        let kind = self.kind().map_or(Vec::new(), |(_, kind)| kind.to_vec());
        for entry in &mut self.entries {
            entry.standard = Dialect::standard(&kind, &entry.word);
        }
        // A matrix may count entries instead of frames.
        let entries = self.entries.iter().rposition(|e| e.key() == b"NENTRY");
        if let (Some(entries), None) = (entries, self.get("DIM1"))
            && kind != b"SAMPLE"
        {
            self.entries[entries].standard = Some("DIM1");
        }
    }

    /// Keeps the last line of each key.
    fn drop_superseded(&mut self, env: &Env) {
        let entries = &self.entries;
        let mut order: Vec<_> = (0..entries.len()).collect();
        order.sort_by_key(|&i| (entries[i].key(), i));
        let mut superseded = vec![false; entries.len()];
        let same = |a: &usize, b: &usize| entries[*a].key() == entries[*b].key();
        for alike in order.chunk_by(same) {
            let [others @ .., last] = alike else { continue };
            others.iter().for_each(|&i| superseded[i] = true);
            let times = match others.len() {
                0 => continue,
                1 => "twice".to_owned(),
                n => format!("{} times", n + 1),
            };
            let word = shown(&entries[*last].word);
            let what = format!("{word} appears {times}; the last one counts");
            env.warn(&entries[*last].error(what));
        }
        let mut superseded = superseded.into_iter();
        self.entries.retain(|_| superseded.next() != Some(true));
    }
}

/// Returns the dialect of the magic line.
pub(crate) fn magic(head: &[u8]) -> Option<Dialect> {
    Dialect::ALL.into_iter().find(|dialect| {
        head.strip_prefix(dialect.magic())
            .is_some_and(|rest| rest.starts_with(b"\n") || rest.starts_with(b"\r\n"))
    })
}

/// Formats bytes of a header for a message.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 60;
    match bytes.get(..MOST) {
        Some(start) => format!("{}…", Key::from(start)),
        None => Key::from(bytes).to_string(),
    }
}

#[cfg(test)]
mod tests;
