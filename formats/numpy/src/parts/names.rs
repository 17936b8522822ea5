//! The names of arrays, which consist of the key and the field.

const LABELS: &[u8] = b".labels";
const AUDIO: &[u8] = b".audio";
const RATE: &[u8] = b".rate";
const ARRAY: &[u8] = b".array.";
/// The name of an array that ends like the rate of sound, where there is no sound.
pub(crate) const LONE_RATE: &[u8] = b"rate";

/// A field of an utterance that is stored as one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role<'a> {
    /// Features, or an array of three dimensions or more.
    Plain,
    /// Frame labels.
    Labels,
    /// Audio samples, where each row is one instant.
    Audio,
    /// The sampling rate.
    Rate,
    /// An array of this name.
    Array(&'a [u8]),
}

/// Splits a name into key and field.
pub(crate) fn parse(name: &[u8]) -> (&[u8], Role<'_>) {
    for (ending, role) in [
        (LABELS, Role::Labels),
        (AUDIO, Role::Audio),
        (RATE, Role::Rate),
    ] {
        if let Some(key) = name.strip_suffix(ending) {
            return (key, role);
        }
    }
    let found = name.windows(ARRAY.len()).position(|w| w == ARRAY);
    match found {
        Some(at) => (&name[..at], Role::Array(&name[at + ARRAY.len()..])),
        None => (name, Role::Plain),
    }
}

/// Returns the name of a field of the utterance `key`.
pub(crate) fn name(key: &[u8], role: Role<'_>) -> Vec<u8> {
    let (middle, rest) = match role {
        Role::Plain => (&b""[..], &b""[..]),
        Role::Labels => (LABELS, &b""[..]),
        Role::Audio => (AUDIO, &b""[..]),
        Role::Rate => (RATE, &b""[..]),
        Role::Array(name) => (ARRAY, name),
    };
    [key, middle, rest].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for (key, role, text) in [
            ("ann-1", Role::Plain, "ann-1"),
            ("ann/1.5", Role::Plain, "ann/1.5"),
            ("ann-1", Role::Labels, "ann-1.labels"),
            ("ann-1", Role::Audio, "ann-1.audio"),
            ("ann-1", Role::Rate, "ann-1.rate"),
            (
                "ann-1",
                Role::Array(b"x.labels.y"),
                "ann-1.array.x.labels.y",
            ),
        ] {
            assert_eq!(name(key.as_bytes(), role), text.as_bytes());
            assert_eq!(parse(text.as_bytes()), (key.as_bytes(), role));
        }
    }
}
