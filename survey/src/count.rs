//! What the files of candidates hold, by their headers, on several threads.

use std::collections::HashSet;

use spr_core::bytes::{Env, Location, Locator};
use spr_core::format::{Format, Options, Reader, Registry, Request};
use spr_core::model::{Audio, RecordingFacts, Utterance};
use spr_core::{Error, ErrorKind, Result};
use spr_stats::{MeasuredAudio, Scope, Survey};

use crate::candidate::{Candidate, Facts, Form};
use crate::observer::{Observer, Phase};
use crate::pool;
use crate::walk::File;

/// Tasks whose outcomes are held at a time.
const BATCH: usize = 4096;

/// Faults of one file that are kept.
const KEPT: usize = 20;

/// What a file, or a folder as a whole, holds.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) facts: Facts,
    pub(crate) faults: Vec<Error>,
    /// The number of all faults.
    pub(crate) count: u64,
    /// The files that it names, each with the list that names it.
    pub(crate) named: Vec<Location>,
}

impl Outcome {
    fn fault(&mut self, error: Error) {
        self.count += 1;
        if self.faults.len() < KEPT {
            self.faults.push(error);
        }
    }
}

/// Something to be counted: a file of a candidate, or all of it.
#[derive(Clone, Copy)]
struct Task {
    candidate: usize,
    file: Option<usize>,
}

/// Counts what candidates hold.
pub(crate) struct Counter<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) env: &'a Env,
    pub(crate) quick: bool,
    pub(crate) observer: &'a dyn Observer,
}

impl Counter<'_> {
    /// Counts all candidates, and returns the files that each names.
    ///
    /// # Errors
    /// The observer stops.
    pub(crate) fn all(&self, candidates: &mut [Candidate]) -> Result<Vec<HashSet<Location>>> {
        let tasks = self.tasks(candidates);
        let all = Some(tasks.len() as u64);
        let mut named = vec![HashSet::new(); candidates.len()];
        for (batch, tasks) in tasks.chunks(BATCH).enumerate() {
            let before = (batch * BATCH) as u64;
            let progress = |done| self.observer.progress(Phase::Reading, before + done, all);
            let work = |task: &Task| self.task(&candidates[task.candidate], task.file);
            let outcomes = pool::map(tasks, self.env.threads, progress, work)?;
            for (task, outcome) in tasks.iter().zip(outcomes) {
                let candidate = &mut candidates[task.candidate];
                candidate.faults += outcome.count - outcome.faults.len() as u64;
                outcome
                    .faults
                    .iter()
                    .for_each(|error| candidate.fault(error));
                candidate.facts.add(outcome.facts);
                named[task.candidate].extend(outcome.named);
            }
        }
        for candidate in candidates.iter_mut() {
            // The files settle the number where their headers were left alone, and nothing else.
            if self.quick && candidate.form == Form::Each {
                candidate.facts.utterances = Some(candidate.files.len() as u64);
                if candidate.files.len() > 1 {
                    (candidate.facts.frames, candidate.facts.seconds) = (None, None);
                }
            }
        }
        Ok(named)
    }

    fn tasks(&self, candidates: &[Candidate]) -> Vec<Task> {
        let mut tasks = Vec::new();
        for (candidate, of) in candidates.iter().enumerate() {
            if of.form == Form::Whole {
                tasks.push(Task {
                    candidate,
                    file: None,
                });
                continue;
            }
            // One header stands for files of one utterance each.
            let count = match self.quick && of.form == Form::Each {
                true => of.files.len().min(1),
                false => of.files.len(),
            };
            tasks.extend((0..count).map(|file| Task {
                candidate,
                file: Some(file),
            }));
        }
        tasks
    }

    fn task(&self, candidate: &Candidate, file: Option<usize>) -> Outcome {
        let mut outcome = Outcome::default();
        let result = match file.and_then(|n| candidate.files.get(n)) {
            None => self.whole(candidate, &mut outcome),
            Some(file) => self.file(candidate, file, &mut outcome),
        };
        if let Err(error) = result {
            // A packed member that is only looked at from outside is not at fault.
            let partial = file
                .and_then(|n| candidate.files.get(n))
                .is_some_and(|f| f.partial);
            if !(partial && matches!(error.kind(), ErrorKind::Io | ErrorKind::Truncated)) {
                let place = candidate.path();
                let error = match error.file_name() {
                    Some(_) => error,
                    None => error.file(place),
                };
                outcome.fault(error);
            }
        }
        outcome
    }

    /// Counts a folder that as a whole is one data set.
    fn whole(&self, candidate: &Candidate, outcome: &mut Outcome) -> Result<()> {
        let Some(format) = candidate.formats.first() else {
            return Ok(());
        };
        for file in &candidate.files {
            // What a list at fault names is told by the folder.
            let _ = self.named_by(*format, file, outcome);
        }
        let partial = candidate.files.iter().any(|file| file.partial);
        let request = Request::all().shapes();
        let folder = &candidate.folder;
        let opened = request.open_folder(*format, folder, &[], &Options::default(), &self.quiet());
        self.count(opened?.into_stream()?, partial, outcome)
    }

    /// Counts a file.
    fn file(&self, candidate: &Candidate, file: &File, outcome: &mut Outcome) -> Result<()> {
        let extension = file.extension();
        let of_name =
            |format: &&&'static dyn Format| format.info().extensions.contains(&extension.as_str());
        let named = candidate.formats.iter().find(of_name);
        let Some(format) = named.or(candidate.formats.first()).copied() else {
            return Ok(());
        };
        if self.named_by(format, file, outcome)? {
            return Ok(());
        }
        let mut source = self.env.open_file(&file.at)?;
        if candidate.form == Form::Each
            && let Some(nested) = format.nested()
        {
            let facts = nested.facts(&mut source, &self.quiet())?;
            if facts.rate.is_some() && facts.seconds().is_some() {
                outcome.facts = of_sound(facts);
                return Ok(());
            }
            source = self.env.open_file(&file.at)?;
        }
        let request = Request::all().shapes();
        let opened = request.open(format, source, &Options::default(), &self.quiet())?;
        self.count(opened.into_stream()?, file.partial, outcome)
    }

    /// Takes the names and the number of entries of a list, and returns `false` for another file.
    fn named_by(
        &self,
        format: &'static dyn Format,
        file: &File,
        outcome: &mut Outcome,
    ) -> Result<bool> {
        let own = std::iter::once(format).chain(self.registry.formats());
        let mut lists = own.filter_map(|format| format.lists());
        let Some(lists) = lists.find(|lists| lists.is_list(&file.at, &[])) else {
            return Ok(false);
        };
        let mut facts = Facts::none();
        facts.seconds = None;
        lists.weigh(&file.at, self.env, &mut |_, weight| {
            facts.utterances = facts.utterances.map(|n| n + 1);
            facts.frames = facts.frames.zip(weight.frames).map(|(all, own)| all + own);
            Ok(())
        })?;
        lists.named(&file.at, None, self.env, &mut |place| {
            outcome.named.push(place.clone());
            Ok(())
        })?;
        outcome.facts = facts;
        Ok(true)
    }

    /// Counts utterances as far as this is asked for, and takes the files that they name.
    fn count(&self, reader: Box<dyn Reader>, partial: bool, outcome: &mut Outcome) -> Result<()> {
        let header = Facts::of_header(reader.info());
        if self.quick || partial {
            outcome.facts = header;
            return Ok(());
        }
        let mut survey = Survey::new(Scope::Shapes, reader.info());
        // Candidates are counted on several threads as it is.
        let mut env = self.quiet();
        env.threads = 1;
        let mut reader = MeasuredAudio::as_far_as_possible(reader, ["seconds", "rate"], &env);
        let mut named = std::mem::take(&mut outcome.named);
        let read = survey.read_past(
            &mut reader,
            |_, utt| {
                if let Some(place) = place_of_sound(utt)
                    && named.last() != Some(place)
                {
                    named.push(place.clone());
                }
                Ok(())
            },
            |error| match error.can_continue() {
                true => {
                    outcome.fault(error);
                    Ok(())
                }
                false => Err(error),
            },
        );
        outcome.named = named;
        outcome.facts = Facts::counted(&survey);
        read
    }

    /// Surroundings that say nothing: faults are counted, and warnings are for those who convert.
    fn quiet(&self) -> Env {
        self.env.listening(|_| {})
    }
}

/// Returns the facts of a sound file.
fn of_sound(facts: RecordingFacts) -> Facts {
    Facts {
        utterances: Some(1),
        frames: Some(0),
        seconds: facts.seconds(),
        unmeasured: 0,
        kinds: ["audio".to_owned()].into(),
        rates: facts.rate.into_iter().collect(),
    }
}

/// Returns the file that an utterance refers to for its sound.
fn place_of_sound(utt: &Utterance) -> Option<&Location> {
    match &utt.audio {
        Some(Audio::Reference(reference)) => match &reference.at {
            Locator::File(file) | Locator::FileAt(file, _) => Some(file),
            _ => None,
        },
        _ => None,
    }
}
