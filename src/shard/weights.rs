//! What each entry of the inputs weighs, as far as that is known without reading values.

use std::fmt;
use std::str::FromStr;

use spr_core::bytes::{Env, Location, Source};
use spr_core::format::{Registry, Request};
use spr_core::model::{Key, Utterance};
use spr_core::{Error, KeyMap, Limits, Result, number};

use super::{Cut, Shard};
use crate::argument::Input;

/// By what shards are of the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Frames where they are known, else bytes, else entries.
    Auto,
    /// Entries.
    Entries,
    /// Bytes of entries.
    Bytes,
    /// Frames.
    Frames,
}

impl By {
    const ALL: [Self; 4] = [Self::Auto, Self::Entries, Self::Bytes, Self::Frames];

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Entries => "entries",
            Self::Bytes => "bytes",
            Self::Frames => "frames",
        }
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for By {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|by| by.name() == text);
        known.ok_or_else(|| {
            let error = Error::usage(format!("shards are not cut by '{text}'"));
            error.hint("known: auto, entries, bytes, frames")
        })
    }
}

/// The entries of all inputs, one after the other.
pub struct Weights {
    /// By what they are weighed: not [`By::Auto`].
    pub by: By,
    /// How many entries each input has.
    pub entries: Vec<u64>,
    /// The weight of each entry, unless entries count alike.
    weights: Vec<u64>,
    /// The entries at which a group starts, where there are groups.
    groups: Option<Vec<u64>>,
}

/// What is known of one entry.
#[derive(Clone, Copy, Default)]
struct Known {
    frames: Option<u64>,
    bytes: Option<u64>,
}

impl Known {
    fn by(self, by: By) -> Option<u64> {
        match by {
            By::Frames => self.frames,
            By::Bytes => self.bytes,
            By::Entries | By::Auto => Some(1),
        }
    }
}

impl Weights {
    /// Weighs the entries of `inputs`. Script files are read, what they name is not opened; of other
    /// data headers are read. Entries that `groups` gives the same word are not to be parted.
    ///
    /// # Errors
    /// An input can be read only once or is at fault, nothing tells the weight asked for, or a key has
    /// no group.
    pub fn of(
        inputs: &[Input],
        by: By,
        groups: Option<&KeyMap>,
        registry: &Registry,
        env: &Env,
    ) -> Result<Self> {
        let quiet = env.listening(|_| {});
        let mut groups = Groups {
            of: groups,
            last: None,
            starts: Vec::new(),
            next: 0,
        };
        let (mut known, mut entries) = (Vec::new(), Vec::new());
        for input in inputs {
            if input.is_stdin() || input.file().is_none() && input.folder().is_none() {
                let message = "a pipe can't be cut into shards, as each would have to read it";
                return Err(Error::usage(message).file(input.text()));
            }
            let before = known.len();
            match input.script(registry) {
                Some(script) => read_script(script, &mut groups, &mut known, &quiet)?,
                None => read_headers(input, &mut groups, &mut known, registry, &quiet)?,
            }
            entries.push((known.len() - before) as u64);
        }
        let told = |by: By| {
            let weights = known.iter().map(|entry| entry.by(by));
            let weights = weights.collect::<Option<Vec<_>>>()?;
            (weights.is_empty() || weights.iter().any(|weight| *weight > 0)).then_some(weights)
        };
        let candidates: &[By] = match by {
            By::Auto => &[By::Frames, By::Bytes, By::Entries],
            By::Entries => &[By::Entries],
            By::Bytes => &[By::Bytes],
            By::Frames => &[By::Frames],
        };
        let found = candidates.iter().find_map(|by| Some((*by, told(*by)?)));
        let Some((by, weights)) = found else {
            let error = Error::unfit(format!("nothing tells the {by} of each entry"));
            let text = inputs.first().map_or("", Input::text);
            return Err(error.file(text).hint("cut by something else: --shard-by"));
        };
        Ok(Self {
            by,
            entries,
            weights,
            groups: groups.of.map(|_| groups.starts),
        })
    }

    /// How many entries there are.
    pub fn count(&self) -> u64 {
        self.entries.iter().sum()
    }

    /// What they weigh together.
    pub fn sum(&self) -> u128 {
        self.weights.iter().map(|weight| u128::from(*weight)).sum()
    }

    /// The entries of a shard.
    pub fn cut(&self, shard: Shard) -> Cut {
        let cut = match self.by {
            By::Entries | By::Auto => Cut::by_count(shard, self.count()),
            By::Bytes | By::Frames => Cut::by_weight(shard, &self.weights),
        };
        match &self.groups {
            Some(starts) => cut.at_groups(starts, self.count()),
            None => cut,
        }
    }

    /// What a shard has of the `inputs` that were weighed: those of which it has entries, or one of
    /// which it has none.
    pub fn leave(&self, inputs: Vec<Input>, shard: Shard) -> Vec<Input> {
        let cut = self.cut(shard);
        let mut before = 0;
        let mut kept = Vec::new();
        for (mut input, entries) in inputs.into_iter().zip(&self.entries) {
            let [first, end] =
                [cut.first, cut.end].map(|n| n.clamp(before, before + entries) - before);
            if first < end || kept.is_empty() && before + entries >= cut.end {
                input.only(first, end);
                kept.push(input);
            }
            before += entries;
        }
        kept
    }

    /// What a shard weighs.
    pub fn weight(&self, cut: Cut) -> u128 {
        let [first, end] = [cut.first, cut.end].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let own = self.weights.get(first..end).unwrap_or_default();
        own.iter().map(|weight| u128::from(*weight)).sum()
    }
}

/// Where groups start.
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

/// Reads what the headers of an input tell. An entry at fault is one all the same.
fn read_headers(
    input: &Input,
    groups: &mut Groups<'_>,
    known: &mut Vec<Known>,
    registry: &Registry,
    env: &Env,
) -> Result<()> {
    let request = Request::all().shapes().lenient(true);
    let mut reader = input.stored(request, registry, env)?;
    let mut utt = Utterance::default();
    loop {
        match reader.read(&mut utt) {
            Ok(false) => return Ok(()),
            Ok(true) => known.push(Known {
                frames: Some(utt.frames()),
                bytes: Some(utt.bytes()),
            }),
            Err(error) if error.can_continue() => known.push(Known::default()),
            Err(error) => return Err(error),
        }
        groups.add(&utt.key)?;
    }
}

/// Reads the lines of a script file, and the lengths of its utterances where `utt2num_frames` beside
/// it has them in the same order.
fn read_script(
    file: &Location,
    groups: &mut Groups<'_>,
    known: &mut Vec<Known>,
    env: &Env,
) -> Result<()> {
    let mut script = env.open_file(file)?;
    let folder = file.parent();
    let beside = |name: &str| match &folder {
        Some(folder) => folder.join(name),
        None => name.into(),
    };
    let lengths = Some(beside("utt2num_frames")).filter(|lengths| env.exists(lengths));
    let mut lengths = lengths.map(|lengths| env.open_file(&lengths)).transpose()?;
    let mut line = Vec::new();
    // The entry before, in an archive and at a byte of it, whose end is not known yet.
    let mut open: Option<(Vec<u8>, u64)> = None;
    let size = |archive: &[u8]| {
        let archive = Location::of_bytes(archive)?;
        let place = [archive.clone(), beside(&archive.to_string())];
        let found = place.iter().find_map(|at| env.look(at).ok().flatten());
        found.map(|status| status.length)
    };
    let start = known.len();
    while script.line(&mut line, &env.limits)? {
        let mut words = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        let key = Key::from(words.next().unwrap_or_default());
        groups.add(&key)?;
        let frames = lengths
            .as_mut()
            .and_then(|source| next_length(source, &key, &env.limits));
        let place = words.next().and_then(place_of);
        if let (Some((archive, at)), Some(last)) = (&open, known[start..].last_mut()) {
            last.bytes = match &place {
                Some((next, end)) if next == archive => end.checked_sub(*at),
                _ => size(archive).and_then(|end| end.checked_sub(*at)),
            };
        }
        open = place;
        known.push(Known {
            frames,
            bytes: None,
        });
    }
    if let (Some((archive, at)), Some(last)) = (&open, known[start..].last_mut()) {
        last.bytes = size(archive).and_then(|end| end.checked_sub(*at));
    }
    Ok(())
}

/// The length of an utterance by the next line, if that is of it.
fn next_length(source: &mut Source, key: &Key, limits: &Limits) -> Option<u64> {
    let mut line = Vec::new();
    source.line(&mut line, limits).ok().filter(|more| *more)?;
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let own = words.next()? == key.as_bytes();
    own.then(|| words.next().and_then(number::parse_integer))?
}

/// An archive and a byte in it.
fn place_of(word: &[u8]) -> Option<(Vec<u8>, u64)> {
    let colon = word.iter().rposition(|b| *b == b':')?;
    let (archive, byte) = word.split_at(colon);
    Some((archive.to_vec(), number::parse_integer(&byte[1..])?))
}
