//! Segments: lists of structs in Arrow columns.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::DataType;
use spr_core::model::{Decimal, Segment, Tier};
use spr_core::{Error, Result};

use crate::cells::bytes;

/// Returns the items of a list in a row, or `None` if it is null.
///
/// # Errors
/// It is no list.
pub(crate) fn items(array: &dyn Array, row: usize) -> Result<Option<ArrayRef>> {
    if array.is_null(row) {
        return Ok(None);
    }
    Ok(Some(match array.data_type() {
        DataType::List(_) => array.as_list::<i32>().value(row),
        DataType::LargeList(_) => array.as_list::<i64>().value(row),
        dtype => return Err(Error::malformed(format!("expected a list, found {dtype}"))),
    }))
}

/// Reads a number, from a float or from text. Returns `None` for null.
///
/// # Errors
/// It is neither, or not finite.
pub(crate) fn decimal(array: &dyn Array, row: usize, what: &str) -> Result<Option<Decimal>> {
    if array.is_null(row) {
        return Ok(None);
    }
    let value = array
        .as_primitive_opt::<Float64Type>()
        .map(|a| a.value(row));
    let number = match (value, bytes(array, row)) {
        (Some(value), _) => Decimal::of(value),
        (None, Some(text)) => std::str::from_utf8(text).ok().and_then(Decimal::parse),
        (None, None) => None,
    };
    let wrong = || Error::malformed(format!("{what} is not a number"));
    number.map(Some).ok_or_else(wrong)
}

/// Reads the segments of a row.
///
/// # Errors
/// A start or a text is missing, or something is of another type.
pub(crate) fn segments(array: &dyn Array, row: usize) -> Result<Option<Vec<Segment>>> {
    let Some(items) = items(array, row)? else {
        return Ok(None);
    };
    let fields = structure(&items)?;
    let column = |name: &str| fields.column_by_name(name);
    let missing = |what: &str| Error::malformed(format!("a segment without {what}"));
    let read = |row: usize| {
        let number = |name: &str| match column(name) {
            Some(array) => decimal(array, row, &format!("the {name} of a segment")),
            None => Ok(None),
        };
        let text = |name: &str| column(name).and_then(|array| bytes(array, row));
        let start = number("start")?.ok_or_else(|| missing("a start"))?;
        let label = text("text").ok_or_else(|| missing("a text"))?;
        let mut segment = Segment::new(start, number("end")?, label);
        segment.score = number("score")?;
        segment.speaker = text("speaker").map(Into::into);
        match fields.is_null(row) {
            true => Err(Error::malformed("a segment that is null")),
            false => Ok(segment),
        }
    };
    (0..items.len()).map(read).collect::<Result<_>>().map(Some)
}

/// Reads the tiers of a row.
///
/// # Errors
/// Something is missing or of another type.
pub(crate) fn tiers(array: &dyn Array, row: usize) -> Result<Vec<Tier>> {
    let Some(items) = items(array, row)? else {
        return Ok(Vec::new());
    };
    let fields = structure(&items)?;
    let wrong = || Error::malformed("tiers without their names and segments");
    let column = |name: &str| fields.column_by_name(name).ok_or_else(wrong);
    let (names, points) = (column("name")?, column("points")?);
    let lists = column("segments")?;
    let points = points.as_boolean_opt().ok_or_else(wrong)?;
    let read = |row: usize| {
        Ok(Tier {
            name: bytes(names, row).ok_or_else(wrong)?.into(),
            segments: segments(lists, row)?.ok_or_else(wrong)?,
            points: points.is_valid(row) && points.value(row),
        })
    };
    (0..items.len()).map(read).collect()
}

fn structure(items: &ArrayRef) -> Result<&StructArray> {
    let fields = items.as_struct_opt();
    fields.ok_or_else(|| Error::malformed("expected structs in a list"))
}
