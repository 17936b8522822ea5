//! Utterances with what columns need to know of sound that they only name.

use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::model::{Audio, AudioReference, DatasetInfo, Decimal, Level, Utterance};
use spr_core::stage::Map;
use spr_core::{Error, Result, recording};

use crate::listing::{AudioNeed, COLUMNS, ListColumn, Row};

/// A reader that completes the facts about the sound of utterances, and its level where columns need
/// that. Headers and samples are read on the threads of an environment. The sound itself stays in the
/// form that it has.
///
/// Recordings at URLs and the output of commands are measured only if a column is not known otherwise. If
/// a recording can't be measured, what its data set states of it counts.
pub struct MeasuredAudio {
    inner: Box<dyn Reader>,
    unmeasured: Arc<Unmeasured>,
}

/// The utterances whose sound could not be measured.
#[derive(Default)]
struct Unmeasured(Mutex<(u64, Option<Error>)>);

impl Unmeasured {
    fn add(&self, error: Error) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
        Self::with(inner, columns, env, false)
    }

    /// Does the same, but passes on utterances of which a column stays unknown, and counts them.
    pub fn as_far_as_possible(
        inner: Box<dyn Reader>,
        columns: impl IntoIterator<Item = &'static str>,
        env: &Env,
    ) -> Self {
        Self::with(inner, columns, env, true)
    }

    fn with(
        inner: Box<dyn Reader>,
        columns: impl IntoIterator<Item = &'static str>,
        env: &Env,
        passes: bool,
    ) -> Self {
        let unmeasured = Arc::new(Unmeasured::default());
        let columns: Vec<_> = columns.into_iter().collect();
        let of_sound = |column: &&ListColumn| {
            column.need > AudioNeed::Nothing && columns.contains(&column.name)
        };
        let columns: Vec<_> = COLUMNS.iter().filter(of_sound).collect();
        let Some(need) = columns.iter().map(|column| column.need).max() else {
            return Self { inner, unmeasured };
        };
        let info = inner.info().clone();
        let (shift, threads) = (info.frame_shift, env.threads);
        let (failed, env) = (unmeasured.clone(), env.clone());
        let work = move |utt: &mut Utterance| {
            let Err(error) = measure(utt, need, (&columns, shift), &env) else {
                return Ok(());
            };
            let is_known = |column: &&ListColumn| column.take(&Row::new(utt, shift)).is_some();
            if columns.iter().all(is_known) {
                return Ok(());
            }
            let error = error.utterance(&utt.key).continuable();
            match passes {
                true => failed.add(error),
                false => return Err(error),
            }
            Ok(())
        };
        let inner = Box::new(WithInfo {
            inner: Map::new(inner, threads, work),
            info,
        });
        Self { inner, unmeasured }
    }

    /// Returns a warning about the utterances whose sound could not be measured, if there were any.
    pub fn warning(&self) -> Option<Error> {
        let found = &self.unmeasured.0;
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, error) = std::mem::take(&mut *found);
        let error = error?;
        Some(match count {
            1 => error.context("its sound could not be measured"),
            n => error.context(format!(
                "the sound of {n} utterances could not be measured, first"
            )),
        })
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for MeasuredAudio {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        self.inner.read(utt)
    }
}

/// A reader of utterances that change in nothing that their data set says of all.
struct WithInfo {
    inner: Map,
    info: DatasetInfo,
}

#[warn(clippy::missing_trait_methods)]
impl Reader for WithInfo {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        self.inner.read(utt)
    }
}

/// Measures the sound of an utterance.
///
/// # Errors
/// It can't be opened, or does not match what its data set says.
fn measure(
    utt: &mut Utterance,
    need: AudioNeed,
    (columns, shift): (&[&ListColumn], Option<Decimal>),
    env: &Env,
) -> Result<()> {
    let is_file = match &utt.audio {
        None | Some(Audio::Samples(_)) => return Ok(()),
        Some(Audio::Reference(AudioReference { at, .. })) => {
            at.location().is_some_and(|at| !at.is_url())
        }
        Some(_) => true,
    };
    let is_known = |column: &&ListColumn| column.take(&Row::new(utt, shift)).is_some();
    if !is_file && columns.iter().all(is_known) {
        return Ok(());
    }
    if need < AudioNeed::Levels {
        return recording::measure(utt, env);
    }
    if utt.level.is_some() {
        return Ok(());
    }
    let Some(loaded) = recording::read(utt, env)? else {
        return Ok(());
    };
    if let Some(warning) = loaded.warning {
        env.warn(&warning.utterance(&utt.key));
    }
    utt.level = Some(Box::new(Level::of(&loaded.sound)?));
    match (&mut utt.audio, loaded.recording) {
        (Some(Audio::Reference(reference)), Some(facts)) => reference.recording = facts,
        (Some(Audio::Encoded(encoded)), _) => encoded.facts = loaded.sound.facts(),
        _ => {}
    }
    Ok(())
}
