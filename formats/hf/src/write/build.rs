//! Columns of the values of rows.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, BooleanArray, FixedSizeListArray, Float64Array, Int64Array, LargeListArray,
    ListArray, StringArray, StructArray, make_array,
};
use arrow_buffer::{MutableBuffer, NullBuffer, OffsetBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Fields};
use spr_core::model::{Decimal, Segment, Tier};
use spr_core::{Error, Result};

use super::cell::{Cell, Numbers};
use super::facts::{Form, TierForm};
use super::generic;
use super::values;
use crate::feature::{audio, field};
use crate::json::Json;

/// The values of a column, of which some may be missing.
type Cells<'a> = [Option<&'a Cell<'a>>];

/// Makes a column.
///
/// # Errors
/// A value is not of the form, which it was found to be before.
pub(crate) fn build(form: &Form, cells: &Cells<'_>) -> Result<ArrayRef> {
    match form {
        Form::Values(dtype) => build_values(dtype, cells),
        Form::Json => Ok(Arc::new(
            cells
                .iter()
                .map(|cell| text(*cell))
                .collect::<StringArray>(),
        )),
        Form::Classes(names) => build_classes(names, cells),
        Form::Sound => build_sound(cells),
        Form::Lists(dtype) => {
            let rows: Vec<_> = cells.iter().map(|cell| numbers(*cell)).collect();
            let range: Vec<Level<'_>> = rows
                .iter()
                .map(|row| row.map(|row| (row.shape.as_slice(), &*row.bytes)))
                .collect();
            build_lists(dtype, &range)
        }
        Form::Generic => {
            let rows: Vec<_> = cells.iter().map(|cell| numbers(*cell)).collect();
            generic::build(&rows)
        }
        Form::Digits { exact } => {
            let numbers: Vec<_> = cells.iter().map(|cell| number(*cell)).collect();
            Ok(build_digits(*exact, &numbers))
        }
        Form::Tiers(form) => build_tiers(*form, cells),
    }
}

fn wrong() -> Error {
    Error::malformed("a value is not what its column was found to hold")
}

fn failed(error: &ArrowError) -> Error {
    Error::malformed(error.to_string())
}

fn text<'a>(cell: Option<&'a Cell<'_>>) -> Option<&'a str> {
    match cell? {
        Cell::Text(text) | Cell::Json(text) => Some(text),
        _ => None,
    }
}

fn numbers<'a, 'b>(cell: Option<&'a Cell<'b>>) -> Option<&'a Numbers<'b>> {
    match cell? {
        Cell::Numbers(numbers) => Some(numbers),
        _ => None,
    }
}

fn number(cell: Option<&Cell<'_>>) -> Option<Decimal> {
    match cell? {
        Cell::Number(number) => Some(*number),
        _ => None,
    }
}

fn build_values(dtype: &DataType, cells: &Cells<'_>) -> Result<ArrayRef> {
    let is_number = dtype.is_integer();
    let parsed: Vec<_> = cells
        .iter()
        .map(|cell| match cell {
            Some(Cell::Text(text)) if is_number => Some(Json::Other(text.clone().into_owned())),
            Some(Cell::Text(text)) => Some(Json::text(&**text)),
            Some(Cell::Json(text)) => Json::parse(text),
            _ => None,
        })
        .collect();
    let parsed: Vec<_> = parsed.iter().map(Option::as_ref).collect();
    values::build(dtype, &parsed).ok_or_else(wrong)
}

fn build_classes(names: &[String], cells: &Cells<'_>) -> Result<ArrayRef> {
    let class = |cell: &Option<&Cell<'_>>| {
        let name = match cell {
            Some(Cell::Text(text)) => text.clone().into_owned(),
            Some(Cell::Json(text)) => match Json::parse(text) {
                Some(Json::Text(text)) => text,
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let at = names
            .iter()
            .position(|own| *own == name)
            .ok_or_else(wrong)?;
        i64::try_from(at).map(Some).map_err(|_| wrong())
    };
    let classes = cells.iter().map(class).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(Int64Array::from(classes)))
}

fn build_sound(cells: &Cells<'_>) -> Result<ArrayRef> {
    let sizes = cells.iter().flatten().map(|cell| cell.size());
    let mut data = BinaryBuilder::with_capacity(cells.len(), sizes.sum());
    let mut paths = StringBuilder::new();
    for cell in cells {
        match cell {
            Some(Cell::Sound { bytes, path }) => {
                data.append_value(bytes);
                paths.append_option(path.as_deref());
            }
            _ => {
                data.append_null();
                paths.append_null();
            }
        }
    }
    let DataType::Struct(fields) = audio() else {
        return Err(wrong());
    };
    let columns: Vec<ArrayRef> = vec![Arc::new(data.finish()), Arc::new(paths.finish())];
    structure(fields, columns, nulls(cells))
}

fn structure(
    fields: Fields,
    columns: Vec<ArrayRef>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let made = StructArray::try_new(fields, columns, nulls);
    made.map(|made| Arc::new(made) as ArrayRef)
        .map_err(|e| failed(&e))
}

fn nulls<T>(values: &[Option<T>]) -> Option<NullBuffer> {
    let has_null = values.iter().any(Option::is_none);
    has_null.then(|| NullBuffer::from_iter(values.iter().map(Option::is_some)))
}

/// The shape and the bytes of the numbers at a level of nesting.
type Level<'a> = Option<(&'a [usize], &'a [u8])>;

/// Makes nested lists of numbers.
fn build_lists(dtype: &DataType, rows: &[Level<'_>]) -> Result<ArrayRef> {
    let lengths = || {
        rows.iter()
            .map(|row| row.and_then(|(shape, _)| shape.first()).map_or(0, |n| *n))
    };
    let made = match dtype {
        DataType::List(item) => {
            let items = build_lists(item.data_type(), &inner(rows))?;
            let offsets = OffsetBuffer::<i32>::from_lengths(lengths());
            ListArray::try_new(item.clone(), offsets, items, nulls(rows))
                .map(|made| Arc::new(made) as ArrayRef)
        }
        DataType::LargeList(item) => {
            let items = build_lists(item.data_type(), &inner(rows))?;
            let offsets = OffsetBuffer::<i64>::from_lengths(lengths());
            LargeListArray::try_new(item.clone(), offsets, items, nulls(rows))
                .map(|made| Arc::new(made) as ArrayRef)
        }
        DataType::FixedSizeList(item, length) => {
            let width = usize::try_from(*length).unwrap_or_default();
            let items: Vec<Level<'_>> = rows
                .iter()
                .flat_map(|row| match row {
                    Some(_) => inner(std::slice::from_ref(row)),
                    None => vec![None; width],
                })
                .collect();
            let items = build_lists(item.data_type(), &items)?;
            FixedSizeListArray::try_new(item.clone(), *length, items, nulls(rows))
                .map(|made| Arc::new(made) as ArrayRef)
        }
        dtype => build_leaf(dtype, rows),
    };
    made.map_err(|e| failed(&e))
}

/// Returns the rows one level deeper. Numbers themselves, which are the last level, stay together.
fn inner<'a>(rows: &[Level<'a>]) -> Vec<Level<'a>> {
    let mut all = Vec::new();
    for (shape, bytes) in rows.iter().flatten() {
        match shape {
            [] => {}
            [_] => all.push(Some((&[][..], *bytes))),
            [count, rest @ ..] => {
                let size = bytes.len() / (*count).max(1);
                all.extend((0..*count).map(|n| Some((rest, &bytes[n * size..(n + 1) * size]))));
            }
        }
    }
    all
}

/// Makes the numbers of the innermost lists. One that is missing, in a list of fixed length that is
/// null, is 0.
fn build_leaf(dtype: &DataType, rows: &[Level<'_>]) -> Result<ArrayRef, ArrowError> {
    let width = dtype.primitive_width().unwrap_or(1);
    let missing = vec![0; width];
    let parts = || {
        rows.iter()
            .map(|row| row.map_or(missing.as_slice(), |(_, bytes)| bytes))
    };
    let mut buffer = MutableBuffer::new(parts().map(<[u8]>::len).sum());
    parts().for_each(|part| buffer.extend_from_slice(part));
    let data = ArrayData::builder(dtype.clone()).len(buffer.len() / width);
    data.add_buffer(buffer.into()).build().map(make_array)
}

fn build_digits(exact: bool, numbers: &[Option<Decimal>]) -> ArrayRef {
    match exact {
        true => {
            let values = numbers.iter().map(|number| number.map(Decimal::value));
            Arc::new(values.collect::<Float64Array>())
        }
        false => {
            let values = numbers.iter().map(|number| number.map(|n| n.to_string()));
            Arc::new(values.collect::<StringArray>())
        }
    }
}

fn build_tiers<'a>(form: TierForm, cells: &Cells<'a>) -> Result<ArrayRef> {
    let tiers = |cell: &Option<&'a Cell<'a>>| -> Option<&'a [Tier]> {
        match cell {
            Some(Cell::Tiers(tiers)) => Some(tiers),
            _ => None,
        }
    };
    let rows: Vec<Option<&[Tier]>> = cells.iter().map(tiers).collect();
    if !form.tiers {
        let rows: Vec<_> = rows
            .iter()
            .map(|row| row.map(|tiers| tiers.first().map_or(&[][..], |tier| &tier.segments)))
            .collect();
        return build_segments(form, &rows);
    }
    let all: Vec<_> = rows.iter().flatten().copied().flatten().collect();
    let names = all.iter().map(|tier| std::str::from_utf8(&tier.name).ok());
    let points = all.iter().map(|tier| Some(tier.points));
    let segments: Vec<_> = all
        .iter()
        .map(|tier| Some(tier.segments.as_slice()))
        .collect();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(names.collect::<StringArray>()),
        Arc::new(points.collect::<BooleanArray>()),
        build_segments(form, &segments)?,
    ];
    let items = structure(form.tier_fields(), columns, None)?;
    let lengths = rows.iter().map(|row| row.map_or(0, <[_]>::len));
    lists(lengths, items, nulls(&rows))
}

fn lists(
    lengths: impl Iterator<Item = usize>,
    items: ArrayRef,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let offsets = OffsetBuffer::<i32>::from_lengths(lengths);
    let item = Arc::new(field("item", items.data_type().clone()));
    let made = ListArray::try_new(item, offsets, items, nulls);
    made.map(|made| Arc::new(made) as ArrayRef)
        .map_err(|e| failed(&e))
}

fn build_segments(form: TierForm, rows: &[Option<&[Segment]>]) -> Result<ArrayRef> {
    let all: Vec<_> = rows.iter().flatten().copied().flatten().collect();
    let digits = |of: &dyn Fn(&Segment) -> Option<Decimal>| {
        let numbers: Vec<_> = all.iter().map(|segment| of(segment)).collect();
        build_digits(!form.text, &numbers)
    };
    let text = |bytes: Option<&[u8]>| {
        bytes
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .map(str::to_owned)
    };
    let labels = all.iter().map(|segment| text(Some(&segment.label)));
    let mut columns: Vec<ArrayRef> = vec![
        digits(&|segment| Some(segment.start)),
        digits(&|segment| segment.end),
        Arc::new(labels.collect::<StringArray>()),
    ];
    if form.scores {
        columns.push(digits(&|segment| segment.score));
    }
    if form.speakers {
        let speakers = all.iter().map(|segment| text(segment.speaker.as_deref()));
        columns.push(Arc::new(speakers.collect::<StringArray>()));
    }
    let items = structure(form.fields(), columns, None)?;
    let lengths = rows.iter().map(|row| row.map_or(0, <[_]>::len));
    lists(lengths, items, nulls(rows))
}
