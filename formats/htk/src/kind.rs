//! Parameter kinds, which define the meaning of the numbers.

use std::fmt;
use std::str::FromStr;

use spr_core::{Error, Result, nearest};

/// The data of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Floats.
    Floats,
    /// Floats compressed to 16-bit integers, with scales and offsets before them.
    Compressed,
    /// Reflection coefficients as 16-bit integers.
    Reflections,
    /// 16-bit codes.
    Codes,
    /// 16-bit audio samples.
    Samples,
}

/// A parameter kind with its qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ParameterKind(pub(crate) u16);

/// The names, by number.
const BASES: [&str; 13] = [
    "WAVEFORM",
    "LPC",
    "LPREFC",
    "LPCEPSTRA",
    "LPDELCEP",
    "IREFC",
    "MFCC",
    "FBANK",
    "MELSPEC",
    "USER",
    "DISCRETE",
    "PLP",
    "ANON",
];
/// The letters, from the lowest bit on.
const QUALIFIERS: &str = "ENDACZK0VT";
/// The mask of the base kind; qualifiers are above it.
const BASE: u16 = 0o77;
/// Reflection coefficients as floats.
const LPREFC: u16 = 2;
const COMPRESSED: u16 = 0o2000;
const CHECKED: u16 = 0o10000;
/// The bit of the first qualifier.
const FIRST: u32 = 6;
const QUANTISED: u16 = 0o40000;

impl ParameterKind {
    /// Other features, without qualifiers.
    pub(crate) const USER: Self = Self(9);
    /// Audio.
    pub(crate) const WAVEFORM: Self = Self(0);

    /// Returns `true` if HTK defines the kind.
    pub(crate) fn is_known(self) -> bool {
        usize::from(self.0 & BASE) < BASES.len()
    }

    /// Returns the data in files of this kind.
    pub(crate) fn content(self) -> Content {
        match self.0 & BASE {
            0 => Content::Samples,
            5 => Content::Reflections,
            10 => Content::Codes,
            _ if self.0 & COMPRESSED != 0 => Content::Compressed,
            _ => Content::Floats,
        }
    }

    /// Returns the reason why files of this kind cannot be read, if there is one.
    pub(crate) fn obstacle(self) -> Option<&'static str> {
        (self.0 & QUANTISED != 0).then_some("codes of a vector quantiser beside the frames")
    }

    /// Returns `true` if features of this kind are written as plain floats only.
    pub(crate) fn is_of_floats(self) -> bool {
        let plain = self.0 & (COMPRESSED | CHECKED) == 0;
        plain && self.is_known() && self.obstacle().is_none() && self.content() == Content::Floats
    }

    /// Returns the kind of the decoded features: neither compressed nor with a checksum, and with
    /// reflection coefficients as floats.
    pub(crate) fn as_read(self) -> Self {
        let kind = self.0 & !(COMPRESSED | CHECKED);
        match self.content() {
            Content::Reflections => Self(kind & !BASE | LPREFC),
            _ => Self(kind),
        }
    }

    /// Returns `true` if HTK compresses features of this kind. It writes reflection coefficients as
    /// another kind instead.
    pub(crate) fn is_compressible(self) -> bool {
        self.is_of_floats() && self.0 & BASE != LPREFC
    }

    /// Adds the qualifier for compression.
    pub(crate) fn compressed(self) -> Self {
        Self(self.0 | COMPRESSED)
    }

    /// Adds the qualifier for a checksum.
    pub(crate) fn with_check_sum(self) -> Self {
        Self(self.0 | CHECKED)
    }

    /// Returns the size of the smallest unit of a frame in bytes.
    pub(crate) fn unit(self) -> u16 {
        match self.0 & BASE {
            0 | 5 | 10 => 2,
            _ if self.0 & COMPRESSED != 0 => 2,
            _ => 4,
        }
    }

    /// Returns the number of bytes after the frames.
    pub(crate) fn trailer(self) -> u64 {
        match self.0 & CHECKED {
            0 => 0,
            _ => 2,
        }
    }
}

/// Formats the kind as in HTK, such as `MFCC_E_D`.
impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match BASES.get(usize::from(self.0 & BASE)) {
            Some(name) => f.write_str(name)?,
            None => write!(f, "{}", self.0 & BASE)?,
        }
        for (bit, letter) in (FIRST..).zip(QUALIFIERS.chars()) {
            if self.0 >> bit & 1 == 1 {
                write!(f, "_{letter}")?;
            }
        }
        Ok(())
    }
}

/// Parses the output of [`Display`](fmt::Display), or the number of the kind.
impl FromStr for ParameterKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = |kind: &Self| kind.is_known();
        if let Some(kind) = text.parse().ok().map(Self).filter(known) {
            return Ok(kind);
        }
        let mut words = text.split('_');
        let name = words.next().unwrap_or_default();
        let base = BASES.into_iter().zip(0..).find(|(base, _)| *base == name);
        let (_, mut kind) = base.ok_or_else(|| {
            let message = format!("'{text}' is no parameter kind of HTK");
            Error::usage(message).hint(match nearest(name, BASES) {
                Some(near) => format!("did you mean '{near}'?"),
                None => format!("known: {}", BASES.join(", ")),
            })
        })?;
        for word in words {
            let mut qualifiers = (FIRST..).zip(QUALIFIERS.chars());
            let found = qualifiers.find(|(_, letter)| word == letter.encode_utf8(&mut [0; 4]));
            let (bit, _) = found.ok_or_else(|| {
                let message = format!("'{text}': HTK has no qualifier '_{word}'");
                let letters: Vec<_> = QUALIFIERS.chars().map(|c| format!("_{c}")).collect();
                Error::usage(message).hint(format!("known: {}", letters.join(", ")))
            })?;
            kind |= 1 << bit;
        }
        Ok(Self(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_htks_names() {
        for (kind, name) in [
            (9, "USER"),
            (0o100 + 6, "MFCC_E"),
            (0o2000 + 0o400 + 6, "MFCC_D_C"),
            (0o10000 + 11, "PLP_K"),
            (0o177706, "MFCC_E_N_D_A_C_Z_K_0_V_T"),
            (13, "13"),
        ] {
            assert_eq!(ParameterKind(kind).to_string(), name);
            let back = name.parse::<ParameterKind>();
            assert_eq!(
                back.ok(),
                Some(ParameterKind(kind)).filter(|k| k.is_known())
            );
        }
        assert_eq!("838".parse().ok(), Some(ParameterKind(838)));
        for (name, why) in [
            ("MFC", "'MFC' is no parameter kind"),
            ("mfcc", "no parameter kind"),
            ("", "no parameter kind"),
            ("MFCC_", "no qualifier '_'"),
            ("MFCC_EE", "no qualifier '_EE'"),
            ("13", "no parameter kind"),
        ] {
            let error = name.parse::<ParameterKind>().unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        assert!(ParameterKind(12).is_known() && !ParameterKind(13).is_known());
        for kind in [0, 5, 10, 0o2006, 0o40006, 0o10006, 13] {
            assert!(!ParameterKind(kind).is_of_floats(), "{kind:o}");
        }
        assert!(ParameterKind(0o125706).is_of_floats());
        assert_eq!(ParameterKind(0o12406).as_read(), ParameterKind(0o406));
        assert_eq!(ParameterKind(0o105).as_read(), ParameterKind(0o102));
    }
}
