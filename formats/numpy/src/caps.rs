//! What an array file can hold.

use spr_core::format::{ArrayCaps, Caps, Count, Empty, FeatureCaps, Keys, Portioned};
use spr_core::model::Dtype;

/// The element types that NumPy knows, too.
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

/// What a file holds whose name says nothing.
pub(crate) const CAPS: Caps = caps(Keys::Any);

pub(crate) const fn caps(keys: Keys) -> Caps {
    let mut features = FeatureCaps::new(DTYPES);
    features.vectors = true;
    features.scalars = true;
    let mut caps = Caps::new(Count::One, keys);
    caps.features = Some(features);
    caps.arrays = Some(ArrayCaps::new(DTYPES));
    caps.empty = Empty::Kept;
    caps.portioned = Portioned::Counted;
    caps
}
