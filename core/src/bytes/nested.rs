//! Objects of one format inside another.

use super::{Env, Location, Source};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{AudioFacts, Key, Utterance};

/// The claim of a format to an object by its first bytes.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is not of this format.
    No,
    /// It may be, if it has one of these lengths in bytes.
    Lengths([Option<u64>; 2]),
    /// It has the format's magic bytes.
    Magic,
}

impl Claim {
    /// Returns `true` if an object of `len` bytes is of the format.
    pub fn holds(self, len: Option<u64>) -> bool {
        match self {
            Self::No => false,
            Self::Lengths(lengths) => len.is_some() && lengths.contains(&len),
            Self::Magic => true,
        }
    }
}

/// The end of an object in its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectBounds {
    /// The end of the source: further bytes are an error.
    Whole,
    /// The end according to its own header; other data may follow.
    Own,
}

/// A format of single objects inside containers, such as a WAV file in a Kaldi archive. Containers
/// find it with [`Env::nested`] and need not know other formats.
pub trait Nested: Send + Sync {
    /// Returns the claim to an object by its first bytes.
    fn claim(&self, head: &[u8]) -> Claim;

    /// Reads the object at the current place into `utt`, which was [started](Utterance::start) and
    /// holds no data: its key, and what its container says of it, stay.
    ///
    /// # Errors
    /// It is damaged, or more than the limits allow.
    fn read(
        &self,
        source: &mut Source,
        extent: ObjectBounds,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()>;

    /// Reads the facts about audio in the header of the object at the current position, or none if
    /// it is not audio or has no such header.
    ///
    /// # Errors
    /// The header is damaged.
    fn facts(&self, source: &mut Source, env: &Env) -> Result<AudioFacts>;

    /// Writes the object in `utt` with `put`, which is not called before everything is checked.
    ///
    /// # Errors
    /// The format cannot hold it, or `put` fails.
    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;
}

/// A function that reads the utterance with a key, and returns `false` if there is none. For an
/// object at a position in a file, which has no key, it reads that.
pub type Finder = Box<dyn FnMut(&Key, &mut Utterance) -> Result<bool> + Send>;

/// The formats of objects inside containers, for an [`Env`].
pub trait NestedFormats: Send + Sync {
    /// Returns the format with this name.
    fn nested(&self, name: &str) -> Option<&'static dyn Nested>;

    /// Opens a data set of the named format for lookup, or returns `None` if the format does not
    /// exist.
    fn finder(&self, name: &str, source: Source, env: &Env) -> Option<Result<Finder>>;

    /// Returns the name of the format of objects whose files have this extension.
    fn named(&self, extension: &str) -> Option<&'static str>;

    /// Returns the names and claims of all formats for an object that starts with `head`.
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

    fn named(&self, _extension: &str) -> Option<&'static str> {
        None
    }

    fn claims(&self, _head: &[u8]) -> Vec<(&'static str, Claim)> {
        Vec::new()
    }
}

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

    /// Returns the name of the format of the object in a file, by the file's extension.
    pub fn nested_by_name(&self, file: &Location) -> Option<&'static str> {
        let extension = file.plain().extension()?.to_ascii_lowercase();
        self.formats.named(&extension)
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

fn missing(name: &str) -> Error {
    let message = format!("holds an object of the format {name}, which is not built in");
    Error::unsupported(message)
}
