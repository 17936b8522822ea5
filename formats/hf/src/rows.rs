//! Batches of rows.

use arrow_array::RecordBatch;

/// Rows of a file.
pub(crate) struct Rows {
    /// The columns that were asked for, in the order of the file.
    pub(crate) batch: RecordBatch,
    /// The numbers of the rows in the file.
    pub(crate) numbers: Vec<u64>,
}
