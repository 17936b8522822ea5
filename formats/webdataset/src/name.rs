//! Names of members: keys and extensions.

use spr_core::format::Rule;
use spr_core::model::Key;
use spr_core::{Error, Result};

/// Splits the name of a member as WebDataset does: the key ends before the first dot of the last
/// part of the path. Returns `None` for names that WebDataset passes over.
pub(crate) fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    if is_meta(name) {
        return None;
    }
    let last = last_part(name);
    let dot = last.iter().position(|byte| *byte == b'.')?;
    let (key, extension) = name.split_at(name.len() - last.len() + dot);
    match dot {
        0 => None,
        _ => Some((key, extension.get(1..)?)),
    }
}

/// Returns `true` if the path starts with a folder whose name begins and ends in two underscores.
fn is_meta(name: &[u8]) -> bool {
    let Some(end) = name.iter().position(|byte| *byte == b'/') else {
        return false;
    };
    let first = name.get(..end).unwrap_or(name);
    first.len() >= 4 && first.starts_with(b"__") && first.ends_with(b"__")
}

fn last_part(name: &[u8]) -> &[u8] {
    name.rsplit(|byte| *byte == b'/').next().unwrap_or(name)
}

/// The keys that WebDataset reads as they are.
pub(crate) const RULE: Rule<Key> = Rule::new(
    "without dots in the last part, control characters, and parts that lead elsewhere",
    check,
);

/// Checks that WebDataset reads a key as it is, and that no program unpacks it to elsewhere.
fn check(key: &Key) -> Result<()> {
    let bytes = key.as_bytes();
    let parts = || bytes.split(|byte| *byte == b'/');
    let what = match () {
        () if last_part(bytes).contains(&b'.') => "has a dot, where WebDataset would end it",
        () if is_meta(bytes) => {
            "is in a folder that WebDataset passes over, as its name has two underscores at both ends"
        }
        () if parts().any(<[u8]>::is_empty) => "is empty, or has an empty part",
        () if parts().any(|part| part == b"..") => "has the part '..', which leads elsewhere",
        () if bytes.iter().any(u8::is_ascii_control) => "has control characters",
        () => return Ok(()),
    };
    let error = Error::unfit(format!("the key {what}"));
    Err(error.hint("names=escape writes it in another form, and keeps it in the sample's json"))
}

/// Returns a key that fits the [`RULE`], and differs for every key: bytes that do not fit become `%`
/// and two digits.
pub(crate) fn escaped(key: &str) -> String {
    let mut out = String::new();
    let part_is_empty = |out: &str| out.is_empty() || out.ends_with('/');
    for c in key.chars() {
        let fits = match c {
            '.' | '%' => false,
            '/' => !part_is_empty(&out),
            c => !c.is_ascii_control(),
        };
        match fits {
            true => out.push(c),
            false => push_escaped(c, &mut out),
        }
    }
    match out.as_bytes() {
        [] => out.push('%'),
        // An empty last part.
        [.., b'/'] => out.replace_range(out.len() - 1.., "%2f"),
        bytes if is_meta(bytes) => out.replace_range(..1, "%5f"),
        _ => {}
    }
    out
}

/// Appends `%` and the two digits of an ASCII character.
fn push_escaped(c: char, out: &mut String) {
    out.push_str(&format!("%{:02x}", u32::from(c)));
}

/// Returns the name of an array as an extension without its `.npy`. WebDataset makes letters small,
/// so that capitals are escaped; `taken` names other kinds of members.
pub(crate) fn array_extension(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut out = String::new();
    for c in name.chars() {
        let fits = !matches!(c, '%' | '/') && !c.is_control() && c.to_lowercase().eq([c]);
        match (fits, c.is_ascii()) {
            (true, _) => out.push(c),
            (false, true) => push_escaped(c, &mut out),
            (false, false) => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    out.push_str(&format!("%{byte:02x}"));
                }
            }
        }
    }
    match out.chars().next() {
        None => out.push('%'),
        Some(first) if taken(&out) && first.is_ascii() => {
            let mut escaped = String::new();
            push_escaped(first, &mut escaped);
            out.replace_range(..1, &escaped);
        }
        Some(_) => {}
    }
    out
}

/// Returns the name of the array of an extension without its `.npy`.
pub(crate) fn array_name(extension: &str) -> String {
    if extension == "%" {
        return String::new();
    }
    let mut out = Vec::new();
    let mut rest = extension.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|_| *byte == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code {
            Some(code) => {
                out.push(code);
                rest = &behind[2..];
            }
            None => {
                out.push(*byte);
                rest = behind;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| extension.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_split_as_by_webdataset() {
        let split = |name: &'static str| {
            let (key, extension) = split(name.as_bytes())?;
            Some([key, extension].map(|part| std::str::from_utf8(part).unwrap()))
        };
        for (name, expected) in [
            ("a.wav", Some(["a", "wav"])),
            ("b/c.d/e.seg.wav", Some(["b/c.d/e", "seg.wav"])),
            ("./p.wav", Some(["./p", "wav"])),
            ("utt-1.5.wav", Some(["utt-1", "5.wav"])),
            ("d/__m__/x.txt", Some(["d/__m__/x", "txt"])),
            ("a.", Some(["a", ""])),
            ("a", None),
            (".hidden", None),
            ("d/.hidden.txt", None),
            ("__meta__/x.txt", None),
            ("____/x.txt", None),
            ("__meta__", None),
            ("__meta__.txt", Some(["__meta__", "txt"])),
        ] {
            assert_eq!(split(name), expected, "{name}");
        }
    }

    #[test]
    fn keys_that_would_change_are_refused() {
        for key in ["a", "b/c.d/e", "__m__", "d/__m__/x", "dé-4", "a b"] {
            assert!(check(&Key::from(key)).is_ok(), "{key}");
        }
        for key in [
            "", "a.b", "__m__/a", "/a", "a/", "a//b", "../a", "a/../b", "a\nb",
        ] {
            let error = check(&Key::from(key)).unwrap_err();
            assert!(error.hint_text().is_some(), "{key}");
        }
    }

    proptest! {
        #[test]
        fn escaped_keys_fit_and_differ(a in "[a./_%\n]{0,6}", b in "[a./_%\n]{0,6}") {
            let [x, y] = [&a, &b].map(|key| escaped(key));
            prop_assert!(check(&Key::from(x.as_str())).is_ok(), "{x}");
            prop_assert_eq!(a == b, x == y);
        }

        #[test]
        fn names_of_arrays_come_back(name in "[aB%/é\u{c9}.]{0,6}|\\PC{0,8}") {
            let extension = array_extension(&name, |taken| taken.starts_with('a'));
            prop_assert!(!extension.contains('/') && !extension.starts_with('a'));
            prop_assert_eq!(extension.to_lowercase(), extension.clone());
            prop_assert_eq!(array_name(&extension), name);
        }
    }
}
