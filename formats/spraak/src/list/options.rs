//! Options for lists.

use spr_core::format::{Format, OptionSpec, Options};
use spr_core::{Error, Result};

/// Options for segmentations and corpora.
pub(crate) const OPTIONS: [OptionSpec; 5] = [
    OptionSpec {
        name: "timebase",
        value: "DISCRETE|CONTINUOUS",
        help: "writing segments: frames or seconds (default: frames where all times are such)",
    },
    OptionSpec {
        name: "symbols",
        value: "FILE",
        help: "segments: lines 'NAME ID'; labels are names in the file, numbers outside",
    },
    OptionSpec {
        name: "root",
        value: "DIR",
        help: "reading a corpus: the folder of the files that it lists, which are read too",
    },
    OptionSpec {
        name: "suffix",
        value: "EXT",
        help: "reading a corpus: what its files end in (default: that of the format)",
    },
    OptionSpec {
        name: "cor",
        value: "FILE",
        help: "writing a folder: a corpus file that lists it, with what was said",
    },
];

/// Other options that the list readers accept.
pub(super) const READING: [&str; 8] = [
    "all", "data", "type", "format", "header", "dim1", "fshift", "foffset",
];

/// Returns `true` if the files of a corpus are to be read.
pub(crate) fn is_driving(options: &Options) -> bool {
    ["root", "suffix"].iter().any(|o| options.get(o).is_some())
}

/// Returns whether all lines are read, or as many as the header says, if the options answer that.
pub(crate) fn takes_all(options: &Options) -> Result<Option<bool>> {
    options.choice("all", &[("true", true), ("false", false)])
}

/// Rejects options for lists except those `used`.
pub(crate) fn check_options(options: &Options, used: &[&str]) -> Result<()> {
    for (option, purpose) in [
        ("timebase", "writing segments"),
        ("symbols", "segments"),
        ("root", "reading a corpus"),
        ("suffix", "reading a corpus"),
        ("cor", "writing a folder"),
    ] {
        if options.get(option).is_some() && !used.contains(&option) {
            return Err(Error::usage(format!("option {option} is for {purpose}")));
        }
    }
    Ok(())
}

/// Rejects the options of other data.
pub(super) fn check_others(format: &dyn Format, options: &Options, used: &[&str]) -> Result<()> {
    let own = |name| OPTIONS.iter().any(|own| own.name == name) || used.contains(&name);
    let mut others = format
        .info()
        .options
        .iter()
        .filter(|option| !own(option.name));
    match others.find(|option| options.get(option.name).is_some()) {
        Some(option) => {
            let message = format!("option {} is not for lists", option.name);
            Err(Error::usage(message))
        }
        None => Ok(()),
    }
}
