//! The JSON header before the tensors.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use spr_core::bytes::{ByteOrder, Source};
use spr_core::model::{Array, Dtype};
use spr_core::{Error, Limits, Result};

use super::{LONGEST, METADATA};

/// The names of element types.
const TYPES: &[(&str, Dtype)] = &[
    ("F32", Dtype::F32),
    ("F64", Dtype::F64),
    ("F16", Dtype::F16),
    ("BF16", Dtype::Bf16),
    ("I8", Dtype::I8),
    ("U8", Dtype::U8),
    ("I16", Dtype::I16),
    ("U16", Dtype::U16),
    ("I32", Dtype::I32),
    ("U32", Dtype::U32),
    ("I64", Dtype::I64),
    ("U64", Dtype::U64),
    ("BOOL", Dtype::Bool),
];

/// Returns the name of an element type.
pub(super) fn type_name(dtype: Dtype) -> Option<&'static str> {
    let found = TYPES.iter().find(|(_, other)| *other == dtype);
    found.map(|(name, _)| *name)
}

/// A tensor in the header.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) dtype: String,
    pub(super) shape: Vec<u64>,
    /// The range of its bytes, counted from the end of the header.
    pub(super) data_offsets: [u64; 2],
}

/// A tensor whose range was checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tensor {
    pub(super) dtype: Dtype,
    pub(super) rank: usize,
    pub(super) sizes: [u64; Array::MOST],
    /// The offset in the file.
    pub(super) start: u64,
}

impl Tensor {
    pub(super) fn shape(&self) -> &[u64] {
        &self.sizes[..self.rank]
    }
}

/// Metadata of the data set.
pub(super) type Metadata = BTreeMap<String, String>;

/// A header with its entries in file order.
#[derive(Default)]
struct Entries {
    metadata: Metadata,
    tensors: Vec<(String, Entry)>,
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Entries, A::Error> {
                let mut all = Entries::default();
                while let Some(name) = map.next_key::<String>()? {
                    match name == METADATA {
                        true => all.metadata = map.next_value()?,
                        false => all.tensors.push((name, map.next_value()?)),
                    }
                }
                Ok(all)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// Reads the header of `source`: the metadata, and the tensors in the order of their data. The file
/// is complete.
///
/// # Errors
/// The header is invalid.
pub(super) fn read(
    source: &mut Source,
    limits: &Limits,
) -> Result<(Metadata, Vec<(String, Tensor)>)> {
    let len = source.read_u64(ByteOrder::Little)?;
    if len > LONGEST {
        return Err(source.malformed(format!("a header of {len} bytes, the most is {LONGEST}")));
    }
    source.expect(len)?;
    let mut text = vec![0; source.hold("a header", len, limits)?];
    let at = source.offset();
    source.fill(&mut text)?;
    let begin = source.offset();
    let place = |error: Error| error.file(source.name()).byte(at);
    let all: Entries = serde_json::from_slice(&text).map_err(|e| {
        place(Error::malformed(format!(
            "the header is not as it should be: {e}"
        )))
    })?;
    let mut tensors = Vec::new();
    for (name, entry) in all.tensors {
        let tensor = check(&entry, begin).map_err(|why| {
            let name = name.escape_debug();
            place(Error::malformed(format!("the tensor '{name}' {why}")))
        })?;
        tensors.push((name, tensor, entry.data_offsets));
    }
    tensors.sort_by_key(|(_, _, range)| *range);
    let mut end = 0;
    for (name, _, [first, behind]) in &tensors {
        if *first != end {
            let name = name.escape_debug();
            let message = format!("the tensor '{name}' starts at byte {first}, expected {end}");
            return Err(place(Error::malformed(message)));
        }
        end = *behind;
    }
    match source.remaining() {
        Some(left) if left < end => Err(source.expect(end).err().unwrap_or_else(|| {
            source.malformed(format!(
                "{left} bytes of tensors, the header tells of {end}"
            ))
        })),
        Some(left) if left > end => {
            let message = format!("{left} bytes of tensors, the header tells of {end}");
            Err(source.malformed(message))
        }
        _ => {
            let tensors = tensors.into_iter();
            let tensors = tensors.map(|(name, tensor, _)| (name, tensor));
            Ok((all.metadata, tensors.collect()))
        }
    }
}

/// Checks the range of a tensor after a header that ends at `begin`.
fn check(entry: &Entry, begin: u64) -> std::result::Result<Tensor, String> {
    let known = TYPES.iter().find(|(name, _)| *name == entry.dtype);
    let Some((_, dtype)) = known else {
        return Err(format!("is of type {}", entry.dtype.escape_debug()));
    };
    let mut sizes = [0; Array::MOST];
    let rank = entry.shape.len();
    let Some(into) = sizes.get_mut(..rank) else {
        return Err(format!(
            "has {rank} dimensions, the most is {}",
            Array::MOST
        ));
    };
    into.copy_from_slice(&entry.shape);
    let size = dtype.size() as u64;
    let mut factors = entry.shape.iter();
    let bytes = factors.try_fold(size, |all, n| all.checked_mul(*n));
    let [first, behind] = entry.data_offsets;
    let (Some(bytes), Some(start)) = (bytes, begin.checked_add(first)) else {
        return Err("is too large to be counted".to_owned());
    };
    match behind.checked_sub(first) {
        Some(room) if room == bytes => Ok(Tensor {
            dtype: *dtype,
            rank,
            sizes,
            start,
        }),
        Some(room) => Err(format!("has {room} bytes, its shape asks for {bytes}")),
        None => Err("ends before it starts".to_owned()),
    }
}
/// Prints a value as JSON.
///
/// # Errors
/// It can't be.
pub(super) fn json(value: &(impl Serialize + ?Sized)) -> Result<String> {
    let text = serde_json::to_string(value);
    text.map_err(|e| Error::unsupported(format!("can't be written as JSON: {e}")))
}
