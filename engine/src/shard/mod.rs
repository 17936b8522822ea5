//! One data set converted by several jobs. Each takes a contiguous range of the entries, and their
//! concatenated outputs equal that of a single job.

mod balance;
mod cut;
mod fingerprint;
mod hashes;
mod identity;
mod name;
mod record;
mod settings;
mod shards;
mod watched_store;
mod weigh;
mod weights;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use spr_core::{Error, Result};

pub use balance::ShardBalance;
pub use cut::Cut;
pub(crate) use fingerprint::{check_pipes, keep_inputs};
pub use hashes::Hashes;
pub use name::FIELD;
pub(crate) use name::{check_name, check_numbered, named_target};
pub use record::{InputRecord, OutputRecord, Record, SCHEMA, record_of};
pub(crate) use settings::check_plan;
pub use settings::{MergeSettings, Resume, ShardSettings, across};
pub(crate) use shards::CHANGED;
pub use shards::{Shards, State, missing};
pub(crate) use watched_store::watched;
pub(crate) use weigh::Reread;
pub use weights::Weights;

/// The number of a shard and the number of shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// The number, from 1.
    pub number: u64,
    /// The number of shards.
    pub of: u64,
}

/// The largest number of shards.
const MOST: u64 = 99_999;

impl Shard {
    /// Creates shard `number`, from 1, of `of` shards.
    ///
    /// # Errors
    /// There is no such shard.
    pub fn new(number: u64, of: u64) -> Result<Self> {
        match of {
            1..=MOST if (1..=of).contains(&number) => Ok(Self { number, of }),
            1..=MOST => Err(Error::usage(format!(
                "shard {number} of {of}: shards count from 1 to {of}"
            ))),
            _ => Err(Error::usage(format!(
                "{of} shards: expected 1 to {MOST} of them"
            ))),
        }
    }
}

impl fmt::Display for Shard {
    /// Formats the shard as in names: `00003-of-00016`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:05}-of-{:05}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = Error;

    /// Parses `3/16`.
    fn from_str(text: &str) -> Result<Self> {
        let parts = text.split_once('/');
        let parts = parts.and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let Some((number, of)) = parts else {
            return Err(Error::usage(format!("'{text}' is not a shard"))
                .hint("such as 3/16, the third of sixteen, or auto/16 in an array job"));
        };
        Self::new(number, of)
    }
}
