//! Segments, `{"start":0,"end":0.25,"label":"ah"}`, and tiers of them.

use serde_json::value::RawValue;
use spr_core::bytes::MemoryCounter;
use spr_core::model::{Segment, Tier};
use spr_core::{Error, Limits, Result};

use crate::braces::Braces;
use crate::text;

/// The fields of a segment.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SegmentFields<'a> {
    #[serde(borrow)]
    start: &'a RawValue,
    #[serde(borrow)]
    end: Option<&'a RawValue>,
    #[serde(borrow)]
    label: &'a RawValue,
    #[serde(borrow)]
    score: Option<&'a RawValue>,
    #[serde(borrow)]
    speaker: Option<&'a RawValue>,
}

/// The fields of a tier.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TierFields<'a> {
    #[serde(borrow)]
    name: &'a RawValue,
    #[serde(default)]
    points: bool,
    #[serde(borrow)]
    segments: Vec<Braces<SegmentFields<'a>>>,
}

impl SegmentFields<'_> {
    fn read(&self) -> Result<Segment> {
        let time = |raw, what| text::read_decimal(raw, what);
        let segment = Segment {
            start: time(self.start, "the start")?,
            end: self.end.map(|end| time(end, "the end")).transpose()?,
            label: text::read(self.label, "the label")?.into(),
            score: self.score.map(|s| time(s, "the score")).transpose()?,
            speaker: match self.speaker {
                Some(speaker) => Some(text::read(speaker, "the speaker")?.into()),
                None => None,
            },
        };
        match segment.is_proper() {
            true => Ok(segment),
            false => Err(Error::malformed(format!(
                "a segment starts at {} and ends before that",
                segment.start
            ))),
        }
    }
}

impl TierFields<'_> {
    /// Converts the tier.
    pub(crate) fn read(&self, limits: &Limits) -> Result<Tier> {
        Ok(Tier {
            name: text::read(self.name, "the name of a tier")?.into(),
            segments: read(&self.segments, limits)?,
            points: self.points,
        })
    }
}

/// Converts the segments of a list.
pub(crate) fn read(list: &[Braces<SegmentFields<'_>>], limits: &Limits) -> Result<Vec<Segment>> {
    let mut held = MemoryCounter::new("a list of segments");
    let segments = list.iter().map(|Braces(segment)| {
        held.keep(size_of::<Segment>() + segment.label.get().len(), limits)?;
        segment.read()
    });
    segments.collect()
}

/// Appends the field `segments` or `tiers`, if there are any.
pub(crate) fn write(tiers: &[Tier], out: &mut Vec<u8>) {
    match tiers {
        [] => {}
        [only] if only.is_plain() => {
            out.extend_from_slice(b",\"segments\":");
            write_list(&only.segments, out);
        }
        several => {
            out.extend_from_slice(b",\"tiers\":[");
            for (n, tier) in several.iter().enumerate() {
                out.extend_from_slice(if n > 0 { b",{\"name\":" } else { b"{\"name\":" });
                text::write(&tier.name, out);
                if tier.points {
                    out.extend_from_slice(b",\"points\":true");
                }
                out.extend_from_slice(b",\"segments\":");
                write_list(&tier.segments, out);
                out.push(b'}');
            }
            out.push(b']');
        }
    }
}

fn write_list(segments: &[Segment], out: &mut Vec<u8>) {
    out.push(b'[');
    for (n, segment) in segments.iter().enumerate() {
        out.extend_from_slice(if n > 0 {
            b",{\"start\":"
        } else {
            b"{\"start\":"
        });
        text::write_decimal(segment.start, out);
        out.extend_from_slice(b",\"end\":");
        match segment.end {
            Some(end) => text::write_decimal(end, out),
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b",\"label\":");
        text::write(&segment.label, out);
        if let Some(score) = segment.score {
            out.extend_from_slice(b",\"score\":");
            text::write_decimal(score, out);
        }
        if let Some(speaker) = &segment.speaker {
            out.extend_from_slice(b",\"speaker\":");
            text::write(speaker, out);
        }
        out.push(b'}');
    }
    out.push(b']');
}
