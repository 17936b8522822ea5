//! The capabilities of array files.

use spr_core::format::{ArrayCaps, Caps, ChunkSupport, Count, Empty, FeatureCaps, Keys};
use spr_core::model::Dtype;

/// The name of an array with more than two dimensions.
pub(crate) const NAME: &str = "array";

/// The element types that NumPy supports as well.
pub(crate) const DTYPES: &[Dtype] = &[
    Dtype::F32,
    Dtype::F64,
    Dtype::F16,
    Dtype::I8,
    Dtype::U8,
    Dtype::I16,
    Dtype::U16,
    Dtype::I32,
    Dtype::U32,
    Dtype::I64,
    Dtype::U64,
    Dtype::Bool,
];

/// The element types of labels.
pub(crate) const LABELS: &[Dtype] = &[
    Dtype::I32,
    Dtype::I64,
    Dtype::I8,
    Dtype::U8,
    Dtype::I16,
    Dtype::U16,
    Dtype::U32,
    Dtype::U64,
];

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
    let mut features = FeatureCaps::new(DTYPES);
    features.vectors = true;
    features.scalars = true;
    let mut caps = Caps::new(Count::One, keys);
    caps.features = Some(features);
    let mut arrays = ArrayCaps::new(DTYPES);
    (arrays.min_rank, arrays.max_count, arrays.name) = (3, 1, Some(NAME));
    caps.arrays = Some(arrays);
    caps.empty = Empty::Kept;
    caps.chunked = ChunkSupport::Counted;
    caps
}
