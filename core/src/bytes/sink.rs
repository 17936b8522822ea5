//! One output stream.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex};

use super::ahead::Ahead;
use crate::{Error, Result};

const BUFFER: usize = 256 << 10;

/// A byte stream whose end matters: a compressor's trailer, a command's exit status.
pub trait Finish: Write + Send {
    /// Writes what is left and waits for whoever is at the other end.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

impl Finish for io::Stdout {
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.flush()
    }
}

impl Finish for File {
    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

impl Finish for io::Sink {
    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes kept in memory and handed over when they are complete.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) bytes: Vec<u8>,
    pub(crate) done: Arc<Mutex<Option<Vec<u8>>>>,
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Finish for Memory {
    fn finish(self: Box<Self>) -> io::Result<()> {
        if let Ok(mut done) = self.done.lock() {
            *done = Some(self.bytes);
        }
        Ok(())
    }
}

/// What a writer writes to. Nothing of it is seen under its final name before the
/// [`Output`](super::Output) it came from is committed.
pub struct Sink {
    name: String,
    body: Body,
    position: u64,
    on_finish: Option<Box<dyn FnOnce() + Send>>,
}

enum Body {
    /// A file that can be patched.
    File {
        file: BufWriter<File>,
        ahead: Option<Ahead>,
    },
    /// A temporary file that can be patched and is passed on at the end.
    Passed {
        file: BufWriter<File>,
        then: Box<dyn Finish>,
    },
    Stream(BufWriter<Box<dyn Finish>>),
}

impl Sink {
    /// A sink into `file`, which can be patched and, if `durable`, goes to the disk as it grows.
    pub(crate) fn file(name: String, file: File, durable: bool) -> Self {
        let file = BufWriter::with_capacity(BUFFER, file);
        let ahead = durable.then(Ahead::default);
        Self::new(name, Body::File { file, ahead })
    }

    /// A sink into a stream; if it must be patched, a temporary file takes the bytes first.
    ///
    /// # Errors
    /// The temporary file can't be made.
    pub(crate) fn stream(name: String, stream: Box<dyn Finish>, patch: bool) -> Result<Self> {
        let body = if patch {
            let file = tempfile::tempfile()
                .map_err(|e| Error::io("cannot make a temporary file", e).file(&name))?;
            Body::Passed {
                file: BufWriter::with_capacity(BUFFER, file),
                then: stream,
            }
        } else {
            Body::Stream(BufWriter::with_capacity(BUFFER, stream))
        };
        Ok(Self::new(name, body))
    }

    fn new(name: String, body: Body) -> Self {
        Self {
            name,
            body,
            position: 0,
            on_finish: None,
        }
    }

    /// Calls `then` once all bytes are safely on their way.
    pub(crate) fn on_finish(mut self, then: impl FnOnce() + Send + 'static) -> Self {
        self.on_finish = Some(Box::new(then));
        self
    }

    /// The name used in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes written so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Appends all of `bytes`.
    ///
    /// # Errors
    /// The system refuses; the output is then lost as a whole.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let result = match &mut self.body {
            Body::File { file, .. } | Body::Passed { file, .. } => file.write_all(bytes),
            Body::Stream(stream) => stream.write_all(bytes),
        };
        result.map_err(|e| self.failed(e))?;
        self.position += bytes.len() as u64;
        if let Body::File {
            file,
            ahead: Some(ahead),
        } = &mut self.body
        {
            ahead.written(file.get_ref(), self.position);
        }
        Ok(())
    }

    /// Overwrites bytes written before.
    ///
    /// # Errors
    /// The system refuses, or the sink was not made to be patched.
    pub fn patch(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        let (Body::File { file, .. } | Body::Passed { file, .. }) = &mut self.body else {
            return Err(
                Error::unsupported("this output can't be changed afterwards")
                    .file(&self.name)
                    .byte(at),
            );
        };
        let mut write = || {
            let end = file.stream_position()?;
            file.seek(SeekFrom::Start(at))?;
            file.write_all(bytes)?;
            file.seek(SeekFrom::Start(end)).map(drop)
        };
        write().map_err(|e| self.failed(e))
    }

    /// Completes the stream and returns its length in bytes, before any compression.
    ///
    /// # Errors
    /// The system refuses, or the command at the other end failed.
    pub fn finish(self) -> Result<u64> {
        let Self {
            name,
            body,
            position,
            on_finish,
        } = self;
        let failed = |e| write_error(&name, e);
        match body {
            Body::File { file, ahead } => {
                file.into_inner().map_err(|e| failed(e.into_error()))?;
                ahead.map_or(Ok(()), Ahead::finish).map_err(failed)?;
            }
            Body::Passed { file, mut then } => {
                let mut file = file.into_inner().map_err(|e| failed(e.into_error()))?;
                file.rewind().map_err(failed)?;
                copy(&mut file, &mut then).map_err(failed)?;
                then.finish().map_err(failed)?;
            }
            Body::Stream(stream) => {
                let stream = stream.into_inner().map_err(|e| failed(e.into_error()))?;
                stream.finish().map_err(failed)?;
            }
        }
        if let Some(then) = on_finish {
            then();
        }
        Ok(position)
    }

    fn failed(&self, error: io::Error) -> Error {
        write_error(&self.name, error)
    }
}

fn write_error(name: &str, error: io::Error) -> Error {
    Error::io("cannot write", error).file(name)
}

fn copy(from: &mut File, to: &mut Box<dyn Finish>) -> io::Result<()> {
    let mut block = vec![0; BUFFER];
    loop {
        match from.read(&mut block)? {
            0 => return Ok(()),
            n => to.write_all(&block[..n])?,
        }
    }
}
