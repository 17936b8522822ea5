//! Files for servers that are no object stores: they take a file in one piece, so that it waits here
//! until it is whole.

use std::any::Any;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

use futures_util::stream;
use reqwest::header::{CONTENT_LENGTH, IF_NONE_MATCH};
use reqwest::{Body, Client, Url};
use spr_core::bytes::{Draft, Identity, Stored, Whole};
use spr_core::{Error, ErrorKind, Remedy};

use crate::address::Service;
use crate::connector::Refused;
use crate::fault::{self, system};
use crate::runtime::wait;

/// Sent at once.
const PIECE: usize = 256 << 10;

/// A file that is being written, in a temporary one.
pub(crate) struct Spooled {
    file: File,
    length: u64,
}

impl Spooled {
    /// # Errors
    /// There is no room for a temporary file.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile()?,
            length: 0,
        })
    }
}

impl Write for Spooled {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Draft for Spooled {
    fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write_all(bytes)?;
        self.file.seek(SeekFrom::End(0)).map(drop)
    }

    fn finish(self: Box<Self>) -> io::Result<Box<dyn Whole>> {
        let Self { file, length } = *self;
        Ok(Box::new(Waiting { file, length }))
    }
}

/// A whole file that waits to be sent.
#[derive(Debug)]
pub(crate) struct Waiting {
    file: File,
    length: u64,
}

impl Waiting {
    /// Sends it.
    ///
    /// # Errors
    /// The server refuses, or, unless it may be replaced, has something of this name.
    pub(crate) fn send(mut self, client: &Client, url: &Url, replace: bool) -> io::Result<()> {
        self.file.rewind()?;
        // Read from another thread than the one that waits for servers.
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
            let refused = causes.filter_map(|e| e.downcast_ref::<Refused>()).next();
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

impl Whole for Waiting {
    fn open(&self) -> io::Result<Box<dyn Stored>> {
        let mut file = self.file.try_clone()?;
        file.rewind()?;
        let length = self.length;
        Ok(Box::new(Copy { file, length }))
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// The temporary file, to be read.
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

impl Stored for Copy {
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
