//! Archives that are damaged: what is whole in them is read, each damaged stretch is an error.
//!
//! An entry counts as whole if another, or the end, follows it. After damage the next one is looked
//! for by the mark of binary objects, or by line where the archive is text.

use std::sync::Arc;

use spr_core::bytes::{ByteOrder, Env, Source};
use spr_core::format::{Options, Reader};
use spr_core::model::{DatasetInfo, Key, KeySource, Position, Utterance, is_word_byte};
use spr_core::{Error, ErrorKind, Result};

use crate::archive::{HEAD, read_key};
use crate::choice::Content;
use crate::key_patterns::KeyPatterns;
use crate::number::is_space;
use crate::object::ObjectReader;
use crate::recognise;
use crate::sample::{Entries, Waiting, sample};

/// Bytes in which a key is looked for before an object.
const REACH: usize = 256;
/// Bytes searched at a time.
const WINDOW: usize = 64 << 10;

pub(crate) struct SalvageReader {
    source: Source,
    /// The name of the source, for the origin of utterances, and whether it is a file as it is.
    file: Arc<str>,
    plain: bool,
    objects: ObjectReader,
    /// What may be an entry, without its values.
    tried: Utterance,
    info: DatasetInfo,
    /// What stands before the objects' bytes, in an archive that is not text.
    mark: Option<&'static [u8]>,
    keys: KeyPatterns,
    /// Where the next entry is to start.
    at: u64,
    /// Bytes of the shortest entry, and what the last one held.
    least: u64,
    held: Option<&'static str>,
    /// Why the archive breaks off, told at its end.
    failure: Option<Error>,
    /// The first entries, if they were read at opening.
    waiting: Waiting,
    ended: bool,
}

/// An entry that was found behind damage.
struct Found {
    start: u64,
    key: Key,
}

impl SalvageReader {
    /// Reads from `source`, copied to a temporary file if it can't be gone back in.
    pub(crate) fn new(
        source: Source,
        options: &Options,
        content: Content,
        env: &Env,
    ) -> Result<Self> {
        let plain = source.is_plain_file();
        let (mut source, failure) = source.into_salvage()?;
        let mut objects = ObjectReader::new(options, content, env)?;
        let mut info = objects.look_ahead(&mut source, false, KeySource::Stored)?;
        let mark = mark(source.peek(HEAD)?);
        info.byte_order = mark.map(|_| ByteOrder::Little);
        let mut reader = Self {
            waiting: Waiting::new(),
            at: source.offset(),
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

    /// Whether what stands here is text, behind a key unlike the others, in an archive that is not.
    fn is_foreign(&mut self, key: &Key) -> Result<bool> {
        let Some(mark) = self.mark.filter(|_| self.keys.is_settled()) else {
            return Ok(false);
        };
        let text = !self.source.peek(mark.len())?.starts_with(mark);
        Ok(text && !self.keys.is_alike(key.as_bytes()))
    }

    /// Whether the entry that was just read is whole; else what is wrong with it.
    fn is_whole(&mut self, start: u64, object: u64, utt: &Utterance) -> Result<Option<Error>> {
        let end = self.source.offset();
        let shifted = self.is_shifted(object, end)?;
        self.source.seek(end)?;
        if shifted || (!self.follows()? && !self.tries(end)?) {
            let found = self.find(object)?;
            let next = found.map_or(self.end()?, |found| found.start);
            let gap = next.saturating_sub(end);
            // Either this entry is shorter or longer than its sizes say, or the next is damaged.
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

    /// Whether the key at `end` is not a likely one, but would be with bytes before it that this
    /// entry took, or without bytes at its start that are this entry's.
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

    /// Whether the bytes here begin an entry, or nothing is left.
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

    /// Whether an entry whose key is damaged, but whose object is whole, stands at `at`, before the
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

    /// Whether a whole entry stands at `at`.
    fn tries(&mut self, at: u64) -> Result<bool> {
        self.source.seek(at)?;
        let mut key = std::mem::take(&mut self.tried.key);
        let named = read_key(&mut self.source, &mut key);
        let foreign = matches!(named, Ok(true)) && self.is_foreign(&key)?;
        self.tried.key = key;
        Ok(matches!(named, Ok(true)) && !foreign && self.reads()?)
    }

    /// Whether a whole object of the archive's kind stands here.
    fn reads(&mut self) -> Result<bool> {
        let mut objects = self.objects.without_values();
        match objects.read(&mut self.source, &mut self.tried, false) {
            Ok(kind) => Ok(self.held.is_none_or(|held| held == kind.group())),
            Err(error) if error.kind() == ErrorKind::Io => Err(error),
            Err(error) => Ok(error.can_continue() && self.held.is_none()),
        }
    }

    /// The first whole entry whose object stands behind `from`.
    fn find(&mut self, from: u64) -> Result<Option<Found>> {
        match self.mark {
            Some(mark) => self.find_mark(from, mark),
            None => self.find_line(from),
        }
    }

    fn find_mark(&mut self, from: u64, mark: &'static [u8]) -> Result<Option<Found>> {
        let mut from = from + 1;
        while let Some(at) = self.search(from, mark)? {
            from = at + 1;
            let reach = at.saturating_sub(REACH as u64);
            self.source.seek(reach)?;
            let before = self.source.peek(usize::try_from(at - reach).unwrap_or(0))?;
            let Some((b' ' | b'\t', before)) = before.split_last() else {
                continue;
            };
            let word = before.iter().rev().take_while(|b| is_word_byte(**b));
            let word = before[before.len() - word.count()..].to_vec();
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
            return Ok(Some(Found { start, key }));
        }
        Ok(None)
    }

    /// The word here, where an entry follows another.
    fn key_here(&mut self) -> Result<Option<Vec<u8>>> {
        let head = self.source.peek(REACH)?;
        let word = head.iter().take_while(|b| is_word_byte(**b)).count();
        let marked = matches!(head.get(word..), Some([b' ' | b'\t', 0, b'B', ..]));
        Ok((marked && word > 0).then(|| head[..word].to_vec()))
    }

    fn find_line(&mut self, from: u64) -> Result<Option<Found>> {
        let mut from = from;
        while let Some(at) = self.search(from, b"\n")? {
            from = at + 1;
            self.source.seek(from)?;
            if self.source.peek(1)?.iter().any(|b| is_word_byte(*b)) && self.tries(from)? {
                let key = self.tried.key.clone();
                return Ok(Some(Found { start: from, key }));
            }
        }
        Ok(None)
    }

    /// Where `bytes` stand next, from `from` on.
    fn search(&mut self, from: u64, bytes: &[u8]) -> Result<Option<u64>> {
        if from >= self.end()? {
            return Ok(None);
        }
        self.source.seek(from)?;
        loop {
            let at = self.source.offset();
            let window = self.source.peek(WINDOW)?;
            if let Some(found) = window.windows(bytes.len()).position(|w| w == bytes) {
                return Ok(Some(at + found as u64));
            }
            if window.len() < WINDOW {
                return Ok(None);
            }
            let step = window.len() - (bytes.len() - 1);
            self.source.skip(step as u64)?;
        }
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

/// What stands before the first objects of an archive; `None` if it is text.
fn mark(head: &[u8]) -> Option<&'static [u8]> {
    let marks: [&'static [u8]; 3] = [b"\0B", b"RIFF", recognise::FST];
    let stands = |mark: &&&[u8]| {
        let mut pairs = head.windows(mark.len() + 1);
        pairs.any(|w| matches!(w, [b' ' | b'\t', rest @ ..] if rest == **mark))
    };
    marks.iter().find(stands).copied()
}

/// Bytes by which the entry of `utt` changes with another row or column.
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
