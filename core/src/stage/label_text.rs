//! PDNN's notation for sets and maps of labels: `0:3-9`, `1:0/4-6:2`.

use std::str::FromStr;

use super::{LabelMap, LabelSet};
use crate::error::{Error, Result};

impl FromStr for LabelSet {
    type Err = Error;

    /// Parses labels and ascending ranges of labels: `0:3-9`.
    fn from_str(text: &str) -> Result<Self> {
        let mut set = Self::default();
        for part in text.split(':') {
            let (first, last) = range(part).ok_or_else(|| {
                Error::usage(format!("'{text}' is not a set of labels"))
                    .hint("labels and ascending ranges, such as 0:3-9")
            })?;
            set.insert(first, last);
        }
        Ok(set)
    }
}

impl FromStr for LabelMap {
    type Err = Error;

    /// Parses a map of labels or ranges of labels: `1:0/4-6:2`.
    fn from_str(text: &str) -> Result<Self> {
        let mut map = Self::default();
        for change in text.split('/') {
            let change = change.split_once(':');
            let change = change.and_then(|(from, to)| Some((range(from)?, label(to)?)));
            let ((first, last), to) = change.ok_or_else(|| {
                Error::usage(format!("'{text}' does not map labels"))
                    .hint("FROM:TO with labels or ascending ranges, such as 1:0/4-6:2")
            })?;
            map.insert(first, last, to);
        }
        Ok(map)
    }
}

/// Parses a label, or an ascending range.
fn range(text: &str) -> Option<(i64, i64)> {
    let (first, last) = match text.split_once('-') {
        None => (number(text)?, number(text)?),
        Some((first, last)) => (number(first)?, number(last)?),
    };
    (first <= last).then_some((first, last))
}

fn number(text: &str) -> Option<i64> {
    let digits = text.trim_matches(' ');
    let plain = digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

/// Parses a label with an optional sign.
fn label(text: &str) -> Option<i64> {
    let label = text.trim_matches(' ');
    let digits = label.strip_prefix('-').unwrap_or(label);
    let plain = digits.bytes().all(|b| b.is_ascii_digit());
    label.parse().ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets() {
        let set: LabelSet = "0:3-9: 12 - 13 ".parse().unwrap();
        assert_eq!(set.ranges().collect::<Vec<_>>(), [(0, 0), (3, 9), (12, 13)]);
        let wrong = [
            "",
            "9-7",
            "-1",
            "+1",
            "0:",
            "0,1",
            "1-2-3",
            "a",
            "99999999999999999999",
        ];
        for text in wrong {
            assert!(text.parse::<LabelSet>().is_err(), "{text}");
        }
    }

    #[test]
    fn maps() {
        let map: LabelMap = "1:0/4-6:2/5:-1".parse().unwrap();
        assert_eq!([1, 4, 5, 6, 7].map(|l| map.get(l)), [0, 2, -1, 2, 7]);
        let wrong = [
            "", "1", "1:", ":1", "1:2:3", "1:2/", "6-4:1", "-1:2", "1:2,3:4", "1:+2", "1:--2",
        ];
        for text in wrong {
            assert!(text.parse::<LabelMap>().is_err(), "{text}");
        }
    }
}
