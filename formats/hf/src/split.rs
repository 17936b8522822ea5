//! The splits that files belong to, by their names.

use spr_core::bytes::Location;

/// The words by which a split is recognised in names, and what it is called.
const WORDS: [(&str, &[&str]); 3] = [
    ("train", &["train", "training"]),
    ("validation", &["validation", "valid", "dev", "val"]),
    ("test", &["test", "testing", "eval", "evaluation"]),
];

/// The split of files that do not tell theirs.
pub(crate) const USUAL: &str = "train";

/// Returns the split of a file that is named as the Hub names them: `SPLIT-00000-of-00003.parquet`,
/// or without the total.
pub(crate) fn of_file(file: &Location) -> Option<String> {
    let file = file
        .extension()
        .filter(|own| *own == "parquet")
        .and(file.stem())?;
    let stem = file.to_str()?;
    let mut parts = stem.rsplitn(4, '-');
    let is_number = |part: &str| part.len() == 5 && part.bytes().all(|b| b.is_ascii_digit());
    let last = parts.next().filter(|part| is_number(part))?;
    let rest = stem.strip_suffix(last)?.strip_suffix('-')?;
    let numbered = rest
        .strip_suffix("-of")
        .and_then(|rest| rest.rsplit_once('-'));
    let name = match numbered {
        Some((name, number)) if is_number(number) => name,
        _ => rest,
    };
    is_name(name).then(|| name.to_owned())
}

/// Returns the split that a name contains the word of, between characters that are no letters.
pub(crate) fn of_word(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let parts: Vec<_> = name.split(|c: char| !c.is_alphabetic()).collect();
    let mut all = WORDS.iter();
    let found = all.find(|(_, words)| words.iter().any(|word| parts.contains(word)));
    found.map(|(split, _)| *split)
}

/// Returns `true` for names of splits: letters, digits and `_`, in parts with points between.
pub(crate) fn is_name(name: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    name.split('.').all(is_part)
}

/// Returns the place of a split in the order in which they are read: first those that are well
/// known.
pub(crate) fn rank(name: &str) -> usize {
    let known = WORDS.iter().position(|(_, words)| words.contains(&name));
    known.unwrap_or(WORDS.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_told_by_names() {
        for (name, split) in [
            ("data/train-00000-of-00003.parquet", Some("train")),
            (
                "train.clean.100-00001-of-00014.parquet",
                Some("train.clean.100"),
            ),
            ("dev-00000.parquet", Some("dev")),
            ("train-00000-of-00001-af8c2b.parquet", None),
            ("00000.parquet", None),
            ("a b-00000.parquet", None),
            ("x.parquet", None),
        ] {
            let found = of_file(&Location::from(name));
            assert_eq!(found.as_deref(), split, "{name}");
        }
        for (name, split) in [
            ("valid", Some("validation")),
            ("my-dev_set2", Some("validation")),
            ("Test", Some("test")),
            ("trainer", None),
        ] {
            assert_eq!(of_word(name), split, "{name}");
        }
        assert!(rank("train") < rank("dev") && rank("test") < rank("other"));
    }
}
