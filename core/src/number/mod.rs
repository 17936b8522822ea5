//! Numbers: their types and byte orders, exact decimals, numbers in text, µ-law and A-law, random
//! numbers that can be had again.

pub mod companding;
mod decimal;
mod dtype;
mod order;
pub mod random;
mod rounding;
mod rows;
mod shortest;
#[cfg(test)]
mod tests;
mod text;

pub use decimal::Decimal;
pub use dtype::{Dtype, Element, Wide, dispatch};
pub use half::{bf16, f16};
pub use order::{ByteOrder, PutNumber, swap_in_place};
pub use rows::{print_row, print_rows};
pub use text::{parse_f32, parse_f64, parse_integer, print_f32};
