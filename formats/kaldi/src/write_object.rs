//! Encoding of objects that are neither features nor labels.

use spr_core::bytes::{ByteOrder, PutNumber as _};
use spr_core::format::Objects;
use spr_core::model::{CastStats, Element, Lists, Object, Sparse, is_word_byte};
use spr_core::{Error, Result};

use crate::kind::Precision;
use crate::print::SevenDigits;
use crate::recognise::TAG;
use crate::sized;

/// The form of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Binary,
    /// Text with the shortest digits that are read back in that precision without loss.
    Text(Precision),
    /// Text with Kaldi's seven digits, which is read back in that precision.
    SevenDigits(Precision),
}

/// The supported kinds.
pub(crate) const KINDS: Objects = Objects::Kinds(&[
    "int32",
    "bool",
    "int32-vector-vector",
    "int32-pair-vector",
    "float-pair-vector",
    "basic-float-vector",
    "posterior",
    "gauss-posterior",
    "token",
    "token-vector",
    "sparse-vector",
    "sparse-matrix",
    "tokens-object",
    "fst",
    "blob",
    "int8-vector",
    "int8",
    "int16",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]);

/// Appends an object after its key and a space, and returns the loss.
///
/// # Errors
/// The table cannot hold it; nothing was appended.
pub(crate) fn object(object: &Object, style: Style, out: &mut Vec<u8>) -> Result<CastStats> {
    let mut stats = CastStats::default();
    match object {
        Object::Opaque { kind, bytes } => {
            if style != Style::Binary
                && let Some(numbers) = sized::numbers(kind, bytes)
            {
                let digits = numbers.iter().flat_map(|n| format!("{n} ").into_bytes());
                out.extend(digits);
                out.push(b'\n');
                return Ok(stats);
            }
            let binary = bytes.first().is_none_or(|b| !b.is_ascii());
            if style != Style::Binary && (binary || bytes.starts_with(b"\0")) {
                let message = format!("a binary {}, which can't be written as text", object.kind());
                return Err(Error::unfit(message).hint("write a binary table"));
            }
            out.extend_from_slice(bytes);
        }
        Object::Token(token) => {
            word(token)?;
            out.extend_from_slice(token);
            out.push(b'\n');
        }
        Object::Tokens(tokens) => {
            for token in tokens.iter() {
                word(token)?;
                out.extend_from_slice(token);
                out.push(b' ');
            }
            out.push(b'\n');
        }
        _ if style == Style::Binary => {
            out.extend_from_slice(b"\0B");
            binary(object, out)?;
        }
        _ => text(object, style, out, &mut stats)?,
    }
    Ok(stats)
}

/// Checks a word of a transcript.
fn word(token: &[u8]) -> Result<()> {
    match token.iter().find(|b| !is_word_byte(**b)) {
        Some(b) => Err(Error::unfit(format!("byte 0x{b:02x} in a word"))),
        None if token.is_empty() => Err(Error::unfit("an empty word")),
        None => Ok(()),
    }
}

fn binary(object: &Object, out: &mut Vec<u8>) -> Result<()> {
    match object {
        Object::Int(value) => int(*value, out),
        Object::Bool(value) => out.push(if *value { b'T' } else { b'F' }),
        Object::IntLists(lists) => each(lists, out, |value, out| int(*value, out))?,
        Object::IntPairs(pairs) => {
            count(pairs.len(), out)?;
            pairs.iter().flatten().for_each(|value| int(*value, out));
        }
        Object::FloatPairs(pairs) => {
            count(pairs.len(), out)?;
            pairs.iter().flatten().for_each(|value| float(*value, out));
        }
        Object::Floats(values) => {
            count(values.len(), out)?;
            values.iter().for_each(|value| float(*value, out));
        }
        Object::Posterior(frames) => each(frames, out, |(id, weight), out| {
            int(*id, out);
            float(*weight, out);
        })?,
        Object::GaussPosterior(posterior) => {
            let mut vectors = posterior.paired()?;
            count(posterior.ids.len(), out)?;
            for frame in posterior.ids.iter() {
                count(frame.len(), out)?;
                for (id, vector) in frame.iter().zip(&mut vectors) {
                    int(*id, out);
                    out.extend_from_slice(b"FV ");
                    count(vector.len(), out)?;
                    for value in vector {
                        out.extend_from_slice(&value.to_le_bytes());
                    }
                }
            }
        }
        Object::SparseVector(sparse) => {
            sparse_row(sparse.row()?, sparse, out)?;
        }
        Object::SparseMatrix(sparse) => {
            out.extend_from_slice(b"SM ");
            count(sparse.rows.len(), out)?;
            for row in sparse.rows.iter() {
                sparse_row(row, sparse, out)?;
            }
        }
        other => return Err(unknown(other)),
    }
    Ok(())
}

fn unknown(object: &Object) -> Error {
    Error::not_held(format!("has an object of kind {}", object.kind()))
}

fn int(value: i32, out: &mut Vec<u8>) {
    out.push(TAG);
    out.put_i32(value, ByteOrder::Little);
}

fn float(value: f32, out: &mut Vec<u8>) {
    out.push(TAG);
    out.put_f32(value, ByteOrder::Little);
}

fn count(n: usize, out: &mut Vec<u8>) -> Result<()> {
    let n = i32::try_from(n).map_err(|_| Error::unfit("more than 2147483647 items"))?;
    int(n, out);
    Ok(())
}

fn each<T>(lists: &Lists<T>, out: &mut Vec<u8>, put: impl Fn(&T, &mut Vec<u8>)) -> Result<()> {
    count(lists.len(), out)?;
    for list in lists.iter() {
        count(list.len(), out)?;
        list.iter().for_each(|item| put(item, out));
    }
    Ok(())
}

fn sparse_row(row: &[(u32, f64)], sparse: &Sparse, out: &mut Vec<u8>) -> Result<()> {
    let precision = precision(sparse)?;
    out.extend_from_slice(b"SV ");
    count(usize::try_from(sparse.dim).unwrap_or(usize::MAX), out)?;
    count(row.len(), out)?;
    for (index, value) in row {
        count(usize::try_from(*index).unwrap_or(usize::MAX), out)?;
        match precision {
            Precision::Single => float(single(*value), out),
            Precision::Double => {
                out.push(8);
                out.extend_from_slice(&value.to_le_bytes());
            }
        }
    }
    Ok(())
}

fn precision(sparse: &Sparse) -> Result<Precision> {
    let refuse = || Error::not_held(format!("sparse values of {}", sparse.dtype));
    Precision::of(sparse.dtype).ok_or_else(refuse)
}

#[expect(clippy::cast_possible_truncation, reason = "it was an f32")]
fn single(value: f64) -> f32 {
    value as f32
}

fn text(object: &Object, style: Style, out: &mut Vec<u8>, stats: &mut CastStats) -> Result<()> {
    let mut real = |value: f32, out: &mut Vec<u8>| print(value, style, out, stats);
    match object {
        Object::Int(value) => spaced(*value, out),
        Object::Bool(value) => out.extend_from_slice(if *value { b"T " } else { b"F " }),
        Object::IntLists(lists) => {
            for list in lists.iter() {
                list.iter().for_each(|value| spaced(*value, out));
                out.extend_from_slice(b"; ");
            }
        }
        Object::IntPairs(pairs) => {
            for (n, pair) in pairs.iter().enumerate() {
                out.extend_from_slice(if n > 0 { b"; " } else { b"" });
                pair.iter().for_each(|value| spaced(*value, out));
            }
        }
        Object::FloatPairs(pairs) => {
            for (n, pair) in pairs.iter().enumerate() {
                out.extend_from_slice(if n > 0 { b"; " } else { b"" });
                pair.iter().for_each(|value| real(*value, out));
            }
        }
        Object::Floats(values) => values.iter().for_each(|value| real(*value, out)),
        Object::Posterior(frames) => {
            for frame in frames.iter() {
                out.extend_from_slice(b"[ ");
                for (id, weight) in frame {
                    spaced(*id, out);
                    real(*weight, out);
                }
                out.extend_from_slice(b"] ");
            }
        }
        Object::GaussPosterior(posterior) => {
            let mut vectors = posterior.paired()?;
            spaced_count(posterior.ids.len(), out)?;
            for frame in posterior.ids.iter() {
                spaced_count(frame.len(), out)?;
                for (id, vector) in frame.iter().zip(&mut vectors) {
                    spaced(*id, out);
                    out.extend_from_slice(b" [ ");
                    vector.iter().for_each(|value| real(*value, out));
                    out.extend_from_slice(b"]\n");
                }
            }
        }
        Object::SparseVector(sparse) => {
            sparse_text(sparse.row()?, sparse, style, (out, stats))?;
        }
        Object::SparseMatrix(sparse) => {
            out.extend_from_slice(format!("rows={} ", sparse.rows.len()).as_bytes());
            for row in sparse.rows.iter() {
                sparse_text(row, sparse, style, (out, stats))?;
            }
        }
        other => return Err(unknown(other)),
    }
    out.push(b'\n');
    Ok(())
}

fn spaced(value: i32, out: &mut Vec<u8>) {
    value.print(out);
    out.push(b' ');
}

fn spaced_count(n: usize, out: &mut Vec<u8>) -> Result<()> {
    let n = i32::try_from(n).map_err(|_| Error::unfit("more than 2147483647 items"))?;
    spaced(n, out);
    Ok(())
}

/// Appends a float and a space.
fn print<T: SevenDigits>(value: T, style: Style, out: &mut Vec<u8>, stats: &mut CastStats) {
    match style {
        Style::SevenDigits(precision) => value.print_seven(precision, out, stats),
        Style::Text(precision) => {
            value.print(out);
            value.read_back(precision, stats);
        }
        Style::Binary => value.print(out),
    }
    out.push(b' ');
}

fn sparse_text(
    row: &[(u32, f64)],
    sparse: &Sparse,
    style: Style,
    (out, stats): (&mut Vec<u8>, &mut CastStats),
) -> Result<()> {
    let precision = precision(sparse)?;
    out.extend_from_slice(format!("dim={} [ ", sparse.dim).as_bytes());
    for (index, value) in row {
        out.extend_from_slice(format!("{index} ").as_bytes());
        match precision {
            Precision::Single => print(single(*value), style, out, stats),
            Precision::Double => print(*value, style, out, stats),
        }
    }
    out.extend_from_slice(b"] ");
    Ok(())
}
