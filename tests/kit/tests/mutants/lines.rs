//! A format of lines of text, which may take a cut line for a whole one.

use spr_core::bytes::{Env, Output, Part, Sink, Source};
use spr_core::format::{
    Caps, Count, Format, FormatInfo, Keys, Medium, OpenedDataset, Options, Probe, Reader, Request,
    Score, SegmentCaps, WriteSummary, Writer,
};
use spr_core::model::{About, DatasetInfo, Decimal, Segment, Tier, Utterance, is_word_byte};
use spr_core::{Error, Result};

/// `#lines`, then a line `key label start end` a segment, the end `-` where it is not known. Lines of
/// one key that follow each other are an utterance.
pub(crate) struct LineToy {
    /// Whether the last line may lack its end.
    pub(crate) takes_cut: bool,
}

const MAGIC: &[u8] = b"#lines\n";

impl Format for LineToy {
    fn info(&self) -> &'static FormatInfo {
        const INFO: &FormatInfo = &FormatInfo::new("lines", "lines", &["lines"]);
        INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        match head.head.starts_with(MAGIC) {
            true => Score::Certain,
            false => Score::No,
        }
    }

    fn caps(&self, _: &Options, _: Medium) -> Result<Caps> {
        let mut caps = Caps::new(Count::Many, Keys::Words);
        let mut segments = SegmentCaps::PLAIN;
        segments.needs_some = true;
        caps.segments = Some(segments);
        Ok(caps)
    }

    fn open(
        &self,
        mut source: Source,
        _: &Options,
        _: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let file = source.name().to_owned();
        let bytes = source.rest("the lines", &env.limits)?;
        let Some(lines) = bytes.strip_prefix(MAGIC) else {
            return Err(Error::malformed("no magic").file(file));
        };
        Ok(OpenedDataset::stream(LineReader {
            takes_cut: self.takes_cut,
            lines: lines
                .split_inclusive(|b| *b == b'\n')
                .map(Vec::from)
                .collect(),
            next: 0,
            file,
            info: DatasetInfo::default(),
        }))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        _: &Env,
    ) -> Result<Box<dyn Writer>> {
        let mut sink = output.create(Part::Main, false)?;
        sink.put(MAGIC)?;
        Ok(Box::new(LineWriter {
            sink,
            caps: self.caps(options, Medium::File)?,
            written: WriteSummary::default(),
        }))
    }
}

struct LineReader {
    takes_cut: bool,
    lines: Vec<Vec<u8>>,
    next: usize,
    file: String,
    info: DatasetInfo,
}

impl LineReader {
    /// The key and the segment of the line that comes next.
    fn line(&self) -> Result<Option<(&[u8], Segment)>> {
        let Some(line) = self.lines.get(self.next) else {
            return Ok(None);
        };
        let placed = |error: Error| error.file(&self.file).line(1 + self.next as u64);
        let whole = line.strip_suffix(b"\n");
        let text = match whole {
            None if !self.takes_cut => return Err(placed(Error::truncated("a cut line"))),
            _ => whole.unwrap_or(line),
        };
        let fields: Vec<_> = text.split(|b| *b == b' ').collect();
        let time = |field: &[u8]| Decimal::parse(std::str::from_utf8(field).ok()?);
        let parsed = match *fields {
            [key, label, start, end] => time(start)
                .filter(|_| end == b"-" || time(end).is_some())
                .map(|start| (key, Segment::new(start, time(end), label))),
            _ => None,
        };
        let proper = parsed.filter(|(key, segment)| !key.is_empty() && segment.is_proper());
        let parsed = proper.ok_or_else(|| placed(Error::malformed("not a segment")))?;
        Ok(Some(parsed))
    }
}

impl Reader for LineReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let mut segments = Vec::new();
        utt.start();
        loop {
            match self.line()? {
                Some((key, segment)) if segments.is_empty() || key == utt.key.as_bytes() => {
                    utt.key.set(key);
                    segments.push(segment);
                }
                _ => break,
            }
            self.next += 1;
        }
        let any = !segments.is_empty();
        utt.tiers.push(Tier::only(segments));
        Ok(any)
    }
}

struct LineWriter {
    sink: Sink,
    caps: Caps,
    written: WriteSummary,
}

impl LineWriter {
    fn lines(&self, utt: &Utterance) -> Result<Vec<u8>> {
        self.caps.check(utt)?;
        let segments = utt.segments().unwrap_or_default();
        let proper = |segment: &Segment| {
            !segment.label.is_empty() && segment.label.iter().all(|b| is_word_byte(*b))
        };
        if !segments.iter().all(proper) {
            return Err(Error::unfit("segments without words"));
        }
        let mut lines = Vec::new();
        for segment in segments {
            lines.extend_from_slice(utt.key.as_bytes());
            lines.push(b' ');
            lines.extend_from_slice(&segment.label);
            let end = segment.end.map_or("-".to_owned(), |end| end.to_string());
            lines.extend(format!(" {} {end}\n", segment.start).bytes());
        }
        Ok(lines)
    }
}

impl Writer for LineWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        let lines = self.lines(utt);
        lines
            .map(drop)
            .map_err(|e| e.utterance(&utt.key).continuable())
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        self.sink.put(&self.lines(utt)?)?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut written = self.written;
        written.bytes = self.sink.finish()?;
        Ok(written)
    }
}
