//! Lines of labels: `[START [END]] NAME [SCORE] {NAME [SCORE]}`, with times in units of 100 ns.

use spr_core::bytes::{MemoryCounter, Source};
use spr_core::format::Rule;
use spr_core::model::{Decimal, Segment, Tier, Utterance};
use spr_core::number::parse_integer;
use spr_core::{Error, Result};
use spr_syntax::lines::{Lines, number, shown};

use super::words::{Word, print, words};
use crate::naming::Naming;
use crate::write;

/// The number of units per second.
pub(super) const UNITS: u32 = 10_000_000;
/// The separator of alternative labellings.
const ALTERNATIVE: &[u8] = b"///";
/// The end of an entry in a master label file.
pub(super) const END: &[u8] = b".";

/// A label at one level.
struct LevelLabel {
    name: Vec<u8>,
    score: Option<Decimal>,
}

/// A line of labels.
pub(super) enum Line {
    /// The start of an alternative labelling.
    Alternative,
    /// The end of an entry.
    End,
    /// A label, and labels of higher levels that start with it.
    Label(Option<Decimal>, Option<Decimal>, Vec<Level>),
}

/// The label of a line at one level.
pub(super) struct Level(LevelLabel);

impl Line {
    pub(super) fn parse(line: &[u8]) -> Result<Self, String> {
        let words = words(line)?;
        match words.as_slice() {
            [] => Err("a line has no label".to_owned()),
            [mark] if mark.is(ALTERNATIVE) => Ok(Self::Alternative),
            [mark] if mark.is(END) => Ok(Self::End),
            words => Self::label(words),
        }
    }

    fn label(words: &[Word]) -> Result<Self, String> {
        let (times, names) = match words {
            [a, b, _, ..] if is_time(a) && is_time(b) => words.split_at(2),
            [a, _, ..] if is_time(a) => words.split_at(1),
            all => all.split_at(0),
        };
        let mut times = times.iter().map(time);
        let start = times.next().transpose()?;
        let end = times.next().transpose()?;
        if let Some((start, end)) = start.zip(end)
            && end < start
        {
            return Err(format!(
                "the stretch starts at {start} and ends before that, at {end}"
            ));
        }
        let mut levels: Vec<Level> = Vec::new();
        if start.is_none() {
            // Without times there are only words.
            let words = names.iter().map(|word| word.bytes.clone());
            let words = words.map(|name| Level(LevelLabel { name, score: None }));
            return Ok(Self::Label(None, None, words.collect()));
        }
        for word in names {
            let score = (!word.quoted).then(|| number(&word.bytes)).flatten();
            match (levels.last_mut(), score) {
                (Some(Level(named)), Some(score)) if named.score.is_none() => {
                    named.score = Some(score);
                }
                _ if word.bytes.is_empty() => return Err("a label has no name".to_owned()),
                _ => levels.push(Level(LevelLabel {
                    name: word.bytes.clone(),
                    score: None,
                })),
            }
        }
        Ok(Self::Label(start, end, levels))
    }
}

fn is_time(word: &Word) -> bool {
    !word.quoted && number(&word.bytes).is_some()
}

fn time(word: &Word) -> Result<Decimal, String> {
    let units: i64 = parse_integer(&word.bytes).ok_or_else(|| {
        let shown = shown(&word.bytes);
        format!("'{shown}' is not a whole number of units of 100 ns")
    })?;
    if units < 0 {
        return Err(format!("the time {units} is below 0"));
    }
    Ok(Decimal::new(units, -7).trimmed())
}

/// The labels of an utterance as they are read.
#[derive(Default)]
pub(super) struct Labels {
    /// The alternative labellings so far, each with its levels.
    labellings: Vec<Vec<Tier>>,
    /// The words, if there are no times.
    words: Vec<Vec<u8>>,
    /// Whether there are times; unknown before the first label.
    timed: Option<bool>,
    held: Option<MemoryCounter>,
}

impl Labels {
    /// Returns `true` before the first label.
    pub(super) fn is_empty(&self) -> bool {
        self.timed.is_none()
    }

    /// Adds the current line, and returns `false` if it ends the entry.
    pub(super) fn add<S: std::borrow::BorrowMut<Source>>(
        &mut self,
        lines: &Lines<S>,
        naming: &Naming,
    ) -> Result<bool> {
        let held = self
            .held
            .get_or_insert_with(|| MemoryCounter::new("a list of segments"));
        lines.hold(held, size_of::<Segment>() + lines.line().len())?;
        let wrong = |why| lines.error(why);
        match Line::parse(lines.line()).map_err(wrong)? {
            Line::End => return Ok(false),
            Line::Alternative if self.timed == Some(true) => self.labellings.push(Vec::new()),
            Line::Alternative => return Err(lines.error("alternatives of text are not read")),
            Line::Label(Some(_), None, _) if lines.lacks_end() => {
                return Err(lines.error("has no end time"));
            }
            Line::Label(start, end, levels) => {
                self.label(start, end, levels, naming).map_err(wrong)?;
            }
        }
        Ok(true)
    }

    fn label(
        &mut self,
        start: Option<Decimal>,
        end: Option<Decimal>,
        levels: Vec<Level>,
        naming: &Naming,
    ) -> Result<(), String> {
        if *self.timed.get_or_insert(start.is_some()) != start.is_some() {
            return Err("some labels have times, and some have none".to_owned());
        }
        let Some(start) = start else {
            for Level(LevelLabel { name, .. }) in levels {
                self.words.push(spr_syntax::lines::word(&name)?.to_vec());
            }
            return Ok(());
        };
        if self.labellings.is_empty() {
            self.labellings.push(Vec::new());
        }
        let Some(tiers) = self.labellings.last_mut() else {
            return Ok(());
        };
        close(tiers.first_mut(), start)?;
        for (n, Level(LevelLabel { name, score })) in levels.into_iter().enumerate() {
            if tiers.len() <= n {
                tiers.push(Tier::default());
            }
            let mut segment = Segment::new(start, end, &[]);
            segment.label = naming.read(&name)?;
            segment.score = score;
            if let Some(tier) = tiers.get_mut(n) {
                if n > 0 {
                    // A label of a higher level lasts until the next one begins.
                    segment.end = None;
                    close(Some(tier), start)?;
                }
                tier.segments.push(segment);
            }
        }
        // The last labels of higher levels end with the labelling.
        Ok(())
    }

    /// Moves the labels to the utterance.
    pub(super) fn finish(mut self, utt: &mut Utterance, naming: &Naming) {
        if self.timed != Some(true) {
            utt.text = Some(self.words.join(&b' '));
            return;
        }
        for tiers in &mut self.labellings {
            let end = tiers.first().and_then(|tier| tier.segments.last()?.end);
            for tier in tiers.iter_mut().skip(1) {
                tier.segments
                    .last_mut()
                    .into_iter()
                    .for_each(|last| last.end = end);
            }
            for tier in tiers {
                naming.fill(&mut tier.segments, None);
            }
        }
        let several = self.labellings.len() > 1;
        for (n, tiers) in self.labellings.into_iter().enumerate() {
            let levelled = tiers.len() > 1;
            for (level, mut tier) in tiers.into_iter().enumerate() {
                let mut parts = Vec::new();
                if several {
                    parts.push(format!("alternative {}", n + 1));
                }
                if levelled {
                    parts.push(format!("level {}", level + 1));
                }
                tier.name = parts.join(", ").into_bytes().into();
                utt.tiers.push(tier);
            }
        }
    }
}

/// Ends the last segment of a tier where the next one starts, unless it has an end.
fn close(tier: Option<&mut Tier>, start: Decimal) -> Result<(), String> {
    let last = tier.and_then(|tier| tier.segments.last_mut());
    let Some(last) = last.filter(|last| last.end.is_none()) else {
        return Ok(());
    };
    if start < last.start {
        return Err(format!(
            "the label at {start} starts before the one before it"
        ));
    }
    last.end = Some(start);
    Ok(())
}

/// Appends the labels of an utterance. `listed` selects the form in a master label file.
pub(super) fn encode(
    utt: &Utterance,
    naming: &Naming,
    listed: bool,
    out: &mut Vec<u8>,
) -> Result<()> {
    if let Some(text) = &utt.text {
        return text_lines(text, listed, out);
    }
    let segments = write::segments(utt);
    for (n, segment) in segments.iter().enumerate() {
        let last = n + 1 == segments.len();
        let unit = |time: Decimal| {
            let units = time
                .sample(UNITS)
                .filter(|units| i64::try_from(*units).is_ok());
            units.ok_or_else(|| Error::unfit(format!("the time {time} is too large")))
        };
        let (start, end) = (unit(segment.start)?, segment.end.map(unit).transpose()?);
        if end.is_none() && !last {
            return Err(write::no_end(segment));
        }
        out.extend_from_slice(start.to_string().as_bytes());
        out.push(b' ');
        if let Some(end) = end {
            out.extend_from_slice(end.to_string().as_bytes());
            out.push(b' ');
        }
        let name = naming.write(&segment.label)?;
        if name.is_empty() {
            return Err(Error::unfit("has a segment without a label"));
        }
        // A number in the place of an end would be read as one.
        print(name, end.is_none() && number(name).is_some(), out)?;
        if let Some(score) = &segment.score {
            out.push(b' ');
            out.extend_from_slice(score.to_string().as_bytes());
        }
        out.push(b'\n');
    }
    Ok(())
}

/// Text of which each word is a line.
pub(super) const WORDS: Rule<[u8]> =
    Rule::new("of words with single blanks between them", write::words);

/// Appends the words of a text, one per line.
fn text_lines(text: &[u8], listed: bool, out: &mut Vec<u8>) -> Result<()> {
    if text.is_empty() {
        return match listed {
            true => Ok(()),
            false => Err(Error::unfit("has no words, and so no line in the file")),
        };
    }
    for word in text.split(|b| *b == b' ') {
        let word = write::word(word, "word")?;
        print(word, word == END || word == ALTERNATIVE, out)?;
        out.push(b'\n');
    }
    Ok(())
}
