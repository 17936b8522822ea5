//! The capabilities of HDF5 files.

use spr_core::format::{
    ArrayCaps, AudioCaps, Caps, Count, Empty, FeatureCaps, Keys, LabelCaps, SegmentCaps, Tags,
};
use spr_core::model::{Dtype, SourceField};

use crate::names;
use crate::value::ARRAY;

/// The capabilities of files that are written.
pub(crate) const CAPS: Caps = {
    let mut features = FeatureCaps::new(Dtype::NUMPY);
    (features.vectors, features.scalars) = (true, true);
    let mut arrays = ArrayCaps::new(Dtype::NUMPY);
    (arrays.max_count, arrays.name) = (1, Some(ARRAY));
    let mut caps = Caps::new(Count::Many, Keys::Any);
    (caps.key_rule, caps.utf8) = (names::KEY, true);
    caps.features = Some(features);
    caps.labels = Some(LabelCaps::new(Dtype::INTEGERS));
    caps.audio = AudioCaps::samples(Dtype::NUMPY);
    caps.audio.beside_features = true;
    caps.segments = Some(SegmentCaps::ALL);
    (caps.text, caps.text_rule) = (true, names::TEXT);
    caps.arrays = Some(arrays);
    caps.empty = Empty::Kept;
    (caps.frame_shift, caps.frame_offset) = (true, true);
    caps.source = SourceField::ALL;
    caps.tags = Tags::Any;
    caps
};
