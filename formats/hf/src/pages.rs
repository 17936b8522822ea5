//! The headers of pages, which are checked before the library makes room for what they claim.
//!
//! A header is a struct in Thrift's compact protocol. Of it the sizes and the numbers of values
//! are read, everything else is passed over.

use std::io::Read;

use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use spr_core::{Error, Limits, Remedy, Result};

use crate::chunks::Chunks;

/// The deepest nesting of a header.
const MAX_DEPTH: usize = 16;
/// The longest header, which may hold the smallest and the largest value.
const LONGEST: u64 = 16 << 20;
/// The proportion in which a page may expand beyond the limit for any proportion.
const RATIO: u64 = 50;
/// The memory for a value of a nested column beside the value: its levels and offsets.
const BESIDE: u64 = 8;

const DATA_PAGE: i64 = 0;
const INDEX_PAGE: i64 = 1;
const DICTIONARY_PAGE: i64 = 2;
const DATA_PAGE_V2: i64 = 3;
/// The encoding of values by what they share with the one before.
const DELTA_BYTE_ARRAY: i64 = 7;

/// What a header says.
#[derive(Default)]
struct PageHeader {
    /// The bytes of the header itself.
    len: u64,
    kind: Option<i64>,
    unpacked: Option<i64>,
    packed: Option<i64>,
    values: Option<i64>,
    encoding: Option<i64>,
    /// The sizes of the levels in front of a page of the second version.
    levels: [i64; 2],
}

/// The pages of a column in a row group.
#[derive(Default)]
pub(crate) struct Pages {
    /// Where those of data are, and their sizes with their headers.
    pub(crate) data: Vec<(u64, u64)>,
    /// The size of the largest page whose bytes several values can share: a dictionary, or values
    /// that start as the one before.
    pub(crate) shared: u64,
}

/// Checks the pages of a column in a row group, and returns them.
///
/// # Errors
/// They are not what the footer says, or claim more memory than the limits allow.
pub(crate) fn check(
    chunks: &Chunks,
    column: &ColumnChunkMetaData,
    limits: &Limits,
) -> Result<Pages> {
    let first = column.dictionary_page_offset();
    let start = first.unwrap_or_else(|| column.data_page_offset());
    let unsigned = |n: i64| u64::try_from(n).map_err(|_| wrong("a negative size in the footer"));
    let (mut at, mut left) = (unsigned(start)?, unsigned(column.compressed_size())?);
    let (mut values, mut pages) = (0u64, Pages::default());
    let is_packed = column.compression() != Compression::UNCOMPRESSED;
    while left > 0 {
        let header = read_header(chunks, at)?;
        let here = |e: Error| e.byte(at);
        let size = |n: Option<i64>| {
            let size = n.and_then(|n| u64::try_from(n).ok());
            size.ok_or_else(|| here(wrong("a page without a size")))
        };
        let (packed, unpacked) = (size(header.packed)?, size(header.unpacked)?);
        let whole = header.len.saturating_add(packed);
        if whole > left {
            let message = format!("a page of {packed} bytes, where {left} are left of its column");
            return Err(here(wrong(message)));
        }
        check_size(is_packed, packed, unpacked, limits).map_err(here)?;
        match header.kind {
            Some(DATA_PAGE | DATA_PAGE_V2) => {
                values = values.saturating_add(size(header.values)?);
                pages.data.push((at, whole));
                if header.encoding == Some(DELTA_BYTE_ARRAY) {
                    pages.shared = pages.shared.max(unpacked);
                }
            }
            Some(DICTIONARY_PAGE) => {
                pages.shared = pages.shared.max(unpacked);
                let entries = size(header.values)?;
                if entries > unpacked.saturating_mul(8) {
                    let message = format!("a dictionary of {entries} values in {unpacked} bytes");
                    return Err(here(wrong(message)));
                }
            }
            Some(INDEX_PAGE) => {}
            _ => return Err(here(wrong("a page of an unknown kind"))),
        }
        let [repetition, definition] = header.levels;
        let levels = repetition.checked_add(definition);
        let fits = levels.and_then(|n| u64::try_from(n).ok());
        if repetition < 0 || definition < 0 || fits.is_none_or(|n| n > packed.min(unpacked)) {
            return Err(here(wrong("levels that are longer than their page")));
        }
        at = at.saturating_add(whole);
        left -= whole;
    }
    let told = unsigned(column.num_values())?;
    if values != told {
        let message = format!("pages of {values} values, where the footer says {told}");
        return Err(wrong(message));
    }
    if column.column_descr().max_rep_level() > 0 {
        check_values(column, values, limits)?;
    }
    Ok(pages)
}

/// Checks the sizes of a page before and after it is unpacked.
fn check_size(is_packed: bool, packed: u64, unpacked: u64, limits: &Limits) -> Result<()> {
    if !is_packed && packed != unpacked {
        return Err(wrong("a page of two sizes that is not compressed"));
    }
    limits.bytes("a page", unpacked)?;
    if is_packed && unpacked > limits.max_unpacked.max(packed.saturating_mul(RATIO)) {
        let message = format!("a page of {unpacked} bytes in {packed}, more than {RATIO} times");
        return Err(Error::limit(message).suggest(Remedy::TrustPacked));
    }
    Ok(())
}

/// Checks the memory that the values of a nested column may take, which can be one row.
fn check_values(column: &ColumnChunkMetaData, values: u64, limits: &Limits) -> Result<()> {
    let packed = u64::try_from(column.compressed_size()).unwrap_or_default();
    let held = values.saturating_mul(BESIDE);
    limits.bytes("a row group", held)?;
    let most = limits.max_unpacked.saturating_mul(16);
    if held > most.max(packed.saturating_mul(RATIO)) {
        let message = format!("{values} values in {packed} bytes");
        return Err(Error::limit(message).suggest(Remedy::TrustPacked));
    }
    Ok(())
}

fn wrong(message: impl Into<String>) -> Error {
    Error::malformed(message)
}

/// Reads the header at a byte.
fn read_header(chunks: &Chunks, at: u64) -> Result<PageHeader> {
    let stream = chunks.get_read(at).map_err(|e| wrong(e.to_string()))?;
    let mut thrift = Thrift {
        bytes: stream.take(LONGEST),
        len: 0,
    };
    let mut header = PageHeader::default();
    let read = thrift.structure(0, &mut |outer, field, number| match (outer, field) {
        (None, 1) => header.kind = Some(number),
        (None, 2) => header.unpacked = Some(number),
        (None, 3) => header.packed = Some(number),
        (Some(5 | 7 | 8), 1) => header.values = Some(number),
        (Some(5), 2) | (Some(8), 4) => header.encoding = Some(number),
        (Some(8), 5) => header.levels[0] = number,
        (Some(8), 6) => header.levels[1] = number,
        _ => {}
    });
    let cut = || wrong("a damaged header of a page").byte(at);
    read.ok_or_else(|| chunks.take_failure().unwrap_or_else(cut))?;
    header.len = thrift.len;
    Ok(header)
}

/// A reader of Thrift's compact protocol. Its functions return `None` for what is damaged.
struct Thrift<R> {
    bytes: R,
    len: u64,
}

/// Gets the number of the field that holds the struct, of the field in it, and its value.
type Found<'a> = dyn FnMut(Option<i16>, i16, i64) + 'a;

impl<R: Read> Thrift<R> {
    fn byte(&mut self) -> Option<u8> {
        let mut byte = [0];
        self.bytes.read_exact(&mut byte).ok()?;
        self.len += 1;
        Some(byte[0])
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let zigzag = self.unsigned()?;
        Some((zigzag >> 1).cast_signed() ^ -((zigzag & 1).cast_signed()))
    }

    fn skip(&mut self, n: u64) -> Option<()> {
        let mut part = (&mut self.bytes).take(n);
        let skipped = std::io::copy(&mut part, &mut std::io::sink()).ok()?;
        self.len += n;
        (skipped == n).then_some(())
    }

    /// Reads a struct, up to two deep with its numbers.
    fn structure(&mut self, depth: usize, found: &mut Found<'_>) -> Option<()> {
        self.fields(depth, None, found)
    }

    fn fields(&mut self, depth: usize, outer: Option<i16>, found: &mut Found<'_>) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut field = 0i16;
        loop {
            let head = self.byte()?;
            let (delta, kind) = (head >> 4, head & 0x0f);
            if kind == 0 {
                return Some(());
            }
            field = match delta {
                0 => i16::try_from(self.signed()?).ok()?,
                delta => field.checked_add(i16::from(delta))?,
            };
            match kind {
                4..=6 => {
                    let number = self.signed()?;
                    if depth < 2 {
                        found(outer, field, number);
                    }
                }
                12 => self.fields(depth + 1, Some(field), found)?,
                kind => self.pass(kind, depth + 1)?,
            }
        }
    }

    /// Passes over a value.
    fn pass(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match kind {
            1 | 2 => Some(()),
            3 => self.skip(1),
            4..=6 => self.signed().map(drop),
            7 => self.skip(8),
            8 => {
                let n = self.unsigned()?;
                self.skip(n)
            }
            9 | 10 => {
                let head = self.byte()?;
                let n = match head >> 4 {
                    15 => self.unsigned()?,
                    n => u64::from(n),
                };
                for _ in 0..n {
                    match head & 0x0f {
                        1 | 2 => self.skip(1)?,
                        kind => self.pass(kind, depth + 1)?,
                    }
                }
                Some(())
            }
            12 => self.fields(depth + 1, None, &mut |_, _, _| {}),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(bytes: &[u8]) -> Option<Vec<(Option<i16>, i16, i64)>> {
        let mut found = Vec::new();
        let mut thrift = Thrift { bytes, len: 0 };
        thrift.structure(0, &mut |outer, field, number| {
            found.push((outer, field, number));
        })?;
        Some(found)
    }

    #[test]
    fn numbers_are_found_among_other_values() {
        // Field 1 is 3, field 2 is text, field 5 a struct whose field 1 is -1 and 2 a list.
        let bytes = [
            0x15, 6, 0x18, 2, b'a', b'b', 0x3c, 0x15, 1, 0x19, 0x25, 2, 4, 0, 0,
        ];
        let found = numbers(&bytes).unwrap();
        assert_eq!(found, [(None, 1, 3), (Some(5), 1, -1)]);
        for end in 0..bytes.len() {
            assert_eq!(numbers(&bytes[..end]), None, "{end}");
        }
        // A number that does not end, and structs without end.
        assert_eq!(numbers(&[&[0x15][..], &[0xff; 11]].concat()), None);
        assert_eq!(numbers(&[0x1c; 99]), None);
    }
}
