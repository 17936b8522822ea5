//! Options.

use spr_core::format::{OptionSpec, Options};
use spr_core::{Error, Result};
use spr_syntax::shards;

pub(crate) const AUDIO: OptionSpec = OptionSpec {
    name: "audio",
    value: "wav|flac",
    help: "writing: what samples of sound become (wav); sound files stay as they are",
};

pub(crate) const SOUND: OptionSpec = OptionSpec {
    name: "sound",
    value: "EXTENSION",
    help: "reading: the extension of the sound that is meant, where there is more",
};

pub(crate) const FEATURES: OptionSpec = OptionSpec {
    name: "features",
    value: "EXTENSION",
    help: "the extension of features, such as fbank.npy (npy; feats.npy and features.npy are read, too)",
};

pub(crate) const LABELS: OptionSpec = OptionSpec {
    name: "labels",
    value: "EXTENSION",
    help: "the extension of frame labels (labels.npy; ali.npy is read, too)",
};

pub(crate) const TEXT: OptionSpec = OptionSpec {
    name: "text",
    value: "EXTENSION",
    help: "the extension of text (txt; text and transcript are read, too)",
};

pub(crate) const NAMES: OptionSpec = OptionSpec {
    name: "names",
    value: "keep|escape",
    help: "writing: names that WebDataset would take apart are refused, the default, or escaped, and \
           kept in the sample's json",
};

pub(crate) const ALL: OptionSpec = OptionSpec {
    name: "all",
    value: "true|false",
    help: "reading: what stands behind the end of an archive is read as well, or left out (default: it \
           is an error)",
};

/// All options.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    AUDIO,
    SOUND,
    FEATURES,
    LABELS,
    TEXT,
    NAMES,
    ALL,
    shards::SIZE,
    shards::COUNT,
];

/// The options that say how members are called.
pub(crate) const NEEDED: &[&str] = &[FEATURES.name, LABELS.name, TEXT.name];

/// Returns the extension that an option chooses.
///
/// # Errors
/// It does not fit.
pub(crate) fn extension(
    options: &Options,
    option: &OptionSpec,
    fits: &dyn Fn(&str) -> bool,
) -> Result<Option<String>> {
    let Some(value) = options.get(option.name) else {
        return Ok(None);
    };
    let plain = value.strip_prefix('.').unwrap_or(value).to_lowercase();
    let proper = !plain.is_empty() && !plain.contains('/') && !plain.contains(char::is_control);
    match proper && fits(&plain) {
        true => Ok(Some(plain)),
        false => {
            let message = format!("option {}: '{value}' is no extension of {0}", option.name);
            Err(Error::usage(message))
        }
    }
}
