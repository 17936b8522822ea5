//! One Parquet file.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter};
use parquet::basic::{Compression, Type, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use spr_core::bytes::Sink;
use spr_core::threads::Ordered;
use spr_core::{Error, Result};

use super::schema::Columns;
use super::spool::{self, SpoolReader};
use crate::feature::HUGGINGFACE;
use crate::role::Role;

/// The size of a row group as it is stored, beyond which it ends.
const GROUP: usize = 16 << 20;

/// A sink as the library writes to it.
struct Stream {
    sink: Sink,
    failure: Failure,
}

/// The last error of a sink, which the library reports in words of its own.
type Failure = Arc<Mutex<Option<Error>>>;

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.put(bytes).map_err(|e| {
            let words = e.to_string();
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
            io::Error::other(words)
        })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The writer of a file.
pub(crate) struct FileWriter {
    writer: ArrowWriter<Stream>,
    failure: Failure,
    /// Makes columns of the rows of batches.
    batches: Ordered<Vec<u8>, Result<RecordBatch>>,
}

impl FileWriter {
    /// Starts a file.
    ///
    /// # Errors
    /// There are no such columns in Parquet.
    pub(crate) fn new(sink: Sink, columns: &Arc<Columns>, threads: usize) -> Result<Self> {
        keep_freed_memory();
        let failure = Failure::default();
        let stream = Stream {
            sink,
            failure: failure.clone(),
        };
        let writer =
            ArrowWriter::try_new(stream, columns.schema.clone(), Some(properties(columns)?));
        let columns = columns.clone();
        Ok(Self {
            writer: writer.map_err(|e| failed(&e))?,
            failure,
            // One thread, as the caller stores those before.
            batches: Ordered::new(usize::from(threads > 1), move |rows: Vec<u8>| {
                columns.batch(&spool::rows(&rows)?)
            }),
        })
    }

    /// Adds the next `count` rows.
    ///
    /// # Errors
    /// The file can't be written, or the rows can't be read.
    pub(crate) fn add(&mut self, rows: &mut SpoolReader, count: u64) -> Result<()> {
        let mut left = count;
        while left > 0 {
            let mut batch = Vec::new();
            left = left.saturating_sub(rows.take(&mut batch)?);
            if let Some(made) = self.batches.push(batch)? {
                self.put(&made?)?;
            }
        }
        while let Some(made) = self.batches.pop()? {
            self.put(&made?)?;
        }
        Ok(())
    }

    fn put(&mut self, batch: &RecordBatch) -> Result<()> {
        let written = self.writer.write(batch);
        let ended = written.and_then(|()| match self.writer.in_progress_size() >= GROUP {
            true => self.writer.flush(),
            false => Ok(()),
        });
        ended.map_err(|e| cause(&self.failure, &e))
    }

    /// Completes the file, and returns its size.
    ///
    /// # Errors
    /// It can't be written.
    pub(crate) fn finish(self) -> Result<u64> {
        let stream = self.writer.into_inner();
        let stream = stream.map_err(|e| cause(&self.failure, &e))?;
        stream.sink.finish()
    }
}

/// Makes the allocator keep the memory of a row group for the next one. glibc gives free memory at the
/// end of its heap back if there is more of it than twice the largest block that was mapped alone and
/// freed. Writing takes half as long again without such a block, as all pages are then new.
fn keep_freed_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(GROUP)));
}

/// Returns the error of the sink, or else that of the library.
fn cause(failure: &Failure, error: &ParquetError) -> Error {
    let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
    failure.take().unwrap_or_else(|| failed(error))
}

fn failed(error: &ParquetError) -> Error {
    Error::malformed(format!("cannot write Parquet: {error}"))
}

/// Returns how columns are written: sound files as they are, everything else compressed.
fn properties(columns: &Columns) -> Result<WriterProperties> {
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let mut properties = WriterProperties::builder()
        .set_compression(zstd)
        .set_max_row_group_row_count(None);
    if let Some(told) = columns.schema.metadata.get(HUGGINGFACE) {
        let told = KeyValue::new(HUGGINGFACE.to_owned(), told.clone());
        properties = properties.set_key_value_metadata(Some(vec![told]));
    }
    let descriptor = ArrowSchemaConverter::new().convert(&columns.schema);
    for leaf in descriptor.map_err(|e| failed(&e))?.columns() {
        let path = leaf.path().clone();
        let root = path.parts().first();
        let role = root
            .and_then(|root| columns.named(root))
            .map(|column| column.role);
        let is_float = matches!(leaf.physical_type(), Type::FLOAT | Type::DOUBLE);
        properties = match role {
            Some(Role::Audio) => properties
                .set_column_compression(path.clone(), Compression::UNCOMPRESSED)
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_statistics_enabled(path, EnabledStatistics::None),
            Some(Role::Features | Role::Array) if is_float => properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_statistics_enabled(path, EnabledStatistics::None),
            _ => properties,
        };
    }
    Ok(properties.build())
}
