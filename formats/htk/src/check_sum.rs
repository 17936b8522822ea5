//! The checksum after the data of files with the qualifier `_K`.

/// A running checksum over the 16-bit words of the data, in file order: their remainder when taken
/// as one number.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CheckSum(u32);

/// The divisor.
const DIVISOR: u32 = 36897;

impl CheckSum {
    fn word(&mut self, word: u32) {
        // The remainder is below 2^16.
        self.0 = (self.0 << 16 | word) % DIVISOR;
    }

    /// Adds big-endian floats.
    pub(crate) fn floats(&mut self, values: &[f32]) {
        for value in values {
            let bits = value.to_bits();
            self.word(bits >> 16);
            self.word(bits & 0xffff);
        }
    }

    /// Adds big-endian integers.
    pub(crate) fn integers(&mut self, values: &[i16]) {
        for value in values {
            self.word(u32::from(value.cast_unsigned()));
        }
    }

    /// Returns the checksum.
    pub(crate) fn value(self) -> u16 {
        let [_, _, high, low] = self.0.to_be_bytes();
        u16::from_be_bytes([high, low])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_remainder_of_one_long_number() {
        let mut sum = CheckSum::default();
        sum.integers(&[1, -1, 7]);
        let number = 1u64 << 32 | 0xffff << 16 | 7;
        assert_eq!(u64::from(sum.value()), number % u64::from(DIVISOR));
        let mut floats = CheckSum::default();
        floats.floats(&[f32::from_bits(0x0001_ffff)]);
        let mut words = CheckSum::default();
        words.integers(&[1, -1]);
        assert_eq!(floats.value(), words.value());
    }
}
