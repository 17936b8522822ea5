//! Values of Arrow columns as text, numbers and JSON.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use spr_core::{Error, Result};
use spr_syntax::json::write_text;

/// Returns `true` if values of a type can be shown as JSON.
pub(crate) fn has_json(dtype: &DataType) -> bool {
    use DataType as T;
    match dtype {
        T::List(field) | T::LargeList(field) | T::FixedSizeList(field, _) => {
            has_json(field.data_type())
        }
        T::Struct(fields) => fields.iter().all(|field| has_json(field.data_type())),
        T::Map(field, _) => has_json(field.data_type()),
        T::Dictionary(_, values) => has_json(values),
        T::Interval(_) | T::Union(..) | T::RunEndEncoded(..) => false,
        T::ListView(_) | T::LargeListView(_) => false,
        _ => true,
    }
}

/// Returns the place of a value of a dictionary column among its values.
fn looked_up(array: &dyn Array, row: usize) -> Option<(&ArrayRef, usize)> {
    let dictionary = array.as_any_dictionary_opt()?;
    let key = integer(dictionary.keys(), row)?;
    let at = usize::try_from(key).ok()?;
    (at < dictionary.values().len()).then(|| (dictionary.values(), at))
}

/// Returns the bytes of a value, if it is text or binary and not null.
pub(crate) fn bytes(array: &dyn Array, row: usize) -> Option<&[u8]> {
    if array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row).as_bytes(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row).as_bytes(),
        DataType::Utf8View => array.as_string_view().value(row).as_bytes(),
        DataType::Binary => array.as_binary::<i32>().value(row),
        DataType::LargeBinary => array.as_binary::<i64>().value(row),
        DataType::BinaryView => array.as_binary_view().value(row),
        DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().value(row),
        DataType::Dictionary(..) => {
            let (values, at) = looked_up(array, row)?;
            return bytes(values, at);
        }
        _ => return None,
    })
}

/// Returns `true` for types of text.
pub(crate) fn is_text(dtype: &DataType) -> bool {
    match dtype {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// Returns `true` for types of bytes that are no text.
pub(crate) fn is_binary(dtype: &DataType) -> bool {
    let plain = matches!(
        dtype,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView
    );
    plain || matches!(dtype, DataType::FixedSizeBinary(_))
}

/// Returns the value of an integer that is not null.
pub(crate) fn integer(array: &dyn Array, row: usize) -> Option<i128> {
    if array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Int8 => array.as_primitive::<Int8Type>().value(row).into(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(row).into(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).into(),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).into(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().value(row).into(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).into(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).into(),
        DataType::Dictionary(..) => {
            let (values, at) = looked_up(array, row)?;
            return integer(values, at);
        }
        dtype => ticks(array, dtype, row)?.into(),
    })
}

/// Returns the number that stands for a time or a date.
fn ticks(array: &dyn Array, dtype: &DataType, row: usize) -> Option<i64> {
    fn of<T: ArrowPrimitiveType>(array: &dyn Array, row: usize) -> i64
    where
        T::Native: Into<i64>,
    {
        array.as_primitive::<T>().value(row).into()
    }
    use DataType as T;
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    Some(match dtype {
        T::Date32 => of::<Date32Type>(array, row),
        T::Date64 => of::<Date64Type>(array, row),
        T::Time32(Second) => of::<Time32SecondType>(array, row),
        T::Time32(Millisecond) => of::<Time32MillisecondType>(array, row),
        T::Time64(Microsecond) => of::<Time64MicrosecondType>(array, row),
        T::Time64(Nanosecond) => of::<Time64NanosecondType>(array, row),
        T::Timestamp(Second, _) => of::<TimestampSecondType>(array, row),
        T::Timestamp(Millisecond, _) => of::<TimestampMillisecondType>(array, row),
        T::Timestamp(Microsecond, _) => of::<TimestampMicrosecondType>(array, row),
        T::Timestamp(Nanosecond, _) => of::<TimestampNanosecondType>(array, row),
        T::Duration(Second) => of::<DurationSecondType>(array, row),
        T::Duration(Millisecond) => of::<DurationMillisecondType>(array, row),
        T::Duration(Microsecond) => of::<DurationMicrosecondType>(array, row),
        T::Duration(Nanosecond) => of::<DurationNanosecondType>(array, row),
        _ => return None,
    })
}

/// Appends the digits of a float, or its name in quotes.
fn write_float(value: f64, text: impl FnOnce() -> String, out: &mut Vec<u8>) {
    match value {
        value if value.is_finite() => out.extend_from_slice(text().as_bytes()),
        value if value.is_nan() => out.extend_from_slice(b"\"NaN\""),
        value if value > 0.0 => out.extend_from_slice(b"\"Infinity\""),
        _ => out.extend_from_slice(b"\"-Infinity\""),
    }
}

/// Returns the shortest digits of a float, always with a point or an exponent.
pub(crate) fn digits(value: f64) -> String {
    serde_json::to_string(&value).unwrap_or_default()
}

/// Appends a value as JSON.
///
/// # Errors
/// It has a type that [`has_json`] does not know.
pub(crate) fn write_json(array: &dyn Array, row: usize, out: &mut Vec<u8>) -> Result<()> {
    if array.is_null(row) {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    if let Some(number) = integer(array, row) {
        out.extend_from_slice(number.to_string().as_bytes());
        return Ok(());
    }
    match array.data_type() {
        DataType::Null => out.extend_from_slice(b"null"),
        DataType::Boolean => {
            let value = array.as_boolean().value(row);
            out.extend_from_slice(value.to_string().as_bytes());
        }
        DataType::Float16 => {
            let value = array.as_primitive::<Float16Type>().value(row).to_f32();
            write_float(value.into(), || digits(value.into()), out);
        }
        DataType::Float32 => {
            let value = array.as_primitive::<Float32Type>().value(row);
            let text = || serde_json::to_string(&value).unwrap_or_default();
            write_float(value.into(), text, out);
        }
        DataType::Float64 => {
            let value = array.as_primitive::<Float64Type>().value(row);
            write_float(value, || digits(value), out);
        }
        DataType::Decimal32(..) => write_decimal::<Decimal32Type>(array, row, out),
        DataType::Decimal64(..) => write_decimal::<Decimal64Type>(array, row, out),
        DataType::Decimal128(..) => write_decimal::<Decimal128Type>(array, row, out),
        DataType::Decimal256(..) => write_decimal::<Decimal256Type>(array, row, out),
        DataType::Dictionary(..) => match looked_up(array, row) {
            Some((values, at)) => write_json(values, at, out)?,
            None => return Err(Error::malformed("an entry that its dictionary lacks")),
        },
        DataType::List(_) => write_list(&array.as_list::<i32>().value(row), out)?,
        DataType::LargeList(_) => write_list(&array.as_list::<i64>().value(row), out)?,
        DataType::FixedSizeList(..) => write_list(&array.as_fixed_size_list().value(row), out)?,
        DataType::Map(..) => {
            let entries: ArrayRef = std::sync::Arc::new(array.as_map().value(row));
            write_list(&entries, out)?;
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            out.push(b'{');
            for (n, (field, column)) in fields.iter().zip(columns).enumerate() {
                out.extend_from_slice(if n > 0 { b", " } else { b"" });
                write_text(field.name(), out);
                out.extend_from_slice(b": ");
                write_json(column, row, out)?;
            }
            out.push(b'}');
        }
        dtype => match bytes(array, row) {
            Some(bytes) if is_binary(dtype) => write_text(&STANDARD.encode(bytes), out),
            Some(bytes) => write_text(&String::from_utf8_lossy(bytes), out),
            None => return Err(Error::unsupported(format!("values of the type {dtype}"))),
        },
    }
    Ok(())
}

fn write_decimal<T: arrow_array::types::DecimalType>(
    array: &dyn Array,
    row: usize,
    out: &mut Vec<u8>,
) {
    let text = array.as_primitive::<T>().value_as_string(row);
    out.extend_from_slice(text.as_bytes());
}

fn write_list(items: &ArrayRef, out: &mut Vec<u8>) -> Result<()> {
    out.push(b'[');
    for row in 0..items.len() {
        out.extend_from_slice(if row > 0 { b", " } else { b"" });
        write_json(items, row, out)?;
    }
    out.push(b']');
    Ok(())
}
