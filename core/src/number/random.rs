//! Reproducible random numbers: the Mersenne Twister with the algorithms of NumPy's `numpy.random`.

/// The seed of a shuffle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rng {
    /// The seed of PDNN, the same in every run and epoch.
    #[default]
    Pdnn,
    /// The seed of `numpy.random.seed(N)`.
    Seeded(u32),
}

impl Rng {
    /// Returns the seed.
    pub fn seed(self) -> u32 {
        match self {
            Self::Pdnn => 18877,
            Self::Seeded(seed) => seed,
        }
    }

    /// The one for a pass through the data: the first has this one, and every other another one.
    /// PDNN's is the same in all passes.
    ///
    /// ```
    /// use spr_core::number::random::Rng;
    /// assert_eq!(Rng::Seeded(7).of_pass(0), Rng::Seeded(7));
    /// assert_ne!(Rng::Seeded(7).of_pass(1), Rng::Seeded(8).of_pass(0));
    /// assert_eq!(Rng::Pdnn.of_pass(3), Rng::Pdnn);
    /// ```
    #[must_use]
    pub fn of_pass(self, pass: u64) -> Self {
        match self {
            Self::Seeded(seed) if pass > 0 => {
                // One step of SplitMix64, which makes the results of neighbouring seeds dissimilar.
                let mut word =
                    (pass << 32 ^ pass >> 32 ^ u64::from(seed)).wrapping_add(0x9e37_79b9_7f4a_7c15);
                word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                let [a, b, c, d, ..] = (word ^ word >> 31).to_le_bytes();
                Self::Seeded(u32::from_le_bytes([a, b, c, d]))
            }
            same => same,
        }
    }

    /// Returns a generator in its initial state.
    pub fn generator(self) -> Mt19937 {
        Mt19937::new(self.seed())
    }
}

const LEN: usize = 624;
const MIDDLE: usize = 397;
const UPPER: u32 = 0x8000_0000;

/// The generator MT19937.
///
/// ```
/// use spr_core::number::random::Rng;
/// let mut order: Vec<_> = (0..10).collect();
/// for (i, j) in Rng::Pdnn.generator().swaps(order.len()) {
///     order.swap(i, j);
/// }
/// assert_eq!(order, [0, 1, 7, 4, 8, 5, 3, 9, 2, 6]); // numpy.random.shuffle after seed(18877)
/// ```
#[derive(Clone)]
pub struct Mt19937 {
    state: [u32; LEN],
    next: usize,
}

impl Mt19937 {
    /// Creates a generator from a seed.
    pub fn new(seed: u32) -> Self {
        let mut state = [seed; LEN];
        let mut word = seed;
        for (i, slot) in (1u32..).zip(state.iter_mut().skip(1)) {
            word = (word ^ (word >> 30))
                .wrapping_mul(1_812_433_253)
                .wrapping_add(i);
            *slot = word;
        }
        Self { state, next: LEN }
    }

    fn twist(&mut self) {
        for i in 0..LEN {
            let following = self.state[(i + 1) % LEN];
            let word = (self.state[i] & UPPER) | (following & !UPPER);
            let odd = if word & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + MIDDLE) % LEN] ^ (word >> 1) ^ odd;
        }
        self.next = 0;
    }

    /// Returns the next 32 bits.
    pub(crate) fn next_u32(&mut self) -> u32 {
        if self.next == LEN {
            self.twist();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// Returns a number from 0 to `most`, inclusive.
    pub fn up_to(&mut self, most: u64) -> u64 {
        let mask = u64::MAX.checked_shr(most.leading_zeros()).unwrap_or(0);
        loop {
            let mut draw = u64::from(self.next_u32());
            if most > u64::from(u32::MAX) {
                draw = draw << 32 | u64::from(self.next_u32());
            }
            if draw & mask <= most {
                return draw & mask;
            }
        }
    }

    /// Returns the swaps that shuffle `n` items, in order, as in `numpy.random.shuffle`.
    pub fn swaps(&mut self, n: usize) -> impl Iterator<Item = (usize, usize)> {
        // A number is at most its upper bound.
        let mut draw = |i: usize| usize::try_from(self.up_to(i as u64)).unwrap_or(i);
        (1..n.max(1)).rev().map(move |i| (i, draw(i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shuffled(rng: Rng, n: usize) -> Vec<usize> {
        let mut order: Vec<_> = (0..n).collect();
        rng.generator().swaps(n).for_each(|(i, j)| order.swap(i, j));
        order
    }

    #[test]
    fn the_generator_is_the_published_one() {
        let mut mt = Mt19937::new(5489);
        assert_eq!(mt.next_u32(), 3_499_211_612);
        // The C++ standard defines the ten thousandth number of mt19937.
        let last = (1..10_000).map(|_| mt.next_u32()).last();
        assert_eq!(last, Some(4_123_659_995));
    }

    #[test]
    fn orders_are_those_of_numpy() {
        assert_eq!(shuffled(Rng::Pdnn, 10), [0, 1, 7, 4, 8, 5, 3, 9, 2, 6]);
        assert_eq!(shuffled(Rng::Pdnn, 0), [0; 0]);
        assert_eq!(shuffled(Rng::Pdnn, 1), [0]);
        let sum = |order: Vec<usize>| (0..).zip(order).map(|(i, n)| i * n as u64).sum::<u64>();
        assert_eq!(sum(shuffled(Rng::Pdnn, 70_000)), 85_680_415_901_186);
        assert_eq!(shuffled(Rng::Seeded(7), 8), [2, 5, 0, 6, 3, 1, 4, 7]);
    }

    #[test]
    fn draws_reach_both_ends() {
        let mut mt = Mt19937::new(1);
        for most in [0, 1, 2, 3, 1 << 32, u64::MAX] {
            assert!((0..50).all(|_| mt.up_to(most) <= most), "{most}");
        }
        let draws: Vec<_> = (0..200).map(|_| mt.up_to(2)).collect();
        assert!((0..3).all(|n| draws.contains(&n)));
        assert!((0..100).any(|_| mt.up_to(u64::MAX) > 1 << 32));
    }
}
