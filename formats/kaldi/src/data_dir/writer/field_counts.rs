//! Counts of fields that all utterances have, some, or none.

use std::collections::BTreeMap;

use spr_core::model::Utterance;

use super::super::layout::{UTT2DUR, UTT2FRAMES, is_complete, tag_tables};
use super::row::{duration, tag};

/// The number of utterances with each field.
#[derive(Default)]
pub(super) struct FieldCounts {
    pub(super) utterances: u64,
    pub(super) texts: u64,
    pub(super) languages: u64,
    /// The number of genders with a letter in Kaldi.
    pub(super) genders: u64,
    pub(super) speakers: u64,
    pub(super) durations: u64,
    pub(super) stretches: u64,
    pub(super) tags: BTreeMap<&'static str, u64>,
}

impl FieldCounts {
    pub(super) fn count(&mut self, row: &Utterance) {
        let meta = &row.meta;
        self.utterances += 1;
        self.texts += u64::from(row.text.is_some());
        self.languages += u64::from(meta.language.is_some());
        self.genders += u64::from(meta.gender_letter().is_some());
        self.speakers += u64::from(meta.speaker.is_some());
        self.durations += u64::from(duration(row).is_some());
        self.stretches += u64::from(meta.start.is_some());
        for table in tag_tables() {
            if tag(row, table.name).is_some() {
                *self.tags.entry(table.name).or_default() += 1;
            }
        }
    }

    /// Returns `true` if `count` is the number of all utterances.
    pub(super) fn is_all(&self, count: u64) -> bool {
        count == self.utterances
    }

    /// Returns `true` if the table of a tag is written. Tables that Kaldi knows need a line for
    /// each utterance.
    pub(super) fn has_table(&self, name: &str) -> bool {
        let count = self.tags.get(name).copied().unwrap_or_default();
        match name {
            UTT2DUR => self.is_all(self.durations),
            UTT2FRAMES => count > 0 && self.is_all(count),
            _ => count > 0 && (!is_complete(name) || self.is_all(count)),
        }
    }
}
