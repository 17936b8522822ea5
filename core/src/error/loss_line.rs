//! The extent of a loss.

use crate::name::Key;

/// The extent of one kind of loss.
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LossLine {
    /// The number of affected utterances.
    pub utterances: u64,
    /// The number of changed values.
    pub values: u64,
    /// The number of values examined in those utterances.
    pub of: u64,
    /// The largest difference, for [`LossKind::Precision`](super::LossKind::Precision) and
    /// [`LossKind::Range`](super::LossKind::Range); that of the latter may be infinite.
    pub max_abs_err: f64,
    /// The first affected utterance.
    pub first: Option<Key>,
    /// Details: names of tags and the like.
    pub what: Vec<String>,
    /// The last affected utterance, which may have several losses of one kind.
    pub(crate) last: Option<Key>,
}

impl LossLine {
    /// Adds the name of a lost item, if it is new and there is space.
    pub(crate) fn name(&mut self, what: &str) {
        if !self.what.iter().any(|w| w == what) && self.what.len() < 20 {
            self.what.push(what.to_owned());
        }
    }
}
