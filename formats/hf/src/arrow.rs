//! Streams of Arrow's format between processes, which `datasets` keeps on disk.

use arrow_array::RecordBatch;
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::root_as_message;
use arrow_schema::SchemaRef;
use spr_core::bytes::Source;
use spr_core::{Error, Limits, Result};

use crate::guard::guarded;
use crate::rows::Rows;

/// The bytes by which a stream is recognised.
pub(crate) const HEAD: usize = 8;
/// The mark in front of a message.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// The magic bytes of Arrow's other form, with a directory at its end.
const FILE: &[u8] = b"ARROW1";
/// The mark at the end of a stream.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
/// The longest description of a message.
const LONGEST: u64 = 64 << 20;

/// Returns `true` if a file starts as a stream does, or as the other form.
pub(crate) fn is_arrow(head: &[u8]) -> bool {
    let length = head.get(4..8).and_then(|bytes| bytes.first_chunk());
    let length = length.map(|bytes| u32::from_le_bytes(*bytes));
    let begins = head.starts_with(&CONTINUATION) && length.is_some_and(|n| n > 0 && n % 8 == 0);
    begins || head.starts_with(FILE)
}

/// An open stream.
pub(crate) struct ArrowStream {
    source: Source,
    decoder: StreamDecoder,
    schema: SchemaRef,
    /// The bytes to decode next. What has no bytes behind its description is decoded with the message after it.
    rest: Buffer,
    is_ended: bool,
    at: u64,
    is_over: bool,
    limits: Limits,
}

impl ArrowStream {
    /// Reads the schema.
    ///
    /// # Errors
    /// It is damaged, or the file is of the other form.
    pub(crate) fn open(mut source: Source, limits: Limits) -> Result<Self> {
        if source.peek(FILE.len())? == FILE {
            let error = Error::unsupported("an Arrow file with a directory, expected a stream");
            let error = error.hint("`datasets` writes streams, and Parquet is read as well");
            return Err(error.file(source.name()));
        }
        let Some(first) = message(&mut source, &limits)? else {
            let message = "an Arrow stream without a schema";
            return Err(Error::malformed(message).file(source.name()));
        };
        let schema = guarded(|| try_schema_from_ipc_buffer(&first));
        let schema = schema.map_err(|e| e.file(source.name()).byte(0))?;
        Ok(Self {
            schema: schema.into(),
            source,
            decoder: StreamDecoder::new(),
            rest: first,
            is_ended: false,
            at: 0,
            is_over: false,
            limits,
        })
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Reads the next rows of the columns with these numbers.
    ///
    /// # Errors
    /// They are damaged, and the stream is over.
    pub(crate) fn next(&mut self, roots: &[usize]) -> Result<Option<Rows>> {
        while !self.is_over {
            let start = self.source.offset();
            let read = self.batch();
            let read = read.map_err(|e| e.file(self.source.name()).byte(start));
            let Some(batch) = read.inspect_err(|_| self.is_over = true)? else {
                continue;
            };
            let first = self.at;
            self.at += batch.num_rows() as u64;
            let batch = guarded(|| batch.project(roots))?;
            let numbers = (first..self.at).collect();
            return Ok(Some(Rows { batch, numbers }));
        }
        Ok(None)
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        if self.rest.is_empty() {
            if self.is_ended {
                self.is_over = true;
                return Ok(None);
            }
            let message = message(&mut self.source, &self.limits)?;
            self.is_ended = message.is_none();
            self.rest = message.unwrap_or_else(|| Buffer::from(&END[..]));
        }
        guarded(|| self.decoder.decode(&mut self.rest))
    }
}

/// Reads a message as a whole: its mark, its description and its data. Returns `None` at the end,
/// which must be marked.
fn message(source: &mut Source, limits: &Limits) -> Result<Option<Buffer>> {
    let start = source.offset();
    let wrong = |what: &str| Error::malformed(what).byte(start);
    let mut whole = MutableBuffer::new(0);
    let head: [u8; 8] = source.array()?;
    let ([mark, length], _) = head.as_chunks::<4>() else {
        return Err(wrong("no Arrow message"));
    };
    if *mark != CONTINUATION {
        return Err(wrong("no mark of an Arrow message"));
    }
    let length = u64::from(u32::from_le_bytes(*length));
    if length == 0 {
        return match source.at_end()? {
            true => Ok(None),
            false => Err(wrong("the file goes on after the end of the Arrow stream")),
        };
    }
    if length > LONGEST {
        return Err(wrong("an Arrow message with an endless description"));
    }
    whole.extend_from_slice(&head);
    append(source, &mut whole, length, limits)?;
    let described = &whole.as_slice()[HEAD..];
    let body = guarded(|| root_as_message(described).map(|message| message.bodyLength()));
    let body = body.map_err(|e| e.byte(start))?;
    let body = u64::try_from(body).map_err(|_| wrong("an Arrow message of a negative size"))?;
    append(source, &mut whole, body, limits)?;
    Ok(Some(whole.into()))
}

/// Appends bytes, for which memory grows only as they arrive.
fn append(source: &mut Source, to: &mut MutableBuffer, n: u64, limits: &Limits) -> Result<()> {
    const STEP: u64 = 1 << 20;
    limits.bytes("an Arrow message", n)?;
    source.expect(n)?;
    let mut left = n;
    while left > 0 {
        let step = usize::try_from(left.min(STEP)).unwrap_or_default();
        let filled = to.len();
        to.resize(filled + step, 0);
        source.fill(&mut to.as_slice_mut()[filled..])?;
        left -= step as u64;
    }
    Ok(())
}
