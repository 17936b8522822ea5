//! Byte strings of a pickle, left in the file until they are needed.

use std::vec::IntoIter;

use spr_core::bytes::Source;
use spr_core::ordered::Ordered;
use spr_core::{Error, ErrorKind, Result};

use crate::coding::{Fault, StringCoding};
use crate::latin1;

/// Bytes of the file fetched at a time.
const BLOCK: usize = 256 << 10;

/// Threads that are kept busy with one string at most, be it read or written.
pub(crate) const BUSY: usize = 4;

/// Strings up to this length are taken into memory, longer ones stay in the file.
pub(crate) const INLINE: usize = 1 << 10;

/// A byte string: in memory if it is short, else a place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    Inline(Box<[u8]>),
    Range {
        at: u64,
        len: u64,
        coding: StringCoding,
    },
    /// One behind the other.
    Parts(Vec<Self>),
}

impl Payload {
    /// The bytes, if they are in memory.
    pub(crate) fn inline(&self) -> Option<&[u8]> {
        match self {
            Self::Inline(bytes) => Some(bytes),
            Self::Range { .. } | Self::Parts(_) => None,
        }
    }

    /// Whether it can be `bytes` long, as far as that is known before it is decoded.
    pub(crate) fn can_hold(&self, bytes: u64) -> bool {
        match self {
            Self::Inline(data) => data.len() as u64 == bytes,
            Self::Range { len, coding, .. } => {
                bytes <= *len && *len <= bytes.saturating_mul(coding.widest())
            }
            // Each was looked at for itself.
            Self::Parts(_) => true,
        }
    }

    /// Its length as far as that is known, for messages.
    pub(crate) fn describe_len(&self) -> String {
        match self {
            Self::Inline(data) => format!("{} bytes", data.len()),
            Self::Range {
                len,
                coding: StringCoding::Raw,
                ..
            } => format!("{len} bytes"),
            Self::Range { len, .. } => format!("{len} encoded bytes"),
            Self::Parts(parts) => format!("{} parts", parts.len()),
        }
    }
}

/// Reads a byte string from its start to its end.
pub(crate) struct Cursor {
    coding: StringCoding,
    /// Where the next block stands in the file, and what is left of the string from there on.
    next: u64,
    left: u64,
    /// Fetched, but not decoded yet: the start of a sequence.
    encoded: Vec<u8>,
    /// Decoded; `taken` bytes of it are used up.
    ready: Vec<u8>,
    taken: usize,
    /// Strings that follow this one.
    later: IntoIter<Payload>,
    /// How many threads may work on it.
    threads: usize,
    /// What decodes UTF-8 ahead, once there is enough of it.
    pool: Option<Ordered<Block, Block>>,
    /// Bytes of the file that are on their way through it.
    ahead: u64,
    /// Why no more was fetched, until all before it is used up.
    failure: Option<Error>,
    /// Room to be used again.
    spare: Vec<Block>,
}

/// A block of UTF-8 on its way through a thread.
#[derive(Default)]
struct Block {
    text: Vec<u8>,
    /// Where the text starts in the file, and how many bytes were fetched for it.
    start: u64,
    fetched: u64,
    bytes: Vec<u8>,
    fault: Option<Fault>,
}

impl Block {
    fn decode(mut self) -> Self {
        self.bytes.clear();
        self.fault = latin1::decode(&self.text, true, &mut self.bytes).err();
        self
    }
}

impl Cursor {
    pub(crate) fn new(payload: Payload) -> Self {
        let mut cursor = Self {
            coding: StringCoding::Raw,
            next: 0,
            left: 0,
            encoded: Vec::new(),
            ready: Vec::new(),
            taken: 0,
            later: Vec::new().into_iter(),
            threads: 1,
            pool: None,
            ahead: 0,
            failure: None,
            spare: Vec::new(),
        };
        cursor.begin(payload);
        cursor
    }

    /// Lets so many threads work on it, as far as they are of use.
    pub(crate) fn share(&mut self, threads: usize) {
        self.threads = threads.min(BUSY);
    }

    /// Goes on with `payload`, now that all before it is used up.
    fn begin(&mut self, payload: Payload) {
        match payload {
            Payload::Inline(bytes) => (self.ready, self.taken) = (bytes.into_vec(), 0),
            Payload::Range { at, len, coding } => {
                (self.next, self.left, self.coding) = (at, len, coding);
            }
            Payload::Parts(parts) => self.later = parts.into_iter(),
        }
    }

    /// Fills `out` with the next bytes of the string.
    pub(crate) fn fill(&mut self, source: &mut Source, out: &mut [u8]) -> Result<()> {
        let mut done = 0;
        while done < out.len() {
            let rest = &mut out[done..];
            if self.taken == self.ready.len() {
                // Large pieces go straight to their place.
                if self.coding == StringCoding::Raw && rest.len() >= BLOCK && self.left > 0 {
                    let n = self.block(rest.len());
                    source.seek(self.next)?;
                    source.fill(&mut rest[..n])?;
                    self.advance(n);
                    done += n;
                    continue;
                }
                if !self.refill(source)? {
                    return Err(self.error(source, "the data of an array are too short"));
                }
            }
            let rest = &mut out[done..];
            let ready = &self.ready[self.taken..];
            let n = ready.len().min(rest.len());
            rest[..n].copy_from_slice(&ready[..n]);
            self.taken += n;
            done += n;
        }
        Ok(())
    }

    /// Goes past the next `n` bytes of the string; those that stand in the file as they are, are not
    /// read.
    pub(crate) fn pass(&mut self, source: &mut Source, n: u64) -> Result<()> {
        let mut left = n;
        loop {
            let ready = self.ready.len() - self.taken;
            let step = usize::try_from(left).map_or(ready, |left| left.min(ready));
            self.taken += step;
            left -= step as u64;
            if self.coding == StringCoding::Raw {
                let step = left.min(self.left);
                self.next += step;
                self.left -= step;
                left -= step;
            }
            if left == 0 {
                return Ok(());
            }
            if !self.refill(source)? {
                return Err(self.error(source, "the data of an array are too short"));
            }
        }
    }

    /// Checks that all of the string was used.
    pub(crate) fn end(&mut self, source: &mut Source) -> Result<()> {
        if self.taken < self.ready.len() || self.refill(source)? {
            return Err(self.error(source, "the data of an array are too long"));
        }
        Ok(())
    }

    /// Fetches and decodes the next block; `false` at the end.
    fn refill(&mut self, source: &mut Source) -> Result<bool> {
        self.ready.clear();
        self.taken = 0;
        while self.ready.is_empty() {
            let shared = self.threads > 1 && self.coding == StringCoding::Utf8;
            if shared && self.take_ahead(source)? {
                continue;
            }
            if self.left == 0 {
                match self.later.next() {
                    Some(part) => self.begin(part),
                    None => break,
                }
                continue;
            }
            let n = self.block(BLOCK);
            source.seek(self.next)?;
            if self.coding == StringCoding::Raw {
                self.ready.resize(n, 0);
                source.fill(&mut self.ready)?;
                self.advance(n);
                continue;
            }
            let kept = self.encoded.len();
            self.encoded.resize(kept + n, 0);
            source.fill(&mut self.encoded[kept..])?;
            self.advance(n);
            let start = self.next - self.encoded.len() as u64;
            let last = self.left == 0;
            let used = self
                .coding
                .decode(&self.encoded, last, &mut self.ready)
                .map_err(|fault| wrong(source, start, fault))?;
            self.encoded.drain(..used);
        }
        Ok(!self.ready.is_empty())
    }

    /// Takes the next block of UTF-8 that threads have decoded, and gives them more; `false` at the
    /// end.
    fn take_ahead(&mut self, source: &mut Source) -> Result<bool> {
        let mut done = None;
        while self.left > 0 && self.failure.is_none() && done.is_none() {
            let block = match self.fetch(source) {
                Ok(block) => block,
                Err(error) => {
                    self.failure = Some(error);
                    break;
                }
            };
            let start = || Ordered::new(self.threads - 1, Block::decode);
            done = self.pool.get_or_insert_with(start).push(block)?;
        }
        if let (None, Some(pool)) = (&done, &mut self.pool) {
            done = pool.pop()?;
        }
        let Some(mut block) = done else {
            return self.failure.take().map_or(Ok(false), Err);
        };
        self.ahead -= block.fetched;
        if let Some(fault) = block.fault {
            return Err(wrong(source, block.start, fault));
        }
        std::mem::swap(&mut self.ready, &mut block.bytes);
        self.spare.push(block);
        Ok(true)
    }

    /// Fetches a block of UTF-8 that is not cut inside a character.
    fn fetch(&mut self, source: &mut Source) -> Result<Block> {
        let n = self.block(BLOCK);
        source.seek(self.next)?;
        let mut block = self.spare.pop().unwrap_or_default();
        block.text.clear();
        block.text.append(&mut self.encoded);
        let kept = block.text.len();
        block.text.resize(kept + n, 0);
        source.fill(&mut block.text[kept..])?;
        (block.start, block.fetched) = (self.next - kept as u64, n as u64);
        self.advance(n);
        self.ahead += block.fetched;
        if let Some(lead) = block.text.pop_if(|last| *last >= 0xc0 && self.left > 0) {
            self.encoded.push(lead);
        }
        Ok(block)
    }

    /// `wanted` or what is left.
    fn block(&self, wanted: usize) -> usize {
        usize::try_from(self.left).map_or(wanted, |left| left.min(wanted))
    }

    fn advance(&mut self, n: usize) {
        self.next += n as u64;
        self.left -= n as u64;
    }

    fn error(&self, source: &Source, message: &str) -> Error {
        Error::new(ErrorKind::Malformed, message)
            .file(source.name())
            .byte(self.next - self.ahead)
    }
}

/// The error for a fault in a string that starts at a byte.
fn wrong(source: &Source, start: u64, (at, fault): Fault) -> Error {
    Error::malformed(fault)
        .file(source.name())
        .byte(start + at as u64)
}
