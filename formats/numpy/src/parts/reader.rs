//! The reader: collects the arrays of each utterance by name.

use std::collections::HashMap;

use spr_core::bytes::{Env, MemoryCounter};
use spr_core::format::{OpenedDataset, RandomAccess, Reader, Request, Weight};
use spr_core::model::{
    Audio, DatasetInfo, Dtype, Key, Matrix, NamedArray, Rank, Utterance, Waveform,
};
use spr_core::{Error, Result};

use super::names::{self, Role};
use crate::object;

/// A container of arrays, found through a directory.
pub(crate) trait Container: Send + 'static {
    /// The position of an array.
    type Place: Copy + Send;

    /// Returns its name for messages.
    fn name(&self) -> &str;

    /// Reads an array into `part`, which is empty. An array of up to two dimensions becomes
    /// features. Others, and every [array](Role::Array), become a named array. Without `values`
    /// only the shape of features is needed.
    ///
    /// # Errors
    /// The array is damaged, or exceeds the limits.
    fn read(
        &mut self,
        name: &[u8],
        place: Self::Place,
        role: Role<'_>,
        values: bool,
        part: &mut Utterance,
    ) -> Result<()>;
}

/// The arrays of one utterance, with their names.
struct Entry<P> {
    key: Key,
    arrays: Vec<(Box<[u8]>, P)>,
}

/// The arrays of a container, by utterance.
pub(crate) struct Entries<P> {
    list: Vec<Entry<P>>,
    places: HashMap<Key, usize>,
    held: MemoryCounter,
}

impl<P> Default for Entries<P> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            places: HashMap::new(),
            held: MemoryCounter::new("the list of arrays"),
        }
    }
}

impl<P: Copy + Send + 'static> Entries<P> {
    /// Adds an array.
    ///
    /// # Errors
    /// The name exists already.
    pub(crate) fn add(&mut self, name: &[u8], place: P, env: &Env) -> Result<()> {
        let (key, role) = names::parse(name);
        let bytes = size_of::<Entry<P>>() + size_of::<P>() + 2 * name.len();
        self.held.keep(bytes, &env.limits)?;
        let key = Key::from(key);
        let number = *self.places.entry(key).or_insert_with_key(|key| {
            self.list.push(Entry {
                key: key.clone(),
                // Most utterances have one, and there may be millions.
                arrays: Vec::with_capacity(1),
            });
            self.list.len() - 1
        });
        let arrays = &mut self.list[number].arrays;
        if arrays.iter().any(|(other, _)| **other == *name) {
            let name = String::from_utf8_lossy(name);
            return Err(Error::malformed(format!("has two arrays called {name}")));
        }
        // Audio needs its rate first.
        let at = if role == Role::Rate { 0 } else { arrays.len() };
        arrays.insert(at, (name.into(), place));
        Ok(())
    }

    /// Sorts the utterances by these keys, if they are exactly those.
    pub(crate) fn sort_by(&mut self, keys: &[Key]) {
        let order: HashMap<&Key, usize> = keys.iter().zip(0..).collect();
        if order.len() == self.list.len()
            && self.list.iter().all(|entry| order.contains_key(&entry.key))
        {
            self.list
                .sort_by_key(|entry| order.get(&entry.key).copied());
        }
    }

    /// Weighs the utterances in their order by the `size` of their arrays in bytes.
    ///
    /// # Errors
    /// Those of `each`.
    pub(crate) fn weigh(
        &self,
        size: impl Fn(&P) -> u64,
        each: &mut dyn FnMut(&Key, Weight) -> Result<()>,
    ) -> Result<()> {
        self.list.iter().try_for_each(|entry| {
            let sizes = entry.arrays.iter().map(|(_, place)| size(place));
            let weight = Weight {
                bytes: Some(sizes.sum()),
                ..Weight::default()
            };
            each(&entry.key, weight)
        })
    }

    /// Opens the requested utterances.
    ///
    /// # Errors
    /// There is no such shard.
    pub(crate) fn open<C: Container<Place = P>>(
        mut self,
        container: C,
        mut info: DatasetInfo,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        request.select(&mut self.list, |entry| &entry.key)?;
        info.utterances = Some(self.list.len() as u64);
        let mut reader = PartsReader {
            container,
            entries: self.list,
            next: 0,
            values: request.values,
            labels_only: object::wants_labels(request),
            info,
            env: env.clone(),
        };
        if !request.lookup {
            return Ok(OpenedDataset::stream(reader));
        }
        reader.values = true;
        let keys = reader.entries.iter().zip(0..);
        let places = keys.map(|(entry, n)| (entry.key.clone(), n)).collect();
        Ok(OpenedDataset::Table(Box::new(PartsTable {
            reader,
            places,
        })))
    }
}

/// A container with the requested selection.
struct PartsReader<C: Container> {
    container: C,
    entries: Vec<Entry<C::Place>>,
    /// The index of the next utterance.
    next: usize,
    values: bool,
    /// Whether only labels are requested.
    labels_only: bool,
    info: DatasetInfo,
    env: Env,
}

/// A container with lookup of utterances by key.
struct PartsTable<C: Container> {
    reader: PartsReader<C>,
    places: HashMap<Key, usize>,
}

impl<C: Container> PartsReader<C> {
    /// Reads the utterance with this index.
    fn fill(&mut self, number: usize, utt: &mut Utterance) -> Result<()> {
        let entry = &self.entries[number];
        utt.start();
        utt.key.set(entry.key.as_bytes());
        let (mut features, mut labels) = (Some(utt.spare_features()), Some(utt.spare_labels()));
        let mut rate = None;
        let mut part = Utterance::default();
        let unfit = |container: &C, name: &[u8], what: &str| {
            let name = String::from_utf8_lossy(name);
            Error::malformed(format!("the array {name} {what}")).file(container.name())
        };
        let is_sound = |name: &[u8]| names::parse(name).1 == Role::Audio;
        let has_sound = entry.arrays.iter().any(|(name, _)| is_sound(name));
        for (name, place) in &entry.arrays {
            let role = match names::parse(name).1 {
                // Without sound it is not the rate of any.
                Role::Rate if !has_sound => Role::Array(names::LONE_RATE),
                role => role,
            };
            part.features = match role {
                Role::Plain => features.take(),
                Role::Labels => labels.take(),
                Role::Audio | Role::Rate | Role::Array(_) => None,
            };
            let values = self.values || role != Role::Plain;
            self.container.read(name, *place, role, values, &mut part)?;
            let array = part.arrays.pop();
            match (role, part.features.take(), array) {
                (Role::Plain, matrix @ Some(_), None) => utt.features = matrix,
                (Role::Labels, matrix @ Some(_), None) => utt.labels = matrix,
                (Role::Rate, Some(matrix), None) => {
                    let one = one_rate(&matrix, &self.env)?;
                    let what = "is not a rate: expected one integer above 0";
                    rate = Some(one.ok_or_else(|| unfit(&self.container, name, what))?);
                }
                (Role::Audio, Some(samples), None) => {
                    let what = "is sound, but no array has its rate";
                    let rate = rate.ok_or_else(|| unfit(&self.container, name, what))?;
                    let samples = sound(samples)?;
                    utt.audio = Some(Audio::Samples(Waveform { rate, samples }));
                }
                (Role::Plain, None, Some(array)) => utt.arrays.push(array),
                (Role::Array(own), None, Some(array)) => {
                    let name = String::from_utf8_lossy(own).into_owned();
                    utt.arrays.push(NamedArray { name, ..array });
                }
                _ => {
                    let what = "has too many dimensions";
                    return Err(unfit(&self.container, name, what));
                }
            }
        }
        if self.labels_only {
            object::take_as_labels(utt);
        }
        utt.origin.file = Some(self.container.name().into());
        Ok(())
    }

    fn read_number(&mut self, number: usize, utt: &mut Utterance) -> Result<()> {
        let filled = self.fill(number, utt);
        filled.map_err(|e| e.utterance(&self.entries[number].key).continuable())
    }
}

/// Returns the value of an array that is a single sampling rate.
fn one_rate(matrix: &Matrix, env: &Env) -> Result<Option<u32>> {
    let is_float = matrix.dtype().is_float();
    let mut values = matrix.clone();
    values.cast(Dtype::U32, &env.limits)?;
    Ok(match values.as_slice::<u32>() {
        Some([rate]) if *rate > 0 && !is_float => Some(*rate),
        _ => None,
    })
}

/// Returns samples with one column per channel.
fn sound(mut samples: Matrix) -> Result<Matrix> {
    let (rows, cols) = (samples.rows(), samples.cols());
    samples.reshape(Rank::Matrix, rows, cols)?;
    Ok(samples)
}

impl<C: Container> Reader for PartsReader<C> {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let number = self.next;
        if number >= self.entries.len() {
            return Ok(false);
        }
        self.next += 1;
        self.read_number(number, utt)?;
        Ok(true)
    }
}

impl<C: Container> RandomAccess for PartsTable<C> {
    fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
        let Some(number) = self.places.get(key).copied() else {
            return Ok(false);
        };
        self.reader.read_number(number, utt)?;
        Ok(true)
    }

    fn keys(&self) -> Option<Vec<Key>> {
        let entries = self.reader.entries.iter();
        Some(entries.map(|entry| entry.key.clone()).collect())
    }

    fn find_twice(&mut self) -> Result<Option<Key>> {
        Ok(None)
    }
}
