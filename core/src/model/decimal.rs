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
