//! Tiers of segments in JSON.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use spr_core::model::{Decimal, Segment, Tier};
use spr_core::{Error, Result};

use crate::json::{self, Fields};
use crate::manifest::source::utf8;

/// The field with the segments of a single tier without a name.
pub const SEGMENTS: &str = "segments";
/// The field with several tiers, or one with a name.
pub const TIERS: &str = "tiers";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredSegment<'a> {
    #[serde(borrow)]
    start: &'a RawValue,
    #[serde(borrow)]
    end: Option<&'a RawValue>,
    #[serde(borrow)]
    label: Cow<'a, str>,
    #[serde(borrow)]
    score: Option<&'a RawValue>,
    #[serde(borrow)]
    speaker: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredTier<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(default)]
    points: bool,
    #[serde(borrow)]
    segments: Vec<StoredSegment<'a>>,
}

impl StoredSegment<'_> {
    fn read(&self) -> Option<Segment> {
        let number = |raw: &RawValue| json::decimal(raw, "").ok();
        let times = (number(self.start)?, self.end.map(number));
        let (start, end) = (times.0, times.1.map_or(Some(None), |end| end.map(Some))?);
        let mut segment = Segment::new(start, end, self.label.as_bytes());
        segment.score = match self.score {
            Some(score) => Some(number(score)?),
            None => None,
        };
        segment.speaker = self.speaker.as_ref().map(|name| name.as_bytes().into());
        segment.is_proper().then_some(segment)
    }
}

/// Returns the segments of a field, or `None` if it is another program's.
pub fn read_segments(raw: &RawValue) -> Option<Vec<Tier>> {
    let stored: Vec<StoredSegment<'_>> = serde_json::from_str(raw.get()).ok()?;
    let segments: Option<Vec<_>> = stored.iter().map(StoredSegment::read).collect();
    Some(vec![Tier::only(segments?)])
}

/// Returns the tiers of a field, or `None` if it is another program's.
pub fn read_tiers(raw: &RawValue) -> Option<Vec<Tier>> {
    let stored: Vec<StoredTier<'_>> = serde_json::from_str(raw.get()).ok()?;
    let tier = |stored: &StoredTier<'_>| {
        let segments: Option<Vec<_>> = stored.segments.iter().map(StoredSegment::read).collect();
        Some(Tier {
            name: stored.name.as_bytes().into(),
            segments: segments?,
            points: stored.points,
        })
    };
    stored.iter().map(tier).collect()
}

/// Returns the tiers of a list, either of segments or of tiers. `None` if it is neither.
pub fn read_list(text: &[u8]) -> Option<Vec<Tier>> {
    let raw: &RawValue = serde_json::from_slice(text).ok()?;
    read_segments(raw).or_else(|| read_tiers(raw))
}

/// Adds the field of tiers, if there are any.
///
/// # Errors
/// A name or a label is not UTF-8.
pub fn write(tiers: &[Tier], fields: &mut Fields<'_>) -> Result<()> {
    match tiers {
        [] => Ok(()),
        [only] if only.is_plain() => write_list(tiers, fields.start(SEGMENTS)),
        _ => write_list(tiers, fields.start(TIERS)),
    }
}

/// Appends a list of tiers, or of the segments of a single tier without a name.
///
/// # Errors
/// A name or a label is not UTF-8.
pub fn write_list(tiers: &[Tier], out: &mut Vec<u8>) -> Result<()> {
    match tiers {
        [only] if only.is_plain() => write_segments(&only.segments, out),
        several => list(several, out, |tier, out| {
            let mut fields = Fields::open(out);
            fields.text("name", utf8(&tier.name, "the name of a tier")?);
            if tier.points {
                fields.raw("points", "true");
            }
            write_segments(&tier.segments, fields.start("segments"))?;
            fields.close();
            Ok(())
        }),
    }
}

fn write_segments(segments: &[Segment], out: &mut Vec<u8>) -> Result<()> {
    list(segments, out, |segment, out| {
        let number = |number: Decimal| number.to_string();
        let mut fields = Fields::open(out);
        fields.time("start", segment.start);
        if let Some(end) = segment.end {
            fields.time("end", end);
        }
        fields.text("label", utf8(&segment.label, "a label")?);
        fields.number("score", segment.score.map(number));
        if let Some(speaker) = &segment.speaker {
            fields.text("speaker", utf8(speaker, "a speaker")?);
        }
        fields.close();
        Ok(())
    })
}

/// Appends a list.
fn list<T>(
    items: &[T],
    out: &mut Vec<u8>,
    mut write: impl FnMut(&T, &mut Vec<u8>) -> Result<(), Error>,
) -> Result<()> {
    out.push(b'[');
    for (n, item) in items.iter().enumerate() {
        if n > 0 {
            out.extend_from_slice(b", ");
        }
        write(item, out)?;
    }
    out.push(b']');
    Ok(())
}
