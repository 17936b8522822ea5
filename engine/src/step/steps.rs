//! Chains of steps as they are written.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::{Error, Result};
use spr_stats::{AudioNeed, MeasuredAudio};

use super::grammar::calls;
use super::operation::Surroundings;
use super::step::Step;
use super::table::KINDS;

/// A chain of steps as it is written, `shuffle(1000,seed=1)|context(5,5)|batch(20000)|prefetch(4)`,
/// to be put over any reader.
///
/// A step has a name, and in brackets its values with commas between, some by name. A value with
/// brackets, commas, `=` or `|` in it stands in quotes. The [list](Self::list) has all steps.
///
/// ```
/// use spr_core::bytes::Env;
/// use spr_core::format::Reader;
/// use spr_core::stage::{Cache, Passes};
/// use spr_core::{Error, Result};
/// use spr_engine::step::Steps;
///
/// fn passes(data: Cache) -> Result<impl Reader> {
///     let steps: Steps = "shuffle(1000,seed=1)|context(5)|batch(padded=20000)|prefetch(4)".parse()?;
///     Passes::new(move |pass| steps.in_pass(pass, data.reader(), &Env::default()))
/// }
///
/// let error: Error = "shuffle(1000)|contxt(5)".parse::<Steps>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "'shuffle(1000)|contxt(5)', character 15: there is no stage 'contxt'"
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Steps(Vec<Step>);

impl Steps {
    /// Lists all stages with their notation and description.
    pub fn list() -> impl Iterator<Item = (&'static str, &'static str)> {
        KINDS.iter().flat_map(|kind| {
            let aliases = kind.aliases.iter().map(|alias| (alias.usage, alias.what));
            std::iter::once((kind.usage, kind.what)).chain(aliases)
        })
    }

    /// The steps over `reader`.
    ///
    /// # Errors
    /// A file that one needs can't be read.
    pub fn over(&self, reader: Box<dyn Reader>, env: &Env) -> Result<Box<dyn Reader>> {
        self.in_pass(0, reader, env)
    }

    /// The steps over `reader` in a pass, from 0, through the data. What is drawn at random with a
    /// seed is drawn [otherwise](spr_core::number::random::Rng::of_pass) in each.
    ///
    /// # Errors
    /// A file that one needs can't be read.
    pub fn in_pass(
        &self,
        pass: u64,
        mut reader: Box<dyn Reader>,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        let at = Surroundings {
            pass,
            ..Surroundings::new(env)
        };
        for step in &self.0 {
            if step.audio_need() > AudioNeed::Nothing {
                let columns = step.columns().iter().copied();
                reader = Box::new(MeasuredAudio::new(reader, columns, env));
            }
            reader = step.over(reader, &at)?;
        }
        Ok(reader)
    }

    /// The steps themselves.
    pub fn into_vec(self) -> Vec<Step> {
        self.0
    }

    /// Checks that utterances come out as such, and not frames or batches of them.
    ///
    /// # Errors
    /// They do not; the step is named.
    pub fn check_utterances(&self) -> Result<()> {
        self.0.iter().try_for_each(Step::check_utterances)
    }

    /// Checks that steps get utterances as far as they need them.
    ///
    /// # Errors
    /// One comes after a step that gives frames or batches.
    pub(crate) fn check_order<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Result<()> {
        let mut mixed = None;
        for step in steps {
            let error = step.kind().check_level(&mut mixed);
            error.map_err(|error| step.misplaced(error))?;
        }
        Ok(())
    }
}

impl FromStr for Steps {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let shared: Arc<str> = text.into();
        let mut steps: Vec<Step> = Vec::new();
        for call in calls(text)? {
            steps.push(Step::of_call(&shared, &call)?);
        }
        Self::check_order(&steps)?;
        Ok(Self(steps))
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&texts.join("|"))
    }
}
