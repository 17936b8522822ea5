//! The writer: one array for each field of an utterance.

use std::borrow::Cow;

use spr_core::format::Caps;
use spr_core::model::{Array, KeySet, Matrix, Rank, Utterance, Waveform};
use spr_core::{Error, Remedy, Result};

use super::names::{self, LONE_RATE, Role};
use crate::caps::NAME;
use crate::object;

/// A field of an utterance, with its shape.
pub(crate) type PartOf<'a> = (Role<'a>, Cow<'a, Matrix>, Vec<usize>);

/// Returns the fields of an utterance.
///
/// # Errors
/// Two have the same name.
pub(crate) fn parts(utt: &Utterance) -> Result<Vec<PartOf<'_>>> {
    let mut parts = Vec::new();
    let matrix = |matrix: &Matrix| object::shape_of(matrix);
    if let Some(features) = &utt.features {
        parts.push((Role::Plain, Cow::Borrowed(features), matrix(features)));
    }
    if let Some(labels) = &utt.labels {
        parts.push((Role::Labels, Cow::Borrowed(labels), matrix(labels)));
    }
    if let Some(Waveform { rate, samples }) = utt.waveform() {
        let rate = Matrix::from_rows(&[*rate], 1, Rank::Scalar)?;
        parts.push((Role::Rate, Cow::Owned(rate), Vec::new()));
        parts.push((Role::Audio, Cow::Borrowed(samples), matrix(samples)));
    }
    for named in &utt.arrays {
        let shape = named.array.shape().to_vec();
        let plain = named.name == NAME && shape.len() > 2 && utt.features.is_none();
        // Without sound it is read as an array of this name again.
        let rate = named.name.as_bytes() == LONE_RATE && utt.waveform().is_none();
        let role = match named.name.as_bytes() {
            _ if plain => Role::Plain,
            _ if rate => Role::Rate,
            name => Role::Array(name),
        };
        if parts.iter().any(|(other, ..)| *other == role) {
            let name = named.name.escape_debug();
            return Err(Error::unfit(format!("has two arrays called '{name}'")));
        }
        parts.push((role, Cow::Borrowed(Array::values(&named.array)), shape));
    }
    Ok(parts)
}

/// Checks that an utterance fits into a container with the capabilities `caps`, which already has
/// utterances of these names.
///
/// # Errors
/// It does not fit.
pub(crate) fn check(utt: &Utterance, caps: &Caps, names: &KeySet) -> Result<()> {
    caps.check(utt)?;
    if names.contains(&utt.key) {
        let error = Error::unfit("a second utterance with this key");
        return Err(error.suggest(Remedy::KeepOnlyOne));
    }
    let key = utt.key.as_bytes();
    for (role, ..) in parts(utt)? {
        let name = names::name(key, role);
        let found = names::parse(&name);
        if found != (key, role) {
            let ends = "ends as the name of a part does: .labels, .audio, .rate";
            let message = match (role, found.1) {
                (_, Role::Array(_)) => {
                    "the key holds .array., as the names of arrays do".to_owned()
                }
                (Role::Array(name), _) => format!("the array '{}' {ends}", name.escape_ascii()),
                _ => format!("the key {ends}"),
            };
            return Err(Error::unfit(message));
        }
    }
    Ok(())
}
