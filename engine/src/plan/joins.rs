//! Data that join utterances by key.

use serde::{Deserialize, Serialize};
use spr_core::bytes::{Env, Location, Locator};

use super::Plan;

/// Data that join by key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Joins {
    /// Labels.
    pub(crate) labels: Option<Labels>,
    /// The data set with the transcripts.
    pub(crate) text: Option<Box<Plan>>,
    /// Speakers, from a table of lines `utterance speaker`.
    pub(crate) speakers: Option<Locator>,
}

/// A data set whose labels join.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Labels {
    /// The data set; several inputs are the files of a pattern.
    pub(crate) data: Box<Plan>,
    /// A table of lines `utterance speaker`, for labels that are stored by speaker.
    pub(crate) speakers: Option<Locator>,
    /// The tolerated difference between the numbers of labels and frames.
    pub(crate) tolerance: u64,
    /// Keeps segments in utterances with features, which are cut by them.
    #[serde(default)]
    pub(crate) as_segments: bool,
}

impl Labels {
    /// Returns the argument that names them, for messages.
    pub fn text(&self) -> String {
        match self.data.inputs.as_slice() {
            [only] => only.text.clone(),
            [first, ..] => Location::from(first.typed.as_str()).told(),
            [] => String::new(),
        }
    }

    /// Returns the data set.
    pub fn data(&self) -> &Plan {
        &self.data
    }

    /// Returns `true` if any comes from standard input or another pipe, which can be read only once.
    pub fn is_read_once(&self, env: &Env) -> bool {
        self.data.is_read_once(env)
    }
}

impl Joins {
    /// Returns `true` if nothing joins.
    pub fn is_empty(&self) -> bool {
        self.labels.is_none() && self.text.is_none() && self.speakers.is_none()
    }

    /// The data sets that join.
    pub(crate) fn data(&self) -> impl Iterator<Item = &Plan> {
        let labels = self.labels.iter().map(|labels| &*labels.data);
        labels.chain(self.text.as_deref())
    }

    /// The files and folders that join.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Location> {
        let tables = self.labels.iter().map(|labels| &labels.speakers);
        let tables = tables.chain([&self.speakers]).flatten();
        let tables = tables.filter_map(|table| table.location().cloned());
        self.data().flat_map(Plan::data).chain(tables)
    }

    /// Takes what `other` has and these lack.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            labels: self.labels.or(other.labels),
            text: self.text.or(other.text),
            speakers: self.speakers.or(other.speakers),
        }
    }
}
