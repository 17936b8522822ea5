//! Recognition of files by their size, because they have no magic bytes.

use spr_core::format::{Claim, FormatInfo, Probe, Score};

/// A list of files in the format's syntax.
pub(crate) const LIST: Score = Score::Possible(75);

/// A likely start of a file of unknown length.
pub(crate) const UNKNOWN_LENGTH: Score = Score::Possible(40);

/// Scores a file by the lengths that its header implies.
pub(crate) fn score(info: &FormatInfo, probe: &Probe<'_>, claim: Claim) -> Score {
    /// Unrelated files sometimes have the right size.
    const BY_SIZE: Score = Score::Possible(70);
    /// The name decides between two formats that fit the size.
    const BY_NAME_TOO: Score = Score::Possible(75);
    let len = probe
        .len
        .or_else(|| probe.whole.then_some(probe.head.len() as u64));
    let named = probe
        .extension()
        .is_some_and(|e| info.extensions.contains(&e));
    match claim.holds(len) {
        true if named => BY_NAME_TOO,
        true => BY_SIZE,
        false if named && !probe.head.is_empty() => Score::NameOnly,
        false => Score::No,
    }
}
