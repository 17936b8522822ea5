//! The address of an object.

use object_store::path::Path;
use reqwest::Url;
use spr_core::bytes::{Identity, Location};
use spr_core::{Error, Result};

/// The kind of service whose rules apply to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Service {
    S3,
    Google,
    Azure,
    Http,
}

/// An object, or a prefix of object names.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    pub(crate) service: Service,
    /// The scheme and the bucket or host, as `s3://bucket`.
    pub(crate) base: String,
    /// The bucket or host.
    pub(crate) host: String,
    /// The object name.
    pub(crate) path: Path,
    /// Whether the name ends in a slash, as for folders.
    pub(crate) is_folder: bool,
    /// The whole URL, for a server that is not an object store.
    pub(crate) url: Option<Url>,
}

impl Address {
    /// Parses a URL.
    ///
    /// # Errors
    /// It is not a URL, names no bucket, contains a password, or has a part that is no valid object
    /// name.
    pub(crate) fn of(at: &Location) -> Result<Self> {
        let wrong = |why: &str| Error::usage(why).file(at.to_string());
        let url = at.url().ok_or_else(|| wrong("is no URL"))?;
        if url.host.is_empty() {
            return Err(wrong("names no bucket or server"));
        }
        if url.host.contains('@') {
            return Err(wrong("names and passwords do not belong in a URL"));
        }
        let (service, scheme) = match url.scheme {
            "s3" | "s3a" => (Service::S3, "s3"),
            "gs" => (Service::Google, "gs"),
            "az" => (Service::Azure, "az"),
            other => (Service::Http, other),
        };
        let whole = match service {
            Service::Http => {
                let text = at.as_os_str().to_string_lossy();
                Some(Url::parse(&text).map_err(|e| wrong(&format!("is not a valid URL: {e}")))?)
            }
            _ => None,
        };
        let path = match service {
            Service::Http => Path::default(),
            _ => Path::parse(url.path).map_err(|_| {
                wrong("objects whose names have empty parts, or . and .., are not reached")
            })?,
        };
        Ok(Self {
            service,
            base: format!("{scheme}://{}", url.host.to_ascii_lowercase()),
            host: url.host.to_owned(),
            path,
            is_folder: url.path.is_empty() || url.path.ends_with('/'),
            url: whole,
        })
    }

    /// Returns the normalised name, the same for two spellings of one address.
    pub(crate) fn name(&self) -> String {
        match &self.url {
            Some(url) => format!("{}{}", self.base, url.path().trim_end_matches('/')),
            None if self.path.as_ref().is_empty() => self.base.clone(),
            None => format!("{}/{}", self.base, self.path),
        }
    }

    /// Returns the identity of the object.
    pub(crate) fn identity(&self) -> Identity {
        Identity::new([b"u", self.name().as_bytes()].concat())
    }

    /// Returns the location of another object in the same bucket.
    pub(crate) fn beside(&self, path: &Path) -> Location {
        format!("{}/{path}", self.base).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_place_are_one() {
        let name = |text: &str| Address::of(&text.into()).map(|address| address.name());
        for (one, other) in [
            ("s3://b/x", "s3a://b/x"),
            ("s3://b", "s3://b/"),
            ("https://h/x?sign=1", "HTTPS://H/x"),
            ("https://h/a b", "https://h/a%20b"),
        ] {
            assert_eq!(name(one).unwrap(), name(other).unwrap());
        }
        assert_ne!(name("https://h/x").unwrap(), name("http://h/x").unwrap());
        for wrong in [
            "s3://",
            "https://u:p@h/x",
            "s3://b/a//b",
            "s3://b/../x",
            "x",
        ] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
    }
}
