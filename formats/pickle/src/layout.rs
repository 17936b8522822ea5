//! The layouts of a data set in a pickle.

use spr_core::Result;
use spr_core::format::{OptionSpec, Options};

/// A layout of utterances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// All utterances joined: an array of features, or a pair with one of labels.
    Pdnn,
    /// One entry per utterance, under its name.
    Dict,
    /// One item per utterance.
    List,
}

impl Layout {
    pub(crate) const OPTION: OptionSpec = OptionSpec {
        name: "layout",
        value: "pdnn|dict|list",
        help: "all utterances joined as (features, labels), or a dict or list with an entry an \
               utterance (default: found by content; written: pdnn)",
    };

    const CHOICES: [(&str, Self); 3] = [
        ("pdnn", Self::Pdnn),
        ("dict", Self::Dict),
        ("list", Self::List),
    ];

    /// Returns the layout set by the options.
    pub(crate) fn of(options: &Options) -> Result<Option<Self>> {
        options.choice(Self::OPTION.name, &Self::CHOICES)
    }

    /// Returns its name in options.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pdnn => "pdnn",
            Self::Dict => "dict",
            Self::List => "list",
        }
    }
}

/// An option that reads one entry of several.
pub(crate) const SPLIT: OptionSpec = OptionSpec {
    name: "split",
    value: "train|valid|test|NAME|setN",
    help: "read only this entry, by its name or, from 0, its place",
};
