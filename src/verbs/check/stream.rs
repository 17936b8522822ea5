//! One data set, read from front to back past all damage.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::Env;
use spr_core::format::{Reader, Registry};
use spr_core::model::{Key, KeySource, Utterance};
use spr_core::{Error, ErrorKind, Result};

use super::findings::Findings;
use super::values::Alike;
use super::{Summary, about, is_damage, script};
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

    /// The number of labels that `labels` has for each utterance.
    pub(super) fn of_labels(labels: &Input, registry: &Registry, env: &Env) -> Result<Self> {
        let mut reader = labels.open(registry, env)?.reader;
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
            let message = format!("has {key}{others}, which the data have not");
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
    let mut env = warnings.listen(env);
    env.values = !quick;
    let opened = match input.salvage(registry, &env) {
        Ok(opened) => opened,
        // The data are there, but not as their format has them.
        Err(error) if is_damage(&error) => {
            found.damage(error);
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    summary.format = opened.format.info().name;
    let kaldi = summary.format == "kaldi";
    let mut pass = Pass {
        name: input.text().to_owned(),
        quick,
        sorted: kaldi,
        keys: HashSet::new(),
        last: Key::default(),
        alike: Alike::default(),
        frames,
    };
    let before = found.faults;
    pass.run(opened.reader, &warnings, summary, found);
    // What is passed over to save the rest may still be wrong: counts, tables, ends.
    if found.faults == before && !input.is_stdin() {
        env.values = false;
        let result = input.open(registry, &env);
        let result = result.and_then(|opened| pass_over(opened.reader));
        warnings.take();
        if let Err(error) = result {
            found.damage(error);
        }
    }
    if let Some(frames) = pass.frames {
        frames.close(found);
    }
    if kaldi {
        for path in scripts(input) {
            script::check(
                &path,
                input.sources().contains(&path),
                &env,
                &pass.keys,
                found,
            )?;
        }
    }
    Ok(())
}

/// The script file that is the input, or that stands beside an archive and has its name.
fn scripts(input: &Input) -> Vec<PathBuf> {
    let scp = |path: &Path| path.extension().is_some_and(|e| e == "scp");
    let mut paths = input.sources();
    paths.iter_mut().for_each(|path| {
        if !scp(path) {
            path.set_extension("scp");
        }
    });
    paths.retain(|path| path.is_file());
    paths
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
        let add = move |warning: &Error| {
            let mut copy = Error::new(warning.kind(), warning.message());
            if let Some(name) = warning.file_name() {
                copy = copy.file(name);
            }
            if let Some(byte) = warning.byte_offset() {
                copy = copy.byte(byte);
            }
            if let Some(line) = warning.line_number() {
                copy = copy.line(line);
            }
            if let Some(key) = warning.key() {
                copy = copy.utterance(key);
            }
            if let Some(hint) = warning.hint_text() {
                copy = copy.hint(hint);
            }
            list.0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(copy);
        };
        let mut listening = Env::new(env.limits, env.access, add);
        listening.threads = env.threads;
        listening
    }

    fn take(&self) -> Vec<Error> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What one pass over a data set remembers.
struct Pass {
    name: String,
    quick: bool,
    /// Whether keys came in order so far, where that matters.
    sorted: bool,
    keys: HashSet<Key>,
    last: Key,
    alike: Alike,
    frames: Option<Frames>,
}

impl Pass {
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
                    self.utterance(&utt, reader.info().keys, found);
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

    fn utterance(&mut self, utt: &Utterance, keys: KeySource, found: &mut Findings<'_>) {
        let name = self.name.clone();
        let place = move |error: Error| error.file(name.clone());
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
            found.fault("duplicates", error("stands more than once").hint(hint));
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
