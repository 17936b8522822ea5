//! The table of steps.

mod choice;
mod cmvn;
mod condition;
mod frames;
mod labels;
mod sample;
mod sound;
mod utterances;

use spr_core::format::Partitioning;

use super::kind::Kind;
use super::values::Values;

/// Every step there is. A new one is one entry here.
pub const KINDS: &[&Kind] = &[
    &choice::SELECT,
    &choice::WITHOUT,
    &choice::LENGTH,
    &condition::SECONDS,
    &condition::WHERE,
    &choice::SPEAKERS,
    &choice::PER_SPEAKER,
    &choice::HOURS,
    &choice::FIRST,
    &choice::SLICE,
    &sample::SAMPLE,
    &choice::SHARD,
    &choice::UNIQUE,
    &utterances::SORT,
    &utterances::CHECK,
    &utterances::PARTS,
    &utterances::SPEAKER,
    &utterances::RENAME,
    &sound::SAMPLES,
    &sound::SOUND,
    &frames::FRAME_SHIFT,
    &frames::TIER,
    &labels::ALI_TO,
    &frames::FRAMES,
    &frames::COLUMNS,
    &cmvn::CMVN,
    &cmvn::CMVN_STATS,
    &frames::CONTEXT,
    &frames::IGNORE_LABEL,
    &frames::MAP_LABEL,
    &utterances::SHUFFLE,
    &frames::SHUFFLE_FRAMES,
    &frames::PARTITION,
    &utterances::BATCH,
    &utterances::PREFETCH,
];

pub(crate) use frames::stream_ignored;

fn never(_: &Values) -> bool {
    false
}

fn always(_: &Values) -> bool {
    true
}

/// Looks at no column.
fn nothing(_: &Values, _: &str) -> bool {
    false
}

/// Describes a step as it is written.
fn as_written(values: &Values, _: Partitioning) -> String {
    values.to_string()
}
