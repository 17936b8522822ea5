//! Checks of one data set, read sequentially past all damage.

use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::{Env, Location};
use spr_core::format::{Auditor, Finding, Format, FormatInfo, Reader, Registry, Request};
use spr_core::model::{KeySource, Utterance};
use spr_core::{Error, ErrorKind, Result};

use super::contents::Contents;
use super::findings::Findings;
use super::labels::{self, Labels};
use super::names::Names;
use super::sound::Sounds;
use super::values::CommonShape;
use super::{Options, Summary, about, is_damage};
use crate::plan::{self, Plan};

/// Other data sets that belong to one, with the names of their formats.
pub(super) type Members = Vec<(&'static str, Location)>;

/// Passes over a data set, tells of everything that is wrong in it, and returns those that belong to
/// it. Data that are whole are read once; damaged ones a second time, past all damage.
pub(super) fn check(
    input: &Plan,
    labels: Option<&plan::Labels>,
    options: &Options,
    (registry, env): (&Registry, &Env),
    summary: &mut Summary,
    found: &mut Findings<'_>,
) -> Result<Members> {
    let warnings = Warnings::default();
    let env = warnings.listen(env);
    let context = (registry, &env, &warnings);
    let mut damage = None;
    // A pipe can be read only once.
    if !input.is_read_once(&env) && !labels.is_some_and(|labels| labels.is_read_once(&env)) {
        found.hold();
        match read((input, labels), options, false, context, found) {
            Ok((pass, None)) if found.release() => {
                return pass.close(labels, (registry, &env), summary, found);
            }
            // Only a part of the findings was kept: they are found again.
            Ok((_, None)) => match read((input, labels), options, false, context, found)? {
                (_, Some(error)) => return Err(error),
                (pass, None) => return pass.close(labels, (registry, &env), summary, found),
            },
            Ok((_, Some(error))) | Err(error) => damage = Some(error),
        }
        found.forget();
        warnings.take();
    }
    let pass = match read((input, labels), options, true, context, found) {
        Ok((pass, _)) => pass,
        // The data exist, but nothing in them can be read.
        Err(error) if is_damage(&error) => {
            found.fault("damage", error);
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    // Salvaging ignores faults of counts, tables and ends.
    let untold = |error: &Error| found.faults == pass.faults_before && !pass.repeats(error);
    if let Some(error) = damage.filter(untold) {
        found.damage(error);
    }
    pass.close(labels, (registry, &env), summary, found)
}

/// Reads all of a data set, past all damage, or up to the first, which is returned.
fn read(
    (input, labels): (&Plan, Option<&plan::Labels>),
    options: &Options,
    damaged: bool,
    (registry, env, warnings): (&Registry, &Env, &Warnings),
    found: &mut Findings<'_>,
) -> Result<(Pass, Option<Error>)> {
    let mut request = Request::all();
    request.damaged = damaged;
    request.values = !options.quick;
    let opened = input.open_unskipped(request, registry, env);
    // A folder that can't be opened may have tables that say why.
    let format = match &opened {
        Ok(opened) => Some(opened.format),
        Err(_) => input.only()?.whole_folder(registry, env),
    };
    let name = input.text();
    let audit = format.and_then(Format::audit).map(|audit| {
        let at = input.file().or(input.folder());
        audit.begin(at, env, &mut |finding| found.found(placed(finding, name)))
    });
    let audit = audit.transpose()?;
    let faults_before = found.faults;
    let (reader, format) = match (opened, format, &audit) {
        (Ok(opened), ..) => (Some(opened.reader), opened.format),
        // Missing files were reported already.
        (Err(error), Some(format), Some(audit))
            if damaged && faults_before > 0 && audit.repeats(&error) =>
        {
            (None, format)
        }
        (Err(error), ..) => return Err(error),
    };
    let labels = labels.map(|labels| Labels::open(labels, registry, env));
    let mut pass = Pass {
        name: name.to_owned(),
        quick: options.quick,
        format: format.info(),
        utterances: 0,
        frames: 0,
        seconds: 0.0,
        keys: Names::default(),
        alike: CommonShape::default(),
        sounds: Sounds::new(options.quick, env),
        contents: Contents::default(),
        audit,
        faults_before,
        labels: labels.transpose()?,
    };
    let damage = match reader {
        Some(reader) => pass.run(reader, damaged, warnings, found)?,
        None => None,
    };
    Ok((pass, damage))
}

/// A finding about an input that has no other file.
fn placed(finding: Finding, name: &str) -> Finding {
    Finding::new(finding.severity, finding.sort, finding.error.file(name))
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

    /// Tells of those that the `audit` has not found already.
    fn tell(&self, audit: Option<&dyn Auditor>, found: &mut Findings<'_>) {
        let told = |warning: &Error| audit.is_some_and(|audit| audit.repeats(warning));
        for warning in self.take().into_iter().filter(|warning| !told(warning)) {
            match warning.kind() {
                ErrorKind::Malformed => found.fault("contents", warning),
                _ => found.note("contents", warning),
            }
        }
    }
}

/// The state of one pass over a data set.
struct Pass {
    name: String,
    quick: bool,
    format: &'static FormatInfo,
    utterances: u64,
    frames: u64,
    seconds: f64,
    keys: Names,
    alike: CommonShape,
    sounds: Sounds,
    contents: Contents,
    /// The checks of the format itself.
    audit: Option<Box<dyn Auditor>>,
    /// Faults that were found before the first utterance was read.
    faults_before: u64,
    labels: Option<Labels>,
}

impl Pass {
    /// Reads everything, past all damage, or up to the first, which is returned.
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
            warnings.tell(self.audit.as_deref(), found);
            match read {
                Ok(false) => break,
                Ok(true) => {
                    self.utterances += 1;
                    self.frames += utt.frames();
                    self.utterance(&mut utt, keys, found)?;
                    if utt.audio.is_some() {
                        self.seconds += utt.duration(None).unwrap_or_default().value();
                    }
                }
                Err(error) if error.can_continue() && self.repeats(&error) => {}
                Err(error) if !damaged => return Ok(Some(error)),
                Err(error) => {
                    let more = error.can_continue();
                    if !self.repeats(&error) {
                        found.damage(error);
                    }
                    if !more {
                        break;
                    }
                }
            }
        }
        if let Some(labels) = self.labels.take() {
            labels.finish(found);
            warnings.tell(self.audit.as_deref(), found);
        }
        if self.utterances == 0 && found.faults == 0 {
            found.note("empty", about(&self.name, "holds no utterances"));
        }
        Ok(None)
    }

    /// Returns `true` if the format has found already what an error says.
    fn repeats(&self, error: &Error) -> bool {
        let audit = self.audit.as_deref();
        audit.is_some_and(|audit| audit.repeats(error))
    }

    fn utterance(
        &mut self,
        utt: &mut Utterance,
        keys: KeySource,
        found: &mut Findings<'_>,
    ) -> Result<()> {
        let name = &self.name;
        let place = |error: Error| error.file(name);
        self.sounds.check(utt, &place, found);
        if let Some(labels) = &mut self.labels {
            labels.check(utt, place, found)?;
        }
        self.alike.check(utt, !self.quick, &place, found);
        let sound = utt.waveform().filter(|_| !self.quick);
        if let Some(first) = sound.and_then(|sound| self.contents.add(&utt.key, sound)) {
            let message = format!("has the same sound as {first}");
            found.note("copies", place(Error::unfit(message).utterance(&utt.key)));
        }
        let is_new = self.keys.add(&utt.key);
        if keys == KeySource::Generated {
            return Ok(());
        }
        let error = |message: &str| place(Error::unfit(message).utterance(&utt.key));
        if !is_new {
            let hint = "rename one of them, or leave one out";
            found.fault("duplicates", error("appears more than once").hint(hint));
        } else if let Some(audit) = &mut self.audit {
            let recording = self.sounds.recording();
            audit.utterance(utt, recording, &mut |finding| {
                found.found(placed(finding, name));
            });
        }
        if utt.key.as_str().is_none() {
            found.note("keys", error("the key is not UTF-8"));
        }
        Ok(())
    }

    /// Completes the counts, and compares the keys with side files.
    fn close(
        self,
        labels: Option<&plan::Labels>,
        (registry, env): (&Registry, &Env),
        summary: &mut Summary,
        found: &mut Findings<'_>,
    ) -> Result<Members> {
        summary.format = self.format.name;
        summary.utterances += self.utterances;
        summary.frames += self.frames;
        summary.seconds += self.seconds;
        self.sounds.finish(found);
        self.alike.finish(&self.name, found);
        if let Some(labels) = labels.filter(|labels| !labels.is_read_once(env)) {
            labels::unused(labels, &self.keys, registry, env, found)?;
        }
        let Some(audit) = self.audit else {
            return Ok(Vec::new());
        };
        let members = audit.members();
        let (keys, name) = (self.keys, self.name);
        audit.finish(&|key| keys.has(key), &mut |finding| {
            found.found(placed(finding, &name));
        })?;
        Ok(members)
    }
}
