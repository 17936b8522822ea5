//! A reader of bit fields, most significant bit first.

use super::sample::Sample;

/// The reason why a frame cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// More bytes are needed.
    More,
    /// The frame is invalid.
    Bad(&'static str),
}

/// A reader of bit fields.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// The first byte that is not entirely in `next`.
    at: usize,
    /// The next bits, from the top. The bits below `left` are valid or 0.
    next: u64,
    left: u32,
}

impl<'a> Bits<'a> {
    /// The largest number of bits in one number.
    const MOST: u32 = 56;

    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            next: 0,
            left: 0,
        }
    }

    fn refill(&mut self) {
        if let Some(&word) = self.bytes[self.at..].first_chunk() {
            self.next |= u64::from_be_bytes(word) >> self.left;
            let taken = (63 - self.left) / 8;
            self.at += taken as usize;
            self.left += 8 * taken;
            return;
        }
        while self.left < Self::MOST
            && let Some(&byte) = self.bytes.get(self.at)
        {
            self.next |= u64::from(byte) << (Self::MOST - self.left);
            self.at += 1;
            self.left += 8;
        }
    }

    /// Reads the next `n` bits, at most 56, or returns `None` if there are fewer.
    #[inline]
    pub(super) fn take(&mut self, n: u32) -> Option<u64> {
        if self.left < n {
            self.refill();
            if self.left < n {
                return None;
            }
        }
        if n == 0 {
            return Some(0);
        }
        let value = self.next >> (64 - n);
        self.next <<= n;
        self.left -= n;
        Some(value)
    }

    /// Reads the next `n` bits as a signed number.
    #[inline]
    pub(super) fn signed(&mut self, n: u32) -> Option<i64> {
        let value = self.take(n)?;
        match n {
            0 => Some(0),
            n => Some((value << (64 - n)).cast_signed() >> (64 - n)),
        }
    }

    /// Counts the zero bits before the next 1, and consumes that too.
    #[inline]
    pub(super) fn zeros(&mut self) -> Option<u64> {
        let mut zeros = 0;
        loop {
            if self.left == 0 {
                self.refill();
                if self.left == 0 {
                    return None;
                }
            }
            let run = self.next.leading_zeros().min(self.left);
            zeros += u64::from(run);
            // A run is shorter than 64 bits, so that the shifts do not overflow.
            if run < self.left {
                self.next <<= run + 1;
                self.left -= run + 1;
                return Some(zeros);
            }
            self.next <<= run;
            self.left = 0;
        }
    }

    /// Reads numbers in the Rice code of `parameter`, at most 30.
    pub(super) fn rice<S: Sample>(&mut self, parameter: u32, out: &mut [S]) -> Result<(), Fault> {
        // Numbers that are read after one look at the bytes, as far as there are enough bits.
        const STEP: usize = 4;
        let mut seen = 0;
        for numbers in out.chunks_mut(STEP) {
            self.refill();
            for number in numbers {
                let zeros = self.next.leading_zeros();
                let length = zeros + 1 + parameter;
                let code = if length <= self.left {
                    // The first bit is the 1 that ends the zeros.
                    let rest = self.next << zeros << 1;
                    self.next = rest << parameter;
                    self.left -= length;
                    u64::from(zeros) << parameter | rest >> 1 >> (63 - parameter)
                } else {
                    let high = self.zeros().ok_or(Fault::More)?;
                    let low = self.take(parameter).ok_or(Fault::More)?;
                    high << parameter | low
                };
                seen |= code >> u32::BITS;
                // The lowest bit is the sign.
                *number = S::of((code >> 1).cast_signed() ^ -(code & 1).cast_signed());
            }
        }
        match seen {
            0 => Ok(()),
            _ => Err(Fault::Bad("a difference has more than 32 bits")),
        }
    }

    /// Moves to the next byte boundary, and returns its offset.
    pub(super) fn align(&mut self) -> usize {
        let rest = self.left % 8;
        self.next <<= rest;
        self.left -= rest;
        self.at - (self.left / 8) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_length_up_to_the_last_bit() {
        let bytes: Vec<u8> = (0..40u8).map(|n| n.wrapping_mul(37) ^ 0x5a).collect();
        let all: Vec<u64> = bytes
            .iter()
            .flat_map(|b| (0..8).rev().map(move |n| u64::from(b >> n & 1)))
            .collect();
        for len in [0, 1, 3, 7, 8, 13, 32, 33, 56] {
            let (mut bits, mut at) = (Bits::new(&bytes), 0usize);
            while at + len as usize <= all.len() && (len > 0 || at == 0) {
                let end = at + len as usize;
                let want = all[at..end].iter().fold(0, |value, bit| value << 1 | bit);
                assert_eq!(bits.take(len), Some(want), "{len} bits at {at}");
                at = end + usize::from(len == 0);
            }
            if len > 0 {
                assert_eq!(bits.take(len), None, "{len} bits");
            }
        }
    }

    #[test]
    fn runs_of_zeros_and_signs() {
        let mut bits = Bits::new(&[0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0xf4]);
        assert_eq!(bits.zeros(), Some(1));
        assert_eq!(bits.zeros(), Some(77));
        assert_eq!((bits.signed(4), bits.signed(2)), (Some(-1), Some(1)));
        assert_eq!(bits.align(), 11);
        assert_eq!(bits.zeros(), None);
    }

    #[test]
    fn rice_codes_have_32_bits() {
        let number = |bytes: &[u8], parameter| {
            let mut out = [0i64];
            Bits::new(bytes).rice(parameter, &mut out).map(|()| out[0])
        };
        let bad = Err(Fault::Bad("a difference has more than 32 bits"));
        // Zeros and a 1, then 30 bits.
        assert_eq!(
            number(&[0x1f, 0xff, 0xff, 0xff, 0xf0, 0, 0, 0], 30),
            Ok(-0x8000_0000)
        );
        assert_eq!(number(&[0x08, 0, 0, 0, 0, 0, 0, 0], 30), bad);
        assert_eq!(number(&[0, 0, 0, 0, 0, 0, 0, 0, 0x80], 0), Ok(32));
        let mut long = vec![0; 1 << 10];
        long.extend([0x80, 0, 0, 0]);
        assert_eq!(number(&long, 0), Ok(1 << 12));
        assert_eq!(number(&long, 18), Ok(1 << 30));
        assert_eq!(number(&long, 19), bad);
        assert_eq!(number(&[0x80], 8), Err(Fault::More));
        assert_eq!(number(&[0, 0], 8), Err(Fault::More));
    }
}
