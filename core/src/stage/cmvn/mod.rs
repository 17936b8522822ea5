//! Cepstral mean and variance normalisation, as Kaldi's `apply-cmvn` and `compute-cmvn-stats` do it.

mod apply;
mod collect;
mod sums;
mod table;
#[cfg(test)]
mod tests;

pub use apply::Cmvn;
pub use collect::CmvnSums;
pub use table::{CmvnGroup, CmvnTable};
