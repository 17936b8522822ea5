//! One output stream.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::finish::Finish;
use super::landing::Landing;
use crate::error::{Error, Result};

const BUFFER: usize = 64 << 10;

/// The destination of a writer. Nothing appears under its final name before the
/// [`Output`](super::Output) that it came from is committed.
pub struct Sink {
    name: String,
    body: Body,
    position: u64,
}

/// The number of bytes in temporary files that wait to be compressed or piped, shared by all
/// clones.
#[derive(Clone, Debug, Default)]
pub struct SpoolProgress(Arc<[AtomicU64; 2]>);

impl SpoolProgress {
    /// Returns the number of bytes passed on, and the total.
    pub fn bytes(&self) -> (u64, u64) {
        let [passed, all] = self.0.each_ref().map(|n| n.load(Ordering::Relaxed));
        (passed, all)
    }

    fn add(&self, bytes: usize) {
        self.0[1].fetch_add(bytes as u64, Ordering::Relaxed);
    }

    fn pass(&self, bytes: usize) {
        self.0[0].fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

enum Body {
    /// A draft, which can be patched.
    Draft(BufWriter<Landing>),
    /// A temporary file that can be patched and is passed on at the end.
    Passed {
        file: BufWriter<File>,
        then: Box<dyn Finish>,
        waiting: SpoolProgress,
    },
    Stream(BufWriter<Box<dyn Finish>>),
}

impl Sink {
    /// Creates a sink to a draft, which can be patched.
    pub(super) fn draft(name: String, draft: Landing) -> Self {
        let draft = BufWriter::with_capacity(BUFFER, draft);
        Self::new(name, Body::Draft(draft))
    }

    /// Creates a sink to a stream. If it must be patched, the bytes are first written to a
    /// temporary file.
    ///
    /// # Errors
    /// The temporary file cannot be created.
    pub(super) fn stream(
        name: String,
        stream: Box<dyn Finish>,
        patch: bool,
        waiting: &SpoolProgress,
    ) -> Result<Self> {
        let body = if patch {
            let file = tempfile::tempfile()
                .map_err(|e| Error::io("cannot make a temporary file", e).file(&name))?;
            Body::Passed {
                file: BufWriter::with_capacity(BUFFER, file),
                then: stream,
                waiting: waiting.clone(),
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
        }
    }

    /// Returns the name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of bytes written so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Appends all of `bytes`.
    ///
    /// # Errors
    /// The system refuses; the whole output is then lost.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let result = match &mut self.body {
            Body::Draft(draft) => draft.write_all(bytes),
            Body::Passed { file, waiting, .. } => {
                waiting.add(bytes.len());
                file.write_all(bytes)
            }
            Body::Stream(stream) => stream.write_all(bytes),
        };
        result.map_err(|e| self.failed(e))?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Flushes all bytes.
    ///
    /// # Errors
    /// The system refuses; the whole output is then lost.
    pub fn flush(&mut self) -> Result<()> {
        let result = match &mut self.body {
            Body::Draft(draft) => draft.flush(),
            Body::Passed { file, .. } => file.flush(),
            Body::Stream(stream) => stream.flush(),
        };
        result.map_err(|e| self.failed(e))
    }

    /// Overwrites bytes written before.
    ///
    /// # Errors
    /// The system refuses, or the sink was not created for patching.
    pub fn patch(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        let result = match &mut self.body {
            Body::Draft(draft) => draft
                .flush()
                .and_then(|()| draft.get_mut().patch(at, bytes)),
            Body::Passed { file, .. } => patch(file, at, bytes),
            Body::Stream(_) => {
                return Err(
                    Error::unsupported("this output can't be changed afterwards")
                        .file(&self.name)
                        .byte(at),
                );
            }
        };
        result.map_err(|e| self.failed(e))
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
        } = self;
        let failed = |e| write_error(&name, e);
        match body {
            Body::Draft(draft) => {
                let draft = draft.into_inner().map_err(|e| failed(e.into_error()))?;
                Box::new(draft).finish().map_err(failed)?;
            }
            Body::Passed {
                file,
                mut then,
                waiting,
            } => {
                let mut file = file.into_inner().map_err(|e| failed(e.into_error()))?;
                file.rewind().map_err(failed)?;
                copy(&mut file, &mut then, &waiting).map_err(failed)?;
                then.finish().map_err(failed)?;
            }
            Body::Stream(stream) => {
                let stream = stream.into_inner().map_err(|e| failed(e.into_error()))?;
                stream.finish().map_err(failed)?;
            }
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

fn patch(file: &mut BufWriter<File>, at: u64, bytes: &[u8]) -> io::Result<()> {
    let end = file.stream_position()?;
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(end)).map(drop)
}

fn copy(from: &mut File, to: &mut Box<dyn Finish>, waiting: &SpoolProgress) -> io::Result<()> {
    let mut block = vec![0; BUFFER];
    loop {
        match from.read(&mut block)? {
            0 => return Ok(()),
            n => {
                to.write_all(&block[..n])?;
                waiting.pass(n);
            }
        }
    }
}
