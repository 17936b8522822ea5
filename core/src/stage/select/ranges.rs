//! The range grammar of pfile_utils and QuickNet.

use std::ops::Range;
use std::str::FromStr;

use crate::bytes::{Env, MemoryCounter};
use crate::error::{Error, Result};

/// A selection among n items, in order: `0,2,4-8,^0` or `0:4:^0/8,12`.
///
/// | text | what |
/// |---|---|
/// | `b` | thing b; they count from 0 |
/// | `^b` | thing b from the end; `^0` is the last |
/// | `b-e` or `b:e` | b to e, both included; without b from the first, without e to the last |
/// | `b:s:e` | every s-th of them |
/// | `x,y` or `x y` | x, then y; a thing may come more than once |
/// | `x/y` | x without any of y; without x all |
/// | `x;y`, or lines | each for itself, one after the other |
/// | `all`, `full`, `-`, `:` | everything |
/// | `nil`, `none`, no text | nothing |
///
/// ```
/// use spr_core::stage::Ranges;
/// let ranges: Ranges = "0,2,4-8,9,11:4:^0".parse()?;
/// let chosen: Vec<_> = ranges.of("column", 20)?.into_iter().flatten().collect();
/// assert_eq!(chosen, [0, 2, 4, 5, 6, 7, 8, 9, 11, 15, 19]);
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    terms: Vec<Term>,
}

/// Items, and those excluded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Term {
    items: Vec<Item>,
    without: Vec<Item>,
}

/// Every `step`-th from `first` to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item {
    first: Position,
    step: usize,
    last: Position,
}

/// An item, counted from either end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    Start(usize),
    End(usize),
}

const ALL: Item = Item {
    first: Position::Start(0),
    step: 1,
    last: Position::End(0),
};

impl Ranges {
    /// Parses the ranges in `text`, or with `@FILE` those in the file's lines.
    ///
    /// # Errors
    /// A range is invalid, or the file cannot be read.
    pub fn read(text: &str, env: &Env) -> Result<Self> {
        let Some(file) = text.strip_prefix('@') else {
            return text.parse();
        };
        let mut source = env.open_file(&file.into())?;
        let mut ranges = Self::default();
        let (mut line, mut number) = (Vec::new(), 0);
        let mut held = MemoryCounter::new("a list of ranges");
        while source.line(&mut line, &env.limits)? {
            number += 1;
            // Two bytes can form a range.
            let bytes = line.len() / 2 * (size_of::<Term>() + size_of::<Item>());
            held.add(bytes, &source, &env.limits)?;
            let text = String::from_utf8_lossy(&line);
            let part: Self = text.parse().map_err(|e: Error| e.file(file).line(number))?;
            ranges.terms.extend(part.terms);
        }
        Ok(ranges)
    }

    /// Returns the selection among `n` items as ascending runs; errors call an item `what`.
    ///
    /// # Errors
    /// An item does not exist, or a range ends before it starts.
    pub fn of(&self, what: &str, n: usize) -> Result<Vec<Range<usize>>> {
        let mut runs = Vec::new();
        for term in &self.terms {
            let mut left_out = vec![false; if term.without.is_empty() { 0 } else { n }];
            for item in &term.without {
                for index in item.of(what, n)? {
                    left_out[index] = true;
                }
            }
            for item in &term.items {
                let chosen = item.of(what, n)?;
                match (left_out.is_empty(), item.step) {
                    (true, 1) => push(&mut runs, item.run(what, n)?),
                    _ => chosen
                        .filter(|&index| !left_out.get(index).is_some_and(|&out| out))
                        .for_each(|index| push(&mut runs, index..index + 1)),
                }
            }
        }
        Ok(runs)
    }

    /// Creates a selection of the items `first` to `last` of each pair, which may be descending.
    pub(super) fn from_runs(runs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let items = runs.into_iter().map(|(first, last)| Item {
            first: Position::Start(first),
            step: 1,
            last: Position::Start(last),
        });
        let term = Term {
            items: items.collect(),
            without: Vec::new(),
        };
        Self { terms: vec![term] }
    }
}

/// Adds a run, or extends the one before if it is adjacent.
fn push(runs: &mut Vec<Range<usize>>, run: Range<usize>) {
    match runs.last_mut() {
        Some(before) if before.end == run.start => before.end = run.end,
        _ if run.is_empty() => {}
        _ => runs.push(run),
    }
}

impl Item {
    fn run(self, what: &str, n: usize) -> Result<Range<usize>> {
        if n == 0 && self == ALL {
            return Ok(0..0);
        }
        let (first, last) = (self.first.of(what, n)?, self.last.of(what, n)?);
        if first > last {
            return Err(Error::unfit(format!(
                "a range from {what} {first} to {last} runs backwards"
            )));
        }
        Ok(first..last + 1)
    }

    fn of(self, what: &str, n: usize) -> Result<impl Iterator<Item = usize>> {
        Ok(self.run(what, n)?.step_by(self.step))
    }
}

impl Position {
    fn of(self, what: &str, n: usize) -> Result<usize> {
        let (place, text) = match self {
            Self::Start(place) => (Some(place).filter(|place| *place < n), place.to_string()),
            Self::End(back) => (
                n.checked_sub(1).and_then(|n| n.checked_sub(back)),
                format!("^{back}"),
            ),
        };
        place.ok_or_else(|| {
            Error::unfit(format!(
                "{what} {text} was asked for, but there are only {n}"
            ))
        })
    }
}

impl FromStr for Ranges {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut terms = Vec::new();
        for term in text
            .split([';', '\n'])
            .filter(|term| !term.trim().is_empty())
        {
            let term = parse_term(term).ok_or_else(|| {
                Error::usage(format!("'{}' is not a range", text.escape_debug()))
                    .hint("such as 0,2,4-8,11:4:^0 or /3-5, counted from 0")
            })?;
            terms.push(term);
        }
        Ok(Self { terms })
    }
}

fn parse_term(text: &str) -> Option<Term> {
    let (items, without) = match text.split_once('/') {
        Some((items, without)) if items.trim().is_empty() => (vec![ALL], without),
        Some((items, without)) => (parse_sequence(items)?, without),
        None => (parse_sequence(text)?, "nil"),
    };
    let without = parse_sequence(without.strip_suffix('/').unwrap_or(without))?;
    Some(Term { items, without })
}

fn parse_sequence(text: &str) -> Option<Vec<Item>> {
    if matches!(text.trim(), "nil" | "none") {
        return Some(Vec::new());
    }
    let mut items = Vec::new();
    for part in text.split(',') {
        let before = items.len();
        for word in part.split_whitespace() {
            items.push(parse_item(word)?);
        }
        if items.len() == before {
            return None;
        }
    }
    Some(items)
}

fn parse_item(word: &str) -> Option<Item> {
    if matches!(word, "all" | "full") {
        return Some(ALL);
    }
    let or = |word: &str, open| match word {
        "" => Some(open),
        word => parse_position(word),
    };
    let mut parts = word.split(['-', ':']);
    let item = match (parts.next()?, parts.next(), parts.next()) {
        (only, None, _) => {
            let only = parse_position(only)?;
            Item {
                first: only,
                step: 1,
                last: only,
            }
        }
        (first, Some(last), None) => Item {
            first: or(first, ALL.first)?,
            step: 1,
            last: or(last, ALL.last)?,
        },
        (first, Some(step), Some(last)) => Item {
            first: or(first, ALL.first)?,
            step: parse_number(step).filter(|step| *step > 0)?,
            last: or(last, ALL.last)?,
        },
    };
    parts.next().is_none().then_some(item)
}

fn parse_position(word: &str) -> Option<Position> {
    match word.strip_prefix('^') {
        Some(back) => parse_number(back).map(Position::End),
        None => parse_number(word).map(Position::Start),
    }
}

fn parse_number(digits: &str) -> Option<usize> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn of(text: &str, n: usize) -> Vec<usize> {
        let ranges: Ranges = text.parse().unwrap();
        ranges
            .of("column", n)
            .unwrap()
            .into_iter()
            .flatten()
            .collect()
    }

    #[test]
    fn every_form() {
        for (text, chosen) in [
            ("3", &[3][..]),
            ("^0", &[9]),
            ("^9,0", &[0, 0]),
            ("2-4", &[2, 3, 4]),
            ("2:4", &[2, 3, 4]),
            ("-1", &[0, 1]),
            ("8-", &[8, 9]),
            ("^1:", &[8, 9]),
            ("1:3:^0", &[1, 4, 7]),
            (":4:", &[0, 4, 8]),
            ("1:3:8", &[1, 4, 7]),
            ("5,5 4", &[5, 5, 4]),
            ("1, 2", &[1, 2]),
            ("/2-^1", &[0, 1, 9]),
            ("/2-^1/", &[0, 1, 9]),
            ("0-5/1,3:9", &[0, 2]),
            ("4,1,4/1", &[4, 4]),
            ("7-/8;0\n1;", &[7, 9, 0, 1]),
            ("nil", &[]),
            ("none", &[]),
            ("", &[]),
            ("nil;2", &[2]),
        ] {
            assert_eq!(of(text, 10), chosen, "{text}");
        }
        for text in ["all", "full", "-", ":", "0-^0", "/nil"] {
            assert_eq!(of(text, 3), [0, 1, 2], "{text}");
        }
        assert!(of("all", 0).is_empty());
    }

    #[test]
    fn runs_are_joined() {
        let ranges: Ranges = "0-2,3,5,4,5-6".parse().unwrap();
        assert_eq!(ranges.of("column", 7).unwrap(), [0..4, 5..6, 4..7]);
    }

    #[test]
    fn what_is_no_range_or_not_there_is_refused() {
        for text in [
            "a",
            "1,,2",
            ",",
            "1:2:3:4",
            "1:0:3",
            "1::3",
            "^",
            "^-1",
            "+1",
            "1/2/3",
            "1.5",
            "0x1",
            "@file",
            "99999999999999999999999",
        ] {
            assert!(text.parse::<Ranges>().is_err(), "{text}");
        }
        for text in ["10", "^10", "3-12", "5-3", "all/11"] {
            let error = text
                .parse::<Ranges>()
                .unwrap()
                .of("column", 10)
                .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unfit, "{text}: {error}");
        }
        assert!("0-".parse::<Ranges>().unwrap().of("column", 0).is_ok());
        assert!("0".parse::<Ranges>().unwrap().of("column", 0).is_err());
    }

    #[test]
    fn a_file_has_a_range_a_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "3-4\n\n0 1\n").unwrap();
        let text = format!("@{}", file.path().display());
        let ranges = Ranges::read(&text, &Env::default()).unwrap();
        assert_eq!(ranges, "3-4;0,1".parse().unwrap());
        std::fs::write(&file, "3-4\nx\n").unwrap();
        let error = Ranges::read(&text, &Env::default()).unwrap_err();
        assert_eq!(error.line_number(), Some(2));
    }
}
