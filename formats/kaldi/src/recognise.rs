//! Telling objects apart by their first bytes.
//!
//! Kaldi compiles the type into each program. Here the token tells it, or the length of the run
//! of tagged 32-bit numbers: a key never starts with byte 4, so the run ends with the object.

use spr_core::bytes::Source;
use spr_core::model::Dtype;
use spr_core::{Error, Limits, Result};

use crate::compressed::Coding;
use crate::number::{self, Scan};
use crate::text::truncated;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Object {
    /// `FM`, `DM`.
    Matrix(Dtype),
    /// `FV`, `DV`.
    Vector(Dtype),
    /// `CM`, `CM2`, `CM3`.
    Compressed(Coding),
    /// A vector of int32, each with its size, as tables hold it.
    Integers,
    /// A vector of int32 in one piece, as files of their own hold it.
    PackedIntegers,
    /// Something else, by name.
    Other(&'static str),
}

impl Object {
    /// The error for something that is recognised but not read.
    pub(crate) fn refusal(name: &str) -> Error {
        Error::unsupported(format!("holds {name}, which this version does not convert"))
    }
}

/// What begins with a token and a space.
const TOKENS: &[(&[u8], Object)] = &[
    (b"FM ", Object::Matrix(Dtype::F32)),
    (b"DM ", Object::Matrix(Dtype::F64)),
    (b"FV ", Object::Vector(Dtype::F32)),
    (b"DV ", Object::Vector(Dtype::F64)),
    (b"CM ", Object::Compressed(Coding::Columns)),
    (b"CM2 ", Object::Compressed(Coding::Words)),
    (b"CM3 ", Object::Compressed(Coding::Bytes)),
    (b"SM ", Object::Other("a sparse matrix")),
    (b"SV ", Object::Other("a sparse vector")),
    (b"FP ", Object::Other("a symmetric or triangular matrix")),
    (b"DP ", Object::Other("a symmetric or triangular matrix")),
];

/// What begins with other bytes of its own behind the binary mark.
const MARKED: &[(&[u8], &str)] = &[
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x14\x11\x22\x20", "a blob"),
    (
        b"<",
        "an object made of tokens, such as a model or an example",
    ),
    (b"T", "a bool"),
    (b"F", "a bool"),
    (b"\x08", "a 64-bit number"),
    (b"\x01", "an 8-bit integer"),
    (b"\x02", "a 16-bit integer"),
    (b"\xff", "an unsigned 8-bit integer"),
    (b"\xfe", "an unsigned 16-bit integer"),
    (b"\xfc", "an unsigned 32-bit integer"),
    (b"\xf8", "an unsigned 64-bit integer"),
];

/// What has no binary mark.
const UNMARKED: &[(&[u8], &str)] = &[
    (b"RIFF", "a wave file"),
    (b"RIFX", "a wave file"),
    (b"\xd6\xfd\xb2\x7e", "an FST or lattice"),
    (b"fLaC", "a FLAC file"),
    (b"AUDIO\x08", "kaldiio's own form of audio"),
    (b"NPY\x08", "kaldiio's own form of a NumPy array"),
    (b"PKL\x80", "kaldiio's own form of a pickled object"),
];

/// The object and the length of its token, by what follows the binary mark; `None` for a run of
/// tagged 32-bit numbers, and for what is unknown.
pub(crate) fn token(bytes: &[u8]) -> Option<(Object, usize)> {
    let known = TOKENS.iter().find(|(token, _)| {
        // The white space after a token may be of any kind.
        let (name, _) = token.split_at(token.len() - 1);
        bytes.starts_with(name) && bytes.get(name.len()).is_some_and(|b| number::is_space(*b))
    });
    if let Some((token, object)) = known {
        return Some((*object, token.len()));
    }
    let marked = MARKED.iter().find(|(start, _)| bytes.starts_with(start));
    marked.map(|(_, name)| (Object::Other(name), 0))
}

/// The name of an object that has no binary mark, by its first bytes.
pub(crate) fn unmarked(bytes: &[u8]) -> Option<&'static str> {
    let known = UNMARKED.iter().find(|(start, _)| bytes.starts_with(start));
    known.map(|(_, name)| *name)
}

/// Bytes of a line that are looked at to name it.
pub(crate) const LINE: usize = 4096;
/// Longest token with its space.
pub(crate) const TOKEN: usize = 8;

/// A tagged number.
pub(crate) const GROUP: usize = 5;
/// The tag: the size of the number.
pub(crate) const TAG: u8 = 4;
/// Bytes of a run that are looked at first.
const STEP: usize = 64 << 10;

/// Looks at the object that starts behind the binary mark, without moving on. With `whole` it is
/// all that is left of the file.
pub(crate) fn binary(source: &mut Source, whole: bool, limits: &Limits) -> Result<(Object, usize)> {
    let head = source.peek(TOKEN)?;
    // A lone F is a bool.
    if head != b"F" && TOKENS.iter().any(|(token, _)| token.starts_with(head)) {
        return Err(truncated(source, "the file ends in a binary object"));
    }
    if let Some(known) = token(head) {
        return Ok(known);
    }
    match head.first() {
        Some(b) if *b != TAG => {
            let message = format!("no known object starts with byte 0x{b:02x}");
            Err(source.malformed(message))
        }
        _ => Ok((run(source, whole, limits)?, 0)),
    }
}

/// What a run of tagged 32-bit numbers is.
fn run(source: &mut Source, whole: bool, limits: &Limits) -> Result<Object> {
    let Some(first) = word(source.peek(GROUP)?) else {
        return Err(cut_off(source));
    };
    // A vector of as many numbers as the first says; a negative one is no count.
    let vector = usize::try_from(first).map_or(0, |n| n.saturating_add(1));
    let mut groups = 1;
    let mut seen = STEP;
    loop {
        let there = source.peek(seen)?;
        let rest = &there[groups * GROUP..];
        let (more, _) = rest.as_chunks::<GROUP>();
        groups += more.iter().take_while(|group| group[0] == TAG).count();
        let next = there.get(groups * GROUP);
        if there.len() < seen || groups > vector || next.is_some_and(|b| *b != TAG) {
            break;
        }
        seen = seen.saturating_mul(2);
        let size = limits.bytes("a run of tagged numbers", seen as u64);
        size.map_err(|e| e.file(source.name()).byte(source.offset()))?;
    }
    let there = source.peek(seen)?;
    let (run, after) = there.split_at(groups * GROUP);
    // Packed: the count, then 4 bytes a number to the end of the file.
    if whole && first > 0 && there.len() < seen && there.len() == GROUP + 4 * (vector - 1) {
        return Ok(Object::PackedIntegers);
    }
    if groups == vector && !is_continued(after) {
        return Ok(Object::Integers);
    }
    let words: Vec<i32> = run
        .as_chunks::<GROUP>()
        .0
        .iter()
        .filter_map(|g| word(g))
        .collect();
    let cut = there.len() < seen && after.first() == Some(&TAG);
    match name_of_run(&words, after) {
        Some(name) if !cut => return Ok(Object::Other(name)),
        _ if cut || (there.len() < seen && after.is_empty()) => return Err(cut_off(source)),
        _ => {}
    }
    Err(source.malformed(format!(
        "a run of {groups} tagged 32-bit numbers that is no known object"
    )))
}

/// Whether what follows as many numbers as a vector claims shows that it is none.
fn is_continued(after: &[u8]) -> bool {
    matches!(after.first(), Some(&TAG | &1)) || is_float_vector(after)
}

fn is_float_vector(bytes: &[u8]) -> bool {
    bytes.starts_with(b"FV \x04") || bytes.starts_with(b"DV \x04")
}

fn word(group: &[u8]) -> Option<i32> {
    match group {
        &[TAG, a, b, c, d, ..] => Some(i32::from_le_bytes([a, b, c, d])),
        _ => None,
    }
}

fn cut_off(source: &mut Source) -> Error {
    truncated(source, "the file ends in a run of tagged 32-bit numbers")
}

fn name_of_run(words: &[i32], after: &[u8]) -> Option<&'static str> {
    let (first, rest) = words.split_first()?;
    if is_float_vector(after) {
        return Some("a posterior of Gaussians");
    }
    if rest.is_empty() {
        return Some(match after.first() {
            Some(1) => "a vector of 8-bit integers",
            _ => "a scalar",
        });
    }
    let n = usize::try_from(*first).ok()?;
    let weighted = |list: &[i32]| list.iter().skip(1).step_by(2).all(|w| is_weight(*w));
    if walks(n, 2, rest, weighted) {
        return Some("a posterior");
    }
    if rest.len() == 2 * n {
        return Some("a vector of pairs");
    }
    walks(n, 1, rest, |_| true).then_some("a vector of vectors")
}

/// Whether `words` are `n` counted lists of items with `width` words, each of which `fits`.
fn walks(n: usize, width: usize, mut words: &[i32], fits: impl Fn(&[i32]) -> bool) -> bool {
    for _ in 0..n {
        let Some((count, rest)) = words.split_first() else {
            return false;
        };
        let len = usize::try_from(*count).map_or(usize::MAX, |n| n.saturating_mul(width));
        let Some((list, rest)) = rest.split_at_checked(len) else {
            return false;
        };
        if !fits(list) {
            return false;
        }
        words = rest;
    }
    words.is_empty()
}

/// Whether the bits are those of a float of usual size.
pub(crate) fn is_weight(bits: i32) -> bool {
    let value = f32::from_bits(bits.cast_unsigned()).abs();
    value == 0.0 || (1e-18..1e18).contains(&value)
}

/// The name of a line of text that is neither integers nor brackets, from its first bytes.
pub(crate) fn line(bytes: &[u8]) -> &'static str {
    let end = bytes.iter().position(|b| *b == b'\n');
    let bytes = &bytes[..end.unwrap_or(bytes.len())];
    let mut words = bytes
        .split(|b| number::is_space(*b))
        .filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    if first.starts_with(b"rows=") || first.starts_with(b"dim=") {
        return "a sparse matrix or vector";
    }
    if matches!(first, b"T" | b"F") && words.clone().next().is_none() {
        return "a bool";
    }
    let mut lists = false;
    let mut word = Some(first);
    while let Some(text) = word {
        if text.ends_with(b";") {
            lists = true;
        }
        let text = text.strip_suffix(b";").unwrap_or(text);
        let whole = |len: usize| len == text.len();
        match number::real::<f64>(text, true) {
            _ if text.is_empty() => {}
            Scan::Number(_, len) if whole(len) => {}
            _ => return "words",
        }
        word = words.next();
    }
    match lists {
        true => "lists or pairs of numbers",
        false => "numbers that are not int32",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::ErrorKind;

    fn tagged(words: &[i32]) -> Vec<u8> {
        let group = |w: &i32| [&[TAG][..], &w.to_le_bytes()].concat();
        words.iter().flat_map(group).collect()
    }

    fn recognise(bytes: &[u8], whole: bool) -> Result<Object> {
        let mut source = Source::from_bytes("x", bytes.to_vec()).unwrap();
        binary(&mut source, whole, &Limits::default()).map(|(object, _)| object)
    }

    #[test]
    fn runs_are_told_apart() {
        let half = 0.5f32.to_bits().cast_signed();
        for (words, after, name) in [
            (&[7][..], &b"key"[..], "a scalar"),
            (&[-7], b"", "a scalar"),
            (&[2, 1, 2, 3, 4], b"k", "a vector of pairs"),
            (&[2, 1, 9, 3, 1, 2, 3], b"k", "a vector of vectors"),
            (&[2, 1, 9, half, 0], b"k", "a posterior"),
            (&[1, 1, 9], b"FV \x04", "a posterior of Gaussians"),
            (&[3], b"\x01\x05", "a vector of 8-bit integers"),
        ] {
            let bytes = [&tagged(words), after].concat();
            assert_eq!(recognise(&bytes, false).unwrap(), Object::Other(name));
        }
        for words in [&[0][..], &[1, 5], &[3, 4, 4, 4]] {
            let bytes = [&tagged(words), &b"key"[..]].concat();
            assert_eq!(recognise(&bytes, false).unwrap(), Object::Integers);
            assert_eq!(recognise(&tagged(words), true).unwrap(), Object::Integers);
        }
    }

    #[test]
    fn packed_vectors_stand_alone() {
        let mut bytes = tagged(&[2]);
        bytes.extend([9, 0, 0, 0, 4, 0, 0, 0]);
        assert_eq!(recognise(&bytes, true).unwrap(), Object::PackedIntegers);
    }

    #[test]
    fn cut_runs_are_truncated() {
        let bytes = tagged(&[5, 1, 2]);
        for len in [1, 4, 7, 14] {
            let error = recognise(&bytes[..len], false).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Truncated, "{len}");
        }
        assert_eq!(
            recognise(b"", false).unwrap_err().kind(),
            ErrorKind::Truncated
        );
        let huge = tagged(&[i32::MAX, 1]);
        assert!(recognise(&huge, false).is_err());
    }

    #[test]
    fn lines_are_named() {
        for (text, name) in [
            ("the converter reads\n", "words"),
            ("rows=2 dim=3 [ 0 1 ]\n", "a sparse matrix or vector"),
            ("0.5 1 \n", "numbers that are not int32"),
            ("1 2 ; 3 ; \n", "lists or pairs of numbers"),
            ("1 2; 3 4\n", "lists or pairs of numbers"),
            ("T \n", "a bool"),
            ("T t\n", "words"),
        ] {
            assert_eq!(line(text.as_bytes()), name, "{text}");
        }
    }
}
