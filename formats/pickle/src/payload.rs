//! Byte strings of a pickle, which stay in the file until they are needed.

use std::vec::IntoIter;

use spr_core::bytes::Source;
use spr_core::threads::Ordered;
use spr_core::{Error, ErrorKind, Result};

use crate::coding::StringCoding;
use crate::latin1;
use crate::latin1::Fault;

/// The number of bytes read at a time.
const BLOCK: usize = 256 << 10;

/// The largest number of threads that one string keeps busy, for reading and writing.
pub(crate) const BUSY: usize = 4;

/// The longest string that is read into memory at once.
pub(crate) const INLINE: usize = 1 << 10;

/// A byte string: in memory if it is short, otherwise a position in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    Inline(Box<[u8]>),
    Range {
        at: u64,
        len: u64,
        coding: StringCoding,
    },
    /// A concatenation.
    Parts(Vec<Self>),
}

impl Payload {
    /// Returns the bytes, if they are in memory.
    pub(crate) fn inline(&self) -> Option<&[u8]> {
        match self {
            Self::Inline(bytes) => Some(bytes),
            Self::Range { .. } | Self::Parts(_) => None,
        }
    }

    /// Returns `true` if it may be `bytes` long, as far as is known before decoding.
    pub(crate) fn can_hold(&self, bytes: u64) -> bool {
        match self {
            Self::Inline(data) => data.len() as u64 == bytes,
            Self::Range { len, coding, .. } => {
                bytes <= *len && *len <= bytes.saturating_mul(coding.widest())
            }
            // Each part was checked separately.
            Self::Parts(_) => true,
        }
    }

    /// Returns its length, as far as known, for messages.
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

/// A sequential reader of a byte string.
pub(crate) struct Cursor {
    coding: StringCoding,
    /// The position of the next block in the file, and the number of remaining bytes.
    next: u64,
    left: u64,
    /// Read but not decoded yet: the start of a sequence.
    encoded: Vec<u8>,
    /// Decoded bytes, of which `taken` are consumed.
    ready: Vec<u8>,
    taken: usize,
    /// The strings that follow this one.
    later: IntoIter<Payload>,
    /// The largest number of threads.
    threads: usize,
    /// The threads that decode UTF-8 ahead, once there is enough of it.
    pool: Option<Ordered<Block, Block>>,
    /// The number of bytes of the file that are being decoded.
    ahead: u64,
    /// The reason why reading stopped, returned after everything before it is consumed.
    failure: Option<Error>,
    /// Buffers for reuse.
    spare: Vec<Block>,
}

/// A block of UTF-8 that is decoded by a thread.
#[derive(Default)]
struct Block {
    text: Vec<u8>,
    /// The position of the text in the file, and its size there.
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

    /// Sets the number of threads, as far as they are useful.
    pub(crate) fn share(&mut self, threads: usize) {
        self.threads = threads.min(BUSY);
    }

    /// Starts `payload`, after everything before it was consumed.
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
                // Large blocks are read directly to their destination.
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

    /// Skips the next `n` bytes of the string. Bytes stored without encoding are not read.
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

    /// Checks that the string was consumed completely.
    pub(crate) fn end(&mut self, source: &mut Source) -> Result<()> {
        if self.taken < self.ready.len() || self.refill(source)? {
            return Err(self.error(source, "the data of an array are too long"));
        }
        Ok(())
    }

    /// Reads and decodes the next block, and returns `false` at the end.
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

    /// Takes the next block of UTF-8 that threads have decoded, and hands them more. Returns
    /// `false` at the end.
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

    /// Reads a block of UTF-8 that does not end inside a character.
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

    /// Returns `wanted`, or the remaining size.
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

/// Returns the error for a fault in a string that starts at a byte.
fn wrong(source: &Source, start: u64, (at, fault): Fault) -> Error {
    Error::malformed(fault)
        .file(source.name())
        .byte(start + at as u64)
}
