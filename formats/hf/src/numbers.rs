//! Nested lists of numbers as matrices and arrays.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait};
use arrow_schema::DataType;
use spr_core::model::{Dtype, Matrix, Rank};
use spr_core::{Error, Limits, Result};

/// Returns the element type that a type of numbers becomes.
pub(crate) fn dtype_of(dtype: &DataType) -> Option<Dtype> {
    Some(match dtype {
        DataType::Int8 => Dtype::I8,
        DataType::Int16 => Dtype::I16,
        DataType::Int32 => Dtype::I32,
        DataType::Int64 => Dtype::I64,
        DataType::UInt8 => Dtype::U8,
        DataType::UInt16 => Dtype::U16,
        DataType::UInt32 => Dtype::U32,
        DataType::UInt64 => Dtype::U64,
        DataType::Float16 => Dtype::F16,
        DataType::Float32 => Dtype::F32,
        DataType::Float64 => Dtype::F64,
        _ => return None,
    })
}

/// Returns the Arrow type of an element type.
pub(crate) fn arrow_type(dtype: Dtype) -> Option<DataType> {
    let all = [
        DataType::Int8,
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt8,
        DataType::UInt16,
        DataType::UInt32,
        DataType::UInt64,
        DataType::Float16,
        DataType::Float32,
        DataType::Float64,
    ];
    all.into_iter().find(|own| dtype_of(own) == Some(dtype))
}

/// Returns the element type of nested lists of numbers, and how deep they are nested.
pub(crate) fn nested(dtype: &DataType) -> Option<(Dtype, usize)> {
    match dtype {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            let (dtype, depth) = nested(item.data_type())?;
            Some((dtype, depth + 1))
        }
        dtype => Some((dtype_of(dtype)?, 0)),
    }
}

/// The numbers of a row: a box within the innermost values.
pub(crate) struct Dense {
    pub(crate) shape: Vec<usize>,
    pub(crate) dtype: Dtype,
    values: ArrayRef,
    range: Range<usize>,
}

/// Returns the numbers of a row that is not null.
///
/// # Errors
/// Rows of it differ in length, or something in it is null.
pub(crate) fn dense(array: &ArrayRef, row: usize) -> Result<Dense> {
    let mut level = array.clone();
    let (mut range, mut shape) = (row..row + 1, Vec::new());
    loop {
        if has_null(&level, &range) {
            return Err(Error::malformed("a null among numbers"));
        }
        if let Some(dtype) = dtype_of(level.data_type()) {
            return Ok(Dense {
                shape,
                dtype,
                values: level,
                range,
            });
        }
        let (items, inner, length) = match level.data_type() {
            DataType::List(_) => lists::<i32>(&level, &range)?,
            DataType::LargeList(_) => lists::<i64>(&level, &range)?,
            DataType::FixedSizeList(_, width) => {
                let width = usize::try_from(*width).unwrap_or_default();
                let items = level.as_fixed_size_list().values().clone();
                (items, range.start * width..range.end * width, width)
            }
            dtype => return Err(Error::unsupported(format!("numbers of the type {dtype}"))),
        };
        shape.push(length);
        (level, range) = (items, inner);
    }
}

fn has_null(array: &ArrayRef, range: &Range<usize>) -> bool {
    let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
    nulls.is_some_and(|nulls| range.clone().any(|n| nulls.is_null(n)))
}

/// Returns the items of lists that are all of one length, their range, and that length.
fn lists<O: OffsetSizeTrait>(
    level: &ArrayRef,
    range: &Range<usize>,
) -> Result<(ArrayRef, Range<usize>, usize)> {
    let list = level.as_list::<O>();
    let offsets = &list.value_offsets()[range.start..=range.end];
    let at = |n: usize| offsets.get(n).map_or(0, |offset| offset.as_usize());
    let length = |pair: &[O]| pair[1].as_usize().saturating_sub(pair[0].as_usize());
    let lengths = || offsets.windows(2).map(length);
    let first = lengths().next().unwrap_or_default();
    if let Some((n, other)) = lengths().enumerate().find(|(_, n)| *n != first) {
        let message = format!("rows of different lengths: {first}, and {other} in row {n}");
        return Err(Error::malformed(message));
    }
    let inner = at(0)..at(offsets.len().saturating_sub(1));
    Ok((list.values().clone(), inner, first))
}

impl Dense {
    /// Copies the numbers into a matrix: a vector if they are one list.
    ///
    /// # Errors
    /// They are nested deeper, or the matrix exceeds the limits.
    pub(crate) fn fill(&self, matrix: &mut Matrix, limits: &Limits) -> Result<()> {
        let (rank, rows, cols) = match *self.shape {
            [] => (Rank::Scalar, 1, 1),
            [rows] => (Rank::Vector, rows, 1),
            [rows, cols] => (Rank::Matrix, rows, cols),
            _ => {
                let message = format!("numbers of {} dimensions", self.shape.len());
                return Err(Error::unsupported(message));
            }
        };
        self.copy(matrix.reset(self.dtype, rank, rows, cols, limits)?)
    }

    /// Copies all numbers into the bytes of as many.
    ///
    /// # Errors
    /// There are not as many.
    pub(crate) fn copy(&self, out: &mut [u8]) -> Result<()> {
        let data = self.values.to_data();
        let size = self.dtype.size();
        let start = (data.offset() + self.range.start) * size;
        let bytes = data.buffers().first().map(|buffer| buffer.as_slice());
        let bytes = bytes.and_then(|bytes| bytes.get(start..start + self.range.len() * size));
        match bytes.filter(|bytes| bytes.len() == out.len()) {
            Some(bytes) => {
                out.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(Error::malformed("fewer numbers than their lists say")),
        }
    }
}
