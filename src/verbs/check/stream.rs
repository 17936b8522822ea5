//! One data set, read from front to back past all damage.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::{Env, Location};
use spr_core::format::{FormatInfo, IndexKind, Reader, Registry, Request};
use spr_core::model::{Audio, Key, KeySource, Utterance};
use spr_core::{Error, ErrorKind, Result};

use super::findings::Findings;
use super::labels::{self, Labels};
use super::names::Names;
use super::values::Alike;
use super::{Summary, about, is_damage, is_file, script, sound};
use crate::argument::Input;

/// How many frames each utterance is to have, by the word of another file.
#[derive(Clone)]
pub(super) struct Frames {
    name: String,
    frames: HashMap<Key, u64>,
}

impl Frames {
    pub(super) fn new(name: String, frames: HashMap<Key, u64>) -> Self {
        Self { name, frames }
    }

    /// Compares an utterance, which is not asked for again.
    fn check(&mut self, utt: &Utterance, found: &mut Findings<'_>, place: impl Fn(Error) -> Error) {
        let error = |message: String| place(Error::unfit(message).utterance(&utt.key));
        match self.frames.remove(&utt.key) {
            None => found.fault("labels", error(format!("nothing for it in {}", self.name))),
            Some(n) if n != utt.frames() => {
                let message = format!("{} frames, but {n} by {}", utt.frames(), self.name);
                found.fault("labels", error(message));
            }
            Some(_) => {}
        }
    }

    fn close(self, found: &mut Findings<'_>) {
        if let Some(key) = self.frames.keys().min() {
            let others = match self.frames.len() {
                1 => String::new(),
                n => format!(" and {} others", n - 1),
            };
            let message = format!("has {key}{others}, which the data do not have");
            found.note("labels", about(self.name, message));
        }
    }
}

/// What an utterance is compared with.
#[derive(Default)]
pub(super) struct Beside {
    /// A number of frames for each.
    pub(super) frames: Option<Frames>,
    /// A data set with labels for each.
    pub(super) labels: Option<Input>,
}

/// Passes over a data set and tells of everything that is wrong in it. Data that are whole are read
/// once; damaged ones a second time, past all damage.
pub(super) fn check(
    input: &Input,
    quick: bool,
    beside: &Beside,
    (registry, env): (&Registry, &Env),
    summary: &mut Summary,
    found: &mut Findings<'_>,
) -> Result<()> {
    let warnings = Warnings::default();
    let env = warnings.listen(env);
    let set = (input, beside);
    let context = (registry, &env, &warnings);
    let labels = beside.labels.iter();
    let mut damage = None;
    // What comes from a pipe can be read only once.
    if !labels.chain([input]).any(Input::is_stdin) {
        found.hold();
        match read(set, quick, false, context, found) {
            Ok((pass, None)) => {
                found.release();
                return pass.close(set, (registry, &env), summary, found);
            }
            Ok((_, Some(error))) => damage = Some(error),
            Err(error) if is_damage(&error) => damage = Some(error),
            Err(_) => {}
        }
        found.forget();
        warnings.take();
    }
    let before = found.faults;
    let pass = match read(set, quick, true, context, found) {
        Ok((pass, _)) => pass,
        // The data exist, but not as their format has them, and nothing of them can be saved.
        Err(error) if is_damage(&error) => {
            found.fault("damage", error);
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    // What is passed over to save the rest may still be wrong: counts, tables, ends.
    if let Some(error) = damage.filter(|_| found.faults == before) {
        found.damage(error);
    }
    pass.close(set, (registry, &env), summary, found)
}

/// Reads all of a data set, past all damage or up to the first, which is returned.
fn read<'a>(
    (input, beside): (&Input, &Beside),
    quick: bool,
    damaged: bool,
    (registry, env, warnings): (&Registry, &'a Env, &Warnings),
    found: &mut Findings<'_>,
) -> Result<(Pass<'a>, Option<Error>)> {
    let mut request = Request::all();
    request.damaged = damaged;
    request.values = !quick;
    let opened = input.open(request, registry, env)?;
    let labels = beside.labels.as_ref();
    let labels = labels.map(|labels| Labels::open(labels, registry, env));
    let mut pass = Pass {
        name: input.text().to_owned(),
        env,
        quick,
        format: opened.format.info(),
        sorted: opened.format.info().sorted,
        utterances: 0,
        frames: 0,
        seconds: 0.0,
        keys: Names::default(),
        last: Key::default(),
        alike: Alike::default(),
        wanted: beside.frames.clone(),
        labels: labels.transpose()?,
    };
    let damage = pass.run(opened.reader, damaged, warnings, found)?;
    Ok((pass, damage))
}

/// The script file that is the input, or that stands beside a file and has its name.
fn scripts(input: &Input, extension: &str, env: &Env) -> Vec<Location> {
    let sources = input.sources().into_iter();
    let scripts = sources.map(|at| match at.extension() {
        Some(own) if own == extension => at,
        _ => at.with_extension(extension),
    });
    scripts.filter(|at| is_file(at, env)).collect()
}

/// Warnings of readers, which are findings here.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<Error>>>);

impl Warnings {
    fn listen(&self, env: &Env) -> Env {
        let list = self.clone();
        env.listening(move |warning| {
            let mut list = list.0.lock().unwrap_or_else(PoisonError::into_inner);
            list.push(warning.copy());
        })
    }

    fn take(&self) -> Vec<Error> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn tell(&self, found: &mut Findings<'_>) {
        for warning in self.take() {
            match warning.kind() {
                ErrorKind::Malformed => found.fault("contents", warning),
                _ => found.note("contents", warning),
            }
        }
    }
}

/// What one pass over a data set remembers.
struct Pass<'a> {
    name: String,
    env: &'a Env,
    quick: bool,
    format: &'static FormatInfo,
    /// Whether keys came in order so far, where that matters.
    sorted: bool,
    utterances: u64,
    frames: u64,
    seconds: f64,
    keys: Names,
    last: Key,
    alike: Alike,
    wanted: Option<Frames>,
    labels: Option<Labels>,
}

impl Pass<'_> {
    /// Reads everything, past all damage or up to the first, which is returned.
    fn run(
        &mut self,
        mut reader: Box<dyn Reader>,
        damaged: bool,
        warnings: &Warnings,
        found: &mut Findings<'_>,
    ) -> Result<Option<Error>> {
        let mut utt = Utterance::default();
        let keys = reader.info().keys;
        loop {
            let read = reader.read(&mut utt);
            warnings.tell(found);
            match read {
                Ok(false) => break,
                Ok(true) => {
                    self.utterances += 1;
                    self.frames += utt.frames();
                    self.utterance(&mut utt, keys, found)?;
                    let sound = utt.audio.as_ref().map(Audio::facts);
                    self.seconds += sound.and_then(|sound| sound.seconds()).unwrap_or_default();
                }
                Err(error) if !damaged => return Ok(Some(error)),
                Err(error) => {
                    let more = error.can_continue();
                    found.damage(error);
                    if !more {
                        break;
                    }
                }
            }
        }
        if let Some(labels) = self.labels.take() {
            labels.finish(found);
            warnings.tell(found);
        }
        if self.utterances == 0 && found.faults == 0 {
            found.note("empty", about(&self.name, "holds no utterances"));
        }
        Ok(None)
    }

    fn utterance(
        &mut self,
        utt: &mut Utterance,
        keys: KeySource,
        found: &mut Findings<'_>,
    ) -> Result<()> {
        let name = &self.name;
        let place = |error: Error| error.file(name);
        sound::check(utt, self.quick, self.env, &place, found);
        if let Some(labels) = &mut self.labels {
            labels.check(utt, place, found)?;
        }
        self.alike.check(utt, !self.quick, &place, found);
        if let Some(frames) = &mut self.wanted {
            frames.check(utt, found, place);
        }
        let is_new = self.keys.add(&utt.key);
        if keys == KeySource::Generated {
            return Ok(());
        }
        let error = |message: &str| place(Error::unfit(message).utterance(&utt.key));
        if !is_new {
            let hint = "rename one of them, or leave one out";
            found.fault("duplicates", error("appears more than once").hint(hint));
        } else if self.sorted && utt.key < self.last {
            self.sorted = false;
            let message = format!("comes after {}; the keys are not sorted", self.last);
            let hint =
                "this matters only for the options s and cs; LC_ALL=C sort orders a script file";
            found.note("order", error(&message).hint(hint));
        }
        if utt.key.as_str().is_none() {
            found.note("keys", error("the key is not UTF-8"));
        }
        self.last.clone_from(&utt.key);
        Ok(())
    }

    /// Sums up, and compares the names with those of files beside the data.
    fn close(
        self,
        (input, beside): (&Input, &Beside),
        (registry, env): (&Registry, &Env),
        summary: &mut Summary,
        found: &mut Findings<'_>,
    ) -> Result<()> {
        summary.format = self.format.name;
        summary.utterances += self.utterances;
        summary.frames += self.frames;
        summary.seconds += self.seconds;
        if let Some(frames) = self.wanted {
            frames.close(found);
        }
        if let Some(labels) = beside.labels.as_ref().filter(|labels| !labels.is_stdin()) {
            labels::unused(labels, &self.keys, registry, env, found)?;
        }
        if let IndexKind::Script(extension) = self.format.index {
            for script in scripts(input, extension, env) {
                let archive = (!input.sources().contains(&script)).then_some(input);
                script::check(&script, archive, &self.keys, (registry, env), found)?;
            }
        }
        Ok(())
    }
}
