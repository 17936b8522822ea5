//! Temporary files, being written or finished.

use std::any::Any;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use super::super::store::{Draft, FinishedFile, OpenedFile};
use super::local_file::LocalFile;
use super::sync_thread::SyncThread;
use super::temporary::Temporary;

/// A growing file, which is synced to disk continuously if it must be durable.
pub(super) struct AppendFile {
    file: File,
    length: u64,
    ahead: Option<SyncThread>,
}

impl AppendFile {
    pub(super) fn new(file: File, durable: bool) -> Self {
        Self {
            file,
            length: 0,
            ahead: durable.then(SyncThread::default),
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

    /// Waits until the file is synced.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.ahead.take().map_or(Ok(()), SyncThread::finish)
    }
}

/// A single file being written.
pub(super) struct FileDraft {
    growing: AppendFile,
    temporary: Temporary,
}

impl FileDraft {
    pub(super) fn new(file: File, temporary: Temporary, durable: bool) -> Self {
        Self {
            growing: AppendFile::new(file, durable),
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

    fn finish(self: Box<Self>) -> io::Result<Box<dyn FinishedFile>> {
        let Self {
            mut growing,
            temporary,
        } = *self;
        growing.finish()?;
        Ok(Box::new(FinishedDraft(temporary)))
    }
}

/// A single finished file.
#[derive(Debug)]
pub(super) struct FinishedDraft(pub(super) Temporary);

impl FinishedFile for FinishedDraft {
    fn open(&self) -> io::Result<Box<dyn OpenedFile>> {
        Ok(Box::new(LocalFile::open(self.0.path())?))
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
