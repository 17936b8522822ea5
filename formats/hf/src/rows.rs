//! Batches of rows.

use arrow_array::RecordBatch;

/// Rows of a file.
pub(crate) struct Rows {
    /// The columns that were asked for, in the order of the file.
    pub(crate) batch: RecordBatch,
    /// The number of the first row in the file.
    pub(crate) first: u64,
}
