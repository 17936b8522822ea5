//! A conversion from start to finish: open, join, adapt, write, commit.

mod branch;
mod conversion;
mod documents;
mod groups;
mod manifest;
mod meter;
mod opening;
mod outcome;
mod parts;
mod places;
mod route;
mod running;
mod shard;
mod speaking;
mod subset;

use std::borrow::Cow;

use spr_core::bytes::{Env, Location};
use spr_core::format::Registry;
use spr_core::{Error, ErrorKind, Remedy, Result};

use crate::argument::Target;
use crate::plan::{Plan, Sink};
use crate::shard::{CHANGED, Hashes, MergeSettings, ShardSettings, named_target, watched};
use conversion::Conversion;
use documents::Documents;
pub use outcome::{Observer, Outcome, PartTotals, Progress, ShardOutcome};
use running::Running;
use shard::{ShardRun, ShardStart};

/// A plan to be run.
///
/// Several jobs can convert one data set together, each a shard of it. The files of a shard get their
/// names at once: data, error log, report, and a record that proves that the shard is done.
///
/// ```
/// # use std::sync::Arc;
/// # use spr_core::bytes::{Env, MemoryStore};
/// # use spr_core::format::Registry;
/// use spr_core::format::ErrorPolicy;
/// use spr_engine::builder::PlanBuilder;
/// use spr_engine::job::Job;
/// use spr_engine::shard::{Resume, Shard, ShardSettings, Shards};
///
/// # let store = MemoryStore::new();
/// store.insert("a.ark", b"ann [\n1 2 ]\nbob [\n3 ]\ncleo [\n5 6 ]\ndan [\n7 8 ]\n".to_vec());
/// # let env = Env::default().with_store(Arc::new(store.clone()));
/// # let registry = Registry::new([&spr_format_kaldi::FORMAT as _]);
/// let mut builder = PlanBuilder::new(&registry, &env);
/// builder.input("a.ark")?.output("ark,t:b.ark")?.stages("check(dim=2)")?;
/// let plan = builder.on_error(ErrorPolicy::Skip).finish()?;
/// let job = Job::new(plan).error_log("log.jsonl").report("report.json");
/// for number in 1..=2 {
///     let shard = ShardSettings::new(Shard::new(number, 2)?);
///     job.clone().shard(shard).run(&registry, &env, &mut ())?;
/// }
/// assert!(store.get("b-00001-of-00002.ark.shard.json").is_some());
/// assert!(store.get("report-00002-of-00002.json").is_some());
/// let log = store.get("log-00001-of-00002.jsonl").unwrap();
/// assert!(String::from_utf8_lossy(&log).contains("\"utterance\":\"bob\""));
///
/// // The second time nothing is written: the records say that the files are there.
/// let again = ShardSettings::new(Shard::new(1, 2)?).resume(Resume::Verify);
/// let outcome = job.clone().shard(again).run(&registry, &env, &mut ())?;
/// assert!(outcome.shard.unwrap().was_done);
///
/// let shards = Shards::find("ark,t:b.ark", None, &registry, &env)?;
/// let mut builder = PlanBuilder::new(&registry, &env);
/// shards.add_to(&mut builder)?;
/// let plan = builder.output("ark,t:all.ark")?.finish()?;
/// let outcome = Job::new(plan).merge(shards.merge(&env)?).run(&registry, &env, &mut ())?;
/// assert_eq!((outcome.written.utterances, outcome.skipped), (3, 1));
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub(crate) plan: Plan,
    /// The location of the error log: a line of JSON for each skipped utterance.
    error_log: Option<Location>,
    /// The location of the report: the outcome as JSON.
    report: Option<Location>,
    /// The shard of the inputs that is converted, if it is not all of them.
    pub(crate) shard: Option<ShardSettings>,
    /// The shards that the inputs are, if they are merged.
    merge: Option<MergeSettings>,
}

impl Job {
    /// Creates the job that runs a plan.
    pub fn new(plan: Plan) -> Self {
        Self {
            plan,
            error_log: None,
            report: None,
            shard: None,
            merge: None,
        }
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Writes a line of JSON for each skipped utterance to a file.
    #[must_use]
    pub fn error_log(mut self, at: impl Into<Location>) -> Self {
        self.error_log = Some(at.into());
        self
    }

    /// Writes the outcome as JSON to a file.
    #[must_use]
    pub fn report(mut self, at: impl Into<Location>) -> Self {
        self.report = Some(at.into());
        self
    }

    /// Returns the location of the error log, if one is written.
    pub fn error_log_at(&self) -> Option<&Location> {
        self.error_log.as_ref()
    }

    /// Returns the location of the report, if one is written.
    pub fn report_at(&self) -> Option<&Location> {
        self.report.as_ref()
    }

    /// Converts one shard of the inputs. Its number replaces `{shard}` in the names of all files that
    /// are written, or is added to these names.
    #[must_use]
    pub fn shard(mut self, settings: ShardSettings) -> Self {
        self.shard = Some(settings);
        self
    }

    /// Checks that the inputs are the shards that their records describe, and counts what their jobs
    /// skipped.
    #[must_use]
    pub fn merge(mut self, settings: MergeSettings) -> Self {
        self.merge = Some(settings);
        self
    }

    /// Runs the conversion. All files get their names at the end and together: the data, the error
    /// log, the report, and the record of a shard. After an error there is no output. A
    /// resumed shard that is done is not converted again.
    ///
    /// # Errors
    /// An input is faulty, a loss is not permitted, or the system refuses. A shard fails as well if
    /// its inputs cannot be cut, or if the record of another job is in the way.
    pub fn run(
        &self,
        registry: &Registry,
        env: &Env,
        observer: &mut dyn Observer,
    ) -> Result<Outcome> {
        let env = match *env.path_map() == self.plan.paths {
            true => env.for_run(),
            false => env.for_run().with_path_map(self.plan.paths.clone()),
        };
        let mut job = self.numbered(registry, &env)?.into_owned();
        job.plan.run.hash |= job.report.is_some();
        let hashes = job.hashes();
        let env = match job.shard.is_some() || hashes.expects() {
            true => watched(&env, &hashes),
            false => env,
        };
        let merged = job.merge.iter().flat_map(|merge| &merge.files);
        merged.for_each(|file| env.reads(file));
        let shard = match &job.shard {
            None => None,
            Some(settings) => {
                let hashes = hashes.clone();
                match ShardRun::start(settings, &mut job.plan, hashes, registry, &env)? {
                    ShardStart::Pending(shard) => Some(*shard),
                    ShardStart::Done(shard) => {
                        return Ok(Outcome::of_done(*shard, job.output(), registry));
                    }
                }
            }
        };
        job.convert(shard, &hashes, registry, &env, observer)
    }

    /// Returns the job with the number of its shard in the names of all files that it writes.
    ///
    /// # Errors
    /// A name with the number is interpreted differently.
    pub(crate) fn numbered(&self, registry: &Registry, env: &Env) -> Result<Cow<'_, Self>> {
        let Some(ShardSettings { shard, .. }) = self.shard else {
            return Ok(Cow::Borrowed(self));
        };
        let mut job = self.clone();
        let sinks = [&mut job.plan.output, &mut job.plan.labels_output];
        for sink in sinks.into_iter().flatten() {
            let target = named_target(&Target::of(sink, registry)?, shard, registry, env)?;
            *sink = target.sink().clone();
        }
        let documents = [&mut job.error_log, &mut job.report];
        for document in documents.into_iter().flatten() {
            *document = shard.file(document);
        }
        Ok(Cow::Owned(job))
    }

    /// Returns the hashes of a run, with those that the inputs must have.
    fn hashes(&self) -> Hashes {
        let hashes = match self.shard {
            Some(_) => Hashes::of_opened(),
            None => Hashes::default(),
        };
        for (file, hash) in self.merge.iter().flat_map(|merge| &merge.hashes) {
            hashes.expect(file.clone(), hash.clone());
        }
        hashes
    }

    /// Converts the inputs, which are those of `shard` if there is one, and commits all files.
    fn convert(
        &self,
        mut shard: Option<ShardRun>,
        hashes: &Hashes,
        registry: &Registry,
        env: &Env,
        observer: &mut dyn Observer,
    ) -> Result<Outcome> {
        let plan = &self.plan;
        // A repetition for comparison is silent, because the first run reported everything.
        let env = &match shard.as_ref().is_some_and(ShardRun::compares) {
            true => env.listening(|_| {}),
            false => env.clone(),
        };
        let own = self.error_log.iter().chain(&self.report);
        let own: Vec<_> = own.chain(shard.as_ref().map(ShardRun::at)).collect();
        places::check_apart(plan, &own, env)?;
        let (log, report) = (self.error_log.as_ref(), self.report.as_ref());
        let mut documents = Documents::create(log, report, plan.run.overwrite, env)?;
        if let Some(shard) = shard.as_mut().filter(|_| !plan.run.dry_run) {
            shard.create(plan.run.overwrite, env)?;
        }
        let mut made = self.make(registry, env, observer, &mut documents)?;
        if let Some(file) = hashes.unexpected(env)? {
            return Err(Error::unfit(CHANGED).file(file.to_string()));
        }
        if let Some(shard) = shard.take_if(|shard| shard.compares()) {
            let shard = shard.compare(&made, plan)?;
            return Ok(Outcome::of_done(shard, self.output(), registry));
        }
        made.outcome.skipped += self.merge.as_ref().map_or(0, |merge| merge.skipped);
        made.outcome.error_log.clone_from(&self.error_log);
        made.outcome.report.clone_from(&self.report);
        // The record is the proof of all others, and gets its name last.
        let mut others = documents.complete(&made.outcome)?;
        observer.written(&made.outcome)?;
        if let Some(shard) = shard {
            let (shard, output) = shard.complete(&made, plan)?;
            others.extend(output);
            made.outcome.shard = Some(shard);
        }
        made.commit(others)
    }

    /// Converts the inputs without the commit.
    fn make(
        &self,
        registry: &Registry,
        env: &Env,
        observer: &mut dyn Observer,
        documents: &mut Documents,
    ) -> Result<Conversion> {
        let running = Running::open(&self.plan, registry, env, observer.watches());
        let mut running = running.map_err(|error| suggest_skipping(error, false))?;
        let converted = running.convert(observer, documents);
        let has_begun = running.has_begun();
        let made = converted.and_then(|()| running.finish());
        made.map_err(|error| suggest_skipping(error, has_begun))
    }

    /// Returns the output as typed.
    fn output(&self) -> &str {
        self.plan.output.as_ref().map_or("", Sink::text)
    }
}

/// Suggests to skip an utterance at fault. If the first one does not fit, the others hardly will.
fn suggest_skipping(error: Error, has_begun: bool) -> Error {
    let helps = error.kind() != ErrorKind::Unfit || has_begun;
    match error.can_continue() && helps {
        true => error.suggest(Remedy::SkipErrors),
        false => error,
    }
}
