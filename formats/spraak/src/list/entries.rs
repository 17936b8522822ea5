//! The lines of a list for each utterance, and its header.

use spr_core::bytes::{Env, MemoryCounter};
use spr_core::format::{Caps, Medium, Options};
use spr_core::model::{Key, Meta, Tag, Utterance};
use spr_core::{Error, Limits, Result};

use super::caps;
use super::corpus::{FILE, TIMES, transcription};
use super::head::check_tag;
use super::lines::print_line;
use super::names::Names;
use super::segments::{SegmentLines, Segments};
use super::tags::write_line;
use super::tags::{extra, is_field};
use super::time::{FROM, TO_THE_END, TimeBase};
use crate::header::shown;
use crate::vocabulary::{Dialect, UNNAMED, is_own};

/// The entries of one list.
pub(super) struct Entries {
    caps: Caps,
    dialect: Dialect,
    sort: ListSort,
    /// The header, taken from the first entry.
    head: Option<Meta>,
    /// The last lines.
    lines: Vec<u8>,
    /// The memory taken by the written names.
    names: MemoryCounter,
    limits: Limits,
}

/// Formatted lines of an utterance.
pub(crate) struct EntryLines {
    key: Key,
    /// The shared file, if it is one of several entries of a file.
    file: Option<Vec<u8>>,
    head: Meta,
    pub(super) lines: u64,
    framed: bool,
}

pub(super) enum ListSort {
    Segments(Segments),
    Corpus(Names),
}

impl ListSort {
    /// Creates the list set by the options, or returns `None` if they set another kind of output.
    ///
    /// # Errors
    /// The value of an option is invalid.
    pub(super) fn of(options: &Options, env: &Env) -> Result<Option<Self>> {
        Ok(match options.get("data") {
            Some("SEG") => Some(Self::Segments(Segments::of(options, env)?)),
            Some("CORPUS") => Some(Self::Corpus(Names::default())),
            _ => None,
        })
    }

    /// Returns an empty list with the same settings.
    pub(super) fn another(&self) -> Self {
        match self {
            Self::Segments(segments) => Self::Segments(segments.another()),
            Self::Corpus(_) => Self::Corpus(Names::default()),
        }
    }

    /// Returns the capabilities of such an output.
    pub(super) fn caps(&self, medium: Medium) -> Caps {
        match self {
            Self::Segments(_) => caps::segments(medium),
            Self::Corpus(_) => caps::corpus(medium),
        }
    }

    /// Returns the kind of data.
    fn data(&self) -> &'static [u8] {
        match self {
            Self::Segments(_) => b"SEG",
            Self::Corpus(_) => b"CORPUS",
        }
    }
}

impl Entries {
    /// Creates the entries of an empty list.
    pub(super) fn new(dialect: Dialect, sort: ListSort, limits: Limits) -> Self {
        Self {
            caps: sort.caps(Medium::File),
            dialect,
            sort,
            head: None,
            lines: Vec::new(),
            names: MemoryCounter::new("the names of a list"),
            limits,
        }
    }

    /// Returns empty entries of the same sort.
    pub(super) fn another(&self) -> Self {
        Self::new(self.dialect, self.sort.another(), self.limits)
    }

    pub(super) fn caps(&self) -> &Caps {
        &self.caps
    }

    /// Returns the part of the header about frames and all entries.
    pub(super) fn head(&self) -> Option<&Meta> {
        self.head.as_ref()
    }

    /// Returns `true` if all times are multiples of frames and are to be written as such.
    pub(super) fn are_framed(&self) -> bool {
        matches!(&self.sort, ListSort::Segments(segments) if segments.framed)
    }

    /// Checks that an utterance can be added.
    pub(super) fn accept(&mut self, utt: &Utterance) -> Result<()> {
        let ready = self.prepare(utt);
        ready.map_err(|e| e.utterance(&utt.key).continuable())?;
        Ok(())
    }

    /// Formats the lines of an utterance, or fails if they cannot represent it.
    pub(super) fn prepare(&mut self, utt: &Utterance) -> Result<EntryLines> {
        self.caps.check(utt)?;
        let mut head = utt.meta.clone();
        head.tags.retain(|tag| !self.is_of_entry(&tag.key));
        if self.head.as_ref().is_some_and(|first| *first != head) {
            let message = "other header lines or frame times than those before; a list has one \
                           header";
            return Err(Error::unfit(message));
        }
        let (dialect, data) = (self.dialect, self.sort.data());
        let segmented = matches!(self.sort, ListSort::Segments(_));
        let own = |key: &[u8]| {
            let standard = Dialect::standard(data, key).filter(|_| dialect == Dialect::Key);
            is_own(standard.map_or(key, str::as_bytes), false) || segmented && key == b"TIMEBASE"
        };
        head.tags.iter().try_for_each(|tag| check_tag(tag, own))?;
        // Checks the header before anything is written.
        header_lines(dialect, data, &head.tags, &mut Vec::new())?;
        self.lines.clear();
        let out = &mut self.lines;
        let file = utt.meta.tags.iter().find(|tag| tag.key == FILE);
        let file = file.map(|tag| tag.value.as_slice());
        let printed = match &self.sort {
            ListSort::Segments(segments) => segments.print(utt, out)?,
            ListSort::Corpus(names) => {
                let text = utt.text.as_ref();
                let text = text.ok_or_else(|| Error::unfit("has no text"))?;
                let name = names.field(&utt.key, file).map_err(Error::unfit)?;
                print_entry(&name, text, &utt.meta, out)?;
                SegmentLines {
                    lines: 1,
                    framed: false,
                }
            }
        };
        Ok(EntryLines {
            key: utt.key.clone(),
            file: file.map(<[u8]>::to_vec),
            head,
            lines: printed.lines,
            framed: printed.framed,
        })
    }

    /// Formats the line of an utterance in a separate file, whose header has the other tags.
    pub(super) fn prepare_beside(&mut self, utt: &Utterance) -> Result<EntryLines> {
        let tags = utt.meta.tags.iter().filter(|tag| is_field(&tag.key));
        let line = Utterance {
            key: utt.key.clone(),
            text: Some(utt.text.clone().unwrap_or_default()),
            meta: Meta {
                tags: tags.cloned().collect(),
                ..Meta::default()
            },
            ..Utterance::default()
        };
        self.prepare(&line)
    }

    /// Adds formatted lines, and returns them.
    pub(super) fn add(&mut self, ready: EntryLines) -> Result<&[u8]> {
        let kept = size_of::<Key>() + ready.key.as_bytes().len();
        self.names.keep(kept, &self.limits)?;
        match &mut self.sort {
            ListSort::Segments(segments) => segments.add(&ready.key, ready.framed),
            ListSort::Corpus(names) => names.add(&ready.key, ready.file.as_deref()),
        }
        self.head.get_or_insert(ready.head);
        Ok(&self.lines)
    }

    fn is_of_entry(&self, key: &[u8]) -> bool {
        is_field(key)
            || matches!(self.sort, ListSort::Corpus(_)) && (key == FILE || TIMES.contains(&key))
    }

    /// Returns the header of a list with `lines` lines about `utterances` utterances.
    pub(super) fn header(&self, lines: u64, utterances: u64) -> Result<Vec<u8>> {
        let head = self.head.clone().unwrap_or_default();
        header(self.dialect, &self.sort, &head, lines, utterances)
    }
}

/// Formats the whole header.
fn header(
    dialect: Dialect,
    sort: &ListSort,
    head: &Meta,
    lines: u64,
    entries: u64,
) -> Result<Vec<u8>> {
    let data = sort.data();
    let has = |key: &[u8]| head.tags.iter().any(|tag| tag.key == key);
    // In a key header the key with the name of a corpus implies its kind.
    let by_name =
        dialect == Dialect::Key && matches!(sort, ListSort::Corpus(_)) && !has(b"DICTIONARY");
    let mut out = [dialect.magic(), b"\n"].concat();
    let mut put = |key: &str, value: &str| {
        write_line(dialect, data, key.as_bytes(), value.as_bytes(), &mut out)
    };
    if !by_name {
        put("DATA", &String::from_utf8_lossy(data))?;
    } else if !has(b"CORPUS") {
        put("CORPUS", &String::from_utf8_lossy(UNNAMED))?;
    }
    if dialect == Dialect::Spr {
        put("LAYOUT", "LIST")?;
    }
    put("TYPE", "STRING")?;
    if dialect == Dialect::Spr {
        put("FORMAT", "ASCII")?;
    }
    put("DIM1", &lines.to_string())?;
    if let ListSort::Segments(_) = sort {
        put("DIM2", &entries.to_string())?;
    }
    for (key, time) in [("FSHIFT", head.frame_shift), ("FOFFSET", head.frame_offset)] {
        if let Some(time) = time {
            put(key, &time.to_string())?;
        }
    }
    if let ListSort::Segments(segments) = sort {
        match segments.framed {
            false => put("TIMEBASE", "CONTINUOUS")?,
            // A key header has no such line; frames are its default.
            true if dialect == Dialect::Spr => put("TIMEBASE", "DISCRETE")?,
            true => {}
        }
    }
    header_lines(dialect, data, &head.tags, &mut out)?;
    out.extend_from_slice(b"#\n");
    Ok(out)
}

/// Appends the lines of tags.
fn header_lines(dialect: Dialect, data: &[u8], tags: &[Tag], out: &mut Vec<u8>) -> Result<()> {
    let mut keys: Vec<_> = tags.iter().map(|tag| &tag.key).collect();
    keys.sort_unstable();
    if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
        let message = format!("has the header line {} twice", shown(pair[0]));
        return Err(Error::unfit(message));
    }
    tags.iter()
        .try_for_each(|tag| write_line(dialect, data, &tag.key, &tag.value, out))
}

/// Appends the line of a corpus entry, whose first field is `name`.
fn print_entry(name: &[u8], text: &[u8], meta: &Meta, out: &mut Vec<u8>) -> Result<()> {
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
    let more = fields.into_iter().flatten();
    print_line([name, &text, f1, f2].into_iter().chain(more), out);
    Ok(())
}
