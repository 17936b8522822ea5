//! Captions of films: blocks with a line of times and lines of text, and a blank line between blocks.

mod markup;
mod srt;
mod vtt;

pub use srt::{SRT, Srt};
pub use vtt::{VTT, Vtt};

use spr_core::bytes::{Env, MemoryCounter, Source};
use spr_core::format::{Caps, Medium, SegmentCaps};
use spr_core::model::{Decimal, Segment, Tier, Utterance};
use spr_core::number::parse_integer;
use spr_core::{Error, Result};
use spr_syntax::lines::{Lines, shown};

use crate::{one, order, write};

/// The time resolution: milliseconds.
const TICKS: u32 = 1000;
/// Stands between the start and the end of a caption.
const ARROW: &[u8] = b"-->";

/// Returns the capabilities of a file of captions.
fn caps(medium: Medium) -> Caps {
    let mut caps = one::caps(medium);
    let mut segments = write::whole_lines(SegmentCaps::PLAIN);
    segments.ticks = Some(TICKS);
    caps.segments = Some(segments);
    caps
}

/// The captions of a file.
#[derive(Default)]
struct Captions {
    segments: Vec<Segment>,
    /// Whether any text had marks inside.
    has_marks: bool,
}

impl Captions {
    /// Makes them the only tier of an utterance, in the order of their times.
    ///
    /// # Errors
    /// There are none.
    fn fill(mut self, utt: &mut Utterance, file: &str, env: &Env) -> Result<()> {
        if self.segments.is_empty() {
            return Err(Error::malformed(one::NO_LABELS).file(file));
        }
        if self.has_marks {
            let message = "marks inside the text, such as <i>, are not kept";
            env.warn(&Error::unfit(message).file(file));
        }
        if order::sort(&mut self.segments) {
            env.warn(&Error::unfit(order::SORTED).file(file));
        }
        utt.tiers.push(Tier::only(self.segments));
        Ok(())
    }
}

/// Lines that follow one another without a blank one between.
struct Block {
    /// The lines with their numbers, at least one.
    lines: Vec<(u64, Vec<u8>)>,
}

/// The blocks of a file.
struct Blocks<'a> {
    lines: Lines<&'a mut Source>,
    held: MemoryCounter,
    /// Set if the first line of the next block has been read.
    is_ahead: bool,
}

impl<'a> Blocks<'a> {
    fn new(source: &'a mut Source, env: &Env) -> Self {
        Self {
            lines: Lines::new(source, None, env).with_optional_end(),
            held: MemoryCounter::new("a list of captions"),
            is_ahead: false,
        }
    }

    /// Reads the next block, or returns `None` at the end.
    fn next(&mut self) -> Result<Option<Block>> {
        if !std::mem::take(&mut self.is_ahead) && !self.lines.advance()? {
            return Ok(None);
        }
        let mut block = Block { lines: Vec::new() };
        loop {
            let line = self.lines.line().to_vec();
            self.lines
                .hold(&mut self.held, size_of::<Segment>() + line.len())?;
            let number = self.lines.line_number();
            block.lines.push((number, line));
            // The line of a fault that may be due to a missing end has none after it.
            if self.lines.lacks_end() || !self.lines.advance()? {
                return Ok(Some(block));
            }
            if self.lines.line_number() > number + 1 {
                self.is_ahead = true;
                return Ok(Some(block));
            }
        }
    }

    /// Returns an error about a line. The last one of a file may be cut off.
    fn error(&self, line: u64, message: String) -> Error {
        match self.lines.line_number() == line {
            true => self.lines.error(message),
            false => Error::malformed(message).file(self.lines.file()).line(line),
        }
    }

    /// Returns the error about a file that ends after the times of a caption.
    fn cut_off(&self) -> Error {
        let message = "the file ends inside a caption, before its text";
        self.lines.placed(Error::truncated(message))
    }
}

/// Parses `START --> END`, and what follows, which is about the place on the screen.
fn times(line: &[u8], comma: bool) -> Result<(Decimal, Decimal), String> {
    let at = find(line, ARROW).ok_or("expected times, START --> END")?;
    let (start, end) = (&line[..at], line[at + ARROW.len()..].trim_ascii_start());
    let end = end
        .split(u8::is_ascii_whitespace)
        .next()
        .unwrap_or_default();
    let (start, end) = (time(start.trim_ascii(), comma)?, time(end, comma)?);
    match start <= end {
        true => Ok((start, end)),
        false => Err(format!(
            "starts at {start} s and ends before that, at {end} s"
        )),
    }
}

/// Joins the lines of a caption's text by blanks.
///
/// # Errors
/// There are times among them, with which another caption starts.
fn joined<'a>(
    lines: impl Iterator<Item = &'a (u64, Vec<u8>)>,
    blocks: &Blocks<'_>,
) -> Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    for (number, line) in lines {
        if find(line, ARROW).is_some() {
            let message = "times inside a caption, without a blank line before them";
            return Err(blocks.error(*number, message.to_owned()));
        }
        text.push(line.trim_ascii());
    }
    Ok((!text.is_empty()).then(|| text.join(&b' ')))
}

/// Returns the position of the first `word` in a line.
fn find(line: &[u8], word: &[u8]) -> Option<usize> {
    line.windows(word.len()).position(|window| window == word)
}

/// Parses `[HOURS:]MINUTES:SECONDS.THOUSANDTHS`; with `comma`, the point may be a comma.
fn time(text: &[u8], comma: bool) -> Result<Decimal, String> {
    let wrong = || format!("'{}' is not a time such as 00:01:02.500", shown(text));
    let point = text.iter().rposition(|b| *b == b'.' || comma && *b == b',');
    let (whole, thousandths) = text.split_at(point.ok_or_else(wrong)?);
    let digits = |field: &[u8], count: std::ops::RangeInclusive<usize>| -> Option<i64> {
        let is_number = count.contains(&field.len()) && field.iter().all(u8::is_ascii_digit);
        is_number.then(|| parse_integer(field)).flatten()
    };
    let mut fields = whole.rsplit(|b| *b == b':');
    let seconds = fields.next().and_then(|field| digits(field, 2..=2));
    let minutes = fields.next().and_then(|field| digits(field, 2..=2));
    let hours = match fields.next() {
        None => Some(0),
        Some(field) => digits(field, 1..=9),
    };
    let thousandths = thousandths.get(1..).and_then(|field| digits(field, 3..=3));
    match (hours, minutes, seconds, thousandths, fields.next()) {
        (Some(h), Some(m @ ..60), Some(s @ ..60), Some(ms), None) => {
            Ok(Decimal::new(((h * 60 + m) * 60 + s) * 1000 + ms, -3).trimmed())
        }
        _ => Err(wrong()),
    }
}

/// Formats a time, with a point or a comma.
fn clock(time: Decimal, point: char) -> Result<String> {
    let ms = time.sample(TICKS);
    let ms = ms.ok_or_else(|| Error::unfit(format!("the time {time} is too large")))?;
    let (s, ms) = (ms / 1000, ms % 1000);
    let (m, s) = (s / 60, s % 60);
    Ok(format!("{:02}:{:02}:{s:02}{point}{ms:03}", m / 60, m % 60))
}

/// Checks that a segment can be a caption, and returns its times and its label.
fn caption(segment: &Segment, point: char) -> Result<(String, &[u8])> {
    let (start, end) = (segment.start, write::end(segment)?);
    if start == end {
        let message = format!("has a segment at {start} s without a length, which is never shown");
        return Err(Error::unfit(message));
    }
    let times = format!("{} --> {}", clock(start, point)?, clock(end, point)?);
    Ok((times, one::phrase(&segment.label)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_clocks() {
        for (text, comma, seconds) in [
            ("00:00:01,500", true, Some("1.5")),
            ("00:00:01.500", true, Some("1.5")),
            ("01:02:03.004", false, Some("3723.004")),
            ("02:03.040", false, Some("123.04")),
            ("100:00:00.000", false, Some("360000")),
            ("00:00:01,500", false, None),
            ("00:60:01.500", false, None),
            ("00:00:61.500", false, None),
            ("00:00:01.5", false, None),
            ("1.500", false, None),
            ("+1:00:01.500", false, None),
            ("0:0:0:01.500", false, None),
            ("9999999999:00:00.000", false, None),
            ("", true, None),
        ] {
            let read = time(text.as_bytes(), comma)
                .ok()
                .map(|time| time.to_string());
            assert_eq!(read.as_deref(), seconds, "{text}");
        }
        let time = |text| Decimal::parse(text).unwrap();
        assert_eq!(clock(time("3723.004"), ',').unwrap(), "01:02:03,004");
        assert_eq!(clock(time("360000"), '.').unwrap(), "100:00:00.000");
    }
}
