//! A writer of bit fields, most significant bit first.

/// A buffer to which bit fields are appended.
#[derive(Default)]
pub(super) struct BitWriter {
    /// The bytes written, and zeros behind them.
    bytes: Vec<u8>,
    /// The number of whole bytes.
    end: usize,
    /// The bits behind them are the lowest `count`. Those above were written already.
    rest: u64,
    /// The number of bits behind the whole bytes, at most 7.
    count: u32,
}

impl BitWriter {
    /// The largest number of bits in one number.
    const MOST: u32 = 56;

    /// Makes room for `bits` more bits.
    fn reserve(&mut self, bits: u64) {
        let more = usize::try_from(bits / 8).unwrap_or(usize::MAX);
        let len = self.end.saturating_add(more).saturating_add(16);
        if self.bytes.len() < len {
            self.bytes.resize(len.max(2 * self.bytes.len()), 0);
        }
    }

    /// Appends the lowest `n` bits of `value`, at most 56. The bits above them are 0.
    #[inline]
    pub(super) fn put(&mut self, value: u64, n: u32) {
        self.reserve(u64::from(Self::MOST));
        let mut cursor = self.cursor();
        cursor.put(value, n);
        (self.rest, self.count, self.end) = cursor.place();
    }

    /// Appends the lowest `n` bits of a signed number.
    #[inline]
    pub(super) fn put_signed(&mut self, value: i32, n: u32) {
        let mask = (1u64 << n) - 1;
        self.put(i64::from(value).cast_unsigned() & mask, n);
    }

    /// Appends `n` zeros and a 1.
    pub(super) fn put_unary(&mut self, n: u32) {
        for _ in 0..n / Self::MOST {
            self.put(0, Self::MOST);
        }
        self.put(0, n % Self::MOST);
        self.put(1, 1);
    }

    /// Appends numbers in the Rice code of `parameter`, at most 30.
    pub(super) fn put_rice(&mut self, numbers: &[i32], parameter: u32) {
        let high = numbers.iter().map(|n| u64::from(zigzag(*n) >> parameter));
        let bits = high.sum::<u64>() + numbers.len() as u64 * u64::from(1 + parameter);
        self.reserve(bits + u64::from(Self::MOST));
        let (stop, mask) = (1u64 << parameter, (1u64 << parameter) - 1);
        let mut cursor = self.cursor();
        for number in numbers {
            let code = u64::from(zigzag(*number));
            let length = (code >> parameter) + u64::from(1 + parameter);
            let low = stop | code & mask;
            match u32::try_from(length) {
                Ok(length @ ..=Self::MOST) => cursor.put(low, length),
                _ => {
                    let zeros = code >> parameter;
                    for _ in 0..zeros / u64::from(Self::MOST) {
                        cursor.put(0, Self::MOST);
                    }
                    cursor.put(0, u32::try_from(zeros % u64::from(Self::MOST)).unwrap_or(0));
                    cursor.put(low, 1 + parameter);
                }
            }
        }
        (self.rest, self.count, self.end) = cursor.place();
    }

    /// Fills the last byte with zeros, and returns all bytes so far.
    pub(super) fn align(&mut self) -> &[u8] {
        if self.count > 0 {
            self.put(0, 8 - self.count);
        }
        &self.bytes[..self.end]
    }

    /// Returns all bytes. Bits of an unfinished one are lost.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.truncate(self.end);
        self.bytes
    }

    fn cursor(&mut self) -> Cursor<'_> {
        Cursor {
            start: self.end,
            bytes: &mut self.bytes[self.end..],
            end: 0,
            rest: self.rest,
            count: self.count,
        }
    }
}

/// The state of a [`BitWriter`] in registers.
struct Cursor<'a> {
    /// The room behind the bytes that were there.
    bytes: &'a mut [u8],
    /// The number of bytes that were there.
    start: usize,
    end: usize,
    rest: u64,
    count: u32,
}

impl Cursor<'_> {
    #[inline(always)]
    fn put(&mut self, value: u64, n: u32) {
        self.rest = self.rest << n | value;
        self.count += n;
        // In two steps, as the whole shift can be 64.
        let word = self.rest << 1 << (63 - self.count);
        if let Some(place) = self.bytes.get_mut(self.end..self.end + 8) {
            place.copy_from_slice(&word.to_be_bytes());
        }
        self.end += (self.count / 8) as usize;
        self.count %= 8;
    }

    /// Returns the bits of an unfinished byte, their number, and the number of whole bytes.
    fn place(self) -> (u64, u32, usize) {
        (self.rest, self.count, self.start + self.end)
    }
}

/// Maps numbers to 0, -1, 1, -2, 2 …
#[inline(always)]
pub(super) fn zigzag(number: i32) -> u32 {
    (number << 1 ^ number >> 31).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::super::super::bits::Bits;
    use super::*;

    #[test]
    fn fields_are_read_back() {
        let mut out = BitWriter::default();
        let value = |n: u32| 0x00de_adbe_efca_fe55 >> (56 - n);
        for n in (1..=56).chain([0, 8, 0, 3]) {
            out.put(if n == 0 { 0 } else { value(n) }, n);
        }
        for (number, n) in [(-1, 1), (-4, 3), (3, 3), (i32::MIN, 32), (i32::MAX, 32)] {
            out.put_signed(number, n);
        }
        for n in [0, 1, 55, 56, 57, 1000] {
            out.put_unary(n);
        }
        let mut bits = Bits::new(out.align());
        for n in (1..=56).chain([0, 8, 0, 3]) {
            assert_eq!(bits.take(n), Some(if n == 0 { 0 } else { value(n) }), "{n}");
        }
        for (number, n) in [(-1, 1), (-4, 3), (3, 3), (i32::MIN, 32), (i32::MAX, 32)] {
            assert_eq!(bits.signed(n), Some(i64::from(number)));
        }
        for n in [0, 1, 55, 56, 57, 1000] {
            assert_eq!(bits.zeros(), Some(n));
        }
        bits.align();
        assert_eq!(bits.take(1), None);
        let len = out.align().len();
        assert_eq!(out.finish().len(), len);
    }

    #[test]
    fn rice_codes_of_any_length() {
        for parameter in [0, 1, 5, 14, 30] {
            let most = i32::MAX >> 20 << parameter.min(20);
            let numbers = [0, -1, 1, 2, -2, most, -most - 1, 27, -28, 28, 0];
            let mut out = BitWriter::default();
            out.put(1, 3);
            out.put_rice(&numbers, parameter);
            out.put(5, 3);
            let mut bits = Bits::new(out.align());
            assert_eq!(bits.take(3), Some(1));
            for number in numbers {
                let high = bits.zeros().unwrap() << parameter;
                let code = high | bits.take(parameter).unwrap();
                assert_eq!(code, u64::from(zigzag(number)), "{number}, {parameter}");
            }
            assert_eq!(bits.take(3), Some(5));
        }
    }
}
