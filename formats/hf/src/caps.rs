//! The capabilities of a data set.

use spr_core::format::{
    ArrayCaps, Caps, Count, Empty, FeatureCaps, Keys, LabelCaps, SegmentCaps, Tags,
};
use spr_core::model::{AboutField, Dtype, SourceField};
use spr_syntax::sound::SoundCodec;

/// Returns the capabilities where samples of sound become `codec`.
pub(crate) fn caps(codec: SoundCodec) -> Caps {
    let mut features = FeatureCaps::new(NUMBERS);
    (features.vectors, features.scalars) = (true, true);
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.utf8 = true;
    caps.about = AboutField::ALL;
    caps.features = Some(features);
    caps.labels = Some(LabelCaps::new(Dtype::INTEGERS));
    caps.audio = codec.caps();
    caps.audio.beside_features = true;
    caps.segments = Some(SegmentCaps::ALL);
    caps.text = true;
    caps.arrays = Some(ArrayCaps::new(NUMBERS));
    caps.empty = Empty::Kept;
    caps.columnless = true;
    caps.frame_shift = true;
    caps.frame_offset = true;
    caps.source = SourceField::ALL;
    caps.tags = Tags::Any;
    caps
}

/// The element types that columns have, the preferred one first.
pub(crate) const NUMBERS: &[Dtype] = &[
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
];
