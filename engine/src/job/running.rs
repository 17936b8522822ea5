//! A job that runs: opening, loop, closing.

use std::collections::VecDeque;
use std::time::Instant;

use spr_core::bytes::{Env, Output, Parents};
use spr_core::format::{Reader, Registry};
use spr_core::model::{About, Key, Utterance};
use spr_core::{Error, ErrorKind, Result};

use super::branch::{Branch, labels_of};
use super::conversion::Conversion;
use super::documents::Documents;
use super::manifest;
use super::meter::Meter;
use super::opening::Opening;
use super::outcome::{Observer, Outcome, Progress};
use super::parts::Parts;
use super::places::{check_numbers, check_places, manifest_target, targets, warn_of_more};
use super::route::{self, Route};
use crate::argument::Target;
use crate::open::Reason;
use crate::plan::Plan;

/// A job between its opening and its end.
pub(super) struct Running<'a> {
    plan: &'a Plan,
    registry: &'a Registry,
    env: &'a Env,
    started: Instant,
    opening: Opening<'a>,
    reader: Box<dyn Reader>,
    /// The format of the first input.
    from: &'static str,
    /// Set if that format was guessed by the look of text.
    guessed: bool,
    /// The results of reading before the outputs were opened.
    first: VecDeque<Result<bool>>,
    utt: Utterance,
    /// The part of it that goes to the output of labels.
    labels: Utterance,
    target: Target,
    main: Branch<'a>,
    side: Option<Branch<'a>>,
    manifest: Option<Branch<'a>>,
    /// Whether the outputs are cut into partitions, one a part.
    cut: bool,
    route: Option<Route>,
    counts: Counts,
}

/// The counts so far.
#[derive(Default)]
struct Counts {
    done: u64,
    skipped: u64,
    frames: u64,
    /// The partition that is written, if they are cut.
    part: u64,
    /// The parts that something went to.
    parts: Parts,
    /// The keys of the first and the last utterance written.
    ends: Option<[Key; 2]>,
}

impl<'a> Running<'a> {
    /// Opens the inputs, then the outputs.
    pub(super) fn open(
        plan: &'a Plan,
        registry: &'a Registry,
        env: &'a Env,
        watched: bool,
    ) -> Result<Self> {
        let started = Instant::now();
        let (target, labels_target) = targets(plan, registry)?;
        check_numbers(plan)?;
        check_places(plan, registry, env)?;
        let manifest = manifest_target(plan, registry)?;
        let others: Vec<_> = labels_target.iter().chain(&manifest).collect();
        let opening = Opening::of(plan, &target, &others, env)?;
        let split = plan.split.as_ref();
        let route = split.map(|split| route::route(split, &opening, registry, env));
        let route = route.transpose()?;
        let opening = opening.metered(match watched {
            true => Meter::new(plan, registry, env),
            false => Meter::unwatched(plan),
        });
        let opened = opening.open(registry, env)?;
        let guessed = opened.why == Reason::Guess;
        let (mut reader, from) = (opened.reader, opened.format.info().name);
        let (keys, about) = (reader.info().keys, reader.info().about.clone());
        let mut utt = Utterance::default();
        let (mut target, mut labels_target) = (target, labels_target);
        let targets = || std::iter::once(&target).chain(&labels_target);
        // The target may depend on the first utterance.
        let mut first = VecDeque::new();
        let mut look = targets().any(Target::follows_data);
        while look {
            let read = reader.read(&mut utt);
            let passed = |error: &Error| error.can_continue() && may_skip(plan, error, true, 0);
            look = read.as_ref().is_err_and(passed);
            first.push_back(read);
        }
        if let Some(Ok(true)) = first.back() {
            target = target.suited_to(&utt);
            labels_target = labels_target.map(|labels| labels.suited_to(&labels_of(&utt)));
        }
        let open =
            |target, dtype, about| Branch::open(target, plan, dtype, (keys, about), registry, env);
        let main = open(target.clone(), plan.dtype, about)?;
        let side = labels_target.map(|target| open(target, None, About::default()));
        let side = side.transpose()?;
        let manifest = manifest.map(|target| Branch::manifest(target, &main));
        let manifest = manifest.transpose()?;
        Ok(Self {
            plan,
            registry,
            env,
            started,
            opening,
            reader,
            from,
            guessed,
            first,
            utt,
            labels: Utterance::default(),
            target,
            main,
            side,
            manifest,
            cut: plan.cuts(),
            route,
            counts: Counts::default(),
        })
    }

    /// Returns `true` once an utterance is done.
    pub(super) fn has_begun(&self) -> bool {
        self.counts.done > 0
    }

    /// Converts all utterances, and logs those that are skipped.
    pub(super) fn convert(
        &mut self,
        observer: &mut dyn Observer,
        documents: &mut Documents,
    ) -> Result<()> {
        loop {
            let read = match self.first.pop_front() {
                Some(read) => read,
                None => {
                    self.main.reclaim(&mut self.utt);
                    self.reader.read(&mut self.utt)
                }
            };
            // After an error of an input more may follow; errors of the output are different.
            let reading = read.is_err();
            let step = match read {
                Ok(false) => break,
                Ok(true) => {
                    self.turn()?;
                    self.write()
                }
                Err(error) => Err(error),
            };
            match step {
                Ok(()) => self.count(observer)?,
                Err(error) if may_skip(self.plan, &error, reading, self.counts.done) => {
                    self.counts.skipped += 1;
                    observer.skipped(&error);
                    documents.skipped(&error, observer)?;
                    if !error.can_continue() {
                        break;
                    }
                }
                Err(error) => return Err(error),
            }
        }
        self.warn_of_nothing();
        Ok(())
    }

    /// Goes to the part that the utterance belongs to.
    fn turn(&mut self) -> Result<()> {
        self.counts.frames += self.utt.frames();
        if self.cut {
            let Some(part) = self.utt.part else {
                let message = "partitions are lost where utterances are put in another order";
                return Err(Error::usage(message)
                    .file(self.target.text())
                    .hint("cut what was written in that order"));
            };
            if part > self.counts.part {
                self.counts.part = part;
                self.main.next(part)?;
                self.side.as_mut().map_or(Ok(()), |side| side.next(part))?;
            }
        }
        if let Some(route) = &mut self.route {
            let part = route(&self.utt)?;
            let shift = self.reader.info().frame_shift;
            self.counts.parts.measure(part, &self.utt, shift);
            self.main.turn_to(part)?;
            self.side
                .as_mut()
                .map_or(Ok(()), |side| side.turn_to(part))?;
        }
        Ok(())
    }

    /// Writes the utterance to both outputs, or to none.
    fn write(&mut self) -> Result<()> {
        let (utt, labels) = (&mut self.utt, &mut self.labels);
        if let Some(side) = &mut self.side {
            side.take_labels(utt, labels, &self.main)?;
            side.accept(labels)?;
        }
        let mut told = self.manifest.as_ref().map(|manifest| {
            let told = manifest::told(utt);
            manifest::leave(utt, self.main.caps(), manifest.caps());
            told
        });
        self.main.fit(utt)?;
        if let (Some(manifest), Some(told)) = (&mut self.manifest, &mut told)
            && let Some(file) = self.main.file_of(utt)?
        {
            told.audio = Some(manifest::reference(file, utt.audio.as_ref()));
            manifest.accept(told)?;
        }
        self.main.write(utt)?;
        // One of the outputs already has it.
        if let Some(side) = &mut self.side {
            side.write(labels).map_err(Error::fatal)?;
        }
        if let (Some(manifest), Some(told)) = (&mut self.manifest, &mut told)
            && let Some(file) = self.main.take_file()
        {
            told.audio = Some(manifest::reference(file, utt.audio.as_ref()));
            manifest.fit(told).map_err(Error::fatal)?;
            manifest.write(told).map_err(Error::fatal)?;
        }
        Ok(())
    }

    /// Counts the utterance, and says so.
    fn count(&mut self, observer: &mut dyn Observer) -> Result<()> {
        let (counts, utt) = (&mut self.counts, &self.utt);
        counts.done += u64::from(utt.ends());
        counts.parts.count();
        let ends = &mut counts.ends;
        let [_, last] = ends.get_or_insert_with(|| [utt.key.clone(), utt.key.clone()]);
        last.set(utt.key.as_bytes());
        let so_far = Progress {
            utterances: counts.done,
            frames: counts.frames,
            bytes: self.opening.meter().bytes(),
            entries: self.opening.meter().entries(),
        };
        if observer.progress(so_far).is_break() {
            let message = "the conversion was stopped; nothing was written";
            return Err(Error::new(ErrorKind::Stopped, message));
        }
        Ok(())
    }

    /// Warns if no utterance was written.
    fn warn_of_nothing(&self) {
        let Counts { done, skipped, .. } = self.counts;
        if done == 0 && skipped == 0 {
            let input = self.plan.text();
            let warning = |what: &str| Error::unfit(what).file(input);
            match self.plan.steps_on_all().next().is_none() {
                true => self.env.warn(&warning("holds no utterances")),
                false => {
                    let warning = warning("none of its utterances is left");
                    self.env.warn_left_out(&warning);
                }
            }
        } else if done == 0 && skipped > 1 {
            self.env.warn(&Error::unfit(format!(
                "all {skipped} utterances were skipped"
            )));
        }
    }

    /// Completes the outputs, which have their final names only after the commit.
    pub(super) fn finish(mut self) -> Result<Conversion> {
        let compression = self.reader.info().compression.as_deref();
        let decoded = self.opening.meter().decoded(compression);
        let beside = self.side.as_mut().map(|side| side.finish()).transpose()?;
        let mut written = self.main.finish()?;
        written.bytes += beside.map_or(0, |w| w.bytes);
        let listed = self.manifest.as_mut().map(|manifest| manifest.finish());
        written.bytes += listed.transpose()?.map_or(0, |w| w.bytes);
        let branches = || {
            let beside = self.side.iter().chain(&self.manifest);
            std::iter::once(&self.main).chain(beside)
        };
        let losses = branches().map(|branch| branch.losses().clone()).collect();
        let rounded = branches().map(|branch| branch.rounded().clone()).collect();
        let run = &self.plan.run;
        let hash = self.main.hash().filter(|_| run.hash);
        let (plan, counts) = (self.plan, self.counts);
        let split = plan.split.as_ref();
        let parts = split.map_or_else(Vec::new, |split| counts.parts.named(split));
        let partitions = match (&plan.split, self.cut) {
            (Some(_), _) => Some(counts.parts.len()),
            (None, cut) => cut.then_some(if counts.done > 0 { counts.part + 1 } else { 0 }),
        };
        warn_of_more(plan, partitions, &self.target, self.registry, self.env)?;
        let mut parents = Parents::default();
        let mut outputs = Vec::new();
        let branches = self.side.into_iter().chain([self.main]);
        for branch in branches.chain(self.manifest) {
            let (own, made) = branch.outputs();
            outputs.extend(own);
            parents.append(made);
        }
        if let Some(stored) = stored(&outputs).filter(|_| !run.dry_run) {
            written.bytes = stored;
        }
        let outcome = Outcome {
            written,
            skipped: counts.skipped,
            from: self.from,
            guessed: self.guessed,
            to: self.target.format().info().name,
            output: self.target.text().to_owned(),
            losses,
            rounded,
            decoded,
            shuffled: plan.shuffles(),
            partitions,
            parts,
            hash,
            verified: run.verify && !run.dry_run,
            elapsed: self.started.elapsed(),
            ..Outcome::default()
        };
        Ok(Conversion {
            outcome,
            outputs,
            parents,
            keys: counts.ends,
        })
    }
}

/// Returns `true` if an error affects one utterance, or the rest of an input that was partly read.
fn may_skip(plan: &Plan, error: &Error, reading: bool, done: u64) -> bool {
    let output = plan.output.as_ref();
    let permissive = output.is_some_and(|output| output.on_error.skips());
    let skip = plan.on_error().skips() || permissive && !reading;
    skip && (error.can_continue() || reading && done > 0 && !error.is_change())
}

/// Returns the total size of the written files, if it is known.
fn stored(outputs: &[Output]) -> Option<u64> {
    let lengths = outputs.iter().flat_map(|output| match output.written() {
        Ok(files) if !files.is_empty() => files.into_iter().map(|(_, n)| Some(n)).collect(),
        _ => vec![None],
    });
    let lengths = lengths.map(|length| length.filter(|n| *n > 0));
    lengths.sum()
}
