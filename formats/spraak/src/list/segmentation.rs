//! Segmentations, read: consecutive lines of one file make an utterance.

use std::collections::HashSet;

use spr_core::Result;
use spr_core::bytes::{Env, Source};
use spr_core::format::{Options, Reader};
use spr_core::model::{DatasetInfo, Decimal, FrameGrid, Key, Segment, Utterance};

use super::head::{Kind, ListHead};
use super::lines::Lines;
use super::symbols::Symbols;
use super::tags::Extra;
use super::time::{FROM, TO_THE_END, TimeBase};
use crate::header::Header;

/// Reads the segments of one file after the other.
pub(crate) struct SegmentationReader {
    lines: Lines,
    head: ListHead,
    base: TimeBase,
    symbols: Option<Symbols>,
    seen: HashSet<Key>,
    /// Whether the line that was read last begins the next utterance.
    held: bool,
    done: bool,
    info: DatasetInfo,
}

impl SegmentationReader {
    pub(crate) fn open(
        source: Source,
        header: &Header,
        options: &Options,
        env: &Env,
    ) -> Result<Self> {
        let mut head = ListHead::of(header, Kind::Segmentation)?;
        if !head.continuous {
            let usual = || Decimal::parse(FrameGrid::USUAL_SHIFT);
            head.meta.frame_shift = head.meta.frame_shift.or_else(usual);
        }
        let base = TimeBase::of(head.continuous, &head.meta)
            .ok_or_else(|| header.error(header.end, "FSHIFT is not above 0"))?;
        let symbols = options.get("symbols").map(|path| Symbols::read(path, env));
        let info = DatasetInfo {
            utterances: head.files,
            compression: source.compression(),
            frame_shift: head.meta.frame_shift.clone(),
            ..DatasetInfo::default()
        };
        Ok(Self {
            lines: Lines::new(source, head.lines, env),
            head,
            base,
            symbols: symbols.transpose()?,
            seen: HashSet::new(),
            held: false,
            done: false,
            info,
        })
    }

    fn utterance(&mut self, utt: &mut Utterance) -> Result<bool> {
        utt.meta.clone_from(&self.head.meta);
        let mut segments = utt.segments.take().unwrap_or_default();
        utt.clear_data();
        segments.clear();
        if !std::mem::take(&mut self.held) && !self.lines.next()? {
            self.check_files()?;
            return Ok(false);
        }
        utt.key.set(self.lines.fields().next().unwrap_or_default());
        if utt.key.as_bytes() == b"-" {
            let message = "'-' stands for the file of the line before, and there is none";
            return Err(self.lines.error(message));
        }
        if !self.seen.insert(utt.key.clone()) {
            let message = "the segments of one file stand in two places";
            return Err(self.lines.error(message).utterance(&utt.key));
        }
        let mut extra = Extra::default();
        loop {
            self.segment(&mut segments, &mut extra)
                .map_err(|what| self.lines.error(what).utterance(&utt.key))?;
            let bytes = (segments.len() * size_of::<Segment>()) as u64;
            self.lines.env().limits.bytes("a list of segments", bytes)?;
            if !self.lines.next()? {
                break;
            }
            let name = self.lines.fields().next().unwrap_or_default();
            if name != b"-" && name != utt.key.as_bytes() {
                self.held = true;
                break;
            }
        }
        utt.segments = Some(segments);
        utt.meta.tags.extend(extra.into_tags());
        Ok(true)
    }

    /// The segment of the current line.
    fn segment(&mut self, into: &mut Vec<Segment>, extra: &mut Extra) -> Result<(), String> {
        let mut fields = self.lines.fields().skip(1);
        let label = fields.next().ok_or("a line has no label")?;
        let label = match &self.symbols {
            Some(symbols) => symbols.id(label)?,
            None => label.to_vec(),
        };
        let (f1, f2) = (fields.next(), fields.next());
        let (from, to) = (f1.unwrap_or(FROM), f2.unwrap_or(TO_THE_END));
        let stretch = self.base.stretch(from, to)?;
        let short = f2.is_none();
        extra.add(fields)?;
        if short {
            self.lines
                .warn("a line without F1 and F2 is taken to be all of the file");
        }
        if let Some(last) = into.last()
            && last.end.is_none_or(|end| end > stretch.start)
        {
            self.lines.warn(self.base.overlap());
        }
        into.push(Segment {
            start: stretch.start,
            end: stretch.end,
            label: label.into(),
        });
        Ok(())
    }

    /// Compares the number of files with what the header says.
    fn check_files(&self) -> Result<()> {
        let there = self.seen.len() as u64;
        if let Some(due) = self.head.files.filter(|due| *due != there) {
            let message = format!("the header says {due} files, there are {there}");
            self.lines.env().warn(&self.lines.error(message));
        }
        Ok(())
    }
}

impl Reader for SegmentationReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.done {
            return Ok(false);
        }
        let result = self.utterance(utt);
        self.done = !matches!(result, Ok(true));
        result
    }
}
