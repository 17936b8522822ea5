//! Concatenation of data sets.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;

use super::is_last;
use crate::bytes::{Env, MemoryCounter};
use crate::error::{Error, Remedy, Result};
use crate::format::Reader;
use crate::model::{About, AboutField, DatasetInfo, Key, KeySource, Limits, Utterance};

/// Concatenates data sets; each is opened when it is reached.
///
/// An error that ends a data set is one that [can continue](Error::can_continue): with the next
/// data set. Generated keys and partition numbers continue, so that they stay unique.
pub struct Chain<I> {
    rest: I,
    current: Option<Box<dyn Reader>>,
    /// The number of the current data set.
    now: usize,
    /// The names of the data sets.
    names: Vec<String>,
    /// Whether an utterance or an error came of the current data set.
    begun: bool,
    /// Receives warnings about data sets.
    told: Option<Env>,
    /// Whether each data set should have utterances.
    tells_empty: bool,
    info: DatasetInfo,
    numbers: Numbers,
    owners: Option<Owners>,
    over: bool,
}

/// The data set of each key, as 128-bit hashes.
struct Owners {
    hashers: [RandomState; 2],
    owners: HashMap<[u64; 2], usize>,
    held: MemoryCounter,
    limits: Limits,
}

impl Owners {
    /// Checks that no earlier data set has the key, which the data set with the number `now` has.
    fn check(&mut self, key: &Key, now: usize, names: &[String]) -> Result<()> {
        let hash = self.hashers.each_ref().map(|hasher| hasher.hash_one(key));
        match self.owners.entry(hash) {
            Entry::Occupied(owner) if *owner.get() == now => Ok(()),
            Entry::Occupied(owner) => {
                let other = names
                    .get(*owner.get())
                    .map_or("another input", String::as_str);
                let error = Error::unfit(format!("{other} has an utterance with this key, too"));
                let error = match names.get(now) {
                    Some(own) => error.file(own),
                    None => error,
                };
                Err(error.utterance(key).suggest(Remedy::KeepOne).continuable())
            }
            Entry::Vacant(place) => {
                self.held.keep(size_of_val(&hash), &self.limits)?;
                place.insert(now);
                Ok(())
            }
        }
    }
}

/// Numbers that continue across data sets.
#[derive(Default)]
pub(super) struct Numbers {
    read: u64,
    /// The number of partitions so far, and in earlier data sets.
    parts: u64,
    earlier: u64,
}

impl Numbers {
    /// Sets the generated key of an utterance, if its data set has such `keys`, and its partition.
    pub(super) fn give(&mut self, utt: &mut Utterance, keys: KeySource) {
        self.read += u64::from(utt.starts());
        if keys == KeySource::Generated {
            utt.key = Key::generated(self.read - 1);
        }
        if let Some(part) = &mut utt.part {
            *part += self.earlier;
            self.parts = *part + 1;
        }
    }

    /// Starts the next data set.
    pub(super) fn go_on(&mut self) {
        self.earlier = self.parts;
    }
}

impl<I: Iterator<Item = Result<Box<dyn Reader>>> + Send> Chain<I> {
    /// Creates a chain of the readers that `openers` return, the first of which is opened now.
    ///
    /// # Errors
    /// The first cannot be opened.
    pub fn new(mut openers: I) -> Result<Self> {
        let current = openers.next().transpose()?;
        let info = current
            .as_ref()
            .map_or_else(DatasetInfo::default, |r| r.info().clone());
        Ok(Self {
            current,
            ..Self::of(info, openers)
        })
    }

    /// Creates a chain of the readers that `openers` return, with the `info` of one of them.
    pub fn of(info: DatasetInfo, openers: I) -> Self {
        Self {
            rest: openers,
            current: None,
            now: 0,
            names: Vec::new(),
            begun: false,
            told: None,
            tells_empty: false,
            info: info.without_totals(),
            numbers: Numbers::default(),
            owners: None,
            over: false,
        }
    }

    /// Sets the names of the data sets, for messages.
    #[must_use]
    pub fn named(self, names: Vec<String>) -> Self {
        Self { names, ..self }
    }

    /// Warns of each data set that says other things of itself than the first, as only those are
    /// kept, and of each without utterances, if `tells_empty`.
    #[must_use]
    pub fn warning(self, env: &Env, tells_empty: bool) -> Self {
        let told = Some(env.clone());
        Self {
            told,
            tells_empty,
            ..self
        }
    }

    /// Rejects keys that occur in an earlier data set, with an error that [can
    /// continue](Error::can_continue). A few bytes per key stay in memory.
    #[must_use]
    pub fn distinct(self, limits: Limits) -> Self {
        Self {
            owners: Some(Owners {
                hashers: Default::default(),
                owners: HashMap::new(),
                held: MemoryCounter::new("the names of utterances"),
                limits,
            }),
            ..self
        }
    }

    fn next(&mut self, utt: &mut Utterance) -> Result<bool> {
        loop {
            let Some(reader) = &mut self.current else {
                match self.rest.next().transpose() {
                    Ok(Some(reader)) => {
                        self.warn_of_about(&reader.info().about);
                        self.current = Some(reader);
                    }
                    Ok(None) => return Ok(false),
                    Err(error) => return Err(self.end_by(error)),
                }
                continue;
            };
            match reader.read(utt) {
                Ok(true) => {
                    self.begun = true;
                    self.numbers.give(utt, reader.info().keys);
                    // Batches have no utterance's key.
                    if let Some(owners) = self.owners.as_mut().filter(|_| utt.sequences.is_none()) {
                        owners.check(&utt.key, self.now, &self.names)?;
                    }
                    return Ok(true);
                }
                Ok(false) => {
                    self.warn_if_empty();
                    self.go_on();
                }
                Err(error) if error.can_continue() => {
                    self.begun = true;
                    return Err(error);
                }
                Err(error) => return Err(self.end_by(error)),
            }
        }
    }

    /// Goes on to the next data set.
    fn go_on(&mut self) {
        self.now += 1;
        self.begun = false;
        self.current = None;
        self.numbers.go_on();
    }

    /// Goes on to the next data set after an error that ended this one.
    fn end_by(&mut self, error: Error) -> Error {
        let error = match self.names.get(self.now) {
            Some(name) => error.file(name),
            None => error,
        };
        self.go_on();
        match error.ends_one_input() {
            true => error.continuable(),
            false => error,
        }
    }

    fn warn_if_empty(&self) {
        if self.tells_empty && !self.begun {
            self.warn(Error::unfit("holds no utterances"));
        }
    }

    fn warn_of_about(&self, about: &About) {
        let differ = about.differs_from(&self.info.about);
        if !differ.is_empty() {
            let differ: Vec<_> = differ.into_iter().map(AboutField::name).collect();
            let message = format!(
                "the first input says otherwise or nothing of {}, and that is kept",
                differ.join(", ")
            );
            self.warn(Error::unfit(message));
        }
    }

    /// Warns of the current data set.
    fn warn(&self, error: Error) {
        if let (Some(env), Some(name)) = (&self.told, self.names.get(self.now)) {
            env.warn(&error.file(name));
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl<I: Iterator<Item = Result<Box<dyn Reader>>> + Send> Reader for Chain<I> {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.over {
            return Ok(false);
        }
        let read = self.next(utt);
        self.over = is_last(&read);
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::tests::{List, utterance};
    use crate::stage::{Filter, Partition, PartitionSize};

    #[test]
    fn a_key_is_of_one_data_set() {
        let lists = || {
            let list = |keys: &[&str]| List::of(keys.iter().map(|key| utterance(key, &[1.0], 1)));
            [&["a", "b", "a"][..], &["c", "b"], &["c", "d"]].map(|keys| Ok(list(keys)))
        };
        let read = |mut chain: Box<dyn Reader>| {
            let mut utt = Utterance::default();
            let mut next = || match chain.read(&mut utt) {
                Ok(true) => Some(utt.key.to_string()),
                Ok(false) => None,
                Err(error) => Some(error.kind_and_place().1),
            };
            std::iter::from_fn(&mut next).collect::<Vec<_>>()
        };
        let all = read(Box::new(Chain::new(lists().into_iter()).unwrap()));
        assert_eq!(all, ["a", "b", "a", "c", "b", "c", "d"]);
        let chain = Chain::new(lists().into_iter()).unwrap();
        let (b, c) = ("y: utterance b", "z: utterance c");
        let names = ["x", "y", "z"].map(str::to_owned).to_vec();
        let distinct = read(Box::new(chain.named(names).distinct(Limits::default())));
        assert_eq!(distinct, ["a", "b", "a", "c", b, c, "d"]);
    }

    #[test]
    fn the_next_follows_one_at_fault() {
        let list = |keys: &[&str]| List::of(keys.iter().map(|key| utterance(key, &[1.0], 1)));
        let cut = |keys: &[&str]| -> Box<dyn Reader> {
            let last = keys.last().map(ToString::to_string);
            Box::new(Filter::new(list(keys), move |utt: &Utterance| {
                match Some(utt.key.to_string()) == last {
                    true => Err(Error::truncated("cut")),
                    false => Ok(true),
                }
            }))
        };
        let openers = [
            Err(Error::malformed("no header")),
            Ok(cut(&["a", "b"])),
            Ok(list(&["c"])),
            Err(Error::usage("no such option")),
            Ok(list(&["d"])),
        ];
        let names = ["v", "w", "x", "y", "z"].map(str::to_owned).to_vec();
        let chain = Chain::of(DatasetInfo::default(), openers.into_iter());
        let (mut chain, mut utt) = (chain.named(names), Utterance::default());
        let mut told = Vec::new();
        loop {
            match chain.read(&mut utt) {
                Ok(true) => told.push(utt.key.to_string()),
                Ok(false) => break,
                Err(error) => told.push(format!("{error} {}", error.can_continue())),
            }
        }
        let expected = [
            "v: no header true",
            "a",
            "w: cut true",
            "c",
            "y: no such option false",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn partitions_go_on_counting() {
        let cut = |list| -> Result<Box<dyn Reader>> {
            let size = Some(PartitionSize::of_bytes(4));
            Ok(Box::new(Partition::new(list, size, Limits::default())))
        };
        let lists = [
            List::of([utterance("a", &[1.0, 2.0], 1)]),
            List::of([]),
            List::of([utterance("b", &[3.0], 1), utterance("c", &[4.0], 1)]),
        ];
        let mut chain = Chain::new(lists.into_iter().map(cut)).unwrap();
        let (mut utt, mut parts) = (Utterance::default(), Vec::new());
        while chain.read(&mut utt).unwrap() {
            parts.push((utt.key.to_string(), utt.part.unwrap()));
        }
        let keys = parts.iter().map(|(key, _)| key.as_str());
        assert_eq!(
            keys.collect::<Vec<_>>(),
            ["a-0000000-0000001", "a-0000001-0000002", "b", "c"]
        );
        let parts: Vec<_> = parts.iter().map(|(_, part)| *part).collect();
        assert_eq!(parts, [0, 1, 2, 3]);
    }
}
