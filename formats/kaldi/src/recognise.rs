//! Telling objects apart by their first bytes.

use spr_core::bytes::Source;
use spr_core::{Error, Result};

use crate::compressed::Compression;
use crate::kind::{ObjectKind, Precision};
use crate::number::is_space;
use crate::text::truncated;

/// The form of a binary object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryForm {
    /// `FM`, `DM`.
    Matrix(Precision),
    /// `FV`, `DV`.
    Vector(Precision),
    /// `CM`, `CM2`, `CM3`.
    Compressed(Compression),
    /// `FP`, `DP`: the lower triangle of a square matrix.
    Packed(Precision),
    /// `SV`.
    SparseVector,
    /// `SM`.
    SparseMatrix,
    /// A NumPy array.
    Numpy,
    /// Tokens in angle brackets.
    Tokens,
    /// Bytes after their number.
    Blob,
    Bool,
    /// One number of this many bytes with its tag before it.
    Sized(&'static str, u64),
    /// A number of 64 bits.
    Wide,
    /// Tagged 32-bit numbers.
    Run,
}

impl BinaryForm {
    /// The kind of object, where the form tells it.
    pub(crate) fn kind(self) -> Option<ObjectKind> {
        Some(match self {
            Self::Matrix(_) | Self::Compressed(_) => ObjectKind::Matrix,
            Self::Vector(_) => ObjectKind::Vector,
            Self::SparseVector => ObjectKind::SparseVector,
            Self::SparseMatrix => ObjectKind::SparseMatrix,
            Self::Tokens => ObjectKind::Opaque("tokens-object"),
            Self::Blob => ObjectKind::Opaque("blob"),
            Self::Bool => ObjectKind::Bool,
            Self::Sized(name, _) => ObjectKind::Opaque(name),
            Self::Packed(_) | Self::Numpy | Self::Wide | Self::Run => return None,
        })
    }
}

/// What begins with a token and a space.
const TOKENS: &[(&[u8], BinaryForm)] = &[
    (b"FM ", BinaryForm::Matrix(Precision::Single)),
    (b"DM ", BinaryForm::Matrix(Precision::Double)),
    (b"FV ", BinaryForm::Vector(Precision::Single)),
    (b"DV ", BinaryForm::Vector(Precision::Double)),
    (b"CM ", BinaryForm::Compressed(Compression::Columns)),
    (b"CM2 ", BinaryForm::Compressed(Compression::Words)),
    (b"CM3 ", BinaryForm::Compressed(Compression::Bytes)),
    (b"SM ", BinaryForm::SparseMatrix),
    (b"SV ", BinaryForm::SparseVector),
    (b"FP ", BinaryForm::Packed(Precision::Single)),
    (b"DP ", BinaryForm::Packed(Precision::Double)),
];

/// What begins with other bytes of its own behind the binary mark.
const MARKED: &[(&[u8], BinaryForm)] = &[
    (NUMPY, BinaryForm::Numpy),
    (b"\x14\x11\x22\x20", BinaryForm::Blob),
    (b"<", BinaryForm::Tokens),
    (b"T", BinaryForm::Bool),
    (b"F", BinaryForm::Bool),
    (b"\x08", BinaryForm::Wide),
    (b"\x01", BinaryForm::Sized("int8", 1)),
    (b"\x02", BinaryForm::Sized("int16", 2)),
    (b"\xff", BinaryForm::Sized("uint8", 1)),
    (b"\xfe", BinaryForm::Sized("uint16", 2)),
    (b"\xfc", BinaryForm::Sized("uint32", 4)),
    (b"\xf8", BinaryForm::Sized("uint64", 8)),
];

/// The start of a NumPy array.
pub(crate) const NUMPY: &[u8] = b"\x93NUMPY";
/// The start of an OpenFst file.
pub(crate) const FST: &[u8] = b"\xd6\xfd\xb2\x7e";

/// What has no binary mark and is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unmarked {
    Wave,
    Fst,
    /// A file with its size before it.
    Wrapped,
    /// Something else, by name.
    Other(&'static str),
}

const UNMARKED: &[(&[u8], Unmarked)] = &[
    (b"RIFF", Unmarked::Wave),
    (b"RIFX", Unmarked::Wave),
    (FST, Unmarked::Fst),
    (b"fLaC", Unmarked::Other("a FLAC file")),
    (
        b"PKL\x80",
        Unmarked::Other("kaldiio's own form of a pickled object"),
    ),
];

/// The error for something that is recognised but not read.
pub(crate) fn refusal(name: &str) -> Error {
    Error::unsupported(format!("holds {name}, which this version does not convert"))
}

/// The form and the length of its token, by what follows the binary mark; `None` for a run of
/// tagged 32-bit numbers, and for what is unknown.
pub(crate) fn token(bytes: &[u8]) -> Option<(BinaryForm, usize)> {
    let known = TOKENS.iter().find(|(token, _)| {
        // The white space after a token may be of any kind.
        let (name, _) = token.split_at(token.len() - 1);
        bytes.starts_with(name) && bytes.get(name.len()).is_some_and(|b| is_space(*b))
    });
    // A bool may be followed by a key that looks like the rest of a token.
    let is_bool = bytes.first() == Some(&b'F') && bytes.get(3..5) == Some(b"\0B");
    if let Some((token, form)) = known.filter(|_| !is_bool) {
        return Some((*form, token.len()));
    }
    let marked = MARKED.iter().find(|(start, _)| bytes.starts_with(start));
    marked.map(|(_, form)| (*form, 0))
}

/// What an object is that has no binary mark, by its first bytes.
pub(crate) fn unmarked(bytes: &[u8]) -> Option<Unmarked> {
    let known = UNMARKED.iter().find(|(start, _)| bytes.starts_with(start));
    let known = known.map(|(_, what)| *what);
    known.or(wrapped(bytes).map(|_| Unmarked::Wrapped))
}

/// The words with which kaldiio begins files of other formats, and what stands behind each.
const WRAPPED: &[(&[u8], &str)] = &[(b"AUDIO", "sound"), (b"NPY", "array")];

/// Of such a word, what it says, and the bytes of the size behind it: one to eight.
pub(crate) fn wrapped(head: &[u8]) -> Option<(usize, &'static str, u64)> {
    WRAPPED.iter().find_map(|(word, what)| {
        let bytes = *head.strip_prefix(*word)?.first()?;
        let sized = (1..=8).contains(&bytes);
        sized.then_some((word.len(), *what, u64::from(bytes)))
    })
}

/// Longest token with its space, or other start.
pub(crate) const TOKEN: usize = 8;
/// A tagged number.
pub(crate) const GROUP: usize = 5;
/// The tag: the size of the number.
pub(crate) const TAG: u8 = 4;

/// Whether the first bytes of an object tell what has no binary mark, or that it has one.
pub(crate) fn is_known(head: &[u8]) -> bool {
    let starts = UNMARKED.iter().map(|(start, _)| *start);
    let mut starts = starts.chain([&b"\0"[..], b"AUDIO", b"NPY"]);
    match head {
        [] => false,
        head => !starts.any(|start| start.starts_with(head)),
    }
}

/// Whether the bytes behind the binary mark tell the form of the object.
pub(crate) fn is_told(bytes: &[u8]) -> bool {
    match bytes.first() {
        None => false,
        Some(b'C' | b'D' | b'F' | b'S') => bytes.len() > 4,
        Some(_) => token(bytes).is_some() || bytes[0] == TAG || bytes.len() >= TOKEN,
    }
}

/// The form of the object that starts behind the binary mark and the length of its token, without
/// moving on. Where `bools` are to be expected a lone F at the end is one.
pub(crate) fn binary(source: &mut Source, bools: bool) -> Result<(BinaryForm, usize)> {
    let (head, _) = source.ahead(TOKEN, is_told)?;
    let lone = head == b"F";
    if !(lone && bools) && TOKENS.iter().any(|(token, _)| token.starts_with(head)) {
        let error = truncated(source, "the file ends in a binary object");
        return Err(match lone {
            true => error.hint("if it is a truth value, say so with holder=bool"),
            false => error,
        });
    }
    match (token(head), head.first()) {
        (Some(known), _) => Ok(known),
        (None, Some(b)) if *b != TAG => {
            let message = format!("no known object starts with byte 0x{b:02x}");
            Err(source.malformed(message))
        }
        _ => Ok((BinaryForm::Run, 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_bools_are_told_apart() {
        for (bytes, form) in [
            (&b"FM \x04"[..], BinaryForm::Matrix(Precision::Single)),
            (b"FM\n\x04", BinaryForm::Matrix(Precision::Single)),
            (b"FM \0B", BinaryForm::Bool),
            (b"F", BinaryForm::Bool),
            (b"Tb \0BF", BinaryForm::Bool),
            (b"CM2 \0", BinaryForm::Compressed(Compression::Words)),
            (b"\xfe\x01\x02", BinaryForm::Sized("uint16", 2)),
        ] {
            assert_eq!(token(bytes).unwrap().0, form, "{}", bytes.escape_ascii());
        }
        assert_eq!(token(b"\x04\0\0\0\0"), None);
        assert_eq!(unmarked(b"RIFX...."), Some(Unmarked::Wave));
        assert_eq!(unmarked(b"hello"), None);
    }
}
