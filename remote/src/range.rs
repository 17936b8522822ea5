//! Parts of an object, as it was when it was opened.

use std::io;
use std::ops::Range;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use object_store::path::Path;
use object_store::{Attribute, GetOptions, GetRange, GetResult, ObjectMeta};

use crate::address::Service;
use crate::client::Client;
use crate::fault;

/// How often a block is asked for where the library does not ask again by itself.
const TRIES: u32 = 3;
/// Before it is asked for again; then ever longer.
const PAUSE: Duration = Duration::from_millis(200);

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

/// The bytes of an answer, of which there are to be `wanted` and no more.
pub(crate) async fn take(answer: GetResult, service: Service, wanted: u64) -> io::Result<Bytes> {
    check_coding(&answer, service)?;
    let mut bytes = BytesMut::with_capacity(usize::try_from(wanted).unwrap_or_default());
    let mut body = answer.into_stream();
    while let Some(piece) = body.next().await {
        bytes.extend_from_slice(&piece.map_err(|e| fault::of(service, e))?);
        if bytes.len() as u64 > wanted {
            return Err(io::Error::other("the server sends more than was asked for"));
        }
    }
    match bytes.len() as u64 {
        got if got == wanted => Ok(bytes.freeze()),
        got => Err(fault::cut(wanted, got)),
    }
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

/// Fetches a part of an object, which must still be what it was.
pub(crate) async fn fetch(
    client: Client,
    path: Path,
    pin: Pin,
    range: Range<u64>,
) -> io::Result<Bytes> {
    let wanted = range.end - range.start;
    let mut pause = PAUSE;
    for last in (0..TRIES).map(|n| n + 1 == TRIES) {
        let answer = ask(&client, &path, range.clone(), pin.tag()).await;
        let answer = answer.map_err(|e| fault::of(client.service, e))?;
        if Pin::of(&answer.meta) != pin {
            return Err(fault::changed());
        }
        match take(answer, client.service, wanted).await {
            // With a tag the library has asked for the rest already.
            Err(_) if pin.tag.is_none() && !last => tokio::time::sleep(pause).await,
            result => return result,
        }
        pause *= 2;
    }
    Err(fault::cut(wanted, 0))
}
