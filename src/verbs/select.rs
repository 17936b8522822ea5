//! `select`, `sort` and `merge`: stages of a job.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use spr_core::bytes::{Env, Held, Location};
use spr_core::format::{Parts, Reader, Registry, Request, Score};
use spr_core::model::{DatasetInfo, Key, Utterance};
use spr_core::random::Mt19937;
use spr_core::stage::{By, Filter, KeyFilter, Sort, Stages, Take, Unique};
use spr_core::{Error, Remedy, Result};
use spr_stats::seconds;

use crate::argument::{Input, with_speakers};
use crate::job::{Job, OnError, Stage};

/// Which utterances are wanted: those that meet every rule.
#[derive(Debug)]
pub struct Rules {
    /// Their keys are in the list of a file of this name.
    pub keys: Option<(String, HashSet<Key>)>,
    /// Their keys are not among these.
    pub exclude: Option<KeyFilter>,
    /// Their keys are like one of these, if there are any.
    pub globs: Vec<KeyFilter>,
    /// Of these, the first that is a key as a whole.
    pub whole: Option<String>,
    /// Their keys are like one of these as well, if there are any.
    pub regexes: Vec<KeyFilter>,
    /// They have so many frames.
    pub frames: RangeInclusive<u64>,
    /// They are spoken by one of these.
    pub speakers: Option<HashSet<Key>>,
}

impl Rules {
    /// Makes them what comes next in a job. What can be told by keys alone is requested of the
    /// inputs, which then go past the rest, unless other stages are to see it first. Keys in the
    /// list that never come are warned of.
    pub fn add_to(self: &Arc<Self>, job: &mut Job) {
        if job.stages.is_empty() {
            let rules = self.clone();
            job.request = job.request.clone().keys(move |key| rules.may_want(key));
        }
        job.stages.push(self.stage());
    }

    fn stage(self: &Arc<Self>) -> Stage {
        let rules = self.clone();
        Box::new(move |inner, env| {
            Ok(Box::new(Selected {
                info: inner.info().without_totals(),
                inner,
                missing: rules.keys.as_ref().map(|(_, keys)| keys.clone()),
                rules: rules.clone(),
                any: false,
                env: env.clone(),
            }))
        })
    }

    /// Whether an utterance of this name has to be read. What the list names has to come, wanted or
    /// not, or else it would be missing.
    fn may_want(&self, key: &Key) -> bool {
        match &self.keys {
            Some((_, keys)) => keys.contains(key),
            None => self.want_key(key),
        }
    }

    fn want_key(&self, key: &Key) -> bool {
        let like = |filters: &[KeyFilter]| {
            filters.is_empty() || filters.iter().any(|filter| filter.holds(key))
        };
        let excluded = |filter: &KeyFilter| filter.holds(key);
        self.keys
            .as_ref()
            .is_none_or(|(_, keys)| keys.contains(key))
            && !self.exclude.as_ref().is_some_and(excluded)
            && like(&self.globs)
            && like(&self.regexes)
    }

    fn want(&self, utt: &Utterance) -> Result<bool> {
        if !self.frames.contains(&utt.frames()) || !self.want_key(&utt.key) {
            return Ok(false);
        }
        match &self.speakers {
            Some(speakers) => Ok(speakers.contains(speaker(utt)?)),
            None => Ok(true),
        }
    }
}

/// What is left of a data set.
struct Selected {
    inner: Box<dyn Reader>,
    rules: Arc<Rules>,
    /// Keys of the list that have not come yet, until they were told.
    missing: Option<HashSet<Key>>,
    /// Whether there is an utterance left.
    any: bool,
    env: Env,
    info: DatasetInfo,
}

impl Reader for Selected {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.inner.read(utt)? {
            if let Some(missing) = &mut self.missing {
                missing.remove(&utt.key);
            }
            if self.rules.want(utt)? {
                self.any = true;
                return Ok(true);
            }
        }
        let missing = self.missing.take().unwrap_or_default();
        if let (Some(key), Some((list, _))) = (missing.iter().min(), &self.rules.keys) {
            let message = match missing.len() {
                1 => "the data have no such utterance".to_owned(),
                n => format!(
                    "the data have no such utterance, nor {} more of the list",
                    n - 1
                ),
            };
            self.env
                .warn(&Error::unfit(message).file(list).utterance(key));
        }
        if !std::mem::replace(&mut self.any, true)
            && let Some(whole) = &self.rules.whole
        {
            let warning = Error::unfit(format!("no utterance is called '{whole}'"));
            let hint = format!("'{whole}*' is like all names that begin so");
            self.env.warn(&warning.hint(hint));
        }
        Ok(false)
    }
}

/// The keys of a list, the first words of its lines, or those of a data set, which is what the file
/// is if its content says so for certain.
///
/// # Errors
/// It can't be read, or is neither.
pub fn key_list(file: &Location, registry: &Registry, env: &Env) -> Result<HashSet<Key>> {
    let mut source = env.open_file(file)?;
    let Some((Score::Certain, format)) = registry.rank(&mut source)?.first().copied() else {
        return KeyFilter::keys(source, &env.limits);
    };
    let (mut keys, mut held) = (HashSet::new(), Held::new("the keys of a data set"));
    for input in Input::parse(&file.to_string(), Some(format), &[], registry, env)? {
        let mut reader = input.open(names(), registry, env)?.reader;
        let mut utt = Utterance::default();
        while reader.read(&mut utt)? {
            if !keys.contains(&utt.key) {
                held.add(
                    size_of::<Key>() + utt.key.as_bytes().len(),
                    &source,
                    &env.limits,
                )?;
                keys.insert(utt.key.clone());
            }
        }
    }
    Ok(keys)
}

/// Makes stages that were typed what comes next in a job, with the labels of its inputs.
///
/// # Errors
/// They leave no utterances to write.
pub fn typed(stages: Stages, job: &mut Job) -> Result<()> {
    let kept = stages.check_utterances();
    kept.map_err(|e| e.suggest(Remedy::KeepUtterances))?;
    job.labels_first = true;
    job.stages
        .push(Box::new(move |inner, env| stages.over(inner, env)));
    Ok(())
}

/// Who speaks an utterance.
///
/// # Errors
/// Nothing says it; the next utterance can be read.
pub(super) fn speaker(utt: &Utterance) -> Result<&Key> {
    utt.meta.speaker.as_ref().ok_or_else(|| {
        let mut error = Error::unfit("nothing says who speaks it").utterance(&utt.key);
        if let Some(file) = &utt.origin.file {
            error = error.file(&**file);
        }
        error.suggest(Remedy::NameSpeakers).continuable()
    })
}

/// A stage that gives utterances the speakers that a file of lines `utterance speaker` has.
pub fn who_speaks(file: Location) -> Stage {
    Box::new(move |inner, env| with_speakers(inner, &file, env))
}

/// A stage that passes on the first `n` utterances of each speaker.
pub fn per_speaker(n: u64) -> Stage {
    Box::new(move |inner, env| {
        let (mut counts, mut held) = (HashMap::<Key, u64>::new(), Held::new("speakers"));
        let limits = env.limits;
        Ok(Box::new(Filter::new(inner, move |utt: &Utterance| {
            let speaker = speaker(utt)?;
            if let Some(count) = counts.get_mut(speaker) {
                *count += 1;
                return Ok(*count <= n);
            }
            held.keep(speaker.as_bytes().len(), &limits)?;
            counts.insert(speaker.clone(), 1);
            Ok(n > 0)
        })))
    })
}

/// A stage that passes on utterances from the first on, as long as they last no longer than so many
/// hours; one that lasts longer than what is left is passed over.
pub fn hours(hours: f64) -> Stage {
    Box::new(move |inner, _| {
        let mut left = hours * 3600.0;
        Ok(Box::new(Filter::new(inner, move |utt: &Utterance| {
            let Some(seconds) = seconds(utt) else {
                let error = Error::unfit("its duration is not known").utterance(&utt.key);
                return Err(error.suggest(Remedy::TellFrameShift).continuable());
            };
            let fits = seconds <= left;
            left -= if fits { seconds } else { 0.0 };
            Ok(fits)
        })))
    })
}

/// The speakers that a text names: those of a file, the first words of its lines, or of a list set
/// apart by commas.
///
/// # Errors
/// The file can't be read.
pub fn speaker_list(text: &str, env: &Env) -> Result<HashSet<Key>> {
    let file = Location::from(text);
    if env.exists(&file) {
        return KeyFilter::keys(env.open_file(&file)?, &env.limits);
    }
    Ok(text.split(',').map(Key::from).collect())
}

/// A stage that passes on the first `n` utterances.
pub fn first(n: u64) -> Stage {
    Box::new(move |inner, _| Ok(Box::new(Take::new(inner, n))))
}

/// A stage that passes on `n` utterances drawn at random, all if there are fewer, in their order.
/// Which ones depends on `seed` and on how many there are. For their number the inputs of `job` are
/// read once more, with the stages that it has by now.
///
/// # Errors
/// The inputs can't be read, or only once.
pub fn sample(n: u64, seed: u32, job: &Job, registry: &Registry, env: &Env) -> Result<Stage> {
    let of = count(job, registry, env)?;
    Ok(Box::new(move |inner, _| {
        let mut draw = Draw::new(n, of, seed);
        Ok(Box::new(Filter::new(inner, move |_: &Utterance| {
            Ok(draw.next())
        })))
    }))
}

/// How many utterances the inputs of a job hold, after its stages.
///
/// # Errors
/// They can't be read, or only once.
pub fn count(job: &Job, registry: &Registry, env: &Env) -> Result<u64> {
    let mut n = 0;
    each(job, registry, env, |_| n += 1)?;
    Ok(n)
}

/// Names of utterances and nothing else.
pub(crate) fn names() -> Request {
    Request::all().headers().parts(Parts {
        features: false,
        labels: false,
        audio: false,
        segments: false,
        text: false,
        objects: false,
        arrays: false,
    })
}

/// Names, places and numbers of frames.
pub(super) fn lengths() -> Request {
    Request::all().headers().parts(Parts {
        audio: false,
        segments: false,
        text: false,
        arrays: false,
        ..Parts::ALL
    })
}

/// Shows what a job will read, its names and what is known of it, after its stages; utterances that can't be read are
/// passed over.
pub(super) fn each(
    job: &Job,
    registry: &Registry,
    env: &Env,
    mut see: impl FnMut(&Utterance),
) -> Result<()> {
    let mut inputs = job.inputs.clone();
    let labels = job.join_first(&mut inputs, false)?;
    let labels = job.labels.iter().filter(|_| labels);
    if inputs.iter().chain(labels).any(Input::is_stdin) {
        return Err(
            Error::usage("standard input can be read only once, and has to be read twice")
                .hint("write it to a file first"),
        );
    }
    // The second time they are read, warnings are given.
    let quiet = env.listening(|_| {});
    // What is at fault is not counted where it will be passed over, which only reading all shows.
    let skips = job.on_error == OnError::Skip || job.inputs.iter().any(Input::is_permissive);
    let mut request = job.request.clone().lenient(skips);
    if job.stages.is_empty() && !skips {
        let names = names();
        (request.values, request.parts) = (names.values, names.parts);
    }
    let mut reader = Input::open_all(&inputs, request, registry, &quiet)?.reader;
    for stage in &job.stages {
        reader = stage(reader, &quiet)?;
    }
    let mut utt = Utterance::default();
    loop {
        match reader.read(&mut utt) {
            Ok(true) => see(&utt),
            Ok(false) => return Ok(()),
            Err(error) if error.can_continue() => {}
            Err(error) => return Err(error),
        }
    }
}

/// Draws `left` of those `to_come`, one after the other.
struct Draw {
    left: u64,
    to_come: u64,
    random: Mt19937,
}

impl Draw {
    fn new(n: u64, of: u64, seed: u32) -> Self {
        Self {
            left: n.min(of),
            to_come: of,
            random: Mt19937::new(seed),
        }
    }

    /// Whether the next one is drawn.
    fn next(&mut self) -> bool {
        let drawn = self.to_come > 0 && self.random.up_to(self.to_come - 1) < self.left;
        self.to_come = self.to_come.saturating_sub(1);
        self.left -= u64::from(drawn);
        drawn
    }
}

/// A stage that sorts, with so many bytes of memory.
pub fn sort(by: By, memory: u64) -> Stage {
    Box::new(move |inner, _| Ok(Box::new(Sort::new(inner, by, memory))))
}

/// What becomes of utterances that have the same key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// They are an error where they are of several inputs; those of one are kept.
    #[default]
    Apart,
    /// They are an error.
    Refuse,
    /// The first one is kept.
    First,
    /// The last one is kept; the inputs are read twice.
    Last,
    /// All are kept.
    Keep,
}

/// Makes what becomes of utterances of one key the next stage of a job, where there is one to be.
pub fn duplicates(how: Duplicates, job: &mut Job, registry: &Registry) {
    job.request.distinct = how == Duplicates::Apart;
    let (inputs, request) = (job.inputs.clone(), job.request.clone());
    let registry = registry.clone();
    job.stages.push(match how {
        Duplicates::Apart | Duplicates::Keep => return,
        Duplicates::Refuse => Box::new(|inner, _| Ok(Box::new(Unique::only(inner)))),
        Duplicates::First => Box::new(|inner, _| Ok(Box::new(Unique::first(inner)))),
        Duplicates::Last => Box::new(move |inner, env| {
            let again = Input::open_all(&inputs, request.clone(), &registry, env)?.reader;
            Ok(Box::new(Unique::last(inner, again)?))
        }),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_exactly_that_many() {
        for (n, of) in [(0, 5), (3, 10), (10, 10), (20, 10)] {
            for seed in 0..20 {
                let mut draw = Draw::new(n, of, seed);
                let drawn = (0..of).filter(|_| draw.next()).count() as u64;
                assert_eq!(drawn, n.min(of));
                assert!(!draw.next(), "more came than were counted");
            }
        }
    }

    #[test]
    fn every_one_is_drawn_as_often() {
        let mut counts = [0u32; 10];
        for seed in 0..2000 {
            let mut draw = Draw::new(3, 10, seed);
            counts.iter_mut().for_each(|n| *n += u32::from(draw.next()));
        }
        assert!(counts.iter().all(|n| (500..700).contains(n)), "{counts:?}");
    }
}
