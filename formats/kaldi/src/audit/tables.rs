//! Checks of archives and their script files: positions, keys and their order.

use spr_core::bytes::{Env, FileKind, Location};
use spr_core::format::{Audit, Auditor, Finding};
use spr_core::model::{Key, RecordingFacts, Utterance};
use spr_core::{Error, Result};

use super::offsets::Offsets;
use crate::key_set::KeySet;
use crate::lists::SCRIPT;
use crate::script_line;

/// Checks archives and script files.
pub(crate) struct Tables;

impl Audit for Tables {
    fn suits(&self, _names: &[&str]) -> bool {
        false
    }

    /// Checks that each line of a script file points behind its key.
    fn begin(
        &self,
        at: Option<&Location>,
        env: &Env,
        found: &mut dyn FnMut(Finding),
    ) -> Result<Box<dyn Auditor>> {
        let mut auditor = TableAuditor {
            env: env.clone(),
            index: None,
            last: Key::default(),
            is_sorted: true,
        };
        let Some(at) = at else {
            return Ok(Box::new(auditor));
        };
        let is_script = at.extension() == Some(SCRIPT);
        let script = match is_script {
            true => at.clone(),
            false => at.with_extension(SCRIPT),
        };
        if is_file(&script, env) {
            let listed = check_places(&script, env, found)?;
            auditor.index = (!is_script).then_some(Index { script, listed });
        }
        Ok(Box::new(auditor))
    }
}

/// The script file of an archive, and the keys in it.
struct Index {
    script: Location,
    listed: KeySet,
}

/// Compares the utterances of an archive with its script file.
struct TableAuditor {
    env: Env,
    index: Option<Index>,
    last: Key,
    is_sorted: bool,
}

impl Auditor for TableAuditor {
    fn utterance(
        &mut self,
        utt: &Utterance,
        _recording: Option<RecordingFacts>,
        found: &mut dyn FnMut(Finding),
    ) {
        if self.is_sorted && utt.key < self.last {
            self.is_sorted = false;
            let message = format!("comes after {}; the keys are not sorted", self.last);
            let hint =
                "this matters only for the options s and cs; LC_ALL=C sort orders a script file";
            let error = Error::unfit(message).utterance(&utt.key).hint(hint);
            found(Finding::note("order", error));
        }
        self.last.set(utt.key.as_bytes());
        if let Some(index) = &self.index
            && !index.listed.contains(utt.key.as_bytes())
        {
            let error = Error::unfit("is in the archive, but not in its script file");
            let error = error.file(index.script.to_string()).utterance(&utt.key);
            found(Finding::fault("index", error));
        }
    }

    fn repeats(&self, _error: &Error) -> bool {
        false
    }

    fn members(&self) -> Vec<(&'static str, Location)> {
        Vec::new()
    }

    fn finish(
        self: Box<Self>,
        was_read: &dyn Fn(&Key) -> bool,
        found: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        // Without readable entries nothing is known about the keys.
        let Some(Index { script, .. }) = self.index.filter(|_| !self.last.as_bytes().is_empty())
        else {
            return Ok(());
        };
        let name = script.to_string();
        each_line(&script, &self.env, |number, key, _| {
            if !was_read(key) {
                let error = Error::unfit("is in the script file, but not in its archive");
                let error = error.file(&name).line(number).utterance(key);
                found(Finding::fault("index", error));
            }
        })
    }
}

/// Checks that each line of a script file points behind its key, and returns the keys.
fn check_places(script: &Location, env: &Env, found: &mut dyn FnMut(Finding)) -> Result<KeySet> {
    let name = script.to_string();
    let mut offsets = Offsets::new(script, env);
    let mut listed = KeySet::default();
    each_line(script, env, |number, key, rest| {
        // An invalid line is reported when it is read.
        let at = script_line::locator(rest).ok();
        let at = at.map(|at| env.moved(at));
        if let Some(message) = at.and_then(|at| offsets.check(&at, key)) {
            let error = Error::unfit(message).file(&name).line(number);
            let hint = "the script file does not belong to this archive; repair makes a new one";
            found(Finding::fault("offsets", error.utterance(key).hint(hint)));
        }
        listed.insert(key.as_bytes());
    })?;
    Ok(listed)
}

/// Passes on the lines of a script file: the number, the key, and the rest.
fn each_line(script: &Location, env: &Env, mut each: impl FnMut(u64, &Key, &str)) -> Result<()> {
    let mut source = env.open_file(script)?;
    let (mut line, mut key) = (Vec::new(), Key::default());
    for number in 1.. {
        if !source.line(&mut line, &env.limits)? {
            break;
        }
        if let Ok((name, rest)) = script_line::split(&line) {
            key.set(name);
            each(number, &key, &rest);
        }
    }
    Ok(())
}

/// Returns `true` if there is a file of this name.
fn is_file(at: &Location, env: &Env) -> bool {
    let look = env.look(at).ok().flatten();
    look.is_some_and(|look| look.kind == FileKind::File)
}
