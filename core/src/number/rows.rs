//! Rows of numbers in text.

use super::dtype::{Dtype, Element};
use super::shortest;

/// Appends the text of all `values`, separated by `separator`.
pub fn print_row<T: Element>(values: &[T], separator: u8, out: &mut Vec<u8>) {
    print_rows(values, values.len(), b"", separator, out);
    if !values.is_empty() {
        out.pop();
    }
}

/// Appends the text of each of `values` followed by `end`, with `start` before each row of `cols`.
pub fn print_rows<T: Element>(values: &[T], cols: usize, start: &[u8], end: u8, out: &mut Vec<u8>) {
    match bytemuck::try_cast_slice(values) {
        Ok(floats) if T::DTYPE == Dtype::F32 => {
            shortest::print_rows(floats, cols, start, end, out);
        }
        _ => {
            for row in values.chunks(cols.max(1)) {
                out.extend_from_slice(start);
                for value in row {
                    value.print(out);
                    out.push(end);
                }
            }
        }
    }
}
