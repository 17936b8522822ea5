//! What a misspelt word was meant to be.

/// The word most like `word` among `known`, if it is one to three slips of the pen away, by its
/// length. The first of several alike is taken.
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
        0..=2 => 1,
        3..=8 => 2,
        _ => 3,
    };
    known
        .into_iter()
        .filter(|other| other.as_ref().len().abs_diff(word.len()) <= far)
        .map(|other| (distance(word, other.as_ref()), other))
        .filter(|(edits, _)| *edits <= far && *edits < word.len())
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, other)| other)
}

/// The hint for a misspelt word: what it may mean, else all that is known.
pub(crate) fn hint(word: &str, known: &[&str], of: &str) -> String {
    let all = format!("{of}: {}", known.join(", "));
    match nearest(word, known) {
        Some(near) => format!("did you mean '{near}'? {all}"),
        None => all,
    }
}

/// Bytes put in, left out or changed between one word and the other; two neighbours changing
/// places count as one.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let first: Vec<usize> = (0..=b.len()).collect();
    let mut rows = [first.clone(), first.clone(), first];
    for (i, x) in a.iter().enumerate() {
        rows.rotate_left(1);
        let [before, above, row] = &mut rows;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let mut least = above[j] + usize::from(x != y);
            least = least.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *y && b[j - 1] == *x {
                least = least.min(before[j - 1] + 1);
            }
            row[j + 1] = least;
        }
    }
    rows[2][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        for (a, b, n) in [
            ("info", "info", 0),
            ("inof", "info", 1),
            ("inf", "info", 1),
            ("", "ab", 2),
            ("ab", "", 2),
            ("kitten", "sitting", 3),
            ("ann-001", "ann-010", 1),
        ] {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), n, "{a} {b}");
            assert_eq!(distance(b.as_bytes(), a.as_bytes()), n, "{b} {a}");
        }
    }

    #[test]
    fn takes_the_nearest_and_nothing_far() {
        assert_eq!(nearest("sotr", ["split", "sort"]), Some("sort"));
        assert_eq!(nearest("a", ["b", "c"]), None);
        assert_eq!(nearest("feats", ["beats", "info"]), Some("beats"));
        assert_eq!(nearest("feats.scp", ["stats"]), None);
        assert_eq!(
            hint("kldi", &["kaldi"], "known"),
            "did you mean 'kaldi'? known: kaldi"
        );
        assert_eq!(hint("xx", &["kaldi"], "known"), "known: kaldi");
    }
}
