//! A conversion from start to finish: open, join, adapt, write, commit.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use spr_core::adapt::Adapter;
use spr_core::bytes::{Env, Output, Source, key_of_file};
use spr_core::format::{Count, Keys, LabelCaps, Reader, Registry, Writer, Written};
use spr_core::loss::{LossPolicy, LossReport};
use spr_core::model::{Dtype, Key, KeySource, Utterance};
use spr_core::stage::{JoinLabels, Prefetch};
use spr_core::{Error, KeyMap, Result};

use crate::argument::{Input, Target};

/// What to do about an utterance that can't be converted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Give up; nothing is written.
    #[default]
    Stop,
    /// Pass over it and count it.
    Skip,
}

/// A conversion to be run.
pub struct Job {
    /// Data sets to read, one after the other.
    pub inputs: Vec<Input>,
    /// A data set whose labels join those utterances by key.
    pub labels: Option<Input>,
    /// A file of lines `utterance speaker`: labels are looked up under the speaker.
    pub utt2spk: Option<PathBuf>,
    /// Where everything goes.
    pub target: Target,
    /// Where the labels go, on their own.
    pub labels_out: Option<Target>,
    /// The element type of the features, if it is to change.
    pub dtype: Option<Dtype>,
    /// The losses that are allowed.
    pub policy: LossPolicy,
    /// What to do about utterances that can't be converted.
    pub on_error: OnError,
    /// Whether files that exist may be replaced.
    pub overwrite: bool,
    /// Whether to do everything but write.
    pub dry_run: bool,
}

/// What a conversion did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was written.
    pub written: Written,
    /// Utterances passed over.
    pub skipped: u64,
    /// The format read.
    pub from: &'static str,
    /// The format written.
    pub to: &'static str,
    /// What was lost, as allowed.
    pub losses: LossReport,
    /// What was decoded on the way, such as Kaldi's `CM`.
    pub decoded: Option<String>,
    /// How long it took.
    pub elapsed: Duration,
}

/// Follows a conversion.
pub trait Observer {
    /// Another utterance is done; `frames` counts all so far.
    fn progress(&mut self, utterances: u64, frames: u64);
    /// An utterance was passed over.
    fn skipped(&mut self, error: &Error);
}

impl Observer for () {
    fn progress(&mut self, _: u64, _: u64) {}

    fn skipped(&mut self, _: &Error) {}
}

/// One of the two outputs: the data, or the labels on their own.
struct Branch {
    name: String,
    format: &'static str,
    adapter: Adapter,
    /// Given up once a loss is denied, after which the rest is only measured.
    writer: Option<Box<dyn Writer>>,
    output: Output,
    labels: Option<LabelCaps>,
    /// The name that the one utterance of a file gets from the file.
    file_key: Option<Key>,
    env: Env,
}

impl Branch {
    fn open(
        target: &Target,
        job: &Job,
        dtype: Option<Dtype>,
        keys: KeySource,
        env: &Env,
    ) -> Result<Self> {
        let caps = target.caps()?;
        let output = target.output(job.overwrite, env);
        let output = if job.dry_run {
            Output::nowhere().access(env.access)
        } else {
            output
        };
        let writer = target
            .format()
            .create(output.clone(), &target.options()?, env)?;
        let file_key = match (caps.count, output.path()) {
            (Count::One, Some(path)) if keys != KeySource::Generated => Some(key_of_file(&path)),
            _ => None,
        };
        let unnamed = keys == KeySource::Generated && caps.keys == Keys::None;
        Ok(Self {
            name: target.text().to_owned(),
            format: target.format().info().name,
            adapter: Adapter::new(caps, dtype, unnamed, env.limits),
            writer: Some(writer),
            output,
            labels: caps.labels,
            file_key,
            env: env.clone(),
        })
    }

    fn write(&mut self, utt: &mut Utterance, policy: &LossPolicy) -> Result<()> {
        self.adapter.apply(utt)?;
        if self.adapter.report().is_denied(policy) {
            self.writer = None;
        }
        if let Some(name) = self.file_key.take().filter(|name| *name != utt.key) {
            let message = format!("called {name} from now on, by the name of its file");
            self.env
                .warn(&Error::unfit(message).utterance(&utt.key).file(&self.name));
        }
        match &mut self.writer {
            Some(writer) => writer.write(utt).map_err(|e| e.utterance(&utt.key)),
            None => Ok(()),
        }
    }

    fn finish(&mut self, policy: &LossPolicy) -> Result<Written> {
        if let Some(error) = self.adapter.report().denied(policy, self.format) {
            return Err(error.file(&self.name));
        }
        self.writer
            .take()
            .map_or(Ok(Written::default()), Writer::finish)
    }
}

impl Job {
    /// A conversion of `inputs` to `target` that refuses every loss and stops at the first fault.
    pub fn new(inputs: Vec<Input>, target: Target) -> Self {
        Self {
            inputs,
            labels: None,
            utt2spk: None,
            target,
            labels_out: None,
            dtype: None,
            policy: LossPolicy::default(),
            on_error: OnError::default(),
            overwrite: false,
            dry_run: false,
        }
    }

    /// Runs it. On an error nothing is left behind.
    ///
    /// # Errors
    /// An input is at fault, a loss is not allowed, or the system refuses.
    pub fn run(
        &self,
        registry: &Registry,
        env: &Env,
        observer: &mut dyn Observer,
    ) -> Result<Outcome> {
        let started = Instant::now();
        let (reader, from) = self.open_inputs(registry, env)?;
        let mut reader: Box<dyn Reader> = if env.threads > 1 {
            Box::new(Prefetch::new(reader)?)
        } else {
            reader
        };
        let keys = reader.info().keys;
        let mut main = Branch::open(&self.target, self, self.dtype, keys, env)?;
        let mut side = match &self.labels_out {
            Some(target) => Some(Branch::open(target, self, None, keys, env)?),
            None => None,
        };
        let mut utt = Utterance::default();
        let mut labels = Utterance::default();
        let (mut skipped, mut done, mut frames) = (0, 0, 0);
        loop {
            let mut dropped = false;
            let step = match reader.read(&mut utt) {
                Ok(false) => break,
                Ok(true) => {
                    frames += utt.frames();
                    let step = self.step(&mut utt, &mut labels, &mut main, side.as_mut());
                    dropped = self.target.is_permissive();
                    step
                }
                Err(error) => Err(error),
            };
            match step {
                Ok(()) => {
                    done += 1;
                    observer.progress(done, frames);
                }
                Err(error) if self.may_skip(&error, done) || (dropped && error.can_continue()) => {
                    skipped += 1;
                    observer.skipped(&error);
                    if !error.can_continue() {
                        break;
                    }
                }
                Err(error) => return Err(error),
            }
        }
        if done == 0 && skipped == 0 {
            let input = self.inputs.first().map_or("", Input::text);
            env.warn(&Error::unfit("holds no utterances").file(input));
        }
        let decoded = reader.info().compression.clone();
        let beside = side
            .as_mut()
            .map(|side| side.finish(&self.policy))
            .transpose()?;
        let mut written = main.finish(&self.policy)?;
        written.bytes += beside.map_or(0, |w| w.bytes);
        if let Some(side) = side {
            side.output.commit()?;
        }
        main.output.commit()?;
        Ok(Outcome {
            written,
            skipped,
            from,
            to: main.format,
            losses: main.adapter.report().clone(),
            decoded,
            elapsed: started.elapsed(),
        })
    }

    /// All inputs as one reader with the labels joined, and the format of the first.
    fn open_inputs(
        &self,
        registry: &Registry,
        env: &Env,
    ) -> Result<(Box<dyn Reader>, &'static str)> {
        let mut inputs = self.inputs.clone();
        if self.target.keeps_stored() {
            let name = self.target.format().info().name;
            let keep = |input: &mut Input| input.wish(name, "compress", "keep");
            inputs.iter_mut().for_each(keep);
        }
        let data = Input::open_all(&inputs, registry, env)?;
        let from = data.format.info().name;
        let Some(labels) = &self.labels else {
            return Ok((data.reader, from));
        };
        let table = labels.open_keyed(registry, env)?;
        let mut joined = JoinLabels::new(data.reader, table, labels.text());
        if let Some(path) = &self.utt2spk {
            joined = joined.mapped(KeyMap::read(Source::open(path)?, &env.limits)?);
        }
        Ok((Box::new(joined), from))
    }

    /// Writes one utterance to both outputs.
    fn step(
        &self,
        utt: &mut Utterance,
        labels: &mut Utterance,
        main: &mut Branch,
        side: Option<&mut Branch>,
    ) -> Result<()> {
        if let Some(side) = side {
            let Some(own) = &utt.labels else {
                return Err(Error::unfit("has no labels to write")
                    .utterance(&utt.key)
                    .continuable());
            };
            labels.key.clone_from(&utt.key);
            labels.labels_mut().clone_from(own);
            side.write(labels, &self.policy)?;
            if utt.features.is_some() && !main.labels.is_some_and(|caps| caps.with_features) {
                utt.labels = None;
            }
        }
        main.write(utt, &self.policy)
    }

    /// Whether an error costs one utterance, or the rest of an input of which something was read.
    fn may_skip(&self, error: &Error, done: u64) -> bool {
        let skip = self.on_error == OnError::Skip || self.inputs.iter().any(Input::is_permissive);
        skip && (error.can_continue() || done > 0)
    }
}
