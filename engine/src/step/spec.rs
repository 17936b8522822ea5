//! The grammar of data options: `5:1`, `600m`, `True`.

use nom::character::complete::{char, digit1, one_of, space0};
use nom::combinator::{all_consuming, map_res, opt, verify};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

/// The largest number of frames on one side of a window; more is assumed to be a mistake.
pub(crate) const MOST_CONTEXT: usize = 1 << 20;

/// Parses frames before and after: `5` for both, `5:1`.
pub(crate) fn context(text: &str) -> Option<(usize, usize)> {
    let both = (side, opt(preceded(char(':'), side)));
    whole(both, text).map(|(left, right)| (left, right.unwrap_or(left)))
}

/// Parses the frames on one side.
pub(crate) fn frames(text: &str) -> Option<usize> {
    whole(side, text)
}

/// Parses a size in bytes, or in MiB without a unit: `600m`, `2g`, `600`.
pub(crate) fn size(text: &str) -> Option<u64> {
    let (number, unit) = whole((number::<u64>, opt(one_of("kmgKMG"))), text)?;
    let shift = match unit {
        Some('k' | 'K') => 10,
        Some('g' | 'G') => 30,
        _ => 20,
    };
    number.checked_mul(1 << shift).filter(|bytes| *bytes > 0)
}

/// Bytes of a [`size`] as the text of a step's value has them.
pub(crate) fn size_text(bytes: u64) -> String {
    match bytes {
        bytes if bytes % (1 << 20) == 0 => format!("{}m", bytes >> 20),
        bytes => format!("{}k", bytes >> 10),
    }
}

/// Parses a boolean by its first letter.
pub(crate) fn truth(text: &str) -> Option<bool> {
    match text.chars().next()? {
        'T' | 't' | 'Y' | 'y' | '1' => Some(true),
        'F' | 'f' | 'N' | 'n' | '0' => Some(false),
        _ => None,
    }
}

/// Applies `parser` to all of `text`.
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
