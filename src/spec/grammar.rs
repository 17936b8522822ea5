//! The values of data options: `5:1`, `0:3-9`, `1:0/4-6:2`, `600m`.

use nom::bytes::complete::tag;
use nom::character::complete::{char, digit1, one_of, space0};
use nom::combinator::{all_consuming, map_res, opt, recognize, verify};
use nom::multi::separated_list1;
use nom::sequence::{delimited, preceded, separated_pair};
use nom::{IResult, Parser};
use spr_core::stage::{LabelMap, LabelSet};

/// Frames on one side of a window: more than this is a slip.
const MOST_CONTEXT: usize = 1 << 20;

/// Frames before and after: `5` for both, `5:1`.
pub(super) fn context(text: &str) -> Option<(usize, usize)> {
    let both = (side, opt(preceded(char(':'), side)));
    whole(both, text).map(|(left, right)| (left, right.unwrap_or(left)))
}

/// Frames on one side.
pub(super) fn frames(text: &str) -> Option<usize> {
    whole(side, text)
}

/// Labels and ranges of labels: `0:3-9`.
pub(super) fn labels(text: &str) -> Option<LabelSet> {
    let ranges = whole(separated_list1(char(':'), range), text)?;
    let mut set = LabelSet::default();
    for (first, last) in ranges {
        set.insert(first, last);
    }
    Some(set)
}

/// Labels or ranges of labels and what becomes of them: `1:0/4-6:2`.
pub(super) fn label_map(text: &str) -> Option<LabelMap> {
    let change = separated_pair(range, char(':'), label);
    let changes = whole(separated_list1(char('/'), change), text)?;
    let mut map = LabelMap::default();
    for ((first, last), to) in changes {
        map.insert(first, last, to);
    }
    Some(map)
}

/// Bytes, in MiB if no unit stands there: `600m`, `2g`, `600`.
pub(super) fn size(text: &str) -> Option<u64> {
    let (number, unit) = whole((number::<u64>, opt(one_of("kmgKMG"))), text)?;
    let shift = match unit {
        Some('k' | 'K') => 10,
        Some('g' | 'G') => 30,
        _ => 20,
    };
    number.checked_mul(1 << shift).filter(|bytes| *bytes > 0)
}

/// Yes or no, told by the first letter.
pub(super) fn truth(text: &str) -> Option<bool> {
    match text.chars().next()? {
        'T' | 't' | 'Y' | 'y' | '1' => Some(true),
        'F' | 'f' | 'N' | 'n' | '0' => Some(false),
        _ => None,
    }
}

/// What `parser` makes of all of `text`.
fn whole<'a, P, O>(parser: P, text: &'a str) -> Option<O>
where
    P: Parser<&'a str, Output = O, Error = nom::error::Error<&'a str>>,
{
    all_consuming(parser)
        .parse(text)
        .ok()
        .map(|(_, value)| value)
}

fn number<T: std::str::FromStr>(text: &str) -> IResult<&str, T> {
    map_res(delimited(space0, digit1, space0), str::parse).parse(text)
}

fn side(text: &str) -> IResult<&str, usize> {
    verify(number, |n| *n <= MOST_CONTEXT).parse(text)
}

/// A label, or the first and the last of a range, which goes upwards.
fn range(text: &str) -> IResult<&str, (i64, i64)> {
    let ends = (number, opt(preceded(char('-'), number)));
    let ends = ends.map(|(first, last): (i64, _)| (first, last.unwrap_or(first)));
    verify(ends, |(first, last)| first <= last).parse(text)
}

/// A label that may have a sign.
fn label(text: &str) -> IResult<&str, i64> {
    let digits = recognize((opt(tag("-")), digit1));
    map_res(delimited(space0, digits, space0), str::parse).parse(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows() {
        assert_eq!(context("5"), Some((5, 5)));
        assert_eq!(context("5:1"), Some((5, 1)));
        assert_eq!(context(" 0 : 3 "), Some((0, 3)));
        for text in ["", "-1", "1:2:3", "5:", ":5", "5:x", "1.5", "99999999"] {
            assert_eq!(context(text), None, "{text}");
        }
        assert_eq!((frames("3"), frames("3:1")), (Some(3), None));
    }

    #[test]
    fn sets() {
        let set = labels("0:3-9: 12 - 13 ").unwrap();
        assert_eq!(set.ranges().collect::<Vec<_>>(), [(0, 0), (3, 9), (12, 13)]);
        for text in [
            "",
            "9-7",
            "-1",
            "0:",
            "0,1",
            "1-2-3",
            "a",
            "99999999999999999999",
        ] {
            assert_eq!(labels(text), None, "{text}");
        }
    }

    #[test]
    fn maps() {
        let map = label_map("1:0/4-6:2/5:-1").unwrap();
        assert_eq!([1, 4, 5, 6, 7].map(|l| map.get(l)), [0, 2, -1, 2, 7]);
        for text in [
            "", "1", "1:", ":1", "1:2:3", "1:2/", "6-4:1", "-1:2", "1:2,3:4",
        ] {
            assert_eq!(label_map(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_and_truths() {
        for (text, bytes) in [
            ("600m", 600 << 20),
            ("600", 600 << 20),
            ("4k", 4096),
            ("1G", 1 << 30),
        ] {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        for text in ["", "0", "0m", "1.5m", "-1", "1mm", "m", "99999999999g"] {
            assert_eq!(size(text), None, "{text}");
        }
        for (text, yes) in [
            ("True", true),
            ("yes", true),
            ("1", true),
            ("False", false),
            ("n", false),
        ] {
            assert_eq!(truth(text), Some(yes), "{text}");
        }
        assert_eq!((truth("on"), truth("")), (None, None));
    }
}
