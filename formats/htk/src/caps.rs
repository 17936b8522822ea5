//! What an HTK file can hold.

use spr_core::format::{AudioCaps, Caps, Count, FeatureCaps, Keys, Tags};
use spr_core::model::Dtype;

/// The name of the format.
pub(crate) const NAME: &str = "htk";

/// The most bytes of a frame that HTK itself reads.
pub(crate) const MOST_BYTES: u64 = 5000;
/// The longest time from frame to frame that HTK itself reads, in units of 100 ns.
pub(crate) const MOST_PERIOD: u32 = 1_000_000;

/// What an object in a container holds: all that its header can tell, as Kaldi writes it.
pub(crate) const NESTED: Caps = caps(Keys::Any, i16::MAX as u64 / 4);

/// What a file holds that HTK is to read, whose frames have so many bytes for each value.
pub(crate) const fn of_files(keys: Keys, value: u64) -> Caps {
    caps(keys, MOST_BYTES / value)
}

const fn caps(keys: Keys, most_cols: u64) -> Caps {
    let mut features = FeatureCaps::new(&[Dtype::F32]);
    features.max_cols = most_cols;
    let mut caps = Caps::new(Count::One, keys);
    caps.features = Some(features);
    caps.audio = AudioCaps::samples(&[Dtype::I16]);
    caps.frame_shift = true;
    caps.tags = Tags::Of(NAME);
    caps.max_rows = i32::MAX as u64;
    caps
}
