//! The name of a file or folder in a store.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::url::{self, Url};

/// The name of a file or folder in a [`Store`](crate::bytes::Store). It is text with parts
/// separated by `/`, and may contain any bytes that the system allows in names. Nothing here
/// accesses the store. A name that begins with `s3://`, `gs://`, `az://`, `https://` or the like is
/// a [URL](Self::url). On Windows `\` is read as `/`, as the system reads it, and `C:/` is a root.
///
/// In text form, bytes that are not UTF-8 are represented by private characters, so that the text
/// of any name converts back to the same name.
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
    /// Creates a name of a text as the system has it.
    fn new(text: OsString) -> Self {
        #[cfg(windows)]
        if let Some(slashed) = text.to_str().and_then(slashed) {
            return Self(slashed.into());
        }
        Self(text)
    }

    /// Returns the last part, unless it is `..` or the root.
    pub fn name(&self) -> Option<&OsStr> {
        self.text().file_name()
    }

    /// Returns the last part without its extension.
    pub fn stem(&self) -> Option<&OsStr> {
        self.text().file_stem()
    }

    /// Returns the text after the last point of the last part, unless the point comes first or the
    /// text is not UTF-8.
    pub fn extension(&self) -> Option<&str> {
        self.text().extension()?.to_str()
    }

    /// Returns the parent folder, or `None` for a single part and for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        if let Some(text) = self.url_text() {
            return url::parent(text).map(Into::into);
        }
        let parent = self.text().parent()?;
        (!parent.as_os_str().is_empty()).then(|| parent.into())
    }

    /// Resolves `relative` in this folder. Returns `relative` itself if it is absolute.
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

    /// Appends `suffix`, such as `.scp`; in a URL, before its query.
    #[must_use]
    pub fn with_suffix(&self, suffix: &str) -> Self {
        let mut name = self.text().as_os_str().to_owned();
        name.push(suffix);
        name.push(self.query());
        Self::new(name)
    }

    /// Replaces the extension, given without the point, or removes it with `""`.
    #[must_use]
    pub fn with_extension(&self, extension: &str) -> Self {
        let mut name = self.text().with_extension(extension).into_os_string();
        name.push(self.query());
        Self::new(name)
    }

    /// Returns `true` if the name is relative to the working folder. On Windows `/x` is not, although
    /// its drive is that of the working folder.
    pub fn is_relative(&self) -> bool {
        !self.is_url() && !self.text().has_root()
    }

    /// Returns the parts of a URL, if it is one.
    pub fn url(&self) -> Option<Url<'_>> {
        Url::parse(self.to_str()?)
    }

    /// Returns `true` for a URL.
    pub fn is_url(&self) -> bool {
        self.url().is_some()
    }

    /// Returns the text for messages, without queries of URLs, which may be secrets.
    pub fn told(&self) -> String {
        crate::text::discreet(&self.to_string()).into_owned()
    }

    /// Returns the text of a URL.
    fn url_text(&self) -> Option<&str> {
        self.to_str().filter(|_| self.is_url())
    }

    /// Returns the query of a URL with its question mark.
    fn query(&self) -> &str {
        self.url_text()
            .map_or("", |text| url::name_and_query(text).1)
    }

    /// Returns `true` if it is `folder` or inside it, according to the text.
    pub fn is_within(&self, folder: &Self) -> bool {
        self.text().starts_with(folder.text())
    }

    /// Returns the name relative to `folder`, if it is inside it.
    #[must_use]
    pub fn relative_to(&self, folder: &Self) -> Option<Self> {
        self.text().strip_prefix(folder.text()).ok().map(Into::into)
    }

    /// Returns the text.
    pub fn as_os_str(&self) -> &OsStr {
        &self.0
    }

    /// Creates a name of these bytes. Returns `None` if the system's names are not bytes and it is
    /// not UTF-8.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            Some(Self::new(OsStr::from_bytes(bytes).to_owned()))
        }
        #[cfg(not(unix))]
        {
            let text = std::str::from_utf8(bytes).ok()?;
            Some(Self::new(text.into()))
        }
    }

    /// Returns the text, if it is UTF-8.
    pub fn to_str(&self) -> Option<&str> {
        self.0.to_str()
    }

    /// Returns the path in the local file system, to pass it to another program, or `None` if there
    /// is none. For reading and writing use an [`Env`](crate::bytes::Env): only that knows the
    /// store, and which files are inputs.
    pub fn local_path(&self) -> Option<&Path> {
        let holds_nul = self.0.as_encoded_bytes().contains(&0);
        (!holds_nul && !self.is_url()).then(|| self.text())
    }

    /// Returns the path for the local store.
    pub(crate) fn path(&self) -> &Path {
        self.text()
    }

    /// Returns the text without a query as a path, for its rules of splitting.
    fn text(&self) -> &Path {
        match self.url_text() {
            Some(text) => Path::new(url::name_and_query(text).0),
            None => Path::new(&self.0),
        }
    }
}

/// Returns a name of Windows with `/` between its parts, if it has a `\` there. Names that begin with
/// `\\?\` are taken by the system as they are, and URLs are not the system's.
#[cfg(any(windows, test))]
fn slashed(text: &str) -> Option<String> {
    let is_plain = text.starts_with(r"\\?\") || Url::parse(text).is_some();
    (text.contains('\\') && !is_plain).then(|| text.replace('\\', "/"))
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(unix)]
        {
            crate::text::spelt(self.0.as_encoded_bytes()).fmt(f)
        }
        #[cfg(not(unix))]
        {
            Path::new(&self.0).display().fmt(f)
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
                Self::new(text.into())
            }
        })*
    };
}

from!(&OsStr, OsString, &Path, PathBuf, &PathBuf);

impl From<&str> for Location {
    fn from(text: &str) -> Self {
        Self::of_bytes(&crate::text::bytes_of(text)).unwrap_or_else(|| Self::new(text.into()))
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
    fn names_of_windows_have_slashes() {
        for (text, name) in [
            (r"C:\x\a.ark", Some("C:/x/a.ark")),
            (r"\\server\share\a", Some("//server/share/a")),
            (r"a\b/c", Some("a/b/c")),
            (r"\\?\C:\x", None),
            (r"https://h/a\b", None),
            ("C:/x/a.ark", None),
        ] {
            assert_eq!(slashed(text).as_deref(), name, "{text}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn drives_are_roots() {
        let name = Location::from(r"C:\x").join(r"d\a.ark");
        assert_eq!(name.to_str(), Some("C:/x/d/a.ark"));
        assert_eq!(name.parent(), Some("C:/x/d".into()));
        assert_eq!(name.relative_to(&"C:/x".into()), Some("d/a.ark".into()));
        assert!(!name.is_relative() && !name.is_url());
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
