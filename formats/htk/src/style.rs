//! How parameter files are written.

use spr_core::bytes::ByteOrder;
use spr_core::format::{OptionSpec, Options};
use spr_core::{Error, Result};

use crate::kind::ParameterKind;

pub(crate) const CHECK: OptionSpec = OptionSpec {
    name: "check",
    value: "true|false",
    help: "write a check sum, as HTK itself does (false)",
};

pub(crate) const COMPRESS: OptionSpec = OptionSpec {
    name: "compress",
    value: "true|false",
    help: "write 16-bit integers and what undoes them, as HTK's _C: digits are lost (false)",
};

pub(crate) const BYTE_ORDER: OptionSpec = OptionSpec {
    name: "byteorder",
    value: "big|little",
    help: "that of the numbers written; HTK expects big (big)",
};

pub(crate) const KIND: OptionSpec = OptionSpec {
    name: "kind",
    value: "NAME",
    help: "the kind of the features written, such as MFCC_E_D_A (default: that of the input, else USER)",
};

/// How a file is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Whether there is a check sum behind the data.
    pub(crate) checked: bool,
    /// Whether features become integers.
    pub(crate) compressed: bool,
    pub(crate) order: ByteOrder,
    /// The kind of all features, whatever they say of theirs.
    pub(crate) kind: Option<ParameterKind>,
}

impl Default for Style {
    /// Plain floats, big-endian.
    fn default() -> Self {
        Self {
            checked: false,
            compressed: false,
            order: ByteOrder::Big,
            kind: None,
        }
    }
}

impl Style {
    /// What the options ask for.
    ///
    /// # Errors
    /// A value is wrong, or two don't go together.
    pub(crate) fn of(options: &Options) -> Result<Self> {
        let orders = [("big", ByteOrder::Big), ("little", ByteOrder::Little)];
        let style = Self {
            checked: options.flag(CHECK.name)?,
            compressed: options.flag(COMPRESS.name)?,
            order: options
                .choice(BYTE_ORDER.name, &orders)?
                .unwrap_or(ByteOrder::Big),
            kind: options.get(KIND.name).map(kind).transpose()?,
        };
        if style.checked && style.order == ByteOrder::Little {
            let message = "check sums are known of big-endian files only";
            return Err(Error::usage(format!("option {}: {message}", CHECK.name)));
        }
        Ok(style)
    }

    /// Bytes of a value of features.
    pub(crate) fn value(&self) -> u64 {
        if self.compressed { 2 } else { 4 }
    }
}

/// The kind that an option names.
fn kind(name: &str) -> Result<ParameterKind> {
    let wrong = |e: Error| e.context(format!("option {}", KIND.name));
    let kind = name.parse::<ParameterKind>().map_err(wrong)?;
    if !kind.is_of_floats() {
        let message = format!("{kind} is not a kind of plain floats");
        let hint = format!(
            "_C is written with {}=true, _K with {}=true",
            COMPRESS.name, CHECK.name
        );
        return Err(wrong(Error::usage(message).hint(hint)));
    }
    Ok(kind)
}
