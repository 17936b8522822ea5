//! The numbers in which samples are decoded.

/// A number of 32 or 64 bits.
pub(super) trait Sample: Copy + Default + Send {
    /// Returns a number of 64 bits.
    fn wide(self) -> i64;

    /// Returns a number without the bits that this type lacks.
    fn of(value: i64) -> Self;
}

impl Sample for i32 {
    #[inline(always)]
    fn wide(self) -> i64 {
        i64::from(self)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "callers check the width")]
    fn of(value: i64) -> Self {
        value as Self
    }
}

impl Sample for i64 {
    #[inline(always)]
    fn wide(self) -> i64 {
        self
    }

    #[inline(always)]
    fn of(value: i64) -> Self {
        value
    }
}
