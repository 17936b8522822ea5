//! Comparison of segments in tiers.

use std::borrow::Cow;

use spr_core::model::{Decimal, Segment, Tier, Wide};

use super::utterance::{Difference, UtteranceDiff, shown};
use super::values::Tolerance;

impl Tolerance {
    /// Compares tiers in order, if both have some.
    pub(super) fn tiers(&self, a: &[Tier], b: &[Tier], found: &mut UtteranceDiff) {
        if a.is_empty() || b.is_empty() {
            return;
        }
        if a.len() != b.len() {
            let [a, b] = [a, b].map(|tiers| tiers.len().to_string());
            found
                .differences
                .push(Difference::Shape("tiers".into(), a, b));
            return;
        }
        for (a, b) in a.iter().zip(b) {
            self.tier(a, b, found);
        }
    }

    fn tier(&self, a: &Tier, b: &Tier, found: &mut UtteranceDiff) {
        let found = &mut found.differences;
        let Tier {
            name,
            segments,
            points,
        } = a;
        if *name != b.name {
            let [a, b] = [name, &b.name].map(|name| shown(name));
            found.push(Difference::Other("tiers".into(), a, b));
            return;
        }
        if *points != b.points {
            let [a, b] = [*points, b.points].map(|points| match points {
                true => "points in time".to_owned(),
                false => "stretches of time".to_owned(),
            });
            found.push(Difference::Other(of("segments", name), a, b));
        }
        let (mine, theirs) = (segments, &b.segments);
        if mine.len() != theirs.len() {
            let [a, b] = [mine, theirs].map(|list| list.len().to_string());
            found.push(Difference::Shape(of("segments", name), a, b));
            return;
        }
        let label = |segment: &Segment| shown(&segment.label);
        if let Some((a, b)) = first(mine, theirs, |a, b| a.label != b.label) {
            found.push(Difference::Other(of("segments", name), label(a), label(b)));
        } else {
            let times = |segment: &Segment| [Some(segment.start), segment.end];
            found.extend(self.decimals(of("segments", name), mine, theirs, times));
        }
        let scores = |segment: &Segment| [segment.score];
        found.extend(self.decimals(of("scores", name), mine, theirs, scores));
        let speaker = |segment: &Segment| match &segment.speaker {
            Some(speaker) => shown(speaker),
            None => "none".to_owned(),
        };
        if let Some((a, b)) = first(mine, theirs, |a, b| a.speaker != b.speaker) {
            found.push(Difference::Other(
                of("speakers", name),
                speaker(a),
                speaker(b),
            ));
        }
    }

    /// Compares decimal fields of segments; a missing one counts as infinitely far.
    fn decimals<const N: usize>(
        &self,
        what: Cow<'static, str>,
        a: &[Segment],
        b: &[Segment],
        numbers: fn(&Segment) -> [Option<Decimal>; N],
    ) -> Option<Difference> {
        let (mine, theirs) = (a.iter().flat_map(numbers), b.iter().flat_map(numbers));
        let wide = |number: Option<Decimal>| Wide::Float(number.map_or(f64::NAN, Decimal::value));
        let pairs = mine.clone().zip(theirs.clone());
        let values = self.compare(
            pairs.clone().map(|(a, b)| (wide(a), wide(b))),
            N,
            (N * a.len()) as u64,
        );
        if let Some(values) = values {
            return Some(Difference::Values(what, values));
        }
        // Different decimals with the same nearest f64 still differ if no tolerance is set.
        let (a, b) = pairs.into_iter().find(|(a, b)| self.is_exact() && a != b)?;
        let [a, b] = [a, b].map(|number| number.map_or("none".to_owned(), |n| n.to_string()));
        Some(Difference::Other(what, a, b))
    }
}

/// Returns the name of a field in a tier.
fn of(what: &'static str, name: &[u8]) -> Cow<'static, str> {
    match name.is_empty() {
        true => what.into(),
        false => format!("{what} of {}", shown(name)).into(),
    }
}

/// Returns the first pair of segments that differ.
fn first<'a>(
    a: &'a [Segment],
    b: &'a [Segment],
    differ: fn(&Segment, &Segment) -> bool,
) -> Option<(&'a Segment, &'a Segment)> {
    a.iter().zip(b).find(|(a, b)| differ(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::Utterance;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    fn differences(a: &Tier, b: &Tier) -> Vec<String> {
        let of = |tier: &Tier| Utterance {
            tiers: vec![tier.clone(), Tier::default()],
            ..Utterance::default()
        };
        let found = Tolerance::default().utterances(&of(a), &of(b)).unwrap();
        found.differences.iter().map(|d| format!("{d:?}")).collect()
    }

    #[test]
    fn every_part_of_a_segment_counts() {
        let mut segment = Segment::new(decimal("0.1"), Some(decimal("0.5")), b"a");
        segment.score = Some(decimal("1.5"));
        segment.speaker = Some(b"ann"[..].into());
        let tier = Tier {
            name: b"words"[..].into(),
            segments: vec![segment],
            points: false,
        };
        assert!(differences(&tier, &tier).is_empty());
        let changes: [fn(&mut Tier); 10] = [
            |tier| tier.name = b"phones"[..].into(),
            |tier| tier.points = true,
            |tier| tier.segments.clear(),
            |tier| tier.segments[0].label = b"b"[..].into(),
            |tier| tier.segments[0].start = decimal("0.2"),
            |tier| tier.segments[0].start = decimal("0.100000000000000005"),
            |tier| tier.segments[0].end = None,
            |tier| tier.segments[0].score = None,
            |tier| tier.segments[0].score = Some(decimal("1.6")),
            |tier| tier.segments[0].speaker = None,
        ];
        for (i, change) in changes.into_iter().enumerate() {
            let mut other = tier.clone();
            change(&mut other);
            assert_eq!(differences(&tier, &other).len(), 1, "change {i}");
            assert_eq!(differences(&other, &tier).len(), 1, "change {i}");
        }
    }
}
