//! Equal spacing of frames in time.

use spr_core::model::Decimal;

/// The most that a time may be off in seconds: half of the last of the six digits that the tools
/// print.
const PRINTED: f64 = 0.6e-6;
/// The most that a time may be off beside that, relative to it: what comes of the arithmetic of
/// 32-bit floats that the tools use.
const ROUNDED: f64 = 2.0 * f32::EPSILON as f64;
/// Places after the point that are tried, those of a nanosecond.
const PLACES: usize = 9;

/// The time of the first frame, and that from frame to frame, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spacing {
    pub(crate) first: Decimal,
    pub(crate) shift: Decimal,
}

impl Spacing {
    /// The spacing with the fewest digits that frames at `times` have; `None` if they are fewer than
    /// two or not equally spaced.
    pub(crate) fn of(times: &[f32]) -> Option<Self> {
        let [first, .., last] = times else {
            return None;
        };
        let steps = u32::try_from(times.len() - 1).ok()?;
        let (first, last) = (f64::from(*first), f64::from(*last));
        let shift = (last - first) / f64::from(steps);
        let round = |time: f64, places: usize| Decimal::parse(&format!("{time:.places$}"));
        let spacing = |places| {
            let first = round(first, places)?.trimmed();
            let shift = round(shift, places)?.trimmed();
            let spacing = Self { first, shift };
            (shift > Decimal::ZERO && spacing.fits(times)).then_some(spacing)
        };
        (0..=PLACES).find_map(spacing)
    }

    /// Returns whether frames at `times` have this spacing.
    pub(crate) fn fits(self, times: &[f32]) -> bool {
        let mut expected = self.seconds();
        times.iter().all(|time| {
            let (time, expected) = (f64::from(*time), expected.next().unwrap_or(f64::NAN));
            time.is_finite() && (time - expected).abs() <= PRINTED + ROUNDED * time.abs()
        })
    }

    fn seconds(self) -> impl Iterator<Item = f64> {
        let (first, shift) = (self.first.value(), self.shift.value());
        (0..=u32::MAX).map(move |n| first + f64::from(n) * shift)
    }

    /// The times of so many frames.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "times that do not fit are compared with what they are read back as"
    )]
    pub(crate) fn times(self, frames: usize) -> Vec<f32> {
        self.seconds().take(frames).map(|t| t as f32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(times: &[f32]) -> Option<(String, String)> {
        let Spacing { first, shift } = Spacing::of(times)?;
        Some((first.to_string(), shift.to_string()))
    }

    #[test]
    fn spacing_has_few_digits() {
        let steps = |first: f32, shift: f32| -> Vec<f32> {
            (0u8..200).map(|n| first + f32::from(n) * shift).collect()
        };
        for (first, shift) in [
            ("0", "0.01"),
            ("0.005", "0.005"),
            ("0.0125", "0.01"),
            ("-0.01", "0.01"),
            ("1000.5", "0.25"),
            ("0", "0.000125"),
            ("0.01", "1"),
        ] {
            let times = steps(first.parse().unwrap(), shift.parse().unwrap());
            let want = Some((first.to_owned(), shift.to_owned()));
            assert_eq!(found(&times), want, "{first} {shift}");
            assert_eq!(found(&times[..2]), want, "two frames from {first} {shift}");
        }
        assert_eq!(found(&[0.005, 0.015, 0.025_000_1]).unwrap().1, "0.01");
    }

    #[test]
    fn other_times_are_not_equally_spaced() {
        for times in [
            &[][..],
            &[0.01],
            &[0.01, 0.01],
            &[0.02, 0.01],
            &[0.01, 0.02, 0.031],
            &[0.015, 0.020_813, 0.179_813],
            &[0.0, f32::INFINITY],
        ] {
            assert_eq!(found(times), None, "{times:?}");
        }
    }
}
