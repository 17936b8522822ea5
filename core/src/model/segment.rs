//! Labelled spans of time, in tiers.

use serde::{Deserialize, Serialize};

use super::Decimal;

/// A labelled span of time, such as a word or a phone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// The start in seconds, relative to the utterance.
    pub start: Decimal,
    /// The end in seconds, relative to the utterance; `None` for the end of the utterance. A
    /// segment whose end equals its start is a point in time.
    pub end: Option<Decimal>,
    /// The label, in any encoding.
    pub label: Box<[u8]>,
    /// The confidence or likelihood, in any unit.
    pub score: Option<Decimal>,
    /// The speaker, in any encoding.
    pub speaker: Option<Box<[u8]>>,
}

impl Segment {
    /// Creates a segment with neither score nor speaker.
    pub fn new(start: Decimal, end: Option<Decimal>, label: &[u8]) -> Self {
        Self {
            start,
            end,
            label: label.into(),
            score: None,
            speaker: None,
        }
    }

    /// Returns `true` if its times are ordered and not negative.
    pub fn is_proper(&self) -> bool {
        !self.start.is_negative() && self.end.is_none_or(|end| self.start <= end)
    }
}

/// Segments of one type, such as the words or the phones of an utterance, in order.
///
/// ```
/// use spr_core::model::{Decimal, Segment, Tier};
///
/// let at = |text| Decimal::parse(text);
/// let word = Segment::new(at("0.10").unwrap(), at("0.42"), b"hello");
/// assert!(word.is_proper());
/// let words = Tier { name: b"words"[..].into(), ..Tier::only(vec![word]) };
/// assert!(!words.is_plain());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tier {
    /// Its name, in any encoding; empty for a single tier without a name.
    pub name: Box<[u8]>,
    /// The segments.
    pub segments: Vec<Segment>,
    /// Whether it is a tier of points in time, even if it is empty.
    pub points: bool,
}

impl Tier {
    /// Creates a single tier without a name.
    pub fn only(segments: Vec<Segment>) -> Self {
        Self {
            segments,
            ..Self::default()
        }
    }

    /// Returns `true` if it has no name, and segments with duration.
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
