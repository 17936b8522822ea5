//! URLs as names, and their parts.

/// The supported schemes.
const SCHEMES: [&str; 6] = ["s3", "s3a", "gs", "az", "https", "http"];

/// A URL in its parts.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Url<'a> {
    /// The scheme in small letters.
    pub scheme: &'static str,
    /// The bucket or container; for `https` the host, with its port if there is one.
    pub host: &'a str,
    /// The path after the host and its slash, without the query.
    pub path: &'a str,
    /// The query after the question mark, which only `https` and `http` have. It may be a secret,
    /// because a signed URL grants access.
    pub query: Option<&'a str>,
}

impl<'a> Url<'a> {
    /// Parses a text, or returns `None` if it is not a URL.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_it = |known: &&&str| known.eq_ignore_ascii_case(scheme);
        let scheme = SCHEMES.iter().find(is_it)?;
        let (rest, query) = match rest.split_once('?').filter(|_| scheme.starts_with("http")) {
            Some((rest, query)) => (rest, Some(query)),
            None => (rest, None),
        };
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        Some(Self {
            scheme,
            host,
            path,
            query,
        })
    }

    /// Returns the host without the name and password that may precede it.
    pub(crate) fn server(&self) -> &'a str {
        let at = self.host.rfind('@').map_or(0, |at| at + 1);
        &self.host[at..]
    }

    /// Returns `true` if both are on one server, or in one bucket.
    pub fn is_of_host(&self, other: &Url<'_>) -> bool {
        self.scheme == other.scheme && self.host.eq_ignore_ascii_case(other.host)
    }
}

/// Splits a URL's text into its name, and its query with the question mark.
pub(crate) fn name_and_query(text: &str) -> (&str, &str) {
    match Url::parse(text).and_then(|url| url.query) {
        Some(query) => text.split_at(text.len() - query.len() - 1),
        None => (text, ""),
    }
}

/// Resolves `relative` in the folder `folder`, a URL. The result never leaves the bucket or host.
pub(crate) fn join(folder: &str, relative: &str) -> String {
    let (folder, _) = name_and_query(folder);
    let Some(url) = Url::parse(folder) else {
        return relative.to_owned();
    };
    let mut parts: Vec<_> = url
        .path
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("{}://{}/{}", url.scheme, url.host, parts.join("/"))
}

/// Returns the parent folder of a URL.
pub(crate) fn parent(text: &str) -> Option<String> {
    let url = Url::parse(text)?;
    let path = url.path.trim_end_matches('/');
    if path.is_empty() {
        return None;
    }
    let above = path.rsplit_once('/').map(|(above, _)| above);
    let above = above.map(|above| format!("/{above}")).unwrap_or_default();
    Some(format!("{}://{}{above}", url.scheme, url.host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_cut() {
        let url = Url::parse("HTTPS://h:80/a/b.ark?x=1/2").unwrap();
        assert_eq!(
            (url.scheme, url.host, url.path),
            ("https", "h:80", "a/b.ark")
        );
        assert_eq!(url.query, Some("x=1/2"));
        let url = Url::parse("s3://b/a?.ark").unwrap();
        assert_eq!((url.host, url.path, url.query), ("b", "a?.ark", None));
        for other in ["ark://x", "s3:/b/x", "a/s3://b", "x"] {
            assert_eq!(Url::parse(other), None, "{other}");
        }
    }

    #[test]
    fn names_are_found_in_folders_and_stay_in_the_bucket() {
        for (folder, name, whole) in [
            ("s3://b/d", "x/y", "s3://b/d/x/y"),
            ("s3://b", "x", "s3://b/x"),
            ("s3://b/d/", "./x", "s3://b/d/x"),
            ("s3://b/d", "../x", "s3://b/x"),
            ("s3://b/d", "../../../x", "s3://b/x"),
            ("https://h/d?sig=1", "x", "https://h/d/x"),
        ] {
            assert_eq!(join(folder, name), whole);
        }
        for (name, folder) in [
            ("s3://b/d/x", Some("s3://b/d")),
            ("s3://b/d/", Some("s3://b")),
            ("https://h/x?a=b/c", Some("https://h")),
            ("s3://b/", None),
            ("s3://b", None),
        ] {
            assert_eq!(parent(name).as_deref(), folder);
        }
    }
}
