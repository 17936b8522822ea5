//! Numbers of any type and shape in one column, where rows differ too much for nested lists.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Fields};
use spr_core::model::{Array as Numbers, Dtype};
use spr_core::{Error, Limits, Result};

use crate::cells::bytes;
use crate::feature::{field, list};

/// Returns the fields: the name of the element type, the shape, and all elements, little-endian.
pub(crate) fn fields() -> Fields {
    Fields::from(vec![
        field("dtype", DataType::Utf8),
        field("shape", list(DataType::Int64)),
        field("data", DataType::Binary),
    ])
}

/// Returns the type of the column.
pub(crate) fn dtype() -> DataType {
    DataType::Struct(fields())
}

/// Returns `true` for the type of such a column.
pub(crate) fn is_generic(dtype: &DataType) -> bool {
    let DataType::Struct(fields) = dtype else {
        return false;
    };
    let mut names = fields.iter().map(|field| field.name().as_str());
    names.by_ref().eq(["dtype", "shape", "data"])
}

/// Reads a row that is not null.
///
/// # Errors
/// The three do not agree, or the numbers exceed the limits.
pub(crate) fn read(array: &ArrayRef, row: usize, limits: &Limits) -> Result<Numbers> {
    let wrong = || Error::malformed("numbers without their type, shape and data");
    let fields = array.as_struct_opt().ok_or_else(wrong)?;
    let column = |name: &str| fields.column_by_name(name).ok_or_else(wrong);
    let name = bytes(column("dtype")?, row).ok_or_else(wrong)?;
    let mut all = Dtype::NUMPY.iter().copied();
    let dtype = all
        .find(|dtype| dtype.name().as_bytes() == name)
        .ok_or_else(wrong)?;
    let shape = column("shape")?.as_list_opt::<i32>().ok_or_else(wrong)?;
    if shape.is_null(row) {
        return Err(wrong());
    }
    let sizes = shape.value(row);
    let sizes = sizes.as_primitive_opt::<Int64Type>().ok_or_else(wrong)?;
    let sizes = sizes.iter().map(|n| usize::try_from(n?).ok());
    let sizes: Vec<_> = sizes.collect::<Option<_>>().ok_or_else(wrong)?;
    let data = bytes(column("data")?, row).ok_or_else(wrong)?;
    let count = sizes
        .iter()
        .try_fold(dtype.size(), |n, size| n.checked_mul(*size));
    if count != Some(data.len()) {
        let message = format!("{} bytes for {sizes:?} numbers of {dtype}", data.len());
        return Err(Error::malformed(message));
    }
    let mut numbers = Numbers::new(dtype, &sizes, limits)?;
    let out = numbers.values_mut().as_bytes_mut();
    out.copy_from_slice(data);
    swap(out, dtype);
    Ok(numbers)
}

/// Brings little-endian numbers into the machine's order, and back.
pub(crate) fn swap(bytes: &mut [u8], dtype: Dtype) {
    if cfg!(target_endian = "big") {
        bytes
            .chunks_exact_mut(dtype.size())
            .for_each(<[u8]>::reverse);
    }
}
