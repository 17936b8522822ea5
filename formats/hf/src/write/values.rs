//! JSON as values of Arrow types.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Decimal128Array, FixedSizeListArray, Float16Array,
    Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Int64Array, LargeBinaryArray,
    LargeListArray, LargeStringArray, ListArray, NullArray, StringArray, StringViewArray,
    StructArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array, make_array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, FieldRef, Fields};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use half::f16;
use spr_syntax::json::write_text;

use crate::cells::write_json;
use crate::json::Json;

type Value<'a> = Option<&'a Json>;

/// Makes a column of values, of which null ones are `None`. Returns `None` if one does not fit the
/// type.
pub(crate) fn build(dtype: &DataType, values: &[Value<'_>]) -> Option<ArrayRef> {
    use DataType as T;
    Some(match dtype {
        T::Null => values.iter().all(Option::is_none).then(|| {
            let column: ArrayRef = Arc::new(NullArray::new(values.len()));
            column
        })?,
        T::Boolean => Arc::new(BooleanArray::from(each(values, |v| match v {
            Json::Other(text) => text.parse().ok(),
            _ => None,
        })?)),
        T::Int8 => Arc::new(Int8Array::from(each(values, parsed)?)),
        T::Int16 => Arc::new(Int16Array::from(each(values, parsed)?)),
        T::Int32 => Arc::new(Int32Array::from(each(values, parsed)?)),
        T::Int64 => Arc::new(Int64Array::from(each(values, parsed)?)),
        T::UInt8 => Arc::new(UInt8Array::from(each(values, parsed)?)),
        T::UInt16 => Arc::new(UInt16Array::from(each(values, parsed)?)),
        T::UInt32 => Arc::new(UInt32Array::from(each(values, parsed)?)),
        T::UInt64 => Arc::new(UInt64Array::from(each(values, parsed)?)),
        T::Float16 => {
            let values = each(values, |v| float::<f32>(v).map(f16::from_f32))?;
            Arc::new(Float16Array::from(values))
        }
        T::Float32 => Arc::new(Float32Array::from(each(values, float)?)),
        T::Float64 => Arc::new(Float64Array::from(each(values, float)?)),
        T::Utf8 => Arc::new(StringArray::from(each(values, Json::as_str)?)),
        T::LargeUtf8 => Arc::new(LargeStringArray::from(each(values, Json::as_str)?)),
        T::Utf8View => Arc::new(StringViewArray::from(each(values, Json::as_str)?)),
        T::Binary => Arc::new(BinaryArray::from_iter(each(values, decoded)?)),
        T::LargeBinary => Arc::new(LargeBinaryArray::from_iter(each(values, decoded)?)),
        T::Decimal128(digits, scale) => {
            let values = each(values, |v| scaled(v, *scale))?;
            let column = Decimal128Array::from(values);
            Arc::new(column.with_precision_and_scale(*digits, *scale).ok()?)
        }
        T::Date32 | T::Time32(_) => of_ticks(dtype, &Int32Array::from(each(values, parsed)?))?,
        T::Date64 | T::Time64(_) | T::Timestamp(..) | T::Duration(_) => {
            of_ticks(dtype, &Int64Array::from(each(values, parsed)?))?
        }
        T::List(item) => {
            let (lengths, items, nulls) = lists(item, values)?;
            let offsets = OffsetBuffer::<i32>::from_lengths(lengths);
            Arc::new(ListArray::try_new(item.clone(), offsets, items, nulls).ok()?)
        }
        T::LargeList(item) => {
            let (lengths, items, nulls) = lists(item, values)?;
            let offsets = OffsetBuffer::<i64>::from_lengths(lengths);
            Arc::new(LargeListArray::try_new(item.clone(), offsets, items, nulls).ok()?)
        }
        T::FixedSizeList(item, length) => fixed(item, *length, values)?,
        T::Struct(fields) => structs(fields, values)?,
        _ => return None,
    })
}

/// Returns a value of a type as it is read again, or `None` if it does not fit the type.
pub(crate) fn round_trip(dtype: &DataType, value: &Json) -> Option<String> {
    let array = build(dtype, &[Some(value)])?;
    let mut out = Vec::new();
    write_json(&array, 0, &mut out).ok()?;
    String::from_utf8(out).ok()
}

/// Converts all values that are not null, or returns `None` if one can't be.
fn each<'a, T>(
    values: &[Value<'a>],
    read: impl Fn(&'a Json) -> Option<T>,
) -> Option<Vec<Option<T>>> {
    let read = |value: &Value<'a>| match value {
        None => Some(None),
        Some(Json::Other(text)) if text == "null" => Some(None),
        Some(value) => read(value).map(Some),
    };
    values.iter().map(read).collect()
}

fn parsed<T: std::str::FromStr>(value: &Json) -> Option<T> {
    match value {
        Json::Other(text) => text.parse().ok(),
        _ => None,
    }
}

/// Reads a float, which may be a word where JSON has no digits.
fn float<T: std::str::FromStr>(value: &Json) -> Option<T> {
    match value {
        Json::Other(text) => text.parse().ok(),
        Json::Text(word) => match word.as_str() {
            "NaN" | "Infinity" | "-Infinity" => word.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn decoded(value: &Json) -> Option<Vec<u8>> {
    STANDARD.decode(value.as_str()?).ok()
}

/// Reads a decimal as the integer of so many digits behind the point.
fn scaled(value: &Json, scale: i8) -> Option<i128> {
    let Json::Other(text) = value else {
        return None;
    };
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let scale = usize::try_from(scale).ok()?;
    let zeros = scale.checked_sub(part.len())?;
    format!("{whole}{part}{}", "0".repeat(zeros)).parse().ok()
}

/// Makes a column of times of the numbers that stand for them.
fn of_ticks(dtype: &DataType, ticks: &dyn Array) -> Option<ArrayRef> {
    let data = ticks.to_data().into_builder().data_type(dtype.clone());
    data.build().ok().map(make_array)
}

type Items = (Vec<usize>, ArrayRef, Option<NullBuffer>);

fn lists(item: &FieldRef, values: &[Value<'_>]) -> Option<Items> {
    let lists = each(values, Json::items)?;
    let lengths = lists
        .iter()
        .map(|list| list.map_or(0, <[_]>::len))
        .collect();
    let items: Vec<_> = lists
        .iter()
        .copied()
        .flatten()
        .flatten()
        .map(Some)
        .collect();
    Some((lengths, build(item.data_type(), &items)?, nulls(&lists)))
}

fn fixed(item: &FieldRef, length: i32, values: &[Value<'_>]) -> Option<ArrayRef> {
    let lists = each(values, Json::items)?;
    let width = usize::try_from(length).ok()?;
    if lists.iter().flatten().any(|list| list.len() != width) {
        return None;
    }
    let items: Vec<Value<'_>> = lists
        .iter()
        .flat_map(|list| (0..width).map(|n| list.map(|list| &list[n])))
        .collect();
    let items = build(item.data_type(), &items)?;
    let made = FixedSizeListArray::try_new(item.clone(), length, items, nulls(&lists));
    made.ok().map(|made| Arc::new(made) as ArrayRef)
}

fn structs(fields: &Fields, values: &[Value<'_>]) -> Option<ArrayRef> {
    let objects = each(values, |value| value.members().map(|_| value))?;
    let columns = fields.iter().map(|field| {
        let members: Vec<_> = objects
            .iter()
            .map(|object| object.and_then(|object| object.get(field.name())))
            .collect();
        build(field.data_type(), &members)
    });
    let columns: Vec<_> = columns.collect::<Option<_>>()?;
    let rows = values.len();
    let made = StructArray::try_new_with_length(fields.clone(), columns, nulls(&objects), rows);
    made.ok().map(|made| Arc::new(made) as ArrayRef)
}

fn nulls<T>(values: &[Option<T>]) -> Option<NullBuffer> {
    let has_null = values.iter().any(Option::is_none);
    has_null.then(|| NullBuffer::from_iter(values.iter().map(Option::is_some)))
}

/// Returns text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    write_text(text, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use arrow_schema::TimeUnit;

    use super::*;
    use crate::feature;

    #[test]
    fn values_come_back() {
        let seconds = DataType::Timestamp(TimeUnit::Second, None);
        for (dtype, text) in [
            (DataType::Int8, "-7"),
            (DataType::Float32, "0.1"),
            (DataType::Float64, "\"-Infinity\""),
            (DataType::Decimal128(10, 2), "1.50"),
            (DataType::Binary, "\"AAE=\""),
            (seconds, "1700000000"),
            (feature::list(DataType::Utf8), "[\"a\", null]"),
            (feature::fixed(DataType::Int64, 2), "[1, 2]"),
            (feature::audio(), "{\"bytes\": \"AA==\", \"path\": null}"),
        ] {
            let value = Json::parse(text).unwrap();
            assert_eq!(round_trip(&dtype, &value).as_deref(), Some(text), "{dtype}");
        }
        for (dtype, text) in [
            (DataType::Int8, "200"),
            (DataType::Int8, "1.0"),
            (DataType::Utf8, "1"),
            (DataType::Float64, "\"x\""),
            (DataType::Decimal128(10, 2), "1.505"),
            (feature::fixed(DataType::Int64, 2), "[1]"),
        ] {
            let value = Json::parse(text).unwrap();
            assert_eq!(round_trip(&dtype, &value), None, "{dtype}");
        }
    }
}
