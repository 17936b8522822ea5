//! The header of a file: its lines in order, each key once and under its spr name.

pub(crate) mod grammar;
pub(crate) mod print;

use spr_core::bytes::{Env, Source};
use spr_core::model::Key;
use spr_core::{Error, ErrorKind, Limits, Result};

use crate::vocabulary::Dialect;

/// One line of a header.
pub(crate) struct Entry {
    /// The key, in a key header translated to the spr name.
    pub(crate) key: Vec<u8>,
    /// The value, unquoted.
    pub(crate) value: Vec<u8>,
    /// The byte at which the line starts.
    pub(crate) at: u64,
}

/// A header as read.
pub(crate) struct Header {
    pub(crate) dialect: Dialect,
    pub(crate) entries: Vec<Entry>,
    /// The name of the file, for messages.
    pub(crate) file: String,
    /// The byte at which the data start.
    pub(crate) end: u64,
}

impl Header {
    /// Reads a header up to its end line. A file without a magic line can only be a key header,
    /// and is taken for one if `expected` says so.
    pub(crate) fn read(source: &mut Source, expected: Dialect, env: &Env) -> Result<Self> {
        let magic = magic(source.peek(6)?);
        let dialect = match (magic, expected) {
            (Some(found), _) => found,
            (None, Dialect::Key) => Dialect::Key,
            (None, Dialect::Spr) => {
                return Err(source
                    .malformed("the first line is not .spr")
                    .hint("a key header without its first line is read with --from key"));
            }
        };
        let mut header = Self {
            dialect,
            entries: Vec::new(),
            file: source.name().to_owned(),
            end: 0,
        };
        let mut line = Vec::new();
        if magic.is_some() {
            physical_line(source, &mut line, env)?;
        }
        loop {
            let at = source.offset();
            logical_line(source, dialect, &mut line, env)?;
            let text = grammar::trim(&line);
            if grammar::is_end(text) {
                if text.len() != line.len() {
                    env.warn(&header.error(at, "blanks around the # that ends the header"));
                }
                break;
            }
            if text.is_empty() {
                continue;
            }
            let (key, value) =
                grammar::pair(dialect, text).map_err(|what| header.error(at, what))?;
            header.entries.push(Entry {
                key: dialect.canonical(key).to_vec(),
                value: value.into_owned(),
                at,
            });
        }
        header.end = source.offset();
        header.drop_superseded(env);
        Ok(header)
    }

    /// The line with this key, by its spr name.
    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.key == key.as_bytes())
    }

    /// A key as messages show it, in the words of this header.
    pub(crate) fn name_of(&self, key: &[u8]) -> String {
        shown(self.dialect.name_of(key))
    }

    /// An error about the bytes of the file at `at`.
    pub(crate) fn error(&self, at: u64, what: impl Into<String>) -> Error {
        Error::malformed(what).file(&self.file).byte(at)
    }

    /// Keeps the last line of each key.
    fn drop_superseded(&mut self, env: &Env) {
        let entries = &self.entries;
        let mut order: Vec<_> = (0..entries.len()).collect();
        order.sort_by_key(|&i| (&entries[i].key, i));
        let mut superseded = vec![false; entries.len()];
        for pair in order.windows(2) {
            let (first, second) = (&entries[pair[0]], &entries[pair[1]]);
            if first.key == second.key {
                superseded[pair[0]] = true;
                env.warn(&self.error(
                    second.at,
                    format!(
                        "{} stands twice; the last one counts",
                        self.name_of(&second.key)
                    ),
                ));
            }
        }
        let mut superseded = superseded.into_iter();
        self.entries.retain(|_| superseded.next() != Some(true));
    }
}

/// The dialect that the first bytes of a file announce.
pub(crate) fn magic(head: &[u8]) -> Option<Dialect> {
    Dialect::ALL.into_iter().find(|dialect| {
        head.strip_prefix(dialect.magic())
            .is_some_and(|rest| rest.starts_with(b"\n") || rest.starts_with(b"\r\n"))
    })
}

/// Bytes of a header, as far as they can be shown in a message.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 60;
    match bytes.get(..MOST) {
        Some(start) => format!("{}…", Key::from(start)),
        None => Key::from(bytes).to_string(),
    }
}

/// Reads a line, in an spr header joined with those that continue it, in place of what `line`
/// held.
fn logical_line(
    source: &mut Source,
    dialect: Dialect,
    line: &mut Vec<u8>,
    env: &Env,
) -> Result<()> {
    line.clear();
    loop {
        physical_line(source, line, env)?;
        if dialect == Dialect::Key || !line.ends_with(b"\\") {
            return Ok(());
        }
        line.pop();
    }
}

/// Appends the next line without its end. The end of the file is an error here.
fn physical_line(source: &mut Source, line: &mut Vec<u8>, env: &Env) -> Result<()> {
    let from = source.offset();
    let held = line.len();
    let limits = Limits {
        max_alloc: env.limits.max_header.saturating_sub(from),
        ..env.limits
    };
    let too_long = || {
        Error::limit(format!(
            "no line # ends the header within {} bytes",
            env.limits.max_header
        ))
    };
    let read = source.until(b'\n', line, &limits);
    let read = read.map_err(|e| match e.kind() {
        ErrorKind::Limit => too_long().file(source.name()).byte(from),
        _ => e,
    })?;
    if source.offset() > env.limits.max_header {
        return Err(too_long().file(source.name()).byte(from));
    }
    // `until` also gives a last line without a line break.
    let whole = read && source.offset() - from > (line.len() - held) as u64;
    if !whole {
        return Err(source.error(
            ErrorKind::Truncated,
            "the file ends inside the header, before the line #",
        ));
    }
    if line.ends_with(b"\r") {
        line.pop();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use spr_core::bytes::Access;

    use super::*;

    type Pairs = Vec<(String, String)>;

    /// The header's pairs, where the data start, and the warnings.
    fn read(text: &[u8], expected: Dialect) -> Result<(Pairs, u64, Vec<String>)> {
        let warnings = Arc::new(Mutex::new(Vec::new()));
        let heard = warnings.clone();
        let env = Env::new(Limits::default(), Access::default(), move |e| {
            heard.lock().unwrap().push(e.to_string());
        });
        let mut source = Source::from_bytes("h", text.to_vec())?;
        let header = Header::read(&mut source, expected, &env)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let pairs = header
            .entries
            .iter()
            .map(|e| (text(&e.key), text(&e.value)))
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
        assert_eq!(warnings.len(), 2);
        assert_eq!(warnings[0], "h@13: A stands twice; the last one counts");
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
            let error = Header::read(&mut source, Dialect::Spr, &env).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        }
    }
}
