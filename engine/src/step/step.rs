//! One step.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use spr_core::bytes::Location;
use spr_core::format::{KeyPredicate, Partitioning, Reader};
use spr_core::model::{Decimal, Dtype};
use spr_core::stage::SoundChoice;
use spr_core::{Error, Result, nearest};
use spr_stats::AudioNeed;

use super::grammar::{Call, misplaced};
use super::kind::{Kind, Phase};
use super::operation::{Operation, Reach, Surroundings};
use super::table::{KINDS, KeySelection, Shift, Translation};
use super::unmet::Unmet;
use super::values::Values;

/// A step of a plan: a kind, and values that were parsed. Its text is how it is written.
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
    operation: Arc<dyn Operation>,
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
        let operation = (kind.parse)(&values)?;
        Ok(Self {
            kind,
            values,
            operation,
        })
    }

    /// The step that `call` writes, which stands in `text`.
    pub(super) fn of_call(text: &Arc<str>, call: &Call) -> Result<Self> {
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

    /// The operation, if it has this type.
    fn operation<T: Operation>(&self) -> Option<&T> {
        let operation: &dyn Any = &*self.operation;
        operation.downcast_ref()
    }

    /// The same step with another value of this name, and with what that makes of it.
    fn with(self, name: &'static str, text: String, operation: impl Operation) -> Self {
        Self {
            values: self.values.with(name, text),
            operation: Arc::new(operation),
            ..self
        }
    }

    /// The form of sound that it asks for, if it is a step of sound.
    pub fn sound(&self) -> Option<&SoundChoice> {
        self.operation()
    }

    /// The same step with a type for the samples that it calculates, unless it has one or is no step of
    /// sound. So they are rounded once.
    #[must_use]
    pub fn with_sample_type(self, dtype: Dtype) -> Self {
        match self.sound().copied() {
            Some(choice) if choice.dtype.is_none() => {
                let text = dtype.to_string();
                let dtype = Some(dtype);
                self.with("dtype", text, SoundChoice { dtype, ..choice })
            }
            _ => self,
        }
    }

    /// The frame shift that it gives the data, if it gives one.
    pub(crate) fn frame_shift(&self) -> Option<Decimal> {
        self.operation().map(|Shift(shift)| *shift)
    }

    /// Returns `true` if it cuts utterances by their segments.
    pub(crate) fn cuts(&self) -> bool {
        self.kind.phase == Phase::Cut
    }

    /// Returns `true` if it translates labels by a model that is not named.
    pub(crate) fn lacks_model(&self) -> bool {
        let translation = self.operation();
        translation.is_some_and(|translation: &Translation| translation.model.is_none())
    }

    /// The same step with this model, if it translates labels.
    pub(crate) fn with_model(self, model: Location) -> Self {
        let Some(translation) = self.operation::<Translation>().cloned() else {
            return self;
        };
        let text = model.to_string();
        let model = Some(model);
        self.with(
            "model",
            text,
            Translation {
                model,
                ..translation
            },
        )
    }

    /// Returns `true` if long utterances may come to it in chunks of rows.
    pub fn takes_chunks(&self) -> bool {
        self.operation.reach() == Reach::Chunk
    }

    /// Returns `true` if what comes of an utterance depends on other utterances.
    pub fn looks_across(&self) -> bool {
        self.operation.reach() >= Reach::Others
    }

    /// Returns `true` if it takes the share of one of several jobs.
    pub(crate) fn shares(&self) -> bool {
        self.operation.reach() == Reach::Share
    }

    /// Returns `true` if it reads what comes before it a second time.
    pub fn reads_twice(&self) -> bool {
        self.operation.reach() == Reach::Twice
    }

    /// The columns of a table of utterances that it looks at.
    pub fn columns(&self) -> &[&'static str] {
        self.operation.columns()
    }

    /// Returns `true` if it looks at this column of a table of utterances.
    pub fn uses(&self, column: &str) -> bool {
        self.columns().contains(&column)
    }

    /// The facts it needs of sound that an utterance only names.
    pub fn audio_need(&self) -> AudioNeed {
        AudioNeed::of(self.columns().iter().copied())
    }

    /// Returns `true` if it does nothing.
    pub fn is_idle(&self) -> bool {
        self.operation.is_idle()
    }

    /// Describes it for people, for data that PDNN goes through by `partitioning`.
    pub fn describe(&self, partitioning: Partitioning) -> String {
        let description = self.operation.describe(partitioning);
        description.unwrap_or_else(|| self.to_string())
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
        let built = self.operation.over(reader, at);
        built.map_err(|e| self.values.named(e))
    }

    /// An error about it, with its place.
    pub(super) fn misplaced(&self, error: Error) -> Error {
        self.values.misplaced(error)
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
                Err(self.misplaced(Error::usage(message)))
            }
        }
    }

    /// The files that it reads besides its source.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.values.files()
    }

    /// Returns `true` if it chooses by keys alone.
    pub fn chooses_by_key(&self) -> bool {
        self.operation::<KeySelection>().is_some()
    }

    /// For a step that selects by key only: the key predicate, and whether to warn of listed keys that
    /// never occur.
    ///
    /// # Errors
    /// A list of keys can't be read.
    pub(crate) fn key_filter(&self, at: &Surroundings<'_>) -> Result<Option<(KeyPredicate, bool)>> {
        let filter = self.operation().map(|keys: &KeySelection| keys.filter(at));
        filter.transpose().map_err(|e| self.values.named(e))
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
