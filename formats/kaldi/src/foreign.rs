//! Objects in the forms of other programs: HTK, Sphinx and NumPy.

use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{Decimal, Dtype, Matrix, Meta, Rank, Tag};
use spr_core::{Error, Limits, Result};

use crate::kind::Kind;
use crate::recognise::NUMPY;

/// Cepstra in a Sphinx frame, as Kaldi takes them.
const CEPSTRA: u64 = 13;
/// Bits of an HTK kind: compressed, and with a vector quantiser.
const HTK_CODED: u16 = 0o2000 | 0o40000;

/// A stream whose length is not known is read ahead so far to learn it.
const STREAM: usize = 1 << 20;

/// What a file of its own is by the arithmetic of its size, if it is one of these.
pub(crate) fn by_size(source: &mut Source) -> Result<Option<Kind>> {
    if let Some(len) = source.remaining() {
        return Ok(kind_of_size(source.peek(12)?, len));
    }
    for (kind, len) in claims(source.peek(12)?).into_iter().flatten() {
        let len = usize::try_from(len).unwrap_or(STREAM);
        if len < STREAM && source.peek(len + 1)?.len() == len {
            return Ok(Some(kind));
        }
    }
    Ok(None)
}

/// What `len` bytes that start with `head` are.
pub(crate) fn kind_of_size(head: &[u8], len: u64) -> Option<Kind> {
    let mut claims = claims(head).into_iter().flatten();
    claims.find(|claim| claim.1 == len).map(|(kind, _)| kind)
}

/// What `head` may be the start of, and how long that is.
fn claims(head: &[u8]) -> [Option<(Kind, u64)>; 3] {
    let htk = match head.first_chunk() {
        Some(&[a, b, c, d, e, f, g, h, i, j, k, l]) => {
            let frames = u32::from_be_bytes([a, b, c, d]);
            let period = i32::from_be_bytes([e, f, g, h]);
            let (size, kind) = (u16::from_be_bytes([i, j]), u16::from_be_bytes([k, l]));
            let possible = period > 0 && frames > 0 && size % 4 == 0 && size > 0;
            let len = 12 + u64::from(frames) * u64::from(size);
            Some((Kind::Htk, len)).filter(|_| possible && kind & 0o77 <= 12)
        }
        None => None,
    };
    let sphinx = |number: fn([u8; 4]) -> u32| {
        let count = head.first_chunk().copied().map(number);
        let count = count.filter(|n| *n > 0)?;
        Some((Kind::Sphinx, 4 + 4 * u64::from(count)))
    };
    [htk, sphinx(u32::from_be_bytes), sphinx(u32::from_le_bytes)]
}

/// Reads an HTK file. Its parameter kind with all qualifiers becomes a header line.
pub(crate) fn htk(
    source: &mut Source,
    into: &mut Matrix,
    meta: &mut Meta,
    limits: &Limits,
) -> Result<()> {
    let at = source.offset();
    let frames = i32::from_be_bytes(source.array()?);
    let period = i32::from_be_bytes(source.array()?);
    let size = u16::from_be_bytes(source.array()?);
    let kind = u16::from_be_bytes(source.array()?);
    let refuse = |message: String| Error::malformed(message).file(source.name()).byte(at);
    if kind & HTK_CODED != 0 || matches!(kind & 0o77, 0 | 5 | 10) {
        let message = format!("HTK data of kind {kind:#o}, which hold no plain floats");
        return Err(Error::unsupported(message).file(source.name()).byte(at));
    }
    let Ok(rows) = u64::try_from(frames) else {
        return Err(refuse(format!("the HTK header says {frames} frames")));
    };
    if size == 0 || size % 4 != 0 || period < 0 {
        return Err(refuse(format!(
            "the HTK header says {size} bytes a frame and a period of {period}"
        )));
    }
    let cols = if rows == 0 { 0 } else { u64::from(size / 4) };
    let shape = (Dtype::F32, Rank::Matrix, rows, cols);
    source.read_matrix(into, shape, ByteOrder::Big, limits)?;
    let shift = format!("{}.{:07}", period / 10_000_000, period % 10_000_000);
    meta.frame_shift = match period {
        0 => None,
        _ => Decimal::parse(shift.trim_end_matches('0').trim_end_matches('.')),
    };
    meta.tags.push(Tag {
        format: "htk",
        key: b"kind".to_vec(),
        value: kind.to_string().into_bytes(),
    });
    Ok(())
}

/// Reads a Sphinx file of cepstra; a big-endian count, or in a file of its own a little-endian one
/// if only that fits.
pub(crate) fn sphinx(
    source: &mut Source,
    into: &mut Matrix,
    whole: bool,
    limits: &Limits,
) -> Result<()> {
    let at = source.offset();
    let left = source.remaining();
    let bytes = source.array()?;
    let little = u64::from(u32::from_le_bytes(bytes));
    let swapped = whole && left == Some(4 + 4 * little);
    let (count, order) = match swapped {
        true => (little, ByteOrder::Little),
        false => (u64::from(u32::from_be_bytes(bytes)), ByteOrder::Big),
    };
    if count % CEPSTRA != 0 {
        let message = format!("{count} floats do not fill Sphinx frames of {CEPSTRA}");
        return Err(Error::malformed(message).file(source.name()).byte(at));
    }
    let cols = if count == 0 { 0 } else { CEPSTRA };
    let shape = (Dtype::F32, Rank::Matrix, count / CEPSTRA, cols);
    source.read_matrix(into, shape, order, limits)
}

/// Reads a NumPy array of one or two dimensions from its first byte on.
pub(crate) fn numpy(source: &mut Source, into: &mut Matrix, limits: &Limits) -> Result<Kind> {
    let at = source.offset();
    source.skip(NUMPY.len() as u64)?;
    let [major, _] = source.array()?;
    let len = match major {
        1 => u64::from(u16::from_le_bytes(source.array()?)),
        2 | 3 => u64::from(u32::from_le_bytes(source.array()?)),
        _ => {
            let message = format!("a NumPy array of version {major}");
            return Err(Error::unsupported(message).file(source.name()).byte(at));
        }
    };
    if len > limits.max_header {
        return Err(Error::limit(format!("a NumPy header of {len} bytes"))
            .file(source.name())
            .byte(at));
    }
    let mut header = Vec::new();
    for _ in 0..len {
        header.push(source.byte()?);
    }
    let text = String::from_utf8_lossy(&header);
    let refuse = |what: &str| {
        let message = format!("a NumPy array {what}");
        Error::unsupported(message).file(source.name()).byte(at)
    };
    let descr = quoted(&text, "descr").ok_or_else(|| refuse("without a type"))?;
    let (order, dtype) = match descr {
        "<f4" => (ByteOrder::Little, Dtype::F32),
        "<f8" => (ByteOrder::Little, Dtype::F64),
        ">f4" => (ByteOrder::Big, Dtype::F32),
        ">f8" => (ByteOrder::Big, Dtype::F64),
        other => return Err(refuse(&format!("of type {}", other.escape_debug()))),
    };
    let fortran = after(&text, "fortran_order").map(|rest| rest.starts_with("False"));
    if fortran != Some(true) {
        return Err(refuse("in Fortran order"));
    }
    let shape = after(&text, "shape").and_then(|rest| rest.strip_prefix('('));
    let shape = shape.and_then(|rest| rest.split_once(')'));
    let Some((shape, _)) = shape else {
        return Err(refuse("without a shape"));
    };
    let sizes: Vec<Option<u64>> = shape
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty())
        .map(|size| size.parse().ok())
        .collect();
    match *sizes {
        [Some(n)] => {
            source.read_matrix(into, (dtype, Rank::Vector, n, 1), order, limits)?;
            Ok(Kind::Vector)
        }
        [Some(rows), Some(cols)] => {
            let empty = rows == 0 || cols == 0;
            let (rows, cols) = if empty { (0, 0) } else { (rows, cols) };
            source.read_matrix(into, (dtype, Rank::Matrix, rows, cols), order, limits)?;
            Ok(Kind::Matrix)
        }
        _ => Err(refuse(&format!("of shape ({})", shape.escape_debug()))),
    }
}

/// What follows a key of the header.
fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("'{key}'"))?;
    rest.trim_start().strip_prefix(':').map(str::trim_start)
}

fn quoted<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    after(text, key)?.strip_prefix('\'')?.split('\'').next()
}
