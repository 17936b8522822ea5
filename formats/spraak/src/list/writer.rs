//! Segmentations and corpora, written. The header, which counts the lines, is made at the end.

use std::collections::HashSet;
use std::path::Path;

use spr_core::bytes::{Env, Output, Part, Sink};
use spr_core::format::{Options, Writer, Written};
use spr_core::model::{FrameGrid, Key, Meta, Segment, Tag, Utterance};
use spr_core::number::{parse_integer, print_f64};
use spr_core::{Error, Result};

use super::corpus::{FILE, TIMES, transcription};
use super::head::check_tag;
use super::lines::is_blank;
use super::names::{Names, SAME};
use super::put_line;
use super::spool::Spool;
use super::symbols::Symbols;
use super::tags::{extra, is_field};
use super::time::{FROM, TO_THE_END, TimeBase};
use crate::header::shown;
use crate::vocabulary::{Dialect, is_own};

/// Writes a list to one file.
pub(crate) struct ListWriter {
    sink: Sink,
    dialect: Dialect,
    sort: Sort,
    /// What the header says, as the first entry has it.
    head: Option<Meta>,
    body: Spool,
    /// The lines of the entry at hand.
    entry: Vec<u8>,
    lines: u64,
    written: Written,
}

enum Sort {
    Segments(Segments),
    Corpus(Names),
}

impl Sort {
    /// The kind of data.
    fn data(&self) -> &'static [u8] {
        match self {
            Self::Segments(_) => b"SEG",
            Self::Corpus(_) => b"CORPUS",
        }
    }
}

/// How segments are written.
struct Segments {
    /// The time base that the user asked for: whether it is seconds.
    asked: Option<bool>,
    symbols: Option<Symbols>,
    seen: HashSet<Key>,
    /// Lines written in frames, once the others are in seconds.
    in_frames: Option<u64>,
}

impl ListWriter {
    /// A writer of segments.
    pub(crate) fn segments(
        output: &Output,
        dialect: Dialect,
        options: &Options,
        env: &Env,
    ) -> Result<Self> {
        let asked = options.choice("timebase", &[("DISCRETE", false), ("CONTINUOUS", true)])?;
        let symbols = options.get("symbols").map(|path| Symbols::read(path, env));
        let segments = Segments {
            asked,
            symbols: symbols.transpose()?,
            seen: HashSet::new(),
            in_frames: (asked == Some(true)).then_some(0),
        };
        Self::new(output, Part::Main, dialect, Sort::Segments(segments))
    }

    /// A writer of a corpus.
    pub(crate) fn corpus(output: &Output, dialect: Dialect) -> Result<Self> {
        Self::new(output, Part::Main, dialect, Sort::Corpus(Names::default()))
    }

    /// A writer of a corpus in a file of its own beside what it lists.
    pub(crate) fn beside(output: &Output, path: &Path, dialect: Dialect) -> Result<Self> {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.exists()) {
            let error = Error::usage("the folder of the corpus does not exist");
            return Err(error
                .file(path.display().to_string())
                .hint("the folder of the data is made at the end; put the corpus beside it"));
        }
        Self::new(
            output,
            Part::At(path),
            dialect,
            Sort::Corpus(Names::default()),
        )
    }

    fn new(output: &Output, part: Part<'_>, dialect: Dialect, sort: Sort) -> Result<Self> {
        Ok(Self {
            sink: output.create(part, false)?,
            dialect,
            sort,
            head: None,
            body: Spool::new(),
            entry: Vec::new(),
            lines: 0,
            written: Written::default(),
        })
    }

    /// Makes the lines of an utterance, or refuses it.
    fn prepare(&mut self, utt: &Utterance) -> Result<u64> {
        let segmented = matches!(self.sort, Sort::Segments(_));
        let other = utt.others().find(|other| match segmented {
            true => *other != "segments",
            false => *other != "text",
        });
        let matrix = [(&utt.features, "features"), (&utt.labels, "labels")];
        let matrix = matrix.into_iter().find(|(matrix, _)| matrix.is_some());
        if let Some(other) = matrix.map(|(_, name)| name).or(other) {
            return Err(Error::unfit(format!(
                "has {other}, which the list can't hold"
            )));
        }
        let mut head = utt.meta.clone();
        head.tags.retain(|tag| !self.is_of_entry(&tag.key));
        if self.head.as_ref().is_some_and(|first| *first != head) {
            let message = "other header lines or frame times than those before; a list has one \
                           header";
            return Err(Error::unfit(message));
        }
        let (dialect, data) = (self.dialect, self.sort.data());
        let own = |key: &[u8]| {
            let standard = Dialect::standard(data, key).filter(|_| dialect == Dialect::Key);
            is_own(standard.map_or(key, str::as_bytes), false) || segmented && key == b"TIMEBASE"
        };
        head.tags.iter().try_for_each(|tag| check_tag(tag, own))?;
        // Whether the header can hold them is known before anything is written.
        header_lines(dialect, data, &head.tags, &mut Vec::new())?;
        self.entry.clear();
        let entry = &mut self.entry;
        let lines = match &mut self.sort {
            Sort::Segments(segments) => segments.print(utt, self.lines, entry)?,
            Sort::Corpus(names) => {
                let text = utt
                    .text
                    .as_ref()
                    .ok_or_else(|| Error::unfit("has no text"))?;
                print_entry(names, &utt.key, text, &utt.meta, entry)?;
                1
            }
        };
        self.head.get_or_insert(head);
        Ok(lines)
    }

    fn is_of_entry(&self, key: &[u8]) -> bool {
        is_field(key)
            || matches!(self.sort, Sort::Corpus(_)) && (key == FILE || TIMES.contains(&key))
    }

    /// Makes the line of an utterance in a file of its own, whose header has the other tags.
    ///
    /// # Errors
    /// The list can't hold it.
    pub(crate) fn prepare_beside(&mut self, utt: &Utterance) -> Result<()> {
        let line = Utterance {
            key: utt.key.clone(),
            text: Some(utt.text.clone().unwrap_or_default()),
            meta: Meta {
                tags: utt
                    .meta
                    .tags
                    .iter()
                    .filter(|tag| is_field(&tag.key))
                    .cloned()
                    .collect(),
                ..Meta::default()
            },
            ..Utterance::default()
        };
        self.prepare(&line).map(drop)
    }

    /// Adds the line that was prepared last.
    pub(crate) fn add(&mut self, lines: u64) -> Result<()> {
        self.body.put(&self.entry)?;
        self.lines += lines;
        Ok(())
    }

    /// Completes the list; returns its bytes.
    pub(crate) fn end(self) -> Result<u64> {
        let Self {
            mut sink,
            dialect,
            sort,
            head,
            body,
            lines,
            written,
            ..
        } = self;
        let head = head.unwrap_or_default();
        let header = header(dialect, &sort, &head, lines, written.utterances)?;
        sink.put(&header)?;
        let grid = FrameGrid::of(&head).unwrap_or_else(FrameGrid::usual);
        let mut in_frames = match &sort {
            Sort::Segments(segments) => segments.in_frames.unwrap_or(0),
            Sort::Corpus(_) => 0,
        };
        body.copy(&mut sink, |line| {
            if in_frames > 0 {
                in_frames -= 1;
                to_seconds(line, &grid);
            }
            Ok(())
        })?;
        sink.finish()
    }
}

impl Writer for ListWriter {
    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let lines = self
            .prepare(utt)
            .map_err(|e| e.utterance(&utt.key).continuable())?;
        self.add(lines)?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let written = self.written;
        let bytes = self.end()?;
        Ok(Written { bytes, ..written })
    }
}

/// The whole header.
fn header(dialect: Dialect, sort: &Sort, head: &Meta, lines: u64, entries: u64) -> Result<Vec<u8>> {
    let data = sort.data();
    let has = |key: &[u8]| head.tags.iter().any(|tag| tag.key == key);
    // The name of a corpus says what it is.
    let named = matches!(sort, Sort::Corpus(_)) && has(b"CORPUS") && !has(b"DICTIONARY");
    let mut out = [dialect.magic(), b"\n"].concat();
    let mut put = |key: &str, value: &str| {
        put_line(dialect, data, key.as_bytes(), value.as_bytes(), &mut out)
    };
    if dialect == Dialect::Spr || !named {
        put("DATA", &String::from_utf8_lossy(data))?;
    }
    if dialect == Dialect::Spr {
        put("LAYOUT", "LIST")?;
    }
    put("TYPE", "STRING")?;
    if dialect == Dialect::Spr {
        put("FORMAT", "ASCII")?;
    }
    put("DIM1", &lines.to_string())?;
    if let Sort::Segments(_) = sort {
        put("DIM2", &entries.to_string())?;
    }
    for (key, time) in [
        ("FSHIFT", &head.frame_shift),
        ("FOFFSET", &head.frame_offset),
    ] {
        if let Some(time) = time {
            put(key, time.as_str())?;
        }
    }
    if let Sort::Segments(segments) = sort {
        match segments.in_frames {
            Some(_) => put("TIMEBASE", "CONTINUOUS")?,
            // A key header has no such line, and frames are what goes without saying.
            None if dialect == Dialect::Spr => put("TIMEBASE", "DISCRETE")?,
            None => {}
        }
    }
    header_lines(dialect, data, &head.tags, &mut out)?;
    out.extend_from_slice(b"#\n");
    Ok(out)
}

/// Appends the lines that are handed on.
fn header_lines(dialect: Dialect, data: &[u8], tags: &[Tag], out: &mut Vec<u8>) -> Result<()> {
    let mut keys: Vec<_> = tags.iter().map(|tag| &tag.key).collect();
    keys.sort_unstable();
    if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
        let message = format!("has the header line {} twice", shown(pair[0]));
        return Err(Error::unfit(message));
    }
    tags.iter()
        .try_for_each(|tag| put_line(dialect, data, &tag.key, &tag.value, out))
}

impl Segments {
    /// Appends the lines of an utterance; `before` lines stand before them. Returns how many.
    fn print(&mut self, utt: &Utterance, before: u64, out: &mut Vec<u8>) -> Result<u64> {
        let segments = utt.segments.as_deref().unwrap_or_default();
        if segments.is_empty() {
            return Err(Error::unfit("has no segments, and so no line in the list"));
        }
        if utt.key.as_bytes() == SAME {
            return Err(Error::unfit("'-' can't be the name of a file in a list"));
        }
        utt.key.check_word()?;
        if self.seen.contains(&utt.key) {
            return Err(Error::unfit("a second utterance of this name"));
        }
        let grid = match FrameGrid::of(&utt.meta) {
            Some(grid) => Some(grid),
            None => (self.asked == Some(false)).then(FrameGrid::usual),
        };
        let grid = grid.filter(|_| self.in_frames.is_none());
        let fields = extra(&utt.meta.tags, segments.len()).map_err(Error::unfit)?;
        let framed = grid.as_ref().and_then(|grid| {
            segments
                .iter()
                .map(|s| in_frames(s, grid))
                .collect::<Option<Vec<_>>>()
        });
        if framed.is_none() && self.asked == Some(false) {
            return Err(Error::unfit("has times that are not those of frames")
                .hint("leave out timebase=DISCRETE"));
        }
        for (n, (segment, fields)) in segments.iter().zip(&fields).enumerate() {
            if !segment.is_proper() {
                return Err(Error::unfit(format!(
                    "a segment from {} s ends before it starts, or starts before the file",
                    segment.start
                )));
            }
            let name = if n == 0 { utt.key.as_bytes() } else { SAME };
            let label = match &self.symbols {
                Some(symbols) => symbols.name(&segment.label).map_err(Error::unfit)?,
                None => &segment.label,
            };
            if label.is_empty() || label.iter().any(is_blank) {
                let label = shown(label);
                return Err(Error::unfit(format!("the label '{label}' is not one word")));
            }
            let [f1, f2] = match framed.as_ref().and_then(|all| all.get(n)) {
                Some(fields) => fields.clone(),
                None => in_seconds(segment),
            };
            print_line(
                [name, label, &f1, &f2]
                    .into_iter()
                    .chain(fields.iter().copied()),
                out,
            );
        }
        if framed.is_none() && self.in_frames.is_none() {
            self.in_frames = Some(before);
        }
        self.seen.insert(utt.key.clone());
        Ok(segments.len() as u64)
    }
}

/// The times of a segment in frames, if they are such.
fn in_frames(segment: &Segment, grid: &FrameGrid) -> Option<[Vec<u8>; 2]> {
    let first = grid.frame(segment.start)?;
    let count = match segment.end {
        Some(end) => (grid.frame(end)?.checked_sub(first)?)
            .to_string()
            .into_bytes(),
        None => TO_THE_END.to_vec(),
    };
    Some([first.to_string().into_bytes(), count])
}

fn in_seconds(segment: &Segment) -> [Vec<u8>; 2] {
    let print = |time| {
        let mut out = Vec::new();
        print_f64(time, &mut out);
        out
    };
    let end = segment.end.map_or_else(|| TO_THE_END.to_vec(), print);
    [print(segment.start), end]
}

/// Changes the two times of a line from frames to seconds.
fn to_seconds(line: &mut Vec<u8>, grid: &FrameGrid) {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    let mut fields: Vec<_> = text.split(|b| *b == b'\t').map(<[u8]>::to_vec).collect();
    if let [_, _, f1, f2, ..] = fields.as_mut_slice()
        && let Some(first) = parse_integer::<u64>(f1)
    {
        let count: Option<u64> = parse_integer(f2);
        let segment = Segment {
            start: grid.time(first),
            end: count.map(|count| grid.time(first + count)),
            label: Box::default(),
        };
        [*f1, *f2] = in_seconds(&segment);
    }
    line.clear();
    print_line(fields.iter().map(Vec::as_slice), line);
}

/// Appends the line of an entry of a corpus.
fn print_entry(
    names: &mut Names,
    key: &Key,
    text: &[u8],
    meta: &Meta,
    out: &mut Vec<u8>,
) -> Result<()> {
    let text = transcription(text)?;
    let get = |key: &[u8]| meta.tags.iter().find(|tag| tag.key == key);
    let [f1, f2] = match TIMES.map(get) {
        [None, None] => [FROM, TO_THE_END],
        [Some(f1), Some(f2)] if (&f1.value[..], &f2.value[..]) != (FROM, TO_THE_END) => {
            [f1.value.as_slice(), &f2.value]
        }
        _ => {
            return Err(Error::unfit(
                "F1 and F2 stand together, and not for the whole file",
            ));
        }
    };
    let continuous = get(b"TIMEBASE").is_some_and(|tag| tag.value == b"CONTINUOUS");
    let base = TimeBase::of(continuous, meta).ok_or_else(|| Error::unfit("frames of no length"))?;
    base.stretch(f1, f2).map_err(Error::unfit)?;
    let fields = extra(&meta.tags, 1).map_err(Error::unfit)?;
    let file = get(FILE).map(|tag| tag.value.as_slice());
    let name = names.field(key, file).map_err(Error::unfit)?;
    let more = fields.into_iter().flatten();
    print_line([&name[..], &text, f1, f2].into_iter().chain(more), out);
    Ok(())
}

fn print_line<'a>(fields: impl Iterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    for (n, field) in fields.enumerate() {
        if n > 0 {
            out.push(b'\t');
        }
        out.extend_from_slice(field);
    }
    out.push(b'\n');
}
