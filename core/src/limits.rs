//! Bounds on what a file may make the program do.

use crate::model::Dtype;
use crate::{Error, Remedy, Result};

/// Sizes that no input may exceed, whatever its headers claim.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one object in memory: a matrix, a line of text, a header.
    pub max_alloc: u64,
    /// Bytes of a text header (SPRAAK, PFile).
    pub max_header: u64,
    /// Nesting of containers (pickle, JSON).
    pub max_depth: usize,
}

impl Limits {
    /// No bounds, for what is in memory already.
    pub const NONE: Self = Self {
        max_alloc: u64::MAX,
        max_header: u64::MAX,
        max_depth: usize::MAX,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_alloc: 4 << 30,
            max_header: 16 << 20,
            max_depth: 1000,
        }
    }
}

impl Limits {
    /// The size in bytes of a `rows` × `cols` matrix, or an error that says what is too big.
    pub fn matrix_bytes(&self, dtype: Dtype, rows: u64, cols: u64) -> Result<usize> {
        rows.checked_mul(cols)
            .and_then(|n| n.checked_mul(dtype.size() as u64))
            .filter(|&bytes| bytes <= self.max_alloc)
            .and_then(|bytes| usize::try_from(bytes).ok())
            .ok_or_else(|| self.exceeded(format!("a {rows} x {cols} matrix of {dtype}")))
    }

    /// `bytes` as a size in memory, or an error that names `what`.
    pub fn bytes(&self, what: &str, bytes: u64) -> Result<usize> {
        if bytes > self.max_alloc {
            return Err(self.exceeded(format!("{what} of {bytes} bytes")));
        }
        usize::try_from(bytes).map_err(|_| self.exceeded(format!("{what} of {bytes} bytes")))
    }

    fn exceeded(&self, what: String) -> Error {
        Error::limit(format!(
            "{what} is over the limit of {} bytes",
            self.max_alloc
        ))
        .suggest(Remedy::RaiseLimit)
    }
}
