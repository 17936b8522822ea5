//! Names: of files, of datasets by keys, of fields.

use spr_core::Error;
use spr_core::format::Rule;
use spr_core::model::Key;

/// The first bytes of a file.
pub(crate) const MAGIC: &[u8] = b"\x89HDF\r\n\x1a\n";
/// The attribute of the root group of files of our writer, and its value.
pub(crate) const LAYOUT: (&str, &str) = ("layout", "utterances");
/// The dataset with the number of frames in a chunk that Lhotse's store of chunks has beside those
/// of utterances.
pub(crate) const CHUNK_SIZE: &str = "__LHOTSE_INTERNAL_CHUNK_SIZE__";
/// The attribute with segments as JSON.
pub(crate) const SEGMENTS: &str = "segments";
/// The largest number of groups that are inside one another.
const DEEPEST: usize = 64;

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
    Segments,
}

impl Role {
    /// The roles in files of our writer.
    pub(crate) const WRITTEN: [Self; 6] = [
        Self::Features,
        Self::Labels,
        Self::Audio,
        Self::Array,
        Self::Text,
        Self::Segments,
    ];

    /// The roles that have a group of their own in files of our writer.
    pub(crate) const GROUPED: [Self; 5] = [
        Self::Labels,
        Self::Audio,
        Self::Array,
        Self::Text,
        Self::Segments,
    ];

    /// Returns the names that others give to datasets or groups of this role, ours first.
    pub(crate) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            Self::Features => &["features", "feats", "feat", "fbank", "mfcc"],
            Self::Labels => &["labels", "label", "targets", "target", "alignments", "ali"],
            Self::Audio => &["audio", "wav", "waveform"],
            Self::Array => &["arrays"],
            Self::Text => &["text", "texts", "transcripts", "transcript"],
            Self::Segments => &["segments"],
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

/// Keys that come back: names end at a zero byte, and each slash is a group.
pub(crate) const KEY: Rule<Key> = Rule::new("without zero bytes and of at most 64 groups", |key| {
    let bytes = key.as_bytes();
    if bytes.contains(&0) {
        return Err(Error::unfit(
            "the key has a zero byte, where HDF5 ends a name",
        ));
    }
    match bytes.iter().filter(|byte| **byte == b'/').count() {
        0..DEEPEST => Ok(()),
        n => Err(Error::unfit(format!(
            "the key has {n} slashes, the most are 63"
        ))),
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

/// Returns the path of a field in files of our writer: features stand under the key, other fields
/// in a group for each.
pub(crate) fn path(key: &str, role: Role) -> String {
    match role {
        Role::Plain | Role::Features => escape(key),
        _ => format!("{}/{}", role.group(), escape(key)),
    }
}

/// Returns the key and the role of such a path.
pub(crate) fn parse(path: &str) -> (String, Role) {
    let grouped = path.split_once('/').and_then(|(group, key)| {
        let role = Role::GROUPED.into_iter().find(|role| role.group() == group);
        Some((unescape(key), role?))
    });
    grouped.unwrap_or_else(|| (unescape(path), Role::Features))
}

/// Returns `true` if a part of a key would be no name, or that of a group of fields.
fn is_reserved(part: &str) -> bool {
    let is_group = Role::GROUPED.iter().any(|role| role.group() == part);
    is_group || matches!(part, "" | "." | "..")
}

/// Returns the path of a key. A part that cannot be a name follows a percent sign, and percent
/// signs are escaped, so that different keys have different paths.
fn escape(key: &str) -> String {
    let parts = key.split('/').map(|part| match is_reserved(part) {
        true => format!("%{part}"),
        false => part.replace('%', "%25"),
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Returns the key of a path that [`escape`] made.
fn unescape(path: &str) -> String {
    let parts = path.split('/').map(|name| {
        let rest = name.strip_prefix('%').filter(|rest| is_reserved(rest));
        rest.map_or_else(|| name.replace("%25", "%"), str::to_owned)
    });
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back_as_keys() {
        let keys = [
            "a", "a/b", "a%2Fb", "%", "%25", "", ".", "labels", "%labels", "labels/a", "segments",
            "/", "a//b", "ä b", "a/../b", "%/a",
        ];
        let mut paths = Vec::new();
        for key in keys {
            for role in Role::WRITTEN {
                let path = path(key, role);
                assert_eq!(parse(&path), (key.to_owned(), role), "{path}");
                assert!(
                    path.split('/').all(|name| !matches!(name, "" | "." | "..")),
                    "{path}"
                );
                paths.push(path);
            }
        }
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), Role::WRITTEN.len() * keys.len());
    }
}
