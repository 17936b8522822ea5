//! Rows of a dataset that holds several utterances.

use hdf5_reader::Datatype;
use spr_core::bytes::ByteOrder;
use spr_core::model::{Dtype, Matrix, Rank};
use spr_core::{Error, Result};

use crate::dataset::{Elements, File, Stored};
use crate::entries::Rows;
use crate::types;
use crate::window::Place;

/// Rows of a dataset of numbers.
pub(crate) struct Slice {
    pub(crate) place: Place,
    pub(crate) dtype: Dtype,
    pub(crate) order: ByteOrder,
    pub(crate) rank: Rank,
    /// The number of items with rows of their own, or 1.
    pub(crate) items: u64,
    /// The number of rows of an item.
    pub(crate) all: u64,
    pub(crate) cols: u64,
}

impl Slice {
    /// Returns the rows at a place of a dataset.
    ///
    /// # Errors
    /// They are not all there, or are no numbers.
    fn new(stored: &Stored, place: Place) -> Result<Self> {
        let Some((dtype, order)) = stored.number else {
            return Err(types::unlike(&stored.datatype, "numbers"));
        };
        let (items, inner) = match (place.item, &*stored.shape) {
            (None, inner) => (1, inner),
            (Some(_), [items, inner @ ..]) => (*items, inner),
            (Some(_), []) => (0, &[][..]),
        };
        let (rank, all, cols) = match *inner {
            [all] => (Rank::Vector, all, 1),
            [all, cols] => (Rank::Matrix, all, cols),
            _ => return Err(Error::unsupported("has no rows that could be told apart")),
        };
        let end = place.first.checked_add(place.rows);
        if place.item.unwrap_or_default() >= items || end.is_none_or(|end| end > all) {
            let message = format!(
                "has {all} rows, those from {} to {} are wanted",
                place.first,
                end.unwrap_or(u64::MAX)
            );
            return Err(Error::malformed(message));
        }
        Ok(Self {
            place,
            dtype,
            order,
            rank,
            items,
            all,
            cols,
        })
    }

    /// Returns the number of rows before the first one in the dataset.
    pub(crate) fn before(&self) -> u64 {
        self.place.item.unwrap_or_default() * self.all + self.place.first
    }
}

impl File {
    /// Reads some rows of a dataset. Without `values` only the shape is set.
    ///
    /// # Errors
    /// They are not all there, are no numbers, or exceed the limits.
    pub(crate) fn rows(
        &self,
        stored: &Stored,
        rows: Rows,
        values: bool,
        into: &mut Matrix,
    ) -> Result<()> {
        let (item, first, rows) = match rows {
            Rows::All if is_one_sequence(stored) => {
                *into = self.ragged(stored, 0)?;
                return Ok(());
            }
            Rows::All => return self.matrix(stored, values, into),
            Rows::Ragged(index) => {
                let index = usize::try_from(index).unwrap_or(usize::MAX);
                *into = self.ragged(stored, index)?;
                return Ok(());
            }
            Rows::Range(first, rows) => (None, first, rows),
            Rows::Item(index, rows) => (Some(index), 0, rows),
        };
        let slice = Slice::new(stored, Place { item, first, rows })?;
        let shape = (slice.dtype, slice.rank, rows, slice.cols);
        let limits = self.limits();
        limits.matrix_bytes(slice.dtype, rows, slice.cols)?;
        match &stored.elements {
            Elements::Plain(at) => {
                let before = slice.before() * slice.cols * slice.dtype.size() as u64;
                let mut source = self.shared().lock();
                source.seek(at + before)?;
                match values {
                    true => source.read_matrix(into, shape, slice.order, limits),
                    false => source.pass_matrix(into, shape, limits),
                }
            }
            Elements::Packed(dataset) => {
                let [rows, cols] = [rows, slice.cols].map(|n| usize::try_from(n).unwrap_or(0));
                let bytes = into.reset(slice.dtype, slice.rank, rows, cols, limits)?;
                if !values || bytes.is_empty() {
                    return Ok(());
                }
                let mut window = stored.window.borrow_mut();
                self.unpacked(&slice, dataset, &mut window, bytes)?;
                match slice.dtype {
                    Dtype::Bool => into.values::<bool>().map(drop),
                    _ => Ok(()),
                }
            }
        }
    }
}

/// Returns `true` for a single sequence of any length.
fn is_one_sequence(stored: &Stored) -> bool {
    matches!(stored.datatype, Datatype::VarLen { .. }) && matches!(*stored.shape, [] | [1])
}
