//! Rules that what is stored must fit.

use std::fmt;

use crate::Result;

/// A rule that a value must fit to be stored, for what [`Caps`](super::Caps) have no number for.
///
/// ```
/// use spr_core::Error;
/// use spr_core::format::{Caps, Count, Keys, Rule};
/// use spr_core::model::Key;
/// let short = Rule::new("of at most 8 bytes", |key: &Key| match key.as_bytes().len() {
///     0..=8 => Ok(()),
///     n => Err(Error::unfit(format!("the key has {n} bytes, the format holds 8"))),
/// });
/// let mut caps = Caps::new(Count::Many, Keys::Any);
/// caps.key_rule = short;
/// assert!(caps.check_key(&"ann-1".into()).is_ok());
/// assert!(caps.check_key(&"ann-000001".into()).is_err());
/// ```
pub struct Rule<T: ?Sized> {
    /// A description that follows a noun: `without brackets`, `of at most 96000 Hz`. Empty if every
    /// value fits.
    pub words: &'static str,
    /// Checks a value.
    pub check: fn(&T) -> Result<()>,
}

impl<T: ?Sized> Rule<T> {
    /// The rule that everything fits.
    pub const ANY: Self = Self {
        words: "",
        check: |_| Ok(()),
    };

    /// A rule, in words and as a check whose error says what does not fit.
    pub const fn new(words: &'static str, check: fn(&T) -> Result<()>) -> Self {
        Self { words, check }
    }

    /// Returns `true` if a value fits.
    pub fn fits(&self, value: &T) -> bool {
        (self.check)(value).is_ok()
    }
}

impl<T: ?Sized> Clone for Rule<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Rule<T> {}

impl<T: ?Sized> Default for Rule<T> {
    fn default() -> Self {
        Self::ANY
    }
}

impl<T: ?Sized> fmt::Debug for Rule<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rule").field(&self.words).finish()
    }
}
