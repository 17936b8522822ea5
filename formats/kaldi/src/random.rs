//! Tables with lookup by key.

use std::collections::HashMap;
use std::sync::Arc;

use spr_core::bytes::{Env, Source};
use spr_core::format::{Options, RandomAccess, Request};
use spr_core::model::{Key, KeySet, KeySource, Position, Utterance};
use spr_core::{Error, Result};

use crate::archive::read_key;
use crate::choice::Content;
use crate::lines::Lines;
use crate::object::ObjectReader;
use crate::pass::pass_object;
use crate::sample::{TRIED, Votes};
use crate::script::Targets;

/// Inspects the first entries of an archive, to expect the kind of most of them.
fn sample(source: &mut Source, objects: &mut ObjectReader) -> Result<()> {
    let start = source.offset();
    let mut passing = objects.without_values();
    passing.sample();
    let (mut utt, mut votes) = (Utterance::default(), Votes::default());
    for _ in 0..TRIED {
        if votes.are_enough() || !matches!(read_key(source, &mut utt.key), Ok(true)) {
            break;
        }
        match passing.read(source, &mut utt, false) {
            Ok(_) => votes.add(passing.found()),
            Err(error) if error.can_continue() => {}
            Err(_) => break,
        }
    }
    objects.expect(votes.winner());
    source.seek(start)
}

/// The promises of Kaldi's options about keys and lookups.
#[derive(Clone, Copy, Debug)]
struct Promise {
    once: bool,
    sorted: bool,
    called_sorted: bool,
    permissive: bool,
}

impl Promise {
    fn of(options: &Options) -> Result<Self> {
        let sorted = options.flag("sorted")?;
        Ok(Self {
            once: options.flag("once")?,
            sorted,
            called_sorted: options.flag("called-sorted")? && sorted,
            permissive: options.flag("permissive")?,
        })
    }
}

/// A script file: its lines are in memory, and an object is read on lookup.
pub(crate) struct ScriptTable {
    lines: Lines,
    targets: Targets,
    promise: Promise,
    env: Env,
}

impl ScriptTable {
    pub(crate) fn new(
        mut source: Source,
        options: &Options,
        request: &Request,
        env: &Env,
    ) -> Result<Self> {
        let promise = Promise::of(options)?;
        let lines = Lines::read(&mut source, promise.sorted, &env.limits)?;
        let mut targets = Targets::new(&source, options, Content::of(request), env)?;
        (0..lines.len()).for_each(|index| targets.keep(lines.rest(index)));
        if request.on_error.skips() {
            targets.sample((0..lines.len()).map(|index| lines.rest(index)));
        }
        Ok(Self {
            lines,
            targets,
            promise,
            env: env.clone(),
        })
    }
}

impl RandomAccess for ScriptTable {
    fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
        let Some(index) = self.lines.find(key) else {
            return Ok(false);
        };
        utt.key.set(key.as_bytes());
        let lines = &self.lines;
        let place = |e: Error| lines.place(e, index);
        match self.targets.read(lines.rest(index), utt, place) {
            Ok(()) => Ok(true),
            Err(error) if self.promise.permissive => {
                self.env.warn(&place(error));
                Ok(false)
            }
            Err(error) => Err(place(error).continuable()),
        }
    }

    fn keys(&self) -> Option<Vec<Key>> {
        Some(self.lines.keys())
    }

    /// All keys were checked when the lines were read.
    fn find_twice(&mut self) -> Result<Option<Key>> {
        Ok(None)
    }
}

/// An archive, read as far as needed. The positions of skipped entries are kept for a file, the
/// entries themselves for a pipe.
pub(crate) struct ArchiveTable {
    source: Source,
    /// The name of the source for the origin of utterances.
    file: Arc<str>,
    objects: ObjectReader,
    promise: Promise,
    /// Whether an entry may occur twice if both are equal.
    lenient: bool,
    env: Env,
    passed: HashMap<Key, SkippedEntries>,
    /// Keys whose values were returned and not kept.
    given: KeySet,
    /// The last key skipped.
    last: Key,
    /// The last key looked up.
    asked: Key,
    /// The position of the next entry.
    next: u64,
    ended: bool,
    scratch: Utterance,
}

/// The result of reading the next entry.
enum Step {
    End,
    Passed,
    /// The requested entry.
    Found,
    /// An entry whose key occurred before, and the byte of its object.
    Twice(Key, u64),
}

enum SkippedEntries {
    At(u64),
    Held(Box<Utterance>),
}

impl ArchiveTable {
    pub(crate) fn new(
        mut source: Source,
        options: &Options,
        request: &Request,
        env: &Env,
    ) -> Result<Self> {
        let mut objects = ObjectReader::new(options, Content::of(request), env)?;
        objects.look_ahead(&mut source, false, KeySource::Stored)?;
        if request.on_error.skips() && objects.is_open() && source.can_seek() {
            sample(&mut source, &mut objects)?;
        }
        Ok(Self {
            objects,
            file: source.name().into(),
            promise: Promise::of(options)?,
            lenient: request.on_error.skips(),
            env: env.clone(),
            passed: HashMap::new(),
            given: KeySet::default(),
            last: Key::default(),
            asked: Key::default(),
            next: source.offset(),
            ended: false,
            scratch: Utterance::default(),
            source,
        })
    }

    /// Reads the next entry, and returns it if it is `key`; otherwise skips it.
    fn advance(&mut self, key: Option<&Key>, utt: &mut Utterance) -> Result<Step> {
        let seekable = self.source.can_seek();
        if seekable {
            self.source.seek(self.next)?;
        }
        let mut found = std::mem::take(&mut self.scratch.key);
        if !read_key(&mut self.source, &mut found)? {
            self.ended = true;
            return Ok(Step::End);
        }
        let at = self.source.offset();
        self.check_order(&found).map_err(|e| e.utterance(&found))?;
        if self.is_known(&found) {
            if !self.lenient || !self.is_as_before(&found)? {
                return Ok(Step::Twice(found, at));
            }
            self.next = self.source.offset();
            self.last = found;
            return Ok(Step::Passed);
        }
        let here = key == Some(&found);
        let into = if here { &mut *utt } else { &mut self.scratch };
        into.key.set(found.as_bytes());
        let passed = match here || !seekable {
            true => Ok(false),
            false => pass_object(&mut self.source),
        };
        let read = passed.and_then(|passed| match passed {
            true => Ok(()),
            false => self.objects.read(&mut self.source, into, false).map(drop),
        });
        if let Err(error) = read {
            let error = error.utterance(&found);
            if error.can_continue() {
                // Other entries may be intact, but this one cannot be read.
                self.next = self.source.offset();
                self.last = found;
            }
            return Err(error);
        }
        into.origin.file = Some(self.file.clone());
        into.origin.at = self.source.is_plain_file().then_some(Position::Byte(at));
        self.next = self.source.offset();
        if self.promise.called_sorted {
            // Earlier entries will not be looked up again.
            self.passed.clear();
        }
        let held =
            || SkippedEntries::Held(Box::new(if here { utt } else { &mut self.scratch }.clone()));
        if here && self.promise.once && !self.promise.called_sorted {
            self.given.insert(&found);
        } else {
            let passed = if seekable {
                SkippedEntries::At(at)
            } else {
                held()
            };
            self.passed.insert(found.clone(), passed);
        }
        self.last = found;
        Ok(if here { Step::Found } else { Step::Passed })
    }

    /// Checks that a key is in order, if that was promised.
    fn check_order(&self, key: &Key) -> Result<()> {
        if self.promise.sorted && *key < self.last {
            let message = format!("the keys are not sorted: it follows {}", self.last);
            return Err(Error::malformed(message).hint("leave out the options s and cs"));
        }
        Ok(())
    }

    fn is_known(&self, key: &Key) -> bool {
        *key == self.last || self.passed.contains_key(key) || self.given.contains(key)
    }

    /// Returns `true` if the next object equals the one that was skipped under its key.
    fn is_as_before(&mut self, key: &Key) -> Result<bool> {
        let (mut before, mut now) = (Utterance::default(), Utterance::default());
        let start = self.source.offset();
        match self.passed.get(key) {
            None => return Ok(false),
            Some(SkippedEntries::Held(held)) => before.clone_from(held),
            Some(SkippedEntries::At(at)) => {
                self.source.seek(*at)?;
                self.objects.read(&mut self.source, &mut before, false)?;
                self.source.seek(start)?;
            }
        }
        self.objects.read(&mut self.source, &mut now, false)?;
        let data = |utt: Utterance| (utt.features, utt.labels, utt.audio, utt.object);
        Ok(data(before) == data(now))
    }

    /// Returns an entry that was skipped before.
    fn give(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
        let Some(passed) = self.passed.get(key) else {
            return Ok(false);
        };
        utt.key.set(key.as_bytes());
        match passed {
            SkippedEntries::At(offset) => {
                self.source.seek(*offset)?;
                self.objects.read(&mut self.source, utt, false)?;
                utt.origin.file = Some(self.file.clone());
                let plain = self.source.is_plain_file();
                utt.origin.at = plain.then_some(Position::Byte(*offset));
            }
            SkippedEntries::Held(held) => utt.clone_from(held),
        }
        if self.promise.once && !self.promise.called_sorted {
            self.passed.remove(key);
            self.given.insert(key);
        }
        Ok(true)
    }

    /// Checks a lookup against those before it.
    fn check_asked(&mut self, key: &Key) -> Result<()> {
        if self.promise.called_sorted {
            if *key < self.asked {
                let message = format!(
                    "asked for after {}, but cs promises sorted order",
                    self.asked
                );
                return Err(Error::usage(message).hint("leave out the option cs"));
            }
            self.asked.set(key.as_bytes());
        }
        if self.given.contains(key) {
            let message = "asked for twice, but o promises that it is not";
            return Err(Error::usage(message).hint("leave out the option o"));
        }
        Ok(())
    }

    fn place(&self, error: Error) -> Error {
        error.file(self.source.name()).byte(self.source.offset())
    }
}

impl RandomAccess for ArchiveTable {
    fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
        let asked = self.check_asked(key);
        asked.map_err(|e| e.file(self.source.name()).utterance(key))?;
        match self.give(key, utt) {
            Ok(false) => {}
            Ok(true) => return Ok(true),
            Err(error) => {
                let error = self.place(error).utterance(key);
                if !self.promise.permissive {
                    return Err(error);
                }
                self.env.warn(&error);
                return Ok(false);
            }
        }
        while !(self.ended || self.promise.sorted && *key < self.last) {
            match self.advance(Some(key), utt) {
                Ok(Step::Found) => return Ok(true),
                Ok(Step::Passed) => {}
                Ok(Step::End) => return Ok(false),
                Ok(Step::Twice(twice, at)) => {
                    self.ended = true;
                    let error = Error::malformed("the key appears twice in the archive");
                    let error = error.utterance(&twice).file(self.source.name()).byte(at);
                    if !self.promise.permissive {
                        return Err(error);
                    }
                    self.env.warn(&error);
                }
                Err(error) => {
                    self.ended = !error.can_continue();
                    let error = self.place(error);
                    if !self.promise.permissive {
                        return Err(error);
                    }
                    self.env.warn(&error);
                    if self.last == *key {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(false)
    }

    fn keys(&self) -> Option<Vec<Key>> {
        None
    }

    fn find_twice(&mut self) -> Result<Option<Key>> {
        let mut nobody = Utterance::default();
        // Equal sorted keys are neighbours, which were compared.
        while !(self.ended || self.promise.sorted) {
            match self.advance(None, &mut nobody) {
                Ok(Step::Twice(key, _)) => {
                    self.ended = true;
                    return Ok(Some(key));
                }
                Err(error) if !error.can_continue() => {
                    self.ended = true;
                    return Err(self.place(error));
                }
                Ok(_) | Err(_) => {}
            }
        }
        Ok(None)
    }
}
