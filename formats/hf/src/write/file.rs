//! One Parquet file.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use arrow_array::RecordBatch;
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter};
use parquet::basic::{Compression, Type, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use spr_core::bytes::Sink;
use spr_core::{Error, Result};

use super::schema::Columns;
use super::spool::{self, SpoolReader};
use crate::feature::HUGGINGFACE;
use crate::role::Role;

/// The size of a row group as it is stored, beyond which it ends.
const GROUP: usize = 16 << 20;

/// The number of batches that wait to be stored.
const AHEAD: usize = 2;

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
pub(crate) struct FileWriter<'a> {
    writer: ArrowWriter<Stream>,
    failure: Failure,
    columns: &'a Columns,
    threads: usize,
}

/// Rows that are read again and made columns of, batch by batch.
struct Batches<'a> {
    columns: &'a Columns,
    rows: &'a mut SpoolReader,
    /// The number of rows to come.
    left: u64,
    /// The rows of a batch, whose memory is used again.
    bytes: Vec<u8>,
}

impl Iterator for Batches<'_> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.left > 0).then(|| {
            let taken = self.rows.take(&mut self.bytes);
            // After an error there is nothing.
            self.left = taken.as_ref().map_or(0, |n| self.left.saturating_sub(*n));
            taken?;
            self.columns.batch(&spool::rows(&self.bytes)?)
        })
    }
}

impl<'a> FileWriter<'a> {
    /// Starts a file.
    ///
    /// # Errors
    /// There are no such columns in Parquet.
    pub(crate) fn new(sink: Sink, columns: &'a Columns, threads: usize) -> Result<Self> {
        keep_freed_memory();
        let failure = Failure::default();
        let stream = Stream {
            sink,
            failure: failure.clone(),
        };
        let writer =
            ArrowWriter::try_new(stream, columns.schema.clone(), Some(properties(columns)?));
        Ok(Self {
            writer: writer.map_err(|e| failed(&e))?,
            failure,
            columns,
            threads,
        })
    }

    /// Adds the next `count` rows. On several threads, one makes columns of rows while another stores
    /// those before.
    ///
    /// # Errors
    /// The file can't be written, or the rows can't be read.
    pub(crate) fn add(&mut self, rows: &mut SpoolReader, count: u64) -> Result<()> {
        let mut batches = Batches {
            columns: self.columns,
            rows,
            left: count,
            bytes: Vec::new(),
        };
        if self.threads == 1 {
            return batches.try_for_each(|batch| self.put(&batch?));
        }
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel(AHEAD);
            scope.spawn(move || batches.try_for_each(|batch| sender.send(batch)));
            receiver.into_iter().try_for_each(|batch| self.put(&batch?))
        })
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
