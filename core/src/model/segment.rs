//! Labelled stretches of time.

/// A stretch of time with a label, such as a word or a phone.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Seconds from the start of the recording to the start of the segment.
    pub start: f64,
    /// Seconds from the start of the recording to the end of the segment; `None`: to the end of
    /// the recording.
    pub end: Option<f64>,
    /// The label, in whatever encoding.
    pub label: Box<[u8]>,
}

impl Segment {
    /// Whether its times are finite, not negative and in order.
    pub fn is_proper(&self) -> bool {
        let end = self.end.unwrap_or(f64::MAX);
        self.start >= 0.0 && self.start <= end && end.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_finite_and_in_order() {
        let segment = |start, end| Segment {
            start,
            end,
            label: b"ah".as_slice().into(),
        };
        for (start, end) in [(0.0, None), (0.5, Some(0.5)), (0.0, Some(1e9))] {
            assert!(segment(start, end).is_proper());
        }
        for (start, end) in [
            (-0.5, None),
            (1.0, Some(0.5)),
            (0.0, Some(f64::INFINITY)),
            (f64::INFINITY, None),
            (f64::NAN, None),
            (0.0, Some(f64::NAN)),
        ] {
            assert!(!segment(start, end).is_proper(), "{start} {end:?}");
        }
    }
}
