//! Bits of bytes, from the lowest up.

/// A position in bytes that are passed to each call. Bytes behind the last one are zeros.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BitReader {
    /// The next bits, at least `count` of them.
    bits: u64,
    count: u32,
    /// The next byte to load.
    pub(super) at: usize,
}

impl BitReader {
    /// The number of bits that a refill provides.
    const READY: u32 = 56;

    /// Starts at byte `at`.
    pub(super) fn new(at: usize) -> Self {
        Self {
            at,
            ..Self::default()
        }
    }

    /// Makes sure that [`READY`](Self::READY) bits can be taken.
    #[inline]
    pub(super) fn refill(&mut self, bytes: &[u8]) {
        let next = bytes.get(self.at..self.at + 8);
        let next = next.and_then(|next| next.first_chunk().copied());
        let next = next.unwrap_or_else(|| tail(bytes, self.at));
        self.bits |= u64::from_le_bytes(next) << self.count;
        self.at += ((63 - self.count) >> 3) as usize;
        self.count |= Self::READY;
    }

    /// Returns the next bits, of which those that were refilled are valid.
    #[inline]
    pub(super) fn peek(&self) -> u64 {
        self.bits
    }

    /// Passes over `n` of the bits that were refilled.
    #[inline]
    pub(super) fn skip(&mut self, n: u32) {
        self.bits >>= n;
        self.count -= n;
    }

    /// Takes up to 32 bits.
    pub(super) fn take(&mut self, n: u32, bytes: &[u8]) -> u32 {
        self.refill(bytes);
        let value = low(self.bits, n);
        self.skip(n);
        value
    }

    /// Returns the number of bytes of which bits were taken.
    pub(super) fn used(&self) -> usize {
        self.at - (self.count >> 3) as usize
    }
}

/// Returns the lowest `n` bits, up to 32.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "no more than 32 bits are left"
)]
pub(super) fn low(bits: u64, n: u32) -> u32 {
    (bits & ((1 << n) - 1)) as u32
}

/// Returns the last bytes, filled up with zeros.
#[cold]
fn tail(bytes: &[u8], at: usize) -> [u8; 8] {
    let mut next = [0; 8];
    let rest = bytes.get(at..).unwrap_or_default();
    for (to, from) in next.iter_mut().zip(rest) {
        *to = *from;
    }
    next
}

/// Bits that are written.
#[derive(Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    bits: u64,
    count: u32,
}

impl BitWriter {
    /// Starts after some bytes.
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            ..Self::default()
        }
    }

    /// Appends the lowest `n` bits of `value`, up to 32; the others are zeros.
    #[inline]
    pub(super) fn put(&mut self, value: u32, n: u32) {
        self.bits |= u64::from(value) << self.count;
        self.count += n;
        if self.count >= 32 {
            let [a, b, c, d, ..] = self.bits.to_le_bytes();
            self.bytes.extend_from_slice(&[a, b, c, d]);
            self.bits >>= 32;
            self.count -= 32;
        }
    }

    /// Returns the bytes, the last one filled up with zeros.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let left = self.count.div_ceil(8) as usize;
        self.bytes.extend(self.bits.to_le_bytes().iter().take(left));
        self.bytes
    }
}
