//! The facts of a data set, counted in one pass and little memory.

use std::collections::BTreeSet;

use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Decimal, Dtype, Matrix, Rank, Utterance};
use spr_core::{Error, Result};

use crate::column::Columns;
use crate::entry::{Entry, kinds, level};
use crate::label::{LabelCounts, LabelRange, LabelSet};
use crate::length::{LengthCounts, Lengths};
use crate::lists::{ListedUtterance, Lists};
use crate::sound::Sound;
use crate::source::Sources;

/// The facts that a survey counts. Each scope has all of the one before but the range of labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Kinds, shapes, durations, sound and the range of labels. The values of features are not
    /// looked at.
    #[default]
    Shapes,
    /// Also lengths, columns of the features and how often each label occurs.
    Numbers,
    /// Also lists of utterances and speakers.
    Lists,
}

/// The facts of a data set, as far as it was read. Parts beyond its scope are empty.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct Survey {
    scope: Scope,
    /// The facts of its headers.
    pub info: DatasetInfo,
    /// Utterances.
    pub utterances: u64,
    /// Frames of all utterances.
    pub frames: u64,
    /// Frames of the shortest and the longest utterance.
    pub shortest_longest: Option<(u64, u64)>,
    /// The kinds of data: `features`, `labels`, `audio`, …
    pub kinds: BTreeSet<String>,
    /// Numbers of columns of features that are not empty.
    pub dims: BTreeSet<usize>,
    /// Element types of features.
    pub dtypes: BTreeSet<Dtype>,
    /// Ranks of features: `scalar`, `vector`, `matrix`.
    pub ranks: BTreeSet<&'static str>,
    /// Numbers of columns of labels.
    pub label_columns: BTreeSet<usize>,
    /// Seconds from frame to frame.
    pub frame_shifts: BTreeSet<Decimal>,
    /// The sound.
    pub sound: Sound,
    /// Speakers and languages.
    pub sources: Sources,
    /// The counts of utterances by their lengths.
    pub length_counts: LengthCounts,
    /// The columns of the features.
    pub columns: Columns,
    /// The counts of labels.
    pub labels: LabelCounts,
    /// Utterances and speakers one by one.
    pub lists: Lists,
    label_set: LabelSet,
    codings: BTreeSet<String>,
    /// Utterances with sound of unknown duration.
    pub unmeasured: u64,
    seconds: f64,
    is_untimed: bool,
}

impl Survey {
    /// Begins a survey of data with these headers.
    pub fn new(scope: Scope, info: &DatasetInfo) -> Self {
        Self {
            scope,
            info: info.clone(),
            ..Self::default()
        }
    }

    /// Reads a data set to its end.
    ///
    /// # Errors
    /// The data set cannot be read; `self` then holds the utterances read before.
    pub fn read(&mut self, reader: &mut dyn Reader) -> Result<()> {
        self.read_past(reader, |_, _| Ok(()), Err)
    }

    /// Reads a data set as far as possible. Hands each utterance that was counted to `each`, and
    /// errors to `tell`.
    ///
    /// # Errors
    /// `each` fails, or an error that `tell` does not pass over; `self` then holds what was read
    /// before.
    pub fn read_past(
        &mut self,
        reader: &mut dyn Reader,
        mut each: impl FnMut(&Self, &Utterance) -> Result<()>,
        mut tell: impl FnMut(Error) -> Result<()>,
    ) -> Result<()> {
        let mut utt = Utterance::default();
        let result = loop {
            let (done, more) = match reader.read(&mut utt) {
                Ok(true) => (self.add(&utt).and_then(|()| each(self, &utt)), true),
                Ok(false) => (Ok(()), false),
                Err(error) => {
                    let more = error.can_continue();
                    (tell(error), more)
                }
            };
            if done.is_err() || !more {
                break done;
            }
        };
        self.columns.finish();
        result
    }

    fn add(&mut self, utt: &Utterance) -> Result<()> {
        let seconds = utt.duration(self.info.frame_shift).map(Decimal::value);
        let level = level(utt);
        let (place, frames) = (self.utterances, utt.frames());
        self.utterances += 1;
        self.frames += frames;
        let (least, most) = self.shortest_longest.unwrap_or((frames, frames));
        self.shortest_longest = Some((least.min(frames), most.max(frames)));
        insert_all(&mut self.kinds, kinds(utt));
        self.sources.add(&utt.meta);
        insert_all(&mut self.codings, utt.origin.coding.as_deref());
        let shift = utt.meta.frame_shift.or(self.info.frame_shift);
        self.frame_shifts.extend(shift);
        match seconds {
            Some(seconds) => self.seconds += seconds,
            None => {
                self.is_untimed = true;
                self.unmeasured += u64::from(utt.audio.is_some());
            }
        }
        if let Some(features) = &utt.features {
            self.add_shape(features);
        }
        if let Some(audio) = &utt.audio {
            self.sound.add(audio, level.as_ref());
        }
        if let Some(labels) = &utt.labels {
            self.label_columns.insert(labels.cols());
        }
        if self.scope == Scope::Shapes {
            let mut labels = utt.labels.iter();
            return labels.try_for_each(|labels| self.label_set.add(labels));
        }
        self.length_counts
            .add(frames, seconds.filter(|_| utt.audio.is_some()));
        if let Some(features) = &utt.features {
            self.columns.add(features, &utt.key)?;
        }
        if let Some(labels) = &utt.labels {
            self.labels.add(labels)?;
        }
        if self.scope == Scope::Lists {
            let speaker = utt.meta.speaker.as_ref();
            let entry = Entry::with(utt, seconds, level);
            self.lists.add(ListedUtterance { place, entry }, speaker);
        }
        Ok(())
    }

    fn add_shape(&mut self, features: &Matrix) {
        self.dtypes.insert(features.dtype());
        self.ranks.insert(match features.rank() {
            Rank::Scalar => "scalar",
            Rank::Vector => "vector",
            Rank::Matrix => "matrix",
        });
        if !features.is_empty() {
            self.dims.insert(features.cols());
        }
    }

    /// Returns the lengths in frames, of which the scope [`Shapes`](Scope::Shapes) knows none.
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more digits")]
    pub fn lengths(&self) -> Option<Lengths> {
        let (min, max) = self.shortest_longest?;
        Some(Lengths {
            min,
            mean: self.frames as f64 / self.utterances as f64,
            median: self.length_counts.median(self.utterances)?,
            max,
        })
    }

    /// Returns the seconds of all utterances, if each has a known duration.
    pub fn seconds(&self) -> Option<f64> {
        (self.utterances > 0 && !self.is_untimed).then_some(self.seconds)
    }

    /// Returns the seconds of the utterances with a known duration, if there is sound among those without.
    pub fn known_seconds(&self) -> Option<f64> {
        (self.unmeasured > 0 && self.seconds > 0.0).then_some(self.seconds)
    }

    /// Returns the coders that were undone on reading, joined by `+`.
    pub fn compression(&self) -> Option<String> {
        let all = self.info.compression.iter().chain(&self.codings);
        let all: Vec<_> = all.map(String::as_str).collect();
        (!all.is_empty()).then(|| all.join("+"))
    }

    /// Returns the range of the labels, in the scope [`Shapes`](Scope::Shapes).
    pub fn label_range(&self) -> Option<LabelRange> {
        self.label_set.range()
    }
}

/// Inserts words, and copies only new ones.
fn insert_all<T: AsRef<str>>(set: &mut BTreeSet<String>, words: impl IntoIterator<Item = T>) {
    for word in words {
        let word = word.as_ref();
        if !set.contains(word) {
            set.insert(word.to_owned());
        }
    }
}

#[cfg(test)]
mod tests;
