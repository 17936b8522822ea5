//! The columns that have a meaning.

use spr_syntax::manifest::source;

/// The names of the table: the first is written, both are read.
pub(super) const TABLES: [&str; 2] = ["metadata.jsonl", "metadata.csv"];

/// The column with the name of the audio file.
pub(super) const FILE: &str = "file_name";
/// The columns for text.
pub(super) const TEXT: [&str; 4] = ["text", "sentence", "transcription", "transcript"];
/// Those for the speaker.
pub(super) const SPEAKER: [&str; 2] = ["speaker", "speaker_id"];
/// Those for the language.
pub(super) const LANGUAGE: [&str; 3] = ["language", "lang", "locale"];

/// Returns `true` for columns with a meaning in the format.
pub(super) fn is_own(name: &str) -> bool {
    is_text(name) || source::FIELDS.contains(&name)
}

/// Returns `true` for columns of text, even if it looks like a number.
pub(super) fn is_text(name: &str) -> bool {
    let [recording, channel, ..] = source::FIELDS;
    let others = [FILE, "gender", "utt_id", recording, channel];
    let named = [&TEXT[..], &SPEAKER, &LANGUAGE, &others];
    named.iter().any(|names| names.contains(&name))
}
