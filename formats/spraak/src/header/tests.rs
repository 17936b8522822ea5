//! The parsing of header lines, and their precedence.

use std::sync::{Arc, Mutex};

use spr_core::bytes::Access;
use spr_core::{ErrorKind, Limits};

use super::*;

type Pairs = Vec<(String, String)>;

/// Returns the header's pairs, the offset of the data, and the warnings.
fn read(text: &[u8], expected: Dialect) -> Result<(Pairs, u64, Vec<String>)> {
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let heard = warnings.clone();
    let env = Env::new(Limits::default(), Access::default(), move |e| {
        heard.lock().unwrap().push(e.to_string());
    });
    let mut source = Source::from_bytes("h", text.to_vec())?;
    let assumed = (expected == Dialect::Key).then_some(Dialect::Key);
    let header = Header::read(&mut source, assumed, End::Required, &env)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let pairs = header
        .entries
        .iter()
        .map(|e| (text(e.key()), text(&e.value)))
        .collect();
    let warnings = warnings.lock().unwrap().clone();
    Ok((pairs, header.end, warnings))
}

fn pairs(list: &[(&str, &str)]) -> Pairs {
    list.iter()
        .map(|(k, v)| ((*k).into(), (*v).into()))
        .collect()
}

#[test]
fn reads_blanks_carriage_returns_and_continuations() {
    let text = b".spr\r\n\n  \t \r\n A \t 1 \r\nB one \\\ntwo\nC \"x\\\n y\"\n#foo bar\n#\n#\n";
    let (found, end, warnings) = read(text, Dialect::Spr).unwrap();
    let expected = pairs(&[("A", "1"), ("B", "one two"), ("C", "x y"), ("#foo", "bar")]);
    assert_eq!(found, expected);
    assert_eq!(end, text.len() as u64 - 2);
    assert_eq!(warnings, [""; 0]);
}

#[test]
fn the_last_of_equal_keys_counts() {
    let (found, _, warnings) = read(b".spr\nA 1\nB 2\nA 3\nA 4\n#\n", Dialect::Spr).unwrap();
    assert_eq!(found, pairs(&[("B", "2"), ("A", "4")]));
    assert_eq!(warnings, ["h@17: A appears 3 times; the last one counts"]);
    let (found, _, warnings) = read(b"NFR 1\nDIM1 2\n##\n", Dialect::Key).unwrap();
    assert_eq!((found, warnings.len()), (pairs(&[("DIM1", "2")]), 1));
}

#[test]
fn end_lines() {
    for (end, warned) in [
        ("#\n", 0),
        ("###\n", 0),
        ("#\r\n", 0),
        (" #\n", 1),
        ("# \n", 1),
    ] {
        for dialect in Dialect::ALL {
            let magic = std::str::from_utf8(dialect.magic()).unwrap();
            let text = format!("{magic}\nA 1\n{end}");
            let (found, at, warnings) = read(text.as_bytes(), dialect).unwrap();
            assert_eq!(found, pairs(&[("A", "1")]), "{end:?}");
            assert_eq!((at, warnings.len()), (text.len() as u64, warned), "{end:?}");
        }
    }
}

#[test]
fn key_headers_need_no_magic_and_continue_nowhere() {
    let (found, ..) = read(b"NFR 3\nNOTE a\\\nX \"\n#\n", Dialect::Key).unwrap();
    assert_eq!(found, pairs(&[("DIM1", "3"), ("NOTE", "a\\"), ("X", "\"")]));
    assert!(read(b"DIM1 3\n#\n", Dialect::Spr).is_err());
}

#[test]
fn a_header_that_never_ends_is_an_error() {
    let whole = b".spr\nA 1\nB \"x\"\\\n\n#\n";
    for n in 0..whole.len() {
        assert!(read(&whole[..n], Dialect::Spr).is_err(), "{n} bytes");
    }
    let error = read(b".spr\nA 1\n#", Dialect::Spr).unwrap_err();
    let text = "h@10: the file ends inside the header, before the line #";
    assert_eq!(error.to_string(), text);
}

#[test]
fn a_header_over_the_limit_is_an_error() {
    let mut env = Env::default();
    env.limits.max_header = 1000;
    for filler in [&b"a"[..], b"\n", b"A 1\n", b"A 1\\\n"] {
        let long = [b".spr\n".to_vec(), filler.repeat(1000)].concat();
        let mut source = Source::from_bytes("h", long).unwrap();
        let error = Header::read(&mut source, None, End::Required, &env)
            .err()
            .unwrap();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    }
}
