//! `--shard I/N`: one of several jobs that convert one data set together.

use serde_json::json;
use spr_core::bytes::{Env, Location, Output};
use spr_core::format::Registry;
use spr_core::{Error, KeyMap, Remedy, Result};

use super::args::{ConvertArgs, ReadArgs};
use super::document::Document;
use super::exit::{DONE, SKIPPED};
use super::messages;
use super::out::print_json;
use super::shard_args::{ResumeArg, ShardArgs, across};
use crate::job::{Conversion, Job};
use crate::plan::{Input, Sink};
use crate::shard::{self, Hashes, Record, Reread, Shard, ShardBalance, Weights};

/// The record that a shard writes beside its data.
pub(super) struct ShardRecorder {
    record: Record,
    at: Location,
    /// The record of the job that is done again only to see that nothing changed.
    verified: Option<Record>,
    /// How facts are told.
    told: ReadArgs,
    document: Option<Document>,
    hashes: Hashes,
}

/// The outcome of starting a shard.
pub(super) enum ShardStart {
    /// It runs.
    Now(Box<ShardRecorder>),
    /// It was done before, with this exit status.
    Before(u8),
}

/// Tells that a shard is done already, and gives the exit status of the run that made it.
fn have(done: &Record, at: &Location, args: &ReadArgs) -> Result<u8> {
    let skipped = done.skipped;
    if args.json {
        print_json(&json!({
            "record": at.to_string(),
            "shard": done.shard,
            "of": done.of,
            "utterances": done.utterances,
            "frames": done.frames,
            "skipped": skipped,
        }))?;
    }
    match skipped {
        0 if args.quiet => {}
        0 => messages::plain(&format!("{at}: have it")),
        count => messages::plain(&format!("{at}: have it, {count} skipped")),
    }
    Ok(match skipped {
        0 => DONE,
        _ => SKIPPED,
    })
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
    let options = args.output_options.iter_mut();
    options.for_each(|option| *option = shard::numbered(option, shard));
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

impl ShardRecorder {
    /// Cuts the inputs of `job`, whose arguments are [named](named), unless this shard is done already.
    ///
    /// # Errors
    /// Something looks across utterances, an input can't be cut, the output has no name, or the record
    /// of another job is in the way.
    pub(super) fn begin(
        shard: Shard,
        args: &ConvertArgs,
        hashes: Hashes,
        job: &mut Job,
        registry: &Registry,
        env: &Env,
    ) -> Result<ShardStart> {
        let flags = &args.shard;
        let main = main_file(shard, flags, job, registry, env)?;
        let by = flags
            .shard_by
            .as_deref()
            .map_or(Ok(ShardBalance::Auto), str::parse)?;
        let groups = flags.shard_group.as_ref();
        let groups = groups
            .map(|file| KeyMap::open(&file.clone().into(), env))
            .transpose()?;
        let plan = job.plan();
        let cut = (by, plan.on_error().skips());
        let to = (groups.as_ref(), &hashes);
        let weights = Weights::of(plan.inputs(), cut, to, registry, env)?;
        let from = (plan, flags.shard_group.as_ref());
        let record = Record::begin(shard, &weights, from, &hashes, registry, env)?;
        let at = shard::record_of(&main);
        let mut verified = None;
        if let Some(how) = flags.resume.filter(|_| !args.overwrite) {
            // A record found here is not an input.
            let apart = Env::default().with_store(env.store().clone());
            let done = Record::read(&at, &apart);
            let done = done.map_err(|error| error.suggest(Remedy::Overwrite))?;
            let again = how == ResumeArg::Verify && !job.plan().is_dry_run();
            if let Some(done) = &done {
                resume(done, &record, (&at, how), &apart)?;
                if !again {
                    return have(done, &at, &args.read).map(ShardStart::Before);
                }
            }
            verified = done;
            // The remains of an unfinished job are replaced.
            job.replace_remains();
        }
        warn_of_few(shard, weights.count(), job, env);
        warn_of_reread(shard, &weights, job, env);
        let outputs = job.plan().outputs().flat_map(Sink::locations);
        shard::keep_inputs(job.plan(), &outputs.collect::<Vec<_>>(), registry, env)?;
        job.settle_kind(registry, env)?;
        job.take_shard(shard, &weights, (registry, env));
        Ok(ShardStart::Now(Box::new(Self {
            record,
            at,
            verified,
            told: args.read.clone(),
            document: None,
            hashes,
        })))
    }

    /// Begins the record.
    pub(super) fn open(&mut self, overwrite: bool, env: &Env) -> Result<()> {
        self.document = Some(Document::create(&self.at, overwrite, env)?);
        Ok(())
    }

    /// Returns the location of the record.
    pub(super) fn at(&self) -> &Location {
        &self.at
    }

    /// Returns `true` if the job is only repeated to check that nothing changed, without keeping
    /// its output.
    pub(super) fn verifies(&self) -> bool {
        self.verified.is_some()
    }

    /// Checks that the job made what its record says, which is kept. Returns the exit status.
    ///
    /// # Errors
    /// It made something else.
    pub(super) fn verify(mut self, made: &Conversion, job: &Job) -> Result<u8> {
        made.tell(&mut self.record, &self.hashes, job.plan())?;
        let done = self.verified.iter();
        if let Some(file) = done.filter_map(|done| done.outdated(&self.record)).next() {
            let message = format!("says that {file} is done, but the inputs make other bytes now");
            return Err(refused(&self.at, message));
        }
        have(&self.record, &self.at, &self.told)
    }

    /// Completes the record, whose name is the last to be given.
    pub(super) fn complete(mut self, made: &Conversion, job: &Job) -> Result<Option<Output>> {
        made.tell(&mut self.record, &self.hashes, job.plan())?;
        let Some(mut document) = self.document else {
            return Ok(None);
        };
        let text = serde_json::to_string_pretty(&self.record)
            .map_err(|e| Error::unsupported(format!("a record can't be written: {e}")))?;
        document.put(format!("{text}\n").as_bytes())?;
        document.complete().map(Some)
    }
}

/// The file with the data of a shard.
///
/// # Errors
/// The job looks across utterances or reads a pipe, or something that it writes has no file of its own.
fn main_file(
    shard: Shard,
    flags: &ShardArgs,
    job: &Job,
    registry: &Registry,
    env: &Env,
) -> Result<Location> {
    if let Some(what) = job.plan().across() {
        return Err(across(&what));
    }
    shard::check_pipes(job.plan(), flags.shard_group.as_ref(), registry, env)?;
    let (target, labels) = job.targets(registry)?;
    for target in std::iter::once(&target).chain(&labels) {
        shard::check_numbered(target, shard, env)?;
    }
    target.locations().first().cloned().ok_or_else(|| {
        let message = "a shard must go to a file, so that others can tell that it is done";
        Error::usage(message).file(target.text())
    })
}

/// Warns once if some shards have nothing to do.
fn warn_of_few(shard: Shard, entries: u64, job: &Job, env: &Env) {
    if entries < shard.of && shard.number == 1 {
        let of = shard.of;
        let message = format!("fewer entries than shards, {entries} than {of}: some are empty");
        let input = job.plan().text();
        env.warn(&Error::unfit(message).file(input));
    }
}

/// Warns of inputs that every shard reads from the start.
fn warn_of_reread(shard: Shard, weights: &Weights, job: &Job, env: &Env) {
    if shard.of == 1 {
        return;
    }
    let of = shard.of;
    for (n, reread) in weights.reread() {
        let (message, hint) = match reread {
            Reread::Packed => (
                format!(
                    "is compressed, so that each of {of} shards unpacks it from the start: {of} times \
                     the work of one job"
                ),
                "decompress it first, or convert it once into files of their own",
            ),
            Reread::Sequential(why) => (
                format!(
                    "{why}, so that each of {of} shards reads it from the start: up to {of} times the \
                     work of one job"
                ),
                "convert it once into files of their own",
            ),
        };
        let input = job.plan().inputs().get(n).map_or("", Input::text);
        env.warn(&Error::unfit(message).file(input).hint(hint));
    }
}

/// The error about a record that stays, as it is in the way of another job.
fn refused(at: &Location, message: String) -> Error {
    let error = Error::unfit(message).file(at.to_string());
    error.suggest(Remedy::Overwrite)
}

/// Checks that the job that left a record was this one, and what it wrote is still there.
fn resume(
    done: &Record,
    wanted: &Record,
    (at, how): (&Location, ResumeArg),
    env: &Env,
) -> Result<()> {
    let refuse = |message: String| Err(refused(at, message));
    if done.program != wanted.program {
        let (theirs, ours) = (&done.program, &wanted.program);
        return refuse(format!(
            "belongs to a different job: version {theirs} of the program wrote it, and this is {ours}"
        ));
    }
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
