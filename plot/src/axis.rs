//! The time along a picture.

/// What a picture's sides are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Axis {
    /// At the left side.
    pub from: f64,
    /// At the right side.
    pub to: f64,
    /// Whether it is in seconds, else in frames.
    pub seconds: bool,
}
