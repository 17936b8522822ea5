//! Named arrays: `{"NAME":{"dtype":"f32","shape":[1,1,2],"data":[[[1,2]]]}}`.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::value::RawValue;
use spr_core::bytes::MemoryCounter;
use spr_core::model::NamedArray;
use spr_core::{Error, Limits, Result};

use crate::braces::NamedObjects;
use crate::numbers;

/// The fields of an array.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArrayFields<'a> {
    #[serde(borrow)]
    dtype: Cow<'a, str>,
    shape: Vec<u64>,
    #[serde(borrow)]
    data: &'a RawValue,
}

/// Reads all arrays.
pub(crate) fn read(
    fields: &NamedObjects<ArrayFields<'_>>,
    into: &mut Vec<NamedArray>,
    limits: &Limits,
) -> Result<()> {
    let mut held = MemoryCounter::new("a list of arrays");
    for (name, fields) in &fields.0 {
        held.keep(size_of::<NamedArray>() + name.len(), limits)?;
        let dtype = numbers::dtype(&fields.dtype);
        let array = dtype
            .and_then(|dtype| numbers::read_array(fields.data.get(), dtype, &fields.shape, limits));
        into.push(NamedArray {
            array: array.map_err(|e| e.context(name.escape_debug()))?,
            name: name.clone(),
        });
    }
    match twice(into) {
        Some(name) => Err(Error::malformed(format!(
            "'{}' appears twice",
            name.escape_debug()
        ))),
        None => Ok(()),
    }
}

/// Returns a name that two arrays share.
pub(crate) fn twice(arrays: &[NamedArray]) -> Option<&str> {
    let mut names = HashSet::new();
    let mut all = arrays.iter().map(|named| named.name.as_str());
    all.find(|name| !names.insert(*name))
}
