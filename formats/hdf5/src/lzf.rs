//! The compression `lzf` of h5py.

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
            for at in from..from + len {
                out.push(out[at]);
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
