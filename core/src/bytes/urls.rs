//! Permission to follow names in files, because the author of a file is not necessarily trusted.
//!
//! Following a URL tells its server who reads, may reach the local network, and sends the user's
//! credentials to the named bucket. A list from a server may name local files that are private.

use super::{Access, Location};
use crate::error::{Error, Remedy, Result};

/// The URLs in files that are followed, if commands are allowed at all. URLs typed by the user are
/// always followed.
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Urls {
    /// Those on the same bucket or server as the file itself.
    #[default]
    Own,
    /// Those, and those on these buckets and servers.
    Hosts(Vec<String>),
    /// All, as well as local files that a list at a URL names.
    All,
}

impl Urls {
    /// Rejects `file`, named by `script`, unless it may be followed.
    ///
    /// # Errors
    /// It may not.
    pub(super) fn check(
        &self,
        script: Option<&Location>,
        file: &Location,
        access: Access,
    ) -> Result<()> {
        let list = script.and_then(Location::url);
        let (message, host) = match (file.url(), list) {
            (None, None) => return Ok(()),
            (None, Some(_)) if *self == Self::All => return Ok(()),
            (None, Some(_)) => {
                let message = format!("refused to open {file}, a local file named behind a URL");
                (message, None)
            }
            (Some(url), _) if access == Access::Safe => {
                let message = format!("refused to open {file}, a URL named in the file");
                (message, Some(url.server()))
            }
            (Some(url), Some(list)) if url.is_of_host(&list) => return Ok(()),
            (Some(url), _) => {
                let server = url.server();
                let bare = server.split(':').next().unwrap_or_default();
                let known = |host: &String| [server, bare].contains(&host.as_str());
                match self {
                    Self::All => return Ok(()),
                    Self::Hosts(hosts) if hosts.iter().any(known) => return Ok(()),
                    _ => {}
                }
                let message = format!("refused to open {file}, a URL named in the file");
                (message, Some(server))
            }
        };
        Err(Error::usage(message).suggest(Remedy::AllowUrls(host.map(str::to_owned))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_is_no_server_that_is_allowed() {
        let hosts = Urls::Hosts(vec!["h".to_owned()]);
        let file = "https://h:word@other:81/x".into();
        let refused = hosts.check(None, &file, Access::Typed).unwrap_err();
        let wanted = Remedy::AllowUrls(Some("other:81".to_owned()));
        assert_eq!(refused.remedy(), Some(&wanted));
    }

    #[test]
    fn only_what_is_near_the_list_is_followed() {
        let hosts = Urls::Hosts(vec!["c".to_owned(), "h".to_owned()]);
        for (script, file, own, some, all, safe) in [
            (
                Some("s3://b/l.scp"),
                "s3://b/x.ark",
                true,
                true,
                true,
                false,
            ),
            (
                Some("s3://b/l.scp"),
                "s3://c/x.ark",
                false,
                true,
                true,
                false,
            ),
            (
                Some("s3://b/l.scp"),
                "gs://b/x.ark",
                false,
                false,
                true,
                false,
            ),
            (
                Some("https://h/l"),
                "https://h:81/x",
                false,
                true,
                true,
                false,
            ),
            (Some("https://h/l"), "http://h/x", false, true, true, false),
            (
                Some("https://h/l"),
                "/etc/passwd",
                false,
                false,
                true,
                false,
            ),
            (Some("l.scp"), "s3://b/x.ark", false, false, true, false),
            (None, "s3://b/x.ark", false, false, true, false),
            (Some("l.scp"), "x.ark", true, true, true, true),
            (None, "/x.ark", true, true, true, true),
        ] {
            let script = script.map(Location::from);
            let try_it =
                |urls: &Urls, access| urls.check(script.as_ref(), &file.into(), access).is_ok();
            let typed = Access::Typed;
            assert_eq!(try_it(&Urls::Own, typed), own, "{file}");
            assert_eq!(try_it(&hosts, typed), some, "{file}");
            assert_eq!(try_it(&Urls::All, typed), all, "{file}");
            let may = try_it(&Urls::Own, Access::Safe);
            assert_eq!(may, safe, "{file}");
        }
    }
}
