//! Changes that most outputs can't hold.

use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use spr_core::format::{ArrayCaps, AudioCaps, Caps, Count, Keys, SegmentCaps};
use spr_core::model::{Audio, Decimal, Dtype, Key, Meta, Object, Rank, Span, Tag, Utterance};

use super::names::{any_tag, source};
use super::{Other, decimal, encoded, key, matrix, object, reference};

/// A change that most outputs can't hold.
#[derive(Clone, Debug)]
pub enum Oddity {
    /// Any key.
    Key(Key),
    /// Features of any type, rank and size.
    Features(Option<(Dtype, Rank, usize)>),
    /// Labels of any type and number of columns.
    Labels(Option<(Dtype, usize)>),
    /// Header lines with any bytes.
    Tag(Tag),
    /// A frame shift.
    Shift(Decimal),
    /// A speaker, a recording and the like.
    Source(Meta),
    /// Something beside the rest, of this seed.
    Other(Other, u64),
    /// A sound file of this format.
    Encoded(&'static str),
    /// A stretch of a recording that is somewhere else.
    Stretch(Decimal, Option<u32>),
    /// An object of this kind.
    Object(&'static str),
}

/// Room for every [`Other`].
const ALL: Caps = {
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.audio = AudioCaps::samples(Dtype::ALL);
    caps.segments = Some(SegmentCaps::ALL);
    caps.arrays = Some(ArrayCaps::new(Dtype::ALL));
    caps
};

/// Oddities; header lines are said to be of `format`.
pub fn oddity(format: &'static str) -> impl Strategy<Value = Oddity> {
    let dtype = || select(Dtype::ALL);
    let rank = select(&[Rank::Matrix, Rank::Matrix, Rank::Vector, Rank::Scalar][..]);
    prop_oneof![
        key(Keys::Any).prop_map(Oddity::Key),
        option::weighted(0.8, (dtype(), rank, 0..4usize)).prop_map(Oddity::Features),
        option::weighted(0.8, (dtype(), 0..4usize)).prop_map(Oddity::Labels),
        any_tag(format).prop_map(Oddity::Tag),
        decimal().prop_map(Oddity::Shift),
        source().prop_map(Oddity::Source),
        (select(Other::ALL), any::<u64>()).prop_map(|(other, seed)| Oddity::Other(other, seed)),
        select(&["wav", "flac", "unknown"][..]).prop_map(Oddity::Encoded),
        (decimal(), option::of(0..3u32))
            .prop_map(|(start, channel)| Oddity::Stretch(start, channel)),
        select(Object::KINDS).prop_map(Oddity::Object),
    ]
}

impl Oddity {
    /// Makes the change.
    pub fn apply(&self, utt: &mut Utterance) {
        let rows = usize::try_from(utt.frames()).expect("a small matrix");
        match self {
            Self::Key(key) => utt.key = key.clone(),
            Self::Features(features) => {
                utt.features = features.map(|(dtype, rank, cols)| match rank {
                    Rank::Matrix => matrix(dtype, rank, rows, cols, 5),
                    Rank::Vector => matrix(dtype, rank, rows, 1, 5),
                    Rank::Scalar => matrix(dtype, rank, 1, 1, 5),
                });
            }
            Self::Labels(labels) => {
                utt.labels = labels.map(|(dtype, cols)| match cols {
                    1 => matrix(dtype, Rank::Vector, rows, 1, 6),
                    _ => matrix(dtype, Rank::Matrix, rows, cols, 6),
                });
            }
            Self::Tag(tag) => utt.meta.tags.push(tag.clone()),
            Self::Shift(shift) => utt.meta.frame_shift = Some(*shift),
            Self::Source(meta) => {
                let before = std::mem::take(&mut utt.meta);
                utt.meta = Meta {
                    frame_shift: before.frame_shift,
                    frame_offset: before.frame_offset,
                    tags: before.tags,
                    ..meta.clone()
                };
            }
            Self::Other(other, seed) => other.put(utt, &ALL, rows, Some(*seed)),
            Self::Encoded(format) => utt.audio = Some(Audio::Encoded(encoded(format, rows))),
            Self::Stretch(start, channel) => {
                let mut stretch = reference(rows);
                stretch.channel = *channel;
                stretch.span = Span::new(Some(*start), start.plus(Decimal::new(5, -1)));
                utt.audio = Some(Audio::Reference(stretch));
            }
            Self::Object(kind) => utt.object = Some(object(kind, 2)),
        }
    }
}
