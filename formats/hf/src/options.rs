//! Options.

use spr_core::Result;
use spr_core::format::{OptionSpec, Options};
use spr_syntax::shards;
use spr_syntax::sound::SoundCodec;

pub(crate) const AUDIO: OptionSpec = OptionSpec {
    name: "audio",
    value: "COLUMN|none",
    help: "reading: the column of sound",
};

pub(crate) const FEATURES: OptionSpec = OptionSpec {
    name: "features",
    value: "COLUMN|none",
    help: "reading: the column of features, lists of lists of numbers",
};

pub(crate) const LABELS: OptionSpec = OptionSpec {
    name: "labels",
    value: "COLUMN|none",
    help: "reading: the column of frame labels, lists of integers",
};

pub(crate) const TEXT: OptionSpec = OptionSpec {
    name: "text",
    value: "COLUMN|none",
    help: "reading: the column of text",
};

pub(crate) const KEY: OptionSpec = OptionSpec {
    name: "key",
    value: "COLUMN|none",
    help: "reading: the column that names the utterances",
};

pub(crate) const SPLIT: OptionSpec = OptionSpec {
    name: "split",
    value: "NAME",
    help: "a folder: the split that is read, or that utterances without one are written to (train)",
};

pub(crate) const CLASSES: OptionSpec = OptionSpec {
    name: "classes",
    value: "COLUMN[+COLUMN…]",
    help: "writing: columns of text whose values are classes",
};

pub(crate) const SOUND: OptionSpec = OptionSpec {
    name: "sound",
    value: "wav|flac",
    help: "writing: what samples of sound become (wav); sound files stay as they are",
};

pub(crate) const SIZE: OptionSpec = OptionSpec {
    name: shards::SIZE.name,
    value: shards::SIZE.value,
    help: "writing a folder: the most bytes of a file, such as 500m (500m)",
};

/// All options.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    AUDIO, FEATURES, LABELS, TEXT, KEY, SPLIT, CLASSES, SOUND, SIZE,
];

/// The value that chooses no column.
pub(crate) const NONE: &str = "none";

/// Returns what samples of sound become.
pub(crate) fn codec(options: &Options) -> Result<SoundCodec> {
    let codec = options.choice(SOUND.name, &SoundCodec::WORDS)?;
    Ok(codec.unwrap_or_default())
}
