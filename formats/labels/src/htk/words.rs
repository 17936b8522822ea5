//! The words of a line in HTK's syntax: bare or quoted, with escapes.

use spr_core::{Error, Result};
use spr_syntax::lines::{is_blank, shown};

/// The start of a comment.
const COMMENT: u8 = b';';
const ESCAPE: u8 = b'\\';

/// A word of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) bytes: Vec<u8>,
    /// Whether it was quoted and thus can only be a name.
    pub(super) quoted: bool,
}

impl Word {
    /// Returns `true` if this is the given mark and not a name.
    pub(super) fn is(&self, mark: &[u8]) -> bool {
        !self.quoted && self.bytes == mark
    }
}

/// Splits a line into words, without a comment.
pub(super) fn words(line: &[u8]) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_ascii_start();
        match rest {
            [] | [COMMENT, ..] => return Ok(words),
            [quote @ (b'"' | b'\''), after @ ..] => {
                let (bytes, after) = until(after, |b| b == quote)?;
                match after {
                    [_, after @ ..] if after.first().is_none_or(is_blank) => rest = after,
                    _ => return Err("a word in quotes does not end with them".to_owned()),
                }
                let quoted = true;
                words.push(Word { bytes, quoted });
            }
            bare => {
                let (bytes, after) = until(bare, is_blank)?;
                rest = after;
                let quoted = false;
                words.push(Word { bytes, quoted });
            }
        }
    }
}

/// Splits a line at the first byte that is an end, with escapes undone before it.
fn until(line: &[u8], is_end: impl Fn(&u8) -> bool) -> Result<(Vec<u8>, &[u8]), String> {
    let mut word = Vec::new();
    let mut rest = line;
    loop {
        match rest {
            [] => break,
            [
                ESCAPE,
                a @ b'0'..=b'3',
                b @ b'0'..=b'7',
                c @ b'0'..=b'7',
                after @ ..,
            ] => {
                let digit = |d: &u8| d - b'0';
                word.push(digit(a) << 6 | digit(b) << 3 | digit(c));
                rest = after;
            }
            [ESCAPE, escaped, after @ ..] => {
                word.push(*escaped);
                rest = after;
            }
            [ESCAPE] => return Err("a line ends with a backslash".to_owned()),
            [b, ..] if is_end(b) => break,
            [b, after @ ..] => {
                word.push(*b);
                rest = after;
            }
        }
    }
    match word.iter().find(|b| is_control(**b)) {
        Some(b) => Err(format!("'{}' holds the byte 0x{b:02x}", shown(&word))),
        None => Ok((word, rest)),
    }
}

fn is_control(b: u8) -> bool {
    b < b' ' && b != b'\t' || matches!(b, 0x7f | 0xff)
}

/// Appends a name so that it is read as one word, quoted if necessary.
pub(super) fn print(name: &[u8], quoted: bool, out: &mut Vec<u8>) -> Result<()> {
    if let Some(b) = name.iter().find(|b| is_control(**b)) {
        let name = shown(name);
        return Err(Error::unfit(format!(
            "the label '{name}' holds the byte 0x{b:02x}"
        )));
    }
    let odd = |b: &u8| is_blank(b) || matches!(*b, b'"' | b'\'' | ESCAPE | COMMENT);
    let quoted = quoted || name.is_empty() || name.iter().any(odd);
    if !quoted {
        out.extend_from_slice(name);
        return Ok(());
    }
    out.push(b'"');
    for b in name {
        if matches!(*b, b'"' | ESCAPE) {
            out.push(ESCAPE);
        }
        out.push(*b);
    }
    out.push(b'"');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_escapes() {
        let bytes = |line: &[u8]| {
            words(line)
                .unwrap()
                .into_iter()
                .map(|w| w.bytes)
                .collect::<Vec<_>>()
        };
        assert_eq!(bytes(b" 0  10\tah ; b"), [&b"0"[..], b"10", b"ah"]);
        assert_eq!(
            bytes(br#""a b" 'c"d' "e\"f\\" \303\251;"#),
            [&b"a b"[..], b"c\"d", b"e\"f\\", b"\xc3\xa9;"]
        );
        assert_eq!(bytes(br"a\ b it's"), [&b"a b"[..], b"it's"]);
        for line in [&b"\"ab"[..], b"\"a\"b", b"a\\", b"a\0", b"'a"] {
            assert!(words(line).is_err(), "{line:?}");
        }
        for name in [
            &b"ah"[..],
            b"a b",
            b"\"",
            b"it's",
            b"a\\b",
            b";",
            b"",
            b"\xc3\xa9",
        ] {
            let mut out = Vec::new();
            print(name, false, &mut out).unwrap();
            assert_eq!(bytes(&out), [name], "{name:?}");
        }
        assert!(print(b"a\nb", false, &mut Vec::new()).is_err());
    }
}
