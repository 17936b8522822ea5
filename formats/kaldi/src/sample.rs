//! Reading ahead of the first entries of a table, some of which may be faulty.

use std::collections::VecDeque;

use spr_core::model::Utterance;
use spr_core::{Error, Result};

use crate::object::{DetectedKinds, ObjectReader};

/// The number of entries of one group that determines the content of a table.
const ENOUGH: usize = 3;
/// The largest numbers of readable entries, and of all entries, that are inspected.
const READ: usize = 5;
pub(crate) const TRIED: usize = 16;

/// A table with sequential access to its entries.
pub(crate) trait Entries {
    /// Returns the reader of its objects.
    fn objects(&mut self) -> &mut ObjectReader;

    /// Reads the next entry.
    ///
    /// # Errors
    /// As for a reader of the format.
    fn next(&mut self, utt: &mut Utterance) -> Result<bool>;
}

/// Entries that were read ahead.
pub(crate) type EntriesAhead = VecDeque<(Utterance, Result<bool>)>;

/// Reads the first entries, each as if it were the first one. From then on expects the kind of most
/// of them; others become errors.
pub(crate) fn sample(table: &mut impl Entries) -> EntriesAhead {
    let (mut tried, mut votes) = (Vec::new(), Votes::default());
    table.objects().sample();
    while tried.len() < TRIED && !votes.are_enough() {
        let mut utt = Utterance::default();
        let read = table.next(&mut utt);
        let ended = match &read {
            Ok(more) => !more,
            Err(error) => !error.can_continue(),
        };
        let found = match &read {
            Ok(true) => table.objects().found().clone(),
            Ok(false) | Err(_) => DetectedKinds::default(),
        };
        votes.add(&found);
        tried.push((utt, read, found));
        if ended {
            break;
        }
    }
    table.objects().expect(votes.winner());
    let judged = tried
        .into_iter()
        .map(|(utt, read, found)| match table.objects().misfit(&found) {
            Some(error) => {
                let error = placed(error, &utt);
                (utt, Err(error))
            }
            None => (utt, read),
        });
    judged.collect()
}

fn placed(error: Error, utt: &Utterance) -> Error {
    utt.origin.place(error).utterance(&utt.key)
}

/// The groups of the entries so far, in order of first occurrence.
#[derive(Default)]
pub(crate) struct Votes(Vec<(DetectedKinds, usize)>);

impl Votes {
    /// Counts an entry, if it was read.
    pub(crate) fn add(&mut self, found: &DetectedKinds) {
        let group = found.group();
        if group.is_none() {
            return;
        }
        match self.0.iter_mut().find(|(first, _)| first.group() == group) {
            Some((_, votes)) => *votes += 1,
            None => self.0.push((found.clone(), 1)),
        }
    }

    pub(crate) fn are_enough(&self) -> bool {
        let votes = self.0.iter().map(|(_, votes)| *votes);
        votes.clone().any(|n| n >= ENOUGH) || votes.sum::<usize>() >= READ
    }

    /// Returns the most frequent group, the first one in case of a tie.
    pub(crate) fn winner(self) -> DetectedKinds {
        let most = self.0.iter().map(|(_, votes)| *votes).max();
        let mut votes = self.0.into_iter();
        let winner = votes.find(|(_, votes)| Some(*votes) == most);
        winner.map(|(found, _)| found).unwrap_or_default()
    }
}
