//! The filter LZF, which h5py adds to those of HDF5.
//!
//! Source: the format of LibLZF: a byte below 32 starts that many literal bytes and one more. Any
//! other has the length of a copy, less 2, in its upper three bits, or 7 where the next byte is
//! added to it; the lower five bits and the last byte are the distance, less 1.

use hdf5_reader::FilterRegistry;
use hdf5_reader::error::{Error, Result};
use hdf5_reader::messages::filter_pipeline::FilterDescription;

/// The number of the filter.
const ID: u16 = 32000;
/// The largest size of a chunk that is unpacked.
const MOST: usize = 1 << 28;
/// The most bytes that one packed byte can become.
const RATIO: usize = 264;

/// Returns the filters of the library, and LZF.
pub(crate) fn filters() -> FilterRegistry {
    let mut filters = FilterRegistry::new();
    let unpack = |filter: &FilterDescription, data: &[u8], _: usize| {
        let len = filter.client_data.get(2).copied().unwrap_or_default();
        unpack(data, usize::try_from(len).unwrap_or(usize::MAX))
    };
    filters.register(ID, Box::new(unpack));
    filters
}

/// Takes the next byte.
fn next(rest: &mut &[u8]) -> Option<usize> {
    let (first, more) = rest.split_first()?;
    *rest = more;
    Some(usize::from(*first))
}

/// Unpacks a chunk of `len` bytes.
fn unpack(packed: &[u8], len: usize) -> Result<Vec<u8>> {
    let damaged = || Error::DecompressionError("LZF data are damaged".into());
    if len > MOST || len > packed.len().saturating_mul(RATIO) {
        return Err(damaged());
    }
    let mut out = Vec::with_capacity(len);
    let mut rest = packed;
    while let Some(control) = next(&mut rest) {
        if control < 32 {
            let literal = rest.split_at_checked(control + 1);
            let (literal, more) = literal.ok_or_else(damaged)?;
            out.extend_from_slice(literal);
            rest = more;
        } else {
            let mut count = (control >> 5) + 2;
            if count == 9 {
                count += next(&mut rest).ok_or_else(damaged)?;
            }
            let low = next(&mut rest).ok_or_else(damaged)?;
            let distance = ((control & 31) << 8 | low) + 1;
            let from = out.len().checked_sub(distance).ok_or_else(damaged)?;
            for at in from..from + count {
                let byte = out.get(at).copied().ok_or_else(damaged)?;
                out.push(byte);
            }
        }
        if out.len() > len {
            return Err(damaged());
        }
    }
    match out.len() == len {
        true => Ok(out),
        false => Err(damaged()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_copies_are_unpacked() {
        let packed = [2, b'a', b'b', b'c', 0x20, 2, 0xe0, 1, 0];
        let expected = b"abcabccccccccccc".len();
        let out = unpack(&packed, 16).ok();
        assert_eq!(out.as_deref().map(<[u8]>::len), Some(expected));
        assert_eq!(out.as_deref(), Some(&b"abcabccccccccccc"[..]));
        for cut in 1..packed.len() {
            assert!(unpack(&packed[..cut], 16).is_err());
        }
        assert!(unpack(&[0x20, 0], 3).is_err());
    }
}
