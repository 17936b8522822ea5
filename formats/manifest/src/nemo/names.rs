//! Names of fields, and keys of utterances without one.

use spr_core::model::Decimal;

/// The names of the field with the audio file.
pub(crate) const FILE: [&str; 2] = ["audio_filepath", "audio_filename"];

/// The names of the field with the key.
pub(super) const KEY: [&str; 2] = ["utt_id", "id"];

/// The field with the number of the tar file that has the sound.
pub(super) const SHARD: &str = "shard_id";

/// Returns a key for an utterance without one: the name of its audio file, with the segment in
/// milliseconds if there is one.
pub(super) fn made_up(file: &str, stretch: Option<[Decimal; 2]>) -> String {
    match stretch {
        None => file.to_owned(),
        Some(times) => {
            let [start, end] = times.map(|time| (time.value() * 1000.0).round());
            format!("{file}-{start:07}-{end:07}")
        }
    }
}

/// Returns the name of a file without folder and extension.
pub(super) fn stem(file: &str) -> &str {
    let plain = without_extension(file);
    plain.rsplit('/').next().unwrap_or(plain)
}

pub(super) fn without_extension(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    match name.rfind('.') {
        Some(point) if point > 0 => &file[..file.len() - name.len() + point],
        _ => file,
    }
}
