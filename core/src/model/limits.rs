//! Limits on the resources that a file may consume.

use crate::error::{Error, Remedy, Result};
use crate::model::Dtype;

/// Sizes that no input may exceed, whatever its headers declare.
///
/// ```
/// use spr_core::Limits;
/// use spr_core::model::Dtype;
///
/// let limits = Limits::default().allowing(1 << 20);
/// assert_eq!(limits.matrix_bytes(Dtype::F32, 100, 40)?, 16_000);
/// // A header may claim what it likes.
/// assert!(limits.matrix_bytes(Dtype::F32, u64::MAX, 40).is_err());
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The size of one object in memory, in bytes: a matrix, a line of text, a header.
    pub max_alloc: u64,
    /// The size up to which compressed data may expand in any proportion, in bytes: the memory for
    /// one object, or a temporary copy.
    pub max_unpacked: u64,
    /// The size of a text header in bytes (SPRAAK, PFile).
    pub max_header: u64,
    /// The nesting of containers (pickle, JSON).
    pub max_depth: usize,
}

impl Limits {
    /// No limits, for data that are already in memory.
    pub const NONE: Self = Self {
        max_alloc: u64::MAX,
        max_unpacked: u64::MAX,
        max_header: u64::MAX,
        max_depth: usize::MAX,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_alloc: 4 << 30,
            max_unpacked: 16 << 20,
            max_header: 16 << 20,
            max_depth: 1000,
        }
    }
}

impl Limits {
    /// Allows `bytes` for one object, whether it is compressed or not: what a user asks for.
    #[must_use]
    pub fn allowing(self, bytes: u64) -> Self {
        Self {
            max_alloc: bytes,
            max_unpacked: bytes,
            ..self
        }
    }

    /// Returns the size in bytes of a `rows` × `cols` matrix, or an error that names the excessive
    /// size.
    pub fn matrix_bytes(&self, dtype: Dtype, rows: u64, cols: u64) -> Result<usize> {
        rows.checked_mul(cols)
            .and_then(|n| n.checked_mul(dtype.size() as u64))
            .filter(|&bytes| bytes <= self.max_alloc)
            .and_then(|bytes| usize::try_from(bytes).ok())
            .ok_or_else(|| self.exceeded(format!("a {rows} x {cols} matrix of {dtype}")))
    }

    /// Converts `bytes` to a size in memory, or returns an error that names `what`.
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
