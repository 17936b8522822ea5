//! The table of steps.

mod batch;
mod cmvn;
mod condition;
mod draw;
mod fields;
mod frames;
mod keys;
mod labels;
mod numbers;
mod order;
mod partition;
mod recordings;
mod rename;
mod sample;
mod sound;
mod speakers;

use super::kind::Kind;

pub(super) use frames::Shift;
pub(super) use keys::KeySelection;
pub(super) use labels::Translation;
pub(crate) use partition::stream_ignored;

/// Every step there is. A new one is one entry here.
pub const KINDS: &[&Kind] = &[
    &keys::SELECT,
    &keys::WITHOUT,
    &numbers::LENGTH,
    &condition::SECONDS,
    &condition::WHERE,
    &speakers::SPEAKERS,
    &speakers::PER_SPEAKER,
    &condition::HOURS,
    &numbers::FIRST,
    &numbers::SLICE,
    &sample::SAMPLE,
    &numbers::SHARD,
    &numbers::UNIQUE,
    &order::SORT,
    &fields::CHECK,
    &fields::PARTS,
    &speakers::SPEAKER,
    &rename::RENAME,
    &sound::SAMPLES,
    &sound::SOUND,
    &frames::FRAME_SHIFT,
    &labels::TIER,
    &labels::ALI_TO,
    &recordings::JOIN,
    &recordings::CUT,
    &frames::FRAMES,
    &frames::COLUMNS,
    &cmvn::CMVN,
    &cmvn::CMVN_STATS,
    &frames::CONTEXT,
    &labels::IGNORE_LABEL,
    &labels::MAP_LABEL,
    &order::SHUFFLE,
    &partition::SHUFFLE_FRAMES,
    &partition::PARTITION,
    &batch::BATCH,
    &batch::PREFETCH,
];
