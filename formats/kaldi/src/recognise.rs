//! Recognition of objects by their first bytes.

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
    /// Bytes preceded by their number.
    Blob,
    Bool,
    /// A single tagged number of this size in bytes.
    Sized(&'static str, u64),
    /// A 64-bit number.
    Wide,
    /// Tagged 32-bit numbers.
    Run,
}

impl BinaryForm {
    /// Returns the kind of object, if the form determines it.
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

/// The forms that begin with a token and a space.
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

/// The forms that begin with other bytes after the binary mark.
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

/// The first bytes of a NumPy array.
pub(crate) const NUMPY: &[u8] = b"\x93NUMPY";
/// The first bytes of an OpenFst file.
pub(crate) const FST: &[u8] = b"\xd6\xfd\xb2\x7e";

/// A supported object without a binary mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnmarkedForm {
    Wave,
    Fst,
    /// A file preceded by its size.
    Wrapped,
    /// Another object with this name.
    Other(&'static str),
}

const UNMARKED: &[(&[u8], UnmarkedForm)] = &[
    (b"RIFF", UnmarkedForm::Wave),
    (b"RIFX", UnmarkedForm::Wave),
    (FST, UnmarkedForm::Fst),
    (b"fLaC", UnmarkedForm::Other("a FLAC file")),
    (
        b"PKL\x80",
        UnmarkedForm::Other("kaldiio's own form of a pickled object"),
    ),
];

/// Returns the error for an object that is recognised but not supported.
pub(crate) fn refusal(name: &str) -> Error {
    Error::unsupported(format!("holds {name}, which this version does not convert"))
}

/// Returns the form after the binary mark and the length of its token. Returns `None` for tagged
/// 32-bit numbers, and for unknown objects.
pub(crate) fn token(bytes: &[u8]) -> Option<(BinaryForm, usize)> {
    let known = TOKENS.iter().find(|(token, _)| {
        // Any white space may follow a token.
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

/// Recognises an object without a binary mark by its first bytes.
pub(crate) fn unmarked(bytes: &[u8]) -> Option<UnmarkedForm> {
    let known = UNMARKED.iter().find(|(start, _)| bytes.starts_with(start));
    let known = known.map(|(_, what)| *what);
    known.or(wrapped(bytes).map(|_| UnmarkedForm::Wrapped))
}

/// The words with which kaldiio marks files of other formats, and their content.
const WRAPPED: &[(&[u8], &str)] = &[(b"AUDIO", "sound"), (b"NPY", "array")];

/// Parses such a word: its length, the content, and the size of the size field, one to eight bytes.
pub(crate) fn wrapped(head: &[u8]) -> Option<(usize, &'static str, u64)> {
    WRAPPED.iter().find_map(|(word, what)| {
        let bytes = *head.strip_prefix(*word)?.first()?;
        let sized = (1..=8).contains(&bytes);
        sized.then_some((word.len(), *what, u64::from(bytes)))
    })
}

/// The length of the longest token with its space, or of other first bytes.
pub(crate) const TOKEN: usize = 8;
/// The size of a tagged number in bytes.
pub(crate) const GROUP: usize = 5;
/// The tag, which is the size of the number.
pub(crate) const TAG: u8 = 4;

/// Returns `true` if the first bytes of an object determine its form, or show its binary mark.
pub(crate) fn is_known(head: &[u8]) -> bool {
    let starts = UNMARKED.iter().map(|(start, _)| *start);
    let mut starts = starts.chain([&b"\0"[..], b"AUDIO", b"NPY"]);
    match head {
        [] => false,
        head => !starts.any(|start| start.starts_with(head)),
    }
}

/// Returns `true` if the bytes after the binary mark determine the form of the object.
pub(crate) fn is_told(bytes: &[u8]) -> bool {
    match bytes.first() {
        None => false,
        Some(b'C' | b'D' | b'F' | b'S') => bytes.len() > 4,
        Some(_) => token(bytes).is_some() || bytes[0] == TAG || bytes.len() >= TOKEN,
    }
}

/// Returns the form of the object after the binary mark and the length of its token, without
/// consuming them. With `bools` a single F at the end is one.
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
        assert_eq!(unmarked(b"RIFX...."), Some(UnmarkedForm::Wave));
        assert_eq!(unmarked(b"hello"), None);
    }
}
