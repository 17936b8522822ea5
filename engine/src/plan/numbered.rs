//! Outputs with a number or name in `{part}`: `out.{part:04}.pkl.gz`.

use nom::bytes::complete::{tag, take_until};
use nom::character::complete::{char, digit1};
use nom::combinator::{map_res, opt};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

/// The placeholder for the number of a shard, which is known when a job runs.
pub const SHARD: &str = "{shard}";

/// The text for `{part}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartName {
    /// The number of a part, from 0.
    Number(u64),
    /// The name of a part.
    Word(&'static str),
}

impl PartName {
    /// The text, with at least so many digits.
    pub(crate) fn text(self, width: usize) -> String {
        match self {
            Self::Number(n) => format!("{n:0width$}"),
            Self::Word(word) => word.to_owned(),
        }
    }
}

/// The largest width.
const MOST: usize = 20;

/// Parses `{part}` or `{part:04}`: the smallest number of digits.
fn part(text: &str) -> IResult<&str, usize> {
    let width = map_res(preceded(char(':'), digit1), str::parse::<usize>);
    let width = opt(width).map(|width| width.unwrap_or(0).min(MOST));
    delimited(tag("{part"), width, char('}')).parse(text)
}

/// Splits text at the first `{part}`: the text before, its width, and the text after.
fn split(text: &str) -> Option<(&str, usize, &str)> {
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let before: IResult<&str, &str> = take_until("{part").parse(rest);
        let (found, before) = before.ok()?;
        at += before.len();
        if let Ok((after, width)) = part(found) {
            return Some((text.get(..at)?, width, after));
        }
        at += 1;
    }
}

/// Returns `true` if the text contains `{part}`.
pub(crate) fn is_numbered(text: &str) -> bool {
    split(text).is_some()
}

/// Replaces each `{part}` in the text.
pub(crate) fn number(text: &str, part: PartName) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, width, after)) = split(rest) {
        out.push_str(&(before.to_owned() + &part.text(width)));
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_their_places() {
        for (text, expected) in [
            ("out.{part}.pkl", "out.7.pkl"),
            ("out.{part:04}.pkl.gz", "out.0007.pkl.gz"),
            ("ark,scp:{part:2}.ark,{part}.scp", "ark,scp:07.ark,7.scp"),
            ("{party}{part}", "{party}7"),
            ("{{part}}", "{7}"),
        ] {
            assert_eq!(number(text, PartName::Number(7)), expected);
            assert!(is_numbered(text), "{text}");
        }
        let named = number("{part:04}.{part}", PartName::Word("dev"));
        assert_eq!(named, "dev.dev");
        for text in ["out.pkl", "{part", "{part:}", "{part:x}", "{Part}", "part"] {
            assert!(!is_numbered(text), "{text}");
            assert_eq!(number(text, PartName::Number(7)), text);
        }
    }
}
