//! The two logarithmic sample encodings of ITU-T G.711.

/// An 8-bit encoding of 16-bit samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Companding {
    /// µ-law, used in North America and Japan.
    MuLaw,
    /// A-law, used elsewhere.
    ALaw,
}

/// The bias of µ-law, added before the logarithm.
const BIAS: i32 = 0x84;

impl Companding {
    /// The sample that `code` stands for.
    ///
    /// ```
    /// use spr_core::number::companding::Companding;
    ///
    /// assert_eq!(Companding::MuLaw.decode(0x00), -32124);
    /// assert_eq!(Companding::ALaw.decode(0xd5), 8);
    /// ```
    #[expect(clippy::cast_possible_truncation, reason = "at most 32 256")]
    pub fn decode(self, code: u8) -> i16 {
        let (code, positive) = match self {
            Self::MuLaw => (!code, !code & 0x80 == 0),
            Self::ALaw => (code ^ 0x55, (code ^ 0x55) & 0x80 != 0),
        };
        let (segment, step) = (i32::from(code >> 4 & 7), i32::from(code & 15));
        let size = match (self, segment) {
            (Self::MuLaw, _) => (((step << 3) + BIAS) << segment) - BIAS,
            (Self::ALaw, 0) => (step << 4) + 8,
            (Self::ALaw, _) => ((step << 4) + 0x108) << (segment - 1),
        };
        (if positive { size } else { -size }) as i16
    }

    /// Encodes `sample` as the nearest code, except at the edges of segments, where the
    /// recommendation defines the code.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "segments and steps have three and four bits"
    )]
    pub fn encode(self, sample: i16) -> u8 {
        let size = i32::from(sample).abs();
        match self {
            Self::MuLaw => {
                let size = size.min(32_635) + BIAS;
                let segment = 24 - size.leading_zeros();
                let code = (segment << 4) as u8 | (size >> (segment + 3) & 15) as u8;
                !(code | if sample < 0 { 0x80 } else { 0 })
            }
            Self::ALaw => {
                let negative = sample < 0;
                // The intervals of negative samples end where those of positive ones begin.
                let size = (size - i32::from(negative)).min(32_767);
                let segment = 24_u32.saturating_sub(size.leading_zeros());
                let shift = segment.max(1) + 3;
                let code = (segment << 4) as u8 | (size >> shift & 15) as u8;
                (code | if negative { 0 } else { 0x80 }) ^ 0x55
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Companding; 2] = [Companding::MuLaw, Companding::ALaw];

    #[test]
    fn codes_are_those_of_the_recommendation() {
        for (code, mu, a) in [
            (0x00, -32124, -5504),
            (0x80, 32124, 5504),
            (0x7f, 0, -848),
            (0xff, 0, 848),
            (0x55, -716, -8),
            (0xd5, 716, 8),
            (0x2a, -5372, -32256),
            (0xaa, 5372, 32256),
        ] {
            assert_eq!(Companding::MuLaw.decode(code), mu, "{code:#x}");
            assert_eq!(Companding::ALaw.decode(code), a, "{code:#x}");
        }
    }

    #[test]
    fn decoded_samples_have_their_code() {
        for companding in BOTH {
            for code in 0..=255 {
                let again = companding.encode(companding.decode(code));
                // µ-law has two zeros.
                let same = again == code || (companding, code) == (Companding::MuLaw, 0x7f);
                assert!(same, "{companding:?} {code:#x} {again:#x}");
            }
        }
    }

    #[test]
    fn codes_grow_with_samples_and_are_near() {
        for companding in BOTH {
            let trip = |sample| i32::from(companding.decode(companding.encode(sample)));
            let mut last = i32::MIN;
            for sample in i16::MIN..=i16::MAX {
                let (wide, got) = (i32::from(sample), trip(sample));
                assert!(got >= last, "{companding:?} {sample}");
                assert!(
                    (got - wide).abs() <= 8 + wide.abs() / 32,
                    "{companding:?} {sample}"
                );
                last = got;
            }
        }
    }
}
