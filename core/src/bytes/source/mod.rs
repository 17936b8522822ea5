//! The one cursor through which every reader takes its bytes.

mod counted;
mod cursor;
mod expansion;

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::command::Command;
use super::local::LocalFile;
use super::store::Stored;
use super::{Codec, Location};
use crate::{Error, ErrorKind, Result};
use counted::Counted;
pub use expansion::Held;

const BUFFER: usize = 128 << 10;
/// Read after a jump; then ever more, up to a buffer.
const FIRST_STEP: usize = 4 << 10;
/// Compressions inside compressions that are undone.
const MAX_LAYERS: usize = 4;

/// A byte stream that knows its name, its place and what was compressed.
///
/// gzip, bzip2 and zstd are found by content and undone on opening, in layers if need be. A short
/// read is never taken for the end. Places in errors count decompressed bytes.
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
    /// What was read of the outermost of the layers.
    packed: Option<Arc<AtomicU64>>,
    /// Bytes after decompression, where they can be known beforehand.
    len: Option<u64>,
    /// Storage, grown but never shrunk; only `buffer[start..end]` counts.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Where `buffer[start]` stands in the stream.
    offset: u64,
    ended: bool,
    /// How much to read next: little after a jump, for the next may follow at once.
    step: usize,
    /// A failure met while looking ahead, kept until the bytes before it are used up.
    pending: Option<Error>,
    /// Whether the bytes come as somebody makes them.
    live: bool,
    /// Threads that may undo compression.
    threads: usize,
}

enum Body {
    File(Counted<Box<dyn Stored>>),
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
    /// What was opened of a file, whose compression is undone on up to `threads` threads; if asked
    /// for, the bytes that are read of it, as they are stored, are counted.
    ///
    /// # Errors
    /// Reading fails.
    pub(super) fn open(
        at: &Location,
        stored: Box<dyn Stored>,
        read: Option<Arc<AtomicU64>>,
        threads: usize,
    ) -> Result<Self> {
        let mut source = Self::stored(at, stored, read);
        if !source.live {
            source.threads = threads;
        }
        source.undo_layers()
    }

    /// What was opened of a file, from a byte on.
    ///
    /// # Errors
    /// Reading fails; a place inside a compressed file can't be reached.
    pub(super) fn open_at(at: &Location, stored: Box<dyn Stored>, offset: u64) -> Result<Self> {
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

    fn stored(at: &Location, stored: Box<dyn Stored>, read: Option<Arc<AtomicU64>>) -> Self {
        let length = stored.length();
        let body = match stored.can_seek() {
            true => Body::File(Counted {
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

    /// Standard input.
    pub(super) fn stdin() -> Result<Self> {
        Self::live("-".to_owned(), Box::new(io::stdin()))
    }

    /// The output of a shell command, whose failure is an error at the end of its data.
    pub(super) fn command(line: &str) -> Result<Self> {
        let name = format!("{line} |");
        let command = Command::reading(line).map_err(|e| Error::io("cannot run", e).file(&name))?;
        Self::live(name, Box::new(command))
    }

    /// What comes as somebody makes it.
    fn live(name: String, reader: Box<dyn Read + Send>) -> Result<Self> {
        let mut source = Self::new(name, Body::Stream(reader));
        source.live = true;
        source.undo_layers()
    }

    /// Any reader, named for its errors.
    pub fn from_reader(name: impl Into<String>, reader: Box<dyn Read + Send>) -> Result<Self> {
        Self::new(name.into(), Body::Stream(reader)).undo_layers()
    }

    /// Bytes in memory, named for their errors.
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
            len: None,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            offset: 0,
            ended: false,
            step: BUFFER,
            pending: None,
            live: false,
            threads: 1,
        }
    }

    fn undo_layers(mut self) -> Result<Self> {
        while let Some(codec) = Codec::detect(self.ahead(Codec::MAGIC_LEN, Codec::is_none)?.0) {
            if self.layers.len() == MAX_LAYERS {
                let message = format!("compressed more than {MAX_LAYERS} times over");
                return Err(self.error(ErrorKind::Limit, message));
            }
            self = self.undo(codec)?;
        }
        Ok(self)
    }

    /// What `codec` made the rest of the stream of, for a compression that is not found by content.
    /// What is inside is left as it is, whatever it looks like; places in errors go on from here
    /// and count decoded bytes.
    ///
    /// # Errors
    /// Reading fails, or the codec is not built in.
    pub fn undo(self, codec: Codec) -> Result<Self> {
        codec.check().map_err(|e| e.file(&self.name))?;
        let (mut body, this) = self.into_rest()?;
        let packed = this.packed.unwrap_or_else(|| {
            let packed = Arc::<AtomicU64>::default();
            let inner = std::mem::replace(&mut body, Box::new(io::empty()));
            let read = Some(packed.clone());
            body = Box::new(Counted { inner, read });
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
            location: this.location,
            offset: this.offset,
            threads: this.threads,
            ..Self::new(this.name, Body::Stream(body))
        })
    }

    /// A source of no more than the next `len` bytes, such as a file inside a larger one. Places in
    /// errors stay those of the larger one.
    ///
    /// # Errors
    /// [`Truncated`](ErrorKind::Truncated) if there are known to be fewer.
    pub fn limited(self, len: u64) -> Result<Self> {
        self.expect(len)?;
        let (body, this) = self.into_rest()?;
        Ok(Self {
            len: this.offset.checked_add(len),
            layers: this.layers,
            packed: this.packed,
            location: this.location,
            offset: this.offset,
            ..Self::new(this.name, Body::Stream(Box::new(body.take(len))))
        })
    }

    /// All bytes that are left, and the source without them.
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

    /// The name used in messages: the location, `-`, or the command.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is, if it is a file.
    pub fn location(&self) -> Option<&Location> {
        self.location.as_ref()
    }

    /// The compressions that were undone, outermost first.
    pub fn layers(&self) -> &[Codec] {
        &self.layers
    }

    /// The compressions that were undone, as [`DatasetInfo`](crate::model::DatasetInfo) wants them.
    pub fn compression(&self) -> Option<String> {
        let names: Vec<_> = self.layers.iter().map(|c| c.name()).collect();
        (!names.is_empty()).then(|| names.join("+"))
    }

    /// All bytes of the stream, where that is known without reading it.
    pub fn len(&self) -> Option<u64> {
        self.len
    }

    /// Whether the stream is known to be empty.
    pub fn is_empty(&self) -> bool {
        self.len == Some(0)
    }

    /// Bytes from here to the end, where that is known.
    pub fn remaining(&self) -> Option<u64> {
        self.len.map(|len| len.saturating_sub(self.offset))
    }

    /// Where the next byte stands in the (decompressed) stream.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether its bytes are those of a file, with no compression undone.
    pub fn is_plain_file(&self) -> bool {
        self.location.is_some() && self.layers.is_empty()
    }

    /// Whether its bytes come as somebody makes them, through a pipe or from a terminal: then they
    /// are waited for no longer than need be.
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// Whether [`seek`](Self::seek) can go back.
    pub fn can_seek(&self) -> bool {
        matches!(self.body, Body::File(_))
    }

    /// Moves to a byte; without [`can_seek`](Self::can_seek) only forward.
    ///
    /// # Errors
    /// The place is beyond the end, or behind in a stream that can't go back.
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

    fn no_way_back(&self) -> Error {
        let error = |message| self.error(ErrorKind::Unsupported, message);
        match self.location.as_ref().is_some_and(Location::is_url) && self.layers.is_empty() {
            true => error("the server gives no parts of files, so that it can't be read backwards")
                .hint("download it first"),
            false => error("a pipe can't be read backwards"),
        }
    }

    /// The same bytes in a form that can be read backwards: itself if it is an uncompressed file,
    /// else a temporary copy of what is left. Places stay as they are only in the first case.
    ///
    /// # Errors
    /// Reading fails, the temporary file can't be written, or the compressed data expand beyond
    /// reason.
    pub fn into_seekable(self) -> Result<Self> {
        let (copy, failure) = self.into_salvage()?;
        failure.map_or(Ok(copy), Err)
    }

    /// As [`into_seekable`](Self::into_seekable), but of a stream that breaks off there is what
    /// could be read, and the failure.
    ///
    /// # Errors
    /// The temporary file can't be written, or the compressed data expand beyond reason.
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
        file.rewind().map_err(spool)?;
        let stored: Box<dyn Stored> = Box::new(LocalFile::nameless(file, len));
        let (name, location, layers) = (self.name, self.location, self.layers);
        let copy = Self {
            len: Some(len),
            location,
            layers,
            packed: self.packed,
            ..Self::new(
                name,
                Body::File(Counted {
                    inner: stored,
                    read: None,
                }),
            )
        };
        Ok((copy, failure))
    }
}

#[cfg(test)]
#[cfg(feature = "gzip")]
mod tests;
