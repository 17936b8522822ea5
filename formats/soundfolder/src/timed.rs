//! Text files whose lines begin with times: `START END TEXT`.

use spr_core::bytes::{Env, Location, MemoryCounter};
use spr_core::model::{Decimal, RecordingFacts, Segment};
use spr_core::number::parse_integer;
use spr_core::{Error, Result};
use spr_syntax::lines::{has_decimal_comma, is_blank, number, stretch};

/// The form of the lines of a text file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Numbers of samples, as in TIMIT.
    Samples,
    /// Seconds.
    Seconds,
    /// Seconds and the text with tabs between them, as Audacity exports its label tracks.
    Tabs,
    /// Seconds and a speaker with a colon, as in the Fisher corpus.
    Speakers,
}

/// Segments of a text file.
pub(crate) struct Segments {
    pub(crate) all: Vec<Segment>,
    /// Set if the only segment is the whole sound.
    pub(crate) are_whole: bool,
}

/// The start of lines that are no labels: comments of Fisher, and frequency ranges of Audacity.
const NO_LABEL: [&[u8]; 2] = [b"#", b"\\\t"];
/// The fewest samples of a segment. Text may begin with two numbers, as in '10 20 men'.
const FEWEST: u64 = 80;
/// The part of a second by which a segment may end after the sound. Some of TIMIT's do.
const SLACK: u32 = 10;

/// A line in its parts.
struct Parts<'a> {
    start: &'a [u8],
    end: &'a [u8],
    text: &'a [u8],
}

impl<'a> Parts<'a> {
    /// Splits a line. Of a form with tabs, only these separate.
    fn of(line: &'a [u8], tabs: bool) -> Option<Self> {
        let is_end = |b: &u8| if tabs { *b == b'\t' } else { is_blank(b) };
        let mut rest = line;
        let mut field = || {
            let end = rest.iter().position(is_end)?;
            let (field, after) = rest.split_at(end);
            rest = &after[1..];
            if !tabs {
                rest = rest.trim_ascii_start();
            }
            Some(field.trim_ascii())
        };
        let (start, end) = (field()?, field()?);
        let text = rest.trim_ascii();
        let is_time = |field| number(field).is_some() || has_decimal_comma(field);
        let times = is_time(start) && is_time(end);
        (times && (tabs || !text.is_empty())).then_some(Self { start, end, text })
    }

    /// Returns the speaker before a colon, and the text after it.
    fn speaker(&self) -> Option<(&'a [u8], &'a [u8])> {
        let end = self.text.iter().position(is_blank)?;
        let (speaker, text) = self.text.split_at(end);
        let speaker = speaker.strip_suffix(b":").filter(|name| !name.is_empty())?;
        Some((speaker, text.trim_ascii()))
    }
}

/// Returns the lines with their numbers, from 1, except blank ones and those that are no labels.
fn lines(text: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let numbered = (1..).zip(text.split(|b| *b == b'\n'));
    let lines = numbered.map(|(n, line)| (n, line.strip_suffix(b"\r").unwrap_or(line)));
    lines.filter(|(_, line)| {
        let is_label = !NO_LABEL.iter().any(|start| line.starts_with(start));
        is_label && !line.trim_ascii().is_empty()
    })
}

impl Form {
    /// Returns the form of a text, or `None` if it is plain.
    ///
    /// A few lines that have not the form of the others are faults.
    pub(crate) fn of(text: &[u8]) -> Option<Self> {
        let (mut timed, mut all) = (Vec::new(), 0);
        for (_, line) in lines(text) {
            all += 1;
            timed.extend(Self::of_line(line));
        }
        let (form, parts) = timed.first()?;
        if timed.len() * 2 < all {
            return None;
        }
        let starts_at_zero = || parse_integer::<u64>(parts.start) == Some(0);
        match form {
            Self::Samples if all == 1 && !starts_at_zero() => None,
            Self::Seconds if timed.iter().all(|(_, parts)| parts.speaker().is_some()) => {
                Some(Self::Speakers)
            }
            form => Some(*form),
        }
    }

    /// Returns the form of a line, which has a point in one of its times unless these are samples.
    fn of_line(line: &[u8]) -> Option<(Self, Parts<'_>)> {
        let has_point = |parts: &Parts<'_>| {
            let mut times = [parts.start, parts.end].into_iter();
            times.any(|time| time.contains(&b'.') || time.contains(&b','))
        };
        if let Some(parts) = Parts::of(line, true).filter(has_point) {
            return Some((Self::Tabs, parts));
        }
        let parts = Parts::of(line.trim_ascii(), false)?;
        if has_point(&parts) {
            return Some((Self::Seconds, parts));
        }
        let start: u64 = parse_integer(parts.start)?;
        let end: u64 = parse_integer(parts.end)?;
        (start.checked_add(FEWEST)? <= end).then_some((Self::Samples, parts))
    }

    /// Describes the files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Samples => "text with times in samples",
            Self::Seconds => "text with times in seconds",
            Self::Tabs => "label tracks of Audacity",
            Self::Speakers => "text with times and speakers, as in Fisher",
        }
    }

    /// Reads the segments of a text about a sound.
    ///
    /// # Errors
    /// A line has another form, or its times contradict one another or the sound.
    pub(crate) fn read(
        self,
        text: &[u8],
        sound: &RecordingFacts,
        file: &Location,
        env: &Env,
    ) -> Result<Segments> {
        let mut held = MemoryCounter::new("the segments of a text");
        let mut all = Vec::new();
        for (n, line) in lines(text) {
            held.keep(size_of::<Segment>() + line.len(), &env.limits)?;
            let segment = self.segment(line, sound);
            let placed = |why: String| Error::malformed(why).file(file.to_string()).line(n);
            let segment = segment.map_err(placed)?;
            check_end(&segment, sound).map_err(placed)?;
            all.push(segment);
        }
        if !all.is_sorted_by_key(|segment| segment.start) {
            all.sort_by_key(|segment| segment.start);
            let message = "the lines are not in the order of their times, and are sorted by them";
            env.warn(&Error::unfit(message).file(file.to_string()));
        }
        let whole = match (self, &*all, sound.samples, sound.rate) {
            (Self::Samples, [only], Some(samples), Some(rate)) => {
                let end = only.end.and_then(|end| end.sample(rate));
                only.start.is_zero() && end.is_some_and(|end| end >= samples)
            }
            _ => false,
        };
        Ok(Segments {
            all,
            are_whole: whole,
        })
    }

    fn segment(self, line: &[u8], sound: &RecordingFacts) -> Result<Segment, String> {
        let tabs = self == Self::Tabs;
        let line = if tabs { line } else { line.trim_ascii() };
        let parts = Parts::of(line, tabs)
            .ok_or("does not begin with two times, as other lines of the file do")?;
        let (start, end) = match self {
            Self::Samples => {
                let rate = sound.rate.ok_or(
                    "has times in samples, and the header of the sound states no sampling rate",
                )?;
                let time = |field| {
                    let sample: Option<u64> = parse_integer(field);
                    let time = sample.and_then(|n| Decimal::near_sample(n, rate));
                    time.ok_or("has a time that is no number of a sample, as those of other lines")
                };
                let (start, end) = (time(parts.start)?, time(parts.end)?);
                if end < start {
                    return Err(format!(
                        "starts at {start} s and ends before that, at {end} s"
                    ));
                }
                (start, end)
            }
            _ => stretch(parts.start, parts.end)?,
        };
        let mut segment = Segment::new(start, Some(end), parts.text);
        if self == Self::Speakers {
            let (speaker, text) = parts
                .speaker()
                .ok_or("has no speaker with a colon and text, as other lines of the file have")?;
            (segment.speaker, segment.label) = (Some(speaker.into()), text.into());
        }
        Ok(segment)
    }
}

/// Returns `true` if a time is after the end of a sound, by more than some labels are off.
pub(crate) fn is_after(time: Decimal, length: Decimal) -> bool {
    let slack = Decimal::near_sample(1, SLACK);
    slack
        .and_then(|slack| length.plus(slack))
        .is_some_and(|last| time > last)
}

/// Checks that a segment ends within the sound, as far as its length is known.
fn check_end(segment: &Segment, sound: &RecordingFacts) -> Result<(), String> {
    match (segment.end, sound.time()) {
        (Some(end), Some(length)) if is_after(end, length) => Err(format!(
            "ends at {end} s, but the sound lasts {length} s; if these numbers are words, \
             give the texts as a table"
        )),
        _ => Ok(()),
    }
}

/// Returns the format of a `.lab` file whose lines all begin with two times: in units of 100 ns, or
/// in seconds if one of them has a point and their labels are single words.
pub(crate) fn label_format(text: &[u8]) -> Option<&'static str> {
    let (mut any, mut in_seconds, mut are_words) = (false, false, true);
    for line in text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii) {
        if line.is_empty() {
            continue;
        }
        let Parts { start, end, text } = Parts::of(line, false)?;
        let is_time = |field| number(field).is_some_and(|time| !time.is_negative());
        if !is_time(start) || !is_time(end) {
            return None;
        }
        let has_point = start.contains(&b'.') || end.contains(&b'.');
        in_seconds |= has_point;
        are_words &= !text.iter().any(is_blank);
        any = true;
    }
    match in_seconds {
        true => are_words.then_some("pyannote"),
        false => any.then_some("htk-lab"),
    }
}
