//! The names of columns with a meaning.

use spr_syntax::manifest::source;

/// Columns for the key; the first is written.
pub(crate) const KEY: [&str; 7] = [
    "id",
    "key",
    "utt_id",
    "utterance_id",
    "utt",
    "uttid",
    "segment_id",
];
/// Columns for sound.
pub(crate) const AUDIO: [&str; 4] = ["audio", "sound", "speech", "wav"];
/// Columns for features.
pub(crate) const FEATURES: [&str; 7] = [
    "features",
    "feats",
    "input_features",
    "fbank",
    "mfcc",
    "mel",
    "log_mel",
];
/// Columns for labels.
pub(crate) const LABELS: [&str; 4] = ["labels", "ali", "alignment", "targets"];
/// Columns for text.
pub(crate) const TEXT: [&str; 5] = [
    "text",
    "sentence",
    "transcription",
    "transcript",
    "normalized_text",
];
/// The column for segments of a single tier without a name.
pub(crate) const SEGMENTS: &str = "segments";
/// The column for several tiers, or one with a name.
pub(crate) const TIERS: &str = "tiers";
/// Columns for the speaker.
pub(crate) const SPEAKER: [&str; 2] = ["speaker", "speaker_id"];
/// The column for the gender.
pub(crate) const GENDER: &str = "gender";
/// Columns for the language.
pub(crate) const LANGUAGE: [&str; 3] = ["language", "lang", "locale"];
/// The column for the frame shift.
pub(crate) const SHIFT: &str = "frame_shift";
/// The column for the time of the first frame.
pub(crate) const OFFSET: &str = "frame_offset";
/// The column for the split, which files are divided by.
pub(crate) const SPLIT: &str = "split";
/// The column for what other columns hold in other digits or letters.
pub(crate) const WRITTEN: &str = "as_written";

/// Returns `true` for names that no other column may have.
pub(crate) fn has_meaning(name: &str) -> bool {
    let lists: [&[&str]; 8] = [
        &KEY,
        &AUDIO,
        &FEATURES,
        &LABELS,
        &TEXT,
        &SPEAKER,
        &LANGUAGE,
        &source::FIELDS,
    ];
    let singles = [SEGMENTS, TIERS, GENDER, SHIFT, OFFSET, WRITTEN];
    lists.iter().any(|names| names.contains(&name)) || singles.contains(&name)
}
