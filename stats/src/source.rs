//! Speakers and languages of a data set, and the meaning of its columns, in little memory.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault};

use spr_core::model::{Key, Meta, TagSubject};

/// The languages that are told apart, and the names and values of header lines.
const MANY: usize = 100;

/// The speakers and languages of a data set, and what headers say of the columns.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Speakers as 64-bit hashes.
    speakers: HashSet<u64>,
    /// Languages, each with its number of utterances.
    pub languages: BTreeMap<Key, u64>,
    /// The values of header lines that say in words what the columns are, by their names.
    pub columns: BTreeMap<String, BTreeSet<String>>,
}

impl Sources {
    /// Returns the number of speakers.
    pub fn speakers(&self) -> u64 {
        self.speakers.len() as u64
    }

    /// Returns the number of speakers that both data sets have.
    pub fn speakers_in_common(&self, other: &Self) -> u64 {
        self.speakers.intersection(&other.speakers).count() as u64
    }

    pub(crate) fn add(&mut self, meta: &Meta) {
        if let Some(speaker) = &meta.speaker {
            let hasher = BuildHasherDefault::<DefaultHasher>::default();
            self.speakers.insert(hasher.hash_one(speaker.as_bytes()));
        }
        if let Some(language) = &meta.language {
            let is_known = self.languages.contains_key(language);
            if is_known || self.languages.len() < MANY {
                *self.languages.entry(language.clone()).or_default() += 1;
            }
        }
        let of_columns = |about| about == Some(TagSubject::Columns);
        for tag in meta.tags.iter().filter(|tag| of_columns(tag.about)) {
            let value = String::from_utf8_lossy(&tag.value);
            // Numbers repeat the shape.
            if value.parse::<f64>().is_ok() {
                continue;
            }
            let name = String::from_utf8_lossy(&tag.key).into_owned();
            if self.columns.len() < MANY || self.columns.contains_key(&name) {
                let values = self.columns.entry(name).or_default();
                if values.len() < MANY && !values.contains(&*value) {
                    values.insert(value.into_owned());
                }
            }
        }
    }
}
