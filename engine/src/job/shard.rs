//! A job that converts one shard: its entries, and the record that proves that it is done.

use spr_core::bytes::{Env, Location, Output};
use spr_core::format::Registry;
use spr_core::model::Utterance;
use spr_core::{Error, Remedy, Result};

use super::branch::labels_of;
use super::conversion::Conversion;
use super::opening::Opening;
use super::outcome::ShardOutcome;
use super::places::targets;
use crate::argument::Target;
use crate::document::Document;
use crate::plan::{Input, Plan, Sink};
use crate::shard::{self, Hashes, Record, Reread, Resume, Shard, ShardSettings, Weights};

/// A shard that is being converted.
pub(super) struct ShardRun {
    record: Record,
    at: Location,
    /// The record of an earlier run, whose bytes are compared with those of this one.
    earlier: Option<Record>,
    hashes: Hashes,
    document: Option<Document>,
}

/// The result of starting a shard.
pub(super) enum ShardStart {
    /// The shard has to be converted.
    Pending(Box<ShardRun>),
    /// The shard is done already.
    Done(Box<ShardOutcome>),
}

impl ShardRun {
    /// Cuts the inputs of `plan`, whose outputs have the number of the shard in their names, unless
    /// the shard is resumed and done.
    ///
    /// # Errors
    /// A step looks across utterances, an input cannot be cut, an output has no name of its own, or
    /// the record of another job is in the way.
    pub(super) fn start(
        settings: &ShardSettings,
        plan: &mut Plan,
        hashes: Hashes,
        registry: &Registry,
        env: &Env,
    ) -> Result<ShardStart> {
        let (shard, groups) = (settings.shard, settings.groups.as_ref());
        let main = main_file(shard, groups, plan, registry, env)?;
        let (cut, to) = (
            (settings.balance, plan.on_error().skips()),
            (groups, &hashes),
        );
        let weights = Weights::of(&plan.inputs, cut, to, registry, env)?;
        let record = Record::begin(shard, &weights, (plan, groups), &hashes, registry, env)?;
        let at = shard::record_of(&main);
        let mut earlier = None;
        if let Some(how) = settings.resume.filter(|_| !plan.run.overwrite) {
            // A record found here is not an input.
            let apart = Env::default().with_store(env.store().clone());
            let done = Record::read(&at, &apart);
            earlier = done.map_err(|error| error.suggest(Remedy::Overwrite))?;
            if let Some(done) = &earlier {
                check_resumable(done, &record, (&at, how), &apart)?;
            }
            if (how == Resume::Trust || plan.run.dry_run)
                && let Some(done) = earlier.take()
            {
                return Ok(ShardStart::Done(Box::new(ShardOutcome::new(
                    done, at, true,
                ))));
            }
            // The remains of an unfinished job are replaced.
            plan.run.overwrite = true;
        }
        warn_of_few(shard, weights.count(), plan, env);
        warn_of_reread(shard, &weights, plan, env);
        let outputs = plan.outputs().flat_map(Sink::locations);
        shard::keep_inputs(plan, &outputs.collect::<Vec<_>>(), registry, env)?;
        settle_variant(plan, registry, env)?;
        let inputs = std::mem::take(&mut plan.inputs);
        plan.inputs = weights.leave(inputs, shard, (registry, env));
        Ok(ShardStart::Pending(Box::new(Self {
            record,
            at,
            earlier,
            hashes,
            document: None,
        })))
    }

    /// Creates the record under a temporary name.
    ///
    /// # Errors
    /// It exists and may not be replaced, or cannot be created.
    pub(super) fn create(&mut self, overwrite: bool, env: &Env) -> Result<()> {
        self.document = Some(Document::create(&self.at, overwrite, env)?);
        Ok(())
    }

    /// Returns the location of the record.
    pub(super) fn at(&self) -> &Location {
        &self.at
    }

    /// Returns `true` if the shard is converted only to compare its bytes with an earlier run.
    pub(super) fn compares(&self) -> bool {
        self.earlier.is_some()
    }

    /// Checks that a conversion made the files of the earlier run, and returns the shard.
    ///
    /// # Errors
    /// It made others.
    pub(super) fn compare(mut self, made: &Conversion, plan: &Plan) -> Result<ShardOutcome> {
        made.fill(&mut self.record, &self.hashes, plan)?;
        let earlier = self.earlier.iter();
        if let Some(file) = earlier
            .filter_map(|done| done.outdated(&self.record))
            .next()
        {
            let message = format!("says that {file} is done, but the inputs make other bytes now");
            return Err(refused(&self.at, message));
        }
        Ok(ShardOutcome::new(self.record, self.at, true))
    }

    /// Completes the record. Its file, if it was [created](Self::create), has no name yet.
    ///
    /// # Errors
    /// The record cannot be written.
    pub(super) fn complete(
        mut self,
        made: &Conversion,
        plan: &Plan,
    ) -> Result<(ShardOutcome, Option<Output>)> {
        made.fill(&mut self.record, &self.hashes, plan)?;
        let shard = ShardOutcome::new(self.record, self.at, false);
        let Some(mut document) = self.document else {
            return Ok((shard, None));
        };
        let text = serde_json::to_string_pretty(&shard.record)
            .map_err(|e| Error::unsupported(format!("a record can't be written: {e}")))?;
        document.put(format!("{text}\n").as_bytes())?;
        Ok((shard, Some(document.complete()?)))
    }
}

/// Returns the file with the data of a shard.
///
/// # Errors
/// The plan looks across utterances or reads a pipe, or an output is not a file of this shard alone.
fn main_file(
    shard: Shard,
    groups: Option<&Location>,
    plan: &Plan,
    registry: &Registry,
    env: &Env,
) -> Result<Location> {
    shard::check_plan(plan)?;
    shard::check_pipes(plan, groups, registry, env)?;
    let (target, labels) = targets(plan, registry)?;
    for target in std::iter::once(&target).chain(&labels) {
        shard::check_numbered(target, shard, env)?;
    }
    target.locations().first().cloned().ok_or_else(|| {
        let message = "a shard must go to a file, so that others can tell that it is done";
        Error::usage(message).file(target.text())
    })
}

/// Warns in the first shard if some shards have nothing to do.
fn warn_of_few(shard: Shard, entries: u64, plan: &Plan, env: &Env) {
    if entries < shard.of && shard.number == 1 {
        let of = shard.of;
        let message = format!("fewer entries than shards, {entries} than {of}: some are empty");
        let input = plan.inputs.first().map_or("", Input::text);
        env.warn(&Error::unfit(message).file(input));
    }
}

/// Warns of inputs that every shard reads from the start.
fn warn_of_reread(shard: Shard, weights: &Weights, plan: &Plan, env: &Env) {
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
        let input = plan.inputs.get(n).map_or("", Input::text);
        env.warn(&Error::unfit(message).file(input).hint(hint));
    }
}

/// Sets the variants of the outputs according to the first utterance of all shards.
///
/// # Errors
/// The inputs cannot be read.
fn settle_variant(plan: &mut Plan, registry: &Registry, env: &Env) -> Result<()> {
    let (target, labels) = targets(plan, registry)?;
    if !target.follows_data() && !labels.as_ref().is_some_and(Target::follows_data) {
        return Ok(());
    }
    let others: Vec<_> = labels.iter().collect();
    let opening = Opening::of(plan, &target, &others, env)?;
    let mut reader = opening.open(registry, env)?.reader;
    let mut first = Utterance::default();
    let mut read = reader.read(&mut first);
    while matches!(&read, Err(error) if error.can_continue() && plan.on_error().skips()) {
        read = reader.read(&mut first);
    }
    if read? {
        plan.output = Some(target.suited_to(&first).sink().clone());
        let labels = labels.map(|labels| labels.suited_to(&labels_of(&first)));
        plan.labels_output = labels.map(|labels| labels.sink().clone());
    }
    Ok(())
}

/// Returns the error about a record that is in the way of another job.
fn refused(at: &Location, message: String) -> Error {
    let error = Error::unfit(message).file(at.to_string());
    error.suggest(Remedy::Overwrite)
}

/// Checks that the job that left a record was this one, and that its files are still there.
fn check_resumable(
    done: &Record,
    wanted: &Record,
    (at, how): (&Location, Resume),
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
    if how == Resume::Verify
        && let Some(file) = done.changed(env)?
    {
        return refuse(format!(
            "says that {file} is done, but its bytes are not those that were written"
        ));
    }
    Ok(())
}
