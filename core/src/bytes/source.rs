//! The one cursor through which every reader takes its bytes.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::command::Command;
use super::{ByteOrder, Codec, swap_in_place};
use crate::model::{Dtype, Matrix, Rank};
use crate::{Error, ErrorKind, Limits, Result};

const BUFFER: usize = 128 << 10;
/// The least that is asked for at once.
const SMALLEST: usize = 512;
/// Payloads are taken in steps of this size, so that a false size costs nothing and the byte swap
/// works on what is still in the cache.
const STEP: usize = 256 << 10;
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
    path: Option<PathBuf>,
    body: Body,
    layers: Vec<Codec>,
    /// Bytes after decompression, where they can be known beforehand.
    len: Option<u64>,
    /// Storage, grown but never shrunk; only `buffer[start..end]` counts.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Where `buffer[start]` stands in the stream.
    offset: u64,
    ended: bool,
    /// A failure met while looking ahead, kept until the bytes before it are used up.
    pending: Option<Error>,
}

enum Body {
    File(File),
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
    /// Opens a file.
    ///
    /// # Errors
    /// The system refuses, or it is a folder.
    pub fn open(path: &Path) -> Result<Self> {
        Self::from_file(path, 0)?.undo_layers()
    }

    /// Opens a file at a byte.
    ///
    /// # Errors
    /// As [`open`](Self::open); a place inside a compressed file can't be reached.
    pub fn open_at(path: &Path, offset: u64) -> Result<Self> {
        let mut source = Self::from_file(path, 0)?;
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

    fn from_file(path: &Path, offset: u64) -> Result<Self> {
        let name = path.display().to_string();
        let open = || {
            let file = File::open(path)?;
            let meta = file.metadata()?;
            if meta.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            Ok((file, meta))
        };
        let (file, meta) = open().map_err(|e| Error::io("cannot open", e).file(&name))?;
        let mut source = if meta.is_file() {
            Self::new(name, Body::File(file))
        } else {
            Self::new(name, Body::Stream(Box::new(file)))
        };
        source.path = Some(path.to_owned());
        source.len = meta.is_file().then_some(meta.len());
        source.offset = offset;
        Ok(source)
    }

    /// Standard input.
    pub fn stdin() -> Result<Self> {
        Self::from_reader("-", Box::new(io::stdin()))
    }

    /// The output of a shell command, whose failure is an error at the end of its data.
    pub fn command(line: &str) -> Result<Self> {
        let name = format!("{line} |");
        let command = Command::reading(line).map_err(|e| Error::io("cannot run", e).file(&name))?;
        Self::from_reader(name, Box::new(command))
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
            path: None,
            body,
            layers: Vec::new(),
            len: None,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            offset: 0,
            ended: false,
            pending: None,
        }
    }

    fn undo_layers(mut self) -> Result<Self> {
        while let Some(codec) = Codec::detect(self.peek(Codec::MAGIC_LEN)?) {
            if self.layers.len() == MAX_LAYERS {
                let message = format!("compressed more than {MAX_LAYERS} times over");
                return Err(self.error(ErrorKind::Limit, message));
            }
            let head = Cursor::new(self.buffer[self.start..self.end].to_vec());
            if let Some(error) = self.pending {
                return Err(error);
            }
            let body: Box<dyn Read + Send> = match self.body {
                Body::File(file) => Box::new(head.chain(file)),
                Body::Stream(stream) => Box::new(head.chain(stream)),
            };
            let body = codec
                .decoder(body)
                .map_err(|e| Error::io(format_args!("cannot undo {}", codec.name()), e))
                .map_err(|e| e.file(&self.name))?;
            let mut layers = self.layers;
            layers.push(codec);
            let (name, path) = (self.name, self.path);
            self = Self {
                layers,
                path,
                ..Self::new(name, Body::Stream(body))
            };
        }
        Ok(self)
    }

    /// The name used in messages: the path, `-`, or the command.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The path, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
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

    /// An error at the current place.
    pub fn error(&self, kind: ErrorKind, message: impl Into<String>) -> Error {
        Error::new(kind, message).file(&self.name).byte(self.offset)
    }

    /// A [`Malformed`](ErrorKind::Malformed) error at the current place.
    pub fn malformed(&self, message: impl Into<String>) -> Error {
        self.error(ErrorKind::Malformed, message)
    }

    /// Up to `n` bytes from here on without moving; fewer only at the end of the stream.
    pub fn peek(&mut self, n: usize) -> Result<&[u8]> {
        while self.end - self.start < n && !self.ended {
            self.refill(n);
        }
        if self.start == self.end
            && let Some(error) = self.pending.take()
        {
            return Err(error);
        }
        let end = self.end.min(self.start + n);
        Ok(&self.buffer[self.start..end])
    }

    /// Whether no byte is left.
    pub fn at_end(&mut self) -> Result<bool> {
        Ok(self.peek(1)?.is_empty())
    }

    /// What is in the buffer now, after making sure that it is not empty unless at the end.
    fn window(&mut self) -> Result<&[u8]> {
        self.peek(1)?;
        Ok(&self.buffer[self.start..self.end])
    }

    /// Moves past `n` bytes of the buffer.
    fn consume(&mut self, n: usize) {
        self.start += n;
        self.offset += n as u64;
    }

    fn refill(&mut self, wanted: usize) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let filled = self.end;
        let mut room = BUFFER.max(wanted.min(STEP));
        if let Some(left) = self.remaining().and_then(|n| usize::try_from(n).ok()) {
            // A short file needs no more than its bytes and one for the end; some files that
            // the system makes up claim no length at all.
            room = room.min(left.saturating_sub(filled).max(SMALLEST) + 1);
        }
        if self.buffer.len() < filled + room {
            self.buffer.resize(filled + room, 0);
        }
        let result = self.body.read(&mut self.buffer[filled..]);
        self.end += *result.as_ref().unwrap_or(&0);
        match result {
            Ok(0) => self.ended = true,
            Ok(_) => {}
            Err(e) => {
                self.pending = Some(self.read_error(e, filled as u64));
                self.ended = true;
            }
        }
    }

    fn read_error(&self, error: io::Error, ahead: u64) -> Error {
        let at = self.offset + ahead;
        let error = match self.layers.last() {
            // A decoder's complaint is about the file, not about the system.
            Some(codec) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Error::truncated(format!("the {} data are cut off", codec.name()))
            }
            Some(codec) if error.raw_os_error().is_none() => {
                Error::malformed(format!("broken {} data: {error}", codec.name()))
            }
            _ => Error::io("cannot read", error),
        };
        error.file(&self.name).byte(at)
    }

    /// Fills `out` or fails.
    ///
    /// # Errors
    /// [`Truncated`](ErrorKind::Truncated) at the end of the stream, naming bytes wanted and there.
    pub fn fill(&mut self, out: &mut [u8]) -> Result<()> {
        let mut done = 0;
        while done < out.len() {
            let rest = &mut out[done..];
            // What is larger than the buffer goes straight to its place.
            let n = if self.start == self.end && self.pending.is_none() && rest.len() >= BUFFER / 2
            {
                let n = self.body.read(rest).map_err(|e| self.read_error(e, 0))?;
                self.offset += n as u64;
                n
            } else {
                let window = self.window()?;
                let n = window.len().min(rest.len());
                rest[..n].copy_from_slice(&window[..n]);
                self.consume(n);
                n
            };
            if n == 0 {
                return Err(self.cut_short(out.len() as u64, done as u64));
            }
            done += n;
        }
        Ok(())
    }

    fn cut_short(&self, wanted: u64, got: u64) -> Error {
        self.error(
            ErrorKind::Truncated,
            format!("the file ends here: {wanted} bytes are due, {got} are there"),
        )
    }

    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut out = [0; N];
        self.fill(&mut out)?;
        Ok(out)
    }

    /// The next byte.
    pub fn byte(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    /// Moves past `n` bytes.
    ///
    /// # Errors
    /// [`Truncated`](ErrorKind::Truncated) if they are not there.
    pub fn skip(&mut self, n: u64) -> Result<()> {
        if let (Body::File(_), Some(remaining)) = (&self.body, self.remaining()) {
            if n > remaining {
                return Err(self.cut_short(n, remaining));
            }
            if n > BUFFER as u64 {
                return self.seek(self.offset + n);
            }
        }
        let mut left = n;
        while left > 0 {
            let there = self.window()?.len();
            if there == 0 {
                return Err(self.cut_short(n, n - left));
            }
            let step = there.min(usize::try_from(left).unwrap_or(usize::MAX));
            self.consume(step);
            left -= step as u64;
        }
        Ok(())
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
                Ok(())
            }
            Body::Stream(_) => match ahead {
                Some(n) => self.skip(n),
                None => Err(self.error(ErrorKind::Unsupported, "a pipe can't be read backwards")),
            },
        }
    }

    /// The same bytes in a form that can be read backwards: itself if it is an uncompressed file,
    /// else a temporary copy of what is left. Places stay as they are only in the first case.
    ///
    /// # Errors
    /// Reading fails, or the temporary file can't be written.
    pub fn into_seekable(mut self) -> Result<Self> {
        if self.can_seek() {
            return Ok(self);
        }
        let spool = |e| Error::io("cannot keep a copy in the temporary folder", e);
        let mut file = tempfile::tempfile().map_err(spool)?;
        let mut len = 0;
        loop {
            let window = self.window()?;
            if window.is_empty() {
                break;
            }
            let n = window.len();
            io::Write::write_all(&mut file, window).map_err(spool)?;
            self.consume(n);
            len += n as u64;
        }
        file.rewind().map_err(spool)?;
        let (name, path, layers) = (self.name, self.path, self.layers);
        Ok(Self {
            len: Some(len),
            path,
            layers,
            ..Self::new(name, Body::File(file))
        })
    }

    /// Reads up to and past the next `end` byte and appends what stands before it to `line`.
    /// `false` at the end of the stream with nothing read; a last line without `end` counts.
    ///
    /// # Errors
    /// More than `limits.max_alloc` bytes without an `end`.
    pub fn until(&mut self, end: u8, line: &mut Vec<u8>, limits: &Limits) -> Result<bool> {
        let from = self.offset;
        loop {
            let window = self.window()?;
            if window.is_empty() {
                return Ok(self.offset > from);
            }
            let found = memchr::memchr(end, window);
            let take = found.unwrap_or(window.len());
            line.extend_from_slice(&window[..take]);
            self.consume(take + usize::from(found.is_some()));
            if found.is_some() {
                return Ok(true);
            }
            limits
                .bytes("a line", line.len() as u64)
                .map_err(|e| e.file(&self.name).byte(from))?;
        }
    }

    /// The next line without its `\n`, in place of what `line` held; as [`until`](Self::until).
    pub fn line(&mut self, line: &mut Vec<u8>, limits: &Limits) -> Result<bool> {
        line.clear();
        self.until(b'\n', line, limits)
    }

    /// Reads a matrix of `rows` × `cols` elements stored one after the other in `order`.
    ///
    /// The claim is checked against the limits, then against what is left of the file where that
    /// is known; otherwise memory grows only as data arrive.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) or [`Truncated`](ErrorKind::Truncated), naming the bytes due.
    pub fn read_matrix(
        &mut self,
        into: &mut Matrix,
        shape: (Dtype, Rank, u64, u64),
        order: ByteOrder,
        limits: &Limits,
    ) -> Result<()> {
        let (dtype, rank, rows, cols) = shape;
        let place = |e: Error| e.file(&self.name).byte(self.offset);
        let bytes = limits.matrix_bytes(dtype, rows, cols).map_err(place)?;
        if let Some(there) = self.remaining().filter(|&there| there < bytes as u64) {
            return Err(self.cut_short(bytes as u64, there));
        }
        let (rows, cols) = (to_usize(rows), to_usize(cols));
        into.start(dtype, Rank::Vector, 1);
        let mut left = bytes / dtype.size();
        while left > 0 {
            let n = left.min(STEP / dtype.size());
            let from = self.offset;
            let step = into.extend_rows(n, limits)?;
            self.fill(step).map_err(|e| match e.kind() {
                ErrorKind::Truncated => {
                    let at = from - (bytes - left * dtype.size()) as u64;
                    let got = self.offset - at;
                    self.cut_short(bytes as u64, got)
                }
                _ => e,
            })?;
            if order != ByteOrder::NATIVE {
                swap_in_place(step, dtype.size());
            }
            left -= n;
        }
        into.reshape(rank, rows, cols)
    }
}

/// A size that was checked against the limits, which are sizes in memory.
fn to_usize(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte a read.
    struct Dribble(Cursor<Vec<u8>>);

    impl Read for Dribble {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let n = out.len().min(1);
            self.0.read(&mut out[..n])
        }
    }

    fn dribble(bytes: &[u8]) -> Source {
        Source::from_reader("slow", Box::new(Dribble(Cursor::new(bytes.to_vec())))).unwrap()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn short_reads_are_no_end() {
        let mut source = dribble(b"first\nsecond");
        assert_eq!(source.peek(7).unwrap(), b"first\ns");
        let mut line = Vec::new();
        let limits = Limits::default();
        assert!(source.line(&mut line, &limits).unwrap());
        assert_eq!((line.as_slice(), source.offset()), (&b"first"[..], 6));
        assert!(source.line(&mut line, &limits).unwrap());
        assert_eq!(line, b"second");
        assert!(!source.line(&mut line, &limits).unwrap());
    }

    #[test]
    fn layers_are_undone_by_content() {
        let packed = gzip(&gzip(b"hello"));
        for mut source in [
            dribble(&packed),
            Source::from_bytes("x", packed.clone()).unwrap(),
        ] {
            assert_eq!(source.layers(), [Codec::Gzip, Codec::Gzip]);
            assert_eq!(source.array::<5>().unwrap(), *b"hello");
            assert!(source.at_end().unwrap());
        }
    }

    #[test]
    fn a_cut_gzip_file_is_truncated() {
        let mut packed = gzip(&[7; 1000]);
        packed.truncate(packed.len() - 9);
        let mut source = Source::from_bytes("x.gz", packed).unwrap();
        let error = source.skip(1001).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
    }

    #[test]
    fn a_false_size_costs_nothing() {
        let shape = (Dtype::F32, Rank::Matrix, 1 << 20, 1 << 9);
        let mut matrix = Matrix::default();
        for mut source in [
            dribble(&[0; 100]),
            Source::from_bytes("x", vec![0; 100]).unwrap(),
        ] {
            let limits = Limits::default();
            let error = source
                .read_matrix(&mut matrix, shape, ByteOrder::Big, &limits)
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Truncated);
            assert!(
                error
                    .to_string()
                    .ends_with("2147483648 bytes are due, 100 are there"),
                "{error}"
            );
        }
        let error = dribble(&[0; 9])
            .read_matrix(
                &mut matrix,
                (Dtype::F32, Rank::Matrix, u64::MAX, 3),
                ByteOrder::Big,
                &Limits::default(),
            )
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
    }

    #[test]
    fn streams_become_seekable() {
        let mut source = dribble(b"abcdef").into_seekable().unwrap();
        source.skip(4).unwrap();
        source.seek(1).unwrap();
        assert_eq!(source.array::<2>().unwrap(), *b"bc");
        assert!(source.seek(7).is_err());
        let mut pipe = dribble(b"abcdef");
        pipe.seek(3).unwrap();
        assert!(pipe.seek(1).is_err());
    }

    #[test]
    fn a_failing_command_is_an_error() {
        let mut source = Source::command("printf abc; exit 3").unwrap();
        assert_eq!(source.array::<3>().unwrap(), *b"abc");
        let error = source.at_end().unwrap_err();
        assert!(error.to_string().contains("exit status 3"), "{error}");
    }
}
