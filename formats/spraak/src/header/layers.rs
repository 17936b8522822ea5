//! The layered description of a file: keys in the argument override those in its header, which
//! override those in a separate header file.

use std::collections::HashSet;

use spr_core::Result;
use spr_core::bytes::{Env, Location, Source};

use super::{Dialect, End, Entry, EntryPosition, Header, magic};

/// The place of a file's header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum HeaderPlace {
    /// The file itself.
    #[default]
    Inside,
    /// No header.
    Absent,
    /// A separate file; the file itself may have one as well.
    Outside(Location),
}

/// The description of a file in the argument.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileDescription {
    pub(crate) header: HeaderPlace,
    /// Keys by their spr names, and values.
    pub(crate) keys: Vec<(&'static str, Vec<u8>)>,
}

/// Combines all layers. The source is left at the first byte of the data.
pub(crate) fn gather(
    source: &mut Source,
    expected: Dialect,
    given: &FileDescription,
    env: &Env,
) -> Result<Header> {
    let assumed = (expected == Dialect::Key).then_some(Dialect::Key);
    let mut header = match &given.header {
        HeaderPlace::Inside => Header::read(source, assumed, End::Required, env)?,
        HeaderPlace::Absent => bare(source, expected),
        HeaderPlace::Outside(file) => {
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

/// Returns an empty header for a file without one.
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
    /// Adds the keys of `under` that are missing here.
    fn over(mut self, under: Self) -> Self {
        let own: HashSet<_> = self.entries.iter().map(|own| own.key().to_vec()).collect();
        let new = under.entries.into_iter();
        self.entries
            .extend(new.filter(|entry| !own.contains(entry.key())));
        self
    }

    /// Sets a key by its spr name.
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
