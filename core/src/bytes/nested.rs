//! Objects of one format inside another.

use super::env::{Finder, Nested};
use super::object::Claim;
use super::{Env, Location, Locator, Source};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Key, Utterance};

impl Env {
    /// Returns the format called `name` for objects inside containers.
    ///
    /// # Errors
    /// It is not available.
    pub fn nested(&self, name: &str) -> Result<&'static dyn Nested> {
        self.formats.nested(name).ok_or_else(|| missing(name))
    }

    /// Opens a data set of the format called `name` for lookup.
    ///
    /// # Errors
    /// The format is not available, or cannot open it.
    pub fn finder(&self, name: &str, source: Source) -> Result<Finder> {
        let found = self.formats.finder(name, source, self);
        found.unwrap_or_else(|| Err(missing(name)))
    }

    /// Returns the name of the format of sound files with this extension.
    pub fn sound_by_extension(&self, extension: &str) -> Option<&'static str> {
        self.formats.sound_by_extension(extension)
    }

    /// Returns the name of the format of an object that starts with `head`, by its magic bytes.
    pub fn nested_by_magic(&self, head: &[u8]) -> Option<&'static str> {
        let claims = self.formats.claims(head);
        let magic = claims.into_iter().find(|(_, claim)| *claim == Claim::Magic);
        magic.map(|(name, _)| name)
    }

    /// Returns the name of the format of an object of `len` bytes that starts with `head`, by its
    /// length.
    pub fn nested_by_length(&self, head: &[u8], len: u64) -> Option<&'static str> {
        let claims = self.formats.claims(head);
        let fits = |(_, claim): &(_, Claim)| *claim != Claim::Magic && claim.holds(Some(len));
        claims.into_iter().find(fits).map(|(name, _)| name)
    }

    /// Returns the possible lengths of an object that starts with `head`, each with the name of its
    /// format.
    pub fn nested_lengths(&self, head: &[u8]) -> Vec<(&'static str, u64)> {
        let mut all = Vec::new();
        for (name, claim) in self.formats.claims(head) {
            if let Claim::Lengths(lengths) = claim {
                all.extend(lengths.into_iter().flatten().map(|len| (name, len)));
            }
        }
        all
    }

    /// Returns the format of the object that is the rest of `source`.
    ///
    /// # Errors
    /// No available format recognises it.
    pub fn nested_by_content(&self, source: &mut Source) -> Result<&'static dyn Nested> {
        /// The number of bytes that a format may inspect.
        const HEAD: usize = 64;
        let len = source.remaining();
        let head = source.peek(HEAD)?;
        let name = self
            .nested_by_magic(head)
            .or_else(|| self.nested_by_length(head, len?));
        match name {
            Some(name) => self.nested(name),
            None => Err(source.error(ErrorKind::Unrecognised, "no format that is built in")),
        }
    }
}

/// Files of other formats that are open for lookup: those that were used last.
pub struct Finders {
    env: Env,
    /// The last one used at the end.
    open: Vec<(Location, Finder)>,
}

impl Finders {
    /// The largest number of files that are open.
    const OPEN: usize = 8;

    /// Creates an empty list.
    pub fn new(env: &Env) -> Self {
        Self {
            env: env.clone(),
            open: Vec::new(),
        }
    }

    /// Reads the utterance `key` of a file of the format called `name`, which `list` names. Returns `false` if there
    /// is none.
    ///
    /// # Errors
    /// The file can't be opened or read, or the format is not available.
    pub fn find(
        &mut self,
        name: &str,
        (list, file): (Option<&Location>, &Location),
        key: &Key,
        utt: &mut Utterance,
    ) -> Result<bool> {
        let at = self.open.iter().position(|(open, _)| open == file);
        let (file, mut find) = match at {
            Some(at) => self.open.remove(at),
            None => {
                let source = self.env.open_from(list, &Locator::File(file.clone()))?;
                (file.clone(), self.env.finder(name, source)?)
            }
        };
        let found = find(key, utt);
        // After some faults nothing more can be found there.
        if found.as_ref().err().is_none_or(Error::can_continue) {
            if self.open.len() == Self::OPEN {
                drop(self.open.remove(0));
            }
            self.open.push((file, find));
        }
        found
    }
}

fn missing(name: &str) -> Error {
    let message = format!("holds an object of the format {name}, which is not built in");
    Error::unsupported(message)
}
