//! One of the two outputs of a job: the data, or the labels on their own.

use std::collections::BTreeMap;

use spr_core::adapt::Adapter;
use spr_core::bytes::{Env, Locator, Output, Parents, key_of_file};
use spr_core::format::{Caps, Count, Keys, Registry, Writer, Written};
use spr_core::loss::{LossPolicy, LossReport};
use spr_core::model::{Dtype, Key, KeySource, Utterance};
use spr_core::{Error, Result};

use super::Job;
use crate::argument::{PartName, Target};
use crate::digest::Digest;
use crate::{places, verify};

pub(super) struct Branch<'a> {
    job: &'a Job,
    target: &'a Target,
    registry: &'a Registry,
    env: Env,
    keys: KeySource,
    adapter: Adapter,
    caps: Caps,
    /// What this output may lose: what the job may, and what its own options give up by name.
    policy: LossPolicy,
    /// Given up once a loss is denied, after which the rest is only measured.
    open: Option<Open>,
    /// The part that is being written.
    part: u64,
    /// Parts that are not finished, to which more may come.
    aside: BTreeMap<u64, Open>,
    /// Outputs of partitions that are finished and not in place yet.
    finished: Vec<Output>,
    written: Written,
    /// The hash of the output, if there is only one.
    hash: Option<String>,
    /// Folders made for parts.
    parents: Parents,
}

/// The output that is being written.
struct Open {
    writer: Box<dyn Writer>,
    output: Output,
    /// Where it goes, if that is the output of a partition.
    numbered: Option<Target>,
    digest: Option<Digest>,
    /// The name that the one utterance of a file gets from the file.
    file_key: Option<Key>,
}

impl<'a> Branch<'a> {
    pub(super) fn open(
        target: &'a Target,
        job: &'a Job,
        dtype: Option<Dtype>,
        keys: KeySource,
        registry: &'a Registry,
        env: &Env,
    ) -> Result<Self> {
        let caps = target.caps()?;
        let unnamed = keys == KeySource::Generated && caps.keys == Keys::None;
        let mut branch = Self {
            job,
            target,
            registry,
            env: env.clone(),
            keys,
            adapter: Adapter::new(caps, dtype, unnamed, env),
            caps,
            policy: target.policy(&job.policy),
            open: None,
            part: 0,
            aside: BTreeMap::new(),
            finished: Vec::new(),
            written: Written::default(),
            hash: None,
            parents: Parents::default(),
        };
        branch.start(0)?;
        Ok(branch)
    }

    /// Opens the output, or that of a partition.
    fn start(&mut self, part: u64) -> Result<()> {
        let name = match &self.job.split {
            Some(split) => split.name(part),
            None => PartName::Number(part),
        };
        let numbered = match self.target.is_numbered() {
            true => Some(self.target.part(name, self.registry, &self.env)?),
            false => None,
        };
        if !self.job.dry_run {
            let parents = self.target.parents(name);
            let mut make = |folder| self.parents.make(folder, &self.env);
            parents.iter().try_for_each(&mut make)?;
        }
        let target = numbered.as_ref().unwrap_or(self.target);
        let env = &self.env;
        let output = target.output(self.job.overwrite, self.job.add, env)?;
        let output = match self.job.dry_run {
            true => output.rehearse(),
            false => output,
        };
        let registry = self.registry;
        places::discard_old(target, &output, self.job.overwrite, registry, env)?;
        if part == 0 {
            let leftovers = output.locations().into_iter();
            for leftover in leftovers.flat_map(|file| env.leftovers(&file)) {
                env.warn(&leftover.error());
            }
        }
        if self.job.verify && !self.job.dry_run {
            verify::check(target, &output)?;
        }
        let writer = target
            .format()
            .create(output.clone(), &target.options()?, env)?;
        let caps = target.caps()?;
        let digest =
            (self.job.verify || self.job.hash).then(|| Digest::new(&caps, target.is_folder()));
        let file_key = match (caps.count, output.locator()) {
            (Count::One, Locator::File(file)) if self.keys != KeySource::Generated => {
                Some(key_of_file(&file))
            }
            _ => None,
        };
        self.part = part;
        self.open = Some(Open {
            writer,
            output,
            numbered,
            digest,
            file_key,
        });
        Ok(())
    }

    /// Goes on to the output of the next partition.
    pub(super) fn next(&mut self, part: u64) -> Result<()> {
        if self.open.is_none() {
            return Ok(());
        }
        self.finish_output()?;
        self.start(part)
    }

    /// Goes to the output of any part.
    pub(super) fn turn_to(&mut self, part: u64) -> Result<()> {
        if part == self.part || self.open.is_none() {
            return Ok(());
        }
        if self.job.split.as_ref().is_some_and(|split| split.in_order) {
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
            if let Some(digest) = &open.digest {
                let target = open.numbered.as_ref().unwrap_or(self.target);
                if self.job.verify && !self.job.dry_run {
                    verify::read_back(target, &open.output, digest, &self.env)?;
                }
                self.hash = open.numbered.is_none().then(|| digest.text());
            }
            self.finished.push(open.output);
        }
        Ok(())
    }

    /// Moves what is said of the frames of an utterance, in whatever form, to `labels`, for this
    /// branch. What `main` has no place for is not missed there any more.
    pub(super) fn take_labels(
        &self,
        utt: &mut Utterance,
        labels: &mut Utterance,
        main: &Branch<'_>,
    ) -> Result<()> {
        labels.key.clone_from(&utt.key);
        labels.labels.clone_from(&utt.labels);
        labels.clear_others();
        labels.portion = utt.portion;
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

    /// Makes an utterance fit the output, which must take it: nothing is written yet.
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

    /// Makes an utterance fit the output.
    pub(super) fn fit(&mut self, utt: &mut Utterance) -> Result<()> {
        let applied = self.adapter.apply(utt);
        applied.map_err(|e| self.target.about(e))?;
        if self.adapter.is_denied(&self.policy) {
            self.open = None;
            self.aside.clear();
        }
        Ok(())
    }

    /// Writes an utterance that was made to fit.
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
        }
        self.adapter.keep();
        Ok(())
    }

    /// Completes the output, which has its final name only after the commit.
    pub(super) fn finish(&mut self) -> Result<Written> {
        let format = self.target.format().info().name;
        if let Some(error) = self.adapter.report().denied(&self.policy, format) {
            return Err(error.file(self.target.text()));
        }
        self.finish_output()?;
        while let Some((_, open)) = self.aside.pop_first() {
            self.open = Some(open);
            self.finish_output()?;
        }
        Ok(self.written.clone())
    }

    /// The hash of what was written, if there is one output and a hash was wanted.
    pub(super) fn hash(&self) -> Option<String> {
        self.hash.clone()
    }

    /// What was lost.
    pub(super) fn losses(&self) -> &LossReport {
        self.adapter.report()
    }

    /// What the output rounds further than its element types say.
    pub(super) fn rounded(&self) -> &LossReport {
        &self.written.rounded
    }

    /// What is finished and can be committed, and the folders made for it.
    pub(super) fn outputs(self) -> (Vec<Output>, Parents) {
        (self.finished, self.parents)
    }
}
