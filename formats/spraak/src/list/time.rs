//! The fields `F1` and `F2`: start and end of an entry in its file.

use spr_core::model::{Decimal, FrameGrid};
use spr_core::number::parse_integer;

/// The unit of the two fields.
pub(crate) enum TimeBase {
    /// The first frame and the number of frames.
    Discrete(FrameGrid),
    /// Seconds at the start and at the end.
    Continuous,
}

/// A segment of a file in seconds; without an end it extends to the end of the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileSegment {
    pub(crate) start: Decimal,
    pub(crate) end: Option<Decimal>,
}

/// The fields of a whole file in frames.
pub(crate) const FROM: &[u8] = b"0";
pub(crate) const TO_THE_END: &[u8] = b"-1";

/// Parses two numbers of frames; the second is open for -1.
pub(crate) fn frames(f1: &[u8], f2: &[u8]) -> Result<(u64, Option<u64>), String> {
    let first = parse_integer(f1).ok_or_else(|| wrong(f1, "not a number of a frame"))?;
    if f2 == TO_THE_END {
        return Ok((first, None));
    }
    let count = parse_integer(f2).ok_or_else(|| wrong(f2, "not a number of frames"))?;
    Ok((first, Some(count)))
}

impl TimeBase {
    /// Converts two fields to a segment, or returns the reason why they are invalid.
    pub(crate) fn stretch(&self, f1: &[u8], f2: &[u8]) -> Result<FileSegment, String> {
        let stretch = match self {
            Self::Discrete(grid) => {
                let (first, count) = frames(f1, f2)?;
                let end = match count.map(|count| first.checked_add(count)) {
                    Some(None) => return Err(wrong(f2, "too many frames")),
                    Some(Some(end)) => Some(grid.time(end)),
                    None => None,
                };
                FileSegment {
                    start: grid.time(first),
                    end,
                }
            }
            Self::Continuous => {
                let time = |field| {
                    let text = std::str::from_utf8(field).ok();
                    let time = text.and_then(Decimal::parse);
                    time.ok_or_else(|| wrong(field, "not a time"))
                };
                let start = time(f1)?;
                let end = match f2 {
                    TO_THE_END => None,
                    _ => Some(time(f2)?),
                };
                FileSegment { start, end }
            }
        };
        if stretch.start.is_negative() {
            return Err(wrong(f1, "before the start of the file"));
        }
        if stretch.end.is_some_and(|end| end < stretch.start) {
            return Err(wrong(f2, "before the start of the entry"));
        }
        Ok(stretch)
    }
}

fn wrong(field: &[u8], what: &str) -> String {
    format!("'{}' is {what}", crate::header::shown(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_counted_and_seconds_are_times() {
        let discrete = TimeBase::Discrete(FrameGrid::usual());
        let time = |text: &str| Decimal::parse(text).unwrap();
        let stretch = |start, end: Option<&str>| Ok((time(start), end.map(time)));
        for (base, f1, f2, expected) in [
            (&discrete, "12", "3", stretch("0.12", Some("0.15"))),
            (&discrete, "12", "-1", stretch("0.12", None)),
            (
                &TimeBase::Continuous,
                "1.40",
                "2.9",
                stretch("1.40", Some("2.9")),
            ),
            (&TimeBase::Continuous, "0", "-1", stretch("0", None)),
        ] {
            let found = base.stretch(f1.as_bytes(), f2.as_bytes());
            assert_eq!(found.map(|s| (s.start, s.end)), expected);
        }
        for (base, f1, f2, message) in [
            (&discrete, "-1", "3", "'-1' is not a number of a frame"),
            (&discrete, "0.5", "3", "'0.5' is not a number of a frame"),
            (&discrete, "1", "-2", "'-2' is not a number of frames"),
            (
                &discrete,
                "1",
                "18446744073709551615",
                "'18446744073709551615' is too many frames",
            ),
            (&TimeBase::Continuous, "x", "3", "'x' is not a time"),
            (&TimeBase::Continuous, "1", "inf", "'inf' is not a time"),
            (
                &TimeBase::Continuous,
                "-1",
                "2",
                "'-1' is before the start of the file",
            ),
            (
                &TimeBase::Continuous,
                "2",
                "1",
                "'1' is before the start of the entry",
            ),
        ] {
            let error = base.stretch(f1.as_bytes(), f2.as_bytes()).unwrap_err();
            assert_eq!(error, message);
        }
    }
}
