//! The compression `lzf` of h5py.
//!
//! Source: the format of LibLZF. A byte below 32 starts as many bytes and one more. Any other starts a copy: its upper
//! three bits are the length less 2, where 7 has another byte added to it, and its lower five bits and the
//! last byte are the distance less 1.

use hdf5_reader::error::{Error, Result};
use hdf5_reader::filters::{FilterFn, FilterRegistry};

/// The number that the filter is registered by.
const NUMBER: u16 = 32000;
/// The field of the filter that has the size of a chunk.
const SIZE: usize = 2;

/// Returns the filters of HDF5 with this one, for chunks of at most `most` bytes.
pub(crate) fn filters(most: usize) -> FilterRegistry {
    let mut filters = FilterRegistry::new();
    let decode: FilterFn = Box::new(move |filter, packed, _| {
        let size = filter.client_data.get(SIZE).copied().unwrap_or_default();
        let size = usize::try_from(size).unwrap_or(usize::MAX).min(most);
        decode(packed, size)
    });
    filters.register(NUMBER, decode);
    filters
}

/// Decodes a chunk of `size` bytes: runs of new bytes, and copies of earlier ones.
fn decode(packed: &[u8], size: usize) -> Result<Vec<u8>> {
    let wrong = || Error::DecompressionError("a chunk that is not of lzf".to_owned());
    let mut out = Vec::with_capacity(size.min(packed.len().saturating_mul(4)));
    let mut rest = packed;
    let mut next = |n: usize| {
        let (taken, left) = rest.split_at_checked(n)?;
        rest = left;
        Some(taken)
    };
    while let Some([control]) = next(1) {
        let control = usize::from(*control);
        if control < 32 {
            out.extend_from_slice(next(control + 1).ok_or_else(wrong)?);
        } else {
            let mut byte = || next(1).and_then(<[u8]>::first).copied().map(usize::from);
            let long = if control >> 5 == 7 {
                byte().ok_or_else(wrong)?
            } else {
                0
            };
            let len = (control >> 5) + long + 2;
            let back = ((control & 31) << 8 | byte().ok_or_else(wrong)?) + 1;
            let from = out.len().checked_sub(back).ok_or_else(wrong)?;
            match len <= back {
                true => out.extend_from_within(from..from + len),
                false => (from..from + len).for_each(|at| out.push(out[at])),
            }
        }
        if out.len() > size {
            return Err(wrong());
        }
    }
    match out.len() == size {
        true => Ok(out),
        false => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_copies_are_decoded() {
        let packed = [2, b'a', b'b', b'c', 0x20, 2, 0xe0, 1, 0];
        let out = decode(&packed, 16).ok();
        assert_eq!(out.as_deref(), Some(&b"abcabccccccccccc"[..]));
        for cut in 1..packed.len() {
            assert!(decode(&packed[..cut], 16).is_err(), "{cut}");
        }
        assert!(decode(&packed, 15).is_err() && decode(&packed, 17).is_err());
        // A copy of what is not there.
        assert!(decode(&[0x20, 0], 3).is_err());
    }
}
