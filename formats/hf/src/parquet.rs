//! Parquet files: their row groups as batches of rows.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder, RowSelection, RowSelector,
};
use parquet::basic::Type;
use parquet::file::metadata::{ColumnChunkMetaData, PageIndexPolicy, RowGroupMetaData};
use parquet::file::reader::Length;
use spr_core::bytes::Source;
use spr_core::{Error, Limits, Result};

use crate::chunks::Chunks;
use crate::guard::guarded;
use crate::layout::Column;
use crate::pages::{self, Pages};
use crate::role::{Role, SOUND_PATH};
use crate::rows::Rows;

/// The magic bytes at both ends of a file.
pub(crate) const MAGIC: &[u8; 4] = b"PAR1";
/// Those of a file whose footer is encrypted.
const ENCRYPTED: &[u8; 4] = b"PARE";
/// The length of the footer and the magic bytes behind it.
const TAIL: u64 = 8;
/// The memory for the rows of a batch, in bytes as they are stored.
const BATCH: u64 = 4 << 20;
/// The most rows of a batch.
const MOST_ROWS: u64 = 1024;
/// The memory for the rows of a batch if each value has all bytes that it can share.
const REPEATED: u64 = 256 << 20;

/// An open Parquet file.
pub(crate) struct ParquetFile {
    chunks: Chunks,
    meta: ArrowReaderMetadata,
    name: String,
    limits: Limits,
}

impl ParquetFile {
    /// Reads the footer, and checks what it says against the file.
    ///
    /// # Errors
    /// It is none, cut off, or damaged.
    pub(crate) fn open(source: Source, limits: Limits) -> Result<Self> {
        let name = source.name().to_owned();
        let opened = Self::open_chunks(Chunks::new(source, limits)?, name.clone(), limits);
        opened.map_err(|e| e.file(name))
    }

    fn open_chunks(chunks: Chunks, name: String, limits: Limits) -> Result<Self> {
        let footer = find_footer(&chunks)?;
        limits.bytes("the footer", footer.end - footer.start)?;
        // Places of pages make it possible to go to a row, and are left alone if they are damaged.
        let with_index = || load(&chunks, PageIndexPolicy::Optional);
        let meta = match with_index() {
            Ok(meta) => meta,
            Err(_) => {
                drop(chunks.take_failure());
                load(&chunks, PageIndexPolicy::Skip)
                    .map_err(|e| chunks.take_failure().unwrap_or(e).byte(footer.start))?
            }
        };
        for (n, group) in meta.metadata().row_groups().iter().enumerate() {
            let checked = check_group(group, footer.start);
            checked.map_err(|e| e.context(format!("row group {n}")))?;
        }
        Ok(Self {
            chunks,
            meta,
            name,
            limits,
        })
    }

    /// Returns the types of the columns, with what is said of the data set.
    pub(crate) fn schema(&self) -> &SchemaRef {
        self.meta.schema()
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> u64 {
        let groups = self.meta.metadata().row_groups().iter();
        groups.map(rows_of).sum()
    }

    /// Returns the rows of each row group.
    pub(crate) fn groups(&self) -> Vec<Range<u64>> {
        let mut end = 0;
        let groups = self.meta.metadata().row_groups().iter();
        groups
            .map(|group| {
                let start = end;
                end += rows_of(group);
                start..end
            })
            .collect()
    }

    /// Returns the bytes that a row group takes in the file.
    pub(crate) fn group_bytes(&self, group: usize) -> u64 {
        let group = self.meta.metadata().row_group(group);
        u64::try_from(group.compressed_size()).unwrap_or_default()
    }

    /// Opens a row group, or some of its rows, for `columns`.
    ///
    /// # Errors
    /// Its pages are damaged, or too large for the limits.
    pub(crate) fn open_group(
        &self,
        number: usize,
        columns: &[Arc<Column>],
        rows: Option<RowSelection>,
    ) -> Result<ParquetRecordBatchReader> {
        let mask = self.mask(columns);
        let group = self.meta.metadata().row_group(number);
        let (mut stored, mut most) = (0u64, MOST_ROWS);
        for (leaf, column) in group.columns().iter().enumerate() {
            if !mask.leaf_included(leaf) {
                continue;
            }
            let pages = self
                .check_pages(number, leaf, column)
                .map_err(|e| e.context(format!("the column {}", column.column_path())))?;
            if column.column_type() == Type::BYTE_ARRAY {
                most = most.min(REPEATED / pages.shared.max(1)).max(1);
            }
            let bytes = u64::try_from(column.uncompressed_size()).unwrap_or_default();
            stored = stored.saturating_add(bytes);
        }
        let a_row = (stored / rows_of(group).max(1)).max(1);
        let batch = usize::try_from((BATCH / a_row).clamp(1, most)).unwrap_or(1);
        guarded(|| {
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(
                self.chunks.clone(),
                self.meta.clone(),
            );
            let builder = builder
                .with_row_groups(vec![number])
                .with_projection(mask)
                .with_batch_size(batch);
            match rows {
                Some(rows) => builder.with_row_selection(rows).build(),
                None => builder.build(),
            }
        })
        .map_err(|e| self.chunks.take_failure().unwrap_or(e))
    }

    /// Returns the columns of the file that `columns` need.
    fn mask(&self, columns: &[Arc<Column>]) -> ProjectionMask {
        let descriptor = self.meta.parquet_schema();
        let is_needed = |leaf: &usize| {
            let root = descriptor.get_column_root_idx(*leaf);
            let leaf = descriptor.column(*leaf);
            let name = leaf.path().parts().last();
            columns.iter().any(|column| {
                let all = column.role != Role::Name;
                column.index == root && (all || name.is_some_and(|name| name == SOUND_PATH))
            })
        };
        let needed = (0..descriptor.num_columns()).filter(is_needed);
        ProjectionMask::leaves(descriptor, needed)
    }

    /// Checks the pages of a column, and that their index says the same of them.
    fn check_pages(
        &self,
        group: usize,
        leaf: usize,
        column: &ColumnChunkMetaData,
    ) -> Result<Pages> {
        let pages = pages::check(&self.chunks, column, &self.limits)?;
        let index = self.meta.metadata().page_index();
        let Some(index) = index.and_then(|index| index.page_locations(group, leaf)) else {
            return Ok(pages);
        };
        let rows = self.meta.metadata().row_group(group).num_rows();
        let mut last = -1;
        let fits = index.len() == pages.data.len()
            && index.iter().zip(&pages.data).all(|(page, &(at, size))| {
                let is_later = page.first_row_index > last;
                last = page.first_row_index;
                let place = u64::try_from(page.offset) == Ok(at)
                    && u64::try_from(page.compressed_page_size) == Ok(size);
                place && is_later && (last < rows || rows == 0)
            });
        let starts = index.first().is_none_or(|page| page.first_row_index == 0);
        match fits && starts {
            true => Ok(pages),
            false => Err(Error::malformed("has other pages than their index says")),
        }
    }

    /// Reads the next batch of a group.
    ///
    /// # Errors
    /// It is damaged.
    pub(crate) fn next_batch(
        &self,
        reader: &mut ParquetRecordBatchReader,
    ) -> Result<Option<RecordBatch>> {
        let batch = guarded(|| reader.next().transpose());
        batch.map_err(|e| self.chunks.take_failure().unwrap_or(e))
    }

    /// Reads a single row of `columns`.
    ///
    /// # Errors
    /// Its row group is damaged.
    pub(crate) fn row(&self, row: u64, columns: &[Arc<Column>]) -> Result<Option<Rows>> {
        let groups = self.groups();
        let Some((number, group)) = groups.iter().enumerate().find(|(_, g)| g.contains(&row))
        else {
            return Ok(None);
        };
        let read = || {
            let selected = select(group, std::slice::from_ref(&(row..row + 1)));
            let mut reader = self.open_group(number, columns, Some(selected))?;
            self.next_batch(&mut reader)
        };
        let batch = read().map_err(|e| self.in_group(e, number, group))?;
        let numbers = vec![row];
        Ok(batch.map(|batch| Rows { batch, numbers }))
    }

    /// Places an error in a row group, after which the next group can be read.
    pub(crate) fn in_group(&self, error: Error, number: usize, rows: &Range<u64>) -> Error {
        let last = rows.end.saturating_sub(1).max(rows.start);
        let place = format!("row group {number}, rows {} to {last}", rows.start);
        error.context(place).file(&self.name).continuable()
    }
}

/// Returns the selection of `rows` out of a row group, in order.
pub(crate) fn select(group: &Range<u64>, rows: &[Range<u64>]) -> RowSelection {
    let count = |range: Range<u64>| usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
    let mut at = group.start;
    let mut selectors = Vec::new();
    for range in rows {
        selectors.push(RowSelector::skip(count(at..range.start)));
        selectors.push(RowSelector::select(count(range.clone())));
        at = range.end;
    }
    RowSelection::from(selectors)
}

/// Reads the footer.
fn load(chunks: &Chunks, index: PageIndexPolicy) -> Result<ArrowReaderMetadata> {
    guarded(|| {
        let options = ArrowReaderOptions::new().with_page_index_policy(index);
        ArrowReaderMetadata::load(chunks, options)
    })
}

fn rows_of(group: &RowGroupMetaData) -> u64 {
    u64::try_from(group.num_rows()).unwrap_or_default()
}

/// Returns the extent of the footer.
fn find_footer(chunks: &Chunks) -> Result<Range<u64>> {
    let len = chunks.len();
    let ends = match len >= TAIL + MAGIC.len() as u64 {
        true => chunks.range(len - TAIL, TAIL)?,
        false => Vec::new(),
    };
    let (size, magic) = ends.split_at_checked(4).unwrap_or_default();
    if magic == ENCRYPTED {
        return Err(Error::unsupported("the Parquet file is encrypted"));
    }
    if magic != MAGIC {
        let message = "does not end as a Parquet file does, and may be cut off";
        return Err(Error::truncated(message).byte(len));
    }
    let size = size.first_chunk().map(|size| u32::from_le_bytes(*size));
    let start = size.and_then(|size| (len - TAIL).checked_sub(size.into()));
    match start.filter(|start| *start >= MAGIC.len() as u64) {
        Some(start) => Ok(start..len - TAIL),
        None => {
            let message = "the footer is longer than the file";
            Err(Error::malformed(message).byte(len - TAIL))
        }
    }
}

/// Checks the places of columns in front of the footer, which the library takes for granted.
fn check_group(group: &RowGroupMetaData, end: u64) -> Result<()> {
    if group.num_rows() < 0 {
        return Err(Error::malformed("a negative number of rows"));
    }
    for column in group.columns() {
        let checked = check_column(column, group.num_rows(), end);
        checked.map_err(|e| e.context(format!("the column {}", column.column_path())))?;
    }
    Ok(())
}

fn check_column(column: &ColumnChunkMetaData, rows: i64, end: u64) -> Result<()> {
    if column.file_path().is_some() {
        return Err(Error::unsupported("is in another file"));
    }
    let dictionary = column.dictionary_page_offset();
    let start = dictionary.unwrap_or_else(|| column.data_page_offset());
    let is_inside = |start: i64, length: i64| {
        let (start, length) = (u64::try_from(start).ok()?, u64::try_from(length).ok()?);
        let inside = start >= MAGIC.len() as u64 && start.checked_add(length)? <= end;
        inside.then_some(())
    };
    let data = is_inside(column.data_page_offset(), 0);
    if is_inside(start, column.compressed_size())
        .and(data)
        .is_none()
    {
        let bytes = column.compressed_size();
        let message = format!("its {bytes} bytes from byte {start} on are not in the file");
        return Err(Error::malformed(message));
    }
    let counts = [column.num_values(), column.uncompressed_size()];
    let is_flat = column.column_descr().max_rep_level() == 0;
    if counts.iter().any(|n| *n < 0) || is_flat && column.num_values() != rows {
        let message = format!("{} values for {rows} rows", column.num_values());
        return Err(Error::malformed(message));
    }
    Ok(())
}
