//! The flags of `--shard I/N`.

use clap::{Args, ValueEnum};
use spr_core::bytes::Location;
use spr_core::{Error, Result};

use crate::shard::{Resume, Shard, ShardBalance, ShardSettings, across};

// Which shard of how many a job converts.
#[derive(Args, Debug, Clone, Default)]
pub(super) struct ShardArgs {
    /// Convert shard I of N, counted from 1, or auto/N in an array job; the number replaces {shard} in
    /// output names, or is added at their end
    #[arg(long, value_name = "I/N", hide_short_help = true)]
    pub(super) shard: Option<String>,
    /// What to balance shards by: auto, entries, bytes, frames
    #[arg(
        long,
        value_name = "auto|entries|bytes|frames",
        requires = "shard",
        hide_short_help = true
    )]
    pub(super) shard_by: Option<String>,
    /// Keep together utterances with the same word in this file of lines `utterance word`, such as
    /// utt2spk
    #[arg(
        long,
        value_name = "FILE",
        value_parser = super::words::file(),
        requires = "shard",
        hide_short_help = true
    )]
    pub(super) shard_group: Option<Location>,
    /// Do nothing if the shard's record says that it is done; with =verify, read all of the input and
    /// the output again to see that both are still what they were
    #[arg(
        long,
        value_name = "verify",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "done",
        requires = "shard",
        hide_short_help = true
    )]
    pub(super) resume: Option<ResumeArg>,
}

/// The check that a shard is done.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResumeArg {
    /// By its record, and files of the lengths that it says.
    #[value(hide = true)]
    Done,
    /// Check the hashes of the files, and make them once more to compare.
    Verify,
}

/// Variables in which engines tell a job its number, and what the first job's is.
const NUMBERS: &[(&str, u64)] = &[
    ("SPR_SHARD", 1),
    ("SLURM_ARRAY_TASK_ID", 1),
    ("SGE_TASK_ID", 1),
    ("PBS_ARRAY_INDEX", 1),
    ("LSB_JOBINDEX", 1),
    ("JOB_COMPLETION_INDEX", 0),
];

impl ShardArgs {
    /// Refuses it for a verb that looks at all utterances.
    ///
    /// # Errors
    /// It was given.
    pub(super) fn refuse(&self, what: &str) -> Result<()> {
        match &self.shard {
            None => Ok(()),
            Some(_) => Err(across(what)),
        }
    }

    /// The settings of the shard, if it is one.
    pub(super) fn settings(&self) -> Result<Option<ShardSettings>> {
        let Some(shard) = self.which()? else {
            return Ok(None);
        };
        let balance = self.shard_by.as_deref().map(str::parse).transpose()?;
        let resume = self.resume.map(|how| match how {
            ResumeArg::Done => Resume::Trust,
            ResumeArg::Verify => Resume::Verify,
        });
        let settings = ShardSettings::new(shard)
            .balance(balance.unwrap_or(ShardBalance::Auto))
            .groups(self.shard_group.clone())
            .resume(resume);
        Ok(Some(settings))
    }

    /// Which shard this is, if it is one.
    pub(super) fn which(&self) -> Result<Option<Shard>> {
        let Some(text) = &self.shard else {
            return Ok(None);
        };
        let Some(of) = text.strip_prefix("auto/") else {
            return text.parse().map(Some);
        };
        let told = NUMBERS.iter().find_map(|(name, first)| {
            let value = std::env::var(name).ok()?;
            Some((name, first, value.parse::<u64>().ok()?))
        });
        let Some((name, first, number)) = told else {
            let names: Vec<_> = NUMBERS.iter().map(|(name, _)| *name).collect();
            let error = Error::usage("--shard auto: nothing says which shard this is");
            return Err(error.hint(format!("one of these variables does: {}", names.join(", "))));
        };
        let shard = Shard::new(
            number.saturating_add(1 - first),
            of.parse().map_err(|_| {
                Error::usage(format!("'{text}' is not a shard")).hint("such as auto/16")
            })?,
        );
        shard
            .map(Some)
            .map_err(|e| e.context(format!("{name}={number}")))
    }
}
