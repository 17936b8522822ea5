//! Labelled stretches of time: `{"start":0,"end":0.25,"label":"ah"}`.

use serde_json::value::RawValue;
use spr_core::model::Segment;
use spr_core::{Error, Result};

use crate::{numbers, text};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SegmentFields<'a> {
    start: f64,
    end: Option<f64>,
    #[serde(borrow)]
    label: &'a RawValue,
}

impl SegmentFields<'_> {
    pub(crate) fn read(&self) -> Result<Segment> {
        let segment = Segment {
            start: self.start,
            end: self.end,
            label: text::read(self.label, "the label")?.into(),
        };
        match segment.is_proper() {
            true => Ok(segment),
            false => Err(Error::malformed(format!(
                "a segment starts at {} and ends before that",
                self.start
            ))),
        }
    }
}

/// Appends the segments as a list.
pub(crate) fn write(segments: &[Segment], out: &mut Vec<u8>) {
    out.push(b'[');
    for (n, segment) in segments.iter().enumerate() {
        out.extend_from_slice(match n {
            0 => b"{\"start\":",
            _ => b",{\"start\":",
        });
        numbers::write(&[segment.start], out);
        out.extend_from_slice(b",\"end\":");
        match segment.end {
            Some(end) => numbers::write(&[end], out),
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b",\"label\":");
        text::write(&segment.label, out);
        out.push(b'}');
    }
    out.push(b']');
}
