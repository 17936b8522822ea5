//! NumPy arrays in a pickle, checked.

use spr_core::bytes::ByteOrder;
use spr_core::model::{Dtype, f16};
use spr_core::{Error, Result};

use crate::machine::{ArrayState, Heap, Node, Value};
use crate::payload::Payload;

/// NumPy's codes of element types.
const CODES: [(&str, Dtype); 12] = [
    ("f4", Dtype::F32),
    ("f8", Dtype::F64),
    ("f2", Dtype::F16),
    ("i1", Dtype::I8),
    ("u1", Dtype::U8),
    ("b1", Dtype::Bool),
    ("i2", Dtype::I16),
    ("u2", Dtype::U16),
    ("i4", Dtype::I32),
    ("u4", Dtype::U32),
    ("i8", Dtype::I64),
    ("u8", Dtype::U64),
];

/// Returns NumPy's code of a type.
///
/// # Errors
/// NumPy doesn't know the type.
pub(crate) fn code(dtype: Dtype) -> Result<&'static str> {
    let mut codes = CODES.iter();
    match codes.find(|(_, known)| *known == dtype) {
        Some((code, _)) => Ok(code),
        None => Err(Error::unfit(format!(
            "is of {dtype}, which NumPy doesn't know"
        ))),
    }
}

/// An array of one or two dimensions, whose size in bytes matches its shape.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub(crate) dtype: Dtype,
    pub(crate) order: ByteOrder,
    pub(crate) rows: u64,
    /// The number of columns; `None` for an array of one dimension.
    pub(crate) cols: Option<u64>,
    /// Whether it is stored column by column.
    pub(crate) by_columns: bool,
    pub(crate) data: Payload,
}

impl Array {
    /// The array that `value` is; errors call it `what`.
    ///
    /// # Errors
    /// It is not an array, or not one that is read.
    pub(crate) fn of(heap: &Heap, value: Value, what: &str) -> Result<Self> {
        let Some(Node::Array(Some(state))) = heap.node(value) else {
            return Err(Error::unsupported(format!(
                "the {what} are {}, not an array",
                heap.describe(value)
            )));
        };
        let (dtype, order) = element(heap, state.dtype, what)?;
        let Some(shape) = heap.tuple(state.shape) else {
            return Err(Error::malformed(format!(
                "the shape of the {what} is not a tuple"
            )));
        };
        let size = |value: Value| match value {
            Value::Int(n) => u64::try_from(n).ok(),
            _ => None,
        };
        let dimensions = match *shape {
            [rows] => size(rows).map(|rows| (rows, None)),
            [rows, cols] => size(rows).zip(size(cols)).map(|(r, c)| (r, Some(c))),
            _ => {
                return Err(Error::unsupported(format!(
                    "the {what} have {} dimensions; one or two are read",
                    shape.len()
                )));
            }
        };
        let Some((rows, cols)) = dimensions else {
            return Err(Error::malformed(format!(
                "the shape of the {what} makes no sense"
            )));
        };
        if rows > 0 && cols == Some(0) {
            return Err(Error::unsupported(format!(
                "the {what} have {rows} rows of 0 columns"
            )));
        }
        let Some(Node::Bytes(data)) = heap.node(state.data) else {
            return Err(Error::malformed(format!(
                "the data of the {what} are not bytes"
            )));
        };
        let bytes = rows
            .checked_mul(cols.unwrap_or(1))
            .and_then(|n| n.checked_mul(dtype.size() as u64));
        if !bytes.is_some_and(|bytes| data.can_hold(bytes)) {
            return Err(Error::malformed(format!(
                "the {what} are {} of {}-byte numbers, but have {}",
                heap.describe(value),
                dtype.size(),
                data.describe_len()
            )));
        }
        Ok(Self {
            dtype,
            order,
            rows,
            cols,
            by_columns: state.fortran && rows > 1 && cols.is_some_and(|cols| cols > 1),
            data: data.clone(),
        })
    }

    /// Returns the size of all values in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let values = self.rows.saturating_mul(self.width());
        values.saturating_mul(self.dtype.size() as u64)
    }

    /// Returns the number of values per row.
    pub(crate) fn width(&self) -> u64 {
        self.cols.unwrap_or(1)
    }
}

/// The largest number of dimensions in NumPy.
const DIMENSIONS: usize = 64;

/// Returns the size in bytes of an array with that shape and element type, of any number of
/// dimensions.
///
/// # Errors
/// One of them is invalid, or the type is not supported.
pub(crate) fn bytes(heap: &Heap, shape: Value, dtype: Value) -> Result<u64> {
    let (element, _) = element(heap, dtype, "numbers of an array")?;
    let size = |total: u64, value: &Value| match value {
        Value::Int(n) => total.checked_mul(u64::try_from(*n).ok()?),
        _ => None,
    };
    let sizes = heap.tuple(shape).unwrap_or(&[Value::None]);
    if sizes.len() > DIMENSIONS {
        return Err(Error::malformed(
            "an array of more dimensions than NumPy has",
        ));
    }
    sizes
        .iter()
        .try_fold(element.size() as u64, size)
        .ok_or_else(|| Error::malformed("the shape of an array makes no sense"))
}

/// A Python number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Whole(i64),
    Float(f64),
}

/// Returns the value of a zero-dimensional array, or `None` if it has more than 64 bits.
pub(crate) fn scalar(heap: &Heap, state: &ArrayState) -> Option<Number> {
    let (dtype, order) = element(heap, state.dtype, "number").ok()?;
    let Some(Node::Bytes(data)) = heap.node(state.data) else {
        return None;
    };
    let data = data.inline().filter(|data| data.len() == dtype.size())?;
    let mut bytes = [0; 8];
    let low = bytes.get_mut(..data.len())?;
    low.copy_from_slice(data);
    if order == ByteOrder::Big {
        low.reverse();
    }
    let word = u64::from_le_bytes(bytes);
    let unused = 64 - 8 * u32::try_from(data.len()).ok()?;
    Some(match dtype {
        Dtype::F64 => Number::Float(f64::from_bits(word)),
        Dtype::F32 => Number::Float(f32::from_bits(u32::try_from(word).ok()?).into()),
        Dtype::F16 => Number::Float(f16::from_bits(u16::try_from(word).ok()?).into()),
        Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::I64 => {
            Number::Whole((word << unused).cast_signed() >> unused)
        }
        Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64 | Dtype::Bool => {
            Number::Whole(i64::try_from(word).ok()?)
        }
        _ => return None,
    })
}

/// Returns the element type that `dtype` describes.
fn element(heap: &Heap, dtype: Value, what: &str) -> Result<(Dtype, ByteOrder)> {
    let Some(Node::Dtype { code, state }) = heap.node(dtype) else {
        return Err(Error::malformed(format!(
            "the element type of the {what} is missing"
        )));
    };
    let code = String::from_utf8_lossy(heap.word(*code).unwrap_or(b"?")).into_owned();
    let fields = state.and_then(|state| heap.tuple(state)).unwrap_or(&[]);
    let (plain_state, mark) = state_order(heap, fields);
    let (mark, plain) = match code.as_bytes() {
        [sign @ (b'<' | b'>' | b'=' | b'|'), ..] => (mark.unwrap_or(*sign), &code[1..]),
        _ => (mark.unwrap_or(b'='), &code[..]),
    };
    let order = match mark {
        b'<' => Some(ByteOrder::Little),
        b'>' => Some(ByteOrder::Big),
        b'=' | b'|' => Some(ByteOrder::NATIVE),
        _ => None,
    };
    let Some(order) = order else {
        return Err(Error::malformed(format!(
            "the {what} are of type '{}' in the byte order '{}', which NumPy doesn't have",
            plain.escape_debug(),
            mark.escape_ascii()
        )));
    };
    let known = CODES.iter().find(|(known, _)| *known == plain);
    match known.filter(|_| plain_state) {
        Some((_, dtype)) => Ok((*dtype, order)),
        None => Err(Error::unsupported(format!(
            "the {what} are of NumPy's type '{}'; real numbers of up to 64 bits are read",
            plain.escape_debug()
        ))),
    }
}

/// The largest number of items in the state of an element type.
const LONGEST_STATE: usize = 9;

/// Returns whether the state of an element type is that of a plain number, and its byte order. The
/// state consists of an optional version, the order, the parts of compound types, and numbers.
fn state_order(heap: &Heap, state: &[Value]) -> (bool, Option<u8>) {
    let fields = match state {
        [Value::Int(_), rest @ ..] => rest,
        all => all,
    };
    let Some((&order, rest)) = fields.split_first() else {
        return (true, None);
    };
    // Little of a state is inspected, because it may be long and shared by many arrays.
    let compound = rest
        .iter()
        .take(LONGEST_STATE)
        .take_while(|v| !matches!(v, Value::Int(_)));
    let plain = compound.into_iter().all(|v| *v == Value::None);
    let mark = match heap.word(order) {
        Some(&[mark]) => Some(mark),
        _ => None,
    };
    (plain && mark.is_some(), mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_numpy_has_a_code() {
        for &dtype in Dtype::ALL {
            assert_eq!(code(dtype).is_ok(), dtype != Dtype::Bf16, "{dtype}");
        }
        assert_eq!(code(Dtype::U8).unwrap(), "u1");
        assert_eq!(code(Dtype::Bool).unwrap(), "b1");
    }
}
