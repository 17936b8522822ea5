//! Unpacking of rows.

use hdf5_reader::{Dataset, SliceInfo, SliceInfoElem};
use spr_core::bytes::{ByteOrder, swap_in_place};
use spr_core::model::{Dtype, Element, Matrix};
use spr_core::{Error, Result};

use crate::dataset::File;
use crate::slices::Slice;
use crate::window::{Place, Window};

/// The bytes of rows that are unpacked at a time.
const WINDOW: u64 = 1 << 20;

impl File {
    /// Copies the bytes of a slice of `dataset` from a window, which is moved there if need be.
    ///
    /// # Errors
    /// The dataset is damaged, or exceeds the limits.
    pub(crate) fn unpacked(
        &self,
        slice: &Slice,
        dataset: &Dataset,
        window: &mut Window,
        into: &mut [u8],
    ) -> Result<()> {
        // The library has no numbers of these types, so that the dataset is read as a whole.
        let is_whole = matches!(slice.dtype, Dtype::F16 | Dtype::Bf16 | Dtype::Bool);
        let place = match is_whole {
            true => Place {
                item: None,
                first: slice.before(),
                ..slice.place
            },
            false => slice.place,
        };
        if !window.place.has(&place) {
            *window = Window::default();
            *window = match is_whole {
                true => self.unpack_whole(slice, dataset)?,
                false => self.unpack(slice, dataset)?,
            };
        }
        window.copy(place.first, into)
    }

    /// Returns a window without values.
    fn window(&self, slice: &Slice, place: Place) -> Result<Window> {
        let mut values = Matrix::default();
        let [rows, cols] = [place.rows, slice.cols].map(|n| usize::try_from(n).unwrap_or(0));
        self.limits()
            .matrix_bytes(slice.dtype, place.rows, slice.cols)?;
        values.reset(slice.dtype, slice.rank, rows, cols, self.limits())?;
        Ok(Window { place, values })
    }

    fn unpack_whole(&self, slice: &Slice, dataset: &Dataset) -> Result<Window> {
        let place = Place {
            item: None,
            first: 0,
            rows: slice.items * slice.all,
        };
        let mut window = self.window(slice, place)?;
        let bytes = window.values.as_bytes_mut();
        self.shared().call(|| dataset.read_raw_bytes_into(bytes))?;
        self.count_unpacked(bytes.len());
        if slice.order != ByteOrder::NATIVE {
            swap_in_place(bytes, slice.dtype.size());
        }
        Ok(window)
    }

    /// Unpacks rows from the first of the slice on.
    fn unpack(&self, slice: &Slice, dataset: &Dataset) -> Result<Window> {
        let Place { item, first, rows } = slice.place;
        let row = (slice.cols * slice.dtype.size() as u64).max(1);
        let rows = rows.max(WINDOW / row).min(slice.all - first);
        let mut window = self.window(slice, Place { item, first, rows })?;
        let range = |start, end| SliceInfoElem::Slice {
            start,
            end,
            step: 1,
        };
        let mut selections: Vec<_> = item.map(SliceInfoElem::Index).into_iter().collect();
        selections.push(range(first, first + rows));
        if selections.len() < dataset.ndim() {
            selections.push(range(0, slice.cols));
        }
        let selection = SliceInfo { selections };
        let into = &mut window.values;
        macro_rules! read {
            ($number:ty) => {{
                let read = || dataset.read_slice::<$number>(&selection);
                let part = self.shared().call(read)?;
                match part.as_slice() {
                    Some(part) => copy(into, part),
                    None => copy(into, &part.iter().copied().collect::<Vec<_>>()),
                }
            }};
        }
        match slice.dtype {
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
                "holds {other} for several utterances"
            ))),
        }?;
        Ok(window)
    }
}

fn copy<T: Element>(into: &mut Matrix, values: &[T]) -> Result<()> {
    let room = into.values_mut::<T>()?;
    if room.len() != values.len() {
        let message = format!("has {} values, expected {}", values.len(), room.len());
        return Err(Error::malformed(message));
    }
    room.copy_from_slice(values);
    Ok(())
}
