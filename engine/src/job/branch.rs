//! One of the two outputs of a job: the data, or the labels alone.

use std::collections::BTreeMap;

use spr_core::adapt::Adapter;
use spr_core::bytes::{Env, Location, Locator, Output, Parents, key_of_file};
use spr_core::format::{Caps, Count, Keys, Registry, WriteSummary, Writer, create};
use spr_core::loss::{LossPolicy, LossReport};
use spr_core::model::{About, Dtype, Key, KeySource, Utterance};
use spr_core::{Error, Result};

use crate::argument::Target;
use crate::digest::{Digest, FieldDigest};
use crate::plan::{PartName, Plan, Split};
use crate::{places, verify};

pub(super) struct Branch<'a> {
    plan: &'a Plan,
    target: Target,
    registry: &'a Registry,
    env: Env,
    keys: KeySource,
    /// The facts about the data set that the target can store.
    about: About,
    adapter: Adapter,
    caps: Caps,
    /// The permitted losses: those of the job, and those implied by options of the target.
    policy: LossPolicy,
    /// `None` after a denied loss; further losses are then only measured.
    open: Option<OpenOutput>,
    /// The current part.
    part: u64,
    /// Unfinished parts.
    aside: BTreeMap<u64, OpenOutput>,
    /// Finished outputs of partitions before the commit.
    finished: Vec<Output>,
    written: WriteSummary,
    /// The hash of the output, if there is only one.
    hash: Option<String>,
    /// Folders created for parts.
    parents: Parents,
    /// Whether what is written is read back and compared.
    verifies: bool,
}

/// The current output.
struct OpenOutput {
    writer: Box<dyn Writer>,
    output: Output,
    /// Its target, if it is the output of a part.
    numbered: Option<Target>,
    /// The hash for reports.
    digest: Option<Digest>,
    /// The hashes for verification.
    fields: Option<FieldDigest>,
    /// The key that the file name implies for the only utterance of a file.
    file_key: Option<Key>,
}

/// Returns the part of an utterance for an output of labels.
pub(super) fn labels_of(utt: &Utterance) -> Utterance {
    Utterance {
        labels: utt.labels.clone(),
        tiers: utt.tiers.clone(),
        text: utt.text.clone(),
        ..Utterance::default()
    }
}

impl<'a> Branch<'a> {
    pub(super) fn open(
        target: Target,
        plan: &'a Plan,
        dtype: Option<Dtype>,
        (keys, about): (KeySource, About),
        registry: &'a Registry,
        env: &Env,
    ) -> Result<Self> {
        let caps = target.caps()?;
        let unnamed = keys == KeySource::Generated && caps.keys == Keys::None;
        let policy = target.policy(&plan.policy());
        let mut branch = Self {
            plan,
            target,
            registry,
            env: env.clone(),
            keys,
            about,
            adapter: Adapter::new(caps, dtype, unnamed, env).label_dtype(plan.label_dtype),
            caps,
            policy,
            open: None,
            part: 0,
            aside: BTreeMap::new(),
            finished: Vec::new(),
            written: WriteSummary::default(),
            hash: None,
            parents: Parents::default(),
            verifies: plan.run.verify,
        };
        branch.adapter.fit_about(&mut branch.about);
        branch.start(0)?;
        Ok(branch)
    }

    /// Opens the manifest of what `main` writes, whose files it sees before they have their names.
    pub(super) fn manifest(target: Target, main: &Self) -> Result<Self> {
        let Self { plan, registry, .. } = *main;
        let output = main.open.as_ref().map(|open| &open.output);
        let env = output.map_or_else(|| main.env.clone(), |output| main.env.seeing(output));
        let about = (main.keys, About::default());
        let branch = Self::open(target, plan, None, about, registry, &env)?;
        Ok(Self {
            verifies: false,
            ..branch
        })
    }

    /// Returns what the output can hold.
    pub(super) fn caps(&self) -> &Caps {
        &self.caps
    }

    /// Returns the name that the file of an utterance will presumably have.
    pub(super) fn file_of(&self, utt: &Utterance) -> Result<Option<Location>> {
        let extension = self.target.format().info().extensions.first();
        match (&self.open, extension) {
            (Some(open), Some(extension)) => open.output.file_of(&utt.key, extension).map(Some),
            _ => Ok(None),
        }
    }

    /// Takes the name of the file of the utterance that was written.
    pub(super) fn take_file(&self) -> Option<Location> {
        self.open.as_ref()?.output.take_begun()
    }

    /// Opens the output, or that of a part.
    fn start(&mut self, part: u64) -> Result<()> {
        let name = match &self.plan.split {
            Some(split) => split.part_name(part),
            None => PartName::Number(part),
        };
        let numbered = match self.target.is_numbered() {
            true => Some(self.target.part(name, self.registry, &self.env)?),
            false => None,
        };
        let parents = self.target.parents(name);
        if !self.plan.run.dry_run {
            let mut make = |folder| self.parents.make(folder, &self.env);
            parents.iter().try_for_each(&mut make)?;
        }
        let target = numbered.as_ref().unwrap_or(&self.target);
        let env = &self.env;
        let output = target.output(self.plan.run.overwrite, self.plan.run.add, env)?;
        let output = match self.plan.run.dry_run {
            true => {
                output.check_folders(&parents)?;
                output.rehearse()
            }
            false => output,
        };
        let registry = self.registry;
        places::discard_old(target, &output, self.plan.run.overwrite, registry, env)?;
        if part == 0 {
            let leftovers = output.locations().into_iter();
            for leftover in leftovers.flat_map(|file| env.leftovers(&file)) {
                env.warn(&leftover.error());
            }
        }
        let verifies = self.verifies && !self.plan.run.dry_run;
        if verifies {
            verify::check(target, &output)?;
        }
        let options = target.options()?;
        let writer = create(target.format(), output.clone(), &options, &self.about, env)?;
        let caps = target.caps()?;
        let folder = target.is_folder();
        let digest = (self.plan.run.hash).then(|| Digest::new(&caps, folder));
        let fields = verifies.then(|| FieldDigest::new(&caps, folder));
        let file_key = match (caps.count, output.locator()) {
            (Count::One, Locator::File(file)) if self.keys != KeySource::Generated => {
                Some(key_of_file(&file))
            }
            _ => None,
        };
        self.part = part;
        self.open = Some(OpenOutput {
            writer,
            output,
            numbered,
            digest,
            fields,
            file_key,
        });
        Ok(())
    }

    /// Moves to the output of the next partition.
    pub(super) fn next(&mut self, part: u64) -> Result<()> {
        if self.open.is_none() {
            return Ok(());
        }
        self.finish_output()?;
        self.start(part)
    }

    /// Moves to the output of any part.
    pub(super) fn turn_to(&mut self, part: u64) -> Result<()> {
        if part == self.part || self.open.is_none() {
            return Ok(());
        }
        if self.plan.split.as_ref().is_some_and(Split::is_in_order) {
            return self.next(part);
        }
        let other = self.aside.remove(&part);
        if let Some(open) = self.open.take() {
            self.aside.insert(self.part, open);
        }
        match other {
            None => self.start(part)?,
            other => (self.open, self.part) = (other, part),
        }
        Ok(())
    }

    fn finish_output(&mut self) -> Result<()> {
        if let Some(open) = self.open.take() {
            let written = open.writer.finish()?;
            self.written.utterances += written.utterances;
            self.written.frames += written.frames;
            self.written.seconds += written.seconds;
            self.written.bytes += written.bytes;
            self.written.rounded.append(&written.rounded);
            self.written.lost.append(&written.lost);
            if let Some(want) = open.fields.as_ref().filter(|_| self.verifies) {
                let target = open.numbered.as_ref().unwrap_or(&self.target);
                verify::read_back(target, &open.output, want, &written, &self.env)?;
            }
            let whole = open.digest.filter(|_| open.numbered.is_none());
            self.hash = whole.map(|digest| digest.text());
            self.finished.push(open.output);
        }
        Ok(())
    }

    /// Moves the labels of an utterance, in any form, to `labels` for this branch. They are then no
    /// loss of `main`.
    pub(super) fn take_labels(
        &self,
        utt: &mut Utterance,
        labels: &mut Utterance,
        main: &Branch<'_>,
    ) -> Result<()> {
        labels.key.clone_from(&utt.key);
        labels.labels.clone_from(&utt.labels);
        labels.clear_others();
        labels.chunk = utt.chunk;
        labels.meta.clear();
        labels.meta.frame_shift = utt.meta.frame_shift.filter(|_| self.caps.frame_shift);
        labels.meta.frame_offset = utt.meta.frame_offset.filter(|_| self.caps.frame_offset);
        if utt.labels.is_some() {
            let held = main.caps.labels.is_some_and(|caps| caps.with_features);
            utt.labels = utt.labels.take().filter(|_| held || utt.features.is_none());
        } else if !utt.tiers.is_empty() {
            labels.tiers.clone_from(&utt.tiers);
            if main.caps.segments.is_none() {
                utt.tiers.clear();
            }
        } else if utt.text.is_some() {
            labels.text.clone_from(&utt.text);
            utt.text = utt.text.take().filter(|_| main.caps.text);
        } else {
            let error = Error::unfit("has no labels to write");
            return Err(error.utterance(&utt.key).continuable());
        }
        Ok(())
    }

    /// Adapts an utterance, and checks that the output accepts it, without writing.
    pub(super) fn accept(&mut self, utt: &mut Utterance) -> Result<()> {
        self.fit(utt)?;
        match &mut self.open {
            Some(open) => {
                let accepted = open.writer.accept(utt);
                accepted.map_err(|e| self.target.about(e.utterance(&utt.key)))
            }
            None => Ok(()),
        }
    }

    /// Adapts an utterance to the output. All of a denied loss is measured, unless that means to
    /// decode sound for nothing.
    pub(super) fn fit(&mut self, utt: &mut Utterance) -> Result<()> {
        let ends = utt.audio.is_some() && !self.plan.run.dry_run;
        let applied = self.adapter.apply(utt);
        applied.map_err(|e| self.target.about(e))?;
        if self.adapter.is_denied(&self.policy) {
            let format = self.target.format().info().name;
            let error = self.adapter.denied_at_once(&self.policy, format);
            if let Some(error) = error.filter(|_| ends) {
                return Err(error.file(self.target.text()));
            }
            self.open = None;
            self.aside.clear();
        }
        Ok(())
    }

    /// Writes an adapted utterance.
    pub(super) fn write(&mut self, utt: &mut Utterance) -> Result<()> {
        if let Some(open) = &mut self.open {
            let written = open.writer.write(utt);
            written.map_err(|e| self.target.about(e.utterance(&utt.key)))?;
            if let Some(name) = open.file_key.take().filter(|name| *name != utt.key) {
                let message = format!("renamed to {name}, after its file");
                let warning = Error::unfit(message).utterance(&utt.key);
                self.env.warn(&warning.file(self.target.text()));
            }
            if let Some(digest) = &mut open.digest {
                digest.add(utt, &self.env);
            }
            if let Some(fields) = &mut open.fields {
                fields.add(utt, &self.env);
            }
        }
        self.adapter.keep();
        Ok(())
    }

    /// Takes the memory of an utterance that was written, for those to come.
    pub(super) fn reclaim(&mut self, utt: &mut Utterance) {
        self.adapter.reclaim(utt);
    }

    /// Completes the output without committing it.
    pub(super) fn finish(&mut self) -> Result<WriteSummary> {
        let format = self.target.format().info().name;
        if let Some(error) = self.adapter.report().denied(&self.policy, format) {
            return Err(error.file(self.target.text()));
        }
        self.finish_output()?;
        while let Some((_, open)) = self.aside.pop_first() {
            self.open = Some(open);
            self.finish_output()?;
        }
        if let Some(error) = self.written.lost.denied(&self.policy, format) {
            return Err(error.file(self.target.text()));
        }
        let lost = std::mem::take(&mut self.written.lost);
        self.written.rounded.append(&lost);
        Ok(self.written.clone())
    }

    /// Returns the hash of the output, if there is only one and a hash was requested.
    pub(super) fn hash(&self) -> Option<String> {
        self.hash.clone()
    }

    /// Returns the losses.
    pub(super) fn losses(&self) -> &LossReport {
        self.adapter.report()
    }

    /// Returns the loss by encodings that round more than their element types imply.
    pub(super) fn rounded(&self) -> &LossReport {
        &self.written.rounded
    }

    /// Returns the finished outputs, and the folders created for them.
    pub(super) fn outputs(self) -> (Vec<Output>, Parents) {
        (self.finished, self.parents)
    }
}
