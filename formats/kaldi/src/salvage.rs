//! Damaged archives: intact entries are read, each damaged section is an error.
//!
//! An entry counts as intact if another one, or the end, follows it. After damage the next one is
//! searched by the mark of binary objects, or by lines if the archive is text.

use std::sync::Arc;

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::{Options, Reader};
use spr_core::model::{DatasetInfo, Key, KeySource, Position, Utterance, is_word_byte};
use spr_core::{Error, ErrorKind, Result};

use crate::archive::{HEAD, read_key};
use crate::choice::Content;
use crate::key_patterns::KeyPatterns;
use crate::kind::ObjectKind;
use crate::number::is_space;
use crate::object::ObjectReader;
use crate::recognise;
use crate::sample::{Entries, EntriesAhead, sample};

/// The number of bytes before an object in which a key is searched.
const REACH: usize = 256;
/// The number of bytes searched at a time.
const WINDOW: usize = 64 << 10;

pub(crate) struct SalvageReader {
    source: Source,
    /// The name of the source for the origin of utterances, and whether it is an uncompressed file.
    file: Arc<str>,
    plain: bool,
    objects: ObjectReader,
    /// A candidate for an entry, without its values.
    tried: Utterance,
    info: DatasetInfo,
    /// The mark before objects, in a binary archive.
    mark: Option<&'static [u8]>,
    keys: KeyPatterns,
    /// The expected position of the next entry.
    at: u64,
    /// The length of the shortest entry, and the group of the last one.
    least: u64,
    held: Option<&'static str>,
    /// The reason for the end of the archive, reported at its end.
    failure: Option<Error>,
    /// The first entries, if they were read on opening.
    waiting: EntriesAhead,
    ended: bool,
}

/// An entry that was found after damage.
struct FoundEntry {
    start: u64,
    key: Key,
}

impl SalvageReader {
    /// Reads from `source`, which is copied to a temporary file if it is not seekable.
    pub(crate) fn new(
        source: Source,
        options: &Options,
        content: Content,
        env: &Env,
    ) -> Result<Self> {
        let plain = source.is_plain_file();
        let (mut source, failure) = source.into_salvage()?;
        let mut objects = ObjectReader::new(options, content, env)?;
        let start = source.offset();
        let mark = match mark(source.peek(HEAD)?) {
            None => far_mark(&mut source)?,
            near => near,
        };
        let mut info = objects.look_ahead(&mut source, false, KeySource::Stored)?;
        source.seek(start)?;
        info.byte_order = mark.map(|_| ByteOrder::Little);
        let mut reader = Self {
            waiting: EntriesAhead::new(),
            at: start,
            file: source.name().into(),
            plain,
            source,
            objects,
            tried: Utterance::default(),
            info,
            mark,
            keys: KeyPatterns::default(),
            least: u64::MAX,
            held: None,
            failure,
            ended: false,
        };
        if reader.objects.is_open() {
            reader.waiting = sample(&mut reader);
            reader.held = reader.objects.found().group();
        }
        Ok(reader)
    }

    fn read_next(&mut self, utt: &mut Utterance) -> Result<bool> {
        self.source.seek(self.at)?;
        let blank = |source: &mut Source| Ok::<_, Error>(source.peek(1)?.first().copied());
        while blank(&mut self.source)?.is_some_and(is_space) {
            self.source.skip(1)?;
        }
        let start = self.source.offset();
        let object = match read_key(&mut self.source, &mut utt.key) {
            Ok(false) if self.source.at_end()? => {
                return self.failure.take().map_or(Ok(false), Err);
            }
            Ok(true) if self.is_foreign(&utt.key)? => Err(self
                .source
                .malformed("expected a binary object, found text")),
            Ok(true) => Ok(self.source.offset()),
            Ok(false) => Err(self.source.malformed("expected a key, found none")),
            Err(error) => Err(error),
        };
        let damage = match object {
            Err(error) => (error, start),
            Ok(object) => match self.objects.read(&mut self.source, utt, false) {
                Ok(kind) if self.swallows(kind, object)? => {
                    let message = "it is not a known object, and other entries begin within it";
                    (Error::malformed(message).byte(object), object)
                }
                Ok(kind) => match self.is_whole(start, object, utt)? {
                    None => {
                        self.held = Some(kind.group());
                        utt.origin.file = Some(self.file.clone());
                        utt.origin.at = self.plain.then_some(Position::Byte(object));
                        return Ok(true);
                    }
                    Some(damage) => (damage, object),
                },
                Err(error) if error.can_continue() => {
                    self.at = self.source.offset();
                    return Err(self.place(error, start, &utt.key));
                }
                Err(error) => (error, object),
            },
        };
        let (error, from) = damage;
        if error.kind() == ErrorKind::Io {
            return Err(self.place(error, start, &utt.key));
        }
        let found = self.find(from)?;
        self.at = found.as_ref().map_or(self.end()?, |found| found.start);
        let lost = self.at.saturating_sub(start);
        let next = match &found {
            Some(found) => format!("the next intact entry is {}", found.key),
            None => "no intact entry follows".to_owned(),
        };
        let at = error.byte_offset().unwrap_or(start);
        let message = format!("{}; {next}, after {lost} bytes", error.message());
        let error = Error::new(error.kind(), message).byte(at).continuable();
        Err(self.place(error, start, &utt.key))
    }

    /// Returns `true` if this is text, with an unusual key, in a binary archive.
    fn is_foreign(&mut self, key: &Key) -> Result<bool> {
        let doubted = self.keys.is_settled() && !self.keys.is_alike(key.as_bytes());
        Ok(doubted && !self.is_marked()?)
    }

    /// Returns `false` for text in a binary archive.
    fn is_marked(&mut self) -> Result<bool> {
        let Some(mark) = self.mark else {
            return Ok(true);
        };
        Ok(self.source.peek(mark.len())?.starts_with(mark))
    }

    /// Returns `true` if the object that was just read was taken for one that ends with the archive, as nothing
    /// tells its end, and there are other entries in it.
    fn swallows(&mut self, kind: ObjectKind, object: u64) -> Result<bool> {
        let end = self.source.offset();
        if kind != ObjectKind::Opaque("tokens-object") || end < self.end()? {
            return Ok(false);
        }
        let found = self.find(object)?;
        self.source.seek(end)?;
        Ok(found.is_some())
    }

    /// Returns an error unless the entry that was just read is intact.
    fn is_whole(&mut self, start: u64, object: u64, utt: &Utterance) -> Result<Option<Error>> {
        let end = self.source.offset();
        let shifted = self.is_shifted(object, end)?;
        self.source.seek(end)?;
        if shifted || (!self.follows()? && !self.tries(end)?) {
            let found = self.find(object)?;
            let next = found.map_or(self.end()?, |found| found.start);
            let gap = next.saturating_sub(end);
            // Either the length of this entry is wrong, or the next one is damaged.
            let own =
                shifted || next < end || gap < self.least || rows(utt).any(|row| gap % row == 0);
            if own && !self.nameless(end, next)? {
                let message = "no entry begins where this one ends by its sizes";
                let error = Error::malformed(message).byte(start);
                return Ok(Some(error));
            }
        }
        self.at = end;
        self.least = self.least.min(end - start);
        self.keys.learn(utt.key.as_bytes());
        Ok(None)
    }

    /// Returns `true` if the key at `end` is implausible, but would be plausible with bytes before
    /// it that this entry consumed, or without its first bytes, which would belong to this entry.
    fn is_shifted(&mut self, object: u64, end: u64) -> Result<bool> {
        if self.mark.is_none() || !self.keys.is_settled() {
            return Ok(false);
        }
        let Some(key) = self.key_here()? else {
            return Ok(false);
        };
        if self.keys.is_alike(&key) {
            return Ok(false);
        }
        let shorter = (1..key.len()).filter_map(|i| key.split_at_checked(i));
        let alike = shorter.filter(|(_, key)| self.keys.is_alike(key));
        for (start, shorter) in alike.collect::<Vec<_>>() {
            // Letters before it may belong to the key, unless they break the order of the others.
            let behind = if self.tries(end)? {
                self.key_here()?
            } else {
                None
            };
            let likelier = self.keys.fits_better(shorter, &key, behind.as_deref());
            if likelier || std::str::from_utf8(start).is_err() {
                return Ok(true);
            }
        }
        let from = end.saturating_sub(REACH as u64).max(object);
        self.source.seek(from)?;
        let taken = usize::try_from(end - from).unwrap_or(0);
        let bytes = self.source.peek(taken + key.len())?;
        let longer = (0..taken).rev().filter_map(|i| bytes.get(i..));
        let mut longer = longer.take_while(|key| is_word_byte(key[0]));
        Ok(longer.any(|key| self.keys.is_alike(key)))
    }

    /// Returns `true` if an entry starts here, or nothing is left.
    fn follows(&mut self) -> Result<bool> {
        let head = self.source.peek(2 * REACH)?;
        let cut = head.len() < 2 * REACH;
        let blanks = head.iter().take_while(|b| is_space(**b)).count();
        let head = head.get(blanks..).unwrap_or_default();
        let end = head.iter().position(|b| is_space(*b));
        let key = head.get(..end.unwrap_or(head.len())).unwrap_or_default();
        if key.is_empty() {
            return Ok(cut || blanks > 0);
        }
        if !key.iter().all(|b| is_word_byte(*b)) {
            return Ok(false);
        }
        let Some(end) = end else {
            return Ok(cut && key.is_ascii());
        };
        Ok(match head.get(end..).unwrap_or_default() {
            [b' ' | b'\t', 0, b'B', ..] => true,
            [b' ' | b'\t', value @ ..] if recognise::unmarked(value).is_some() => true,
            _ => self.mark.is_none() || self.keys.is_alike(key),
        })
    }

    /// Returns `true` if an entry with a damaged key but an intact object is at `at`, before the
    /// `next` one.
    fn nameless(&mut self, at: u64, next: u64) -> Result<bool> {
        let Some(mark) = self.mark else {
            return Ok(false);
        };
        self.source.seek(at)?;
        let head = self.source.peek(REACH)?;
        let Some(mark) = (1..head.len()).find(|i| head[*i..].starts_with(mark)) else {
            return Ok(false);
        };
        let object = at + mark as u64;
        self.source.seek(object)?;
        Ok(object < next && self.reads()? && self.follows()?)
    }

    /// Returns `true` if an intact entry is at `at`.
    fn tries(&mut self, at: u64) -> Result<bool> {
        self.source.seek(at)?;
        let mut key = std::mem::take(&mut self.tried.key);
        let named = read_key(&mut self.source, &mut key);
        let foreign = matches!(named, Ok(true)) && self.is_foreign(&key)?;
        self.tried.key = key;
        Ok(matches!(named, Ok(true)) && !foreign && self.reads()?)
    }

    /// Returns `true` if an intact object of the archive's kind is here.
    fn reads(&mut self) -> Result<bool> {
        let marked = self.is_marked()?;
        let mut objects = self.objects.without_values();
        match objects.read(&mut self.source, &mut self.tried, false) {
            Ok(kind) => Ok(self.held.is_none_or(|held| held == kind.group())),
            Err(error) if error.kind() == ErrorKind::Io => Err(error),
            Err(error) => Ok(marked && error.can_continue() && self.held.is_none()),
        }
    }

    /// Returns the first intact entry whose object is after `from`.
    fn find(&mut self, from: u64) -> Result<Option<FoundEntry>> {
        match self.mark {
            Some(mark) => self.find_mark(from, mark),
            None => self.find_line(from),
        }
    }

    fn find_mark(&mut self, from: u64, mark: &'static [u8]) -> Result<Option<FoundEntry>> {
        let mut from = from + 1;
        while let Some(at) = search(&mut self.source, from, mark)? {
            from = at + 1;
            let word = word_before(&mut self.source, at)?;
            self.source.seek(at)?;
            if word.is_empty() || !self.reads()? {
                continue;
            }
            let end = self.source.offset();
            let whole = self.follows()?;
            let behind = self.key_here()?;
            let Some(key) = self.keys.choose(&word, behind.as_deref()) else {
                if whole {
                    from = end;
                }
                continue;
            };
            let start = at - 1 - key.len() as u64;
            let key = Key::from(key);
            return Ok(Some(FoundEntry { start, key }));
        }
        Ok(None)
    }

    /// Returns the word here, if an entry follows another.
    fn key_here(&mut self) -> Result<Option<Vec<u8>>> {
        let head = self.source.peek(REACH)?;
        let word = head.iter().take_while(|b| is_word_byte(**b)).count();
        let marked = matches!(head.get(word..), Some([b' ' | b'\t', 0, b'B', ..]));
        Ok((marked && word > 0).then(|| head[..word].to_vec()))
    }

    fn find_line(&mut self, from: u64) -> Result<Option<FoundEntry>> {
        let mut from = from;
        while let Some(at) = search(&mut self.source, from, b"\n")? {
            from = at + 1;
            self.source.seek(from)?;
            if self.source.peek(1)?.iter().any(|b| is_word_byte(*b)) && self.tries(from)? {
                let key = self.tried.key.clone();
                return Ok(Some(FoundEntry { start: from, key }));
            }
        }
        Ok(None)
    }

    fn end(&self) -> Result<u64> {
        let unknown = || self.source.error(ErrorKind::Io, "its length is not known");
        self.source.len().ok_or_else(unknown)
    }

    fn place(&self, error: Error, start: u64, key: &Key) -> Error {
        let error = error.file(self.source.name()).byte(start);
        match key.check_word() {
            Ok(()) => error.utterance(key),
            Err(_) => error,
        }
    }
}

impl Reader for SalvageReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        match self.waiting.pop_front() {
            Some((first, read)) => {
                *utt = first;
                read
            }
            None => self.next(utt),
        }
    }
}

impl Entries for SalvageReader {
    fn objects(&mut self) -> &mut ObjectReader {
        &mut self.objects
    }

    fn next(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let result = self.read_next(utt);
        self.ended = match &result {
            Ok(more) => !more,
            Err(error) => !error.can_continue(),
        };
        if self.ended {
            self.objects.end();
        }
        result
    }
}

/// The marks before objects that are no text.
const MARKS: [&[u8]; 3] = [b"\0B", b"RIFF", recognise::FST];

/// Returns the mark before the first objects of an archive, or `None` if it is text.
fn mark(head: &[u8]) -> Option<&'static [u8]> {
    let stands = |mark: &&&[u8]| {
        let mut pairs = head.windows(mark.len() + 1);
        pairs.any(|w| matches!(w, [b' ' | b'\t', rest @ ..] if rest == **mark))
    };
    MARKS.iter().find(stands).copied()
}

/// Returns the first mark behind a key in an archive whose first entries are damaged, and leaves the source at that
/// key. Text has no zero bytes: where there are none it stays where it is.
fn far_mark(source: &mut Source) -> Result<Option<&'static [u8]>> {
    let start = source.offset();
    let mut first: Option<(u64, &'static [u8])> = None;
    if source.peek(HEAD)?.contains(&0) {
        for mark in MARKS {
            let mut from = start;
            while let Some(at) = search(source, from, mark)? {
                from = at + 1;
                let word = word_before(source, at)?;
                if !word.is_empty() {
                    let key = at - 1 - word.len() as u64;
                    first = first
                        .filter(|(other, _)| *other < key)
                        .or(Some((key, mark)));
                    break;
                }
            }
        }
    }
    source.seek(first.map_or(start, |(key, _)| key))?;
    Ok(first.map(|(_, mark)| mark))
}

/// Returns the word that a blank parts from `at`, or nothing if there is none.
fn word_before(source: &mut Source, at: u64) -> Result<Vec<u8>> {
    let reach = at.saturating_sub(REACH as u64);
    source.seek(reach)?;
    let before = source.peek(usize::try_from(at - reach).unwrap_or(0))?;
    let Some((b' ' | b'\t', before)) = before.split_last() else {
        return Ok(Vec::new());
    };
    let word = before.iter().rev().take_while(|b| is_word_byte(**b));
    Ok(before[before.len() - word.count()..].to_vec())
}

/// Returns the next position of `bytes` from `from` on.
fn search(source: &mut Source, from: u64, bytes: &[u8]) -> Result<Option<u64>> {
    if source.len().is_some_and(|len| from >= len) {
        return Ok(None);
    }
    source.seek(from)?;
    loop {
        let at = source.offset();
        let window = source.peek(WINDOW)?;
        if let Some(found) = window.windows(bytes.len()).position(|w| w == bytes) {
            return Ok(Some(at + found as u64));
        }
        if window.len() < WINDOW {
            return Ok(None);
        }
        let step = window.len() - (bytes.len() - 1);
        source.skip(step as u64)?;
    }
}

/// Returns the numbers of bytes by which the entry of `utt` changes with another row or column.
fn rows(utt: &Utterance) -> impl Iterator<Item = u64> {
    let features = utt.features.iter().flat_map(|m| {
        let size = m.dtype().size();
        [m.rows() * size, m.cols() * size]
    });
    let labels = utt.labels.iter().map(|_| 5);
    features
        .chain(labels)
        .filter(|row| *row > 0)
        .map(|row| row as u64)
}
