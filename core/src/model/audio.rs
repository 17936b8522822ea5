//! Sampled sound.

use super::{Dtype, Matrix, Rank};

/// Samples and their rate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audio {
    /// Samples a second.
    pub rate: u32,
    /// 16-bit samples: rows are moments, columns are channels.
    pub samples: Matrix,
}

impl Audio {
    /// Whether the samples are a matrix of 16-bit integers.
    pub fn is_proper(&self) -> bool {
        self.samples.dtype() == Dtype::I16 && self.samples.rank() == Rank::Matrix
    }
}
