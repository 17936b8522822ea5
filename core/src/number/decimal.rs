//! Exact decimal numbers, used for times.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::num::NonZeroI16;

use serde::{Deserialize, Serialize};

use super::text as number;
use crate::error::{Error, Result};

/// An exact decimal number, such as a time in seconds: `0.45` is 0.45 and not the nearest binary
/// fraction. All times in the model are decimals.
///
/// Trailing zeros are kept for printing, but `0.010` equals `0.01`. Numbers have up to 33 digits.
/// None is rounded: a longer one is not parsed, and a sum that needs more digits is `None`.
///
/// ```
/// use spr_core::model::Decimal;
/// let shift = Decimal::parse("0.010").unwrap();
/// assert_eq!(shift.to_string(), "0.010");
/// assert_eq!(shift, Decimal::new(1, -2));
/// assert_eq!(shift.times(45), Decimal::parse("0.45"));
/// assert_eq!(shift.value(), 0.01);
/// ```
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(into = "Terms", try_from = "Terms")]
pub struct Decimal {
    // 16 bytes, as is an `Option` of it, because every utterance has several. The digits have 111
    // bits with their sign.
    low: u64,
    middle: u32,
    /// The highest bits, of which the first is changed, so that they are never all 0.
    high: NonZeroI16,
    /// The exponent: the digits are multiplied by this power of ten.
    power: i16,
}

/// The largest number of digits.
const MOST: u32 = 33;
/// The first number with more digits.
const TOO_LARGE: u128 = 10u128.pow(MOST);

/// Digits and power of ten, as they are serialised.
#[derive(Serialize, Deserialize)]
struct Terms {
    digits: i128,
    power: i16,
}

impl From<Decimal> for Terms {
    fn from(number: Decimal) -> Self {
        Self {
            digits: number.digits(),
            power: number.power,
        }
    }
}

impl TryFrom<Terms> for Decimal {
    type Error = &'static str;

    fn try_from(Terms { digits, power }: Terms) -> Result<Self, Self::Error> {
        match digits.unsigned_abs() < TOO_LARGE {
            true => Ok(Self::of_terms(digits, power)),
            false => Err("a number with too many digits"),
        }
    }
}

impl Default for Decimal {
    fn default() -> Self {
        Self::ZERO
    }
}

impl Decimal {
    /// Zero.
    pub const ZERO: Self = Self::new(0, 0);

    /// Returns `digits` times ten to the `power`.
    pub const fn new(digits: i64, power: i16) -> Self {
        Self::of_terms(digits as i128, power)
    }

    /// Returns `digits`, which are fewer than [`TOO_LARGE`], times ten to the `power`.
    #[expect(clippy::cast_possible_truncation, reason = "each part has its bits")]
    #[expect(clippy::cast_sign_loss, reason = "only the highest part has a sign")]
    const fn of_terms(digits: i128, power: i16) -> Self {
        let high = match NonZeroI16::new((digits >> 96) as i16 ^ i16::MIN) {
            Some(high) => high,
            // Never, as so few digits leave the first two bits equal.
            None => NonZeroI16::MAX,
        };
        Self {
            low: digits as u64,
            middle: (digits >> 64) as u32,
            high,
            power,
        }
    }

    /// Returns the digits.
    const fn digits(self) -> i128 {
        let high = (self.high.get() ^ i16::MIN) as i128;
        high << 96 | (self.middle as i128) << 64 | self.low as i128
    }

    /// Parses a finite decimal number, optionally with an exponent after `e`. Returns `None` if it
    /// is none or has too many digits.
    pub fn parse(text: &str) -> Option<Self> {
        number::parse_f64(text.as_bytes()).filter(|value| value.is_finite())?;
        Self::exact(text)
    }

    /// Converts the shortest digits of `value`. Returns `None` if it is not finite.
    pub fn of(value: f64) -> Option<Self> {
        let mut text = Vec::new();
        number::print_f64(value, &mut text);
        Self::exact(std::str::from_utf8(&text).ok()?).filter(|_| value.is_finite())
    }

    /// Takes the digits of a number that is known to be one, if all of them can be kept.
    fn exact(text: &str) -> Option<Self> {
        let (digits, power) = match text.split_once(['e', 'E']) {
            Some((digits, power)) => (digits, number::parse_integer::<i16>(power.as_bytes())?),
            None => (text, 0),
        };
        let places = digits.split_once('.').map_or(0, |(_, part)| part.len());
        let power = power.checked_sub(i16::try_from(places).ok()?)?;
        // Zeros wait until a digit follows, as those at the end can go to the power.
        let (mut kept, mut zeros) = (0i128, 0u16);
        for digit in digits.bytes().filter(u8::is_ascii_digit) {
            match digit {
                b'0' if kept == 0 => {}
                b'0' => zeros = zeros.checked_add(1)?,
                _ => {
                    kept = raised(kept, u32::from(zeros) + 1)? + i128::from(digit - b'0');
                    zeros = 0;
                }
            }
        }
        let (kept, power) = match raised(kept, zeros.into()) {
            Some(whole) => (whole, power),
            None => (kept, power.checked_add_unsigned(zeros)?),
        };
        let is_negative = digits.starts_with('-');
        let digits = if is_negative { -kept } else { kept };
        Some(Self::of_terms(digits, power))
    }

    /// Returns the nearest `f64`.
    #[expect(clippy::cast_precision_loss, reason = "only what is exact is cast")]
    pub fn value(self) -> f64 {
        const EXACT: i128 = 1 << 53;
        const LEAST: i128 = -EXACT;
        match (self.digits(), i32::from(self.power)) {
            // Both are exact, so that there is only one rounding.
            (digits @ LEAST..=EXACT, power @ -22..=0) => digits as f64 / 10f64.powi(-power),
            (digits @ LEAST..=EXACT, power @ 1..=22) => digits as f64 * 10f64.powi(power),
            (digits, power) => {
                let text = format!("{digits}e{power}");
                number::parse_f64(text.as_bytes()).unwrap_or(f64::NAN)
            }
        }
    }

    /// Returns the digits without trailing zeros, and their power of ten: the same for equal
    /// numbers.
    pub fn in_lowest_terms(self) -> (i128, i16) {
        let (mut digits, mut power) = (self.digits(), self.power);
        if digits == 0 {
            return (0, 0);
        }
        while digits % 10 == 0 && power < i16::MAX {
            (digits, power) = (digits / 10, power + 1);
        }
        (digits, power)
    }

    /// Returns `true` if it is below 0.
    pub fn is_negative(self) -> bool {
        self.digits() < 0
    }

    /// Returns `true` if it is above 0.
    pub fn is_positive(self) -> bool {
        !self.is_negative() && !self.is_zero()
    }

    /// Returns `true` if it is 0.
    pub fn is_zero(self) -> bool {
        self.digits() == 0
    }

    /// Multiplies it by `n`. Returns `None` on overflow.
    pub fn times(self, n: u64) -> Option<Self> {
        Self::fit(self.digits().checked_mul(n.into())?, self.power)
    }

    /// Returns the sum, or `None` on overflow.
    pub fn plus(self, other: Self) -> Option<Self> {
        let (a, b, power) = self.aligned(other)?;
        Self::fit(a.checked_add(b)?, power).map(Self::shortest)
    }

    /// Returns a time that is later by another one.
    ///
    /// # Errors
    /// It has too many digits.
    pub fn later(self, by: Self) -> Result<Self> {
        let sum = self.plus(by);
        sum.ok_or_else(|| Error::unfit(format!("the time {self} + {by} has too many digits")))
    }

    /// Returns the difference, or `None` on overflow.
    pub fn minus(self, other: Self) -> Option<Self> {
        let (a, b, power) = self.aligned(other)?;
        Self::fit(a.checked_sub(b)?, power).map(Self::shortest)
    }

    /// Removes trailing zeros of a fraction.
    fn shortest(self) -> Self {
        let (mut digits, mut power) = (self.digits(), self.power);
        while power < 0 && digits % 10 == 0 {
            (digits, power) = (digits / 10, power + 1);
        }
        Self::of_terms(digits, power)
    }

    /// Divides it by `step`, which must be above 0. Returns the quotient and the remainder as a
    /// share of `step`, or `None` below 0 or on overflow.
    pub(crate) fn steps(self, step: Self) -> Option<(u64, f64)> {
        let (all, one, _) = self.aligned(step)?;
        if all < 0 || one <= 0 {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more digits")]
        let share = (all % one) as f64 / one as f64;
        Some((u64::try_from(all / one).ok()?, share))
    }

    /// Returns the number of the nearest sample at `rate` Hz, the later of two, with Kaldi's
    /// rounding. Returns `None` below 0.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "only what is in range is cast"
    )]
    pub fn sample(self, rate: u32) -> Option<u64> {
        const EXACT: f64 = (1u64 << 53) as f64;
        let sample = self.value() * f64::from(rate) + 0.5;
        (!self.is_negative() && sample < EXACT).then_some(sample as u64)
    }

    /// Returns the time of sample `n` at `rate` Hz, or `None` if it has no finite decimal
    /// representation, or for a rate of 0.
    pub(crate) fn of_sample(n: u64, rate: u32) -> Option<Self> {
        let rate = i128::from(rate);
        let mut digits = i128::from(n);
        for power in 0..=MOST {
            if rate > 0 && digits % rate == 0 {
                return Self::fit(digits / rate, -i16::try_from(power).ok()?);
            }
            digits = digits.checked_mul(10)?;
        }
        None
    }

    /// Returns the time of sample `n` at `rate` Hz, rounded if necessary so that
    /// [`sample`](Self::sample) returns `n`. Returns `None` for a rate of 0.
    #[expect(
        clippy::cast_precision_loss,
        reason = "only where the exact time has too many digits"
    )]
    pub fn near_sample(n: u64, rate: u32) -> Option<Self> {
        Self::of_sample(n, rate).or_else(|| Self::of(n as f64 / f64::from(rate)))
    }

    /// Removes trailing zeros after the point.
    #[must_use]
    pub fn trimmed(self) -> Self {
        self.shortest()
    }

    /// Returns the digits of both at a common power of ten.
    fn aligned(self, other: Self) -> Option<(i128, i128, i16)> {
        let power = match (self.is_zero(), other.is_zero()) {
            (true, false) => other.power,
            (false, true) => self.power,
            _ => self.power.min(other.power),
        };
        let raise = |number: Self| {
            let by = u32::try_from(i32::from(number.power) - i32::from(power));
            match number.digits() {
                0 => Some(0),
                digits => digits.checked_mul(10i128.checked_pow(by.ok()?)?),
            }
        };
        Some((raise(self)?, raise(other)?, power))
    }

    /// Removes trailing zeros until the digits can be kept.
    fn fit(mut digits: i128, mut power: i16) -> Option<Self> {
        while digits.unsigned_abs() >= TOO_LARGE {
            if digits % 10 != 0 {
                return None;
            }
            (digits, power) = (digits / 10, power.checked_add(1)?);
        }
        Some(Self::of_terms(digits, power))
    }
}

/// Returns `digits` with `zeros` zeros behind them, if they are not too many.
fn raised(digits: i128, zeros: u32) -> Option<i128> {
    let raised = digits.checked_mul(10i128.checked_pow(zeros)?)?;
    (raised.unsigned_abs() < TOO_LARGE).then_some(raised)
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.in_lowest_terms().hash(state);
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match self.aligned(*other) {
            Some((a, b, _)) => a.cmp(&b),
            // So far apart that the powers of ten decide.
            None => {
                let signs = self.digits().signum().cmp(&other.digits().signum());
                let sizes = self.power.cmp(&other.power);
                signs.then(if self.is_negative() {
                    sizes.reverse()
                } else {
                    sizes
                })
            }
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The largest number of zeros that are written out.
        const ZEROS: i16 = 40;
        let sign = if self.is_negative() { "-" } else { "" };
        let digits = self.digits().unsigned_abs();
        match usize::try_from(-i32::from(self.power)) {
            Ok(0) => write!(f, "{sign}{digits}"),
            Ok(places) if self.power >= -ZEROS => {
                let padded = format!("{digits:0>width$}", width = places + 1);
                let (whole, part) = padded.split_at(padded.len() - places);
                write!(f, "{sign}{whole}.{part}")
            }
            Err(_) if self.power <= ZEROS => {
                let zeros = usize::from(self.power.unsigned_abs());
                write!(f, "{sign}{digits}{:0<zeros$}", "")
            }
            _ => write!(f, "{sign}{digits}e{}", self.power),
        }
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn digits_are_kept_as_written() {
        for text in ["0.010", "0", "12", "-0.5", "0.45", "100.000", "0.0000001"] {
            assert_eq!(decimal(text).to_string(), text);
        }
        for (text, shown) in [
            ("1e-3", "0.001"),
            ("2E2", "200"),
            (".5", "0.5"),
            ("+7", "7"),
            ("1e300", "1e300"),
            ("0.30000000000000004441", "0.30000000000000004441"),
            ("1700000000123456789.25", "1700000000123456789.25"),
            (
                "-0.000000000000000000000000000000000001",
                "-0.000000000000000000000000000000000001",
            ),
            ("1.0000000000000000000000000000000000000000", "1"),
        ] {
            assert_eq!(decimal(text).to_string(), shown);
        }
        let many = "0.1000000000000000055511151231257827021181583404541015625";
        for text in ["", "x", "nan", "inf", "1e999", "1.2.3", "--1", many] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn long_numbers_are_added_exactly() {
        let sum = decimal("1234567.891").plus(decimal("2.6899999999999977"));
        assert_eq!(sum.unwrap().to_string(), "1234570.5809999999999977");
        let most = decimal(&"9".repeat(33));
        assert_eq!(most.to_string(), "9".repeat(33));
        assert_eq!(Decimal::parse(&"9".repeat(34)), None);
        assert_eq!(most.plus(decimal("0.1")), None);
        assert!(decimal("1e30") > decimal("0.999999999999999999999999999999999"));
    }

    #[test]
    fn order_is_that_of_the_numbers() {
        let sorted = [
            "-1e30", "-2", "-0.5", "0", "1e-40", "0.010", "0.0101", "3", "1e200",
        ];
        for pair in sorted.windows(2) {
            assert!(decimal(pair[0]) < decimal(pair[1]), "{pair:?}");
        }
        assert_eq!(decimal("0.010"), decimal("0.01"));
        assert_eq!(decimal("0"), decimal("0e50"));
    }

    #[test]
    fn samples_are_rounded_as_kaldi_does() {
        for (time, rate, sample) in [
            ("0.45", 8000, 3600),
            ("0.00003125", 16000, 1),
            ("0.000031", 16000, 0),
            ("1", 44100, 44100),
            ("0", 8000, 0),
            ("0.0013125", 16000, 21),
            // Half a sample, but slightly less in floats.
            ("1.0015625", 8000, 8012),
        ] {
            assert_eq!(decimal(time).sample(rate), Some(sample), "{time} of {rate}");
        }
        assert_eq!(decimal("-1").sample(8000), None);
        assert_eq!(Decimal::of_sample(3600, 8000), Some(decimal("0.45")));
        assert_eq!(Decimal::of_sample(1, 44100), None);
    }

    #[test]
    fn every_bit_of_the_digits_has_a_place() {
        assert_eq!(size_of::<Option<Decimal>>(), 16);
        let most = (TOO_LARGE - 1).cast_signed();
        for shift in 0..111 {
            for digits in [most >> shift, -(most >> shift), 1 << shift.min(108)] {
                let number = Decimal::of_terms(digits, -40);
                assert_eq!((number.digits(), number.power), (digits, -40));
                let bytes = postcard::to_allocvec(&number).unwrap();
                let back: Decimal = postcard::from_bytes(&bytes).unwrap();
                assert_eq!((back.digits(), back.power), (digits, -40));
            }
        }
        let many = Terms {
            digits: most + 1,
            power: 0,
        };
        let bytes = postcard::to_allocvec(&many).unwrap();
        assert!(postcard::from_bytes::<Decimal>(&bytes).is_err());
    }

    proptest! {
        #[test]
        fn a_float_comes_back(value in proptest::num::f64::NORMAL | proptest::num::f64::ZERO) {
            prop_assert_eq!(Decimal::of(value).unwrap().value(), value);
        }

        #[test]
        fn text_comes_back(digits in -1_000_000_000i64..1_000_000_000, places in -5i16..12) {
            let number = Decimal::new(digits, -places);
            prop_assert_eq!(decimal(&number.to_string()), number);
        }

        #[test]
        fn sums_are_exact(a in -1_000_000i64..1_000_000, b in -1_000_000i64..1_000_000) {
            let (x, y) = (Decimal::new(a, -3), Decimal::new(b, -5));
            let sum = x.plus(y).unwrap();
            prop_assert_eq!(sum, Decimal::new(a * 100 + b, -5));
            prop_assert_eq!(sum.minus(y).unwrap(), x);
        }
    }
}
