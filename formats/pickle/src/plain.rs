//! Arrays made of Python numbers: lists of numbers, lists of lists of numbers, and lists of arrays
//! that are the rows of a matrix.

use spr_core::bytes::ByteOrder;
use spr_core::model::Dtype;
use spr_core::{Error, Result};

use crate::array::{self, Array, Number};
use crate::machine::{Heap, Node, Value};
use crate::payload::Payload;

/// The array that `value` is, or that its numbers make; errors call it `what`.
///
/// # Errors
/// It is neither, or not one that is read.
pub(crate) fn find(heap: &Heap, value: Value, what: &str) -> Result<Array> {
    match heap.list(value) {
        Some(items) => array(heap, items, what),
        None => Array::of(heap, value, what),
    }
}

/// Converts a list of these items to an array; errors call it `what`. Integers become i32, or i64
/// if that is too small; other numbers become f64.
///
/// # Errors
/// The items have different types, or are rows of different lengths.
fn array(heap: &Heap, items: &[Value], what: &str) -> Result<Array> {
    let first = items.first().copied().unwrap_or(Value::None);
    match heap.node(first) {
        Some(Node::List(row) | Node::Tuple(row)) => {
            let cols = row.len();
            let mut rows = Rows::new(heap, items.len().saturating_mul(cols))?;
            for (n, &item) in items.iter().enumerate() {
                let Some(Node::List(row) | Node::Tuple(row)) = heap.node(item) else {
                    return Err(odd(heap, n, item, what, "rows of numbers"));
                };
                if row.len() != cols {
                    return Err(lengths(what, n, row.len() as u64, cols as u64));
                }
                rows.add(heap, row, what)?;
            }
            rows.end(items.len(), Some(cols), what)
        }
        Some(Node::Array(_)) if !is_number(heap, first) => stack(heap, items, what),
        _ => {
            let mut rows = Rows::new(heap, items.len())?;
            rows.add(heap, items, what)?;
            rows.end(items.len(), None, what)
        }
    }
}

/// Converts arrays to the rows of a matrix.
fn stack(heap: &Heap, items: &[Value], what: &str) -> Result<Array> {
    let mut stacked: Option<Array> = None;
    let mut parts = Vec::new();
    for (n, &item) in items.iter().enumerate() {
        // A list, which an array of objects is as well, could be this one.
        let is_array = matches!(heap.node(item), Some(Node::Array(Some(_))));
        if !is_array || heap.list(item).is_some() {
            return Err(odd(heap, n, item, what, "arrays"));
        }
        let row = Array::of(heap, item, what)?;
        let stacked = stacked.get_or_insert(Array {
            rows: items.len() as u64,
            cols: Some(row.rows),
            ..row.clone()
        });
        if row.cols.is_some() || (row.dtype, row.order) != (stacked.dtype, stacked.order) {
            return Err(odd(heap, n, item, what, "rows of one type"));
        }
        if Some(row.rows) != stacked.cols {
            return Err(lengths(what, n, row.rows, stacked.cols.unwrap_or(0)));
        }
        heap.check_work(stacked.bytes())?;
        parts.push(row.data);
    }
    let mut stacked = stacked.ok_or_else(|| Error::malformed("a list of nothing"))?;
    if stacked.cols == Some(0) {
        return Err(Error::unsupported(format!(
            "the {what} have rows of 0 columns"
        )));
    }
    stacked.data = Payload::Parts(parts);
    Ok(stacked)
}

/// Numbers collected for an array.
struct Rows {
    wholes: Vec<i64>,
    /// The numbers as floats, after the first that is not an integer.
    floats: Vec<f64>,
}

impl Rows {
    /// Reserves space for `n` numbers.
    fn new(heap: &Heap, n: usize) -> Result<Self> {
        heap.check_work((n as u64).saturating_mul(8))?;
        Ok(Self {
            wholes: Vec::new(),
            floats: Vec::new(),
        })
    }

    fn add(&mut self, heap: &Heap, row: &[Value], what: &str) -> Result<()> {
        for (n, &item) in row.iter().enumerate() {
            match number(heap, item) {
                Some(Number::Whole(value)) if self.floats.is_empty() => self.wholes.push(value),
                Some(Number::Whole(value)) => self.floats.push(float(value, what)?),
                Some(Number::Float(value)) => {
                    for whole in std::mem::take(&mut self.wholes) {
                        self.floats.push(float(whole, what)?);
                    }
                    self.floats.push(value);
                }
                None => return Err(odd(heap, n, item, what, "numbers of up to 64 bits")),
            }
        }
        Ok(())
    }

    fn end(self, rows: usize, cols: Option<usize>, what: &str) -> Result<Array> {
        if rows > 0 && cols == Some(0) {
            return Err(Error::unsupported(format!(
                "the {what} have rows of 0 columns"
            )));
        }
        let (dtype, data): (_, Vec<u8>) = match self.floats.is_empty() {
            false => (Dtype::F64, bytes(&self.floats, f64::to_ne_bytes)),
            true => {
                let small: Option<Vec<i32>> =
                    self.wholes.iter().map(|n| i32::try_from(*n).ok()).collect();
                match small {
                    Some(small) => (Dtype::I32, bytes(&small, i32::to_ne_bytes)),
                    None => (Dtype::I64, bytes(&self.wholes, i64::to_ne_bytes)),
                }
            }
        };
        Ok(Array {
            dtype,
            order: ByteOrder::NATIVE,
            rows: rows as u64,
            cols: cols.map(|cols| cols as u64),
            by_columns: false,
            data: Payload::Inline(data.into()),
        })
    }
}

fn bytes<T: Copy, const N: usize>(values: &[T], to: fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|value| to(*value)).collect()
}

/// Returns `true` for a Python number or a NumPy scalar.
pub(crate) fn is_number(heap: &Heap, value: Value) -> bool {
    match (value, heap.node(value)) {
        (Value::Int(_) | Value::BigInt | Value::Float(_) | Value::Bool(_), _) => true,
        (_, Some(Node::Array(Some(state)))) => heap.tuple(state.shape) == Some(&[]),
        _ => false,
    }
}

/// Converts a value to a number. Returns `None` if it is not a number, or needs more than 64 bits.
fn number(heap: &Heap, value: Value) -> Option<Number> {
    match (value, heap.node(value)) {
        (Value::Int(n), _) => Some(Number::Whole(n)),
        (Value::Bool(yes), _) => Some(Number::Whole(yes.into())),
        (Value::Float(x), _) => Some(Number::Float(x)),
        (_, Some(Node::Array(Some(state)))) if is_number(heap, value) => array::scalar(heap, state),
        _ => None,
    }
}

/// Converts an integer among floats.
fn float(whole: i64, what: &str) -> Result<f64> {
    let float = whole as f64;
    // From 2^53 on not every integer is a double.
    match whole.unsigned_abs() <= 1 << 53 {
        true => Ok(float),
        false => Err(Error::unsupported(format!(
            "the {what} are floats, and {whole}, which is none"
        ))),
    }
}

fn odd(heap: &Heap, n: usize, item: Value, what: &str, rule: &str) -> Error {
    Error::unsupported(format!(
        "the {what} are a list of {rule}, but item {n} is {}",
        heap.describe(item)
    ))
}

fn lengths(what: &str, n: usize, found: u64, cols: u64) -> Error {
    Error::unsupported(format!(
        "the {what} are a list of rows of {cols}, but row {n} has {found}"
    ))
}
