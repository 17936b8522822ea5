//! Files for servers that are no object stores. They accept a file only in one request, so that it
//! is spooled locally.

use std::any::Any;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

use futures_util::stream;
use reqwest::header::{CONTENT_LENGTH, IF_NONE_MATCH};
use reqwest::{Body, Client, Url};
use spr_core::bytes::{Draft, FinishedFile, Identity, OpenedFile};
use spr_core::{Error, ErrorKind, Remedy};

use crate::address::Service;
use crate::fault::{self, system};
use crate::refusal::RequestRefusal;
use crate::runtime::wait;

/// The number of bytes sent at once.
const PIECE: usize = 256 << 10;

/// A file that is being written to a temporary file.
pub(crate) struct SpooledDraft {
    file: File,
    length: u64,
}

impl SpooledDraft {
    /// Creates a temporary file.
    ///
    /// # Errors
    /// A temporary file cannot be created.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile()?,
            length: 0,
        })
    }
}

impl Write for SpooledDraft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Draft for SpooledDraft {
    fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write_all(bytes)?;
        self.file.seek(SeekFrom::End(0)).map(drop)
    }

    fn finish(self: Box<Self>) -> io::Result<Box<dyn FinishedFile>> {
        let Self { file, length } = *self;
        Ok(Box::new(SpooledFile { file, length }))
    }
}

/// A finished file that waits for its upload.
#[derive(Debug)]
pub(crate) struct SpooledFile {
    file: File,
    length: u64,
}

impl SpooledFile {
    /// Uploads the file.
    ///
    /// # Errors
    /// The server refuses, or the file exists and may not be replaced.
    pub(crate) fn send(mut self, client: &Client, url: &Url, replace: bool) -> io::Result<()> {
        self.file.rewind()?;
        // Read on another thread than that of the runtime.
        let body = stream::unfold(BufReader::new(self.file), |mut file| async move {
            let read = tokio::task::spawn_blocking(move || {
                let mut piece = vec![0; PIECE];
                let n = file.read(&mut piece);
                n.map(|n| {
                    piece.truncate(n);
                    (piece, file)
                })
            });
            match read.await {
                Ok(Ok((piece, _))) if piece.is_empty() => None,
                Ok(Ok((piece, file))) => Some((Ok(piece), file)),
                Ok(Err(e)) => Some((Err(e), BufReader::new(tempfile::tempfile().ok()?))),
                Err(_) => None,
            }
        });
        let mut request = client
            .put(url.clone())
            .header(CONTENT_LENGTH, self.length)
            .body(Body::wrap_stream(body));
        if !replace {
            request = request.header(IF_NONE_MATCH, "*");
        }
        let answer = wait(async move { request.send().await })?;
        let answer = answer.map_err(|e| {
            let causes = std::iter::successors(std::error::Error::source(&e), |e| (*e).source());
            let refused = causes
                .filter_map(|e| e.downcast_ref::<RequestRefusal>())
                .next();
            let error = match refused {
                Some(refused) => fault::refusal(refused),
                None => Error::new(ErrorKind::Io, "the server can't be reached, or went away"),
            };
            system(io::ErrorKind::Other, error)
        })?;
        let error = match answer.status().as_u16() {
            200..300 => return Ok(()),
            409 | 412 => Error::usage("exists already").suggest(Remedy::Overwrite),
            code @ (401 | 403) => fault::denied(Service::Http, code),
            405 | 501 => Error::new(ErrorKind::Io, "the server does not accept files"),
            code => Error::new(ErrorKind::Io, format!("the server answers {code}")),
        };
        Err(system(io::ErrorKind::Other, error))
    }
}

impl FinishedFile for SpooledFile {
    fn open(&self) -> io::Result<Box<dyn OpenedFile>> {
        let mut file = self.file.try_clone()?;
        file.rewind()?;
        let length = self.length;
        Ok(Box::new(Copy { file, length }))
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// A reader of the temporary file.
struct Copy {
    file: File,
    length: u64,
}

impl Read for Copy {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.file.read(out)
    }
}

impl Seek for Copy {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl OpenedFile for Copy {
    fn length(&self) -> Option<u64> {
        Some(self.length)
    }

    fn can_seek(&self) -> bool {
        true
    }

    fn identity(&self) -> Option<Identity> {
        None
    }
}
