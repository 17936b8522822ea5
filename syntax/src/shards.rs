//! Shards: the files into which a folder divides a data set, by their numbers.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use spr_core::bytes::{Env, Location};
use spr_core::format::{OptionSpec, Options};
use spr_core::{Error, Result};

/// The option for the size of shards.
pub const SIZE: OptionSpec = OptionSpec {
    name: "shard-size",
    value: "SIZE",
    help: "writing a folder: the most bytes of a shard, such as 500m (1g)",
};

/// The option for the number of utterances in shards.
pub const COUNT: OptionSpec = OptionSpec {
    name: "shard-count",
    value: "N",
    help: "writing a folder: the most utterances of a shard (100000)",
};

/// The limits of a shard. An utterance that is larger than a shard has one to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardLimits {
    /// The most bytes.
    pub bytes: u64,
    /// The most utterances.
    pub count: u64,
}

impl Default for ShardLimits {
    fn default() -> Self {
        Self {
            bytes: 1 << 30,
            count: 100_000,
        }
    }
}

impl ShardLimits {
    /// Returns the limits that options set.
    ///
    /// # Errors
    /// A value is no size, or 0.
    pub fn of(options: &Options) -> Result<Self> {
        let usual = Self::default();
        let size = options.get(SIZE.name).map(|text| {
            let wrong = || {
                let message = format!("option {}: '{text}' is not a valid value", SIZE.name);
                Error::usage(message).hint("such as 500m, 1g or a number of bytes")
            };
            size(text).filter(|size| *size > 0).ok_or_else(wrong)
        });
        let count = options.parse(COUNT.name)?;
        if count == Some(0) {
            let message = format!("option {}: a shard of no utterances", COUNT.name);
            return Err(Error::usage(message));
        }
        Ok(Self {
            bytes: size.transpose()?.unwrap_or(usual.bytes),
            count: count.unwrap_or(usual.count),
        })
    }

    /// Returns `true` if a shard with so many bytes and utterances is full for another `bytes`.
    pub fn are_full(self, shard: (u64, u64), bytes: u64) -> bool {
        let (size, count) = shard;
        count >= self.count || count > 0 && size.saturating_add(bytes) > self.bytes
    }
}

/// Parses a number of bytes, in units of 1024 behind `k`, `m` or `g`.
fn size(text: &str) -> Option<u64> {
    let unit = text.chars().last()?.to_ascii_lowercase();
    let shift = match unit {
        'k' => 10,
        'm' => 20,
        'g' => 30,
        _ => return text.parse().ok(),
    };
    let digits = text.get(..text.len() - 1)?;
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Returns the last number in the name of a shard, without its extensions: 7 of `train-000007.tar`.
pub fn number(name: &str) -> Option<u64> {
    let stem = name.split('.').next()?;
    let end = stem.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = stem[..end].rfind(|c: char| !c.is_ascii_digit());
    stem[start.map_or(0, |at| at + 1)..end].parse().ok()
}

/// Compares the names of shards, in which numbers are compared as such.
pub fn compare(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a, b);
    loop {
        let (digits, others) = (number_at(x), number_at(y));
        let order = match (digits, others) {
            (Some((n, rest)), Some((m, behind))) => {
                (x, y) = (rest, behind);
                // The number without zeros is longer where it is larger.
                n.len().cmp(&m.len()).then(n.cmp(m))
            }
            _ => {
                let (mut left, mut right) = (x.chars(), y.chars());
                let (first, second) = (left.next(), right.next());
                if first.is_none() && second.is_none() {
                    return a.cmp(b);
                }
                (x, y) = (left.as_str(), right.as_str());
                first.cmp(&second)
            }
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Splits off the digits at the start, without leading zeros.
fn number_at(text: &str) -> Option<(&str, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    (end > 0).then(|| (digits.trim_start_matches('0'), rest))
}

/// Returns the numbers that are missing between the first and the last of sorted numbers, the first
/// of each run of them with its last.
pub fn gaps(numbers: &[u64]) -> Vec<(u64, u64)> {
    let pairs = numbers.windows(2);
    let gap = |pair: &[u64]| match *pair {
        [a, b] if b > a.saturating_add(1) => Some((a + 1, b - 1)),
        _ => None,
    };
    pairs.filter_map(gap).collect()
}

/// The numbers in the names of shards that have one name besides.
#[derive(Default)]
struct Series {
    numbers: Vec<u64>,
    /// The 5 of `train-00001-of-00005.parquet`.
    total: Option<u64>,
}

/// Returns the error about shards that are missing from a folder, which comes after the data of the
/// others. Names without a total, such as `a-1.tar`, may have gaps, of which it warns.
pub fn check_missing<'a>(
    names: impl IntoIterator<Item = &'a str>,
    folder: &Location,
    env: &Env,
) -> Option<Error> {
    let mut all = BTreeMap::<&str, Series>::new();
    for name in names {
        let (own, total) = match name.rsplit_once("-of-") {
            Some((own, total)) => (own, number(total)),
            None => (name, None),
        };
        // Names that have no number are no part of a series.
        let Some(n) = number(own) else { continue };
        let stem = own.split('.').next().unwrap_or(own);
        let series = all.entry(stem.trim_end_matches(|c: char| c.is_ascii_digit()));
        let series = series.or_default();
        series.numbers.push(n);
        series.total = series.total.or(total);
    }
    let (mut lost, mut gaps) = (Vec::new(), Vec::new());
    for series in all.values_mut() {
        match series.total {
            Some(_) => lost.append(&mut series.missing()),
            None => gaps.append(&mut series.missing()),
        }
    }
    if let Some(warning) = lacking(&gaps, folder) {
        env.warn(&warning);
    }
    lacking(&lost, folder)
}

impl Series {
    /// Returns the missing numbers, the first of each run of them with its last.
    fn missing(&mut self) -> Vec<(u64, u64)> {
        self.numbers.sort_unstable();
        let mut missing = gaps(&self.numbers);
        let (first, last) = (self.numbers.first(), self.numbers.last());
        if let (Some(first), Some(last), Some(total)) = (first, last, self.total) {
            // Shards of this program count from 1.
            let base = u64::from(*last == total);
            missing.splice(0..0, (*first > base).then(|| (base, first - 1)));
            missing.extend((last + 1 < total).then(|| (last + 1, total - 1)));
        }
        missing
    }
}

/// Returns the error about missing shards, if there are any.
pub fn lacking(missing: &[(u64, u64)], folder: &Location) -> Option<Error> {
    let runs = missing.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first} to {last}"),
    });
    let runs = runs.collect::<Vec<_>>().join(", ");
    let message = match missing {
        [] => return None,
        [(first, last)] if first == last => format!("lacks shard {runs}"),
        _ => format!("lacks shards {runs}"),
    };
    let error = Error::malformed(message).file(folder.to_string());
    Some(error.continuable())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_their_numbers() {
        let mut names = [
            "a-10.tar",
            "a-2.tar",
            "a-002.tar",
            "b-1.tar",
            "a-x.tar",
            "a.tar",
        ];
        names.sort_by(|a, b| compare(a, b));
        assert_eq!(
            names,
            [
                "a-002.tar",
                "a-2.tar",
                "a-10.tar",
                "a-x.tar",
                "a.tar",
                "b-1.tar"
            ]
        );
        for (name, expected) in [
            ("train-000007.tar.gz", Some(7)),
            ("a2b", Some(2)),
            ("a.7.tar", None),
            ("99999999999999999999999.tar", None),
        ] {
            assert_eq!(number(name), expected, "{name}");
        }
        assert_eq!(gaps(&[1, 2, 5, 6, 8]), [(3, 4), (7, 7)]);
        let error = lacking(&[(3, 4), (7, 7)], &"d".into()).map(|e| e.to_string());
        assert_eq!(error.as_deref(), Some("d: lacks shards 3 to 4, 7"));
        assert!(gaps(&[]).is_empty());
    }

    #[test]
    fn a_total_in_names_shows_what_is_missing() {
        for (names, expected) in [
            (&["a-0-of-2.tar", "a-1-of-2.tar"][..], None),
            (&["a-1-of-2.tar", "a-2-of-2.tar"], None),
            (&["a-1-of-3.tar"], Some("d: lacks shards 0, 2")),
            (
                &["a-00000-of-00002.tar", "b-00001-of-00002.tar"],
                Some("d: lacks shards 1, 0"),
            ),
            // Without a total, the others may never have been.
            (&["a-1.tar", "a-3.tar", "x.tar"], None),
            (&["b-3.tar", "a-1.tar"], None),
        ] {
            let env = Env::default();
            let error = check_missing(names.iter().copied(), &"d".into(), &env);
            let error = error.map(|error| error.to_string());
            assert_eq!(error.as_deref(), expected, "{names:?}");
        }
    }

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [("500", 500), ("2k", 2048), ("3M", 3 << 20), ("1g", 1 << 30)] {
            assert_eq!(size(text), Some(bytes));
        }
        for text in ["", "g", "1t", "-1", "1.5g", "99999999999g", "é"] {
            assert_eq!(size(text), None, "{text}");
        }
    }

    #[test]
    fn a_shard_is_full_by_size_or_count() {
        let limits = ShardLimits {
            bytes: 10,
            count: 2,
        };
        assert!(!limits.are_full((0, 0), 99));
        assert!(!limits.are_full((4, 1), 6) && limits.are_full((4, 1), 7));
        assert!(limits.are_full((0, 2), 0));
    }
}
