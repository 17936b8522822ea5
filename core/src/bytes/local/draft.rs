//! Files that are being written, or finished, under temporary names.

use std::any::Any;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use super::super::store::{Draft, Stored, Whole};
use super::ahead::Ahead;
use super::local_file::LocalFile;
use super::temporary::Temporary;

/// A file that grows; on the disk as well, if it is to be durable.
pub(super) struct Growing {
    file: File,
    length: u64,
    ahead: Option<Ahead>,
}

impl Growing {
    pub(super) fn new(file: File, durable: bool) -> Self {
        Self {
            file,
            length: 0,
            ahead: durable.then(Ahead::default),
        }
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.length += n as u64;
        if let Some(ahead) = &mut self.ahead {
            ahead.written(&self.file, self.length);
        }
        Ok(n)
    }

    pub(super) fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write_all(bytes)?;
        self.file.seek(SeekFrom::Start(self.length)).map(drop)
    }

    /// Waits for what is on its way to the disk.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.ahead.take().map_or(Ok(()), Ahead::finish)
    }
}

/// A file by itself that is being written.
pub(super) struct FileDraft {
    growing: Growing,
    temporary: Temporary,
}

impl FileDraft {
    pub(super) fn new(file: File, temporary: Temporary, durable: bool) -> Self {
        Self {
            growing: Growing::new(file, durable),
            temporary,
        }
    }
}

impl Write for FileDraft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.growing.append(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Draft for FileDraft {
    fn patch(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.growing.patch(at, bytes)
    }

    fn finish(self: Box<Self>) -> io::Result<Box<dyn Whole>> {
        let Self {
            mut growing,
            temporary,
        } = *self;
        growing.finish()?;
        Ok(Box::new(Finished(temporary)))
    }
}

/// A file by itself that is finished.
#[derive(Debug)]
pub(super) struct Finished(pub(super) Temporary);

impl Whole for Finished {
    fn open(&self) -> io::Result<Box<dyn Stored>> {
        Ok(Box::new(LocalFile::open(self.0.path())?))
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
