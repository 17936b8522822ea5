//! The values of a step, by name.

use std::fmt;
use std::sync::Arc;

use spr_core::bytes::Location;
use spr_core::{Error, Result, nearest};

use super::grammar::{self, Call, misplaced};

/// The values that a step takes.
#[non_exhaustive]
#[derive(Clone, Copy)]
pub struct Parameters {
    /// Values that may stand without their names, in this order.
    pub positional: &'static [&'static str],
    /// Whether the last of these takes all further values.
    pub many: bool,
    /// Values that are named.
    pub named: &'static [&'static str],
    /// Words without a value.
    pub words: &'static [&'static str],
    /// Those of the values that name files, which are read besides the data.
    pub files: &'static [&'static str],
}

impl Parameters {
    /// No values.
    pub const NONE: Self = Self {
        positional: &[],
        many: false,
        named: &[],
        words: &[],
        files: &[],
    };

    /// Values that may stand without their names.
    pub(super) const fn of(positional: &'static [&'static str]) -> Self {
        Self {
            positional,
            ..Self::NONE
        }
    }

    fn word(&self, text: &str) -> Option<&'static str> {
        self.words.iter().copied().find(|word| *word == text)
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.positional.iter().chain(self.named).copied()
    }
}

/// A value of a step.
#[derive(Clone, Debug)]
struct Value {
    name: &'static str,
    text: String,
    /// Its position in the text of the steps, if it was read from one.
    at: Option<usize>,
}

/// The position of a step in a text.
#[derive(Clone, Debug)]
struct Place {
    text: Arc<str>,
    at: usize,
}

/// The values of one step, each with its name.
#[derive(Clone)]
pub(super) struct Values {
    /// The name of the step.
    step: &'static str,
    /// The notation.
    usage: &'static str,
    parameters: Parameters,
    values: Vec<Value>,
    place: Option<Place>,
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        let own = |values: &Self| -> Vec<_> {
            let all = values.values.iter();
            all.map(|value| (value.name, value.text.clone())).collect()
        };
        self.step == other.step && own(self) == own(other)
    }
}

impl Values {
    /// The values of a step that was asked for by name.
    pub(super) fn new(
        (step, usage): (&'static str, &'static str),
        parameters: Parameters,
        values: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Self {
        let values = values.into_iter();
        let value = |(name, text)| Value {
            name,
            text,
            at: None,
        };
        Self {
            step,
            usage,
            parameters,
            values: values.map(value).collect(),
            place: None,
        }
    }

    /// The values of `call`, which stands in `text`; of those without a name the first may be `first`.
    ///
    /// # Errors
    /// There are more than the step takes, an unknown one, or one twice.
    pub(super) fn of_call(
        text: &Arc<str>,
        call: &Call,
        (step, usage): (&'static str, &'static str),
        parameters: Parameters,
        first: Option<&'static str>,
    ) -> Result<Self> {
        let mut values = Self {
            step,
            usage,
            parameters,
            values: Vec::new(),
            place: Some(Place {
                text: text.clone(),
                at: call.at,
            }),
        };
        let alone = first.as_ref().map(std::slice::from_ref);
        let mut places = alone.unwrap_or(parameters.positional).iter().copied();
        let rest = parameters.positional.last().filter(|_| parameters.many);
        let rest = rest.copied();
        for value in &call.values {
            let name = match &value.key {
                Some(key) => values.known(key, value)?,
                None => parameters
                    .word(&value.text)
                    .or_else(|| places.next())
                    .or(rest)
                    .ok_or_else(|| values.wrong(Some(value.at), "one value too many"))?,
            };
            if rest.is_none() && values.value(name).is_some() {
                let message = format!("'{name}' is said twice");
                return Err(values.wrong(Some(value.at), &message));
            }
            values.values.push(Value {
                name,
                text: value.text.clone(),
                at: Some(value.at),
            });
        }
        Ok(values)
    }

    /// Returns the name before `=`.
    fn known(&self, key: &str, value: &grammar::Value) -> Result<&'static str> {
        if let Some(name) = self.parameters.names().find(|name| *name == key) {
            return Ok(name);
        }
        let message = format!("unknown key '{key}'");
        Err(match nearest(key, self.parameters.names()) {
            Some(near) => {
                let hint = format!("did you mean '{near}'? ");
                self.fault(Some(value.at), &message, &hint)
            }
            None => self.wrong(Some(value.at), &message),
        })
    }

    /// An error with the place in the text, if the step was read from one.
    fn placed(&self, at: Option<usize>, error: Error) -> Error {
        match &self.place {
            Some(place) => misplaced(&place.text, at.unwrap_or(place.at), error),
            None => error,
        }
    }

    fn fault(&self, at: Option<usize>, message: &str, hint: &str) -> Error {
        let error = Error::usage(format!("{}: {message}", self.step));
        self.placed(at, error.hint(format!("{hint}{}", self.usage)))
    }

    /// Returns an error about a value.
    fn wrong(&self, at: Option<usize>, message: &str) -> Error {
        self.fault(at, message, "")
    }

    /// An error about the step as a whole.
    pub(super) fn refused(&self, message: &str) -> Error {
        self.fault(None, message, "")
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|value| value.name == name)
    }

    /// Returns `true` if a word stands there.
    pub(super) fn says(&self, word: &str) -> bool {
        self.value(word).is_some()
    }

    /// Returns `true` if there are no values.
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns a value as text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.value(name).map(|value| value.text.as_str())
    }

    /// Returns the file that a value names. The parameters must list it among their files, so that what a
    /// step reads can't stay unknown.
    pub(super) fn file(&self, name: &str) -> Option<Location> {
        let is_file = self.parameters.files.contains(&name);
        self.text(name).filter(|_| is_file).map(Location::from)
    }

    /// Returns the files that values name.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        let names = self.parameters.files.iter();
        names.filter_map(|name| self.text(name))
    }

    /// All values of this name.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> + Clone {
        let own = self.values.iter().filter(move |value| value.name == name);
        own.map(|value| value.text.as_str())
    }

    /// Returns all values of a list, separated by commas.
    pub(super) fn list(&self, name: &str) -> Option<String> {
        let texts: Vec<_> = self.all(name).collect();
        (!texts.is_empty()).then(|| texts.join(","))
    }

    /// Parses a value, if there is one.
    ///
    /// # Errors
    /// It is not `expected`.
    pub(super) fn get<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Option<T>,
        expected: &str,
    ) -> Result<Option<T>> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let parsed = parse(&value.text);
        let wrong = || self.wrong(value.at, &format!("'{}' is not {expected}", value.text));
        parsed.map(Some).ok_or_else(wrong)
    }

    /// Parses a value that has to be there.
    ///
    /// # Errors
    /// It is not there, or not `expected`.
    pub(super) fn need<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Option<T>,
        expected: &str,
    ) -> Result<T> {
        let value = self.get(name, parse, expected)?;
        value.ok_or_else(|| self.refused(&format!("expected {expected}")))
    }

    /// Gives a parser's error the name of the step and its place.
    ///
    /// # Errors
    /// As `made`.
    pub(super) fn made<T>(&self, name: &str, made: Result<T>) -> Result<T> {
        let at = self.value(name).and_then(|value| value.at);
        made.map_err(|e| match &self.place {
            Some(_) => self.placed(at, e.context(self.step)),
            // Whoever asked for the step by other words has a name of its own for the value.
            None => e,
        })
    }

    /// The same values under the step's own name, without a place in a text.
    pub(super) fn renamed(&self, (step, usage): (&'static str, &'static str)) -> Self {
        Self {
            step,
            usage,
            ..self.clone()
        }
    }

    /// An error from the work of the step, with its name if it was written as a stage.
    pub(super) fn named(&self, error: Error) -> Error {
        match &self.place {
            Some(_) => error.context(format!("'{}'", self.step)),
            None => error,
        }
    }

    /// An error about the step, with its place.
    pub(super) fn misplaced(&self, error: Error) -> Error {
        self.placed(None, error)
    }

    /// Each value with its name.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.values
            .iter()
            .map(|value| (value.name, value.text.as_str()))
    }

    /// The same step with another value of this name.
    #[must_use]
    pub(super) fn with(mut self, name: &'static str, text: String) -> Self {
        self.values.retain(|value| value.name != name);
        self.values.push(Value {
            name,
            text,
            at: None,
        });
        self
    }
}

impl fmt::Display for Values {
    /// As it is written: `context(5,1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.step)?;
        let parameters = &self.parameters;
        let positional = |name: &&'static str| self.value(name).is_some();
        // A value stands without its name only if those before it are there.
        let leading = parameters.positional.iter().take_while(|n| positional(n));
        let leading: Vec<_> = leading.collect();
        let mut texts = Vec::new();
        for name in &leading {
            texts.extend(self.all(name).map(grammar::quoted));
        }
        for value in &self.values {
            if parameters.words.contains(&value.name) {
                texts.push(value.name.to_owned());
            } else if !leading.contains(&&value.name) {
                texts.push(format!("{}={}", value.name, grammar::quoted(&value.text)));
            }
        }
        match texts.is_empty() {
            true => Ok(()),
            false => write!(f, "({})", texts.join(",")),
        }
    }
}
