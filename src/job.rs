//! A conversion from start to finish: open, join, adapt, write, commit.

mod branch;
mod meter;
mod outcome;
mod places;

use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

use spr_core::bytes::{Env, Location, Output, Parents};
use spr_core::format::{Keys, Portioned, Reader, Registry, Request};
use spr_core::loss::{LossKind, LossPolicy, LossReport, describe};
use spr_core::model::{Dtype, Key, SourceField, Utterance};
use spr_core::stage::Prefetch;
use spr_core::{Error, ErrorKind, Result};

use crate::argument::{Input, PartName, Target, with_speakers};
use crate::shard::{Hashes, OutputRecord, Record};
use crate::spec::DataOptions;
use branch::Branch;
use meter::Meter;
pub use outcome::{Observer, Outcome, Progress};

/// What to do about an utterance that can't be converted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Give up; nothing is written.
    #[default]
    Stop,
    /// Pass over it and count it.
    Skip,
}

/// Makes a reader of a reader.
pub type Stage = Box<dyn Fn(Box<dyn Reader>, &Env) -> Result<Box<dyn Reader>>>;

/// Distributes utterances over parts.
pub struct Split {
    /// The names of the parts, which have numbers if this is empty.
    pub names: &'static [&'static str],
    /// How many there will be, where that is known.
    pub parts: Option<u64>,
    /// Whether parts come one after the other, so that one is finished when the next begins.
    pub in_order: bool,
    /// Makes what tells to which part the next utterance belongs, counted from 0.
    pub route: Box<dyn Fn() -> Route>,
}

/// Tells to which part the next utterance belongs, counted from 0.
pub type Route = Box<dyn FnMut(&Utterance) -> Result<u64>>;

/// A conversion that is done, of which nothing has its final name yet. Dropping it leaves nothing
/// behind.
pub struct Made {
    outcome: Outcome,
    outputs: Vec<Output>,
    parents: Parents,
    /// The names of the first and the last utterance that was written.
    keys: Option<[Key; 2]>,
}

impl Made {
    /// What will have been done.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Notes in the record of a shard what was done; `hashes` has those of the files.
    ///
    /// # Errors
    /// What was written can't be looked at.
    pub fn tell(&self, record: &mut Record, hashes: &Hashes, job: &Job) -> Result<()> {
        let Outcome {
            written, skipped, ..
        } = &self.outcome;
        (record.utterances, record.frames) = (written.utterances, written.frames);
        record.skipped = *skipped;
        let named = self.keys.as_ref();
        record.keys = named.map(|keys| keys.each_ref().map(ToString::to_string));
        record.format = self.outcome.to.to_owned();
        let losses = self.outcome.losses.iter().flat_map(LossReport::lines);
        record.losses = losses.map(|(kind, line)| describe(kind, line)).collect();
        for output in &self.outputs {
            let files = output.written()?.into_iter();
            record
                .outputs
                .extend(files.map(|(name, bytes)| OutputRecord {
                    hash: hashes.of(&name),
                    name: name.to_string(),
                    bytes,
                }));
        }
        let main = job.target.locations().first().map(ToString::to_string);
        record
            .outputs
            .sort_by_key(|output| Some(&output.name) != main.as_ref());
        Ok(())
    }

    /// Gives everything its final name, and `others` with it: all or nothing.
    ///
    /// # Errors
    /// As [`Output::commit_all`].
    pub fn commit(self, others: impl IntoIterator<Item = Output>) -> Result<Outcome> {
        Output::commit_all(self.outputs.into_iter().chain(others))?;
        self.parents.keep();
        Ok(self.outcome)
    }
}

impl Split {
    fn name(&self, part: u64) -> PartName {
        let word = usize::try_from(part).ok().and_then(|i| self.names.get(i));
        word.map_or(PartName::Number(part), |word| PartName::Word(word))
    }
}

/// A conversion to be run.
pub struct Job {
    /// Data sets to read, one after the other.
    pub inputs: Vec<Input>,
    /// What of them is wanted.
    pub request: Request,
    /// What happens to the utterances, in this order; before labels join them, unless something
    /// else was to happen to frames and labels of the inputs.
    pub stages: Vec<Stage>,
    /// Whether labels join before the stages in any case, for one of them may look at frames.
    pub labels_first: bool,
    /// How they are distributed over several outputs, where the target's name has `{part}`.
    pub split: Option<Split>,
    /// A data set whose labels join those utterances by key.
    pub labels: Option<Input>,
    /// A data set whose text joins those utterances by key.
    pub text: Option<Input>,
    /// A file of lines `utterance speaker`: labels are looked up under the speaker first, and the
    /// utterances get it, where there are no labels or the target has a place for it.
    pub utt2spk: Option<Location>,
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
    /// Whether files that exist may be replaced, and all that a folder holds.
    pub overwrite: bool,
    /// Whether files may be added to a folder that exists.
    pub add: bool,
    /// Whether to do everything but write.
    pub dry_run: bool,
    /// Whether outputs are read back and compared before they get their names.
    pub verify: bool,
    /// Whether the outcome has a hash of what was written.
    pub hash: bool,
}

/// What of an utterance goes to an output of labels.
fn labels_of(utt: &Utterance) -> Utterance {
    Utterance {
        labels: utt.labels.clone(),
        tiers: utt.tiers.clone(),
        text: utt.text.clone(),
        ..Utterance::default()
    }
}

/// Bytes of all files that were written, where they are files of a known length.
fn stored(outputs: &[Output]) -> Option<u64> {
    let lengths = outputs.iter().flat_map(|output| match output.written() {
        Ok(files) if !files.is_empty() => files.into_iter().map(|(_, n)| Some(n)).collect(),
        _ => vec![None],
    });
    let lengths = lengths.map(|length| length.filter(|n| *n > 0));
    lengths.sum()
}

impl Job {
    /// A conversion of `inputs` to `target` that refuses every loss, but for boundaries that the
    /// inputs' data options give up, and stops at the first fault.
    pub fn new(inputs: Vec<Input>, target: Target) -> Self {
        let mut policy = LossPolicy::default();
        let mut options = inputs.iter().map(Input::data_options);
        if options.any(DataOptions::gives_up_boundaries) {
            policy.allow(LossKind::Boundaries);
        }
        Self {
            inputs,
            request: Request::all().distinct(true),
            stages: Vec::new(),
            labels_first: false,
            split: None,
            labels: None,
            text: None,
            utt2spk: None,
            target,
            labels_out: None,
            dtype: None,
            policy,
            on_error: OnError::default(),
            overwrite: false,
            add: false,
            dry_run: false,
            verify: false,
            hash: false,
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
        self.make(registry, env, observer)?.commit([])
    }

    /// Does all but give what was written its names. On an error nothing is left behind.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn make(
        &self,
        registry: &Registry,
        env: &Env,
        observer: &mut dyn Observer,
    ) -> Result<Made> {
        let started = Instant::now();
        self.check_numbers()?;
        self.check_places(registry, env)?;
        let cut = self.target.is_numbered() && self.split.is_none();
        let mut route = self.split.as_ref().map(|split| (split.route)());
        let mut parts = BTreeSet::new();
        let meter = match observer.watches() {
            true => Meter::new(&self.inputs, registry, env),
            false => Meter::unwatched(&self.inputs),
        };
        let (mut reader, from) = self.open_inputs(cut, &meter, registry, env)?;
        let keys = reader.info().keys;
        let mut utt = Utterance::default();
        let targets = [Some(&self.target), self.labels_out.as_ref()];
        let follow = targets.into_iter().flatten().any(Target::follows_data);
        // What is written may depend on what comes first.
        let mut first = VecDeque::new();
        let mut look = follow;
        while look {
            let read = reader.read(&mut utt);
            let passed = |error: &Error| error.can_continue() && self.may_skip(error, true, 0);
            look = read.as_ref().is_err_and(passed);
            first.push_back(read);
        }
        let (mut target, mut labels_out) = (self.target.clone(), self.labels_out.clone());
        if let Some(Ok(true)) = first.back() {
            target = target.suited_to(&utt);
            labels_out = labels_out.map(|labels| labels.suited_to(&labels_of(&utt)));
        }
        let open = |target, dtype| Branch::open(target, self, dtype, keys, registry, env);
        let mut main = open(&target, self.dtype)?;
        let mut side = labels_out
            .as_ref()
            .map(|target| open(target, None))
            .transpose()?;
        let mut part = 0;
        let mut labels = Utterance::default();
        let mut ends: Option<[Key; 2]> = None;
        let (mut skipped, mut done, mut frames) = (0, 0, 0);
        loop {
            // Past a fault of an input there may be more; what can't be written is another thing.
            let mut reading = true;
            let step = match first.pop_front().unwrap_or_else(|| reader.read(&mut utt)) {
                Ok(false) => break,
                Ok(true) => {
                    frames += utt.frames();
                    if cut && utt.part.is_none() {
                        let message =
                            "partitions are lost where utterances are put in another order";
                        return Err(Error::usage(message)
                            .file(self.target.text())
                            .hint("cut what was written in that order"));
                    }
                    let begun = utt.part.unwrap_or_default();
                    if cut && begun > part {
                        part = begun;
                        main.next(part)?;
                        side.as_mut().map_or(Ok(()), |side| side.next(part))?;
                    }
                    if let Some(route) = &mut route {
                        let part = route(&utt)?;
                        parts.insert(part);
                        main.turn_to(part)?;
                        side.as_mut().map_or(Ok(()), |side| side.turn_to(part))?;
                    }
                    reading = false;
                    self.step(&mut utt, &mut labels, &mut main, side.as_mut())
                }
                Err(error) => Err(error),
            };
            match step {
                Ok(()) => {
                    done += u64::from(utt.ends());
                    let [_, last] = ends.get_or_insert_with(|| [utt.key.clone(), utt.key.clone()]);
                    last.set(utt.key.as_bytes());
                    let so_far = Progress {
                        utterances: done,
                        frames,
                        bytes: meter.bytes(),
                        entries: meter.entries(),
                    };
                    if observer.progress(so_far).is_break() {
                        let message = "the conversion was stopped; nothing was written";
                        return Err(Error::new(ErrorKind::Stopped, message));
                    }
                }
                Err(error) if self.may_skip(&error, reading, done) => {
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
            let what = match self.stages.is_empty() {
                true => "holds no utterances",
                false => "none of its utterances is left",
            };
            env.warn(&Error::unfit(what).file(input));
        } else if done == 0 && skipped > 1 {
            env.warn(&Error::unfit(format!(
                "all {skipped} utterances were skipped"
            )));
        }
        let decoded = meter.decoded(reader.info().compression.as_deref());
        let beside = side.as_mut().map(|side| side.finish()).transpose()?;
        let mut written = main.finish()?;
        written.bytes += beside.map_or(0, |w| w.bytes);
        let branches = || std::iter::once(&main).chain(&side);
        let losses = branches().map(|branch| branch.losses().clone()).collect();
        let rounded = branches().map(|branch| branch.rounded().clone()).collect();
        let hash = main.hash().filter(|_| self.hash);
        let mut parents = Parents::default();
        let mut outputs = Vec::new();
        for branch in side.into_iter().chain([main]) {
            let (own, made) = branch.outputs();
            outputs.extend(own);
            parents.append(made);
        }
        let partitions = match &self.split {
            Some(_) => Some(parts.len() as u64),
            None => cut.then_some(if done > 0 { part + 1 } else { 0 }),
        };
        self.warn_of_more(partitions, registry, env)?;
        if let Some(stored) = stored(&outputs).filter(|_| !self.dry_run) {
            written.bytes = stored;
        }
        let outcome = Outcome {
            written,
            skipped,
            from,
            to: self.target.format().info().name,
            losses,
            rounded,
            decoded,
            shuffled: {
                let mut options = self.inputs.iter().map(Input::data_options);
                options.any(DataOptions::shuffles)
            },
            partitions,
            hash,
            verified: self.verify && !self.dry_run,
            elapsed: started.elapsed(),
        };
        Ok(Made {
            outcome,
            outputs,
            parents,
            keys: ends,
        })
    }

    /// Settles what the first utterance has a say in, for a job that reads only some of them.
    ///
    /// # Errors
    /// The inputs can't be read.
    pub fn settle_kind(&mut self, registry: &Registry, env: &Env) -> Result<()> {
        let targets = [Some(&self.target), self.labels_out.as_ref()];
        if !targets.into_iter().flatten().any(Target::follows_data) {
            return Ok(());
        }
        let (mut reader, _) = self.open_inputs(false, &Meter::default(), registry, env)?;
        let mut first = Utterance::default();
        if reader.read(&mut first)? {
            self.target = self.target.suited_to(&first);
            let labels = self.labels_out.take();
            self.labels_out = labels.map(|labels| labels.suited_to(&labels_of(&first)));
        }
        Ok(())
    }

    /// Joins the labels to each of the `inputs` if anything is done to frames, before which they
    /// have to be there; whether it did.
    pub(crate) fn join_first(&self, inputs: &mut [Input], partitioned: bool) -> Result<bool> {
        let staged = inputs.iter().any(Input::has_stages) || partitioned || self.labels_first;
        let Some(labels) = self.labels.as_ref().filter(|_| staged) else {
            return Ok(false);
        };
        if labels.is_stdin() && inputs.len() > 1 {
            return Err(Error::usage(
                "labels for several inputs can't be read from a pipe",
            ));
        }
        for input in inputs {
            input.join(labels.clone(), self.utt2spk.clone())?;
        }
        Ok(true)
    }

    /// All inputs as one reader with the labels joined, which reads ahead, and the format of the
    /// first.
    fn open_inputs(
        &self,
        partitioned: bool,
        meter: &Meter,
        registry: &Registry,
        env: &Env,
    ) -> Result<(Box<dyn Reader>, &'static str)> {
        let mut inputs = self.inputs.clone();
        if self.target.keeps_stored() {
            let name = self.target.format().info().name;
            let keep = |input: &mut Input| input.prefer(name, "compress", "keep");
            inputs.iter_mut().for_each(keep);
        }
        if partitioned {
            inputs.iter_mut().for_each(Input::cut);
        }
        let joined = self.join_first(&mut inputs, partitioned)?;
        let request = self.request.clone();
        let request = request.lenient(self.on_error == OnError::Skip);
        // Where no name is written, none has to be alone.
        let mut named = false;
        let mut forms = self.target.caps()?.forms();
        let mut tells = self.labels.is_none();
        for target in std::iter::once(&self.target).chain(&self.labels_out) {
            let caps = target.caps()?;
            named |= caps.keys != Keys::None;
            forms = forms.or(caps.forms());
            tells |= caps.source.contains(&SourceField::Speaker);
        }
        let distinct = request.distinct && named;
        let portioned = self.portioned(partitioned)?;
        let request = request.distinct(distinct).portions(portioned).forms(forms);
        // Sound goes to the first of them alone. What takes the place of a file in its stead, such as
        // JSON lines, is to have samples that can be read.
        let audio = self.target.caps()?.audio;
        let files = match audio.references {
            true => &[],
            false => audio.encoded,
        };
        let request = request.files(files);
        let data = Input::open_all(&inputs, request, registry, &meter.watch(env))?;
        let from = data.format.info().name;
        let mut reader = meter.attach(data.reader);
        for stage in &self.stages {
            reader = stage(reader, env)?;
        }
        if let Some(labels) = self.labels.as_ref().filter(|_| !joined) {
            reader = labels.join_to(reader, self.utt2spk.as_ref(), registry, env)?;
        }
        if let Some(text) = &self.text {
            reader = text.join_text_to(reader, registry, env)?;
        }
        if let Some(file) = self.utt2spk.as_ref().filter(|_| tells) {
            reader = with_speakers(reader, file, env)?;
        }
        if env.threads > 1 && !inputs.iter().any(Input::reads_ahead) {
            reader = Box::new(Prefetch::new(reader));
        }
        Ok((reader, from))
    }

    /// How long utterances may come: whole, where something looks at all of one.
    fn portioned(&self, partitioned: bool) -> Result<Portioned> {
        let looks = !self.stages.is_empty() || self.split.is_some() || partitioned;
        let joins = self.labels.is_some() || self.text.is_some() || self.utt2spk.is_some();
        let looks = looks || self.verify || self.hash;
        if looks || joins || self.target.is_permissive() {
            return Ok(Portioned::No);
        }
        let targets = std::iter::once(&self.target).chain(&self.labels_out);
        targets
            .map(Target::caps)
            .try_fold(Portioned::Any, |all, caps| Ok(all.min(caps?.portioned)))
    }

    /// Writes one utterance to both outputs, or to none.
    fn step(
        &self,
        utt: &mut Utterance,
        labels: &mut Utterance,
        main: &mut Branch,
        side: Option<&mut Branch>,
    ) -> Result<()> {
        let Some(side) = side else {
            main.fit(utt)?;
            return main.write(utt);
        };
        side.take_labels(utt, labels, main)?;
        side.accept(labels)?;
        main.fit(utt)?;
        main.write(utt)?;
        let written = side.write(labels);
        // One of the two outputs has it by now.
        written.map_err(Error::fatal)
    }

    /// Whether an error costs one utterance, or the rest of an input of which something was read.
    fn may_skip(&self, error: &Error, reading: bool, done: u64) -> bool {
        let skip = self.on_error == OnError::Skip
            || self.inputs.iter().any(Input::is_permissive)
            || self.target.is_permissive() && !reading;
        skip && (error.can_continue() || reading && done > 0 && !error.is_change())
    }
}
