//! NumPy arrays: what a pickle says of one, checked.

use spr_core::bytes::ByteOrder;
use spr_core::model::Dtype;
use spr_core::{Error, Result};

use crate::machine::{Heap, Node, Value};
use crate::payload::Payload;

/// The type of an array's elements as they stand in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// One of the common types. NumPy's bools are bytes 0 and 1.
    Plain(Dtype),
    /// Floats of 16 bits.
    Half,
}

impl Stored {
    /// NumPy's codes; the first of a type is the one to write.
    const CODES: &[(&str, Self)] = &[
        ("f4", Self::Plain(Dtype::F32)),
        ("f8", Self::Plain(Dtype::F64)),
        ("f2", Self::Half),
        ("i1", Self::Plain(Dtype::I8)),
        ("u1", Self::Plain(Dtype::U8)),
        ("b1", Self::Plain(Dtype::U8)),
        ("i2", Self::Plain(Dtype::I16)),
        ("u2", Self::Plain(Dtype::U16)),
        ("i4", Self::Plain(Dtype::I32)),
        ("u4", Self::Plain(Dtype::U32)),
        ("i8", Self::Plain(Dtype::I64)),
        ("u8", Self::Plain(Dtype::U64)),
    ];

    /// The code of a type.
    pub(crate) fn code(dtype: Dtype) -> &'static str {
        Self::CODES
            .iter()
            .find(|(_, stored)| *stored == Self::Plain(dtype))
            .map_or("", |(code, _)| code)
    }

    /// Bytes of an element in the file.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Plain(dtype) => dtype.size(),
            Self::Half => 2,
        }
    }

    /// The type that holds it exactly.
    pub(crate) fn dtype(self) -> Dtype {
        match self {
            Self::Plain(dtype) => dtype,
            Self::Half => Dtype::F32,
        }
    }
}

/// An array of one or two dimensions, whose bytes are as many as its shape says.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub(crate) stored: Stored,
    pub(crate) order: ByteOrder,
    pub(crate) rows: u64,
    /// `None` for an array of one dimension.
    pub(crate) cols: Option<u64>,
    /// Column after column.
    pub(crate) by_columns: bool,
    pub(crate) data: Payload,
}

impl Array {
    /// The array that `value` is; errors call it `what`.
    ///
    /// # Errors
    /// It is none, or none that is read.
    pub(crate) fn find(heap: &Heap, value: Value, what: &str) -> Result<Self> {
        let Some(Node::Array(Some(state))) = heap.node(value) else {
            return Err(Error::unsupported(format!(
                "the {what} are {}, not an array",
                heap.describe(value)
            )));
        };
        let (stored, order) = element(heap, state.dtype, what)?;
        let Some(shape) = heap.tuple(state.shape) else {
            return Err(Error::malformed(format!(
                "the shape of the {what} is no tuple"
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
                "the data of the {what} are no bytes"
            )));
        };
        let bytes = rows
            .checked_mul(cols.unwrap_or(1))
            .and_then(|n| n.checked_mul(stored.size() as u64));
        if !bytes.is_some_and(|bytes| data.can_hold(bytes)) {
            return Err(Error::malformed(format!(
                "the {what} are {} of {}-byte numbers, but have {}",
                heap.describe(value),
                stored.size(),
                data.describe_len()
            )));
        }
        Ok(Self {
            stored,
            order,
            rows,
            cols,
            by_columns: state.fortran && rows > 1 && cols.is_some_and(|cols| cols > 1),
            data: data.clone(),
        })
    }

    /// Values a row.
    pub(crate) fn width(&self) -> u64 {
        self.cols.unwrap_or(1)
    }
}

/// Bytes of an array of that shape and element type, of any number of dimensions.
///
/// # Errors
/// One of them makes no sense, or the type is none that is read.
pub(crate) fn bytes(heap: &Heap, shape: Value, dtype: Value) -> Result<u64> {
    let (stored, _) = element(heap, dtype, "numbers of an array")?;
    let size = |total: u64, value: &Value| match value {
        Value::Int(n) => total.checked_mul(u64::try_from(*n).ok()?),
        _ => None,
    };
    let sizes = heap.tuple(shape).unwrap_or(&[Value::None]);
    sizes
        .iter()
        .try_fold(stored.size() as u64, size)
        .ok_or_else(|| Error::malformed("the shape of an array makes no sense"))
}

/// The element type that `dtype` describes.
fn element(heap: &Heap, dtype: Value, what: &str) -> Result<(Stored, ByteOrder)> {
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
    let stored = Stored::CODES.iter().find(|(known, _)| *known == plain);
    match stored.filter(|_| plain_state) {
        Some((_, stored)) => Ok((
            *stored,
            match mark {
                b'<' => ByteOrder::Little,
                b'>' => ByteOrder::Big,
                _ => ByteOrder::NATIVE,
            },
        )),
        None => Err(Error::unsupported(format!(
            "the {what} are of NumPy's type '{}'; real numbers of up to 64 bits are read",
            plain.escape_debug()
        ))),
    }
}

/// Whether the state of an element type is that of a plain number, and its byte order. The state
/// is an optional version, the order, then the parts of compound types, then numbers.
fn state_order(heap: &Heap, state: &[Value]) -> (bool, Option<u8>) {
    let fields = match state {
        [Value::Int(_), rest @ ..] => rest,
        all => all,
    };
    let Some((&order, rest)) = fields.split_first() else {
        return (true, None);
    };
    let compound = rest.iter().take_while(|v| !matches!(v, Value::Int(_)));
    let plain = compound.into_iter().all(|v| *v == Value::None);
    let mark = heap.word(order).and_then(|word| word.first().copied());
    (plain, mark)
}

/// The `f32` that a float of 16 bits stands for.
pub(crate) fn widen_half(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let exponent = u32::from(half >> 10 & 0x1f);
    let fraction = u32::from(half & 0x3ff);
    match exponent {
        0 => {
            // Zero, or a multiple of the smallest step, 2^-24.
            let size = f32::from(half & 0x3ff) * f32::from_bits((127 - 24) << 23);
            f32::from_bits(sign | size.to_bits())
        }
        0x1f => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_widened_exactly() {
        for (half, value) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0400, 6.103_515_6e-5),
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555e-5),
            (0x3555, 0.333_251_95),
            (0xfc00, f32::NEG_INFINITY),
        ] {
            assert_eq!(widen_half(half).to_bits(), f32::to_bits(value), "{half:x}");
        }
        assert_eq!(widen_half(0x8000).to_bits(), (-0.0f32).to_bits());
        assert!(widen_half(0x7e01).is_nan());
    }

    #[test]
    fn every_type_has_a_code() {
        for &dtype in Dtype::ALL {
            assert_eq!(Stored::code(dtype).len(), 2, "{dtype}");
        }
        assert_eq!(Stored::code(Dtype::U8), "u1");
    }
}
