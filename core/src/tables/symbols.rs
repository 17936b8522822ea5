//! Symbol tables: names and numbers.

use std::collections::HashMap;

use crate::bytes::{Env, Location, MemoryCounter, Source};
use crate::error::{Error, Result};
use crate::model::Key;
use crate::number::parse_integer;

/// Names of labels with their numbers: lines `NAME ID`, as in Kaldi's `phones.txt`.
///
/// ```
/// use std::sync::Arc;
/// use spr_core::Symbols;
/// use spr_core::bytes::{Env, MemoryStore};
///
/// let store = MemoryStore::new();
/// store.insert("phones.txt", b"sil 1\naa 2\n".to_vec());
/// let env = Env::default().with_store(Arc::new(store));
/// let phones = Symbols::read(&"phones.txt".into(), &env)?;
/// assert_eq!(phones.name_of(2), Some(&b"aa"[..]));
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Symbols {
    file: String,
    ids: HashMap<Vec<u8>, i64>,
    names: HashMap<i64, Vec<u8>>,
}

impl Symbols {
    /// Reads all lines.
    ///
    /// # Errors
    /// A line is not a name and an integer, or one of them is repeated.
    pub fn read(file: &Location, env: &Env) -> Result<Self> {
        Self::parse(env.open_file(file)?, env)
    }

    fn parse(mut source: Source, env: &Env) -> Result<Self> {
        let mut table = Self {
            file: source.name().to_owned(),
            ids: HashMap::new(),
            names: HashMap::new(),
        };
        let (mut line, mut number) = (Vec::new(), 0);
        let mut held = MemoryCounter::new("a table of symbols");
        while source.line(&mut line, &env.limits)? {
            number += 1;
            held.add(2 * line.len(), &source, &env.limits)?;
            let place =
                |message: String| Error::malformed(message).file(source.name()).line(number);
            let mut words = line.split(|b| is_blank(*b)).filter(|word| !word.is_empty());
            let (name, id) = match (words.next(), words.next(), words.next()) {
                (Some(name), Some(id), None) => (name, parse_integer(id)),
                (None, ..) => continue,
                _ => return Err(place("a line is 'NAME ID'".to_owned())),
            };
            let id: i64 =
                id.ok_or_else(|| place("the second word is not a whole number".into()))?;
            let shown = Key::from(name);
            if table.ids.insert(name.to_vec(), id).is_some() {
                return Err(place(format!("the name '{shown}' appears twice")));
            }
            if table.names.insert(id, name.to_vec()).is_some() {
                return Err(place(format!("the number {id} appears twice")));
            }
        }
        Ok(table)
    }

    /// Returns the number of a name as digits.
    ///
    /// # Errors
    /// The table has no such name.
    pub fn id(&self, name: &[u8]) -> Result<Vec<u8>, String> {
        match self.ids.get(name) {
            Some(id) => Ok(id.to_string().into_bytes()),
            None => Err(format!("'{}' is not in {}", Key::from(name), self.file)),
        }
    }

    /// Returns the name of a number, if it has one.
    pub fn name_of(&self, id: i64) -> Option<&[u8]> {
        self.names.get(&id).map(Vec::as_slice)
    }

    /// Returns the name of a number given as digits.
    ///
    /// # Errors
    /// The table has no such number, or the digits are not in canonical form.
    pub fn name(&self, id: &[u8]) -> Result<&[u8], String> {
        let number: Option<i64> = parse_integer(id);
        // Only the canonical digits are converted back.
        let known = number.filter(|number| number.to_string().as_bytes() == id);
        match known.and_then(|number| self.names.get(&number)) {
            Some(name) => Ok(name),
            None => Err(format!(
                "'{}' is not a number of {}",
                Key::from(id),
                self.file
            )),
        }
    }
}

/// Returns `true` for white space between the two words.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Symbols> {
        let source = Source::from_bytes("phones.txt", text.as_bytes().to_vec())?;
        Symbols::parse(source, &Env::default())
    }

    #[test]
    fn names_and_numbers() {
        let table = parse("<eps> 0\n\nah\t12\r\n").unwrap();
        assert_eq!(table.id(b"ah").unwrap(), b"12");
        assert_eq!(table.name(b"12").unwrap(), b"ah");
        assert_eq!(table.id(b"b").unwrap_err(), "'b' is not in phones.txt");
        for id in ["012", "13", "x"] {
            let error = table.name(id.as_bytes()).unwrap_err();
            assert_eq!(error, format!("'{id}' is not a number of phones.txt"));
        }
    }

    #[test]
    fn other_lines_are_refused() {
        for (text, message) in [
            ("a\n", "phones.txt:1: a line is 'NAME ID'"),
            ("a 1 2\n", "phones.txt:1: a line is 'NAME ID'"),
            (
                "a 1\nb x\n",
                "phones.txt:2: the second word is not a whole number",
            ),
            ("a 1\na 2\n", "phones.txt:2: the name 'a' appears twice"),
            ("a 1\nb 1\n", "phones.txt:2: the number 1 appears twice"),
        ] {
            assert_eq!(parse(text).err().unwrap().to_string(), message);
        }
    }
}
