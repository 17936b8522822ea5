//! Pickle protocols.

use spr_core::Result;
use spr_core::format::{OptionSpec, Options};

use crate::coding::StringCoding;

/// A pickle protocol that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Protocol(pub(crate) u8);

impl Protocol {
    pub(crate) const OPTION: OptionSpec = OptionSpec {
        name: "protocol",
        value: "0|1|2|3|4|5",
        help: "the pickle protocol to write (default 2, which every Python loads)",
    };

    const CHOICES: [(&str, Self); 6] = [
        ("0", Self(0)),
        ("1", Self(1)),
        ("2", Self(2)),
        ("3", Self(3)),
        ("4", Self(4)),
        ("5", Self(5)),
    ];

    pub(crate) fn of(options: &Options) -> Result<Self> {
        let choice = options.choice(Self::OPTION.name, &Self::CHOICES)?;
        Ok(choice.unwrap_or(Self(2)))
    }

    /// Returns the encoding of an array's bytes.
    pub(crate) fn coding(self) -> StringCoding {
        match self.0 {
            0 => StringCoding::RawUnicode,
            1 | 2 => StringCoding::Utf8,
            _ => StringCoding::Raw,
        }
    }

    /// Returns the largest encoded size of an array in bytes.
    pub(crate) fn max_len(self) -> u64 {
        match self.0 {
            1..=3 => u32::MAX.into(),
            _ => u64::MAX,
        }
    }
}
