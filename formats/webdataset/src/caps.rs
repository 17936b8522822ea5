//! The capabilities of archives.

use spr_core::Error;
use spr_core::format::{
    ArrayCaps, Caps, Count, Empty, FeatureCaps, Keys, LabelCaps, Rule, SegmentCaps, Tags,
};
use spr_core::model::{Dtype, SourceField};
use spr_syntax::sound::SoundCodec;

use crate::json::MEMBER;
use crate::name;

/// The text that comes back as it was.
const TEXT: Rule<[u8]> = Rule::new("without a line end at its end", |text| {
    match text.ends_with(b"\n") {
        true => Err(Error::unfit(
            "the text ends in a line end, which is no part of it when it is read",
        )),
        false => Ok(()),
    }
});

/// Returns the capabilities where samples of sound become `codec`, and keys are escaped or not.
pub(crate) fn caps(codec: SoundCodec, escapes: bool) -> Caps {
    let mut features = FeatureCaps::new(Dtype::NUMPY);
    (features.vectors, features.scalars) = (true, true);
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.key_rule = if escapes { Rule::ANY } else { name::RULE };
    caps.utf8 = true;
    caps.features = Some(features);
    caps.labels = Some(LabelCaps::new(Dtype::INTEGERS));
    caps.audio = codec.caps();
    caps.audio.beside_features = true;
    caps.segments = Some(SegmentCaps::ALL);
    caps.text = true;
    caps.text_rule = TEXT;
    caps.arrays = Some(ArrayCaps::new(Dtype::NUMPY));
    caps.empty = Empty::Kept;
    caps.frame_shift = true;
    caps.frame_offset = true;
    caps.source = SourceField::ALL;
    caps.tags = Tags::TextAndOwn(MEMBER);
    caps
}
