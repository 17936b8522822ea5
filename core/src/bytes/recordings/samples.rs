//! The contract of a format that decodes recordings.

use crate::error::Result;
use crate::model::{Limits, Matrix, RecordingFacts};

/// The samples of a recording, decoded from the first to the last.
///
/// [`Nested::samples`](crate::bytes::Nested::samples) opens one.
pub trait SampleStream: Send {
    /// Returns the facts in the header.
    fn facts(&self) -> RecordingFacts;

    /// Moves to sample `to`, which is at most the number of samples. Returns the sample that is read
    /// next, which is `to` or one before it; `None` if the stream only goes forward.
    ///
    /// # Errors
    /// The file is cut short or damaged.
    fn seek(&mut self, to: u64) -> Result<Option<u64>>;

    /// Appends samples to `into`, whose type and channels the first call sets: `most` per channel, fewer
    /// before the end, or more if that is what a block of the format holds. Returns `false` at the end,
    /// after checking what follows the samples.
    ///
    /// # Errors
    /// The file is cut short or damaged, or the samples exceed `limits`.
    fn read(&mut self, most: usize, into: &mut Matrix, limits: &Limits) -> Result<bool>;
}
