//! The decision between integers and floats by the bits of numbers.

/// Evidence from the bits of tagged numbers in all entries. Zeros do not count.
#[derive(Clone, Copy, Default)]
pub(super) struct Evidence {
    /// Small integers, which would be denormal floats or unusual NaNs.
    integers: usize,
    /// Floats of usual magnitude, which would be huge integers.
    floats: usize,
    /// Infinities and NaNs as produced by processors.
    special: usize,
    /// Numbers that are unusual in both readings.
    odd: usize,
}

/// The conclusion from the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Zeros,
    /// Whether they are floats, and whether that is certain.
    Numbers {
        floats: bool,
        sure: bool,
    },
}

impl Verdict {
    pub(super) fn are_floats(self) -> bool {
        matches!(self, Self::Numbers { floats: true, .. })
    }

    pub(super) fn is_sure(self) -> bool {
        matches!(self, Self::Numbers { sure: true, .. })
    }
}

impl Evidence {
    /// Counts 32-bit numbers.
    pub(super) fn see(&mut self, words: &[i32]) {
        for word in words {
            let float = f32::from_bits(word.cast_unsigned());
            let usual = (1e-18..1e18).contains(&float.abs());
            let special = is_special(float.is_infinite(), float.is_nan(), word.trailing_zeros());
            self.count(*word == 0, word.unsigned_abs() < 1 << 23, usual, special);
        }
    }

    /// Counts 32-bit numbers that are weights if they are floats, and thus may be very small.
    pub(super) fn see_weights(&mut self, words: &[i32]) {
        for word in words {
            let float = f32::from_bits(word.cast_unsigned());
            let usual = (f32::MIN_POSITIVE..1e18).contains(&float.abs());
            let special = is_special(float.is_infinite(), float.is_nan(), word.trailing_zeros());
            self.count(*word == 0, word.unsigned_abs() < 1 << 23, usual, special);
        }
    }

    /// Counts a 64-bit number.
    pub(super) fn see_wide(&mut self, word: i64) {
        let float = f64::from_bits(word.cast_unsigned());
        let usual = (1e-100..1e100).contains(&float.abs());
        let special = is_special(float.is_infinite(), float.is_nan(), word.trailing_zeros());
        self.count(word == 0, word.unsigned_abs() < 1 << 52, usual, special);
    }

    fn count(&mut self, zero: bool, small: bool, usual: bool, special: bool) {
        let count = match () {
            () if zero => return,
            () if special => &mut self.special,
            () if small => &mut self.integers,
            () if usual => &mut self.floats,
            () => &mut self.odd,
        };
        *count += 1;
    }

    /// Returns the more probable reading. It is certain if there is enough evidence and none
    /// against it: a few huge integers may have the bits of floats.
    pub(super) fn verdict(self) -> Verdict {
        /// Fewer floats are no proof.
        const FEW: usize = 4;
        let odd = self.special + self.odd;
        let (floats, sure) = match (self.integers, self.floats) {
            (0, 0) if odd == 0 => return Verdict::Zeros,
            (0, 0) => (self.odd == 0, false),
            (integers, 0) => (false, integers >= odd),
            (0, floats) => (true, floats >= FEW && floats / 4 >= odd),
            (integers, floats) => (floats > integers, false),
        };
        Verdict::Numbers { floats, sure }
    }
}

/// Returns `true` for an infinity, or a NaN whose only other bit is its mark.
fn is_special(infinite: bool, nan: bool, zeros: u32) -> bool {
    // Only the first bit of the fraction is set: 22 of 23, or 51 of 52, are not.
    infinite || (nan && (zeros == 22 || zeros == 51))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[i32]) -> Verdict {
        let mut evidence = Evidence::default();
        evidence.see(words);
        evidence.verdict()
    }

    fn bits(values: &[f32]) -> Vec<i32> {
        values.iter().map(|v| v.to_bits().cast_signed()).collect()
    }

    #[test]
    fn odd_values_do_not_change_what_the_rest_is() {
        let sure = |floats| Verdict::Numbers { floats, sure: true };
        let open = |floats| Verdict::Numbers {
            floats,
            sure: false,
        };
        let usual = [0.5, -1.0, 3.25, 100.0, 0.0, 7.0, 1e-5, 2.5, 9.0];
        for odd in [
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            -f32::NAN,
            1e30,
            -1e-30,
            -0.0,
        ] {
            assert_eq!(
                of(&bits(&[&usual[..], &[odd]].concat())),
                sure(true),
                "{odd}"
            );
        }
        assert_eq!(of(&bits(&[&usual[..], &[1e-40]].concat())), open(true));
        for odd in [i32::MIN, i32::MAX, -1, 1 << 24, -8_388_608, -4_194_304] {
            assert_eq!(of(&[1, 2, 3, odd]), sure(false), "{odd}");
        }
        assert_eq!(of(&[1, 2, 3, 1 << 30]), open(false));
        assert_eq!(of(&[i32::MIN; 9]), open(false));
        assert_eq!(of(&bits(&[f32::NEG_INFINITY])), open(true));
        assert_eq!(of(&bits(&[0.5])), open(true));
        assert_eq!(of(&[0, 0]), Verdict::Zeros);
    }

    #[test]
    fn wide_numbers_are_weighed_alike() {
        let of = |words: &[i64]| {
            let mut evidence = Evidence::default();
            words.iter().for_each(|word| evidence.see_wide(*word));
            evidence.verdict()
        };
        let bits = |value: f64| value.to_bits().cast_signed();
        let usual = [0.5, 1.0, -7.25, 1e9, 3.0, 1e-9, 8.0, 2.5].map(bits);
        for odd in [f64::NEG_INFINITY, f64::NAN, 1e200, -0.0] {
            let verdict = of(&[&usual[..], &[bits(odd)]].concat());
            assert!(verdict.are_floats() && verdict.is_sure(), "{odd}");
        }
        assert!(of(&[5, 6, -1, i64::MIN]).is_sure() && !of(&[5, 6]).are_floats());
        assert!(!of(&[1_700_000_000_000_000_000]).is_sure());
    }
}
