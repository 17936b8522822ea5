//! Datasets as fields of utterances.

use hdf5_reader::{Datatype, VarLenKind};
use spr_core::bytes::Env;
use spr_core::model::{Audio, Dtype, Matrix, Rank, Utterance, Waveform};
use spr_core::{Error, Result};

use crate::about::{self, RATES};
use crate::attributes::Attributes;
use crate::dataset::{File, Stored};
use crate::entries::{Part, Rows};
use crate::names::Role;
use crate::types;

/// The numbers that are read. Of others only the shape is set.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) features: bool,
    pub(crate) labels: bool,
}

/// Returns the role of a dataset that has none by its name.
fn role(stored: &Stored, rows: Rows) -> Role {
    let rank = match rows {
        Rows::Item(..) => stored.shape.len().saturating_sub(1),
        _ => stored.shape.len(),
    };
    let has_rate = stored.attributes.get(RATES).is_some();
    match (&stored.number, rank) {
        (None, _) => match &stored.datatype {
            Datatype::String { .. } => Role::Text,
            Datatype::VarLen { kind, .. } if *kind == VarLenKind::String => Role::Text,
            Datatype::VarLen { base, .. } => match types::number(base) {
                Some((dtype, _)) if Dtype::INTEGERS.contains(&dtype) => Role::Labels,
                _ => Role::Features,
            },
            _ => Role::Plain,
        },
        (Some(_), 1) if has_rate => Role::Audio,
        (Some((dtype, _)), 1) if Dtype::INTEGERS.contains(dtype) => Role::Labels,
        (Some(_), 0..=2) => Role::Features,
        _ => Role::Array,
    }
}

/// Reads a dataset into its field. `above` are the attributes of its groups, the nearest last.
///
/// # Errors
/// It is damaged, exceeds the limits, or is none that the field could hold.
pub(crate) fn take(
    file: &File,
    part: Part,
    stored: &Stored,
    above: &[Attributes],
    wanted: Wanted,
    utt: &mut Utterance,
    env: &Env,
) -> Result<()> {
    let is_free = matches!(part.role, Role::Plain | Role::Features | Role::Audio);
    if is_free && file.encoded(stored, part.rows, utt, env)? {
        return Ok(());
    }
    let role = match part.role {
        Role::Plain => role(stored, part.rows),
        // A field that is named may be of more dimensions than it has room for.
        Role::Features if stored.number.is_none() || stored.shape.len() > 2 => {
            role(stored, part.rows)
        }
        role => role,
    };
    match role {
        Role::Features => {
            free(utt.features.is_none(), "features")?;
            let mut features = utt.spare_features();
            file.rows(stored, part.rows, wanted.features, &mut features)?;
            utt.features = Some(features);
        }
        Role::Labels => {
            free(utt.labels.is_none(), "labels")?;
            let mut labels = utt.spare_labels();
            file.rows(stored, part.rows, wanted.labels, &mut labels)?;
            if !Dtype::INTEGERS.contains(&labels.dtype()) {
                let message = format!("holds {} as labels, expected integers", labels.dtype());
                return Err(Error::unsupported(message));
            }
            utt.labels = Some(labels);
        }
        Role::Audio if !matches!(stored.datatype, Datatype::Opaque { .. }) => {
            free(utt.audio.is_none(), "sound")?;
            utt.audio = Some(sound(file, part, stored, above)?);
        }
        Role::Array => utt.arrays.push(file.array(stored)?),
        Role::Text => {
            let text = text(file, part, stored)?;
            let same = utt.text.as_ref().is_none_or(|said| *said == text);
            free(same, "text, which differs,")?;
            utt.text = Some(text);
        }
        Role::Segments => about::segments(&text(file, part, stored)?, utt)?,
        _ if matches!(stored.datatype, Datatype::Opaque { .. }) => {
            file.object(stored, utt, env)?;
        }
        _ => return Err(types::unlike(&stored.datatype, "numbers")),
    }
    Ok(())
}

/// Fails unless a field is free.
fn free(is_free: bool, field: &str) -> Result<()> {
    match is_free {
        true => Ok(()),
        false => Err(Error::malformed(format!(
            "is a second dataset with {field} of one utterance"
        ))),
    }
}

/// Reads samples.
fn sound(file: &File, part: Part, stored: &Stored, above: &[Attributes]) -> Result<Audio> {
    let all = above.iter().chain([&stored.attributes]).rev();
    let rate = all
        .filter_map(|attributes| attributes.get(RATES))
        .next()
        .and_then(|rate| rate.rate());
    let Some(rate) = rate else {
        let message = "is sound without a sampling rate in the attribute sample_rate";
        return Err(Error::unsupported(message));
    };
    let mut samples = Matrix::default();
    file.rows(stored, part.rows, true, &mut samples)?;
    let (rows, cols) = (samples.rows(), samples.cols());
    samples.reshape(Rank::Matrix, rows, cols)?;
    Ok(Audio::Samples(Waveform { rate, samples }))
}

/// Returns the text of an utterance, which is one of several in some files.
fn text(file: &File, part: Part, stored: &Stored) -> Result<Vec<u8>> {
    let only = match part.rows {
        Rows::Ragged(index) | Rows::Item(index, _) => Some(index),
        Rows::All | Rows::Range(..) => None,
    };
    let mut texts = file.texts(stored, only)?;
    match (texts.len(), texts.pop()) {
        (1, Some(text)) => Ok(text),
        (n, _) => {
            let message = format!("holds {n} texts, expected one");
            Err(Error::unsupported(message))
        }
    }
}
