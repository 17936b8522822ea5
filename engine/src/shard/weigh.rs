//! Weighing of one input after the other, with as little reading as their formats allow.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use spr_core::bytes::{Env, FileKind, Location, Locator};
use spr_core::format::{Count, ErrorPolicy, Format, Medium, Registry, Request, Weight};
use spr_core::model::{Audio, Key, Matrix, Position, Utterance};
use spr_core::{KeyMap, Result};

use super::Hashes;
use super::balance::ShardBalance;
use crate::plan::Input;

/// The size from which on a file is cut at bytes instead of counting its entries, and from which on it
/// matters that all of it is read.
const LONG: u64 = 1 << 20;
/// The largest number of blocks in which a file is weighed.
const BLOCKS: u64 = 1 << 18;
/// The reason for reading all of an input of which nothing else is known.
const ALL: &str = "its entries are found by reading all of it";
/// The value of what is not known.
const UNKNOWN: u64 = u64::MAX;

/// The weight of an entry, and where it starts.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    frames: u64,
    bytes: u64,
    start: u64,
}

impl Entry {
    const FAULTY: Self = Self {
        frames: UNKNOWN,
        bytes: UNKNOWN,
        start: UNKNOWN,
    };

    fn of(weight: Weight) -> Self {
        Self {
            frames: weight.frames.unwrap_or(UNKNOWN),
            bytes: weight.bytes.unwrap_or(UNKNOWN),
            start: UNKNOWN,
        }
    }

    fn of_bytes(bytes: u64) -> Self {
        Self {
            bytes,
            ..Self::FAULTY
        }
    }

    pub(super) fn frames(&self) -> Option<u64> {
        known(self.frames)
    }

    pub(super) fn bytes(&self) -> Option<u64> {
        known(self.bytes)
    }

    pub(super) fn start(&self) -> Option<u64> {
        known(self.start)
    }
}

fn known(value: u64) -> Option<u64> {
    (value != UNKNOWN).then_some(value)
}

/// What counts as an entry of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// An utterance, or a fault in its place.
    Entry,
    /// The whole file, whatever it holds.
    File,
    /// The entries that belong to a block of this size.
    Block(u64),
}

/// The reason why each shard reads more of an input than its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reread {
    /// It is compressed, so that it is read from its start.
    Packed,
    /// It is read from its start for another reason.
    Sequential(&'static str),
}

impl Unit {
    /// Returns an input of which only these entries are read. The first of them starts at a byte, if
    /// that is known.
    pub(super) fn part(self, input: Input, [first, end]: [u64; 2], start: Option<u64>) -> Input {
        if first >= end {
            return Input {
                entries: Some([0, 0]),
                ..input
            };
        }
        match self {
            Self::Entry => Input {
                entries: Some([first, end]),
                start,
                ..input
            },
            Self::File => Input {
                entries: Some([0, u64::MAX]),
                ..input
            },
            Self::Block(size) => Input {
                within: Some([first, end].map(|n| n.saturating_mul(size))),
                ..input
            },
        }
    }
}

/// The entries of all inputs so far.
pub(super) struct Weigher<'a> {
    by: ShardBalance,
    /// Whether there are several inputs.
    several: bool,
    groups: Groups<'a>,
    hashes: &'a Hashes,
    registry: &'a Registry,
    env: Env,
    known: Vec<Entry>,
    reread: Option<Reread>,
}

impl<'a> Weigher<'a> {
    pub(super) fn new(
        by: ShardBalance,
        several: bool,
        groups: Option<&'a KeyMap>,
        hashes: &'a Hashes,
        (registry, env): (&'a Registry, &Env),
    ) -> Self {
        Self {
            by,
            several,
            groups: Groups {
                of: groups,
                last: None,
                starts: Vec::new(),
                next: 0,
            },
            hashes,
            registry,
            env: env.listening(|_| {}),
            known: Vec::new(),
            reread: None,
        }
    }

    /// Returns the number of entries so far.
    pub(super) fn count(&self) -> u64 {
        self.known.len() as u64
    }

    /// Returns the reason why each shard reads more of the last input than its own, if it does.
    pub(super) fn reread(&self) -> Option<Reread> {
        self.reread
    }

    /// Counts a fault as an entry.
    pub(super) fn skip(&mut self) {
        self.known.push(Entry::FAULTY);
        self.groups.next += 1;
    }

    /// Returns all entries, and the first ones of groups, if there are groups.
    pub(super) fn finish(self) -> (Vec<Entry>, Option<Vec<u64>>) {
        let Groups { of, starts, .. } = self.groups;
        (self.known, of.map(|_| starts))
    }

    fn add(&mut self, key: &Key, entry: Entry) -> Result<()> {
        self.known.push(entry);
        self.groups.add(key)
    }

    /// Weighs the entries of an input.
    ///
    /// # Errors
    /// It is at fault, or a key has no group.
    pub(super) fn input(&mut self, input: &Input) -> Result<Unit> {
        let read = Arc::<AtomicU64>::default();
        self.reread = None;
        self.env = self.env.counting(input.file().cloned(), read.clone());
        let unit = self.entries(input)?;
        if let (Unit::Entry, Some(file)) = (unit, input.file()) {
            let length = length(file, &self.env)?;
            let all =
                (read.load(Ordering::Relaxed) > length / 2).then_some(Reread::Sequential(ALL));
            let matters = |reread: &Reread| *reread == Reread::Packed || length >= LONG;
            self.reread = self.reread.or(all).filter(matters);
        }
        Ok(unit)
    }

    fn entries(&mut self, input: &Input) -> Result<Unit> {
        let env = self.env.clone();
        if let Some((list, lists)) = input.own_list(self.registry, &env)? {
            let mut each = |key: &Key, weight| self.add(key, Entry::of(weight));
            lists.weigh(list, &env, &mut each)?;
            return Ok(Unit::Entry);
        }
        match self.outside(input)? {
            Some(unit) => Ok(unit),
            None => self.headers(input).map(|()| Unit::Entry),
        }
    }

    /// Weighs the entries of an input by what is known without reading them, if that is enough.
    fn outside(&mut self, input: &Input) -> Result<Option<Unit>> {
        if self.by == ShardBalance::Frames {
            self.note_packed(input);
            return Ok(None);
        }
        let (registry, env) = (self.registry, self.env.clone());
        if input.folder().is_some() {
            let Some(files) = input.files_of_one(registry, &env)? else {
                return Ok(None);
            };
            for (key, file) in files {
                self.add(&key, Entry::of_bytes(length(&file, &env)?))?;
            }
            return Ok(Some(Unit::Entry));
        }
        let Locator::File(file) = &input.place else {
            return Ok(None);
        };
        if self.several && self.groups.of.is_none() && is_single(input, file, registry) {
            let look = env.look(file)?;
            if let Some(look) = look.filter(|look| look.kind == FileKind::File) {
                self.known.push(Entry::of_bytes(look.length));
                self.groups.next += 1;
                return Ok(Some(Unit::File));
            }
        }
        let mut source = env.open_file(file)?;
        self.reread = source.compression().map(|_| Reread::Packed);
        let Ok((format, _)) = input.format_of(&mut source, false, registry, &env) else {
            return Ok(None);
        };
        let is_plain = source.is_plain_file() && source.can_seek();
        let options = input.format_options(format)?;
        // To count entries, all of them are read.
        let may_cut = self.by != ShardBalance::Entries && self.groups.of.is_none();
        let long = source.len().filter(|len| is_plain && *len >= LONG);
        if let Some(len) = long.filter(|_| may_cut)
            && format.can_cut(env.open_file(file)?, &options, &env)?
        {
            return Ok(Some(self.blocks(len)));
        }
        let mut each = |key: &Key, weight| self.add(key, Entry::of(weight));
        let is_weighed = format.weigh(source, &options, &env, &mut each)?;
        Ok(is_weighed.then_some(Unit::Entry))
    }

    fn note_packed(&mut self, input: &Input) {
        let source = input.file().and_then(|file| self.env.open_file(file).ok());
        let compression = source.and_then(|source| source.compression());
        self.reread = compression.map(|_| Reread::Packed);
    }

    /// Weighs a file of this length by blocks.
    fn blocks(&mut self, length: u64) -> Unit {
        let size = length.div_ceil(BLOCKS);
        let mut left = length;
        while left > 0 {
            let own = left.min(size);
            self.known.push(Entry::of_bytes(own));
            self.groups.next += 1;
            left -= own;
        }
        Unit::Block(size)
    }

    /// Reads the headers of an input. A faulty entry still counts.
    fn headers(&mut self, input: &Input) -> Result<()> {
        let env = self.env.clone();
        let request = Request::all().weights().on_error(ErrorPolicy::Skip);
        let mut reader = input.stored(request, self.registry, &env)?;
        let sequential = reader.info().sequential.map(Reread::Sequential);
        self.reread = self.reread.or(sequential);
        let before = self.known.len();
        let mut utt = Utterance::default();
        loop {
            match reader.read(&mut utt) {
                Ok(false) => break,
                Ok(true) => {
                    self.note_recording(&utt, &env)?;
                    self.known.push(Entry {
                        frames: utt.frames(),
                        bytes: stored_bytes(&utt),
                        start: match utt.origin.at {
                            Some(Position::Byte(start)) => start,
                            _ => UNKNOWN,
                        },
                    });
                }
                Err(error) if error.can_continue() => self.known.push(Entry::FAULTY),
                Err(error) => return Err(error),
            }
            self.groups.add(&utt.key)?;
        }
        if let Some(file) = input.file() {
            let length = length(file, &env)?;
            weigh_by_starts(&mut self.known[before..], length);
        }
        Ok(())
    }

    /// Takes note of the recording of an utterance.
    fn note_recording(&self, utt: &Utterance, env: &Env) -> Result<()> {
        if let Some(Audio::Reference(sound)) = &utt.audio
            && let Some(file) = sound.at.location()
        {
            let list = utt.origin.file.as_deref().map(Location::from);
            self.hashes
                .note(file, || env.look_from(list.as_ref(), file))?;
        }
        Ok(())
    }
}

/// Returns the size of a file in bytes.
fn length(file: &Location, env: &Env) -> Result<u64> {
    Ok(env.look(file)?.map_or(0, |look| look.length))
}

/// Returns `true` if the file of an input holds one utterance, judging by its name.
fn is_single(input: &Input, file: &Location, registry: &Registry) -> bool {
    let formats = match input.named_format(registry) {
        Ok(Some(format)) => vec![format],
        _ => {
            let plain = file.plain();
            let extension = plain.extension().map(str::to_ascii_lowercase);
            registry.by_extension(&extension.unwrap_or_default())
        }
    };
    let holds_one = |format: &&'static dyn Format| {
        let options = input.format_options(*format);
        let caps = options.and_then(|options| format.caps(&options, Medium::File));
        caps.is_ok_and(|caps| caps.count == Count::One)
    };
    !formats.is_empty() && formats.iter().all(holds_one)
}

/// Sets the sizes of entries to those in the file, whose length is known, if all tell where they
/// start.
fn weigh_by_starts(entries: &mut [Entry], length: u64) {
    let is_known = entries.iter().all(|entry| entry.start <= length);
    if !is_known || !entries.is_sorted_by_key(|entry| entry.start) {
        return;
    }
    let mut end = length;
    for entry in entries.iter_mut().rev() {
        entry.bytes = end - entry.start;
        end = entry.start;
    }
}

/// Returns the size of the matrices of an utterance, or of all of it if it has none.
fn stored_bytes(utt: &Utterance) -> u64 {
    let matrices = [&utt.features, &utt.labels].into_iter().flatten();
    let sizes = matrices.map(|matrix: &Matrix| matrix.as_bytes().len() as u64);
    match sizes.sum() {
        0 => utt.bytes(),
        bytes => bytes,
    }
}

/// The starts of groups.
struct Groups<'a> {
    of: Option<&'a KeyMap>,
    last: Option<Key>,
    starts: Vec<u64>,
    next: u64,
}

impl Groups<'_> {
    fn add(&mut self, key: &Key) -> Result<()> {
        if let Some(groups) = self.of {
            let group = groups.get(key)?;
            if self.last.as_ref() != Some(group) {
                self.starts.push(self.next);
                self.last = Some(group.clone());
            }
        }
        self.next += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_weigh_what_they_take_in_the_file() {
        let at = |start| Entry {
            start,
            ..Entry::of_bytes(7)
        };
        let bytes = |entries: &[Entry]| entries.iter().map(Entry::bytes).collect::<Vec<_>>();
        let mut entries = [at(0), at(10), at(30)];
        weigh_by_starts(&mut entries, 100);
        assert_eq!(bytes(&entries), [Some(10), Some(20), Some(70)]);
        for mut other in [
            vec![at(0), Entry::of_bytes(7)],
            vec![at(5), at(3)],
            vec![at(101)],
        ] {
            weigh_by_starts(&mut other, 100);
            assert!(bytes(&other).iter().all(|bytes| *bytes == Some(7)));
        }
    }
}
