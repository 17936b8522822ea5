//! The types of HDF5 as those of numbers.

use hdf5_reader::{ByteOrder as Order, Datatype};
use spr_core::Error;
use spr_core::bytes::ByteOrder;
use spr_core::model::Dtype;

/// The fields of a datatype message of IEEE half precision, from the exponent's place on.
const HALF: [u8; 8] = [10, 5, 0, 10, 15, 0, 0, 0];
/// The same of bfloat16.
const BRAIN: [u8; 8] = [7, 8, 0, 7, 127, 0, 0, 0];
/// Where these fields are in a message.
const FIELDS: std::ops::Range<usize> = 12..20;

fn order(order: Order) -> ByteOrder {
    match order {
        Order::LittleEndian => ByteOrder::Little,
        Order::BigEndian => ByteOrder::Big,
    }
}

/// Returns the type and byte order of numbers. Floats of 16 bits count as [`F16`](Dtype::F16).
pub(crate) fn number(datatype: &Datatype) -> Option<(Dtype, ByteOrder)> {
    Some(match datatype {
        Datatype::FixedPoint {
            size,
            signed,
            byte_order,
        } => {
            let dtype = match (size, signed) {
                (1, true) => Dtype::I8,
                (1, false) => Dtype::U8,
                (2, true) => Dtype::I16,
                (2, false) => Dtype::U16,
                (4, true) => Dtype::I32,
                (4, false) => Dtype::U32,
                (8, true) => Dtype::I64,
                (8, false) => Dtype::U64,
                _ => return None,
            };
            (dtype, order(*byte_order))
        }
        Datatype::FloatingPoint { size, byte_order } => {
            let dtype = match size {
                2 => Dtype::F16,
                4 => Dtype::F32,
                8 => Dtype::F64,
                _ => return None,
            };
            (dtype, order(*byte_order))
        }
        Datatype::Enum { base, members } => {
            let (dtype, order) = number(base)?;
            let names: Vec<_> = members.iter().map(|member| &*member.name).collect();
            match (dtype.size(), &names[..]) {
                (1, ["FALSE", "TRUE"]) => (Dtype::Bool, order),
                _ => (dtype, order),
            }
        }
        _ => return None,
    })
}

/// Returns the number of elements of a shape, unless there are too many to be counted.
pub(crate) fn count(shape: &[u64]) -> Option<u64> {
    shape.iter().try_fold(1u64, |n, dim| n.checked_mul(*dim))
}

/// Returns the type of floats of 16 bits by the bytes of their datatype message.
pub(crate) fn half(message: &[u8]) -> Option<Dtype> {
    match message.get(FIELDS)? {
        fields if fields == HALF => Some(Dtype::F16),
        fields if fields == BRAIN => Some(Dtype::Bf16),
        _ => None,
    }
}

/// Returns the error of a type that is not the expected one, such as numbers.
pub(crate) fn unlike(datatype: &Datatype, expected: &str) -> Error {
    let what = describe(datatype);
    Error::unsupported(format!("holds {what}, expected {expected}"))
}

/// Describes a type that is not one of numbers.
pub(crate) fn describe(datatype: &Datatype) -> &'static str {
    match datatype {
        Datatype::FixedPoint { .. } => "integers of an unusual size",
        Datatype::FloatingPoint { .. } => "floats of an unusual form",
        Datatype::String { .. } => "strings",
        Datatype::Compound { .. } => "compound values or complex numbers",
        Datatype::Array { .. } => "arrays as values",
        Datatype::Enum { .. } => "an enumeration of an unusual type",
        Datatype::VarLen { .. } => "arrays of any length",
        Datatype::Opaque { .. } => "opaque bytes",
        Datatype::Reference { .. } => "references",
        Datatype::Bitfield { .. } => "bit fields",
    }
}
