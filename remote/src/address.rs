//! Where an object is.

use object_store::path::Path;
use reqwest::Url;
use spr_core::bytes::{Identity, Location};
use spr_core::{Error, Result};

/// Whose rules a place goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Service {
    S3,
    Google,
    Azure,
    Http,
}

/// An object, or what its name begins with.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    pub(crate) service: Service,
    /// The scheme and the bucket or host, as `s3://bucket`.
    pub(crate) base: String,
    /// The bucket or host.
    pub(crate) host: String,
    /// The name in there.
    pub(crate) path: Path,
    /// Whether the name ends in a slash, as that of a folder does.
    pub(crate) is_folder: bool,
    /// All of it, if it is on a server that is no object store.
    pub(crate) url: Option<Url>,
}

impl Address {
    /// Takes a URL apart.
    ///
    /// # Errors
    /// It is none, names no bucket, has a password, or a part that objects can't be called.
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

    /// The name as it counts: two spellings of one place give the same.
    pub(crate) fn name(&self) -> String {
        match &self.url {
            Some(url) => format!("{}{}", self.base, url.path().trim_end_matches('/')),
            None if self.path.as_ref().is_empty() => self.base.clone(),
            None => format!("{}/{}", self.base, self.path),
        }
    }

    /// By what the place is known.
    pub(crate) fn identity(&self) -> Identity {
        Identity::new([b"u", self.name().as_bytes()].concat())
    }

    /// Another object of the same bucket.
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
