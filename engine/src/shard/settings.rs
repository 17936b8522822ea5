//! Settings of a job that converts one shard, and of a job that merges all of them.

use serde::{Deserialize, Serialize};
use spr_core::bytes::Location;
use spr_core::{Error, Result};

use super::{Shard, ShardBalance};
use crate::plan::Plan;

/// The settings of a job that converts one shard of its inputs.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardSettings {
    /// The shard.
    pub shard: Shard,
    /// The weight by which shards are balanced.
    pub balance: ShardBalance,
    /// A file of lines `utterance word`. Utterances with the same word stay together.
    pub groups: Option<Location>,
    /// The treatment of a shard that has a record already; without it the job refuses to run.
    pub resume: Option<Resume>,
}

impl ShardSettings {
    /// Creates the settings of a shard without groups that is not resumed.
    pub fn new(shard: Shard) -> Self {
        Self {
            shard,
            balance: ShardBalance::Auto,
            groups: None,
            resume: None,
        }
    }

    /// Balances shards by this weight.
    #[must_use]
    pub fn balance(self, balance: ShardBalance) -> Self {
        Self { balance, ..self }
    }

    /// Keeps utterances together that have the same word in a file of lines `utterance word`.
    #[must_use]
    pub fn groups(self, groups: impl Into<Option<Location>>) -> Self {
        Self {
            groups: groups.into(),
            ..self
        }
    }

    /// Resumes the shard.
    #[must_use]
    pub fn resume(self, resume: impl Into<Option<Resume>>) -> Self {
        Self {
            resume: resume.into(),
            ..self
        }
    }
}

/// The treatment of a shard that is done according to its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resume {
    /// Trusts the record if the files have the recorded sizes.
    Trust,
    /// Checks the hashes of the files, and repeats the conversion to compare its bytes.
    Verify,
}

/// The facts from the records of shards that the job uses that merges them.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeSettings {
    /// The files of the shards, which must not be replaced.
    pub files: Vec<Location>,
    /// The files with the hashes that they must have.
    pub hashes: Vec<(Location, String)>,
    /// The number of utterances that the jobs of the shards skipped.
    pub skipped: u64,
}

/// Rejects a plan that a shard cannot run.
///
/// # Errors
/// A step looks across utterances, or there is a manifest.
pub(crate) fn check_plan(plan: &Plan) -> Result<()> {
    if let Some(what) = plan.across() {
        return Err(across(&what));
    }
    match &plan.manifest {
        Some(manifest) => {
            let error = Error::usage("a shard has only some of the sound files of a manifest");
            let hint = "write the manifest from the folder when it is whole";
            Err(error.file(manifest.text()).hint(hint))
        }
        None => Ok(()),
    }
}

/// Returns the error about work that a shard cannot do.
pub fn across(what: &str) -> Error {
    let message = format!("{what} looks at more utterances than one shard has");
    Error::usage(message).hint("do it before the shards, or when they are merged")
}
