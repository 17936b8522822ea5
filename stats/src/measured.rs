//! Utterances with what columns need to know of sound that they only name.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{Audio, DatasetInfo, Decimal, Level, Utterance};
use spr_core::stage::Map;
use spr_core::{Error, Result, recording};

use crate::listing::{AudioNeed, COLUMNS, ListColumn, Row};

/// Completes the facts about the sound of utterances, and measures its level where columns need that. The
/// sound itself stays in the form that it has.
///
/// Recordings at URLs and the output of commands are measured only if a column is not known otherwise. If
/// a recording can't be measured, what its data set states of it counts.
pub struct AudioProbe {
    columns: Vec<&'static ListColumn>,
    need: AudioNeed,
    /// The frame shift of the data set.
    shift: Option<Decimal>,
    env: Env,
}

impl AudioProbe {
    /// A probe for the columns of these names, for a data set with this frame shift.
    pub fn new(
        names: impl IntoIterator<Item = &'static str>,
        shift: Option<Decimal>,
        env: &Env,
    ) -> Self {
        let names: Vec<_> = names.into_iter().collect();
        let is_wanted =
            |column: &&ListColumn| column.need > AudioNeed::Nothing && names.contains(&column.name);
        Self {
            columns: COLUMNS.iter().filter(is_wanted).collect(),
            need: AudioNeed::of(names.iter().copied()),
            shift,
            env: env.clone(),
        }
    }

    /// Measures the sound of an utterance as far as the columns need it.
    ///
    /// # Errors
    /// It can't be measured, and a column is not known otherwise.
    pub fn measure(&self, utt: &mut Utterance) -> Result<()> {
        let is_file = match &utt.audio {
            None | Some(Audio::Samples(_)) => return Ok(()),
            Some(Audio::Reference(reference)) => {
                let place = reference.at.location();
                place.is_some_and(|place| !place.is_url())
            }
            Some(_) => true,
        };
        if !is_file && self.knows(utt) {
            return Ok(());
        }
        match self.look(utt) {
            Err(error) if !self.knows(utt) => Err(error.utterance(&utt.key).continuable()),
            _ => Ok(()),
        }
    }

    /// Returns `true` if all columns of an utterance are known.
    fn knows(&self, utt: &Utterance) -> bool {
        let row = Row::new(utt, self.shift);
        self.columns
            .iter()
            .all(|column| column.take(&row).is_some())
    }

    fn look(&self, utt: &mut Utterance) -> Result<()> {
        match self.need {
            AudioNeed::Nothing => return Ok(()),
            AudioNeed::Facts => return recording::measure(utt, &self.env),
            AudioNeed::Levels if utt.level.is_some() => return Ok(()),
            AudioNeed::Levels => {}
        }
        let Some(loaded) = recording::read(utt, &self.env)? else {
            return Ok(());
        };
        if let Some(warning) = loaded.warning {
            self.env.warn(&warning.utterance(&utt.key));
        }
        utt.level = Some(Box::new(Level::of(&loaded.sound)?));
        match (&mut utt.audio, loaded.recording) {
            (Some(Audio::Reference(reference)), Some(facts)) => reference.recording = facts,
            (Some(Audio::Encoded(encoded)), _) => encoded.facts = loaded.sound.facts(),
            _ => {}
        }
        Ok(())
    }
}

/// A reader of utterances with measured sound. Headers and samples are read on the threads of an
/// environment.
pub struct MeasuredAudio {
    inner: Box<dyn Reader>,
    /// The description of the data set. The measurement leaves it as it is.
    info: Option<DatasetInfo>,
    failures: Arc<Failures>,
}

/// The utterances whose sound could not be measured.
#[derive(Default)]
struct Failures(Mutex<(u64, Option<Error>)>);

impl Failures {
    fn locked(&self) -> MutexGuard<'_, (u64, Option<Error>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, error: Error) {
        let mut found = self.locked();
        found.0 += 1;
        found.1.get_or_insert(error);
    }
}

impl MeasuredAudio {
    /// Measures the sound of `inner` as far as the columns of these names need it. An utterance of which
    /// one stays unknown is an error, and the next one can be read.
    pub fn new(
        inner: Box<dyn Reader>,
        columns: impl IntoIterator<Item = &'static str>,
        env: &Env,
    ) -> Self {
        Self::with(inner, columns, env, |_, error| Err(error))
    }

    /// Does the same, but passes on utterances of which a column stays unknown, and counts them.
    pub fn as_far_as_possible(
        inner: Box<dyn Reader>,
        columns: impl IntoIterator<Item = &'static str>,
        env: &Env,
    ) -> Self {
        let pass = |failures: &Failures, error| {
            failures.add(error);
            Ok(())
        };
        Self::with(inner, columns, env, pass)
    }

    fn with(
        inner: Box<dyn Reader>,
        columns: impl IntoIterator<Item = &'static str>,
        env: &Env,
        fail: impl Fn(&Failures, Error) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        let failures = Arc::new(Failures::default());
        let probe = AudioProbe::new(columns, inner.info().frame_shift, env);
        if probe.need == AudioNeed::Nothing {
            return Self {
                inner,
                info: None,
                failures,
            };
        }
        let info = Some(inner.info().clone());
        let own = failures.clone();
        let work = move |utt: &mut Utterance| match probe.measure(utt) {
            Ok(()) => Ok(()),
            Err(error) => fail(&own, error),
        };
        let inner = Box::new(Map::new(inner, env.threads, work));
        Self {
            inner,
            info,
            failures,
        }
    }

    /// Returns a warning about the utterances whose sound could not be measured, if there are any.
    pub fn warning(&self) -> Option<Error> {
        let (count, error) = std::mem::take(&mut *self.failures.locked());
        let what = match count {
            1 => "its sound could not be measured".to_owned(),
            n => format!("the sound of {n} utterances could not be measured, the first of them"),
        };
        error.map(|error| error.context(what))
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for MeasuredAudio {
    fn info(&self) -> &DatasetInfo {
        self.info.as_ref().unwrap_or_else(|| self.inner.info())
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        self.inner.read(utt)
    }
}
