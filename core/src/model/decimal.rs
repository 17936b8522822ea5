//! Decimal numbers that keep their digits.

use std::fmt;

use crate::number;

/// A decimal number as it was written, such as a frame shift of `0.010` seconds.
#[derive(Clone, PartialEq, Eq)]
pub struct Decimal(Box<str>);

impl Decimal {
    /// Takes `text` if it is a finite decimal number.
    pub fn parse(text: &str) -> Option<Self> {
        let value = number::parse_f64(text.as_bytes())?;
        value.is_finite().then(|| Self(text.into()))
    }

    /// The digits as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nearest `f64`.
    pub fn value(&self) -> f64 {
        number::parse_f64(self.0.as_bytes()).unwrap_or_default()
    }

    /// A whole number and the power of ten by which it is to be multiplied; `None` if there are
    /// too many digits.
    pub(crate) fn scaled(&self) -> Option<(i128, i32)> {
        let (digits, power) = match self.0.split_once(['e', 'E']) {
            Some((digits, power)) => (digits, number::parse_integer::<i32>(power.as_bytes())?),
            None => (&*self.0, 0),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let value = number::parse_int(format!("{whole}{part}").as_bytes())?;
        let places = i32::try_from(part.len()).ok()?;
        (-300..300)
            .contains(&power)
            .then_some((value, power - places))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
