//! Names of members that are pieces of a sound.

/// Returns `true` if a name ends in `-sub` and a number.
pub(super) fn is_piece(stem: &str) -> bool {
    let plain = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    plain.len() < stem.len() && plain.len() > "-sub".len() && plain.ends_with("-sub")
}
