//! What the names of members say: of which utterance they are, and which part of it.

/// What every member ends with.
const ENDING: &str = ".npy";
const LABELS: &[u8] = b".labels";
const AUDIO: &[u8] = b".audio";
const RATE: &[u8] = b".rate";
const ARRAY: &[u8] = b".array.";

/// A part of an utterance that is a member of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Role<'a> {
    /// Features, or an array of three dimensions or more.
    Plain,
    /// Frame labels.
    Labels,
    /// Samples of sound, rows being moments.
    Audio,
    /// How many of them there are in a second.
    Rate,
    /// An array of this name.
    Array(&'a [u8]),
}

/// The key and the part that a name means; `None` if it is not that of an array.
pub(super) fn parse(name: &[u8]) -> Option<(&[u8], Role<'_>)> {
    let stem = name.strip_suffix(ENDING.as_bytes())?;
    for (ending, role) in [
        (LABELS, Role::Labels),
        (AUDIO, Role::Audio),
        (RATE, Role::Rate),
    ] {
        if let Some(key) = stem.strip_suffix(ending) {
            return Some((key, role));
        }
    }
    let found = stem.windows(ARRAY.len()).position(|window| window == ARRAY);
    Some(match found {
        Some(at) => (&stem[..at], Role::Array(&stem[at + ARRAY.len()..])),
        None => (stem, Role::Plain),
    })
}

/// The name of the member for a part of the utterance `key`.
pub(super) fn name(key: &[u8], role: Role<'_>) -> Vec<u8> {
    let (middle, rest) = match role {
        Role::Plain => (&b""[..], &b""[..]),
        Role::Labels => (LABELS, &b""[..]),
        Role::Audio => (AUDIO, &b""[..]),
        Role::Rate => (RATE, &b""[..]),
        Role::Array(name) => (ARRAY, name),
    };
    [key, middle, rest, ENDING.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for (key, role, text) in [
            ("ann-1", Role::Plain, "ann-1.npy"),
            ("ann/1.5", Role::Plain, "ann/1.5.npy"),
            ("ann-1", Role::Labels, "ann-1.labels.npy"),
            ("ann-1", Role::Audio, "ann-1.audio.npy"),
            ("ann-1", Role::Rate, "ann-1.rate.npy"),
            (
                "ann-1",
                Role::Array(b"x.labels.y"),
                "ann-1.array.x.labels.y.npy",
            ),
        ] {
            assert_eq!(name(key.as_bytes(), role), text.as_bytes());
            assert_eq!(parse(text.as_bytes()), Some((key.as_bytes(), role)));
        }
        assert_eq!(parse(b"readme.txt"), None);
    }
}
