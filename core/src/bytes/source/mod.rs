//! The cursor through which every reader gets its bytes.

mod bounded;
mod copied;
mod counted;
mod cursor;
mod expansion;
mod numbers;

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::command::Command;
use super::store::OpenedFile;
use super::{Codec, Location};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Limits;
use bounded::BoundedFile;
use copied::CopiedFile;
use counted::CountingReader;
pub use expansion::MemoryCounter;

const BUFFER: usize = 128 << 10;
/// The size of the first read of a file and after a jump, as headers are often all that is wanted. Later
/// ones grow up to a buffer.
const FIRST_STEP: usize = 512;
/// The largest number of nested compressions.
const MAX_LAYERS: usize = 4;

/// A byte stream that knows its name, its position and its compression.
///
/// gzip, bzip2 and zstd are detected by content and decompressed on opening, nested if necessary. A
/// short read is never taken for the end. Positions in errors count decompressed bytes.
///
/// ```
/// let mut source = spr_core::bytes::Source::from_bytes("demo", b"\x01\x02rest".to_vec())?;
/// assert_eq!(source.peek(2)?, b"\x01\x02");
/// assert_eq!(source.array::<2>()?, [1, 2]);
/// assert_eq!(source.offset(), 2);
/// # Ok::<(), spr_core::Error>(())
/// ```
pub struct Source {
    name: String,
    location: Option<Location>,
    body: Body,
    layers: Vec<Codec>,
    /// The number of bytes read of the outermost compression.
    packed: Option<Arc<AtomicU64>>,
    /// The memory that an object may take whatever its proportion to them.
    unpacked: u64,
    /// The size after decompression, if it is known in advance.
    len: Option<u64>,
    /// The buffer, which never shrinks; only `buffer[start..end]` is valid.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The position of `buffer[start]` in the stream.
    offset: u64,
    ended: bool,
    /// Whether the line read last had its end.
    has_line_end: bool,
    /// The size of the next read: small after a jump, because another may follow at once.
    step: usize,
    /// An error while reading ahead, returned after the bytes before it are consumed.
    pending: Option<Error>,
    /// Whether another process is still producing the bytes.
    live: bool,
    /// The number of decompression threads.
    threads: usize,
    /// The temporary copy that it reads, if it does.
    copied: Option<CopiedFile>,
}

enum Body {
    File(CountingReader<Box<dyn OpenedFile>>),
    Stream(Box<dyn Read + Send>),
}

impl Read for Body {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let result = match self {
                Self::File(file) => file.read(out),
                Self::Stream(stream) => stream.read(out),
            };
            match result {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }
}

impl Source {
    /// Opens a stored file, and decompresses it on up to `threads` threads. The stored bytes read
    /// are counted if requested.
    ///
    /// # Errors
    /// Reading fails.
    pub(super) fn open(
        at: &Location,
        stored: Box<dyn OpenedFile>,
        read: Option<Arc<AtomicU64>>,
        threads: usize,
    ) -> Result<Self> {
        let mut source = Self::stored(at, stored, read);
        if !source.live {
            source.threads = threads;
        }
        source.undo_layers()
    }

    /// Opens a stored file from a byte on.
    ///
    /// # Errors
    /// Reading fails, or the file is compressed, so that the position cannot be reached.
    pub(super) fn open_at(at: &Location, stored: Box<dyn OpenedFile>, offset: u64) -> Result<Self> {
        let mut source = Self::stored(at, stored, None);
        if offset == 0 {
            return source.undo_layers();
        }
        if let Some(codec) = Codec::detect(source.peek(Codec::MAGIC_LEN)?) {
            return Err(Error::unsupported(format!(
                "byte {offset} is a place in a {} file, which can only be read from the start",
                codec.name()
            ))
            .file(source.name));
        }
        source.seek(offset)?;
        Ok(source)
    }

    fn stored(at: &Location, stored: Box<dyn OpenedFile>, read: Option<Arc<AtomicU64>>) -> Self {
        let length = stored.length();
        let body = match stored.can_seek() {
            true => Body::File(CountingReader {
                inner: stored,
                read,
            }),
            false => Body::Stream(Box::new(stored)),
        };
        Self {
            live: matches!(body, Body::Stream(_)),
            location: Some(at.clone()),
            len: length,
            ..Self::new(at.told(), body)
        }
    }

    /// Opens standard input.
    pub(super) fn stdin() -> Result<Self> {
        Self::live("-".to_owned(), Box::new(io::stdin()))
    }

    /// Runs a shell command for its output. Its failure is an error at the end of its data.
    pub(super) fn command(line: &str) -> Result<Self> {
        let name = format!("{line} |");
        let command = Command::reading(line).map_err(|e| Error::io("cannot run", e).file(&name))?;
        Self::live(name, Box::new(command))
    }

    /// Opens a live stream.
    fn live(name: String, reader: Box<dyn Read + Send>) -> Result<Self> {
        let mut source = Self::new(name, Body::Stream(reader));
        source.live = true;
        source.undo_layers()
    }

    /// Wraps any reader, with a name for errors.
    pub fn from_reader(name: impl Into<String>, reader: Box<dyn Read + Send>) -> Result<Self> {
        Self::new(name.into(), Body::Stream(reader)).undo_layers()
    }

    /// Wraps bytes in memory, with a name for errors.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self> {
        let len = bytes.len() as u64;
        let mut source = Self::new(name.into(), Body::Stream(Box::new(Cursor::new(bytes))));
        source.len = Some(len);
        source.undo_layers()
    }

    fn new(name: String, body: Body) -> Self {
        Self {
            name,
            location: None,
            body,
            layers: Vec::new(),
            packed: None,
            unpacked: Limits::default().max_unpacked,
            len: None,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            offset: 0,
            ended: false,
            has_line_end: false,
            step: FIRST_STEP,
            pending: None,
            live: false,
            threads: 1,
            copied: None,
        }
    }

    fn undo_layers(mut self) -> Result<Self> {
        let is_empty = self.ahead(Codec::MAGIC_LEN, Codec::is_none)?.0.is_empty();
        // No compressed data are of no bytes.
        let named = self.location.as_ref().and_then(Location::codec);
        if let Some(codec) = named.filter(|_| is_empty) {
            let message = format!("the file is empty, and so no {} file", codec.name());
            return Err(self.error(ErrorKind::Truncated, message));
        }
        while let Some(codec) = Codec::detect(self.ahead(Codec::MAGIC_LEN, Codec::is_none)?.0) {
            if self.layers.len() == MAX_LAYERS {
                let message = format!("compressed more than {MAX_LAYERS} times over");
                return Err(self.error(ErrorKind::Limit, message));
            }
            self = self.undo(codec)?;
        }
        Ok(self)
    }

    /// Decompresses the rest of the stream with `codec`, for a compression that is not detected by
    /// content. The decompressed data are not inspected further. Positions in errors continue from
    /// here and count decompressed bytes.
    ///
    /// # Errors
    /// Reading fails, or the codec is not available.
    pub fn undo(self, codec: Codec) -> Result<Self> {
        codec.check().map_err(|e| e.file(&self.name))?;
        let (mut body, this) = self.into_rest()?;
        let packed = this.packed.unwrap_or_else(|| {
            let packed = Arc::<AtomicU64>::default();
            let inner = std::mem::replace(&mut body, Box::new(io::empty()));
            let read = Some(packed.clone());
            body = Box::new(CountingReader { inner, read });
            packed
        });
        let body = codec
            .decoder(body, this.threads)
            .map_err(|e| Error::io(format_args!("cannot undo {}", codec.name()), e))
            .map_err(|e| e.file(&this.name))?;
        let mut layers = this.layers;
        layers.push(codec);
        Ok(Self {
            layers,
            packed: Some(packed),
            unpacked: this.unpacked,
            location: this.location,
            offset: this.offset,
            threads: this.threads,
            ..Self::new(this.name, Body::Stream(body))
        })
    }

    /// Limits the source to the next `len` bytes, such as a file inside a larger one. Positions in
    /// errors remain those of the larger one.
    ///
    /// # Errors
    /// [`Truncated`](ErrorKind::Truncated) if there are known to be fewer.
    pub fn limited(mut self, len: u64) -> Result<Self> {
        self.expect(len)?;
        let end = self.offset.saturating_add(len);
        let file = match self.body {
            Body::File(file) if self.pending.is_none() => file,
            body => return Self { body, ..self }.limited_stream(len),
        };
        let next = self.offset + (self.end - self.start) as u64;
        let held = usize::try_from(len).unwrap_or(usize::MAX);
        self.end = self.end.min(self.start.saturating_add(held));
        Ok(Self {
            body: Body::File(CountingReader {
                inner: Box::new(BoundedFile::new(file.inner, next, end)),
                read: file.read,
            }),
            len: Some(end),
            ended: false,
            ..self
        })
    }

    /// Limits a stream that only goes forward.
    fn limited_stream(self, len: u64) -> Result<Self> {
        let (body, this) = self.into_rest()?;
        Ok(Self {
            len: this.offset.checked_add(len),
            layers: this.layers,
            packed: this.packed,
            unpacked: this.unpacked,
            location: this.location,
            offset: this.offset,
            ..Self::new(this.name, Body::Stream(Box::new(body.take(len))))
        })
    }

    /// Returns all remaining bytes, and the source without them.
    fn into_rest(mut self) -> Result<(Box<dyn Read + Send>, Self)> {
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        let head = Cursor::new(self.buffer[self.start..self.end].to_vec());
        let body = std::mem::replace(&mut self.body, Body::Stream(Box::new(io::empty())));
        let body: Box<dyn Read + Send> = match body {
            Body::File(file) => Box::new(head.chain(file)),
            Body::Stream(stream) => Box::new(head.chain(stream)),
        };
        Ok((body, self))
    }

    /// Returns the name for messages: the location, `-`, or the command.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the location, if it is a file.
    pub fn location(&self) -> Option<&Location> {
        self.location.as_ref()
    }

    /// Returns the compressions that were undone, outermost first.
    pub fn layers(&self) -> &[Codec] {
        &self.layers
    }

    /// Returns the compressions that were undone, as in [`DatasetInfo`](crate::model::DatasetInfo).
    pub fn compression(&self) -> Option<String> {
        let names: Vec<_> = self.layers.iter().map(|c| c.name()).collect();
        (!names.is_empty()).then(|| names.join("+"))
    }

    /// Returns the size of the stream, if it is known without reading it.
    pub fn len(&self) -> Option<u64> {
        self.len
    }

    /// Returns `true` if the stream is known to be empty.
    pub fn is_empty(&self) -> bool {
        self.len == Some(0)
    }

    /// Returns the number of remaining bytes, if it is known.
    pub fn remaining(&self) -> Option<u64> {
        self.len.map(|len| len.saturating_sub(self.offset))
    }

    /// Returns the position of the next byte in the (decompressed) stream.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns `true` if the bytes are those of an uncompressed file.
    pub fn is_plain_file(&self) -> bool {
        self.location.is_some() && self.layers.is_empty()
    }

    /// Returns `true` if another process produces the bytes, through a pipe or a terminal. Readers
    /// then wait for no more than necessary.
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// Returns `true` if [`seek`](Self::seek) can go back.
    pub fn can_seek(&self) -> bool {
        matches!(self.body, Body::File(_))
    }

    /// Moves to a byte; without [`can_seek`](Self::can_seek) only forward.
    ///
    /// # Errors
    /// The position is after the end, or before the current one in a stream that is not seekable.
    pub fn seek(&mut self, to: u64) -> Result<()> {
        let ahead = to.checked_sub(self.offset);
        if let Some(ahead) = ahead.and_then(|n| usize::try_from(n).ok())
            && ahead <= self.end - self.start
        {
            self.consume(ahead);
            return Ok(());
        }
        if self.len.is_some_and(|len| to > len) {
            let len = self.len.unwrap_or_default();
            return Err(
                Error::truncated(format!("byte {to} is past the end, at {len}"))
                    .file(&self.name)
                    .byte(to),
            );
        }
        match &mut self.body {
            Body::File(file) => {
                file.seek(SeekFrom::Start(to))
                    .map_err(|e| Error::io("cannot seek", e).file(&self.name).byte(to))?;
                (self.start, self.end) = (0, 0);
                self.offset = to;
                self.ended = false;
                self.step = FIRST_STEP;
                Ok(())
            }
            Body::Stream(_) => match ahead {
                Some(n) => self.skip(n),
                None => Err(self.no_way_back()),
            },
        }
    }

    /// Makes the next read as small as after a jump, because one may follow.
    pub fn expect_jump(&mut self) {
        self.step = FIRST_STEP;
    }

    fn no_way_back(&self) -> Error {
        let error = |message| self.error(ErrorKind::Unsupported, message);
        match self.location.as_ref().is_some_and(Location::is_url) && self.layers.is_empty() {
            true => error("the server gives no parts of files, so that it can't be read backwards")
                .hint("download it first"),
            false => error("a pipe can't be read backwards"),
        }
    }

    /// Returns the same bytes in seekable form: itself if it is an uncompressed file, otherwise a
    /// temporary copy of the rest. Positions are preserved only in the first case.
    ///
    /// # Errors
    /// Reading fails, the temporary file cannot be written, or the compressed data expand too much.
    pub fn into_seekable(self) -> Result<Self> {
        let (copy, failure) = self.into_salvage()?;
        failure.map_or(Ok(copy), Err)
    }

    /// Does the same as [`into_seekable`](Self::into_seekable), but returns the readable part of a
    /// damaged stream, and its error.
    ///
    /// # Errors
    /// The temporary file cannot be written, or the compressed data expand too much.
    pub fn into_salvage(mut self) -> Result<(Self, Option<Error>)> {
        if self.can_seek() {
            return Ok((self, None));
        }
        let folder = std::env::temp_dir().display().to_string();
        let doing = format!("cannot keep a copy of {} here", self.name);
        let spool = |e| Error::io(&doing, e).file(&folder);
        let mut file = tempfile::tempfile().map_err(spool)?;
        let (mut len, mut failure) = (0, None);
        loop {
            let window = match self.window() {
                Ok(window) => window,
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            };
            if window.is_empty() {
                break;
            }
            let n = window.len();
            io::Write::write_all(&mut file, window).map_err(spool)?;
            self.consume(n);
            len += n as u64;
            self.check_expansion("a temporary copy", len)?;
        }
        let copied = CopiedFile::new(file, len);
        Ok((self.reading(copied), failure))
    }

    /// Returns a source of the same name that reads a temporary copy of its bytes.
    fn reading(&self, copied: CopiedFile) -> Self {
        Self {
            len: copied.length(),
            copied: Some(copied.clone()),
            location: self.location.clone(),
            layers: self.layers.clone(),
            packed: self.packed.clone(),
            unpacked: self.unpacked,
            ..Self::new(
                self.name.clone(),
                Body::File(CountingReader {
                    inner: Box::new(copied),
                    read: None,
                }),
            )
        }
    }

    /// Returns another source of the same bytes from the start, if they are a temporary copy.
    pub(super) fn copy(&self) -> Option<Self> {
        self.copied.clone().map(|copied| self.reading(copied))
    }
}

#[cfg(test)]
#[cfg(feature = "gzip")]
mod tests;
