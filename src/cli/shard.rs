//! `--shard I/N`: one of several jobs that convert one data set together.

use clap::{Args, ValueEnum};
use spr_core::bytes::{Env, Location, Output};
use spr_core::format::Registry;
use spr_core::{Error, KeyMap, Remedy, Result};

use super::args::{ConvertArgs, DuplicatesArg};
use super::document::Document;
use super::{messages, plan};
use crate::job::{Job, Made};
use crate::shard::{self, By, Hashes, Record, Shard, Weights};

/// Which shard of how many a job converts.
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
    shard_by: Option<String>,
    /// Keep together utterances with the same word in this file of lines `utterance word`, such as
    /// utt2spk
    #[arg(
        long,
        value_name = "FILE",
        value_parser = super::args::file(),
        requires = "shard",
        hide_short_help = true
    )]
    shard_group: Option<Location>,
    /// Do nothing if the shard's record says that it is done; with =verify, check that its files are
    /// still what was written
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
    resume: Option<ResumeArg>,
}

/// What a shard that is done is known by.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum ResumeArg {
    /// By its record, and files of the lengths that it says.
    #[value(hide = true)]
    Done,
    /// Check the hashes of the files, too.
    Verify,
}

/// What a job that is a shard leaves beside its data.
pub(super) struct Sharding {
    record: Record,
    at: Location,
    document: Option<Document>,
    hashes: Hashes,
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

/// Stages that look at more than one utterance.
const ACROSS: &[&str] = &[
    "first",
    "shard",
    "unique",
    "sort",
    "shuffle",
    "shuffle-frames",
    "partition",
    "batch",
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

fn across(what: &str) -> Error {
    let message = format!("{what} looks at more utterances than one shard has");
    Error::usage(message).hint("do it before the shards, or when they are merged")
}

/// The arguments of this shard: its own names in place of what was typed.
pub(super) fn named(args: &ConvertArgs, shard: Shard) -> ConvertArgs {
    let mut args = args.clone();
    let name = |text: &mut String| *text = shard::numbered(&shard::pattern(text), shard);
    if args.output.is_none() && args.paths.len() > 1 {
        args.output = args.paths.pop();
    }
    args.output.iter_mut().for_each(name);
    args.labels_out.iter_mut().for_each(name);
    for document in [&mut args.report, &mut args.error_log]
        .into_iter()
        .flatten()
    {
        let mut text = document.to_string();
        name(&mut text);
        *document = text.into();
    }
    args
}

/// All that changes what is written, as text.
fn options(args: &ConvertArgs) -> String {
    let mut args = args.clone();
    (args.jobs, args.progress) = (0, super::args::ProgressArg::Never);
    (args.output, args.labels_out, args.report, args.error_log) = (None, None, None, None);
    (args.overwrite, args.add, args.verify, args.no_sync) = (false, false, false, false);
    (args.read.json, args.read.quiet, args.read.verbose) = (false, false, false);
    args.read.max_alloc.clear();
    args.shard = ShardArgs::default();
    format!("{args:?}")
}

impl Sharding {
    /// Cuts the inputs of `job`, whose arguments are [named](named); `None` if this shard is done
    /// already.
    ///
    /// # Errors
    /// Something looks across utterances, an input can't be cut, the output has no name, or the record
    /// of another job is in the way.
    pub(super) fn begin(
        shard: Shard,
        (args, typed): (&ConvertArgs, &ConvertArgs),
        hashes: Hashes,
        job: &mut Job,
        registry: &Registry,
        env: &Env,
    ) -> Result<Option<Self>> {
        check(args, job)?;
        let Some(main) = job.target.locations().first().cloned() else {
            let message = "a shard must go to a file, so that others can tell that it is done";
            return Err(Error::usage(message).file(job.target.text()));
        };
        let flags = &args.shard;
        let by = flags.shard_by.as_deref().map_or(Ok(By::Auto), str::parse)?;
        let groups = flags.shard_group.as_ref();
        let groups = groups
            .map(|file| KeyMap::open(&file.clone().into(), env))
            .transpose()?;
        let weights = Weights::of(&job.inputs, by, groups.as_ref(), registry, env)?;
        let mut wanted = options(typed);
        if let Some(file) = &flags.shard_group {
            wanted.push_str(&format!(" groups {file}"));
        }
        let record = Record::begin(shard, &weights, &job.inputs, &wanted, registry, env)?;
        let at = shard::record_of(&main);
        if let Some(how) = flags.resume.filter(|_| !args.overwrite) {
            // What is found here is not an input.
            let apart = Env::default().with_store(env.store().clone());
            if let Some(done) = Record::read(&at, &apart)? {
                resume(&done, &record, (&at, how), &apart)?;
                if !args.read.quiet {
                    messages::plain(&format!("{at}: have it"));
                }
                return Ok(None);
            }
            // What a job left that did not come to its end goes.
            job.overwrite = true;
        }
        if weights.count() < shard.of && shard.number == 1 {
            let message = format!(
                "fewer entries than shards, {} than {}: some are empty",
                weights.count(),
                shard.of
            );
            env.warn(&Error::unfit(message).file(job.inputs.first().map_or("", |i| i.text())));
        }
        job.settle_kind(registry, env)?;
        job.inputs = weights.leave(std::mem::take(&mut job.inputs), shard);
        Ok(Some(Self {
            record,
            at,
            document: None,
            hashes,
        }))
    }

    /// Begins the record.
    pub(super) fn open(&mut self, overwrite: bool, env: &Env) -> Result<()> {
        self.document = Some(Document::create(&self.at, overwrite, env)?);
        Ok(())
    }

    /// Where the record goes.
    pub(super) fn at(&self) -> &Location {
        &self.at
    }

    /// Completes the record, whose name is the last to be given.
    pub(super) fn complete(mut self, made: &Made, job: &Job) -> Result<Option<Output>> {
        made.tell(&mut self.record, &self.hashes, job)?;
        let Some(mut document) = self.document else {
            return Ok(None);
        };
        let text = serde_json::to_string_pretty(&self.record)
            .map_err(|e| Error::unsupported(format!("a record can't be written: {e}")))?;
        document.put(format!("{text}\n").as_bytes())?;
        document.complete().map(Some)
    }
}

/// Refuses what looks across utterances.
fn check(args: &ConvertArgs, job: &Job) -> Result<()> {
    if let Some(stages) = plan::stages(args)?
        && let Some(name) = ACROSS.iter().find(|name| stages.have(name))
    {
        return Err(across(&format!("the stage {name}")));
    }
    if matches!(
        args.duplicates,
        Some(DuplicatesArg::First | DuplicatesArg::Last)
    ) {
        return Err(across("--duplicates"));
    }
    let data = job.inputs.iter().map(|input| input.data_options());
    for options in data {
        let used = [
            (options.random, "random=True"),
            (options.partition.is_some(), "partition"),
            (options.stream == Some(true), "stream"),
        ];
        if let Some((_, name)) = used.into_iter().find(|(used, _)| *used) {
            return Err(across(name));
        }
    }
    match job.target.is_numbered() {
        true => Err(across("{part}")),
        false => Ok(()),
    }
}

/// Checks that the job that left a record was this one, and what it wrote is still there.
fn resume(
    done: &Record,
    wanted: &Record,
    (at, how): (&Location, ResumeArg),
    env: &Env,
) -> Result<()> {
    let refuse = |message: String| {
        let error = Error::unfit(message).file(at.to_string());
        Err(error.suggest(Remedy::Overwrite))
    };
    if let Some(what) = done.differs_from(wanted) {
        return refuse(format!("belongs to a different job: '{what}' differs"));
    }
    if let Some(file) = done.missing(env) {
        return refuse(format!(
            "says that {file} is done, but it is missing or changed"
        ));
    }
    if how == ResumeArg::Verify
        && let Some(file) = done.changed(env)?
    {
        return refuse(format!(
            "says that {file} is done, but its bytes are not those that were written"
        ));
    }
    Ok(())
}
