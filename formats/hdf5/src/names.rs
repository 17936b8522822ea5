//! Keys as names of datasets, and the names of fields.

use spr_core::Error;
use spr_core::format::Rule;
use spr_core::model::Key;

/// The attribute of the root group of files of our writer, and its value.
pub(crate) const LAYOUT: (&str, &str) = ("layout", "fields");

/// A field of an utterance that is one dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Whatever the values are.
    Plain,
    Features,
    Labels,
    Audio,
    Array,
    Text,
}

impl Role {
    /// The roles that have a group of their own in files of our writer.
    pub(crate) const GROUPED: [Self; 4] = [Self::Labels, Self::Audio, Self::Array, Self::Text];

    /// Returns the names that others give to datasets or groups of this role, ours first.
    pub(crate) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            Self::Features => &["features", "feats", "feat", "fbank", "mfcc"],
            Self::Labels => &["labels", "label", "targets", "target", "alignments", "ali"],
            Self::Audio => &["audio", "wav", "waveform"],
            Self::Array => &["arrays"],
            Self::Text => &["text", "texts", "transcripts", "transcript"],
        }
    }

    /// Returns the name of its group in files of our writer.
    pub(crate) fn group(self) -> &'static str {
        self.names().first().copied().unwrap_or_default()
    }

    /// Returns the role that has this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let all = [Self::Features].into_iter().chain(Self::GROUPED);
        all.into_iter().find(|role| role.names().contains(&name))
    }
}

/// Keys that come back: attributes and names end at a zero byte.
pub(crate) const KEY: Rule<Key> = Rule::new("without zero bytes", |key| {
    match key.as_bytes().contains(&0) {
        true => Err(Error::unfit(
            "the key has a zero byte, where HDF5 ends a name",
        )),
        false => Ok(()),
    }
});

/// The rule for text, which ends at a zero byte as well.
pub(crate) const TEXT: Rule<[u8]> =
    Rule::new("without zero bytes", |text| match text.contains(&0) {
        true => Err(Error::unfit(
            "the text has a zero byte, where HDF5 ends a text",
        )),
        false => Ok(()),
    });

/// Returns `true` if a key, written unchanged, would be no name in the root group.
fn is_reserved(key: &str) -> bool {
    let groups = Role::GROUPED.iter().any(|role| role.group() == key);
    groups || matches!(key, "" | ".")
}

/// Returns the name of the dataset for a key. Slashes and percent signs are escaped, which makes
/// different names of different keys.
pub(crate) fn escape(key: &str) -> String {
    let mut name = String::with_capacity(key.len() + 1);
    if is_reserved(key) {
        name.push('%');
    }
    for letter in key.chars() {
        match letter {
            '/' => name.push_str("%2F"),
            '%' => name.push_str("%25"),
            other => name.push(other),
        }
    }
    name
}

/// Returns the key of a name that [`escape`] made.
pub(crate) fn unescape(name: &str) -> String {
    let rest = name.strip_prefix('%').filter(|rest| is_reserved(rest));
    match rest {
        Some(key) => key.to_owned(),
        None => name.replace("%2F", "/").replace("%25", "%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_as_keys() {
        let keys = [
            "a", "a/b", "a%2Fb", "%", "%2F", "", ".", "labels", "%labels", "text", "ä b",
        ];
        let mut names: Vec<_> = keys.iter().map(|key| escape(key)).collect();
        for (name, key) in names.iter().zip(keys) {
            assert_eq!(unescape(name), key, "{name}");
            assert!(!name.contains('/') && !is_reserved(name), "{name}");
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), keys.len());
    }
}
