//! Cutting of a recording's segments to an utterance, and rounding to frames.

use crate::error::{Error, Result};
use crate::model::{Decimal, FrameGrid, Segment, Tier};

/// Returns the tiers of a recording between `start` and `end`, with times from `start`.
pub(in crate::stage) fn cut_tiers(
    tiers: &[Tier],
    start: Decimal,
    end: Option<Decimal>,
) -> Result<Vec<Tier>> {
    let cut_tier = |tier: &Tier| {
        let segments = tier.segments.iter();
        let kept = segments.filter_map(|segment| cut_one(segment, start, end).transpose());
        Ok(Tier {
            name: tier.name.clone(),
            segments: kept.collect::<Result<_>>()?,
            points: tier.points,
        })
    };
    tiers.iter().map(cut_tier).collect()
}

fn cut_one(segment: &Segment, start: Decimal, end: Option<Decimal>) -> Result<Option<Segment>> {
    let is_point = segment.end == Some(segment.start);
    let from = segment.start.max(start);
    let to = match (segment.end, end) {
        (Some(to), Some(end)) => Some(to.min(end)),
        (to, end) => to.or(end),
    };
    let outside = match is_point {
        true => segment.start < start || end.is_some_and(|end| segment.start >= end),
        false => to.is_some_and(|to| to <= from) || end.is_some_and(|end| from >= end),
    };
    if outside {
        return Ok(None);
    }
    let shifted = |time: Decimal| {
        let shifted = time.minus(start);
        shifted
            .ok_or_else(|| Error::unfit(format!("the time {time} - {start} has too many digits")))
    };
    Ok(Some(Segment {
        start: shifted(from)?,
        end: to.map(shifted).transpose()?,
        ..segment.clone()
    }))
}

/// Rounds the times of segments to the nearest frames. Segments shorter than half a frame are
/// dropped.
pub(super) fn round(segments: &mut Vec<Segment>, grid: &FrameGrid) {
    // A segment before the first frame is moved to its start.
    let nearest = |time| grid.nearest(time).unwrap_or(0);
    segments.retain_mut(|segment| {
        let (start, end) = (nearest(segment.start), segment.end.map(nearest));
        segment.start = grid.time(start);
        segment.end = end.map(|end| grid.time(end));
        end.is_none_or(|end| end > start)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Option<Decimal> {
        Decimal::parse(text)
    }

    fn segments(text: &str) -> Vec<Segment> {
        let one = |word: &str| {
            let (start, end) = word.split_once(':').unwrap();
            Segment::new(time(start).unwrap(), time(end), word.as_bytes())
        };
        text.split(' ').map(one).collect()
    }

    fn shown(segments: &[Segment]) -> String {
        let one = |s: &Segment| {
            let end = s.end.map_or("-".to_owned(), |end| end.to_string());
            format!("{}:{end}", s.start)
        };
        segments.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_lies_within_is_kept_and_shifted() {
        for (all, start, end, kept) in [
            ("0:1 1:2 2:3", "1", "2", "0:1"),
            ("0:1 1:2 2:3", "0.5", "2.5", "0:0.5 0.5:1.5 1.5:2"),
            ("0:9", "1.25", "2", "0:0.75"),
            ("0:- 3:-", "1", "2", "0:1"),
            ("0:1 3:-", "2", "-", "1:-"),
            ("1:1 1.5:1.5 2:2", "1", "2", "0:0 0.5:0.5"),
        ] {
            let tiers = [Tier::only(segments(all))];
            let cut = cut_tiers(&tiers, time(start).unwrap(), time(end)).unwrap();
            assert_eq!(shown(&cut[0].segments), kept, "{all} {start} {end}");
        }
    }

    #[test]
    fn times_are_those_of_frames() {
        let grid = FrameGrid::usual();
        for (all, rounded) in [
            ("0:0.014 0.014:0.026 0.026:1", "0:0.01 0.01:0.03 0.03:1"),
            ("0:0.001 0.001:0.024 0.024:-", "0:0.02 0.02:-"),
            ("0:0.005 0.005:0.015", "0:0.01 0.01:0.02"),
        ] {
            let mut list = segments(all);
            round(&mut list, &grid);
            assert_eq!(shown(&list), rounded, "{all}");
        }
    }
}
