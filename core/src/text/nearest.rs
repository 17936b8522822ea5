//! Suggestions for misspelt words.

use strsim::generic_damerau_levenshtein;

/// Returns the word most similar to `word` among `known`, if it differs by at most one to three
/// typos, depending on its length. The first of several equally similar words is returned.
///
/// ```
/// use spr_core::nearest;
/// assert_eq!(nearest("pflie", ["kaldi", "pfile", "pickle"]), Some("pfile"));
/// assert_eq!(nearest("htk", ["kaldi", "pfile", "pickle"]), None);
/// ```
pub fn nearest<T: AsRef<[u8]>>(
    word: impl AsRef<[u8]>,
    known: impl IntoIterator<Item = T>,
) -> Option<T> {
    let word = word.as_ref();
    let far = match word.len() {
        // In a word of three letters, two typos make another word.
        0..=3 => 1,
        4..=8 => 2,
        _ => 3,
    };
    known
        .into_iter()
        .filter(|other| other.as_ref().len().abs_diff(word.len()) <= far)
        .map(|other| (generic_damerau_levenshtein(word, other.as_ref()), other))
        .filter(|(edits, _)| *edits <= far && *edits < word.len())
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, other)| other)
}

/// Returns the hint for a misspelt word: a suggestion, otherwise all known words.
pub(crate) fn hint(word: &str, known: &[&str], of: &str) -> String {
    let all = format!("{of}: {}", known.join(", "));
    match nearest(word, known) {
        Some(near) => format!("did you mean '{near}'? {all}"),
        None => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_nearest_and_nothing_far() {
        assert_eq!(nearest("sotr", ["split", "sort"]), Some("sort"));
        assert_eq!(nearest("a", ["b", "c"]), None);
        assert_eq!(nearest("cat", ["man", "cut"]), Some("cut"));
        assert_eq!(nearest("cat", ["man"]), None);
        assert_eq!(nearest("feats", ["beats", "info"]), Some("beats"));
        assert_eq!(nearest("feats.scp", ["stats"]), None);
        assert_eq!(
            hint("kldi", &["kaldi"], "known"),
            "did you mean 'kaldi'? known: kaldi"
        );
        assert_eq!(hint("xx", &["kaldi"], "known"), "known: kaldi");
    }
}
