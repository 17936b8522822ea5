//! What is said of a stage, by name.

use super::grammar::{Call, Value, misplaced};
use super::table::Kind;
use crate::{Error, Result, nearest};

/// The values of one stage as it is written.
pub(super) struct Values<'a> {
    text: &'a str,
    call: &'a Call,
    kind: &'static Kind,
    /// Each value with the name that it goes by.
    named: Vec<(&'static str, &'a Value)>,
}

impl<'a> Values<'a> {
    /// The values of `call`, which stands in `text`, by the names that `kind` has for them.
    ///
    /// # Errors
    /// There are more than it takes, an unknown one, or one twice.
    pub(super) fn new(text: &'a str, call: &'a Call, kind: &'static Kind) -> Result<Self> {
        let mut values = Self {
            text,
            call,
            kind,
            named: Vec::new(),
        };
        let mut places = kind.names.iter().copied();
        let rest = kind.names.last().filter(|_| kind.many).copied();
        for value in &call.values {
            let name = match &value.key {
                Some(key) => values.known(key, value)?,
                None => kind
                    .flag(&value.text)
                    .or_else(|| places.next())
                    .or(rest)
                    .ok_or_else(|| values.wrong(value, "one value too many"))?,
            };
            if rest.is_none() && values.value(name).is_some() {
                return Err(values.wrong(value, &format!("'{name}' is said twice")));
            }
            values.named.push((name, value));
        }
        Ok(values)
    }

    /// The name that stands before `=`.
    fn known(&self, key: &str, value: &Value) -> Result<&'static str> {
        let names = || self.kind.names.iter().chain(self.kind.keys).copied();
        if let Some(name) = names().find(|name| *name == key) {
            return Ok(name);
        }
        let message = format!("unknown key '{key}'");
        Err(match nearest(key, names()) {
            Some(near) => self.fault(value.at, &message, &format!("did you mean '{near}'? ")),
            None => self.wrong(value, &message),
        })
    }

    fn fault(&self, at: usize, message: &str, hint: &str) -> Error {
        let error = Error::usage(format!("{}: {message}", self.kind.name));
        misplaced(
            self.text,
            at,
            error.hint(format!("{hint}{}", self.kind.usage)),
        )
    }

    /// An error about a value.
    fn wrong(&self, value: &Value, message: &str) -> Error {
        self.fault(value.at, message, "")
    }

    /// An error about the stage as a whole.
    pub(super) fn refused(&self, message: &str) -> Error {
        self.fault(self.call.at, message, "")
    }

    fn value(&self, name: &str) -> Option<&'a Value> {
        let named = self.named.iter().find(|(own, _)| *own == name);
        named.map(|(_, value)| *value)
    }

    /// Whether a word stands there.
    pub(super) fn says(&self, flag: &str) -> bool {
        self.value(flag).is_some()
    }

    /// Whether nothing is said.
    pub(super) fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// A value as text.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.value(name).map(|value| value.text.as_str())
    }

    /// All values of a list, with commas between.
    pub(super) fn list(&self, name: &str) -> Option<String> {
        let own = self.named.iter().filter(|(own, _)| *own == name);
        let texts: Vec<_> = own.map(|(_, value)| value.text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join(","))
    }

    /// What `parse` makes of a value, if it is there.
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
        let wrong = || self.wrong(value, &format!("'{}' is not {expected}", value.text));
        parsed.map(Some).ok_or_else(wrong)
    }

    /// A value that has to be there, checked by `parse`.
    ///
    /// # Errors
    /// It is not there, or not what it has to be.
    pub(super) fn need<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Option<T>,
        expected: &str,
    ) -> Result<T> {
        let value = self.get(name, parse, expected)?;
        value.ok_or_else(|| self.refused(&format!("expected {expected}")))
    }

    /// What is made of a value or a list by something that has errors of its own.
    ///
    /// # Errors
    /// As `made`.
    pub(super) fn made<T>(&self, name: &str, made: Result<T>) -> Result<T> {
        let at = self.value(name).map_or(self.call.at, |value| value.at);
        made.map_err(|e| misplaced(self.text, at, e.context(self.kind.name)))
    }
}
