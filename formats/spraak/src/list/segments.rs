//! Formatting of segments as lines.

use std::sync::Arc;

use spr_core::bytes::Env;
use spr_core::format::Options;
use spr_core::model::{Decimal, FrameGrid, Key, KeySet, Meta, Segment, Utterance};
use spr_core::{Error, Remedy, Result, Symbols};

use super::lines::{is_blank, print_line};
use super::names::SAME;

use super::tags::extra;
use super::time::TO_THE_END;
use crate::header::shown;

/// The settings for segments.
pub(super) struct Segments {
    /// The requested time base: whether it is seconds.
    asked: Option<bool>,
    symbols: Option<Arc<Symbols>>,
    seen: KeySet,
    /// Whether all times so far are multiples of frames, and may be written as such.
    pub(super) framed: bool,
}

/// Formatted lines.
pub(super) struct SegmentLines {
    pub(super) lines: u64,
    /// Whether all times, with those before, are multiples of frames.
    pub(super) framed: bool,
}

impl Segments {
    /// Parses the options.
    ///
    /// # Errors
    /// The value of an option, or the table of symbols, is invalid.
    pub(super) fn of(options: &Options, env: &Env) -> Result<Self> {
        let asked = options.choice("timebase", &[("DISCRETE", false), ("CONTINUOUS", true)])?;
        let symbols = options
            .get("symbols")
            .map(|file| Symbols::read(&file.into(), env));
        Ok(Self {
            asked,
            symbols: symbols.transpose()?.map(Arc::new),
            seen: KeySet::default(),
            framed: asked != Some(true),
        })
    }

    /// Returns the same settings for an empty list.
    pub(super) fn another(&self) -> Self {
        Self {
            asked: self.asked,
            symbols: self.symbols.clone(),
            seen: KeySet::default(),
            framed: self.asked != Some(true),
        }
    }

    /// Appends the lines of an utterance, with times in seconds.
    pub(super) fn print(&self, utt: &Utterance, out: &mut Vec<u8>) -> Result<SegmentLines> {
        let segments = utt.segments().unwrap_or_default();
        if self.seen.contains(&utt.key) {
            let error = Error::unfit("a second utterance with this name");
            return Err(error.suggest(Remedy::KeepOnlyOne));
        }
        let fields = extra(&utt.meta.tags, segments.len()).map_err(Error::unfit)?;
        let framed = self.framed && self.are_framed(segments, &utt.meta);
        if !framed && self.asked == Some(false) {
            return Err(Error::unfit("has times that are not those of frames")
                .hint("leave out timebase=DISCRETE"));
        }
        for (n, (segment, fields)) in segments.iter().zip(&fields).enumerate() {
            let name = if n == 0 { utt.key.as_bytes() } else { SAME };
            let label = match &self.symbols {
                Some(symbols) => symbols.name(&segment.label).map_err(Error::unfit)?,
                None => &segment.label,
            };
            if label.is_empty() || label.iter().any(is_blank) {
                let label = shown(label);
                return Err(Error::unfit(format!("the label '{label}' is not one word")));
            }
            let start = segment.start.to_string().into_bytes();
            let end = match segment.end {
                Some(end) => end.to_string().into_bytes(),
                None => TO_THE_END.to_vec(),
            };
            let first = [name, label, &start, &end];
            print_line(first.into_iter().chain(fields.iter().copied()), out);
        }
        Ok(SegmentLines {
            lines: segments.len() as u64,
            framed,
        })
    }

    /// Adds an utterance that was written.
    pub(super) fn add(&mut self, key: &Key, framed: bool) {
        self.framed = framed;
        self.seen.insert(key);
    }

    /// Returns `true` if all times are multiples of frames, and the length of frames is known or
    /// frames are requested.
    fn are_framed(&self, segments: &[Segment], meta: &Meta) -> bool {
        let usual = || (self.asked == Some(false)).then(FrameGrid::usual);
        FrameGrid::of(meta).or_else(usual).is_some_and(|grid| {
            let framed = |time| grid.frame(time).is_some();
            segments
                .iter()
                .all(|s| framed(s.start) && s.end.is_none_or(framed))
        })
    }
}

/// Converts the two times of a line, which are multiples of frames, from seconds to the first frame
/// and the number of frames.
pub(super) fn to_frames(line: &mut Vec<u8>, grid: &FrameGrid) -> Result<()> {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    let mut fields: Vec<_> = text.split(|b| *b == b'\t').map(<[u8]>::to_vec).collect();
    if let [_, _, f1, f2, ..] = fields.as_mut_slice() {
        let frame = |field: &[u8]| {
            let time = std::str::from_utf8(field).ok().and_then(Decimal::parse);
            let frame = time.and_then(|time| grid.frame(time));
            frame
                .ok_or_else(|| Error::unfit(format!("{} is not the time of a frame", shown(field))))
        };
        let first = frame(f1)?;
        if f2.as_slice() != TO_THE_END {
            *f2 = (frame(f2)?.saturating_sub(first)).to_string().into_bytes();
        }
        *f1 = first.to_string().into_bytes();
    }
    line.clear();
    print_line(fields.iter().map(Vec::as_slice), line);
    Ok(())
}
