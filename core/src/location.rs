//! The name of a file or folder in a store.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::url::{self, Url};

/// The name of a file or folder in a [`Store`](crate::bytes::Store). It is text whose parts are set apart
/// by `/`, and may hold any bytes that the system allows in names. What it leads to, only the store
/// knows: nothing here looks at a disk. One that begins with `s3://`, `gs://`, `az://`, `https://` or
/// the like is a [URL](Self::url).
///
/// As text, bytes that are not UTF-8 are stood for by characters that are nobody's, so that the text
/// of any name makes the same name again.
///
/// ```
/// use spr_core::bytes::Location;
/// let file = Location::from("corpus/ann-1.spr.gz");
/// assert_eq!(file.extension(), Some("gz"));
/// assert_eq!(file.plain(), Location::from("corpus/ann-1.spr"));
/// assert_eq!(file.parent().unwrap().join("bob-1.spr").to_string(), "corpus/bob-1.spr");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Location(OsString);

impl Location {
    /// The last part, if it is the name of something: neither `..` nor the root.
    pub fn name(&self) -> Option<&OsStr> {
        self.text().file_name()
    }

    /// The last part without its extension.
    pub fn stem(&self) -> Option<&OsStr> {
        self.text().file_stem()
    }

    /// What follows the last point of the last part, unless that begins the part or is not UTF-8.
    pub fn extension(&self) -> Option<&str> {
        self.text().extension()?.to_str()
    }

    /// The folder that it names something in; `None` for a single part, and for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        if let Some(text) = self.url_text() {
            return url::parent(text).map(Into::into);
        }
        let parent = self.text().parent()?;
        (!parent.as_os_str().is_empty()).then(|| parent.into())
    }

    /// What `relative` names in this folder; `relative` itself if it starts at a root.
    #[must_use]
    pub fn join(&self, relative: impl Into<Self>) -> Self {
        let relative = relative.into();
        if relative.is_url() {
            return relative;
        }
        match self.url_text().zip(relative.to_str()) {
            Some((folder, name)) if relative.is_relative() => url::join(folder, name).into(),
            _ => self.text().join(relative.0).into(),
        }
    }

    /// The name with `suffix` behind it, such as `.scp`; of a URL, before its query.
    #[must_use]
    pub fn with_suffix(&self, suffix: &str) -> Self {
        let mut name = self.text().as_os_str().to_owned();
        name.push(suffix);
        name.push(self.query());
        Self(name)
    }

    /// The name with another extension, given without the point; with `""`, without one.
    #[must_use]
    pub fn with_extension(&self, extension: &str) -> Self {
        let mut name = self.text().with_extension(extension).into_os_string();
        name.push(self.query());
        Self(name)
    }

    /// Whether it starts at the working folder, not at a root.
    pub fn is_relative(&self) -> bool {
        !self.is_url() && self.text().is_relative()
    }

    /// Its parts, if it is a URL.
    pub fn url(&self) -> Option<Url<'_>> {
        Url::parse(self.to_str()?)
    }

    /// Whether it is a URL.
    pub fn is_url(&self) -> bool {
        self.url().is_some()
    }

    /// The text without what is not to be told of URLs: their queries, which may be secrets.
    pub fn told(&self) -> String {
        spr_text::discreet(&self.to_string()).into_owned()
    }

    /// The text of a URL.
    fn url_text(&self) -> Option<&str> {
        self.to_str().filter(|_| self.is_url())
    }

    /// The query of a URL with its question mark.
    fn query(&self) -> &str {
        self.url_text()
            .map_or("", |text| url::name_and_query(text).1)
    }

    /// Whether it is `folder` or something in it, as far as the text tells.
    pub fn is_within(&self, folder: &Self) -> bool {
        self.text().starts_with(folder.text())
    }

    /// Its name from `folder` on, if it is within that.
    #[must_use]
    pub fn relative_to(&self, folder: &Self) -> Option<Self> {
        self.text().strip_prefix(folder.text()).ok().map(Into::into)
    }

    /// The text.
    pub fn as_os_str(&self) -> &OsStr {
        &self.0
    }

    /// The name of these bytes; `None` where names are not made of bytes and it is not UTF-8.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            Some(Self(OsStr::from_bytes(bytes).to_owned()))
        }
        #[cfg(not(unix))]
        {
            std::str::from_utf8(bytes).ok().map(Self::from)
        }
    }

    /// The text, if it is UTF-8.
    pub fn to_str(&self) -> Option<&str> {
        self.0.to_str()
    }

    /// The path that it is in the local file system, to hand it to another program; `None` if it
    /// can be none. To read and write what it names, use an [`Env`](crate::bytes::Env): only that knows
    /// the store, and which files are inputs.
    pub fn local_path(&self) -> Option<&Path> {
        let holds_nul = self.0.as_encoded_bytes().contains(&0);
        (!holds_nul && !self.is_url()).then(|| self.text())
    }

    /// The path for the local store.
    pub(crate) fn path(&self) -> &Path {
        self.text()
    }

    /// The text without a query, cut into parts, for which it takes the rules of paths.
    fn text(&self) -> &Path {
        match self.url_text() {
            Some(text) => Path::new(url::name_and_query(text).0),
            None => Path::new(&self.0),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(unix)]
        {
            spr_text::spelt(self.0.as_encoded_bytes()).fmt(f)
        }
        #[cfg(not(unix))]
        {
            self.text().display().fmt(f)
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

macro_rules! from {
    ($($text:ty),*) => {
        $(impl From<$text> for Location {
            fn from(text: $text) -> Self {
                Self(text.into())
            }
        })*
    };
}

from!(&OsStr, OsString, &Path, PathBuf, &PathBuf);

impl From<&str> for Location {
    fn from(text: &str) -> Self {
        Self::of_bytes(&spr_text::bytes_of(text)).unwrap_or_else(|| Self(text.into()))
    }
}

impl From<String> for Location {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<&String> for Location {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<&Location> for Location {
    fn from(location: &Location) -> Self {
        location.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_grow_and_lose_parts() {
        let name = Location::from("a/b.ark");
        assert_eq!(name.with_suffix(".x").to_str(), Some("a/b.ark.x"));
        assert_eq!(name.with_extension("scp").to_str(), Some("a/b.scp"));
        assert_eq!(name.parent(), Some("a".into()));
        assert_eq!(name.parent().unwrap().parent(), None);
        assert_eq!(name.join("/c"), Location::from("/c"));
        assert!(!Location::from("ab/c").is_within(&"a".into()));
    }

    #[test]
    fn urls_are_names_as_well() {
        let name = Location::from("https://h/d/b.pkl?sign=a/b.c,d");
        assert_eq!(name.extension(), Some("pkl"));
        assert_eq!(
            name.with_suffix(".x"),
            "https://h/d/b.pkl.x?sign=a/b.c,d".into()
        );
        assert_eq!(
            name.with_extension("y"),
            "https://h/d/b.y?sign=a/b.c,d".into()
        );
        assert_eq!(name.parent(), Some("https://h/d".into()));
        let folder = Location::from("s3://b/d");
        assert_eq!(folder.join("x/y"), "s3://b/d/x/y".into());
        assert_eq!(folder.join("/x"), "/x".into());
        assert_eq!(Location::from("x").join("s3://c/y"), "s3://c/y".into());
        assert_eq!(folder.join("x").relative_to(&folder), Some("x".into()));
        assert!(!folder.is_relative() && folder.local_path().is_none());
        assert!(folder.join("x").is_within(&"s3://b".into()));
    }
}
