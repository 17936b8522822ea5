//! Options for writing parameter files.

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

/// The options of a file being written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Whether a checksum follows the data.
    pub(crate) checked: bool,
    /// Whether features are compressed to integers.
    pub(crate) compressed: bool,
    pub(crate) order: ByteOrder,
    /// The kind of all features, which overrides their own.
    pub(crate) kind: Option<ParameterKind>,
}

impl Default for Style {
    /// Returns plain floats, big-endian.
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
    /// Parses the options.
    ///
    /// # Errors
    /// A value is invalid, or two exclude each other.
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

    /// Returns the size of a feature value in bytes.
    pub(crate) fn value(&self) -> u64 {
        if self.compressed { 2 } else { 4 }
    }
}

/// Parses the kind in an option.
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
