//! What is known of all utterances, of some, or of none.

use std::collections::BTreeMap;

use spr_core::model::Utterance;

use super::super::layout::{EXTRAS, UTT2DUR, UTT2FRAMES};
use super::row::{duration, tag};

/// How many utterances have what.
#[derive(Default)]
pub(super) struct Known {
    pub(super) utterances: u64,
    pub(super) texts: u64,
    pub(super) languages: u64,
    /// Genders that Kaldi has a letter for.
    pub(super) genders: u64,
    pub(super) speakers: u64,
    pub(super) durations: u64,
    pub(super) stretches: u64,
    pub(super) tags: BTreeMap<&'static str, u64>,
}

impl Known {
    pub(super) fn count(&mut self, row: &Utterance) {
        let meta = &row.meta;
        self.utterances += 1;
        self.texts += u64::from(row.text.is_some());
        self.languages += u64::from(meta.language.is_some());
        let gender = meta.gender.as_ref().map(|gender| letter(gender.as_bytes()));
        self.genders += u64::from(gender.flatten().is_some());
        self.speakers += u64::from(meta.speaker.is_some());
        self.durations += u64::from(duration(row).is_some());
        self.stretches += u64::from(meta.start.is_some());
        for (name, _) in EXTRAS {
            if tag(row, name).is_some() {
                *self.tags.entry(name).or_default() += 1;
            }
        }
    }

    /// Whether so many are all.
    pub(super) fn is_all(&self, count: u64) -> bool {
        count == self.utterances
    }

    /// Whether the table of a tag is written: those that Kaldi knows have a line for each utterance.
    pub(super) fn has_table(&self, name: &str) -> bool {
        let count = self.tags.get(name).copied().unwrap_or_default();
        let any = matches!(
            name,
            "utt2num_samples" | "utt2category" | "utt2sid" | "utt2lid"
        );
        match name {
            UTT2DUR => self.is_all(self.durations),
            UTT2FRAMES => count > 0 && self.is_all(count),
            _ => count > 0 && (any || self.is_all(count)),
        }
    }
}

/// Kaldi's letter for a gender.
pub(super) fn letter(gender: &[u8]) -> Option<&'static [u8]> {
    match gender {
        b"m" | b"M" | b"male" | b"Male" => Some(b"m"),
        b"f" | b"F" | b"female" | b"Female" => Some(b"f"),
        _ => None,
    }
}
