//! A multi-threaded encoder of the elements of many matrices as one string.

use spr_core::Result;
use spr_core::bytes::Sink;
use spr_core::model::Matrix;
use spr_core::threads::Ordered;

use super::elements::{encode, encode_block};
use crate::coding::StringCoding;
use crate::payload::BUSY;

/// The number of bytes that a thread encodes at a time.
const PIECE: usize = 128 << 10;

/// An encoder of elements as one string. The bytes do not depend on the number of threads. A write
/// error is returned with a later block or at the end.
pub(super) struct Encoder {
    coding: StringCoding,
    threads: usize,
    open: EncodedBlock,
    /// The threads, started when the first block is full.
    pool: Option<Ordered<EncodedBlock, EncodedBlock>>,
    /// Buffers for reuse.
    spare: Vec<EncodedBlock>,
}

#[derive(Default)]
struct EncodedBlock {
    bytes: Vec<u8>,
    encoded: Vec<u8>,
}

impl EncodedBlock {
    fn encode(mut self, coding: StringCoding) -> Self {
        self.encoded.clear();
        encode_block(coding, &self.bytes, &mut self.encoded);
        self.bytes.clear();
        self
    }
}

impl Encoder {
    pub(super) fn new(coding: StringCoding, threads: usize) -> Self {
        Self {
            coding,
            threads: threads.min(BUSY),
            open: EncodedBlock::default(),
            pool: None,
            spare: Vec::new(),
        }
    }

    /// Adds the elements of `matrix`.
    pub(super) fn add(&mut self, matrix: &Matrix, sink: &mut Sink) -> Result<()> {
        let coding = self.coding;
        if self.threads < 2 || coding == StringCoding::Raw {
            let scratch = &mut self.open.encoded;
            return encode(coding, matrix, scratch, |b| sink.put(b)).map(drop);
        }
        matrix.put_little_endian(|bytes| self.add_bytes(bytes, sink))
    }

    fn add_bytes(&mut self, mut rest: &[u8], sink: &mut Sink) -> Result<()> {
        let coding = self.coding;
        while !rest.is_empty() {
            let room = PIECE - self.open.bytes.len();
            let (some, others) = rest.split_at(room.min(rest.len()));
            self.open.bytes.extend_from_slice(some);
            rest = others;
            if self.open.bytes.len() < PIECE {
                break;
            }
            let next = self.spare.pop().unwrap_or_default();
            let piece = std::mem::replace(&mut self.open, next);
            let start = || {
                Ordered::new(self.threads - 1, move |piece: EncodedBlock| {
                    piece.encode(coding)
                })
            };
            if let Some(done) = self.pool.get_or_insert_with(start).push(piece)? {
                sink.put(&done.encoded)?;
                self.spare.push(done);
            }
        }
        Ok(())
    }

    /// Writes all pending blocks.
    pub(super) fn flush(&mut self, sink: &mut Sink) -> Result<()> {
        while let Some(done) = self.pool.as_mut().map_or(Ok(None), Ordered::pop)? {
            sink.put(&done.encoded)?;
        }
        let last = std::mem::take(&mut self.open).encode(self.coding);
        sink.put(&last.encoded)
    }
}
