//! The options of Shar, and the names of its fields.

use spr_core::format::OptionSpec;

use super::super::feature_writer::TICK;

/// The fields with sound and with features.
pub(super) const RECORDING: &str = "recording";
pub(super) const FEATURES: &str = "features";
/// The fields that hold labels, if there are any. The first is written.
pub(super) const LABEL_FIELDS: [&str; 2] = ["labels", "ali"];

pub(super) const FIELDS: OptionSpec = OptionSpec {
    name: "fields",
    value: "A+B",
    help: "when reading, the fields that are read (default: all)",
};

pub(super) const LABELS: OptionSpec = OptionSpec {
    name: "labels",
    value: "FIELD|none",
    help: "the field with the labels (default: labels, or when reading also ali)",
};

pub(super) const SOUND: OptionSpec = OptionSpec {
    name: "sound",
    value: "flac|wav|original",
    help: "when writing, the form of sound: original keeps sound files as they are, and writes others \
           as wav (default: flac)",
};

pub(super) const STORE: OptionSpec = OptionSpec {
    name: "features",
    value: "numpy|lilcom",
    help: "when writing, the form of features: lilcom rounds them (default: numpy)",
};

pub(super) const VALUES: OptionSpec = OptionSpec {
    name: "jsonl",
    value: "A+B",
    help: "when writing, the columns that have files of their own beside the cuts",
};

pub(super) const SIZE: OptionSpec = OptionSpec {
    name: "shard-size",
    value: "N",
    help: "when writing, the cuts of a shard (default: 1000)",
};

pub(super) const FIRST: OptionSpec = OptionSpec {
    name: "first",
    value: "N",
    help: "when writing, the number of the first shard (default: 0)",
};

pub(super) const RATE: OptionSpec = OptionSpec {
    name: "rate",
    value: "HZ",
    help: "when writing features without sound, the rate of the sound that they were computed of",
};

/// All options.
pub(super) const OPTIONS: &[OptionSpec] = &[
    FIELDS, LABELS, SOUND, STORE, TICK, VALUES, SIZE, FIRST, RATE,
];
