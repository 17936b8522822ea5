//! What is to be seen of a whole data set.

use std::collections::{BTreeMap, BTreeSet};

use spr_core::format::Reader;
use spr_core::model::{Key, Matrix, Utterance};
use spr_core::{Error, Result, Symbols, dispatch};
use spr_stats::{Entry, Stats, number};
use spr_text::harmless;

use super::{Detail, Picture};

/// Utterances listed of the longest, and of the shortest.
const LISTED: usize = 10;
/// Utterances listed of the first.
const FIRST: usize = 10_000;
/// Bytes of their keys.
const FIRST_KEYS: usize = 300_000;

/// Speakers that are told apart.
const SPEAKERS: usize = 10_000;
/// Utterances named as those with values that are no numbers.
const NAMED: usize = 3;

/// A data set, summed up in one pass and little memory.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// Numbers about numbers.
    pub stats: Stats,
    /// What utterances hold.
    pub kinds: BTreeSet<String>,
    /// Element types, of features where there are some.
    pub dtypes: BTreeSet<&'static str>,
    /// What utterances were decoded from.
    pub codings: BTreeSet<String>,
    /// Sampling rates.
    pub rates: BTreeSet<u32>,
    /// How many recordings last how many hundredths of a second.
    pub durations: BTreeMap<u64, u64>,
    /// How many utterances have features that are NaN or infinite, and the first of them.
    pub odd: (u64, Vec<Key>),
    /// Speakers, of very many the first.
    pub speakers: BTreeMap<Key, Spoken>,
    /// Utterances of speakers that are not among them.
    pub others: u64,
    /// The first utterances.
    pub first: Vec<Listed>,
    /// Bytes of their keys.
    first_keys: usize,
    /// The longest ones, the longest first.
    pub longest: Vec<Listed>,
    /// The shortest ones, the shortest first.
    pub shortest: Vec<Listed>,
    /// Pictures of the first, the longest and the shortest utterance, where asked for.
    pub pictures: [Option<Picture>; 3],
}

/// What a speaker has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spoken {
    /// Utterances.
    pub utterances: u64,
    /// Frames, or samples of sound alone.
    pub length: u64,
    /// Seconds of those utterances that say how long they last.
    pub seconds: f64,
    /// Utterances that say it.
    pub timed: u64,
}

/// An utterance in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Which one it is in the data set, counted from 0.
    pub place: u64,
    /// What it is.
    pub entry: Entry,
}

impl Overview {
    /// Reads a data set to its end; `pictures` says how much pictures of utterances show.
    ///
    /// # Errors
    /// It can't be read.
    pub fn read(reader: &mut dyn Reader, pictures: Option<Detail>) -> Result<Self> {
        Self::read_past(reader, pictures, Err)
    }

    /// Reads a data set as far as can be, and hands errors to `tell`.
    ///
    /// # Errors
    /// What `tell` does not pass over.
    pub fn read_past(
        reader: &mut dyn Reader,
        pictures: Option<Detail>,
        mut tell: impl FnMut(Error) -> Result<()>,
    ) -> Result<Self> {
        let mut all = Self::default();
        let mut utt = Utterance::default();
        loop {
            match reader.read(&mut utt) {
                Ok(true) => all.add(&utt, pictures)?,
                Ok(false) => break,
                Err(error) => {
                    let more = error.can_continue();
                    tell(error)?;
                    if !more {
                        break;
                    }
                }
            }
        }
        all.stats.finish();
        Ok(all)
    }

    /// Puts names in place of labels that are numbers, and have one.
    pub fn name(&mut self, symbols: &Symbols) {
        for count in self.stats.labels.iter_mut().flatten() {
            let name = count.label.as_i64().and_then(|n| symbols.name_of(n));
            if let Some(name) = name {
                count.label = Key::from(name).to_string().into();
            }
        }
        let pictures = self.pictures.iter_mut().flatten();
        pictures.for_each(|picture| picture.name(symbols));
    }

    /// What is said of values that are no numbers, if there are any: who has them.
    pub fn gaps(&self) -> Option<String> {
        let (count, named) = &self.odd;
        let names: Vec<_> = named.iter().map(|key| harmless(&key.to_string())).collect();
        let more = match *count > named.len() as u64 {
            true => ", ..",
            false => "",
        };
        let whose = match count {
            0 => return None,
            1 => "one utterance".to_owned(),
            n => format!("{n} utterances"),
        };
        let names = names.join(", ");
        Some(format!("NaN or infinite values in {whose}: {names}{more}"))
    }

    fn add(&mut self, utt: &Utterance, pictures: Option<Detail>) -> Result<()> {
        let (place, entry) = (self.stats.utterances, Entry::of(utt));
        self.stats.add(utt)?;
        if utt.features.as_ref().map_or(Ok(false), has_gaps)? {
            self.odd.0 += 1;
            if self.odd.1.len() < NAMED {
                self.odd.1.push(utt.key.clone());
            }
        }
        self.kinds.extend(entry.kinds.iter().cloned());
        self.dtypes.extend(entry.dtype);
        if let Some(coding) = &utt.origin.coding
            && !self.codings.contains(&**coding)
        {
            self.codings.insert(coding.to_string());
        }
        if let (Some(audio), Some(seconds)) = (&utt.audio, entry.seconds) {
            let hundredths = super::whole((seconds * 100.0).round()) as u64;
            *self.durations.entry(hundredths).or_default() += 1;
            self.rates.extend(audio.facts().rate);
        }
        if let Some(speaker) = &utt.meta.speaker {
            let known = self.speakers.len() < SPEAKERS || self.speakers.contains_key(speaker);
            match known {
                true => {
                    let has = self.speakers.entry(speaker.clone()).or_default();
                    has.utterances += 1;
                    has.length += entry.frames;
                    has.seconds += entry.seconds.unwrap_or_default();
                    has.timed += u64::from(entry.seconds.is_some());
                }
                false => self.others += 1,
            }
        }
        let length = entry.frames;
        let listed = Listed { place, entry };
        let first = place == 0;
        self.first_keys += listed.entry.key.as_bytes().len();
        if self.first.len() < FIRST && self.first_keys <= FIRST_KEYS {
            self.first.push(listed.clone());
        }
        let [longest, shortest] = [
            insert(&mut self.longest, &listed, |new, old| new > old),
            insert(&mut self.shortest, &listed, |new, old| new < old),
        ];
        if let Some(detail) = pictures {
            let wanted = [first, longest && length > 0, shortest && length > 0];
            for (slot, wanted) in self.pictures.iter_mut().zip(wanted) {
                if wanted {
                    *slot = Some(Picture::with(utt, &detail)?);
                }
            }
        }
        Ok(())
    }
}

/// Whether a value is NaN or infinite.
fn has_gaps(matrix: &Matrix) -> Result<bool> {
    Ok(matrix.dtype().is_float()
        && dispatch!(matrix.dtype(), T => {
            matrix.values::<T>()?.iter().any(|v| !number(*v).is_finite())
        }))
}

/// Puts an utterance into a list of `most`, behind all that it does not come `before` by its length;
/// says whether it is at the head now.
fn insert(list: &mut Vec<Listed>, new: &Listed, before: fn(u64, u64) -> bool) -> bool {
    let later = |old: &Listed| before(new.entry.frames, old.entry.frames);
    // Most come last.
    let at = list
        .iter()
        .rposition(|old| !later(old))
        .map_or(0, |at| at + 1);
    if at >= LISTED {
        return false;
    }
    list.insert(at, new.clone());
    list.truncate(LISTED);
    at == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::Rank;

    #[test]
    fn the_longest_and_the_shortest_are_listed() {
        let mut all = Overview::default();
        for (i, frames) in [5usize, 9, 2, 9, 3, 7, 7, 1, 8, 4, 6, 2]
            .into_iter()
            .enumerate()
        {
            let utt = Utterance {
                key: format!("k{i}").as_str().into(),
                features: Some(Matrix::from_rows(&vec![0f32; frames], 1, Rank::Matrix).unwrap()),
                ..Utterance::default()
            };
            all.add(&utt, Some(Detail::new(9, 9))).unwrap();
        }
        let places = |list: &[Listed]| list.iter().map(|l| l.place).collect::<Vec<_>>();
        assert_eq!(places(&all.first), (0..12).collect::<Vec<_>>());
        assert_eq!(places(&all.longest), [1, 3, 8, 5, 6, 10, 0, 9, 4, 2]);
        assert_eq!(places(&all.shortest), [7, 2, 11, 4, 9, 0, 10, 5, 6, 8]);
        let keys = all.pictures.map(|p| p.unwrap().key.to_string());
        assert_eq!(keys, ["k0", "k1", "k7"]);
    }

    #[test]
    fn utterances_with_values_that_are_no_numbers_are_named() {
        let mut all = Overview::default();
        for (i, value) in [1.0, f32::NAN, f32::INFINITY, 2.0, f32::NAN, f32::NAN]
            .into_iter()
            .enumerate()
        {
            let utt = Utterance {
                key: format!("u{i}").as_str().into(),
                features: Matrix::from_rows(&[value, 0.0], 2, Rank::Matrix).ok(),
                ..Utterance::default()
            };
            all.add(&utt, None).unwrap();
            if i == 1 {
                let said = all.gaps();
                let one = "NaN or infinite values in one utterance: u1";
                assert_eq!(said.as_deref(), Some(one));
            }
        }
        let said = all.gaps();
        let four = "NaN or infinite values in 4 utterances: u1, u2, u4, ..";
        assert_eq!(said.as_deref(), Some(four));
        assert_eq!(Overview::default().gaps(), None);
    }
}
