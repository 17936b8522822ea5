//! The order of segments.

use spr_core::model::Segment;

/// The warning about sorted segments.
pub(crate) const SORTED: &str =
    "has segments that are not in the order of their times, and are sorted by them";

/// Sorts segments by their times if they are out of order, and returns `true` if it did. Segments
/// that overlap stay as they are, because their order may mean something.
pub(crate) fn sort(segments: &mut [Segment]) -> bool {
    if segments.is_sorted_by_key(|segment| segment.start) {
        return false;
    }
    let mut order: Vec<_> = segments.iter().collect();
    order.sort_by_key(|segment| (segment.start, segment.end));
    let apart = |pair: &[&Segment]| match *pair {
        [one, next] => one.end.is_some_and(|end| end <= next.start),
        _ => true,
    };
    let are_apart = order.windows(2).all(apart);
    if are_apart {
        segments.sort_by_key(|segment| (segment.start, segment.end));
    }
    are_apart
}

#[cfg(test)]
mod tests {
    use spr_core::model::Decimal;

    use super::*;

    #[test]
    fn segments_apart_are_sorted() {
        for (times, sorted, after) in [
            ("0-1 1-2 3-4", false, "0-1 1-2 3-4"),
            ("3-4 0-1 1-2", true, "0-1 1-2 3-4"),
            ("1-1 0-1", true, "0-1 1-1"),
            // Two speakers at once.
            ("3-4 0-2 1-2", false, "3-4 0-2 1-2"),
            ("3-4 0-", false, "3-4 0-"),
        ] {
            let segment = |times: &str| {
                let (start, end) = times.split_once('-').unwrap();
                Segment::new(Decimal::parse(start).unwrap(), Decimal::parse(end), b"")
            };
            let mut segments: Vec<_> = times.split(' ').map(segment).collect();
            assert_eq!(sort(&mut segments), sorted, "{times}");
            let expected: Vec<_> = after.split(' ').map(segment).collect();
            assert_eq!(segments, expected, "{times}");
        }
    }
}
