//! Statistics of groups of utterances.

use std::collections::HashMap;
use std::str::FromStr;

use super::sums::{Normaliser, Sums, features_of};
use crate::bytes::MemoryCounter;
use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{Key, Limits, Utterance};
use crate::stage::speakers::speaker_of;

/// The utterances that share statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CmvnGroup {
    /// Each utterance for itself.
    #[default]
    Utterance,
    /// All utterances of a speaker.
    Speaker,
    /// All utterances.
    Global,
}

impl CmvnGroup {
    /// Returns the key of the statistics of an utterance.
    ///
    /// # Errors
    /// Its speaker is not known.
    pub(super) fn key(self, utt: &Utterance) -> Result<Key> {
        match self {
            Self::Utterance => Ok(utt.key.clone()),
            Self::Speaker => speaker_of(utt).cloned(),
            Self::Global => Ok(Self::global()),
        }
    }

    /// The key under which statistics of all utterances are written.
    fn global() -> Key {
        "global".into()
    }
}

impl FromStr for CmvnGroup {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "utterance" => Ok(Self::Utterance),
            "speaker" => Ok(Self::Speaker),
            "global" => Ok(Self::Global),
            _ => Err(Error::usage(format!(
                "'{text}' is not utterance, speaker or global"
            ))),
        }
    }
}

/// The sums of each group in memory: two rows of 64-bit numbers.
pub struct CmvnTable {
    by: CmvnGroup,
    sums: HashMap<Key, Sums>,
    held: MemoryCounter,
    limits: Limits,
}

impl CmvnTable {
    /// Creates a table without groups.
    pub(super) fn new(by: CmvnGroup, limits: Limits) -> Self {
        Self {
            by,
            sums: HashMap::new(),
            held: MemoryCounter::new("the statistics of speakers"),
            limits,
        }
    }

    /// Sums up the features of all utterances of `reader`, which is read to its end. Utterances without
    /// features, and those that cannot be read or have no speaker, are left out: whoever reads the data
    /// after it comes to the same errors.
    ///
    /// # Errors
    /// The reader fails for good, or there are too many groups for `limits`.
    pub fn of(by: CmvnGroup, reader: &mut dyn Reader, limits: Limits) -> Result<Self> {
        let (mut table, mut utt) = (Self::new(by, limits), Utterance::default());
        loop {
            let read = reader.read(&mut utt);
            let added = read.and_then(|more| match more {
                true => table.add(&utt).map(|()| true),
                false => Ok(false),
            });
            match added {
                Ok(true) => {}
                Ok(false) => return Ok(table),
                Err(error) if error.can_continue() => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads statistics as Kaldi stores them from a data set that has a matrix for each group, two rows
    /// with one column more than features have: the sums with the number of frames, and the sums of
    /// squares with a 0. The second may be missing.
    ///
    /// # Errors
    /// A matrix has another shape, a key comes twice, or there is not just one of all utterances.
    pub fn stored(by: CmvnGroup, reader: &mut dyn Reader, limits: Limits) -> Result<Self> {
        let (mut table, mut utt) = (Self::new(by, limits), Utterance::default());
        while reader.read(&mut utt)? {
            let sums = match &utt.features {
                Some(matrix) => Sums::stored(matrix),
                None => Err(Error::unfit("has no matrix of statistics")),
            };
            let sums = sums.map_err(|e| e.utterance(&utt.key))?;
            let key = match by {
                CmvnGroup::Global => CmvnGroup::global(),
                CmvnGroup::Utterance | CmvnGroup::Speaker => utt.key.clone(),
            };
            table
                .held
                .keep(sums.bytes() + key.as_bytes().len(), &limits)?;
            if table.sums.insert(key, sums).is_some() {
                let message = match by {
                    CmvnGroup::Global => "a second matrix, where one is for all utterances",
                    CmvnGroup::Utterance | CmvnGroup::Speaker => "a second matrix with this key",
                };
                return Err(Error::unfit(message).utterance(&utt.key));
            }
        }
        match (by, table.sums.is_empty()) {
            (CmvnGroup::Global, true) => Err(Error::unfit("holds no statistics")),
            _ => Ok(table),
        }
    }

    /// Adds the features of an utterance to its group.
    ///
    /// # Errors
    /// It has no features, its speaker is not known, or it has integers or other columns than those before it, which cost
    /// this utterance; or there are too many groups for the limits.
    pub(super) fn add(&mut self, utt: &Utterance) -> Result<()> {
        let faulty = |e: Error| e.utterance(&utt.key).continuable();
        let features = features_of(utt).map_err(faulty)?;
        let key = self.by.key(utt)?;
        if let Some(sums) = self.sums.get_mut(&key) {
            return sums.add(features).map_err(faulty);
        }
        let mut sums = Sums::default();
        sums.add(features).map_err(faulty)?;
        self.held
            .keep(sums.bytes() + key.as_bytes().len(), &self.limits)?;
        self.sums.insert(key, sums);
        Ok(())
    }

    /// Returns how the features of an utterance are normalised.
    ///
    /// # Errors
    /// There are no statistics of its group, or they do not suffice.
    pub(super) fn normaliser(&self, utt: &Utterance, variance: bool) -> Result<Normaliser> {
        let key = self.by.key(utt)?;
        let whose = || match self.by {
            CmvnGroup::Utterance => "it".to_owned(),
            CmvnGroup::Speaker => format!("its speaker '{key}'"),
            CmvnGroup::Global => "all utterances".to_owned(),
        };
        match self.sums.get(&key) {
            Some(sums) => sums.normaliser(variance),
            None => Err(Error::unfit(format!(
                "there are no statistics of {}",
                whose()
            ))),
        }
    }

    /// Returns the sums of all groups in the order of their keys.
    pub(super) fn into_sorted(self) -> Vec<(Key, Sums)> {
        let mut sorted: Vec<_> = self.sums.into_iter().collect();
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        sorted
    }
}
