//! One header line: a key and its value.

use std::borrow::Cow;

use nom::branch::alt;
use nom::bytes::complete::{take_while_m_n, take_while1};
use nom::character::complete::char;
use nom::combinator::{cut, eof, map, map_opt, rest};
use nom::multi::fold_many0;
use nom::number::complete::u8;
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};

use crate::vocabulary::Dialect;

type ParseResult<'a, T> = IResult<&'a [u8], T>;

/// Returns `true` for white space within a line.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// Strips surrounding blanks.
pub(crate) fn trim(line: &[u8]) -> &[u8] {
    let start = line.iter().position(|b| !is_blank(*b));
    let end = line.iter().rposition(|b| !is_blank(*b));
    match (start, end) {
        (Some(start), Some(end)) => &line[start..=end],
        _ => &[],
    }
}

/// Returns `true` if `line`, stripped of blanks, ends the header.
pub(crate) fn is_end(line: &[u8]) -> bool {
    !line.is_empty() && line.iter().all(|b| *b == b'#')
}

/// Splits a stripped line into key and unquoted value, or returns the reason why that is
/// impossible.
pub(crate) fn pair(dialect: Dialect, line: &[u8]) -> Result<(&[u8], Cow<'_, [u8]>), &'static str> {
    let (after, key) = key(line).map_err(|_| "a header line is not 'KEY value'")?;
    match dialect {
        Dialect::Key => Ok((key, Cow::Borrowed(after))),
        Dialect::Spr => match value(after) {
            Ok((_, value)) => Ok((key, value)),
            Err(nom::Err::Failure(e) | nom::Err::Error(e)) => Err(match e.input {
                [] => "a quoted value is not closed",
                [b'\\', ..] => "a quoted value holds an escape that C does not know",
                _ => "a quoted value is followed by more",
            }),
            Err(nom::Err::Incomplete(_)) => Err("a quoted value is not closed"),
        },
    }
}

fn key(line: &[u8]) -> ParseResult<'_, &[u8]> {
    terminated(
        take_while1(|b: u8| b.is_ascii_graphic()),
        alt((take_while1(is_blank), eof)),
    )
    .parse(line)
}

fn value(text: &[u8]) -> ParseResult<'_, Cow<'_, [u8]>> {
    let closed = terminated(unescaped, (char('"'), eof));
    alt((
        map(preceded(char('"'), cut(closed)), Cow::Owned),
        map(rest, Cow::Borrowed),
    ))
    .parse(text)
}

enum Piece<'a> {
    Text(&'a [u8]),
    Byte(u8),
}

fn unescaped(text: &[u8]) -> ParseResult<'_, Vec<u8>> {
    let plain = take_while1(|b| b != b'"' && b != b'\\');
    let piece = alt((
        map(plain, Piece::Text),
        map(preceded(char('\\'), escape), Piece::Byte),
    ));
    fold_many0(piece, Vec::new, |mut all, piece| {
        match piece {
            Piece::Text(text) => all.extend_from_slice(text),
            Piece::Byte(byte) => all.push(byte),
        }
        all
    })
    .parse(text)
}

/// Parses the escape after a backslash.
fn escape(text: &[u8]) -> ParseResult<'_, u8> {
    alt((
        map_opt(u8, simple),
        map_opt(take_while_m_n(1, 3, |b| matches!(b, b'0'..=b'7')), |d| {
            number(d, 8)
        }),
        preceded(
            char('x'),
            map_opt(take_while1(|b: u8| b.is_ascii_hexdigit()), |d| {
                number(d, 16)
            }),
        ),
    ))
    .parse(text)
}

fn simple(letter: u8) -> Option<u8> {
    Some(match letter {
        b'"' | b'\\' | b'\'' | b'?' => letter,
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        _ => return None,
    })
}

/// Converts digits to one byte, if they fit.
fn number(digits: &[u8], base: u32) -> Option<u8> {
    digits.iter().try_fold(0u8, |n, digit| {
        let digit = char::from(*digit).to_digit(base)?;
        u8::try_from(u32::from(n) * base + digit).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spr(line: &str) -> Result<(String, Vec<u8>), &'static str> {
        let (key, value) = pair(Dialect::Spr, line.as_bytes())?;
        Ok((String::from_utf8(key.to_vec()).unwrap(), value.into_owned()))
    }

    #[test]
    fn raw_values_are_literal() {
        for (line, key, value) in [
            ("DIM1 309", "DIM1", "309"),
            ("NOTE\t \ta  b", "NOTE", "a  b"),
            (r"PATH C:\a\n", "PATH", r"C:\a\n"),
            (r#"NOTE say "so""#, "NOTE", r#"say "so""#),
            ("#foo bar", "#foo", "bar"),
            ("## #", "##", "#"),
            (r#""k" v"#, r#""k""#, "v"),
            ("ALONE", "ALONE", ""),
        ] {
            assert_eq!(spr(line), Ok((key.into(), value.into())), "{line}");
        }
    }

    #[test]
    fn quoted_values_have_the_escapes_of_c() {
        for (line, value) in [
            (r#"K """#, &b""[..]),
            (r#"K " a ""#, b" a "),
            (r#"K "a\"b\\c\'d\?""#, b"a\"b\\c'd?"),
            (r#"K "\a\b\f\n\r\t\v""#, b"\x07\x08\x0c\n\r\t\x0b"),
            (r#"K "\0\12\1234\377""#, b"\0\nS4\xff"),
            (r#"K "\x41g\xe9""#, b"Ag\xe9"),
        ] {
            assert_eq!(spr(line), Ok(("K".into(), value.into())), "{line}");
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (line, part) in [
            (r#"K "abc"#, "not closed"),
            (r#"K ""#, "not closed"),
            (r#"K "abc\"#, "escape"),
            (r#"K "a\qb""#, "escape"),
            (r#"K "\400""#, "escape"),
            (r#"K "\x100""#, "escape"),
            (r#"K "a" b"#, "more"),
            ("K\u{e9}Y 1", "not 'KEY value'"),
            ("\u{e9} 1", "not 'KEY value'"),
        ] {
            let error = spr(line).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }

    #[test]
    fn key_headers_have_no_quotes() {
        for value in [r#""abc"#, r#""a\qb""#, "a\\"] {
            let line = format!("NOTE {value}");
            let parsed = pair(Dialect::Key, line.as_bytes());
            assert_eq!(parsed, Ok((&b"NOTE"[..], value.as_bytes().into())));
        }
    }
}
