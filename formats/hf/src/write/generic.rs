//! Makes columns of numbers of any type and shape.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use spr_core::{Error, Result};

use super::cell::Numbers;
use crate::feature::field;
use crate::generic::{fields, swap};

/// Makes the column.
///
/// # Errors
/// A shape is too large.
pub(super) fn build(rows: &[Option<&Numbers<'_>>]) -> Result<ArrayRef> {
    let item = field("item", DataType::Int64);
    let (mut dtypes, mut data) = (StringBuilder::new(), BinaryBuilder::new());
    let mut shapes = ListBuilder::new(Int64Builder::new()).with_field(item);
    for row in rows {
        let Some(numbers) = row else {
            dtypes.append_null();
            shapes.append_null();
            data.append_null();
            continue;
        };
        dtypes.append_value(numbers.dtype.name());
        for size in &numbers.shape {
            let size = i64::try_from(*size);
            shapes
                .values()
                .append_value(size.map_err(|_| Error::limit("a shape too large"))?);
        }
        shapes.append(true);
        let mut bytes = numbers.bytes.to_vec();
        swap(&mut bytes, numbers.dtype);
        data.append_value(bytes);
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(dtypes.finish()),
        Arc::new(shapes.finish()),
        Arc::new(data.finish()),
    ];
    let nulls = NullBuffer::from_iter(rows.iter().map(Option::is_some));
    let made = StructArray::try_new(fields(), columns, Some(nulls));
    made.map(|made| Arc::new(made) as ArrayRef)
        .map_err(|e| Error::malformed(e.to_string()))
}
