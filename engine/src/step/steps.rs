//! One step, and chains of them as they are written.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use spr_core::bytes::Env;
use spr_core::format::{KeyPredicate, Partitioning, Reader};
use spr_core::{Error, Result, nearest};

use super::choose;
use super::grammar::{Call, calls, misplaced};
use super::kind::{Build, Kind, Surroundings};
use super::table::KINDS;
use super::unmet::Unmet;
use super::values::Values;

/// A step of a plan: a kind and its values, which were checked.
///
/// ```
/// use spr_engine::step::Step;
/// let step = Step::new("context", [("left", "5"), ("right", "1")])?;
/// assert_eq!(step.to_string(), "context(5,1)");
/// assert!(!step.looks_across());
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Step {
    kind: &'static Kind,
    values: Values,
    build: Build,
}

impl Step {
    /// The step of this name with these values.
    ///
    /// # Errors
    /// There is no such step, or a value is wrong.
    pub fn new<'a>(
        name: &str,
        values: impl IntoIterator<Item = (&'a str, impl Into<String>)>,
    ) -> Result<Self> {
        let kind = KINDS.iter().find(|kind| kind.name == name);
        let kind = *kind.ok_or_else(|| Error::usage(format!("there is no step '{name}'")))?;
        let own = |name: &str| {
            let parameters = &kind.parameters;
            let all = [parameters.positional, parameters.named, parameters.words];
            let mut all = all.into_iter().flatten();
            all.find(|own| **own == name).copied().ok_or_else(|| {
                Error::usage(format!("{}: unknown key '{name}'", kind.name)).hint(kind.usage)
            })
        };
        let values = values.into_iter();
        let values = values.map(|(name, text)| Ok((own(name)?, text.into())));
        let values = values.collect::<Result<Vec<_>>>()?;
        Self::of(
            kind,
            Values::new((kind.name, kind.usage), kind.parameters, values),
        )
    }

    fn of(kind: &'static Kind, values: Values) -> Result<Self> {
        let build = (kind.build)(&values)?;
        Ok(Self {
            kind,
            values,
            build,
        })
    }

    /// The step that `call` writes, which stands in `text`.
    fn of_call(text: &Arc<str>, call: &Call) -> Result<Self> {
        let alias = |kind: &&'static Kind| {
            let alias = kind.aliases.iter().find(|alias| alias.name == call.name);
            alias.map(|alias| (*kind, alias))
        };
        let named = KINDS.iter().find(|kind| kind.name == call.name);
        let (kind, usage, first) = match (named, KINDS.iter().find_map(alias)) {
            (Some(kind), _) => (*kind, (kind.name, kind.usage), None),
            (None, Some((kind, alias))) => (kind, (alias.name, alias.usage), Some(alias.value)),
            (None, None) => return Err(unknown(text, call)),
        };
        let values = Values::of_call(text, call, usage, kind.parameters, first)?;
        if let Some(first) = first
            && !values.says(first)
        {
            return Err(values.refused(&format!("expected {}", article(first))));
        }
        let step = Self::of(kind, values)?;
        // From here on it goes by its own name.
        let values = step.values.renamed((kind.name, kind.usage));
        Ok(Self { values, ..step })
    }

    /// The name in the table.
    pub fn name(&self) -> &'static str {
        self.kind.name
    }

    /// The entry of the table.
    pub fn kind(&self) -> &'static Kind {
        self.kind
    }

    /// Returns a value as text.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values.text(name)
    }

    /// The same step with another value of this name.
    ///
    /// # Errors
    /// The value is wrong.
    pub(crate) fn with(self, name: &'static str, text: String) -> Result<Self> {
        Self::of(self.kind, self.values.with(name, text))
    }

    /// Returns `true` if what comes of an utterance depends on other utterances.
    pub fn looks_across(&self) -> bool {
        (self.kind.across)(&self.values)
    }

    /// Returns `true` if it looks at this column of a table of utterances.
    pub fn uses(&self, column: &str) -> bool {
        (self.kind.uses)(&self.values, column)
    }

    /// Returns `true` if it reads what comes before it a second time.
    pub fn reads_twice(&self) -> bool {
        (self.kind.reads_twice)(&self.values)
    }

    /// Returns `true` if it does nothing.
    pub fn is_idle(&self) -> bool {
        (self.kind.is_idle)(&self.values)
    }

    /// Describes it for people, for data that PDNN goes through by `partitioning`.
    pub fn describe(&self, partitioning: Partitioning) -> String {
        (self.kind.describe)(&self.values, partitioning)
    }

    /// Puts it over a reader, and tells the program's logger so, with the target `spr_engine`.
    ///
    /// # Errors
    /// A file that it needs can't be read.
    pub fn over(&self, reader: Box<dyn Reader>, at: &Surroundings<'_>) -> Result<Box<dyn Reader>> {
        log::debug!(target: "spr_engine", "step {self}");
        let reader: Box<dyn Reader> = match self.kind.subject.needed().filter(|_| !self.is_idle()) {
            Some(needed) => Box::new(Unmet::new(reader, needed, self.to_string(), at.env)),
            None => reader,
        };
        (self.build)(reader, at).map_err(|e| self.values.named(e))
    }

    /// Checks that utterances come out as such, and not frames or batches of them.
    ///
    /// # Errors
    /// They do not.
    pub(crate) fn check_utterances(&self) -> Result<()> {
        match self.kind.gives {
            None => Ok(()),
            Some(_) => {
                let message = format!("{}: what comes out is not utterances", self.kind.name);
                Err(self.values.misplaced(Error::usage(message)))
            }
        }
    }

    /// The files that it reads besides its source.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.kind.reads.iter().filter_map(|name| self.value(name))
    }

    /// For a step that chooses by keys alone: what tells that an utterance need not be read, and
    /// whether keys that never come are told.
    ///
    /// # Errors
    /// A list of keys can't be read.
    pub(crate) fn key_filter(&self, at: &Surroundings<'_>) -> Result<Option<(KeyPredicate, bool)>> {
        let Some(held) = self.kind.by_keys else {
            return Ok(None);
        };
        let wanted = choose::SelectionRules::of(&self.values)?;
        let filter = wanted.filter(held, at);
        let filter = filter.map_err(|e| self.values.named(e))?;
        Ok(Some((filter, held && wanted.has_list())))
    }
}

/// A parameter with its article, for messages.
fn article(parameter: &str) -> String {
    format!("a {parameter}")
}

/// The error about a step that is not in the table.
fn unknown(text: &str, call: &Call) -> Error {
    let names = || {
        let aliases = |kind: &&'static Kind| kind.aliases.iter().map(|alias| alias.name);
        let own = KINDS.iter().map(|kind| kind.name);
        own.chain(KINDS.iter().flat_map(aliases))
    };
    let all = names().collect::<Vec<_>>().join(", ");
    let hint = match nearest(&call.name, names()) {
        Some(near) => format!("did you mean '{near}'? stages: {all}"),
        None => format!("stages: {all}"),
    };
    let error = Error::usage(format!("there is no stage '{}'", call.name));
    misplaced(text, call.at, error.hint(hint))
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.values, f)
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.values, f)
    }
}

/// The form of a step in JSON.
#[derive(Serialize, Deserialize)]
struct StoredStep {
    step: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<(String, String)>,
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let values = self.values.iter();
        let stored = StoredStep {
            step: self.kind.name.to_owned(),
            values: values.map(|(k, v)| (k.to_owned(), v.to_owned())).collect(),
        };
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let stored = StoredStep::deserialize(deserializer)?;
        let values = stored.values.iter();
        let values = values.map(|(name, text)| (name.as_str(), text.as_str()));
        Self::new(&stored.step, values).map_err(D::Error::custom)
    }
}

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
            let error = step.kind.check_level(&mut mixed);
            error.map_err(|error| step.values.misplaced(error))?;
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
