//! The grammar of header lines: `-name value…`, with blanks between words.

use nom::bytes::complete::take_while1;
use nom::character::complete::{one_of, space0, space1, u64 as integer};
use nom::combinator::{all_consuming, map_opt, opt};
use nom::error::Error;
use nom::multi::fold_many1;
use nom::sequence::{pair, preceded, separated_pair};
use nom::{IResult, Parser};

/// The name of the first line.
pub(crate) const MAGIC: &[u8] = b"-pfile_header";

/// The `name number` pairs of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pairs {
    pub(crate) version: Option<u64>,
    pub(crate) size: Option<u64>,
    pub(crate) offset: Option<u64>,
    pub(crate) ndim: Option<u64>,
    pub(crate) nrow: Option<u64>,
    pub(crate) ncol: Option<u64>,
}

impl Pairs {
    fn with(mut self, name: &[u8], value: u64) -> Option<Self> {
        let field = match name {
            b"version" => &mut self.version,
            b"size" => &mut self.size,
            b"offset" => &mut self.offset,
            b"ndim" => &mut self.ndim,
            b"nrow" => &mut self.nrow,
            b"ncol" => &mut self.ncol,
            _ => return None,
        };
        field.replace(value).is_none().then_some(self)
    }
}

/// Splits a line into its `-name` and the rest.
pub(crate) fn line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (rest, name) = word(text.trim_ascii()).ok()?;
    let ends = rest.first().is_none_or(u8::is_ascii_whitespace);
    (ends && name.starts_with(b"-")).then_some((name, rest))
}

/// Parses a number.
pub(crate) fn number(text: &[u8]) -> Option<u64> {
    whole(preceded(space0, integer), text)
}

/// Parses `name number` pairs in any order, without unknown or repeated names.
pub(crate) fn pairs(text: &[u8]) -> Option<Pairs> {
    let one = preceded(space0, separated_pair(word, space1, integer));
    let all = fold_many1(
        one,
        || Some(Pairs::default()),
        |all: Option<Pairs>, (name, value)| all?.with(name, value),
    );
    whole(map_opt(all, |all| all), text)
}

/// Parses column letters, `dff` or run-length coded `d2f`, and passes each run with its number of
/// columns to `fold`.
pub(crate) fn letters<T>(
    text: &[u8],
    start: impl Fn() -> T,
    fold: impl Fn(T, u64, char) -> T,
) -> Option<T> {
    let run = pair(opt(integer), one_of("df"));
    let all = fold_many1(run, start, |folded, (count, letter)| {
        fold(folded, count.unwrap_or(1), letter)
    });
    whole(preceded(space0, all), text)
}

fn word(text: &[u8]) -> IResult<&[u8], &[u8]> {
    take_while1(|b: u8| b.is_ascii_graphic()).parse(text)
}

fn whole<'a, T>(
    parser: impl Parser<&'a [u8], Output = T, Error = Error<&'a [u8]>>,
    text: &'a [u8],
) -> Option<T> {
    let (_, value) = all_consuming(parser).parse(text).ok()?;
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_a_name_of_their_own() {
        let (name, rest) = line(b"-num_frames  12\r").unwrap();
        assert_eq!((name, number(rest)), (&b"-num_frames"[..], Some(12)));
        assert_eq!(line(b" -end "), Some((&b"-end"[..], &b""[..])));
        for text in ["", "num_frames 12", "\u{ff}-data", "-d\u{e4}ta"] {
            assert_eq!(line(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn numbers_fill_the_line_and_64_bits() {
        assert_eq!(number(b" 18446744073709551615"), Some(u64::MAX));
        for text in ["", " 18446744073709551616", " -1", " 1 2", " 1x", " 1.0"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn pairs_come_in_any_order() {
        let found = pairs(b" ndim 2 size 6\toffset 0").unwrap();
        assert_eq!((found.size, found.offset), (Some(6), Some(0)));
        assert_eq!((found.ndim, found.nrow), (Some(2), None));
        for text in ["", " size", " size x", " size 1 size 1", " sizes 1"] {
            assert_eq!(pairs(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn letters_may_be_run_length_coded() {
        let spelt = |text: &[u8]| {
            letters(text, String::new, |mut all, n, letter| {
                (0..n).for_each(|_| all.push(letter));
                all
            })
        };
        assert_eq!(spelt(b" 2d3fd").as_deref(), Some("ddfffd"));
        assert_eq!(spelt(b" ddf").as_deref(), Some("ddf"));
        for text in ["", " 2", " dx", " d 2f"] {
            assert_eq!(spelt(text.as_bytes()), None, "{text}");
        }
    }
}
