//! Attributes with one value: numbers, truth values and texts.

use hdf5_reader::messages::attribute::AttributeMessage;
use hdf5_reader::{ByteOrder as Order, Datatype, Hdf5File, VarLenKind};
use spr_core::model::Decimal;

use crate::storage::Shared;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Integer(i128),
    Float(f64),
    Bool(bool),
    Text(Vec<u8>),
}

impl Value {
    /// Returns the value as a number without rounding, also of a text that is one.
    pub(crate) fn decimal(&self) -> Option<Decimal> {
        match self {
            Self::Integer(n) => Decimal::parse(&n.to_string()),
            Self::Float(value) => Decimal::of(*value),
            Self::Bool(_) => None,
            Self::Text(text) => Decimal::parse(std::str::from_utf8(text).ok()?),
        }
    }

    /// Returns a whole number above 0 that fits.
    pub(crate) fn rate(&self) -> Option<u32> {
        let whole = match self {
            Self::Integer(n) => *n,
            Self::Float(value) => Decimal::of(*value)?.to_string().parse().ok()?,
            Self::Bool(_) => return None,
            Self::Text(text) => std::str::from_utf8(text).ok()?.parse().ok()?,
        };
        u32::try_from(whole).ok().filter(|rate| *rate > 0)
    }

    /// Returns the value as text.
    pub(crate) fn text(&self) -> Vec<u8> {
        match self {
            Self::Integer(n) => n.to_string().into_bytes(),
            Self::Float(value) => value.to_string().into_bytes(),
            Self::Bool(value) => value.to_string().into_bytes(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// The attributes of a dataset or a group, with their values if they have a single one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes(Vec<(String, Option<Value>)>);

impl Attributes {
    /// Reads attributes. Those without a single number or text have no value.
    pub(crate) fn new(messages: Vec<AttributeMessage>, shared: &Shared, file: &Hdf5File) -> Self {
        let values = messages.into_iter().map(|message| {
            let value = value(&message, shared, file);
            (message.name, value)
        });
        Self(values.collect())
    }

    /// Returns the value of the first attribute with one of these names.
    pub(crate) fn get(&self, names: &[&str]) -> Option<&Value> {
        let find = |name: &&str| self.0.iter().find(|(other, _)| other == name);
        let found = names.iter().filter_map(find);
        found.filter_map(|(_, value)| value.as_ref()).next()
    }

    /// Returns all with their names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Option<&Value>)> {
        self.0.iter().map(|(name, value)| (&**name, value.as_ref()))
    }
}

fn value(message: &AttributeMessage, shared: &Shared, file: &Hdf5File) -> Option<Value> {
    if message.dataspace.num_elements().ok()? != 1 {
        return None;
    }
    let raw = &message.raw_data;
    match &message.datatype {
        Datatype::String { .. } => Some(Value::Text(trimmed(raw))),
        Datatype::VarLen {
            kind: VarLenKind::String,
            ..
        } => {
            let read = || file.root_group()?.resolve_vlen_reference_bytes(raw, 1);
            shared
                .call(read)
                .ok()
                .map(|text| Value::Text(trimmed(&text)))
        }
        Datatype::FixedPoint {
            size,
            signed,
            byte_order,
        } => {
            let bytes = little(raw, usize::from(*size), *byte_order)?;
            let negative = *signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
            let mut wide = [if negative { 0xff } else { 0 }; 16];
            wide.get_mut(..bytes.len())?.copy_from_slice(&bytes);
            Some(Value::Integer(i128::from_le_bytes(wide)))
        }
        Datatype::FloatingPoint { size, byte_order } => {
            let bytes = little(raw, usize::from(*size), *byte_order)?;
            let value = match *bytes {
                [a, b, c, d] => shortest(f32::from_le_bytes([a, b, c, d])),
                _ => f64::from_le_bytes(bytes.try_into().ok()?),
            };
            Some(Value::Float(value))
        }
        // The truth values of h5py.
        Datatype::Enum { members, .. } => {
            let name = |name: &str| members.iter().find(|member| member.name == name);
            let truths = [name("FALSE")?, name("TRUE")?];
            let truth = truths.map(|member| member.value == *raw);
            (members.len() == 2 && truth[0] != truth[1]).then_some(Value::Bool(truth[1]))
        }
        _ => None,
    }
}

/// Returns the decimal number that was meant by an `f32`: 0.01, not 0.009999999776.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

/// Returns the bytes of a number with the lowest first.
fn little(raw: &[u8], size: usize, order: Order) -> Option<Vec<u8>> {
    let mut bytes = raw.get(..size)?.to_vec();
    if order == Order::BigEndian {
        bytes.reverse();
    }
    Some(bytes)
}

/// Returns a text without the zeros that fill it up.
pub(crate) fn trimmed(text: &[u8]) -> Vec<u8> {
    let end = text
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |at| at + 1);
    text[..end].to_vec()
}
