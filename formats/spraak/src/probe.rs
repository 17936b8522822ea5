//! Recognition of the files.

use spr_core::format::{Probe, Score};

use crate::header::{grammar, magic};
use crate::vocabulary::Dialect;

/// Characteristic keys, of which a key header without a magic line must have one.
const TELLING: [&[u8]; 7] = [
    b"DATATYPE",
    b"CORPUS",
    b"DICTIONARY",
    b"DATAFORMAT",
    b"NFR",
    b"NPARAM",
    b"NENTRY",
];

/// Scores the start of a file for a dialect with these file extensions.
pub(crate) fn score(dialect: Dialect, probe: &Probe<'_>, extensions: &[&str]) -> Score {
    match magic(probe.head) {
        Some(found) if found == dialect => return Score::Certain,
        Some(_) => return Score::No,
        None => {}
    }
    if dialect == Dialect::Key && is_bare_key_header(probe.head) {
        Score::Possible(60)
    } else if !probe.head.is_empty() && probe.extension().is_some_and(|e| extensions.contains(&e)) {
        Score::NameOnly
    } else {
        Score::No
    }
}

/// Returns `true` if `head` starts with lines of key and value, including a characteristic one, up
/// to a line with only `#`.
pub(crate) fn is_bare_key_header(head: &[u8]) -> bool {
    let mut telling = false;
    // The rest after the last line break is incomplete.
    let Some(end) = head.iter().rposition(|b| *b == b'\n') else {
        return false;
    };
    for line in head[..end].split(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if grammar::is_end(line) {
            return telling;
        }
        match grammar::pair(Dialect::Key, grammar::trim(line)) {
            Ok((key, value)) if !value.is_empty() => telling |= TELLING.contains(&key),
            _ if grammar::trim(line).is_empty() => {}
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn scores(head: &[u8], name: &str) -> (Score, Score) {
        let probe = Probe {
            head,
            whole: true,
            len: None,
            path: Some(Path::new(name)),
        };
        (
            score(Dialect::Spr, &probe, &["spr", "trk"]),
            score(Dialect::Key, &probe, &["key"]),
        )
    }

    #[test]
    fn magic_is_certain() {
        for head in [&b".spr\nDATA TRACK\n"[..], b".spr\r\n"] {
            assert_eq!(scores(head, "x"), (Score::Certain, Score::No));
        }
        assert_eq!(scores(b".key\n", "x.spr"), (Score::No, Score::Certain));
        for head in [&b".sprx\n"[..], b" .spr\n", b".spr", b".SPR\n", b".spr\r"] {
            assert_eq!(scores(head, "x"), (Score::No, Score::No));
        }
    }

    #[test]
    fn names_alone_are_weak() {
        assert_eq!(scores(b"\0\0", "a.trk"), (Score::NameOnly, Score::No));
        assert_eq!(scores(b"\0\0", "a.key"), (Score::No, Score::NameOnly));
        assert_eq!(scores(b"", "a.key"), (Score::No, Score::No));
    }

    #[test]
    fn key_headers_are_known_without_magic() {
        let likely = (Score::No, Score::Possible(60));
        for head in [
            &b"DATATYPE TRACK\nNFR 1\n#\n\xff\xff"[..],
            b"\n  foo bar \r\nNPARAM\t3\r\n##\r\n",
            b"CORPUS x\n#\n",
        ] {
            assert_eq!(scores(head, "x"), likely, "{head:?}");
        }
        for head in [
            &b"foo bar\n#\n"[..],
            b"NFR 1\n#",
            b"NFR 1\n",
            b"NFR 1\n\xe9 2\n#\n",
            b"NFR\n#\n",
            b"NFR 1\nx\n#\n",
            b"#\nNFR 1\n",
        ] {
            assert_eq!(scores(head, "x"), (Score::No, Score::No), "{head:?}");
        }
    }
}
