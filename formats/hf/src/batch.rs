//! Files of either kind.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use spr_core::bytes::Source;
use spr_core::{Limits, Result};

use crate::arrow::ArrowStream;
use crate::groups::{Groups, RowChoice};
use crate::layout::Column;
use crate::parquet::ParquetFile;
use crate::rows::Rows;

/// An open file.
pub(crate) enum TableFile {
    Parquet(Box<ParquetFile>),
    Arrow(Box<ArrowStream>),
}

impl TableFile {
    /// Opens a file of either kind.
    ///
    /// # Errors
    /// It is neither, or damaged.
    pub(crate) fn open(mut source: Source, limits: Limits) -> Result<Self> {
        Ok(
            match crate::arrow::is_arrow(source.peek(crate::arrow::HEAD)?) {
                true => Self::Arrow(Box::new(ArrowStream::open(source, limits)?)),
                false => Self::Parquet(Box::new(ParquetFile::open(source, limits)?)),
            },
        )
    }

    /// Returns the types of the columns.
    pub(crate) fn schema(&self) -> &SchemaRef {
        match self {
            Self::Parquet(file) => file.schema(),
            Self::Arrow(stream) => stream.schema(),
        }
    }

    /// Returns the number of rows, if it is known.
    pub(crate) fn rows(&self) -> Option<u64> {
        match self {
            Self::Parquet(file) => Some(file.rows()),
            Self::Arrow(_) => None,
        }
    }

    /// Reads `columns`. Of a stream, which has no directory, all rows are read.
    pub(crate) fn batches(self, columns: Vec<Arc<Column>>, choice: RowChoice) -> Batches {
        match self {
            Self::Parquet(file) => Batches::Groups(Box::new(Groups::new(*file, columns, choice))),
            Self::Arrow(stream) => {
                let roots = columns.iter().map(|column| column.index).collect();
                Batches::Stream(stream, roots)
            }
        }
    }
}

/// The rows of a file in order.
pub(crate) enum Batches {
    Groups(Box<Groups<ParquetFile>>),
    Stream(Box<ArrowStream>, Vec<usize>),
}

impl Batches {
    /// Reads the next rows. Returns `None` at the end.
    ///
    /// # Errors
    /// They are damaged.
    pub(crate) fn next(&mut self) -> Result<Option<Rows>> {
        match self {
            Self::Groups(groups) => groups.next(),
            Self::Stream(stream, roots) => stream.next(roots),
        }
    }
}
