//! Inputs: from an argument to a data set.

use std::path::is_separator;

use spr_core::bytes::{Env, FileKind, Location, Locator};
use spr_core::format::{Format, Registry, Specification};
use spr_core::{Error, Result};

use super::{Pair, braces, command, named, path_and_pairs, place_of};
use crate::plan::Input;
use crate::step::{SourceOptions, Step};

/// An input as its argument gives it.
pub(crate) struct ParsedInput {
    pub(crate) input: Input,
    /// The steps that its data options ask for, in their order.
    pub(crate) steps: Vec<Step>,
    /// The data set whose labels join, by its stored name.
    pub(crate) labels: Option<String>,
}

/// Understands an argument; a glob gives several inputs, sorted, and a list several in its order.
///
/// `from` forces the format, `pairs` adds options, of the format or [data
/// options](crate::step::option_keys).
///
/// # Errors
/// It is malformed, a glob matches nothing, or the value of a data option is wrong.
pub(crate) fn parse_inputs(
    text: &str,
    from: Option<&'static dyn Format>,
    pairs: &[Pair],
    registry: &Registry,
    env: &Env,
) -> Result<Vec<ParsedInput>> {
    let mut kind = None;
    if from.is_some() {
        kind = kind_of(text, env);
    }
    let mut found_as = None;
    let inputs = if kind.is_some() {
        vec![Input::at_path(text, "a path", text, kind)]
    } else if let Some(input) = Input::in_notation(text, registry)? {
        vec![input]
    } else if let Some((format, rest)) = named(text, registry) {
        found_as = Some(format);
        Input::paths(text, "a named format", rest, registry, env)?
    } else {
        Input::paths(text, "a path", text, registry, env)?
    };
    let parse = |mut input: Input| {
        input.typed = text.to_owned();
        input.options.extend_from_slice(pairs);
        let own = input.format.as_deref().and_then(|name| registry.find(name));
        let format = from.or(found_as).or(own);
        let asked = input.take_data_options(format)?;
        let steps = asked.steps();
        let steps = steps.map_err(|error| input.misplaced("seed", error))?;
        let named = asked.format.as_deref().map(|name| registry.get(name));
        let named = named.transpose().map_err(|e| input.misplaced("type", e))?;
        let format = from.or(named).or(format);
        input.format = format.map(|format| format.info().name.to_owned());
        Ok(ParsedInput {
            input,
            steps,
            labels: asked.label.map(|label| stored(&label, env)),
        })
    };
    inputs.into_iter().map(parse).collect()
}

impl Input {
    /// Takes the data options out of those of the format, which has its own way with a key that both
    /// know, where it is named.
    fn take_data_options(&mut self, format: Option<&'static dyn Format>) -> Result<SourceOptions> {
        let known = format.map_or(&[][..], |f| f.info().options);
        let mut asked = SourceOptions::default();
        let mut others = Vec::new();
        for (key, value) in std::mem::take(&mut self.options) {
            let is_own = known.iter().any(|option| option.name == key);
            let taken = match is_own {
                true => Ok(false),
                false => asked.set(&key, &value),
            };
            match taken.map_err(|error| self.misplaced(&key, error))? {
                true => self.data_options.push(key),
                false => others.push((key, value)),
            }
        }
        self.options = others;
        (self.partition, self.stream, self.round) = (asked.partition, asked.stream, asked.round);
        Ok(asked)
    }

    /// Checks that no data option changes what is stored, for which there is a reason.
    ///
    /// # Errors
    /// One does.
    pub fn check_unchanged(&self, reason: &str) -> Result<()> {
        let Some(key) = self.data_options.iter().find(|key| *key != "type") else {
            return Ok(());
        };
        Err(self.misplaced(key, Error::usage(format!("{key}: {reason}"))))
    }

    /// Returns an error about the option `key`, with its position in the argument if it is there.
    pub(crate) fn misplaced(&self, key: &str, error: Error) -> Error {
        match place_of(&self.typed, key) {
            Some(place) => error.context(place),
            None => error,
        }
    }

    /// The input that a format's own notation specifies.
    fn specified(text: &str, format: &'static dyn Format, meant: Specification) -> Self {
        Self {
            format: Some(format.info().name.to_owned()),
            options: meant.options,
            on_error: meant.on_error,
            ..Self::new(text, meant.form, meant.locator)
        }
    }

    /// The input in the notation of a format; `None` if it is in none.
    fn in_notation(text: &str, registry: &Registry) -> Result<Option<Self>> {
        let meant = |format: &'static dyn Format| {
            let meant = format.notation()?.input(text)?;
            Some(meant.map(|meant| Self::specified(text, format, meant)))
        };
        registry.formats().find_map(meant).transpose()
    }

    /// Parses the output of a command, if `text` ends with a vertical bar.
    fn command(text: &str, rest: &str) -> Option<Result<Self>> {
        rest.ends_with('|').then(|| {
            let place = Locator::Command(command(rest)?.to_owned());
            Ok(Self::new(text, "a command", place))
        })
    }

    /// Parses a position in an existing file, in the notation of a format.
    fn in_file(text: &str, path: &str, registry: &Registry, env: &Env) -> Option<Self> {
        registry.formats().find_map(|format| {
            let meant = format.notation()?.place(path)?;
            let file = meant.locator.location()?;
            let there = env.exists(file);
            there.then(|| Self::specified(text, format, meant))
        })
    }

    /// Parses the `REST` of an argument: a path, `-`, a glob, a list, a folder or a position in a
    /// file, with options, or a command.
    fn paths(
        text: &str,
        form: &'static str,
        rest: &str,
        registry: &Registry,
        env: &Env,
    ) -> Result<Vec<Self>> {
        let mut kind = kind_of(rest, env);
        if rest == "-" || kind.is_some() {
            return Ok(vec![Self::at_path(text, form, rest, kind)]);
        }
        if let Some(input) = Self::command(text, rest) {
            return Ok(vec![input?]);
        }
        let (path, options) = path_and_pairs(rest)?;
        if path.is_empty() {
            return Err(Error::usage(format!("'{text}' does not name a file")));
        }
        if path != rest {
            kind = kind_of(path, env);
        }
        let with_options = |mut input: Self| {
            input.options.extend_from_slice(&options);
            input
        };
        if kind.is_none()
            && let Some(input) = Self::in_file(text, path, registry, env)
        {
            return Ok(vec![with_options(input)]);
        }
        if path.trim_matches('|').contains('|') && kind.is_none() {
            let message = format!("'{path}' names the data of several tasks");
            return Err(Error::usage(message).hint("convert the data of each task on their own"));
        }
        if kind.is_none()
            && let Some(names) = braces::expand(path)?
        {
            let input = |name: &String| {
                with_options(Self::at_path(
                    name,
                    "a list of files",
                    name,
                    kind_of(name, env),
                ))
            };
            return Ok(names.iter().map(input).collect());
        }
        let place = Location::from(path);
        let of_server = place
            .url()
            .is_some_and(|url| url.scheme.starts_with("http"));
        if of_server || !path.contains(['*', '?', '[']) || kind.is_some() {
            return Ok(vec![with_options(Self::at_path(text, form, path, kind))]);
        }
        let found = env.matching(path)?.into_iter();
        let mut found: Vec<_> = found.map(|at| at.to_string()).collect();
        found.sort();
        if found.is_empty() {
            return Err(Error::usage(format!("no file matches '{path}'")));
        }
        let below = Location::from(fixed_part(path));
        let input = |path: &String| Self {
            below: Some(below.clone()),
            ..with_options(Self::at_path(path, "a glob", path, kind_of(path, env)))
        };
        Ok(found.iter().map(input).collect())
    }

    /// The input at a path, which is of this kind if anything is there.
    fn at_path(text: &str, form: &str, path: &str, kind: Option<FileKind>) -> Self {
        let at = Location::from(path);
        let place = match kind {
            _ if path == "-" => Locator::Standard,
            Some(FileKind::Folder) => Locator::Folder(at),
            _ => Locator::File(at),
        };
        Self::new(text, form, place)
    }
}

/// The kind of file that is at a path; `None` if nothing is there.
fn kind_of(path: &str, env: &Env) -> Option<FileKind> {
    let status = env.look(&path.into()).ok()??;
    Some(status.kind)
}

/// Returns a file of labels by its stored name, with `.gz` or `.bz2` if only that exists.
fn stored(path: &str, env: &Env) -> String {
    let coded = ["", ".gz", ".bz2"].map(|coder| format!("{path}{coder}"));
    let found = coded.iter().find(|path| env.exists(&path.as_str().into()));
    found.cloned().unwrap_or_else(|| path.to_owned())
}

/// Returns the leading folders of a pattern without wildcards.
fn fixed_part(pattern: &str) -> &str {
    let fixed = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
    match pattern[..fixed].rfind(is_separator) {
        Some(end) => &pattern[..end + 1],
        None => "",
    }
}
