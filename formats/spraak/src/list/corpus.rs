//! Reading of corpora: each entry is an utterance with text.

use spr_core::bytes::{Env, MemoryCounter, Source};
use spr_core::format::{KeyPredicate, Options, Reader};
use spr_core::model::{DatasetInfo, Decimal, FrameGrid, Key, KeySource, Meta, Tag, Utterance};
use spr_core::{Error, Result};

use super::head::{ListHead, ListKind};
use super::lines::Lines;
use super::names::Names;
use super::options::takes_all;
use super::tags::ExtraFields;
use super::time::{FROM, TO_THE_END, TimeBase};
use crate::contents::tag;
use crate::header::Header;

/// The tags with the two times, as written, of an entry that is not its whole file.
pub(crate) const TIMES: [&[u8]; 2] = [b"F1", b"F2"];

/// The tag with the file of an entry, if several entries share it.
pub(crate) const FILE: &[u8] = b"FILENAME";

/// The placeholder for an empty transcription.
pub(crate) const NOTHING: &[u8] = b"#";

/// An entry of a corpus.
#[derive(Default)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    /// The file, without root and suffix.
    pub(crate) file: Vec<u8>,
    /// The words, separated by blanks; empty if unknown.
    pub(crate) text: Vec<u8>,
    pub(crate) f1: Vec<u8>,
    pub(crate) f2: Vec<u8>,
    pub(crate) extra: Vec<Tag>,
}

/// A reader of entries.
pub(crate) struct CorpusReader {
    lines: Lines,
    pub(crate) head: ListHead,
    pub(crate) base: TimeBase,
    names: Names,
    /// The memory taken by the names so far.
    held: MemoryCounter,
    /// The requested keys, unless all are.
    wanted: Option<KeyPredicate>,
    /// The end of the previous entry in its file.
    end: Option<Decimal>,
    entry: Entry,
    done: bool,
    info: DatasetInfo,
}

impl CorpusReader {
    pub(crate) fn open(
        source: Source,
        header: &Header,
        options: &Options,
        wanted: Option<KeyPredicate>,
        env: &Env,
    ) -> Result<Self> {
        let head = ListHead::of(header, ListKind::Corpus)?;
        let base = TimeBase::of(head.continuous, &head.meta)
            .ok_or_else(|| header.error(header.end, "FSHIFT is not above 0"))?;
        let mut info = DatasetInfo::new(KeySource::Stored);
        let all = takes_all(options)?;
        info.utterances = head.lines.filter(|_| wanted.is_none() && all != Some(true));
        info.compression = source.compression();
        info.frame_shift = head.meta.frame_shift;
        Ok(Self {
            lines: Lines::new(source, header, head.lines, all, env),
            head,
            base,
            names: Names::default(),
            held: MemoryCounter::new("the names of a list"),
            wanted,
            end: None,
            entry: Entry::default(),
            done: false,
            info,
        })
    }

    /// Reads the next entry.
    pub(crate) fn next(&mut self, entry: &mut Entry) -> Result<bool> {
        if self.done {
            return Ok(false);
        }
        let result = self.read_entry(entry);
        self.done = !matches!(result, Ok(true));
        result
    }

    fn read_entry(&mut self, entry: &mut Entry) -> Result<bool> {
        let (mut fields, same) = loop {
            if !self.lines.next()? {
                return Ok(false);
            }
            let mut fields = self.lines.fields();
            let name = fields.next().unwrap_or_default();
            let bytes = size_of::<(Vec<u8>, u64)>() + name.len();
            self.lines.hold(&mut self.held, bytes)?;
            let (file, key) = self.names.key(name).ok_or_else(|| {
                let message = "'-' stands for the file of the line before, and there is none";
                self.lines.error(message)
            })?;
            if self.wanted.as_ref().is_none_or(|wanted| wanted(&key)) {
                let same = entry.file == file;
                (entry.file, entry.key) = (file.to_vec(), key);
                break (fields, same);
            }
            // Neither its end nor an overlap with the next entry is checked.
            entry.file.clear();
        };
        entry.text = match fields.next() {
            None | Some(NOTHING) => Vec::new(),
            Some(text) => text
                .iter()
                .map(|b| if *b == b'_' { b' ' } else { *b })
                .collect(),
        };
        let (f1, f2) = (fields.next(), fields.next());
        entry.f1 = f1.unwrap_or(FROM).to_vec();
        entry.f2 = f2.unwrap_or(TO_THE_END).to_vec();
        let short = f2.is_none();
        let mut extra = ExtraFields::default();
        let place = |what: String| self.lines.error(what).utterance(&entry.key);
        extra.add(fields).map_err(place)?;
        entry.extra = extra.into_tags().collect();
        let stretch = self.base.stretch(&entry.f1, &entry.f2).map_err(place)?;
        if short {
            self.lines
                .warn("a line without F1 and F2 is taken to be all of the file");
        }
        if same && self.end.is_none_or(|end| end > stretch.start) {
            self.lines.warn(self.base.overlap());
        }
        self.end = stretch.end;
        Ok(true)
    }
}

impl Reader for CorpusReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let mut entry = std::mem::take(&mut self.entry);
        let more = self.next(&mut entry)?;
        if more {
            utt.start();
            utt.origin = self.lines.origin();
            utt.key.clone_from(&entry.key);
            utt.text = Some(std::mem::take(&mut entry.text));
            utt.meta.clone_from(&self.head.meta);
            if entry.key.as_bytes() != entry.file {
                utt.meta.tags.push(tag(FILE, &entry.file));
            }
            let [f1, f2] = TIMES;
            if (entry.f1.as_slice(), entry.f2.as_slice()) != (FROM, TO_THE_END) {
                utt.meta.tags.push(tag(f1, &entry.f1));
                utt.meta.tags.push(tag(f2, &entry.f2));
            }
            utt.meta.tags.append(&mut entry.extra);
        }
        self.entry = entry;
        Ok(more)
    }
}

impl TimeBase {
    /// Returns the time base of a list, or `None` if the length of its frames is unknown.
    pub(crate) fn of(continuous: bool, meta: &Meta) -> Option<Self> {
        match (continuous, meta.frame_shift) {
            (true, _) => Some(Self::Continuous),
            (false, None) => Some(Self::Discrete(FrameGrid::usual())),
            (false, Some(_)) => FrameGrid::of(meta).map(Self::Discrete),
        }
    }

    /// Returns the message about overlapping entries of one file.
    pub(crate) fn overlap(&self) -> &'static str {
        match self {
            Self::Continuous => "starts before the entry before it ends",
            Self::Discrete(_) => {
                "starts before the entry before it ends; the second number is taken to be a \
                 number of frames, not the last frame"
            }
        }
    }
}

/// Returns the transcription of a text, or the reason why there is none.
pub(crate) fn transcription(text: &[u8]) -> Result<Vec<u8>, Error> {
    let refuse = |why: &str| Err(Error::unfit(format!("a corpus can't hold the text: {why}")));
    if text.is_empty() {
        return Ok(NOTHING.to_vec());
    }
    if text == NOTHING {
        return refuse("# stands for silence there");
    }
    if text.contains(&b'_') {
        return refuse("it has a '_', which stands for a blank there");
    }
    if text.iter().any(|b| *b != b' ' && super::lines::is_blank(b)) {
        return refuse("it has white space that is not a blank");
    }
    Ok(text
        .iter()
        .map(|b| if *b == b' ' { b'_' } else { *b })
        .collect())
}
