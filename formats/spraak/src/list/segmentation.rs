//! Reading of segmentations: consecutive lines of one file are an utterance.

use spr_core::bytes::{Env, MemoryCounter, Source};
use spr_core::format::{KeyPredicate, Options, Reader};
use spr_core::model::{DatasetInfo, FrameGrid, Key, KeySet, KeySource, Segment, Tier, Utterance};
use spr_core::{Result, Symbols};

use super::head::{ListHead, ListKind};
use super::lines::Lines;
use super::names::SAME;
use super::options::takes_all;

use super::tags::ExtraFields;
use super::time::{FROM, TO_THE_END, TimeBase};
use crate::header::Header;

/// A reader of the segments of each file.
pub(crate) struct SegmentationReader {
    lines: Lines,
    head: ListHead,
    base: TimeBase,
    symbols: Option<Symbols>,
    /// The requested files, unless all are.
    wanted: Option<KeyPredicate>,
    seen: KeySet,
    /// The memory taken by the names so far.
    names: MemoryCounter,
    /// Whether the last line begins the next utterance.
    held: bool,
    done: bool,
    info: DatasetInfo,
}

impl SegmentationReader {
    pub(crate) fn open(
        source: Source,
        header: &Header,
        options: &Options,
        wanted: Option<KeyPredicate>,
        env: &Env,
    ) -> Result<Self> {
        let mut head = ListHead::of(header, ListKind::Segmentation)?;
        if !head.continuous {
            head.meta.frame_shift.get_or_insert(FrameGrid::USUAL_SHIFT);
        }
        let base = TimeBase::of(head.continuous, &head.meta)
            .ok_or_else(|| header.error(header.end, "FSHIFT is not above 0"))?;
        let symbols = options
            .get("symbols")
            .map(|file| Symbols::read(&file.into(), env));
        let mut info = DatasetInfo::new(KeySource::Stored);
        let all = takes_all(options)?;
        info.utterances = head.files.filter(|_| wanted.is_none() && all != Some(true));
        info.compression = source.compression();
        info.frame_shift = head.meta.frame_shift;
        Ok(Self {
            lines: Lines::new(source, header, head.lines, all, env),
            head,
            base,
            symbols: symbols.transpose()?,
            wanted,
            seen: KeySet::default(),
            names: MemoryCounter::new("the names of a list"),
            held: false,
            done: false,
            info,
        })
    }

    fn utterance(&mut self, utt: &mut Utterance) -> Result<bool> {
        let mut segments = utt.tiers.pop().map_or_else(Vec::new, |tier| tier.segments);
        segments.clear();
        utt.start();
        loop {
            if !std::mem::take(&mut self.held) && !self.lines.next()? {
                self.check_files()?;
                return Ok(false);
            }
            self.begin(&mut utt.key)?;
            if self.wanted.as_ref().is_none_or(|wanted| wanted(&utt.key)) {
                break;
            }
            while self.next_of(&utt.key)? {}
        }
        utt.origin = self.lines.origin();
        utt.meta.clone_from(&self.head.meta);
        let mut extra = ExtraFields::default();
        let mut held = MemoryCounter::new("a list of segments");
        loop {
            self.segment(&mut segments, &mut extra)
                .map_err(|what| self.lines.error(what).utterance(&utt.key))?;
            let bytes = size_of::<Segment>() + self.lines.len();
            self.lines.hold(&mut held, bytes)?;
            if !self.next_of(&utt.key)? {
                break;
            }
        }
        utt.tiers.push(Tier::only(segments));
        utt.meta.tags.extend(extra.into_tags());
        Ok(true)
    }

    /// Takes the name of a file from its first line.
    fn begin(&mut self, key: &mut Key) -> Result<()> {
        key.set(self.lines.fields().next().unwrap_or_default());
        if key.as_bytes() == SAME {
            let message = "'-' stands for the file of the line before, and there is none";
            return Err(self.lines.error(message));
        }
        let bytes = size_of::<Key>() + key.as_bytes().len();
        self.lines.hold(&mut self.names, bytes)?;
        if !self.seen.insert(key) {
            let message = "the segments of one file are in two places";
            return Err(self.lines.error(message).utterance(key));
        }
        Ok(())
    }

    /// Reads the next line of the same file, and returns `false` if there is none.
    fn next_of(&mut self, key: &Key) -> Result<bool> {
        if !self.lines.next()? {
            return Ok(false);
        }
        let name = self.lines.fields().next().unwrap_or_default();
        self.held = name != SAME && name != key.as_bytes();
        Ok(!self.held)
    }

    /// Parses the segment of the current line.
    fn segment(&mut self, into: &mut Vec<Segment>, extra: &mut ExtraFields) -> Result<(), String> {
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
        into.push(Segment::new(stretch.start, stretch.end, &label));
        Ok(())
    }

    /// Compares the number of files with the header.
    fn check_files(&self) -> Result<()> {
        let found = self.seen.len() as u64;
        if let Some(files) = self.head.files.filter(|files| *files != found) {
            let message = format!("the header says {files} files, found {found}");
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
