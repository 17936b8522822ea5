//! Stages as they are typed.

mod build;
mod grammar;
mod table;
mod values;

use std::fmt;
use std::str::FromStr;

use crate::bytes::Env;
use crate::format::Reader;
use crate::{Error, Result, nearest};
use grammar::{calls, misplaced};
use table::{Built, KINDS, Kind, Level, Surroundings};
use values::Values;

/// A chain of stages as it is typed, `shuffle(1000,seed=1)|context(5,5)|batch(20000)|prefetch(4)`, to
/// be put over any reader.
///
/// A stage has a name, and in brackets what it is told: values with commas between, some by name.
/// What holds brackets, commas, `=` or `|` itself stands in quotes. The [list](Self::list) has them
/// all.
///
/// ```
/// use spr_core::bytes::Env;
/// use spr_core::format::Reader;
/// use spr_core::stage::{Cache, Passes, Stages};
/// use spr_core::{Error, Result};
///
/// fn passes(data: Cache) -> Result<impl Reader> {
///     let stages: Stages = "shuffle(1000,seed=1)|context(5)|batch(padded=20000)|prefetch(4)".parse()?;
///     Passes::new(move |pass| stages.in_pass(pass, data.reader(), &Env::default()))
/// }
///
/// let error: Error = "shuffle(1000)|contxt(5)".parse::<Stages>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "'shuffle(1000)|contxt(5)', character 15: there is no stage 'contxt'"
/// );
/// ```
#[derive(Clone)]
pub struct Stages {
    text: String,
    stages: Vec<Stage>,
}

#[derive(Clone)]
struct Stage {
    kind: &'static Kind,
    at: usize,
    built: Built,
}

impl Stages {
    /// All stages: how each is written, and what it does.
    pub fn list() -> impl Iterator<Item = (&'static str, &'static str)> {
        KINDS.iter().map(|kind| (kind.usage, kind.what))
    }

    /// The stages over `reader`.
    ///
    /// # Errors
    /// A file that one needs can't be read.
    pub fn over(&self, reader: Box<dyn Reader>, env: &Env) -> Result<Box<dyn Reader>> {
        self.in_pass(0, reader, env)
    }

    /// The stages over `reader` in a pass, from 0, through the data: what is drawn at random with a
    /// seed is drawn [otherwise](crate::random::Rng::of_pass) in each.
    ///
    /// # Errors
    /// A file that one needs can't be read.
    pub fn in_pass(
        &self,
        pass: u64,
        mut reader: Box<dyn Reader>,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        let at = Surroundings { env, pass };
        for stage in &self.stages {
            let built = (stage.built)(reader, &at);
            reader = built.map_err(|e| e.context(format!("'{}'", stage.kind.name)))?;
        }
        Ok(reader)
    }

    /// Whether a stage of this name is among them.
    pub fn have(&self, name: &str) -> bool {
        self.stages.iter().any(|stage| stage.kind.name == name)
    }

    /// Whether utterances come out as such, and not frames or batches of them.
    ///
    /// # Errors
    /// They do not; the stage is named.
    pub fn check_utterances(&self) -> Result<()> {
        let mixes = |stage: &&Stage| stage.kind.gives.is_some();
        match self.stages.iter().find(mixes) {
            None => Ok(()),
            Some(Stage { kind, at, .. }) => {
                let message = format!("{}: what comes out is not utterances", kind.name);
                Err(misplaced(&self.text, *at, Error::usage(message)))
            }
        }
    }
}

impl FromStr for Stages {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut stages: Vec<Stage> = Vec::new();
        let mut mixed: Option<(&str, Level)> = None;
        for call in calls(text)? {
            let wrong = |message: String, hint: String| {
                misplaced(text, call.at, Error::usage(message).hint(hint))
            };
            let Some(kind) = KINDS.iter().find(|kind| kind.name == call.name) else {
                let names = || KINDS.iter().map(|kind| kind.name);
                let all = names().collect::<Vec<_>>().join(", ");
                let hint = match nearest(&call.name, names()) {
                    Some(near) => format!("did you mean '{near}'? stages: {all}"),
                    None => format!("stages: {all}"),
                };
                return Err(wrong(format!("there is no stage '{}'", call.name), hint));
            };
            if let Some((before, level)) = mixed
                && level > kind.takes
            {
                let message = format!("{}: utterances are no more behind {before}", kind.name);
                return Err(wrong(message, format!("put it before {before}")));
            }
            if let Some(level) = kind.gives {
                mixed = Some((kind.name, level));
            }
            let built = (kind.build)(&Values::new(text, &call, kind)?)?;
            stages.push(Stage {
                kind,
                at: call.at,
                built,
            });
        }
        Ok(Self {
            text: text.trim().to_owned(),
            stages,
        })
    }
}

impl fmt::Display for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stages").field(&self.text).finish()
    }
}
