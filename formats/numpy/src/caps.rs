//! The capabilities of array files.

use spr_core::format::{ArrayCaps, Caps, ChunkSupport, Count, Empty, FeatureCaps, Keys};
use spr_core::model::Dtype;

/// The name of an array with more than two dimensions.
pub(crate) const NAME: &str = "array";

/// The capabilities of a file whose name is not stored.
pub(crate) const CAPS: Caps = caps(Keys::Any);

/// The capabilities of an object in a container, which says that an array is one, whatever its shape.
pub(crate) const NESTED: Caps = {
    let mut caps = CAPS;
    if let Some(arrays) = &mut caps.arrays {
        arrays.min_rank = 0;
    }
    caps
};

pub(crate) const fn caps(keys: Keys) -> Caps {
    let mut features = FeatureCaps::new(Dtype::NUMPY);
    features.vectors = true;
    features.scalars = true;
    let mut caps = Caps::new(Count::One, keys);
    caps.features = Some(features);
    let mut arrays = ArrayCaps::new(Dtype::NUMPY);
    (arrays.min_rank, arrays.max_count, arrays.name) = (3, 1, Some(NAME));
    caps.arrays = Some(arrays);
    caps.empty = Empty::Kept;
    caps.chunked = ChunkSupport::Counted;
    caps
}
