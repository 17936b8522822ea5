//! Options `key=value` of a format.

use std::fmt;
use std::str::FromStr;

use super::FormatInfo;
use crate::error::{Error, Result};
use crate::text::nearest;

/// Options for one input or output, every key known to its format.
///
/// ```
/// use spr_core::format::{FormatInfo, OptionSpec, Options};
///
/// static OPTIONS: &[OptionSpec] = &[OptionSpec { name: "text", value: "true|false", help: "writes text" }];
/// static INFO: FormatInfo = {
///     let mut info = FormatInfo::new("toy", "a toy", &["toy"]);
///     info.options = OPTIONS;
///     info
/// };
///
/// assert!(Options::new(&INFO, [("text", "true")])?.flag("text")?);
/// assert!(Options::new(&INFO, [("txet", "true")]).is_err());
/// # Ok::<(), spr_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    pairs: Vec<(&'static str, String)>,
}

impl Options {
    /// Creates options from `key=value` pairs; the last of a repeated key counts.
    ///
    /// # Errors
    /// A key is unknown to `format`; the error lists the known ones.
    pub fn new<K, V>(format: &FormatInfo, pairs: impl IntoIterator<Item = (K, V)>) -> Result<Self>
    where
        K: AsRef<str>,
        V: Into<String>,
    {
        let mut options = Self::default();
        for (key, value) in pairs {
            let key = key.as_ref();
            let Some(spec) = format.options.iter().find(|o| o.name == key) else {
                let known: Vec<_> = format.options.iter().map(|o| o.name).collect();
                let known = if known.is_empty() {
                    format!("{} has no options", format.name)
                } else {
                    nearest::hint(key, &known, &format!("{} knows", format.name))
                };
                return Err(
                    Error::usage(format!("unknown option '{key}' for {}", format.name)).hint(known),
                );
            };
            options.pairs.push((spec.name, value.into()));
        }
        Ok(options)
    }

    /// Returns these options with another value of `key`, which the format knows.
    #[must_use]
    pub fn with(&self, key: &'static str, value: impl Into<String>) -> Self {
        let mut options = self.clone();
        options.pairs.push((key, value.into()));
        options
    }

    /// Returns the value of `key`, if given.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs
            .iter()
            .rev()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value.as_str())
    }

    /// Returns `true` if `key` is `true`, or one of its synonyms; the default is `false`.
    ///
    /// # Errors
    /// The value is neither.
    pub fn flag(&self, key: &str) -> Result<bool> {
        let Some(value) = self.get(key) else {
            return Ok(false);
        };
        match value.to_ascii_lowercase().as_str() {
            "true" | "t" | "yes" | "y" | "1" => Ok(true),
            "false" | "f" | "no" | "n" | "0" => Ok(false),
            _ => Err(bad_value(key, value).hint("known: true, false")),
        }
    }

    /// Parses the value of `key` as a `T`.
    ///
    /// # Errors
    /// The value is not a `T`.
    pub fn parse<T: FromStr<Err: fmt::Display>>(&self, key: &str) -> Result<Option<T>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        value
            .parse()
            .map(Some)
            .map_err(|e| bad_value(key, value).context_of(&e))
    }

    /// Parses the value of `key` as one of several words.
    ///
    /// # Errors
    /// The value is none of them; the error lists them.
    pub fn choice<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<Option<T>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match words.iter().find(|(word, _)| *word == value) {
            Some((_, choice)) => Ok(Some(*choice)),
            None => {
                let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
                Err(bad_value(key, value).hint(format!("known: {}", known.join(", "))))
            }
        }
    }
}

fn bad_value(key: &str, value: &str) -> Error {
    Error::usage(format!("option {key}: '{value}' is not a valid value"))
}

impl Error {
    fn context_of(self, cause: &impl fmt::Display) -> Self {
        self.hint(cause.to_string())
    }
}
