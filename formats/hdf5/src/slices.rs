//! Rows of a dataset that holds several utterances.

use hdf5_reader::{Dataset, Datatype, H5Type, SliceInfo, SliceInfoElem, error};
use spr_core::model::{Dtype, Element, Matrix, Rank};
use spr_core::{Error, Result};

use crate::dataset::{Elements, File, Stored};
use crate::entries::Rows;
use crate::types;

/// Where the rows of an utterance are.
struct Place {
    /// The index of an item, where each item has rows of its own.
    item: Option<u64>,
    first: u64,
    rows: u64,
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
        let place = match rows {
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
            Rows::Range(first, rows) => Place {
                item: None,
                first,
                rows,
            },
            Rows::Item(index, rows) => Place {
                item: Some(index),
                first: 0,
                rows,
            },
        };
        let Some((dtype, order)) = stored.number else {
            let what = types::describe(&stored.datatype);
            return Err(Error::unsupported(format!(
                "holds {what}, expected numbers"
            )));
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
        let item = place.item.unwrap_or_default();
        if item >= items || end.is_none_or(|end| end > all) {
            let message = format!(
                "has {all} rows, those from {} to {} are wanted",
                place.first,
                end.unwrap_or(u64::MAX)
            );
            return Err(Error::malformed(message));
        }
        let shape = (dtype, rank, place.rows, cols);
        let limits = self.limits();
        limits.matrix_bytes(dtype, place.rows, cols)?;
        match &stored.elements {
            Elements::Plain(at) => {
                let before = (item * all + place.first) * cols * dtype.size() as u64;
                let mut source = self.shared().lock();
                source.seek(at + before)?;
                match values {
                    true => source.read_matrix(into, shape, order, limits),
                    false => source.pass_matrix(into, shape, limits),
                }
            }
            Elements::Packed(dataset) => {
                let [rows, width] = [place.rows, cols].map(|n| usize::try_from(n).unwrap_or(0));
                into.reset(dtype, rank, rows, width, limits)?;
                match values {
                    true => self.packed_rows(dataset, &place, inner.len(), cols, into),
                    false => Ok(()),
                }
            }
        }
    }

    fn packed_rows(
        &self,
        dataset: &Dataset,
        place: &Place,
        rank: usize,
        cols: u64,
        into: &mut Matrix,
    ) -> Result<()> {
        let slice = |start, end| SliceInfoElem::Slice {
            start,
            end,
            step: 1,
        };
        let mut selections: Vec<_> = place.item.map(SliceInfoElem::Index).into_iter().collect();
        selections.push(slice(place.first, place.first + place.rows));
        if rank > 1 {
            selections.push(slice(0, cols));
        }
        if into.is_empty() {
            return Ok(());
        }
        let selection = SliceInfo { selections };
        let shared = self.shared();
        macro_rules! read {
            ($number:ty) => {{
                let part = shared.call(|| numbers::<$number>(dataset, &selection))?;
                fill(into, &part)
            }};
        }
        match into.dtype() {
            Dtype::F32 => read!(f32),
            Dtype::F64 => read!(f64),
            Dtype::I8 => read!(i8),
            Dtype::U8 => read!(u8),
            Dtype::I16 => read!(i16),
            Dtype::U16 => read!(u16),
            Dtype::I32 => read!(i32),
            Dtype::U32 => read!(u32),
            Dtype::I64 => read!(i64),
            Dtype::U64 => read!(u64),
            other => Err(Error::unsupported(format!(
                "holds {other} in chunks for several utterances, which is not supported"
            ))),
        }
    }
}

/// Returns `true` for a single sequence of any length.
fn is_one_sequence(stored: &Stored) -> bool {
    matches!(stored.datatype, Datatype::VarLen { .. }) && matches!(*stored.shape, [] | [1])
}

fn numbers<T: H5Type>(dataset: &Dataset, selection: &SliceInfo) -> error::Result<Vec<T>> {
    let array = dataset.read_slice::<T>(selection)?;
    Ok(array.into_iter().collect())
}

fn fill<T: Element>(into: &mut Matrix, values: &[T]) -> Result<()> {
    let room = into.values_mut::<T>()?;
    if room.len() != values.len() {
        let message = format!("has {} values, expected {}", values.len(), room.len());
        return Err(Error::malformed(message));
    }
    room.copy_from_slice(values);
    Ok(())
}
