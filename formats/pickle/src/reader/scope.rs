//! The requested part of a data set, and reading of that part.

use spr_core::bytes::Source;
use spr_core::format::{KeyPredicate, Subset};
use spr_core::model::{Key, KeySource, Rank, Utterance};
use spr_core::tables::side::SideReader;
use spr_core::{Limits, Result};

use crate::array::Array;
use crate::rows::Rows;

/// The requested part of a data set.
pub(super) struct Scope {
    /// The requested keys; without it, all.
    pub(super) keys: Option<KeyPredicate>,
    /// The requested utterances by number.
    pub(super) run: Option<Subset>,
    /// Whether the values of features are requested.
    pub(super) values: bool,
    pub(super) label_values: bool,
    /// Whether utterances are only weighed, so that nothing of an array is read.
    pub(super) weighing: bool,
    /// Whether labels are requested and features are not.
    pub(super) only_labels: bool,
    /// Whether long utterances are returned in chunks.
    pub(super) chunked: bool,
    pub(super) limits: Limits,
}

/// Returns the source of the keys.
pub(super) fn key_source(side: Option<&SideReader>) -> KeySource {
    match side {
        Some(_) => KeySource::SideFile,
        None => KeySource::Generated,
    }
}

pub(super) fn rank(features: &Array) -> Rank {
    match features.cols {
        Some(_) => Rank::Matrix,
        None => Rank::Vector,
    }
}

impl Scope {
    /// Returns `true` if the utterance with this number and key is requested.
    pub(super) fn wants(&self, number: u64, key: &Key) -> bool {
        let dealt = self.run.is_none_or(|run| run.has(number));
        dealt && self.keys.as_ref().is_none_or(|wanted| wanted(key))
    }

    /// Returns `true` if neither the utterance of this number nor a later one is requested.
    pub(super) fn is_over(&self, number: u64) -> bool {
        self.run.is_some_and(|run| run.is_over(number))
    }
}

/// Reads the next `frames` rows of features, or only their shape.
pub(super) fn read_features(
    rows: &mut Rows,
    source: &mut Source,
    (frames, rank): (u64, Rank),
    utt: &mut Utterance,
    scope: &Scope,
) -> Result<()> {
    let (into, limits) = (utt.features_mut(), &scope.limits);
    match scope.values {
        _ if scope.weighing => rows.pretend(frames, rank, into, limits),
        true => rows.read(source, frames, rank, into, limits),
        false => rows.shape_only(source, frames, rank, into, limits),
    }
}

/// Reads the next `frames` labels, if there are any.
pub(super) fn read_labels(
    labels: Option<&mut Rows>,
    source: &mut Source,
    frames: u64,
    utt: &mut Utterance,
    scope: &Scope,
) -> Result<()> {
    match labels {
        Some(rows) => {
            let (rank, into) = (rows.label_rank(), utt.labels_mut());
            match scope.label_values {
                _ if scope.weighing => rows.pretend(frames, rank, into, &scope.limits),
                true => rows.read(source, frames, rank, into, &scope.limits),
                false => rows.shape_only(source, frames, rank, into, &scope.limits),
            }
        }
        None => Ok(()),
    }
}
