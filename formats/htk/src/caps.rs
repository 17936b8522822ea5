//! What an HTK file can hold.

use spr_core::format::{AudioCaps, Caps, Count, FeatureCaps, Keys, Tags};
use spr_core::model::Dtype;

/// The name of the format.
pub(crate) const NAME: &str = "htk";

/// What a file holds whose name says nothing.
pub(crate) const CAPS: Caps = caps(Keys::Any);

pub(crate) const fn caps(keys: Keys) -> Caps {
    let mut features = FeatureCaps::new(&[Dtype::F32]);
    features.max_cols = (i16::MAX / 4) as u64;
    let mut caps = Caps::new(Count::One, keys);
    caps.features = Some(features);
    caps.audio = AudioCaps::samples(&[Dtype::I16]);
    caps.frame_shift = true;
    caps.tags = Tags::Of(NAME);
    caps.max_rows = i32::MAX as u64;
    caps
}
