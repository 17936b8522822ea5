//! Parts of an object, as it was when it was opened.

use std::io;
use std::ops::Range;

use object_store::path::Path;
use object_store::{Attribute, GetOptions, GetRange, GetResult, ObjectMeta};

use crate::address::Service;
use crate::client::Client;

/// What an object was when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pin {
    tag: Option<String>,
    /// Of use where there is no tag.
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

    /// The tag that tells this content from others, where the server has one.
    pub(crate) fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }
}

/// Asks for a part of an object.
pub(crate) async fn ask(
    client: &Client,
    path: &Path,
    range: Range<u64>,
    tag: Option<&str>,
) -> object_store::Result<GetResult> {
    // Servers that are no object stores may compare tags by rules of their own.
    let tag = tag.filter(|tag| client.service != Service::Http && !tag.starts_with("W/"));
    let options = GetOptions {
        range: Some(GetRange::Bounded(range)),
        if_match: tag.map(str::to_owned),
        ..GetOptions::default()
    };
    client.store.get_opts(path, options).await
}

/// Refuses what somebody on the way has packed: places in it would be others.
pub(crate) fn check_coding(answer: &GetResult, service: Service) -> io::Result<()> {
    let coding = answer.attributes.get(&Attribute::ContentEncoding);
    match coding.map(AsRef::as_ref) {
        // An object store says what the object is, which was put there so.
        None | Some("" | "identity") => Ok(()),
        Some(_) if service != Service::Http => Ok(()),
        Some(coding) => Err(io::Error::other(format!(
            "the server sends it packed by {coding}, though it was asked not to"
        ))),
    }
}
