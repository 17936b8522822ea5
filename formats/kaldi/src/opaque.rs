//! Opaque objects: their end is detected, and their bytes are kept.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::is_word_byte;
use spr_core::{ErrorKind, Limits, Result};

use crate::number::is_space;
use crate::text::truncated;

/// The number of bytes inspected first for the end of an object.
const FIRST: usize = 64 << 10;

/// The result of searching the bytes so far for the end.
enum End {
    /// The end, after this number of bytes.
    At(usize),
    /// The end is not in these bytes.
    Beyond,
    /// The end cannot be determined.
    Unknown,
}

/// Reads up to the end that `find` detects; it is also told whether the source ends with the bytes.
fn take(
    source: &mut Source,
    limits: &Limits,
    find: impl Fn(&[u8], bool) -> End,
) -> Result<Vec<u8>> {
    let mut size = FIRST;
    loop {
        let bytes = source.peek(size)?;
        let last = bytes.len() < size;
        match find(bytes, last) {
            End::At(end) => {
                let bytes = bytes[..end].to_vec();
                source.skip(end as u64)?;
                return Ok(bytes);
            }
            End::Unknown => {
                return Err(source
                    .error(
                        ErrorKind::Unsupported,
                        "there is no telling where this object ends",
                    )
                    .hint("only a file of its own can hold it"));
            }
            End::Beyond if last => {
                return Err(truncated(source, "the file ends inside an object"));
            }
            End::Beyond => {}
        }
        size = size.saturating_mul(2);
        source.hold("an object", size as u64 / 2, limits)?;
    }
}

/// Reads the rest of the source.
pub(crate) fn rest(source: &mut Source, limits: &Limits) -> Result<Vec<u8>> {
    take(source, limits, |bytes, last| match last {
        true => End::At(bytes.len()),
        false => End::Beyond,
    })
}

/// Reads exactly `n` bytes.
pub(crate) fn exactly(source: &mut Source, n: u64, limits: &Limits) -> Result<Vec<u8>> {
    let at = source.offset();
    let n = limits
        .bytes("an object", n)
        .map_err(|e| e.file(source.name()).byte(at))?;
    let there = source.peek(n)?.len();
    if there < n {
        let message = format!("the file ends here: expected {n} bytes, found {there}");
        return Err(truncated(source, message));
    }
    let bytes = source.peek(n)?.to_vec();
    source.skip(n as u64)?;
    Ok(bytes)
}

/// Reads an object of tokens, after its binary mark and up to the token that closes the first one.
pub(crate) fn tokens(source: &mut Source, limits: &Limits) -> Result<Vec<u8>> {
    take(source, limits, |bytes, last| {
        let Some(end) = bytes.iter().position(|b| is_space(*b)) else {
            return End::Beyond;
        };
        let Some(name) = bytes[..end].strip_prefix(b"<") else {
            return End::Unknown;
        };
        let close = [b"</", name].concat();
        let mut from = end;
        while let Some(found) = memchr_find(&bytes[from..], &close) {
            let end = from + found + close.len();
            let after = bytes.get(end + 1..).unwrap_or_default();
            if bytes.get(end).is_some_and(|b| is_space(*b)) {
                match is_entry(after, last) {
                    Some(true) => return End::At(end + 1),
                    Some(false) => {}
                    None => return End::Beyond,
                }
            }
            from = end;
        }
        match last {
            true => End::Unknown,
            false => End::Beyond,
        }
    })
}

/// Returns `true` if a reader of an archive detects the end of an object of this kind at the end of
/// `bytes`.
pub(crate) fn is_whole(kind: &str, bytes: &[u8], limits: &Limits) -> bool {
    let value = bytes.strip_prefix(b"\0B").unwrap_or_default();
    let all = |read: fn(&mut Source, &Limits) -> Result<Vec<u8>>, bytes: &[u8]| {
        let source = Source::from_bytes("object", bytes.to_vec());
        let read = source.and_then(|mut source| read(&mut source, limits));
        read.is_ok_and(|read| read == bytes)
    };
    match kind {
        "tokens-object" => all(tokens, value),
        "fst" if !bytes.is_ascii() => all(|source, limits| fst(source, false, limits), bytes),
        "blob" => match value.split_at_checked(12) {
            Some((head, blob)) => head.ends_with(&(blob.len() as u64).to_le_bytes()),
            None => false,
        },
        "int8" | "uint8" => value.len() == 2,
        "int16" | "uint16" => value.len() == 3,
        "uint32" => value.len() == 5,
        "int64" | "uint64" => value.len() == 9,
        _ => true,
    }
}

fn memchr_find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|w| w == what)
}

/// Returns `true` if the bytes are the end of the file or start with a key, or `None` if there are
/// too few.
fn is_entry(bytes: &[u8], last: bool) -> Option<bool> {
    if bytes.iter().all(|b| is_space(*b)) {
        return last.then_some(true);
    }
    match bytes.iter().position(|b| !is_word_byte(*b)) {
        Some(end) => Some(end > 0 && is_space(bytes[end])),
        None if bytes.len() > 4096 => Some(false),
        None if last => Some(false),
        None => None,
    }
}

/// Reads a finite-state transducer in OpenFst's binary form. One that is `alone` in its file may be of
/// any type, and then goes to the end.
pub(crate) fn fst(source: &mut Source, alone: bool, limits: &Limits) -> Result<Vec<u8>> {
    take(source, limits, |bytes, last| {
        let mut cursor = Cursor { bytes, at: 4 };
        match cursor.fst() {
            Some(true) => End::At(cursor.at),
            Some(false) if !alone => End::Unknown,
            Some(false) if last => End::At(bytes.len()),
            _ => End::Beyond,
        }
    })
}

/// Reads a finite-state transducer as text: lines up to an empty one, or to the end of the file if it is
/// `alone` there.
pub(crate) fn text_fst(source: &mut Source, alone: bool, limits: &Limits) -> Result<Vec<u8>> {
    take(source, limits, |bytes, last| {
        match memchr_find(bytes, b"\n\n") {
            Some(at) => End::At(at + 2),
            None if alone && last => End::At(bytes.len()),
            None => End::Beyond,
        }
    })
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn skip(&mut self, n: usize) -> Option<&[u8]> {
        let end = self.at.checked_add(n)?;
        let part = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(part)
    }

    fn int(&mut self) -> Option<i32> {
        Some(ByteOrder::Little.read_i32(self.skip(4)?.try_into().ok()?))
    }

    fn long(&mut self) -> Option<i64> {
        Some(ByteOrder::Little.read_i64(self.skip(8)?.try_into().ok()?))
    }

    fn string(&mut self) -> Option<Vec<u8>> {
        let n = usize::try_from(self.int()?).unwrap_or(usize::MAX);
        Some(self.skip(n)?.to_vec())
    }

    /// Moves past the FST. Returns `None` if bytes are missing, `Some(false)` if it is of another
    /// type.
    fn fst(&mut self) -> Option<bool> {
        let form = self.string()?;
        let arcs = self.string()?;
        let compact = arcs == b"compactlattice44";
        let weight = match arcs.as_slice() {
            b"standard" | b"log" => 4,
            b"lattice4" | b"compactlattice44" => 8,
            _ => return Some(false),
        };
        let (_version, flags) = (self.int()?, self.int()?);
        self.skip(16)?;
        let (states, _arcs) = (self.long()?, self.long()?);
        // Symbol tables would follow.
        if form != b"vector" || flags & 3 != 0 || states < 0 {
            return Some(false);
        }
        for _ in 0..states {
            self.weight(weight, compact)?;
            let arcs = self.long()?;
            if !(0..=1 << 40).contains(&arcs) {
                return Some(false);
            }
            for _ in 0..arcs {
                self.skip(8)?;
                self.weight(weight, compact)?;
                self.skip(4)?;
            }
        }
        Some(true)
    }

    fn weight(&mut self, size: usize, compact: bool) -> Option<()> {
        self.skip(size)?;
        if compact {
            let n = usize::try_from(self.int()?).unwrap_or(usize::MAX / 4);
            self.skip(n.checked_mul(4)?)?;
        }
        Some(())
    }
}
