//! A TextGrid in any form: tiers of intervals and of points.

use spr_core::model::{Decimal, Segment, Tag, Tier, Utterance};
use spr_core::{Error, Result};

use crate::naming::Naming;

/// The name of the format. Its tags store the start and end of a grid if the labels do not imply
/// them.
pub(super) const NAME: &str = "textgrid";
pub(super) const TAGS: &[&[u8]] = &[START, END];
const START: &[u8] = b"xmin";
const END: &[u8] = b"xmax";

/// The classes of tiers.
pub(super) const INTERVALS: &str = "IntervalTier";
pub(super) const POINTS: &str = "TextTier";

/// An interval, or a point whose end equals its start.
pub(super) struct Item {
    pub(super) start: Decimal,
    pub(super) end: Decimal,
    pub(super) text: String,
}

/// A builder of the tiers of an utterance.
pub(super) struct Builder<'a> {
    naming: &'a Naming,
    start: Decimal,
    end: Decimal,
    tiers: Vec<Tier>,
}

impl<'a> Builder<'a> {
    /// Starts a grid from `start` to `end`.
    ///
    /// # Errors
    /// It ends before it starts.
    pub(super) fn new(naming: &'a Naming, start: Decimal, end: Decimal) -> Result<Self, String> {
        if end < start {
            return Err(format!(
                "the grid starts at {start} and ends before that, at {end}"
            ));
        }
        Ok(Self {
            naming,
            start,
            end,
            tiers: Vec::new(),
        })
    }

    /// Starts a tier.
    ///
    /// # Errors
    /// The class of the tier is unknown.
    pub(super) fn tier(&mut self, class: &str, name: String) -> Result<(), String> {
        let points = match class {
            INTERVALS => false,
            POINTS => true,
            _ => {
                let class = spr_core::model::Key::from(class);
                return Err(format!(
                    "expected an IntervalTier or a TextTier, found '{class}'"
                ));
            }
        };
        self.tiers.push(Tier {
            name: name.into_bytes().into(),
            segments: Vec::new(),
            points,
        });
        Ok(())
    }

    /// Adds an item to the last tier. An interval without text is a gap.
    ///
    /// # Errors
    /// Its times are out of order.
    pub(super) fn add(&mut self, item: Item) -> Result<(), String> {
        let Item { start, end, text } = item;
        if start.is_negative() {
            return Err(format!("the time {start} is below 0"));
        }
        if end < start {
            return Err(format!(
                "the stretch starts at {start} and ends before that, at {end}"
            ));
        }
        if let Some(tier) = self.tiers.last_mut()
            && (tier.points || !text.is_empty())
        {
            let mut segment = Segment::new(start, Some(end), b"");
            segment.label = self.naming.read(text.as_bytes())?;
            tier.segments.push(segment);
        }
        Ok(())
    }

    /// Moves the tiers to the utterance.
    pub(super) fn finish(self, utt: &mut Utterance) {
        let Self {
            naming,
            start,
            end,
            mut tiers,
        } = self;
        for tier in tiers.iter_mut().filter(|tier| !tier.points) {
            naming.fill(&mut tier.segments, Some(end));
        }
        let tag = |name: &[u8], time: Decimal| Tag::new(NAME, name, time.to_string());
        if !start.is_zero() {
            utt.meta.tags.push(tag(START, start));
        }
        if last_end(&tiers) != Some(end) {
            utt.meta.tags.push(tag(END, end));
        }
        utt.tiers = tiers;
    }
}

fn last_end(tiers: &[Tier]) -> Option<Decimal> {
    let segments = tiers.iter().flat_map(|tier| &tier.segments);
    segments.filter_map(|segment| segment.end).max()
}

/// A grid being written.
pub(super) struct Grid<'a> {
    pub(super) start: Decimal,
    pub(super) end: Decimal,
    pub(super) tiers: Vec<FilledTier<'a>>,
}

/// A tier being written, with its gaps filled.
pub(super) struct FilledTier<'a> {
    pub(super) name: &'a str,
    pub(super) points: bool,
    pub(super) items: Vec<(Decimal, Decimal, &'a str)>,
}

impl<'a> Grid<'a> {
    /// Creates the grid of an utterance.
    ///
    /// # Errors
    /// A grid cannot represent it.
    pub(super) fn of(utt: &'a Utterance, naming: &'a Naming) -> Result<Self> {
        let told = |name: &[u8]| {
            let tags = &mut utt.meta.tags.iter().filter(|tag| tag.key == name);
            match (tags.next(), tags.next()) {
                (None, _) => Ok(None),
                (Some(tag), None) => {
                    let text = std::str::from_utf8(&tag.value).ok();
                    let time = text.and_then(Decimal::parse);
                    let time = time.filter(|time| Some(&*time.to_string()) == text);
                    let wrong = || Error::unfit("has a header line that is not a time");
                    time.map(Some).ok_or_else(wrong)
                }
                _ => Err(Error::unfit("has a header line twice")),
            }
        };
        if utt.tiers.is_empty() {
            return Err(Error::unfit("has no tiers"));
        }
        let last = last_end(&utt.tiers);
        let (start, end) = (told(START)?, told(END)?);
        if start.is_some_and(Decimal::is_zero) || end.is_some() && end == last {
            return Err(Error::unfit("has a header line that says nothing"));
        }
        let start = start.unwrap_or(Decimal::ZERO);
        let end = end.or(last).ok_or_else(|| {
            Error::unfit("has no label that ends, and so the grid would have no end")
        })?;
        let tiers = utt.tiers.iter();
        let tiers = tiers.map(|tier| FilledTier::of(tier, naming, start, end));
        Ok(Self {
            start,
            end,
            tiers: tiers.collect::<Result<_>>()?,
        })
    }
}

impl<'a> FilledTier<'a> {
    fn of(tier: &'a Tier, naming: &'a Naming, start: Decimal, end: Decimal) -> Result<Self> {
        let mut items = Vec::with_capacity(2 * tier.segments.len() + 1);
        let mut at = start;
        for segment in &tier.segments {
            let text = text(naming.write(&segment.label)?)?;
            let (from, to) = (segment.start, crate::write::end(segment)?);
            let place = || format!("'{}' at {from}", spr_core::model::Key::from(text));
            if from < at && (!tier.points || from < start) {
                let message = format!("the segment {} overlaps what is before it", place());
                return Err(
                    Error::unfit(message).hint("a tier of a TextGrid holds one thing at a time")
                );
            }
            if to > end {
                return Err(Error::unfit(format!(
                    "the segment {} ends after the grid",
                    place()
                )));
            }
            match (tier.points, from == to) {
                (true, false) => {
                    let message = format!(
                        "the segment {} is not a point, but its tier holds points",
                        place()
                    );
                    return Err(Error::unfit(message));
                }
                (false, true) => {
                    let message = format!("{} is a point in a tier of stretches", place());
                    return Err(Error::unfit(message));
                }
                (false, false) if text.is_empty() => {
                    return Err(Error::unfit(format!(
                        "the segment {} has no label",
                        place()
                    )));
                }
                (true, true) => {
                    if from < at {
                        return Err(Error::unfit(format!(
                            "the point {} is out of order",
                            place()
                        )));
                    }
                    at = from;
                }
                (false, false) => {
                    if at < from {
                        items.push((at, from, ""));
                    }
                    at = to;
                }
            }
            items.push((from, to, text));
        }
        if !tier.points && at < end {
            items.push((at, end, ""));
        }
        Ok(Self {
            name: text(&tier.name)?,
            points: tier.points,
            items,
        })
    }

    /// Returns the class of the tier.
    pub(super) fn class(&self) -> &'static str {
        match self.points {
            true => POINTS,
            false => INTERVALS,
        }
    }
}

/// Checks that text can be read back unchanged.
fn text(bytes: &[u8]) -> Result<&str> {
    let shown = || spr_core::model::Key::from(bytes);
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Error::unfit(format!("the label '{}' is not UTF-8", shown())))?;
    match text.contains('\0') {
        true => Err(Error::unfit(format!(
            "the label '{}' holds the byte 0x00",
            shown()
        ))),
        false => Ok(text),
    }
}
