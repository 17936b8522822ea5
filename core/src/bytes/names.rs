//! Information in file names.

use super::{Codec, Env, FileKind, Location, Source};
use crate::error::Result;
use crate::model::{Key, KeySource};

impl Location {
    /// Returns the compression implied by the extension.
    pub fn codec(&self) -> Option<Codec> {
        Codec::of_extension(self.extension()?)
    }

    /// Returns the name without the extension of a [`Codec`].
    #[must_use]
    pub fn plain(&self) -> Self {
        match self.codec() {
            Some(_) => self.with_extension(""),
            None => self.clone(),
        }
    }
}

/// Returns the key for a file name: without folder, extension and compression.
pub fn key_of_file(file: &Location) -> Key {
    Key::from(file.plain().stem().unwrap_or_default().as_encoded_bytes())
}

/// Returns the key of a file in a folder: its relative path without extension and compression.
pub fn key_in_folder(file: &Location, folder: &Location) -> Option<Key> {
    let inside = file.plain().with_extension("").relative_to(folder)?;
    Some(Key::from(inside.as_os_str().as_encoded_bytes()))
}

impl Env {
    /// Returns an environment in which files below `folder` form one data set, and have keys
    /// relative to it.
    #[must_use]
    pub fn below(&self, folder: Location) -> Self {
        let mut env = self.clone();
        env.folder = Some(folder);
        env
    }

    /// Returns the key of the only utterance of a source: the name of its file, with the folders
    /// relative to [`below`](Self::below). A pipe or source in memory gets a generated key.
    ///
    /// # Errors
    /// The file system refuses to tell whether it is a file.
    pub fn key_of(&self, source: &Source) -> Result<(Key, KeySource)> {
        if let Some(location) = source.location()
            && let Some(look) = self.look(location)?
            && look.kind == FileKind::File
        {
            let folder = self.folder.as_ref();
            let inside = folder.and_then(|folder| key_in_folder(location, folder));
            let key = inside.unwrap_or_else(|| key_of_file(location));
            return Ok((key, KeySource::Stored));
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
        let file = "d/a.b.spr.gz".into();
        assert_eq!(key_of_file(&file), Key::from("a.b"));
        assert_eq!(key_in_folder(&file, &"".into()), Some(Key::from("d/a.b")));
        assert_eq!(key_in_folder(&file, &"d".into()), Some(Key::from("a.b")));
        assert_eq!(key_in_folder(&file, &"e".into()), None);
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
