//! Objects as files: read in blocks, one ahead, from any place.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::GetOptions;
use object_store::path::Path;
use spr_core::bytes::{Identity, Stored};
use tokio::task::JoinHandle;

use crate::address::Address;
use crate::client::Client;
use crate::fault;
use crate::range::{Pin, ask, check_coding, fetch, take};
use crate::runtime::{begin, wait};
use crate::settings::FIRST;

/// A jump ahead that is no longer than this is one to what comes next: to ask once for much costs
/// less than to ask often for little.
const NEAR: u64 = 1 << 20;
/// Steps without a jump after which the next block is fetched before it is asked for.
const STEADY: u32 = 2;

/// Opens an object by fetching its first bytes, which tell all of it that must not change.
///
/// # Errors
/// It is not there, or the server refuses.
pub(crate) fn open(
    address: &Address,
    client: &Client,
    block: u64,
) -> io::Result<(Box<dyn Stored>, Pin)> {
    let (service, path) = (client.service, address.path.clone());
    let identity = address.identity();
    let (asked, at) = (client.clone(), path.clone());
    let first = wait(async move { ask(&asked, &at, 0..FIRST, None).await })?;
    let answer = match first {
        Ok(answer) => answer,
        Err(e) if gives_no_ranges(&e) => return open_whole(client, path, identity),
        Err(e) => return Err(fault::of(service, e)),
    };
    let pin = Pin::of(&answer.meta);
    let wanted = pin.length.min(FIRST);
    let have = wait(take(answer, service, wanted))?;
    let have = match have {
        Err(_) if pin.tag().is_none() => {
            wait(fetch(client.clone(), path.clone(), pin.clone(), 0..wanted))??
        }
        have => have?,
    };
    let object = Object {
        client: client.clone(),
        path,
        pin: pin.clone(),
        identity,
        block,
        at: 0,
        have,
        have_at: 0,
        next: None,
        run: 0,
        step: (2 * FIRST).min(block),
    };
    Ok((Box::new(object), pin))
}

/// Whether a server said by this that it gives no parts of this, be it that there are none of what
/// is empty.
fn gives_no_ranges(error: &object_store::Error) -> bool {
    let text = error.to_string();
    matches!(error, object_store::Error::NotSupported { .. })
        || text.contains("non-partial")
        || fault::status(&text) == Some(416)
}

/// Opens what is given from front to back and not otherwise.
fn open_whole(
    client: &Client,
    path: Path,
    identity: Identity,
) -> io::Result<(Box<dyn Stored>, Pin)> {
    let (asked, service) = (client.clone(), client.service);
    let answer = wait(async move { asked.store.get_opts(&path, GetOptions::default()).await })?;
    let answer = answer.map_err(|e| fault::of(service, e))?;
    check_coding(&answer, service)?;
    let pin = Pin::of(&answer.meta);
    let stream = Stream {
        left: pin.length,
        client: client.clone(),
        body: Some(answer.into_stream()),
        have: Bytes::new(),
        identity,
        length: pin.length,
    };
    Ok((Box::new(stream), pin))
}

/// An object that is read in blocks.
struct Object {
    client: Client,
    path: Path,
    pin: Pin,
    identity: Identity,
    block: u64,
    /// What is read next.
    at: u64,
    /// Bytes from `have_at` on.
    have: Bytes,
    have_at: u64,
    /// A block that is on its way.
    next: Option<(Range<u64>, JoinHandle<io::Result<Bytes>>)>,
    /// Steps without a jump.
    run: u32,
    /// How much is asked for next.
    step: u64,
}

impl Object {
    /// What there is from the current place on.
    fn window(&self) -> &[u8] {
        let from = self.at.checked_sub(self.have_at);
        let from = from.and_then(|from| usize::try_from(from).ok());
        from.and_then(|from| self.have.get(from..))
            .unwrap_or_default()
    }

    fn task(&self, range: Range<u64>) -> io::Result<JoinHandle<io::Result<Bytes>>> {
        let (client, path) = (self.client.clone(), self.path.clone());
        begin(fetch(client, path, self.pin.clone(), range))
    }

    /// Fetches what stands at the current place.
    fn fill(&mut self) -> io::Result<()> {
        let coming = self.next.take();
        let (range, task) = match coming {
            Some((range, task)) if range.contains(&self.at) => (range, task),
            coming => {
                if let Some((_, unused)) = coming {
                    unused.abort();
                }
                let range = self.range_at(self.at);
                (range.clone(), self.task(range)?)
            }
        };
        let fetched = wait(task)?.map_err(|_| io::Error::other("the request was given up"))?;
        (self.have, self.have_at) = (fetched?, range.start);
        self.run += 1;
        self.step = (2 * self.step).min(self.block);
        if self.run >= STEADY && range.end < self.pin.length {
            let next = self.range_at(range.end);
            self.next = Some((next.clone(), self.task(next)?));
        }
        Ok(())
    }

    fn range_at(&self, start: u64) -> Range<u64> {
        start..start.saturating_add(self.step).min(self.pin.length)
    }

    fn go(&mut self, to: u64) {
        let end = self.have_at + self.have.len() as u64;
        let near = self.have_at..=end.saturating_add(NEAR);
        let coming = self
            .next
            .as_ref()
            .is_some_and(|(range, _)| range.contains(&to));
        if !coming && !near.contains(&to) {
            self.run = 0;
            self.step = FIRST.min(self.block);
        }
        self.at = to;
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        if let Some((_, unused)) = self.next.take() {
            unused.abort();
        }
    }
}

impl Read for Object {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() || self.at >= self.pin.length {
            return Ok(0);
        }
        if self.window().is_empty() {
            self.fill()?;
        }
        let window = self.window();
        let n = window.len().min(out.len());
        out[..n].copy_from_slice(&window[..n]);
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for Object {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(to) => Some(to),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.pin.length.checked_add_signed(by),
        };
        self.go(to.ok_or(io::ErrorKind::InvalidInput)?);
        Ok(self.at)
    }
}

impl Stored for Object {
    fn length(&self) -> Option<u64> {
        Some(self.pin.length)
    }

    fn can_seek(&self) -> bool {
        true
    }

    fn identity(&self) -> Option<Identity> {
        Some(self.identity.clone())
    }
}

/// An object that comes in its order.
struct Stream {
    client: Client,
    body: Option<BoxStream<'static, object_store::Result<Bytes>>>,
    have: Bytes,
    identity: Identity,
    length: u64,
    left: u64,
}

impl Read for Stream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.have.is_empty() && self.left > 0 {
            let Some(mut body) = self.body.take() else {
                return Err(fault::cut(self.length, self.length - self.left));
            };
            let (piece, body) = wait(async move { (body.next().await, body) })?;
            let Some(piece) = piece else {
                continue;
            };
            self.have = piece.map_err(|e| fault::of(self.client.service, e))?;
            self.body = Some(body);
            self.left = self.left.saturating_sub(self.have.len() as u64);
        }
        let n = self.have.len().min(out.len());
        out[..n].copy_from_slice(&self.have.split_to(n));
        Ok(n)
    }
}

impl Seek for Stream {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl Stored for Stream {
    fn length(&self) -> Option<u64> {
        Some(self.length)
    }

    fn can_seek(&self) -> bool {
        false
    }

    fn identity(&self) -> Option<Identity> {
        Some(self.identity.clone())
    }
}
