//! Writing of header lines.

use super::grammar::{is_blank, is_end};
use crate::vocabulary::Dialect;

/// Appends a line, or returns the reason why the dialect cannot represent it.
pub(crate) fn pair(
    dialect: Dialect,
    key: &[u8],
    value: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), &'static str> {
    if key.is_empty() || !key.iter().all(u8::is_ascii_graphic) {
        return Err("its key is not made of printable characters without blanks");
    }
    let outer_blank = |b: Option<&u8>| b.is_some_and(|b| is_blank(*b));
    let blank_edge = outer_blank(value.first()) || outer_blank(value.last());
    let newline = value.contains(&b'\n');
    let quotes = match dialect {
        Dialect::Spr => {
            value.is_empty()
                || blank_edge
                || newline
                || value.starts_with(b"\"")
                || value.ends_with(b"\\")
        }
        Dialect::Key if newline => return Err("its value holds a line break"),
        Dialect::Key if blank_edge => return Err("its value starts or ends in a blank"),
        Dialect::Key if value.is_empty() && is_end(key) => {
            return Err("it would end the header");
        }
        Dialect::Key => false,
    };
    out.extend_from_slice(key);
    if quotes {
        out.extend_from_slice(b"\t\"");
        value.iter().for_each(|b| escape(*b, out));
        out.push(b'"');
    } else if !value.is_empty() {
        out.push(b'\t');
        out.extend_from_slice(value);
    }
    out.push(b'\n');
    Ok(())
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\t' => out.extend_from_slice(b"\\t"),
        b'\r' => out.extend_from_slice(b"\\r"),
        0..0x20 | 0x7f => out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
        _ => out.push(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::super::grammar;
    use super::*;
    use proptest::prelude::*;

    fn line(dialect: Dialect, key: &str, value: &[u8]) -> Result<Vec<u8>, &'static str> {
        let mut out = Vec::new();
        pair(dialect, key.as_bytes(), value, &mut out).map(|()| out)
    }

    #[test]
    fn quotes_only_where_the_rule_demands_it() {
        for (value, expected) in [
            (&b"a \"b\" \\c"[..], &b"K\ta \"b\" \\c\n"[..]),
            (b"", b"K\t\"\"\n"),
            (b" a", b"K\t\" a\"\n"),
            (b"a\t", b"K\t\"a\\t\"\n"),
            (b"a\r", b"K\t\"a\\r\"\n"),
            (b"\"a", b"K\t\"\\\"a\"\n"),
            (b"a\\", b"K\t\"a\\\\\"\n"),
            (b"a\nb\x01", b"K\t\"a\\nb\\001\"\n"),
        ] {
            assert_eq!(line(Dialect::Spr, "K", value).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn refuses_what_can_not_be_read_back() {
        for key in ["", "a b", "\u{e9}", "a\n"] {
            assert!(line(Dialect::Spr, key, b"1").is_err(), "{key:?}");
        }
        for (key, value) in [("K", "a\nb"), ("K", " a"), ("K", "a\t"), ("##", "")] {
            assert!(line(Dialect::Key, key, value.as_bytes()).is_err());
        }
        assert_eq!(
            line(Dialect::Key, "K", b"\"a\\").as_deref(),
            Ok(&b"K\t\"a\\\n"[..])
        );
        assert_eq!(line(Dialect::Key, "K", b"").as_deref(), Ok(&b"K\n"[..]));
    }

    proptest! {
        #[test]
        fn reads_back(key in "[!-~]{1,8}", value: Vec<u8>, spr: bool) {
            let dialect = if spr { Dialect::Spr } else { Dialect::Key };
            match line(dialect, &key, &value) {
                Ok(line) => {
                    prop_assert_eq!(line.iter().filter(|b| **b == b'\n').count(), 1);
                    let text = grammar::trim(&line[..line.len() - 1]);
                    prop_assert!(!is_end(text));
                    let (k, v) = grammar::pair(dialect, text).unwrap();
                    prop_assert_eq!((k, &*v), (key.as_bytes(), &value[..]));
                }
                Err(_) => prop_assert!(!spr),
            }
        }
    }
}
