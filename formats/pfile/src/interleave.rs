//! Interleaving of columns in rows, with byte swapping, on 32-bit words.

use spr_core::bytes::ByteOrder;

/// The number of words in a block, which holds at least one whole row.
pub(crate) const BLOCK: usize = (256 << 10) / size_of::<u32>();

/// A range of columns in a block of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    /// The first column.
    pub(crate) at: usize,
    /// The number of columns; with 0, nothing is copied.
    pub(crate) width: usize,
    /// The number of words in a whole row.
    pub(crate) stride: usize,
}

impl Columns {
    /// Writes `values` row by row, as big-endian words, to these columns of `block`.
    pub(crate) fn spread(self, values: &[u32], block: &mut [u32]) {
        if self.width == 0 {
            return;
        }
        let rows = block.chunks_exact_mut(self.stride);
        for (row, values) in rows.zip(values.chunks_exact(self.width)) {
            if let Some(cells) = row.get_mut(self.at..self.at + self.width) {
                for (cell, value) in cells.iter_mut().zip(values) {
                    *cell = value.to_be();
                }
            }
        }
    }

    /// Reads these columns of `block`, whose words are in `order`, into `values`, row by row.
    pub(crate) fn gather(self, block: &[u32], values: &mut [u32], order: ByteOrder) {
        match order {
            ByteOrder::Big => self.gather_by(block, values, u32::from_be),
            ByteOrder::Little => self.gather_by(block, values, u32::from_le),
        }
    }

    #[inline]
    fn gather_by(self, block: &[u32], values: &mut [u32], native: impl Fn(u32) -> u32) {
        if self.width == 0 {
            return;
        }
        let rows = block.chunks_exact(self.stride);
        for (row, values) in rows.zip(values.chunks_exact_mut(self.width)) {
            if let Some(cells) = row.get(self.at..self.at + self.width) {
                for (value, cell) in values.iter_mut().zip(cells) {
                    *value = native(*cell);
                }
            }
        }
    }
}

/// Converts a word between `order` and native order.
pub(crate) fn ordered(order: ByteOrder, word: u32) -> u32 {
    match order {
        ByteOrder::Big => u32::from_be(word),
        ByteOrder::Little => u32::from_le(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let columns = |at, width| Columns {
            at,
            width,
            stride: 5,
        };
        let (pair, single) = (columns(2, 2), columns(4, 1));
        let (a, b) = ([1, 2, 3, 4], [5, 6]);
        let mut block = [0; 10];
        pair.spread(&a, &mut block);
        single.spread(&b, &mut block);
        columns(0, 0).spread(&[], &mut block);
        assert_eq!(block.map(u32::from_be), [0, 0, 1, 2, 5, 0, 0, 3, 4, 6]);
        let (mut c, mut d) = ([0; 4], [0; 2]);
        pair.gather(&block, &mut c, ByteOrder::Big);
        single.gather(&block, &mut d, ByteOrder::Big);
        columns(0, 0).gather(&block, &mut [], ByteOrder::Big);
        assert_eq!((c, d), (a, b));
        single.gather(&block, &mut d, ByteOrder::Little);
        assert_eq!(d, b.map(u32::swap_bytes));
    }
}
