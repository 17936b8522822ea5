//! Waiting for servers in a way that an interrupt ends.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;

use spr_convert::core::bytes::{Identity, OpenedFile};

use crate::interrupt::{Interrupt, PERIOD, check};

/// Runs work on a thread of its own, and checks for signals until it is done.
///
/// # Errors
/// A signal handler raised an exception: the work is left to itself.
pub(crate) fn patiently<T: Send + 'static>(
    interrupt: &Interrupt,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let (done, result) = sync_channel(1);
    thread::Builder::new().spawn(move || {
        // Nobody may be waiting any more.
        let _ = done.send(work());
    })?;
    loop {
        match result.recv_timeout(PERIOD) {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Timeout) => check(interrupt)?,
            Err(RecvTimeoutError::Disconnected) => return Err(lost()),
        }
    }
}

fn lost() -> io::Error {
    io::Error::other("the request was given up")
}

/// A file on a server.
pub(crate) struct ServerFile {
    /// `None` after an interrupt.
    file: Option<Box<dyn OpenedFile>>,
    interrupt: Interrupt,
}

impl ServerFile {
    pub(crate) fn new(file: Box<dyn OpenedFile>, interrupt: Interrupt) -> Self {
        let file = Some(file);
        Self { file, interrupt }
    }
}

impl Read for ServerFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.take().ok_or_else(lost)?;
        let mut buffer = vec![0; into.len()];
        let (file, buffer, read) = patiently(&self.interrupt, move || {
            let read = file.read(&mut buffer);
            (file, buffer, read)
        })?;
        self.file = Some(file);
        let read = read?;
        into[..read].copy_from_slice(&buffer[..read]);
        Ok(read)
    }
}

impl Seek for ServerFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.as_mut().ok_or_else(lost)?.seek(to)
    }
}

impl OpenedFile for ServerFile {
    fn length(&self) -> Option<u64> {
        self.file.as_ref()?.length()
    }

    fn can_seek(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.can_seek())
    }

    fn identity(&self) -> Option<Identity> {
        self.file.as_ref()?.identity()
    }
}
