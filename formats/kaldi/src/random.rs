//! Tables asked for entries by key.

use std::collections::{HashMap, HashSet};

use spr_core::bytes::{Env, Source};
use spr_core::format::{Options, RandomAccess};
use spr_core::model::{Key, Utterance};
use spr_core::{Error, Result};

use crate::archive::read_key;

use crate::lines::Lines;
use crate::number::is_space;
use crate::object::Objects;
use crate::recognise::{GROUP, TAG};
use crate::script::Places;

/// What Kaldi's options say of the keys and of the questions.
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

/// A script file: its lines are in memory, an object is read when it is asked for.
pub(crate) struct ScriptTable {
    lines: Lines,
    places: Places,
    promise: Promise,
    env: Env,
}

impl ScriptTable {
    pub(crate) fn new(mut source: Source, options: &Options, env: &Env) -> Result<Self> {
        let promise = Promise::of(options)?;
        Ok(Self {
            lines: Lines::read(&mut source, promise.sorted, &env.limits)?,
            places: Places::new(&source, options, env)?,
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
        match self.places.read(lines.rest(index), utt, place) {
            Ok(()) => Ok(true),
            Err(error) if self.promise.permissive => {
                self.env.warn(&place(error));
                Ok(false)
            }
            Err(error) => Err(place(error).continuable()),
        }
    }
}

/// An archive, read as far as was asked for. Of a file, the places of the entries passed are kept;
/// of a pipe, the entries themselves.
pub(crate) struct ArchiveTable {
    source: Source,
    objects: Objects,
    promise: Promise,
    env: Env,
    passed: HashMap<Key, Passed>,
    /// Keys whose values were given away for good.
    given: HashSet<Key>,
    /// The key passed last.
    last: Key,
    /// The key asked for last.
    asked: Key,
    /// Where the next entry starts.
    next: u64,
    ended: bool,
    scratch: Utterance,
}

enum Passed {
    At(u64),
    Held(Box<Utterance>),
}

impl ArchiveTable {
    pub(crate) fn new(mut source: Source, options: &Options, env: &Env) -> Result<Self> {
        let mut objects = Objects::new(options, env)?;
        objects.look_ahead(&mut source, false)?;
        Ok(Self {
            objects,
            promise: Promise::of(options)?,
            env: env.clone(),
            passed: HashMap::new(),
            given: HashSet::new(),
            last: Key::default(),
            asked: Key::default(),
            next: source.offset(),
            ended: false,
            scratch: Utterance::default(),
            source,
        })
    }

    /// Reads the next entry and gives it away if it is `key`, else passes it.
    fn advance(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
        let seekable = self.source.can_seek();
        if seekable {
            self.source.seek(self.next)?;
        }
        let mut found = std::mem::take(&mut self.scratch.key);
        if !read_key(&mut self.source, &mut found)? {
            self.ended = true;
            return Ok(false);
        }
        self.check_new(&found).map_err(|e| e.utterance(&found))?;
        let at = self.source.offset();
        let here = found == *key;
        let into = if here { &mut *utt } else { &mut self.scratch };
        into.key.set(found.as_bytes());
        let hopped = match here || !seekable {
            true => Ok(false),
            false => hop(&mut self.source),
        };
        let read = hopped.and_then(|hopped| match hopped {
            true => Ok(()),
            false => self.objects.read(&mut self.source, into, false),
        });
        read.map_err(|e| e.utterance(&found))?;
        self.next = self.source.offset();
        if self.promise.called_sorted {
            // What comes before will not be asked for again.
            self.passed.clear();
        }
        let held = || Passed::Held(Box::new(if here { utt } else { &mut self.scratch }.clone()));
        if here && self.promise.once && !self.promise.called_sorted {
            self.given.insert(found.clone());
        } else {
            let passed = if seekable { Passed::At(at) } else { held() };
            self.passed.insert(found.clone(), passed);
        }
        self.last = found;
        Ok(here)
    }

    /// Checks a key against those before it.
    fn check_new(&self, key: &Key) -> Result<()> {
        if self.promise.sorted && *key < self.last {
            let message = format!("the keys are not sorted: it follows {}", self.last);
            return Err(Error::malformed(message).hint("leave out the options s and cs"));
        }
        if *key == self.last || self.passed.contains_key(key) || self.given.contains(key) {
            return Err(Error::malformed("the key stands twice in the archive"));
        }
        Ok(())
    }

    /// Gives away an entry that was passed before.
    fn give(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
        let Some(passed) = self.passed.get(key) else {
            return Ok(false);
        };
        utt.key.set(key.as_bytes());
        match passed {
            Passed::At(offset) => {
                self.source.seek(*offset)?;
                self.objects.read(&mut self.source, utt, false)?;
            }
            Passed::Held(held) => utt.clone_from(held),
        }
        if self.promise.once && !self.promise.called_sorted {
            self.passed.remove(key);
            self.given.insert(key.clone());
        }
        Ok(true)
    }

    /// Checks a question against those before it.
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
        let given = self.give(key, utt);
        if given.map_err(|e| self.place(e).utterance(key))? {
            return Ok(true);
        }
        while !(self.ended || self.promise.sorted && *key < self.last) {
            match self.advance(key, utt) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => {
                    self.ended = true;
                    let error = self.place(error);
                    if !self.promise.permissive {
                        return Err(error);
                    }
                    self.env.warn(&error);
                }
            }
        }
        Ok(false)
    }
}

/// Moves past an object without decoding it, if its bytes tell how long it is; else stays.
///
/// # Errors
/// The file ends in it.
fn hop(source: &mut Source) -> Result<bool> {
    let head = source.peek(32)?;
    let Some(head) = head.strip_prefix(b"\0B") else {
        return Ok(false);
    };
    if let Some(count) = tagged(head, 0) {
        return hop_integers(source, count);
    }
    let Some(space) = head.iter().take(4).position(|b| is_space(*b)) else {
        return Ok(false);
    };
    let (token, start) = (&head[..space], space + 1);
    let (at, values) = match token {
        b"FM" | b"DM" => {
            let shape = tagged(head, start).zip(tagged(head, start + GROUP));
            let shape = shape.filter(|(rows, cols)| (*rows == 0) == (*cols == 0));
            (
                start + 2 * GROUP,
                shape.and_then(|s| area(s, width(token), 0)),
            )
        }
        b"FV" | b"DV" => {
            let n = tagged(head, start).map(|n| (n, 1));
            (start + GROUP, n.and_then(|s| area(s, width(token), 0)))
        }
        b"CM" | b"CM2" | b"CM3" => {
            let shape = number(head, start + 8).zip(number(head, start + 12));
            // An empty one may be longer than it says.
            let shape = shape.filter(|(rows, cols)| *rows > 0 && *cols > 0);
            let (code, column) = match token {
                b"CM" => (1, 8),
                b"CM2" => (2, 0),
                _ => (1, 0),
            };
            (start + 16, shape.and_then(|s| area(s, code, column)))
        }
        _ => return Ok(false),
    };
    match values {
        Some(values) => {
            source.skip((at + 2) as u64)?;
            source.skip(values)?;
            Ok(true)
        }
        None => Ok(false),
    }
}

/// Bytes of a number, by the token before it.
fn width(token: &[u8]) -> u64 {
    if token.starts_with(b"D") { 8 } else { 4 }
}

/// Bytes of so many rows and columns with `size` bytes a value and `column` more a column.
fn area((rows, cols): (u64, u64), size: u64, column: u64) -> Option<u64> {
    let values = rows.checked_mul(cols)?.checked_mul(size)?;
    values.checked_add(cols.checked_mul(column)?)
}

/// A count of 4 bytes at a place.
fn number(bytes: &[u8], at: usize) -> Option<u64> {
    let n: &[u8; 4] = bytes.get(at..)?.first_chunk()?;
    u64::try_from(i32::from_le_bytes(*n)).ok()
}

/// A count with its tag at a place.
fn tagged(bytes: &[u8], at: usize) -> Option<u64> {
    number(bytes, at + 1).filter(|_| bytes.get(at) == Some(&TAG))
}

/// Moves past a vector of `count` tagged integers, if the run of tags shows that it is one.
fn hop_integers(source: &mut Source, count: u64) -> Result<bool> {
    /// Longer vectors are decoded.
    const LONGEST: u64 = 1 << 20;
    if count > LONGEST {
        return Ok(false);
    }
    let size = usize::try_from(count).unwrap_or_default() * GROUP;
    let there = source.peek(2 + GROUP + size + 4)?;
    let run = there.get(2 + GROUP..).unwrap_or_default();
    let Some((run, after)) = run.split_at_checked(size) else {
        return Ok(false);
    };
    let tags = run.as_chunks::<GROUP>().0.iter().all(|g| g[0] == TAG);
    // More of the run, bytes, or a vector of floats: then it is something else.
    let continued = matches!(after, [TAG | 1, ..] | [b'F' | b'D', b'V', b' ', TAG]);
    if !tags || continued {
        return Ok(false);
    }
    source.skip((2 + GROUP + size) as u64)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(values: &[i32]) -> Vec<u8> {
        let groups = values.iter().map(|value| {
            let [a, b, c, d] = value.to_le_bytes();
            [TAG, a, b, c, d]
        });
        [b"\0B".to_vec(), groups.flatten().collect()].concat()
    }

    /// How far an object with a key behind it is passed.
    fn passed(object: &[u8]) -> Option<usize> {
        let bytes = [object, b"key \0BFM "].concat();
        let mut source = Source::from_bytes("x", bytes).unwrap();
        let hopped = hop(&mut source).unwrap();
        hopped.then(|| usize::try_from(source.offset()).unwrap())
    }

    #[test]
    fn vectors_are_passed_and_what_looks_like_them_is_not() {
        for values in [&[0][..], &[1, 9], &[3, 4, 4, 4]] {
            assert_eq!(passed(&run(values)), Some(run(values).len()), "{values:?}");
        }
        // Lists, a pair, numbers on their own, a posterior of Gaussians, a count that is none.
        let lists: [&[i32]; 6] = [&[2, 1, 7, 0], &[1, 2, 3], &[1], &[70], &[-1], &[1, 1, 5]];
        for values in lists {
            assert_eq!(passed(&run(values)), None, "{values:?}");
        }
        assert_eq!(
            passed(&[&run(&[2, 1, 5])[..], b"FV \x04\0\0\0\0"].concat()),
            None
        );
        assert_eq!(passed(b"\0BFM \x04\0\0\0\0\x04\x05\0\0\0"), None);
        assert_eq!(passed(b"\0BTkey"), None);
        assert_eq!(passed(b" [ 1 2 ]\n"), None);
    }

    #[test]
    fn floats_are_passed_by_their_headers() {
        let size = |n: u8| [TAG, n, 0, 0, 0];
        for (token, header, data) in [
            ("FM", [size(2), size(3)].concat(), 24),
            ("DM", [size(2), size(3)].concat(), 48),
            ("DM", [size(0), size(0)].concat(), 0),
            ("FV", size(3).to_vec(), 12),
            ("DV", size(0).to_vec(), 0),
        ] {
            let object = [b"\0B", token.as_bytes(), b" ", &header, &vec![7; data]].concat();
            assert_eq!(passed(&object), Some(object.len()), "{token}");
            let mut source = Source::from_bytes("x", object[..object.len() - 1].to_vec()).unwrap();
            assert!(!matches!(hop(&mut source), Ok(true)), "{token}");
        }
    }
}
