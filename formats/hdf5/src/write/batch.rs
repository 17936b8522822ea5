//! The texts of some datasets, which are stored together in a global heap.

use std::borrow::Cow;

use spr_core::bytes::{ByteOrder, PutNumber, Sink};
use spr_core::{Error, Result};

use super::message::{Header, UNDEFINED, Value, pad};

/// The smallest heap that HDF5 takes, in bytes.
const SMALLEST: usize = 4096;
/// The size of the head of a heap, and that of the head of an object.
const HEAD: usize = 16;
/// The bytes of texts that wait at most before a heap is written, unless a single text is longer.
const ENOUGH: usize = 32 << 10;
/// The number of datasets that wait at most.
const MOST: usize = 1000;
const LITTLE: ByteOrder = ByteOrder::Little;

/// An attribute with its name.
pub(super) type Attribute = (Cow<'static, str>, Value);

/// A dataset whose header waits for the address of the heap.
pub(super) struct Waiting {
    pub(super) shape: Vec<u64>,
    pub(super) datatype: Vec<u8>,
    pub(super) at: u64,
    pub(super) bytes: u64,
    pub(super) attributes: Vec<Attribute>,
}

/// Texts and datasets that wait to be written.
#[derive(Default)]
pub(super) struct Batch {
    objects: Vec<u8>,
    count: u16,
    waiting: Vec<Waiting>,
}

impl Batch {
    /// Adds a text to the heap.
    ///
    /// # Errors
    /// It is longer than 4 GB, or an utterance has too many.
    pub(super) fn text(&mut self, text: &[u8]) -> Result<Value> {
        let too_long = |_| Error::unfit("the text is longer than 4 GB");
        let len = u32::try_from(text.len()).map_err(too_long)?;
        if len == 0 {
            return Ok(Value::Text(0, 0));
        }
        let next = self.count.checked_add(1);
        self.count = next.ok_or_else(|| Error::unfit("has too many texts"))?;
        self.objects.put_u16(self.count, LITTLE);
        self.objects.put_u16(1, LITTLE);
        self.objects.put_u32(0, LITTLE);
        self.objects.put_u64(text.len() as u64, LITTLE);
        self.objects.extend_from_slice(text);
        pad(&mut self.objects);
        Ok(Value::Text(len, self.count))
    }

    pub(super) fn add(&mut self, dataset: Waiting) {
        self.waiting.push(dataset);
    }

    /// Returns `true` if it should be written.
    pub(super) fn is_full(&self) -> bool {
        self.objects.len() >= ENOUGH || self.waiting.len() >= MOST
    }

    /// Writes the heap and the headers, whose addresses are appended to `addresses`. Returns the
    /// address of the heap.
    ///
    /// # Errors
    /// The sink fails.
    pub(super) fn flush(&mut self, sink: &mut Sink, addresses: &mut Vec<u64>) -> Result<u64> {
        align(sink)?;
        let heap = self.heap(sink)?;
        for dataset in std::mem::take(&mut self.waiting) {
            let mut header = Header::default();
            let Waiting { shape, at, .. } = &dataset;
            header.dataset(shape, &dataset.datatype, *at, dataset.bytes)?;
            for (name, value) in &dataset.attributes {
                header.attribute(name, value, heap)?;
            }
            addresses.push(sink.position());
            sink.put(&header.into_bytes()?)?;
        }
        Ok(heap)
    }

    fn heap(&mut self, sink: &mut Sink) -> Result<u64> {
        if self.count == 0 {
            return Ok(UNDEFINED);
        }
        let at = sink.position();
        let mut objects = std::mem::take(&mut self.objects);
        self.count = 0;
        let size = (HEAD + objects.len() + HEAD).max(SMALLEST);
        let mut head = b"GCOL\x01\0\0\0".to_vec();
        head.put_u64(size as u64, LITTLE);
        // What is left is an object without a number.
        let left = size - HEAD - objects.len();
        objects.put_u64(0, LITTLE);
        objects.put_u64(left as u64, LITTLE);
        objects.resize(size - HEAD, 0);
        sink.put(&head)?;
        sink.put(&objects)?;
        Ok(at)
    }
}

/// Fills up with zeros to the next address that a header may have.
pub(super) fn align(sink: &mut Sink) -> Result<()> {
    let at = sink.position();
    let zeros = usize::try_from(at.next_multiple_of(8) - at).unwrap_or_default();
    sink.put(&[0; 8][..zeros])
}
