//! Script files in memory, for lookup by key.

use spr_core::bytes::{MemoryCounter, Source};
use spr_core::model::Key;
use spr_core::{Error, Limits, Result};

use crate::script_line::split;

/// The lines of a script file by key. They take the memory of the text and 16 bytes per line.
pub(crate) struct Lines {
    name: String,
    text: Vec<u8>,
    /// Sorted by the bytes of the keys.
    lines: Vec<Line>,
}

#[derive(Clone, Copy)]
struct Line {
    start: usize,
    key: u32,
    number: u32,
}

impl Line {
    fn key(self, text: &[u8]) -> &[u8] {
        let key = text.get(self.start..).unwrap_or_default();
        key.get(..self.key as usize).unwrap_or_default()
    }
}

impl Lines {
    /// Reads all of `source`. With `sorted` the keys must already be in order.
    ///
    /// # Errors
    /// A line is not a key and a file name, or a key occurs twice or out of order.
    pub(crate) fn read(source: &mut Source, sorted: bool, limits: &Limits) -> Result<Self> {
        if source.peek(2)? == b"\0B" {
            return Err(source.malformed("a script file is text, this is a binary object"));
        }
        let (mut text, mut lines) = (Vec::new(), Vec::new());
        let mut line = Vec::new();
        let mut held = MemoryCounter::new("a script file");
        for number in 1u32.. {
            if !source.line(&mut line, limits)? {
                break;
            }
            let place = |e: Error| e.file(source.name()).line(number.into());
            let (key, rest) = split(&line).map_err(place)?;
            let size = size_of::<Line>() + key.len() + rest.len();
            held.add(size, source, limits)?;
            let long = |_| place(Error::malformed("the key is too long"));
            lines.push(Line {
                start: text.len(),
                key: u32::try_from(key.len()).map_err(long)?,
                number,
            });
            text.extend_from_slice(key);
            text.push(b' ');
            text.extend_from_slice(rest.as_bytes());
            text.push(b'\n');
        }
        if let Some([before, after]) = out_of_order(&lines, &text) {
            if sorted {
                let message = format!(
                    "the keys are not sorted: it follows {}",
                    shown(before, &text)
                );
                let error = Error::malformed(message).hint("leave out the option s");
                return Err(place(error, source.name(), after, &text));
            }
            lines.sort_unstable_by_key(|line| (line.key(&text), line.number));
        }
        let same = |pair: &&[Line]| matches!(pair, [a, b] if a.key(&text) == b.key(&text));
        if let Some([first, second]) = lines.windows(2).find(same) {
            let message = format!("appears twice, before on line {}", first.number);
            return Err(place(
                Error::malformed(message),
                source.name(),
                *second,
                &text,
            ));
        }
        Ok(Self {
            name: source.name().to_owned(),
            text,
            lines,
        })
    }

    /// Returns the index of `key` among the lines.
    pub(crate) fn find(&self, key: &Key) -> Option<usize> {
        let key = key.as_bytes();
        let found = self
            .lines
            .binary_search_by(|line| line.key(&self.text).cmp(key));
        found.ok()
    }

    /// Returns all keys in the order of the lines.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let mut lines = self.lines.clone();
        lines.sort_unstable_by_key(|line| line.number);
        let keys = lines.iter().map(|line| line.key(&self.text).to_vec());
        keys.map(Key::from).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns the rest of a line after the key.
    pub(crate) fn rest(&self, index: usize) -> &str {
        let Some(line) = self.lines.get(index) else {
            return "";
        };
        let rest = self.text.get(line.start + line.key as usize + 1..);
        let rest = rest.unwrap_or_default();
        let end = rest.iter().position(|b| *b == b'\n');
        // It was checked to be text when it was read.
        std::str::from_utf8(&rest[..end.unwrap_or(rest.len())]).unwrap_or_default()
    }

    /// Adds the line to an error.
    pub(crate) fn place(&self, error: Error, index: usize) -> Error {
        match self.lines.get(index) {
            Some(line) => place(error, &self.name, *line, &self.text),
            None => error.file(&self.name),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// Returns the first two lines whose keys are out of order.
fn out_of_order(lines: &[Line], text: &[u8]) -> Option<[Line; 2]> {
    let pairs = lines
        .windows(2)
        .filter_map(|pair| <[Line; 2]>::try_from(pair).ok());
    pairs.into_iter().find(|[a, b]| a.key(text) > b.key(text))
}

fn shown(line: Line, text: &[u8]) -> Key {
    Key::from(line.key(text))
}

fn place(error: Error, name: &str, line: Line, text: &[u8]) -> Error {
    let known = error.file_name().is_some();
    let error = error.file(name).utterance(&shown(line, text));
    match known {
        true => error,
        false => error.line(line.number.into()),
    }
}
