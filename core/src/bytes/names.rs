//! What the names of files say of what is in them.

use super::{Codec, Env, FileKind, Location, Source};
use crate::Result;
use crate::model::{Key, KeySource};

impl Location {
    /// The compression that the extension asks for.
    pub fn codec(&self) -> Option<Codec> {
        Codec::of_extension(self.extension()?)
    }

    /// The name without the extension of a [`Codec`].
    #[must_use]
    pub fn plain(&self) -> Self {
        match self.codec() {
            Some(_) => self.with_extension(""),
            None => self.clone(),
        }
    }
}

/// The key that the name of a file gives: without folder, extension and compression.
pub fn key_of_file(file: &Location) -> Key {
    Key::from(file.plain().stem().unwrap_or_default().as_encoded_bytes())
}

impl Env {
    /// The key of the one utterance of a source: the name of its file, or, if it is a pipe or in
    /// memory, one that is made up.
    ///
    /// # Errors
    /// The system refuses to say whether it is a file.
    pub fn key_of(&self, source: &Source) -> Result<(Key, KeySource)> {
        if let Some(location) = source.location()
            && let Some(look) = self.look(location)?
            && look.kind == FileKind::File
        {
            return Ok((key_of_file(location), KeySource::Stored));
        }
        Ok((Key::generated(0), KeySource::Generated))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_codec_is_stripped_once() {
        for (name, plain) in [
            ("a.ark.gz", "a.ark"),
            ("d.gz/a.ark", "d.gz/a.ark"),
            (".gz", ".gz"),
            ("a.gz.zst", "a.gz"),
        ] {
            assert_eq!(Location::from(name).plain(), Location::from(plain));
        }
        assert_eq!(key_of_file(&"d/a.b.spr.gz".into()), Key::from("a.b"));
    }

    #[cfg(unix)]
    #[test]
    fn any_bytes_are_kept() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let name = Location::from(OsStr::from_bytes(b"d/\xff.ark.gz"));
        assert_eq!(name.to_str(), None);
        assert_eq!(name.codec(), Some(Codec::Gzip));
        assert_eq!(key_of_file(&name), Key::from(&b"\xff"[..]));
        assert!(name.is_within(&"d".into()));
        assert_eq!(
            Location::from("d").join(name.relative_to(&"d".into()).unwrap()),
            name
        );
    }
}
