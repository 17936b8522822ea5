//! The tool `extract-feature-segments`.

use spr_core::model::{Dtype, Key, Matrix, Rank, Utterance};
use spr_core::{Error, Result, number};
use spr_format_kaldi::specifier;

use super::options::{Options, Spec};
use super::session::Session;
use super::{DONE, FAILED, Tool};

pub(super) static TOOL: Tool = Tool {
    name: "extract-feature-segments",
    usage: "\
Cuts segments out of features. A line of the segments file is: key of the segment, key of the
utterance, start and end in seconds. See also the ranges of script files.

Usage: extract-feature-segments [options] <feats-rspecifier> <segments-file> <feats-wspecifier>
 e.g.: extract-feature-segments scp:feats.scp segments ark:-",
    options: &[
        Spec::float(
            "min-segment-length",
            0.1,
            "Seconds that a segment must exceed",
        ),
        Spec::float(
            "max-overshoot",
            0.0,
            "Seconds by less than which an end may lie behind the last frame",
        ),
        Spec::int("frame-shift", 10, "Milliseconds from frame to frame"),
        Spec::int("frame-length", 25, "Milliseconds of a frame"),
        Spec::flag(
            "snip-edges",
            true,
            "Leave out the last frames, which are not inside the segment as a whole",
        ),
    ],
    arguments: (3, 3),
    run,
};

/// A line of the segments file.
#[derive(Debug, PartialEq)]
struct Cut<'a> {
    key: &'a [u8],
    utterance: &'a [u8],
    start: f64,
    end: f64,
}

impl<'a> Cut<'a> {
    /// Parses a line.
    ///
    /// # Errors
    /// The line is invalid; the message is Kaldi's.
    fn parse(line: &'a [u8]) -> Result<Self, &'static str> {
        let mut words = line
            .split(|b| matches!(b, b' ' | b'\t' | b'\r'))
            .filter(|word| !word.is_empty());
        let mut four = || Some((words.next()?, words.next()?, words.next()?, words.next()?));
        let Some((key, utterance, start, end)) = four() else {
            return Err("");
        };
        let channel = words.next().map(number::parse_integer::<i32>);
        if words.next().is_some() {
            return Err("");
        }
        let start = number::parse_f64(start).ok_or(" [bad start]")?;
        let end = number::parse_f64(end).ok_or(" [bad end]")?;
        if start < 0.0 || end <= 0.0 || start >= end || start.is_nan() || end.is_nan() {
            return Err(" [empty or invalid segment]");
        }
        match channel {
            Some(None | Some(..0)) => Err(" [bad channel]"),
            _ => Ok(Self {
                key,
                utterance,
                start,
                end,
            }),
        }
    }
}

/// The conversion of times to frames.
struct Timing {
    /// The frame shift in milliseconds.
    shift: f64,
    /// The number of frames cut off at the end.
    snip: i64,
    /// The number of frames that a segment must exceed.
    shortest: i64,
    /// The limit, in frames, for an end behind the last frame.
    overshoot: i64,
}

/// Returns the nearest number of frames, with halves rounded away from zero.
#[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
fn frames(seconds: f64, shift: f64) -> i64 {
    (seconds * 1000.0 / shift).round() as i64
}

impl Timing {
    #[expect(clippy::cast_possible_truncation, reason = "float casts saturate")]
    fn of(options: &Options) -> Result<Self> {
        let shift = options.int("frame-shift");
        if shift <= 0 {
            return Err(Error::usage("--frame-shift is at least 1"));
        }
        let shift = f64::from(shift);
        let length = f64::from(options.int("frame-length"));
        Ok(Self {
            shift,
            snip: match options.flag("snip-edges") {
                true => ((length - shift) / shift).ceil() as i64,
                false => 0,
            },
            shortest: frames(f64::from(options.float("min-segment-length")), shift),
            overshoot: frames(f64::from(options.float("max-overshoot")), shift),
        })
    }

    /// Returns the frames of a segment in a matrix.
    ///
    /// # Errors
    /// The segment is to be skipped, for the returned reason.
    fn cut(&self, segment: &Cut<'_>, from: &Matrix) -> Result<std::ops::Range<usize>, String> {
        let start = frames(segment.start, self.shift);
        let end = frames(segment.end, self.shift).saturating_sub(self.snip);
        let length = i64::try_from(from.rows()).unwrap_or(i64::MAX);
        let skipped = |what: &str, frame: i64| {
            let (rows, cols) = (from.rows(), from.cols());
            let key = Key::from(segment.key);
            format!("{what} {frame} [length:] {rows}x{cols}, skipping segment {key}")
        };
        if start >= length {
            return Err(skipped("Start sample out of range", start));
        }
        if end > length && end >= length.saturating_add(self.overshoot) {
            return Err(skipped("End sample too far out of range", end));
        }
        let end = end.min(length);
        if end <= start.saturating_add(self.shortest) {
            let key = Key::from(segment.key);
            return Err(format!("Segment {key} too short, skipping it."));
        }
        let index = |n: i64| usize::try_from(n).unwrap_or_default();
        Ok(index(start)..index(end))
    }
}

fn run(session: &Session) -> Result<u8> {
    let timing = Timing::of(&session.options)?;
    let (from, list) = (session.argument(0), session.argument(1));
    let mut table = session.read_by_key(from)?;
    let mut source = session.env.open(&specifier::rxfilename(list)?)?;
    let mut writer = session.write_table(session.argument(2), &[])?;
    let limits = &session.env.limits;
    let (mut line, mut lines) = (Vec::new(), 0);
    let mut utt = Utterance::default();
    while source.line(&mut line, limits)? {
        lines += 1;
        let segment = match Cut::parse(&line) {
            Ok(segment) => segment,
            Err(why) => {
                let shown = String::from_utf8_lossy(&line);
                let message = format!("Invalid line in segments file{why}: {shown}");
                session.log.warning(message);
                continue;
            }
        };
        utt.key.set(segment.utterance);
        let Some(whole) = table.find(&utt.key)? else {
            let (missing, key) = (&utt.key, Key::from(segment.key));
            let message =
                format!("Did not find features for utterance {missing}, skipping segment {key}");
            session.log.warning(message);
            continue;
        };
        let rows = match timing.cut(&segment, whole) {
            Ok(rows) => rows,
            Err(why) => {
                session.log.warning(why);
                continue;
            }
        };
        utt.key.set(segment.key);
        let cols = whole.cols();
        let values = &whole.values::<f32>()?[rows.start * cols..rows.end * cols];
        let part = utt.features_mut();
        part.start(Dtype::F32, Rank::Matrix, cols);
        part.extend_from(values, limits)?;
        writer.write(&utt)?;
    }
    let count = writer.count;
    writer.finish()?;
    session.log.info(format!(
        "Successfully processed {count} lines out of {lines} in the segments file. "
    ));
    Ok(if count > 0 { DONE } else { FAILED })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        let segment = Cut::parse(b" s1\tu1 0.5  1.25 0\r").unwrap();
        assert_eq!((segment.key, segment.utterance), (&b"s1"[..], &b"u1"[..]));
        assert_eq!((segment.start, segment.end), (0.5, 1.25));
        for (line, why) in [
            ("", ""),
            ("s u 0", ""),
            ("s u 0 1 0 0", ""),
            ("s u x 1", " [bad start]"),
            ("s u 0 1x", " [bad end]"),
            ("s u 1 1", " [empty or invalid segment]"),
            ("s u -1 1", " [empty or invalid segment]"),
            ("s u nan 1", " [empty or invalid segment]"),
            ("s u 0 1 A", " [bad channel]"),
            ("s u 0 1 -1", " [bad channel]"),
        ] {
            assert_eq!(Cut::parse(line.as_bytes()), Err(why), "{line}");
        }
    }

    #[test]
    fn cuts_frames() {
        let from = Matrix::from_rows(&[0f32; 100], 1, Rank::Matrix).unwrap();
        let cut = |start, end, overshoot, snip| {
            let timing = Timing {
                shift: 10.0,
                snip,
                shortest: 10,
                overshoot,
            };
            let segment = Cut {
                key: b"s",
                utterance: b"u",
                start,
                end,
            };
            timing.cut(&segment, &from).ok()
        };
        assert_eq!(cut(0.1, 0.5, 0, 2), Some(10..48));
        assert_eq!(cut(0.104, 0.506, 0, 0), Some(10..51));
        assert_eq!(cut(0.0, 1.0, 0, 0), Some(0..100));
        assert_eq!(cut(0.0, 1.01, 0, 0), None);
        assert_eq!(cut(0.0, 1.04, 5, 0), Some(0..100));
        assert_eq!(cut(0.0, 1.05, 5, 0), None);
        assert_eq!(cut(1.0, 1.2, 50, 0), None);
        assert_eq!(cut(0.0, 0.1, 0, 0), None);
        assert_eq!(cut(0.0, 0.11, 0, 0), Some(0..11));
        assert_eq!(cut(0.5, 1e300, 5, 0), None);
    }
}
