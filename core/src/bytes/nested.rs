//! Objects of one format inside another.

use super::{Env, Source};
use crate::model::{AudioFacts, Key, Utterance};
use crate::{Error, ErrorKind, Result};

/// What the first bytes of an object say for a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is not of this format.
    No,
    /// It may be, if it has one of these lengths in bytes.
    Lengths([Option<u64>; 2]),
    /// Magic bytes say that it is.
    Magic,
}

impl Claim {
    /// Whether an object of `len` bytes is of the format.
    pub fn holds(self, len: Option<u64>) -> bool {
        match self {
            Self::No => false,
            Self::Lengths(lengths) => len.is_some() && lengths.contains(&len),
            Self::Magic => true,
        }
    }
}

/// How far an object reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// To the end of the source: what follows it is an error.
    Whole,
    /// As far as its own header says; something else may follow.
    Own,
}

/// A format of single objects that can stand inside a container, such as a wave file in a Kaldi
/// archive. Containers find it through [`Env::nested`] and know no other format themselves.
pub trait Nested: Send + Sync {
    /// What the first bytes of an object say.
    fn claim(&self, head: &[u8]) -> Claim;

    /// Reads the object at the current place into `utt`, which was
    /// [started](Utterance::start): its key, and what its container says of it, stay.
    ///
    /// # Errors
    /// It is damaged, or more than the limits allow.
    fn read(
        &self,
        source: &mut Source,
        extent: Extent,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()>;

    /// What the header of the object at the current place says of sound; nothing, if it is none, or
    /// if only all of it would tell.
    ///
    /// # Errors
    /// The header is damaged.
    fn facts(&self, source: &mut Source, env: &Env) -> Result<AudioFacts>;

    /// Writes the object that `utt` holds through `put`, which is not called before all is checked.
    ///
    /// # Errors
    /// The format can't hold it, or `put` fails.
    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;
}

/// Reads the utterance of a name; `false` if there is none. Of an object at a place in a file, which
/// has no name, it reads that.
pub type Finder = Box<dyn FnMut(&Key, &mut Utterance) -> Result<bool> + Send>;

/// The formats whose objects can stand inside containers: what an [`Env`] asks.
pub trait NestedFormats: Send + Sync {
    /// The format of this name.
    fn nested(&self, name: &str) -> Option<&'static dyn Nested>;

    /// Opens a data set of the format of this name, to look utterances up in it; `None` if the format
    /// is not there.
    fn finder(&self, name: &str, source: Source, env: &Env) -> Option<Result<Finder>>;

    /// What the formats say of an object that starts with `head`: names and claims.
    fn claims(&self, head: &[u8]) -> Vec<(&'static str, Claim)>;
}

/// No formats.
pub(super) struct NoFormats;

impl NestedFormats for NoFormats {
    fn nested(&self, _name: &str) -> Option<&'static dyn Nested> {
        None
    }

    fn finder(&self, _: &str, _: Source, _: &Env) -> Option<Result<Finder>> {
        None
    }

    fn claims(&self, _head: &[u8]) -> Vec<(&'static str, Claim)> {
        Vec::new()
    }
}

impl Env {
    /// The format called `name`, whose objects stand inside a container.
    ///
    /// # Errors
    /// It is not built in.
    pub fn nested(&self, name: &str) -> Result<&'static dyn Nested> {
        self.formats.nested(name).ok_or_else(|| missing(name))
    }

    /// Opens a data set of the format called `name`, to look utterances up in it.
    ///
    /// # Errors
    /// The format is not built in, or does not open it.
    pub fn finder(&self, name: &str, source: Source) -> Result<Finder> {
        let found = self.formats.finder(name, source, self);
        found.unwrap_or_else(|| Err(missing(name)))
    }

    /// The format of an object that starts with `head` by its magic bytes, by name.
    pub fn nested_by_magic(&self, head: &[u8]) -> Option<&'static str> {
        let claims = self.formats.claims(head);
        let magic = claims.into_iter().find(|(_, claim)| *claim == Claim::Magic);
        magic.map(|(name, _)| name)
    }

    /// The format of an object of `len` bytes that starts with `head` and whose length tells what it
    /// is, by name.
    pub fn nested_by_length(&self, head: &[u8], len: u64) -> Option<&'static str> {
        let claims = self.formats.claims(head);
        let fits = |(_, claim): &(_, Claim)| *claim != Claim::Magic && claim.holds(Some(len));
        claims.into_iter().find(fits).map(|(name, _)| name)
    }

    /// The lengths that an object which starts with `head` may have, each with the name of the
    /// format that it would be of.
    pub fn nested_lengths(&self, head: &[u8]) -> Vec<(&'static str, u64)> {
        let mut all = Vec::new();
        for (name, claim) in self.formats.claims(head) {
            if let Claim::Lengths(lengths) = claim {
                all.extend(lengths.into_iter().flatten().map(|len| (name, len)));
            }
        }
        all
    }

    /// The format of the object that is all that is left of `source`.
    ///
    /// # Errors
    /// No format that is built in knows it.
    pub fn nested_by_content(&self, source: &mut Source) -> Result<&'static dyn Nested> {
        /// Bytes that a format may look at.
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

fn missing(name: &str) -> Error {
    let message = format!("holds an object of the format {name}, which is not built in");
    Error::unsupported(message)
}
