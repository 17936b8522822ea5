//! Telling files by the arithmetic of their size, as they have no magic bytes.

use spr_core::format::{Claim, FormatInfo, Probe, Score};

/// A list of files in the words of the format.
pub(crate) const LIST: Score = Score::Possible(75);

/// The likely start of a file whose length is not known.
pub(crate) const UNKNOWN_LENGTH: Score = Score::Possible(40);

/// How well a file fits a format of which its first bytes make this claim.
pub(crate) fn score(info: &FormatInfo, probe: &Probe<'_>, claim: Claim) -> Score {
    /// Odd things have the right size now and then.
    const BY_SIZE: Score = Score::Possible(70);
    /// Of two that fit the size, the name tells.
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
