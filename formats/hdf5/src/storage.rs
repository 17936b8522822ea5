//! The bytes of a file as the library reads them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hdf5_reader::storage::{Storage, StorageBuffer};
use hdf5_reader::{Hdf5File, OpenOptions, error};
use spr_core::bytes::Source;
use spr_core::{Error, ErrorKind, Limits, Result};

use crate::lzf;

/// The first bytes of a file.
pub(crate) const MAGIC: &[u8] = b"\x89HDF\r\n\x1a\n";
/// The bytes of the superblock up to the end of the file that it tells.
const SUPERBLOCK: usize = 52;
/// The largest object header in bytes.
pub(crate) const MAX_HEADER: usize = 1 << 20;
/// The largest piece of metadata in bytes that is read at once, such as the names of a group.
const MAX_METADATA: usize = 1 << 28;
/// The largest chunk of a dataset in bytes.
const MAX_CHUNK: u64 = 1 << 28;
/// The bytes of decoded chunks that are kept.
const CHUNK_CACHE: usize = 8 << 20;

/// A seekable source that several parts of a reader share.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Inner>);

struct Inner {
    source: Mutex<Source>,
    /// The first error of the source, which the library would hide.
    failed: Mutex<Option<Error>>,
    name: String,
    len: u64,
}

impl Shared {
    /// Makes `source` seekable.
    ///
    /// # Errors
    /// It is cut short, or as for [`Source::into_seekable`].
    pub(crate) fn new(mut source: Source) -> Result<Self> {
        check_end(&mut source)?;
        let source = source.into_seekable()?;
        let len = source.remaining().unwrap_or_default();
        Ok(Self(Arc::new(Inner {
            failed: Mutex::default(),
            name: source.name().to_owned(),
            source: Mutex::new(source),
            len,
        })))
    }

    /// Returns the name for messages.
    pub(crate) fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the length in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.0.len
    }

    /// Returns the source, which no one else reads meanwhile.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Source> {
        self.0.source.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the file with the library.
    ///
    /// # Errors
    /// It is not HDF5, or damaged.
    pub(crate) fn open(&self, limits: &Limits) -> Result<Hdf5File> {
        let most = limits.max_alloc.min(MAX_CHUNK);
        let options = OpenOptions::default()
            .with_max_object_header_bytes(MAX_HEADER)
            .with_max_read_bytes(usize::try_from(limits.max_alloc).unwrap_or(usize::MAX))
            .with_max_chunk_bytes(usize::try_from(most).unwrap_or(usize::MAX))
            .with_filter_registry(lzf::filters())
            .with_chunk_cache_bytes(CHUNK_CACHE);
        let storage = Arc::new(self.clone());
        self.call(|| Hdf5File::from_storage_with_options(storage, options))
    }

    /// Calls the library. Its errors and panics become errors of this file.
    ///
    /// # Errors
    /// The file is damaged, exceeds the limits, or cannot be read.
    pub(crate) fn call<T>(&self, work: impl FnOnce() -> error::Result<T>) -> Result<T> {
        let result = catch_unwind(AssertUnwindSafe(work));
        let message = match result {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(error)) => translate(&error),
            Err(_) => Error::malformed("the file is damaged in a way that HDF5 does not allow"),
        };
        let failed = self.0.failed.lock();
        let cause = failed.unwrap_or_else(PoisonError::into_inner).take();
        Err(cause.unwrap_or(message).file(self.name()))
    }
}

/// Fails if a file is shorter than its first bytes say, before it is copied.
fn check_end(source: &mut Source) -> Result<()> {
    let head = source.peek(SUPERBLOCK)?;
    if !head.starts_with(MAGIC) {
        return Ok(());
    }
    // By the version of the superblock: where the size of addresses is, and the end of the file.
    let (sizes, at) = match head.get(MAGIC.len()) {
        Some(0) => (13, 40),
        Some(1) => (13, 44),
        _ => (9, 28),
    };
    let end = match (head.get(sizes), head.get(at..at + 8)) {
        (Some(8), Some(end)) => end.try_into().map_or(0, u64::from_le_bytes),
        (None, _) | (Some(8), None) => SUPERBLOCK as u64,
        _ => return Ok(()),
    };
    match source.remaining() {
        Some(len) if len < end => {
            let message = format!("the file has {len} bytes, its superblock says {end}");
            Err(source.error(ErrorKind::Truncated, message))
        }
        _ => Ok(()),
    }
}

/// Returns the error of the library as ours.
fn translate(error: &error::Error) -> Error {
    let text = error.to_string();
    match root(error) {
        error::Error::ResourceLimit { .. } => Error::limit(text),
        error::Error::UnexpectedEof { .. } => Error::truncated(text),
        error::Error::UnsupportedFilter(_) | error::Error::UnsupportedEncoding(_) => {
            Error::unsupported(text)
        }
        _ => Error::malformed(text),
    }
}

/// Returns the error without the names that were put around it.
fn root(error: &error::Error) -> &error::Error {
    match error {
        error::Error::Context { source, .. } => root(source),
        other => other,
    }
}

impl Storage for Shared {
    fn len(&self) -> u64 {
        self.0.len
    }

    fn read_range(&self, offset: u64, len: usize) -> error::Result<StorageBuffer> {
        let left = self.0.len.checked_sub(offset);
        match left {
            Some(left) if left >= len as u64 => {}
            _ => {
                return Err(error::Error::UnexpectedEof {
                    offset,
                    needed: len as u64,
                    available: left.unwrap_or_default(),
                });
            }
        }
        if len > MAX_METADATA {
            let message = format!("{len} bytes at byte {offset} are too many to be read at once");
            return Err(error::Error::InvalidData(message));
        }
        let mut bytes = vec![0; len];
        let mut source = self.lock();
        let read = source.seek(offset).and_then(|()| source.fill(&mut bytes));
        read.map_err(|e| {
            let message = e.message().to_owned();
            *self.0.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
            error::Error::Other(message)
        })?;
        Ok(StorageBuffer::from_vec(bytes))
    }
}
