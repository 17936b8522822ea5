//! What the parts of a split get.

use std::collections::BTreeMap;

use spr_core::model::{Decimal, Utterance};
use spr_stats::Row;

use super::outcome::PartTotals;
use crate::plan::Split;

/// The totals of each part that something went to.
#[derive(Default)]
pub(super) struct Parts {
    totals: BTreeMap<u64, Totals>,
    /// The utterance that is written.
    next: Option<(u64, Totals)>,
}

#[derive(Clone, Copy)]
struct Totals {
    utterances: u64,
    frames: u64,
    seconds: Option<f64>,
}

impl Parts {
    /// Measures an utterance that goes to a part, before an output changes it. `shift` is the frame shift
    /// of the data set.
    pub(super) fn measure(&mut self, part: u64, utt: &Utterance, shift: Option<Decimal>) {
        let totals = Totals {
            utterances: 1,
            frames: utt.frames(),
            seconds: Row::new(utt, shift).seconds(),
        };
        self.next = Some((part, totals));
    }

    /// Counts the utterance that was measured, once it is written.
    pub(super) fn count(&mut self) {
        let Some((part, next)) = self.next.take() else {
            return;
        };
        let none = Totals {
            utterances: 0,
            frames: 0,
            seconds: Some(0.0),
        };
        let totals = self.totals.entry(part).or_insert(none);
        *totals = Totals {
            utterances: totals.utterances + next.utterances,
            frames: totals.frames + next.frames,
            seconds: totals.seconds.zip(next.seconds).map(|(a, b)| a + b),
        };
    }

    /// Returns the number of parts.
    pub(super) fn len(&self) -> u64 {
        self.totals.len() as u64
    }

    /// Returns the totals with the names of the parts.
    pub(super) fn named(&self, split: &Split) -> Vec<PartTotals> {
        let totals = self.totals.iter();
        let named = totals.map(|(part, totals)| PartTotals {
            name: split.part_name(*part).text(0),
            utterances: totals.utterances,
            frames: totals.frames,
            seconds: totals.seconds,
        });
        named.collect()
    }
}
