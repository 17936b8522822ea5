//! Objects as seekable files.

use std::io::{self, Read, Seek, SeekFrom};
use std::time::Duration;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{GetOptions, GetResult};
use spr_core::bytes::{Identity, OpenedFile, seek_position};

use crate::address::Address;
use crate::client::Client;
use crate::fault;
use crate::flow::Flow;
use crate::range::{Pin, ask, check_coding};
use crate::runtime::wait;
use crate::settings::FIRST;

/// The longest forward jump that is read instead of requested anew, because one long request is
/// cheaper than many short ones.
const NEAR: u64 = 1 << 20;
/// The number of tries for a range where the library does not retry.
const TRIES: u32 = 3;
/// The pause before the first retry; it then grows.
const PAUSE: Duration = Duration::from_millis(200);

/// Opens an object by requesting its first bytes. The response also identifies its content.
///
/// # Errors
/// The object does not exist, or the server refuses.
pub(crate) fn open(
    address: &Address,
    client: &Client,
    block: u64,
) -> io::Result<(Box<dyn OpenedFile>, Pin)> {
    let (asked, at) = (client.clone(), address.path.clone());
    let first = wait(async move { ask(&asked, &at, 0..FIRST, None).await })?;
    let (answer, parts) = match first {
        Ok(answer) => (answer, true),
        Err(e) if gives_no_parts(&e) => (ask_whole(client, &address.path)?, false),
        Err(e) => return Err(fault::of(client.service, e)),
    };
    check_coding(&answer, client.service)?;
    let pin = Pin::of(&answer.meta);
    let end = match parts {
        true => pin.length.min(FIRST),
        false => pin.length,
    };
    let object = Object {
        client: client.clone(),
        path: address.path.clone(),
        identity: address.identity(),
        block,
        parts,
        at: 0,
        have: Bytes::new(),
        have_at: 0,
        flow: Some(Flow::begin(answer, client.service, 0..end, block)?),
        step: 2 * FIRST,
        pin: pin.clone(),
    };
    Ok((Box::new(object), pin))
}

/// Returns `true` if the error means that the server does not support ranges, or that the object is
/// empty.
fn gives_no_parts(error: &object_store::Error) -> bool {
    let text = error.to_string();
    matches!(error, object_store::Error::NotSupported { .. })
        || text.contains("non-partial")
        || fault::status(&text) == Some(416)
}

fn ask_whole(client: &Client, path: &Path) -> io::Result<GetResult> {
    let (store, path) = (client.store.clone(), path.clone());
    let answer = wait(async move { store.get_opts(&path, GetOptions::default()).await })?;
    answer.map_err(|e| fault::of(client.service, e))
}

/// An object that is being read.
struct Object {
    client: Client,
    path: Path,
    pin: Pin,
    identity: Identity,
    /// The number of bytes read ahead.
    block: u64,
    /// Whether the server supports ranges, and thus seeking back.
    parts: bool,
    /// The current position.
    at: u64,
    /// Received bytes, from position `have_at` on.
    have: Bytes,
    have_at: u64,
    /// The body that follows them.
    flow: Option<Flow>,
    /// The length of the next request, which grows as long as there are no jumps.
    step: u64,
}

impl Object {
    /// Returns the received bytes from the current position on.
    fn window(&self) -> &[u8] {
        let from = self.at.checked_sub(self.have_at);
        let from = from.and_then(|from| usize::try_from(from).ok());
        from.and_then(|from| self.have.get(from..))
            .unwrap_or_default()
    }

    /// Returns the position after the received bytes.
    fn end(&self) -> u64 {
        self.have_at + self.have.len() as u64
    }

    /// Receives bytes at the current position.
    fn fill(&mut self) -> io::Result<()> {
        let mut tries = 0;
        while self.window().is_empty() {
            let start = self.end();
            let piece = match &mut self.flow {
                Some(flow) => flow.next(),
                None => {
                    self.flow = Some(self.ask()?);
                    continue;
                }
            };
            match piece {
                Ok(Some(piece)) => (self.have, self.have_at) = (piece, start),
                Ok(None) => self.flow = None,
                Err(error) => {
                    self.flow = None;
                    tries += 1;
                    // With an ETag the library has already requested the rest again.
                    if self.pin.tag().is_some() || tries == TRIES || !self.parts {
                        return Err(error);
                    }
                    std::thread::sleep(PAUSE * tries);
                }
            }
        }
        Ok(())
    }

    /// Requests the bytes that follow the received ones.
    fn ask(&mut self) -> io::Result<Flow> {
        let start = self.end();
        let end = start.saturating_add(self.step).min(self.pin.length);
        let (client, path, pin) = (self.client.clone(), self.path.clone(), self.pin.clone());
        let answer = wait(async move { ask(&client, &path, start..end, pin.tag()).await })?;
        let answer = answer.map_err(|e| fault::of(self.client.service, e))?;
        if Pin::of(&answer.meta) != self.pin {
            return Err(fault::changed());
        }
        check_coding(&answer, self.client.service)?;
        self.step = self.step.saturating_mul(2);
        Flow::begin(answer, self.client.service, start..end, self.block)
    }

    fn go(&mut self, to: u64) {
        let near = self.have_at..=self.end().saturating_add(NEAR);
        if self.parts && !near.contains(&to) {
            (self.have, self.have_at) = (Bytes::new(), to);
            self.flow = None;
            self.step = FIRST;
        }
        self.at = to;
    }
}

impl Read for Object {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() || self.at >= self.pin.length {
            return Ok(0);
        }
        self.fill()?;
        let window = self.window();
        let n = window.len().min(out.len());
        out[..n].copy_from_slice(&window[..n]);
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for Object {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if !self.parts {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.go(seek_position(to, self.at, self.pin.length)?);
        Ok(self.at)
    }
}

impl OpenedFile for Object {
    fn length(&self) -> Option<u64> {
        Some(self.pin.length)
    }

    fn can_seek(&self) -> bool {
        self.parts
    }

    fn identity(&self) -> Option<Identity> {
        Some(self.identity.clone())
    }
}
