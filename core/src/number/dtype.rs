//! Element types.

use std::fmt;
use std::str::FromStr;

use half::{bf16, f16};
use serde::{Deserialize, Serialize};

use super::{rounding, text as number};
use crate::error::{Error, Result};

/// The type of elements. Integers are two's complement, floats IEEE 754 except
/// [`Bf16`](Self::Bf16).
///
/// The list is closed on purpose: a `match` that forgets a type does not compile, so that a new
/// type cannot be read as zeros anywhere.
///
/// ```compile_fail,E0004
/// use spr_core::model::Dtype;
/// fn size(dtype: Dtype) -> usize {
///     match dtype {
///         Dtype::Bool | Dtype::I8 | Dtype::U8 => 1,
///         Dtype::F16 | Dtype::I16 | Dtype::U16 => 2, // Bf16 is forgotten
///         Dtype::F32 | Dtype::I32 | Dtype::U32 => 4,
///         Dtype::F64 | Dtype::I64 | Dtype::U64 => 8,
///     }
/// }
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub enum Dtype {
    /// 32-bit float.
    #[default]
    F32,
    /// 64-bit float.
    F64,
    /// Signed byte.
    I8,
    /// Unsigned byte.
    U8,
    /// Signed 16-bit integer.
    I16,
    /// Unsigned 16-bit integer.
    U16,
    /// Signed 32-bit integer.
    I32,
    /// Unsigned 32-bit integer.
    U32,
    /// Signed 64-bit integer.
    I64,
    /// Unsigned 64-bit integer.
    U64,
    /// 16-bit float.
    F16,
    /// The upper half of a 32-bit float, as used in neural networks.
    Bf16,
    /// A boolean: a byte of 0 or 1.
    Bool,
}

/// Runs `$body`, where `$T` is the Rust type of `$dtype`.
///
/// ```
/// use spr_core::{dispatch, model::Dtype};
/// let size = dispatch!(Dtype::I16, T => size_of::<T>());
/// assert_eq!(size, 2);
/// ```
#[macro_export]
macro_rules! dispatch {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            $crate::number::Dtype::F32 => {
                type $T = f32;
                $body
            }
            $crate::number::Dtype::F64 => {
                type $T = f64;
                $body
            }
            $crate::number::Dtype::I8 => {
                type $T = i8;
                $body
            }
            $crate::number::Dtype::U8 => {
                type $T = u8;
                $body
            }
            $crate::number::Dtype::I16 => {
                type $T = i16;
                $body
            }
            $crate::number::Dtype::U16 => {
                type $T = u16;
                $body
            }
            $crate::number::Dtype::I32 => {
                type $T = i32;
                $body
            }
            $crate::number::Dtype::U32 => {
                type $T = u32;
                $body
            }
            $crate::number::Dtype::I64 => {
                type $T = i64;
                $body
            }
            $crate::number::Dtype::U64 => {
                type $T = u64;
                $body
            }
            $crate::number::Dtype::F16 => {
                type $T = $crate::number::f16;
                $body
            }
            $crate::number::Dtype::Bf16 => {
                type $T = $crate::number::bf16;
                $body
            }
            $crate::number::Dtype::Bool => {
                type $T = bool;
                $body
            }
        }
    };
}
pub use dispatch;

impl Dtype {
    /// The integers, the usual one of labels first.
    pub const INTEGERS: &'static [Self] = &[
        Self::I32,
        Self::I64,
        Self::I8,
        Self::U8,
        Self::I16,
        Self::U16,
        Self::U32,
        Self::U64,
    ];

    /// The element types that NumPy has as well.
    pub const NUMPY: &'static [Self] = &[
        Self::F32,
        Self::F64,
        Self::F16,
        Self::I8,
        Self::U8,
        Self::I16,
        Self::U16,
        Self::I32,
        Self::U32,
        Self::I64,
        Self::U64,
        Self::Bool,
    ];

    /// All element types.
    pub const ALL: &'static [Self] = &[
        Self::F32,
        Self::F64,
        Self::I8,
        Self::U8,
        Self::I16,
        Self::U16,
        Self::I32,
        Self::U32,
        Self::I64,
        Self::U64,
        Self::F16,
        Self::Bf16,
        Self::Bool,
    ];

    /// The types that most programs support: integers and floats except narrow floats and booleans.
    pub const COMMON: &'static [Self] = &[
        Self::F32,
        Self::F64,
        Self::I8,
        Self::U8,
        Self::I16,
        Self::U16,
        Self::I32,
        Self::U32,
        Self::I64,
        Self::U64,
    ];

    /// Returns the size of an element in bytes.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Bool => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// Returns the short name: `f32`, `i16`, …
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I16 => "i16",
            Self::U16 => "u16",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::Bool => "bool",
        }
    }

    /// Returns `true` for floats.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64 | Self::F16 | Self::Bf16)
    }

    /// Returns `true` if it can hold negative numbers.
    pub fn is_signed(self) -> bool {
        !matches!(
            self,
            Self::U8 | Self::U16 | Self::U32 | Self::U64 | Self::Bool
        )
    }

    /// Returns the number of bits of the integers that it holds without gaps.
    pub(crate) fn digits(self) -> usize {
        match self {
            Self::F32 => 24,
            Self::F64 => 53,
            Self::F16 => 11,
            Self::Bf16 => 8,
            Self::Bool => 1,
            Self::I8
            | Self::U8
            | Self::I16
            | Self::U16
            | Self::I32
            | Self::U32
            | Self::I64
            | Self::U64 => 8 * self.size() - usize::from(self.is_signed()),
        }
    }

    /// Returns the sample value of silence: 0, or the middle of an unsigned type.
    pub fn silence(self) -> i128 {
        match self.is_signed() {
            true => 0,
            false => 1 << (8 * self.size() - 1),
        }
    }

    /// Returns the full scale of samples, counted from silence: the value that corresponds to 1 in
    /// floats.
    pub fn full(self) -> f64 {
        match self.is_float() {
            true => 1.0,
            false => (0..8 * self.size() - 1).fold(1.0, |full, _| 2.0 * full),
        }
    }

    /// Returns the largest power of two, and the smallest above 0, that a float holds.
    fn exponents(self) -> (i32, i32) {
        match self {
            Self::F64 => (1023, -1074),
            Self::F16 => (15, -24),
            Self::Bf16 => (127, -133),
            _ => (127, -149),
        }
    }

    /// Returns `true` if every value of `self` has an equal value in `to`.
    pub(crate) fn fits(self, to: Self) -> bool {
        match (self.is_float(), to.is_float()) {
            (true, false) => false,
            (true, true) => {
                let ((high, low), (most, least)) = (self.exponents(), to.exponents());
                self.digits() <= to.digits() && high <= most && low >= least
            }
            // 65535, with 16 bits, is out of range of 16-bit floats, which have fewer bits anyway.
            (false, _) => self.digits() <= to.digits() && (to.is_signed() || !self.is_signed()),
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dtype {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|d| d.name() == text)
            .ok_or_else(|| {
                let known: Vec<_> = Self::ALL.iter().map(|d| d.name()).collect();
                let all = format!("known: {}", known.join(", "));
                Error::usage(format!("unknown element type '{text}'")).hint(
                    match known.iter().find(|name| spelt_out(name) == text) {
                        Some(name) => format!("did you mean '{name}'? {all}"),
                        None => all,
                    },
                )
            })
    }
}

/// Returns NumPy's name of an element type.
fn spelt_out(name: &str) -> String {
    let long = [
        ("bf", "bfloat"),
        ("f", "float"),
        ("i", "int"),
        ("u", "uint"),
    ];
    let found = long.iter().find_map(|(short, long)| {
        let bits = name.strip_prefix(short)?;
        Some(format!("{long}{bits}"))
    });
    found.unwrap_or_else(|| name.to_owned())
}

/// A value between two element types.
#[derive(Clone, Copy)]
pub enum Wide {
    /// Any integer.
    Int(i128),
    /// Any float.
    Float(f64),
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that can be the element of a [`Matrix`](crate::model::Matrix).
pub trait Element:
    bytemuck::NoUninit
    + bytemuck::CheckedBitPattern
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + sealed::Sealed
{
    /// The matching run-time type.
    const DTYPE: Dtype;
    /// Widens the value without loss.
    fn to_wide(self) -> Wide;
    /// Returns the nearest value of this type: rounded, clipped to the range, NaN as 0 in integers.
    fn nearest(wide: Wide) -> Self;
    /// Appends the shortest text that reads back to the same value.
    fn print(self, out: &mut Vec<u8>);
    /// Parses all of `text`. Returns `None` if it is not a number or out of range.
    fn parse(text: &[u8]) -> Option<Self>;
}

macro_rules! integer_element {
    ($($t:ty => $dtype:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: Dtype = Dtype::$dtype;
            #[inline]
            fn to_wide(self) -> Wide {
                Wide::Int(i128::from(self))
            }
            #[inline]
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss,
                reason = "clipped before, and float casts saturate")]
            fn nearest(wide: Wide) -> Self {
                match wide {
                    Wide::Int(v) => v.clamp(i128::from(<$t>::MIN), i128::from(<$t>::MAX)) as $t,
                    Wide::Float(v) => v.round_ties_even() as $t,
                }
            }
            #[inline]
            fn print(self, out: &mut Vec<u8>) {
                out.extend_from_slice(itoa::Buffer::new().format(self).as_bytes());
            }
            #[inline]
            fn parse(text: &[u8]) -> Option<Self> {
                number::parse_integer(text)
            }
        }
    )*};
}

integer_element!(i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64);

macro_rules! float_element {
    ($t:ty, $dtype:ident, $print:path, $parse:path) => {
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: Dtype = Dtype::$dtype;
            #[inline]
            fn to_wide(self) -> Wide {
                Wide::Float(f64::from(self))
            }
            #[inline]
            #[allow(
                clippy::cast_possible_truncation,
                reason = "the nearest value is asked for"
            )]
            fn nearest(wide: Wide) -> Self {
                match wide {
                    Wide::Int(v) => v as $t,
                    Wide::Float(v) => v as $t,
                }
            }
            #[inline]
            fn print(self, out: &mut Vec<u8>) {
                $print(self, out);
            }
            #[inline]
            fn parse(text: &[u8]) -> Option<Self> {
                $parse(text)
            }
        }
    };
}

float_element!(f32, F32, number::print_f32, number::parse_f32);
float_element!(f64, F64, number::print_f64, number::parse_f64);

/// 16-bit floats, which are parsed and printed through wider ones.
macro_rules! narrow_element {
    ($t:ty, $dtype:ident) => {
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: Dtype = Dtype::$dtype;
            #[inline]
            fn to_wide(self) -> Wide {
                Wide::Float(self.to_f64())
            }
            #[inline]
            fn nearest(wide: Wide) -> Self {
                let wide = match wide {
                    Wide::Int(v) => rounding::to_f64(v),
                    Wide::Float(v) => v,
                };
                Self::from_f32(rounding::to_f32(wide))
            }
            fn print(self, out: &mut Vec<u8>) {
                // Five digits distinguish all of them; fewer are enough for most.
                let digits = (0..5).map(|n| format!("{:.n$e}", self.to_f32()));
                let mut values = digits.filter_map(|text| Some((text.parse::<f32>().ok()?, text)));
                match values.find(|(value, _)| Self::from_f32(*value) == self) {
                    Some((value, _)) => number::print_f32(value, out),
                    None => number::print_f32(self.to_f32(), out),
                }
            }
            fn parse(text: &[u8]) -> Option<Self> {
                let value = number::parse_f64(text)?;
                let nearest = Self::nearest(Wide::Float(value));
                (nearest.is_finite() || !value.is_finite()).then_some(nearest)
            }
        }
    };
}

narrow_element!(f16, F16);
narrow_element!(bf16, Bf16);

impl sealed::Sealed for bool {}

impl Element for bool {
    const DTYPE: Dtype = Dtype::Bool;
    #[inline]
    fn to_wide(self) -> Wide {
        Wide::Int(self.into())
    }
    #[inline]
    fn nearest(wide: Wide) -> Self {
        match wide {
            Wide::Int(v) => v > 0,
            Wide::Float(v) => v > 0.5,
        }
    }
    fn print(self, out: &mut Vec<u8>) {
        out.push(if self { b'1' } else { b'0' });
    }
    fn parse(text: &[u8]) -> Option<Self> {
        match text {
            b"0" | b"false" => Some(false),
            b"1" | b"true" => Some(true),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for &dtype in Dtype::ALL {
            assert_eq!(dtype.name().parse::<Dtype>().unwrap(), dtype);
            assert_eq!(dispatch!(dtype, T => T::DTYPE), dtype);
            assert_eq!(dispatch!(dtype, T => size_of::<T>()), dtype.size());
        }
        assert!("f8".parse::<Dtype>().is_err());
    }

    #[test]
    fn fits_is_exact() {
        assert!(Dtype::I16.fits(Dtype::F32));
        assert!(!Dtype::I32.fits(Dtype::F32));
        assert!(Dtype::U32.fits(Dtype::F64));
        assert!(!Dtype::I8.fits(Dtype::U64));
        assert!(Dtype::U8.fits(Dtype::I16));
        assert!(!Dtype::F32.fits(Dtype::I64));
        assert!(Dtype::F16.fits(Dtype::F32) && Dtype::Bf16.fits(Dtype::F32));
        assert!(!Dtype::F16.fits(Dtype::Bf16) && !Dtype::Bf16.fits(Dtype::F16));
        assert!(Dtype::U8.fits(Dtype::Bf16) && Dtype::I8.fits(Dtype::Bf16));
        assert!(Dtype::Bool.fits(Dtype::F16) && !Dtype::U16.fits(Dtype::F16));
    }
}
