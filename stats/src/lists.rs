//! Utterances and speakers one by one.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use spr_core::model::Key;

use crate::entry::Entry;

/// The number of utterances among the longest, and among the shortest.
const ENDS: usize = 10;
/// The number of utterances among the first, and of bytes in their keys.
const FIRST: usize = 10_000;
const FIRST_KEYS: usize = 300_000;
/// The number of speakers that are told apart.
const SPEAKERS: usize = 10_000;

/// The utterances and speakers of a data set, some of very many.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// The first utterances.
    pub first: Vec<ListedUtterance>,
    /// Bytes of their keys.
    first_keys: usize,
    /// The longest utterances, the longest first.
    pub longest: Vec<ListedUtterance>,
    /// The shortest utterances, the shortest first.
    pub shortest: Vec<ListedUtterance>,
    /// The first of the shortest utterances that are not empty.
    pub shortest_filled: Option<ListedUtterance>,
    /// The first speakers.
    pub speakers: BTreeMap<Key, SpeakerTotals>,
    /// Utterances of other speakers.
    pub others: u64,
    /// Element types of the columns or channels that [`Entry::dim`] counts.
    pub dtypes: BTreeSet<&'static str>,
}

/// An utterance in a list.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct ListedUtterance {
    /// The number of utterances before it in the data set.
    pub place: u64,
    /// The facts of the utterance.
    pub entry: Entry,
}

/// The sum of a speaker's utterances.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpeakerTotals {
    /// Utterances.
    pub utterances: u64,
    /// Frames, or samples of sound alone.
    pub length: u64,
    /// Seconds of the utterances with a known duration.
    pub seconds: f64,
    /// Utterances with a known duration.
    pub timed: u64,
}

impl Lists {
    /// Adds one more utterance.
    pub(crate) fn add(&mut self, listed: ListedUtterance, speaker: Option<&Key>) {
        if let Some(speaker) = speaker {
            self.add_speaker(speaker, &listed.entry);
        }
        self.dtypes.extend(listed.entry.dtype);
        insert(&mut self.longest, &listed, Ordering::Greater);
        insert(&mut self.shortest, &listed, Ordering::Less);
        let filled = self.shortest_filled.as_ref();
        let is_shorter = |old: &ListedUtterance| listed.entry.compare_length(&old.entry).is_lt();
        if listed.entry.frames > 0 && filled.is_none_or(is_shorter) {
            self.shortest_filled = Some(listed.clone());
        }
        self.first_keys += listed.entry.key.as_bytes().len();
        if self.first.len() < FIRST && self.first_keys <= FIRST_KEYS {
            self.first.push(listed);
        }
    }

    fn add_speaker(&mut self, speaker: &Key, entry: &Entry) {
        if self.speakers.len() >= SPEAKERS && !self.speakers.contains_key(speaker) {
            self.others += 1;
            return;
        }
        let spoken = self.speakers.entry(speaker.clone()).or_default();
        spoken.utterances += 1;
        spoken.length += entry.frames;
        spoken.seconds += entry.seconds.unwrap_or_default();
        spoken.timed += u64::from(entry.seconds.is_some());
    }
}

/// Inserts an utterance before the first to which its length compares as `before`.
fn insert(list: &mut Vec<ListedUtterance>, new: &ListedUtterance, before: Ordering) {
    let is_later = |old: &ListedUtterance| new.entry.compare_length(&old.entry) == before;
    // Most come last.
    let at = list.iter().rposition(|old| !is_later(old));
    let at = at.map_or(0, |at| at + 1);
    if at < ENDS {
        list.insert(at, new.clone());
        list.truncate(ENDS);
    }
}
