//! The horizontal axis of a picture.

use super::words::whole;

/// The unit of a horizontal axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Frames.
    #[default]
    Frames,
    /// Values of a vector.
    Values,
}

impl Unit {
    /// Returns the word behind the numbers of the axis.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Frames => "frames",
            Self::Values => "values",
        }
    }
}

/// The values at the edges of a picture.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Axis {
    /// The value at the left edge.
    pub from: f64,
    /// The value at the right edge.
    pub to: f64,
    /// The unit.
    pub unit: Unit,
}

impl Axis {
    /// Returns an axis from 0 to `to`.
    pub(super) fn up_to(to: f64, unit: Unit) -> Self {
        Self {
            from: 0.0,
            to,
            unit,
        }
    }

    /// Returns `true` if the unit is seconds.
    pub(super) fn is_time(&self) -> bool {
        self.unit == Unit::Seconds
    }

    /// Returns the smallest axis that covers both.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            from: self.from.min(other.from),
            to: self.to.max(other.to),
            ..self
        }
    }

    /// Returns the ends of `part` relative to this axis, from 0 to 1.
    pub(super) fn shares(&self, part: Self) -> (f64, f64) {
        let share = |value: f64| {
            let share = (value - self.from) / (self.to - self.from);
            share.clamp(0.0, 1.0)
        };
        match self.to > self.from {
            true => (share(part.from), share(part.to)),
            false => (0.0, 1.0),
        }
    }
}

/// Formats a duration in seconds, with minutes and hours if it has any.
pub(super) fn clock(seconds: f64) -> String {
    if seconds < 59.995 {
        return format!("{seconds:.2} s");
    }
    let whole = whole(seconds.round());
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_times_are_in_minutes_and_hours() {
        let times = [2.5, 59.999, 61.2, 600.0, 3725.0].map(clock);
        assert_eq!(times, ["2.50 s", "1:00", "1:01", "10:00", "1:02:05"]);
    }
}
