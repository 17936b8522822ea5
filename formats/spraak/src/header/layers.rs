//! What is known of a file, in layers: keys given with its name, over those of its own header,
//! over those of a header in a file of its own.

use std::collections::HashSet;

use spr_core::Result;
use spr_core::bytes::{Env, Location, Source};

use super::{Dialect, End, Entry, EntryPosition, Header, magic};

/// Where the header of a file is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Where {
    /// In the file itself.
    #[default]
    Inside,
    /// Nowhere.
    Absent,
    /// In a file of its own; the file itself may have one too.
    Outside(Location),
}

/// What the user says of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    pub(crate) header: Where,
    /// Keys by their spr names, and values.
    pub(crate) keys: Vec<(&'static str, Vec<u8>)>,
}

/// Gathers all that is known. The source is left at the first byte of the data.
pub(crate) fn gather(
    source: &mut Source,
    expected: Dialect,
    given: &Given,
    env: &Env,
) -> Result<Header> {
    let assumed = (expected == Dialect::Key).then_some(Dialect::Key);
    let mut header = match &given.header {
        Where::Inside => Header::read(source, assumed, End::Required, env)?,
        Where::Absent => bare(source, expected),
        Where::Outside(file) => {
            let mut beside = env.open_file(file)?;
            let outer = Header::read(&mut beside, Some(expected), End::Optional, env)?;
            match magic(source.peek(6)?) {
                Some(_) => Header::read(source, None, End::Required, env)?.over(outer),
                None => bare(source, outer.dialect).over(outer),
            }
        }
    };
    for (key, value) in &given.keys {
        header.give(key, value);
    }
    Ok(header)
}

/// The header of a file that has none.
fn bare(source: &Source, dialect: Dialect) -> Header {
    Header {
        dialect,
        entries: Vec::new(),
        file: source.name().into(),
        end: source.offset(),
        lines: 0,
    }
}

impl Header {
    /// Takes from `under` what is not said here.
    fn over(mut self, under: Self) -> Self {
        let own: HashSet<_> = self.entries.iter().map(|own| own.key().to_vec()).collect();
        let new = under.entries.into_iter();
        self.entries
            .extend(new.filter(|entry| !own.contains(entry.key())));
        self
    }

    /// Sets a key, by its spr name.
    fn give(&mut self, key: &'static str, value: &[u8]) {
        let entry = Entry {
            word: key.as_bytes().to_vec(),
            standard: None,
            value: value.to_vec(),
            position: EntryPosition {
                file: self.file.clone(),
                at: None,
            },
        };
        match self.entries.iter_mut().find(|e| e.key() == key.as_bytes()) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
    }
}
