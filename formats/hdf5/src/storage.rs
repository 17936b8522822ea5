//! The bytes of a file as the library reads them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hdf5_reader::storage::{Storage, StorageBuffer};
use hdf5_reader::{Hdf5File, OpenOptions, error};
use spr_core::bytes::{Env, Source};
use spr_core::{Error, Limits, Result};

use crate::lzf;

/// The largest object header in bytes.
pub(crate) const MAX_HEADER: usize = 1 << 20;
/// The largest piece of metadata in bytes that is read at once, such as the names of a group.
const MAX_METADATA: usize = 1 << 28;
/// The largest chunk of a dataset in bytes.
const MAX_CHUNK: u64 = 1 << 28;
/// The size of a block of the file in bytes, of which some are kept, as headers and names are small
/// and near each other.
const BLOCK: u64 = 16 << 10;
/// The number of blocks that are kept.
const BLOCKS: usize = 64;
/// The largest range in bytes that is read in a block.
pub(crate) const SMALL: usize = 4 << 10;
/// The number of decoded chunks that are kept at most, and their bytes.
const CHUNKS: usize = 64;
const CHUNK_CACHE: usize = 8 << 20;

/// A seekable source that several parts of a reader share.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Inner>);

/// A block of the file with its number.
#[derive(Clone, Default)]
struct Block {
    number: u64,
    bytes: Option<Arc<[u8]>>,
}

struct Inner {
    source: Mutex<Source>,
    /// The first error of the source, which the library would hide.
    failed: Mutex<Option<Error>>,
    /// Blocks of the file, each in the place that its number has.
    blocks: Mutex<Vec<Block>>,
    name: String,
    len: u64,
}

impl Shared {
    /// Makes `source` seekable.
    ///
    /// # Errors
    /// Those of [`Source::into_seekable`].
    pub(crate) fn new(source: Source) -> Result<Self> {
        let source = source.into_seekable()?;
        let len = source.remaining().unwrap_or_default();
        Ok(Self(Arc::new(Inner {
            failed: Mutex::default(),
            blocks: Mutex::new(vec![Block::default(); BLOCKS]),
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

    /// Reads a range that is in the file.
    fn read(&self, offset: u64, len: usize) -> error::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        let mut source = self.lock();
        let read = source.seek(offset).and_then(|()| source.fill(&mut bytes));
        read.map_err(|e| {
            let message = e.message().to_owned();
            *self.0.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
            error::Error::Other(message)
        })?;
        Ok(bytes)
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
            .with_filter_registry(lzf::filters(usize::try_from(most).unwrap_or(usize::MAX)))
            .with_chunk_cache_slots(CHUNKS)
            .with_chunk_cache_bytes(CHUNK_CACHE);
        let storage = Arc::new(self.clone());
        self.call(|| Hdf5File::from_storage_with_options(storage, options))
    }

    /// Compares the length with the one that the file says it has.
    ///
    /// # Errors
    /// The file is cut. What follows its end is only warned of, as HDF5 does not use it.
    pub(crate) fn check_length(&self, file: &Hdf5File, env: &Env) -> Result<()> {
        let said = file.superblock().eof_address;
        let len = self.0.len;
        if said > len {
            let message = format!("the file has {len} bytes, its head says {said}");
            return Err(Error::truncated(message).file(self.name()));
        }
        // Some programs count the end from the start of the file, others from that of HDF5.
        let behind = said.saturating_add(file.superblock().base_address);
        if said < len && behind != len {
            let message = format!("{} bytes after the end of the file", len - said);
            env.warn(&Error::malformed(message).file(self.name()).byte(said));
        }
        Ok(())
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
        let (number, within) = (offset / BLOCK, offset % BLOCK);
        if len > SMALL || within + len as u64 > BLOCK {
            return Ok(StorageBuffer::from_vec(self.read(offset, len)?));
        }
        let mut blocks = self.0.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let count = blocks.len() as u64;
        let place = usize::try_from(number % count).unwrap_or_default();
        let kept = blocks.get(place).filter(|block| block.number == number);
        let bytes = match kept.and_then(|block| block.bytes.clone()) {
            Some(bytes) => bytes,
            None => {
                let start = number * BLOCK;
                let size = usize::try_from(BLOCK.min(self.0.len - start)).unwrap_or_default();
                let bytes = Arc::<[u8]>::from(self.read(start, size)?);
                if let Some(block) = blocks.get_mut(place) {
                    (block.number, block.bytes) = (number, Some(bytes.clone()));
                }
                bytes
            }
        };
        let within = usize::try_from(within).unwrap_or_default();
        StorageBuffer::from_shared(bytes, within, len)
    }
}
