//! Parameter kinds: what HTK says of the numbers in a file.

use std::fmt;

/// A parameter kind with its qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ParameterKind(pub(crate) u16);

/// Names by number.
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
/// Letters by bit, from the lowest on.
const QUALIFIERS: &str = "ENDACZK0VT";
/// The bits of the number; qualifiers follow.
const BASE: u16 = 0o77;
const COMPRESSED: u16 = 0o2000;
const CHECKED: u16 = 0o10000;
const QUANTISED: u16 = 0o40000;

impl ParameterKind {
    /// Features that are none of the others, without qualifiers.
    pub(crate) const USER: Self = Self(9);

    /// Whether HTK has it.
    pub(crate) fn is_known(self) -> bool {
        usize::from(self.0 & BASE) < BASES.len()
    }

    /// What files of this kind hold instead of plain floats, or beside them.
    pub(crate) fn obstacle(self) -> Option<&'static str> {
        let is = |bit| self.0 & bit != 0;
        Some(match self.0 & BASE {
            0 => "samples of sound",
            5 | 10 => "integers",
            _ if is(COMPRESSED) => "compressed numbers",
            _ if is(QUANTISED) => "codes of a vector quantiser",
            _ if is(CHECKED) => "a check sum",
            _ => return None,
        })
    }

    /// Bytes of the smallest thing that a frame of the kind is made of.
    pub(crate) fn unit(self) -> u16 {
        match self.0 & BASE {
            0 | 5 | 10 => 2,
            _ if self.0 & COMPRESSED != 0 => 2,
            _ => 4,
        }
    }

    /// Bytes behind the frames.
    pub(crate) fn trailer(self) -> u64 {
        match self.0 & CHECKED {
            0 => 0,
            _ => 2,
        }
    }
}

/// As HTK writes it, such as `MFCC_E_D`.
impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match BASES.get(usize::from(self.0 & BASE)) {
            Some(name) => f.write_str(name)?,
            None => write!(f, "{}", self.0 & BASE)?,
        }
        for (bit, letter) in (6u32..).zip(QUALIFIERS.chars()) {
            if self.0 >> bit & 1 == 1 {
                write!(f, "_{letter}")?;
            }
        }
        Ok(())
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
        }
        assert!(ParameterKind(12).is_known() && !ParameterKind(13).is_known());
        for kind in [0, 5, 10, 0o2006, 0o40006, 0o10006] {
            assert!(ParameterKind(kind).obstacle().is_some(), "{kind:o}");
        }
        assert_eq!(ParameterKind(0o125706).obstacle(), None);
    }
}
