//! Alignments: tiers of segments by type, such as `word`.

use serde_json::value::RawValue;
use spr_core::model::{Decimal, Segment, Tier};
use spr_core::{Error, Result};
use spr_syntax::json::{self, Fields, Object};
use spr_syntax::manifest::source::utf8;

/// The tolerance, in seconds, for segments outside their utterance.
const SLACK: Decimal = Decimal::new(1, -3);

/// The type of a tier without a name.
const USUAL: &str = "word";

/// Reads the tiers of an utterance that starts at `start` in its recording, from whose start times
/// are counted. An utterance that is `all` of its recording may have been cut out of another one.
/// If the times do not fit into it, they are those of the other recording, and are shifted to start
/// at the first segment.
///
/// # Errors
/// They are not alignments, or start before the utterance.
pub(super) fn read(raw: &RawValue, start: Decimal, all: Option<Decimal>) -> Result<Vec<Tier>> {
    let mut tiers = Vec::new();
    for (kind, list) in Object::of(raw, "alignment")?.rest() {
        let list: Vec<&RawValue> = json::parse(list, "an alignment", "a list")?;
        let items: Result<Vec<_>> = list.into_iter().map(item).collect();
        tiers.push((kind, items?));
    }
    let times = || tiers.iter().flat_map(|(_, items)| items.iter());
    let last = times().filter_map(Item::end).max();
    let late = last
        .zip(all)
        .is_some_and(|(last, all)| is_behind(last, all));
    let first = times().map(|item| item.start).min();
    let origin = first.filter(|_| late).unwrap_or(start);
    let tier = |(kind, items): (std::borrow::Cow<'_, str>, Vec<Item<'_>>)| {
        let segments: Result<Vec<_>> = items.iter().map(|item| item.segment(origin)).collect();
        let segments = segments?;
        Ok(Tier {
            name: kind.as_bytes().into(),
            points: !segments.is_empty() && items.iter().all(|item| item.duration.is_zero()),
            segments,
        })
    };
    tiers.into_iter().map(tier).collect()
}

/// Returns `true` if a time is after an end by more than rounding.
pub(super) fn is_behind(time: Decimal, end: Decimal) -> bool {
    end.plus(SLACK).is_some_and(|end| time > end)
}

/// A symbol with its time.
struct Item<'a> {
    symbol: std::borrow::Cow<'a, str>,
    start: Decimal,
    duration: Decimal,
    score: Option<Decimal>,
}

/// Parses a list or, from before lhotse 1.8, an object.
fn item(raw: &RawValue) -> Result<Item<'_>> {
    const WHAT: &str = "an alignment";
    let (symbol, start, duration, score) = if raw.get().starts_with('{') {
        let mut object = Object::of(raw, WHAT)?;
        let [symbol, start, duration] =
            ["symbol", "start", "duration"].map(|name| object.require(name));
        (symbol?, start?, duration?, object.take("score"))
    } else {
        let parts: Vec<&RawValue> = json::parse(raw, WHAT, "a list")?;
        match *parts.as_slice() {
            [symbol, start, duration] => (symbol, start, duration, None),
            [symbol, start, duration, score] => (
                symbol,
                start,
                duration,
                Some(score).filter(|score| score.get() != "null"),
            ),
            _ => {
                let message = format!("an alignment of {} values, expected 3 or 4", parts.len());
                return Err(Error::malformed(message));
            }
        }
    };
    Ok(Item {
        symbol: json::text(symbol, "the symbol of an alignment")?,
        start: json::decimal(start, "the start of an alignment")?,
        duration: json::time(duration, "the duration of an alignment")?,
        score: score
            .map(|raw| json::decimal(raw, "the score of an alignment"))
            .transpose()?,
    })
}

impl Item<'_> {
    fn end(&self) -> Option<Decimal> {
        self.start.plus(self.duration)
    }

    fn segment(&self, origin: Decimal) -> Result<Segment> {
        let start = self.start.minus(origin);
        let end = start.and_then(|start| start.plus(self.duration));
        let (Some(start), Some(end)) = (start, end) else {
            return Err(Error::malformed(
                "the times of an alignment have too many digits",
            ));
        };
        if start.plus(SLACK).is_some_and(Decimal::is_negative) {
            let message = format!(
                "an alignment at {}, before the utterance starts",
                self.start
            );
            return Err(Error::malformed(message));
        }
        let start = start.max(Decimal::ZERO);
        let mut segment = Segment::new(start, Some(end.max(start)), self.symbol.as_bytes());
        segment.score = self.score;
        Ok(segment)
    }
}

/// Adds the tiers of an utterance that starts at `start` in its recording.
///
/// # Errors
/// Two tiers have the same name, a segment has no end, a text is not UTF-8, or a tier of points is
/// empty, so that its type would be lost.
pub(super) fn write(tiers: &[Tier], start: Decimal, fields: &mut Fields<'_>) -> Result<()> {
    if tiers.is_empty() {
        return Ok(());
    }
    let mut kinds = Fields::open(fields.start("alignment"));
    for (n, tier) in tiers.iter().enumerate() {
        if tiers[..n].iter().any(|other| other.name == tier.name) {
            return Err(Error::unfit("has two tiers of one name"));
        }
        if tier.points && tier.segments.is_empty() {
            return Err(Error::not_held("has a tier of points without any"));
        }
        let kind = match utf8(&tier.name, "the name of a tier")? {
            "" => USUAL,
            kind => kind,
        };
        let out = kinds.start(kind);
        out.push(b'[');
        for (n, segment) in tier.segments.iter().enumerate() {
            if n > 0 {
                out.extend_from_slice(b", ");
            }
            write_item(segment, start, out)?;
        }
        out.push(b']');
    }
    kinds.close();
    Ok(())
}

fn write_item(segment: &Segment, start: Decimal, out: &mut Vec<u8>) -> Result<()> {
    let Some(end) = segment.end else {
        return Err(Error::unfit("has a segment without an end, which ").the_format(" must tell"));
    };
    let (Some(from), Some(lasts)) = (segment.start.plus(start), end.minus(segment.start)) else {
        return Err(Error::unfit(
            "has segments whose times have too many digits",
        ));
    };
    out.push(b'[');
    json::write_text(utf8(&segment.label, "the label of a segment")?, out);
    for time in [from, lasts] {
        out.extend_from_slice(b", ");
        json::write_time(time, out);
    }
    out.extend_from_slice(b", ");
    match segment.score {
        Some(score) => json::write_time(score, out),
        None => out.extend_from_slice(b"null"),
    }
    out.push(b']');
    Ok(())
}
