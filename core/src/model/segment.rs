//! Labelled stretches of time, in tiers.

use serde::{Deserialize, Serialize};

use super::Decimal;

/// A stretch of time with a label, such as a word or a phone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// Seconds from the start of the utterance to the start of the segment.
    pub start: Decimal,
    /// Seconds from the start of the utterance to the end of the segment; `None`: to the end of the
    /// utterance. One that ends where it starts is a point in time.
    pub end: Option<Decimal>,
    /// The label, in whatever encoding.
    pub label: Box<[u8]>,
    /// How sure or how likely it is, in whatever measure.
    pub score: Option<Decimal>,
    /// Who speaks, in whatever encoding.
    pub speaker: Option<Box<[u8]>>,
}

impl Segment {
    /// A segment with neither score nor speaker.
    pub fn new(start: Decimal, end: Option<Decimal>, label: &[u8]) -> Self {
        Self {
            start,
            end,
            label: label.into(),
            score: None,
            speaker: None,
        }
    }

    /// Whether its times are not negative and in order.
    pub fn is_proper(&self) -> bool {
        !self.start.is_negative() && self.end.is_none_or(|end| self.start <= end)
    }
}

/// Segments of one sort, such as the words or the phones of an utterance, in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tier {
    /// Its name, in whatever encoding; empty where there is but one, without a name.
    pub name: Box<[u8]>,
    /// The segments.
    pub segments: Vec<Segment>,
    /// Whether it is one of points in time, even where it has none.
    pub points: bool,
}

impl Tier {
    /// The only tier of an utterance, without a name.
    pub fn only(segments: Vec<Segment>) -> Self {
        Self {
            segments,
            ..Self::default()
        }
    }

    /// Whether it says no more than its segments: no name, and stretches of time.
    pub fn is_plain(&self) -> bool {
        self.name.is_empty() && !self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_order() {
        let time = |text| Decimal::parse(text).unwrap();
        let segment = |start, end: Option<_>| Segment::new(time(start), end.map(time), b"ah");
        for (start, end) in [("0", None), ("0.5", Some("0.50")), ("0", Some("1e9"))] {
            assert!(segment(start, end).is_proper());
        }
        for (start, end) in [("-0.5", None), ("1", Some("0.5")), ("-1", Some("1"))] {
            assert!(!segment(start, end).is_proper(), "{start} {end:?}");
        }
    }
}
