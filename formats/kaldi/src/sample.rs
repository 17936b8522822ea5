//! Reading ahead what the first entries of a table are, where some of them may be at fault.

use std::collections::VecDeque;

use spr_core::model::{Position, Utterance};
use spr_core::{Error, Result};

use crate::object::{Found, ObjectReader};

/// As many entries of one group settle what a table holds.
const ENOUGH: usize = 3;
/// Entries that can be read, and entries altogether, of which it is told.
const READ: usize = 5;
pub(crate) const TRIED: usize = 16;

/// A table whose entries are read in order.
pub(crate) trait Entries {
    /// The reader of its objects.
    fn objects(&mut self) -> &mut ObjectReader;

    /// Reads the next entry.
    ///
    /// # Errors
    /// As a reader of the format.
    fn next(&mut self, utt: &mut Utterance) -> Result<bool>;
}

/// Entries that were read ahead.
pub(crate) type Waiting = VecDeque<(Utterance, Result<bool>)>;

/// Reads the first entries, each as if it was the first, and from then on expects what most of
/// them hold; those of another sort become errors.
pub(crate) fn sample(table: &mut impl Entries) -> Waiting {
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
            Ok(false) | Err(_) => Found::default(),
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
    let error = match &utt.origin.file {
        Some(file) => error.file(&**file),
        None => error,
    };
    let error = match utt.origin.at {
        Some(Position::Byte(at)) => error.byte(at),
        Some(Position::Line(line)) => error.line(line),
        None => error,
    };
    error.utterance(&utt.key)
}

/// What the entries tried so far were, by groups in the order in which they came.
#[derive(Default)]
pub(crate) struct Votes(Vec<(Found, usize)>);

impl Votes {
    /// Counts an entry, if it was read.
    pub(crate) fn add(&mut self, found: &Found) {
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

    /// What most were; of two that are as many, the one that came first.
    pub(crate) fn winner(self) -> Found {
        let most = self.0.iter().map(|(_, votes)| *votes).max();
        let mut votes = self.0.into_iter();
        let winner = votes.find(|(_, votes)| Some(*votes) == most);
        winner.map(|(found, _)| found).unwrap_or_default()
    }
}
