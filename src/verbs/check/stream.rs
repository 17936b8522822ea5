//! One data set, read from front to back past all damage.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::{Env, Location};
use spr_core::format::{IndexKind, Reader, Registry, Request};
use spr_core::model::{Key, KeySource, Utterance};
use spr_core::{Error, ErrorKind, Result};

use super::findings::Findings;
use super::values::Alike;
use super::{Summary, about, is_damage, is_file, script, sound};
use crate::argument::Input;
use crate::verbs::select::lengths;

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

    /// The number of labels that `labels` has for each utterance.
    pub(super) fn of_labels(labels: &Input, registry: &Registry, env: &Env) -> Result<Self> {
        let mut reader = labels.open(lengths(), registry, env)?.reader;
        let mut utt = Utterance::default();
        let mut frames = HashMap::new();
        while reader.read(&mut utt)? {
            let rows = utt
                .labels
                .as_ref()
                .map_or(utt.frames(), |l| l.rows() as u64);
            frames.insert(std::mem::take(&mut utt.key), rows);
        }
        Ok(Self::new(labels.text().to_owned(), frames))
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

/// Passes over a data set and tells of everything that is wrong in it.
pub(super) fn check(
    input: &Input,
    quick: bool,
    frames: Option<Frames>,
    (registry, env): (&Registry, &Env),
    summary: &mut Summary,
    found: &mut Findings<'_>,
) -> Result<()> {
    let warnings = Warnings::default();
    let env = warnings.listen(env);
    let mut request = Request::all().damaged();
    request.values = !quick;
    let opened = match input.open(request, registry, &env) {
        Ok(opened) => opened,
        // The data exist, but not as their format has them, and nothing of them can be saved.
        Err(error) if is_damage(&error) => {
            found.fault("damage", error);
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let format = opened.format.info();
    summary.format = format.name;
    let mut pass = Pass {
        name: input.text().to_owned(),
        env: &env,
        quick,
        sorted: format.sorted,
        keys: HashSet::new(),
        last: Key::default(),
        alike: Alike::default(),
        frames,
    };
    let before = found.faults;
    pass.run(opened.reader, &warnings, summary, found);
    // What is passed over to save the rest may still be wrong: counts, tables, ends.
    if found.faults == before && !input.is_stdin() {
        let result = input.open(Request::all().headers(), registry, &env);
        let result = result.and_then(|opened| pass_over(opened.reader));
        warnings.take();
        if let Err(error) = result {
            found.damage(error);
        }
    }
    if let Some(frames) = pass.frames {
        frames.close(found);
    }
    if let IndexKind::Script(extension) = format.index {
        for script in scripts(input, extension, &env) {
            let is_input = input.sources().contains(&script);
            script::check(&script, is_input, &env, &pass.keys, found)?;
        }
    }
    Ok(())
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

fn pass_over(mut reader: Box<dyn Reader>) -> Result<()> {
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {}
    Ok(())
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
}

/// What one pass over a data set remembers.
struct Pass<'a> {
    name: String,
    env: &'a Env,
    quick: bool,
    /// Whether keys came in order so far, where that matters.
    sorted: bool,
    keys: HashSet<Key>,
    last: Key,
    alike: Alike,
    frames: Option<Frames>,
}

impl Pass<'_> {
    fn run(
        &mut self,
        mut reader: Box<dyn Reader>,
        warnings: &Warnings,
        summary: &mut Summary,
        found: &mut Findings<'_>,
    ) {
        let mut utt = Utterance::default();
        loop {
            let read = reader.read(&mut utt);
            for warning in warnings.take() {
                match warning.kind() {
                    ErrorKind::Malformed => found.fault("contents", warning),
                    _ => found.note("contents", warning),
                }
            }
            match read {
                Ok(false) => break,
                Ok(true) => {
                    summary.utterances += 1;
                    summary.frames += utt.frames();
                    self.utterance(&mut utt, reader.info().keys, found);
                }
                Err(error) => {
                    let more = error.can_continue();
                    found.damage(error);
                    if !more {
                        break;
                    }
                }
            }
        }
        if summary.utterances == 0 && found.faults == 0 {
            found.note("empty", about(&self.name, "holds no utterances"));
        }
    }

    fn utterance(&mut self, utt: &mut Utterance, keys: KeySource, found: &mut Findings<'_>) {
        let name = self.name.clone();
        let place = move |error: Error| error.file(name.clone());
        sound::check(utt, self.quick, self.env, &place, found);
        self.alike.check(utt, !self.quick, &place, found);
        if let Some(frames) = &mut self.frames {
            frames.check(utt, found, &place);
        }
        if keys == KeySource::Generated {
            return;
        }
        let error = |message: &str| place(Error::unfit(message).utterance(&utt.key));
        if !self.keys.insert(utt.key.clone()) {
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
    }
}
