//! Models that say what the labels of an alignment stand for.

use crate::Result;
use crate::bytes::{Env, Source};

/// The models of a format that give labels their meaning: a Kaldi transition model maps the
/// transition ids of alignments to phones or pdfs.
pub trait LabelModels: Send + Sync {
    /// Returns the names that a model has in the folder of its alignments, the preferred one first.
    fn names(&self) -> &'static [&'static str];

    /// Returns what a model maps labels to, such as `phones`.
    fn units(&self) -> &'static [&'static str];

    /// Returns a sentence about a unit that users expect and a model does not know.
    fn missing_unit(&self, unit: &str) -> Option<&'static str>;

    /// Returns `true` if a file is a model, by its first bytes.
    fn is_model(&self, head: &[u8]) -> bool;

    /// Reads the table that maps labels to one of the [units](Self::units).
    ///
    /// # Errors
    /// The model is damaged, or too large.
    fn read(&self, source: Source, unit: &str, env: &Env) -> Result<LabelTable>;
}

/// A table from labels to others, for the labels from `first` on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelTable {
    first: i64,
    values: Vec<i32>,
}

impl LabelTable {
    /// Creates a table of the values for the labels `first`, `first + 1`, …
    pub fn new(first: i64, values: Vec<i32>) -> Self {
        Self { first, values }
    }

    /// Returns the value of a label, if it is in the table.
    pub fn get(&self, label: i64) -> Option<i32> {
        let at = usize::try_from(label.checked_sub(self.first)?).ok()?;
        self.values.get(at).copied()
    }

    /// Returns the first and the last label, if there is any.
    pub fn range(&self) -> Option<(i64, i64)> {
        let last = i64::try_from(self.values.len().checked_sub(1)?).ok()?;
        Some((self.first, self.first.checked_add(last)?))
    }
}
