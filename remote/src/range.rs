//! Byte ranges of an object as it was when it was opened.

use std::io;
use std::ops::Range;
use std::time::{Duration, SystemTime};

use object_store::path::Path;
use object_store::{Attribute, GetOptions, GetRange, GetResult, ObjectMeta};

use crate::address::Service;
use crate::client::Client;

/// The identity of an object's content when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pin {
    tag: Option<String>,
    /// Used if there is no ETag.
    modified: i64,
    pub(crate) length: u64,
}

impl Pin {
    pub(crate) fn of(meta: &ObjectMeta) -> Self {
        Self {
            tag: meta.e_tag.clone(),
            modified: match meta.e_tag {
                None => meta.last_modified.timestamp(),
                Some(_) => 0,
            },
            length: meta.size,
        }
    }

    /// Returns the time of the last change, where it stands for the ETag.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        let seconds = u64::try_from(self.modified).ok().filter(|at| *at > 0)?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
    }

    /// Returns the ETag, if the server sent one.
    pub(crate) fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }
}

/// Requests a byte range of an object.
pub(crate) async fn ask(
    client: &Client,
    path: &Path,
    range: Range<u64>,
    tag: Option<&str>,
) -> object_store::Result<GetResult> {
    // Servers that are no object stores may compare weak ETags by other rules.
    let tag = tag.filter(|tag| client.service != Service::Http && !tag.starts_with("W/"));
    let options = GetOptions {
        range: Some(GetRange::Bounded(range)),
        if_match: tag.map(str::to_owned),
        ..GetOptions::default()
    };
    client.store.get_opts(path, options).await
}

/// Rejects a response that was compressed in transit, because offsets would not match.
pub(crate) fn check_coding(answer: &GetResult, service: Service) -> io::Result<()> {
    let coding = answer.attributes.get(&Attribute::ContentEncoding);
    match coding.map(AsRef::as_ref) {
        // An object store reports the encoding of the stored object.
        None | Some("" | "identity") => Ok(()),
        Some(_) if service != Service::Http => Ok(()),
        Some(coding) => Err(io::Error::other(format!(
            "the server sends it packed by {coding}, though it was asked not to"
        ))),
    }
}
