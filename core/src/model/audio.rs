//! Sampled sound.

use super::{Dtype, Matrix, Rank};

/// Samples and their rate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audio {
    /// Samples a second.
    pub rate: u32,
    /// Rows are moments, columns are channels; integers fill the range of their type.
    pub samples: Matrix,
}

impl Audio {
    /// Whether the samples are a matrix of one of these types.
    pub fn is_of(&self, dtypes: &[Dtype]) -> bool {
        dtypes.contains(&self.samples.dtype()) && self.samples.rank() == Rank::Matrix
    }
}
