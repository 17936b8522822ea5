//! Outputs.

mod names;

use std::path::is_separator;

use spr_core::bytes::{Env, Location, Locator};
use spr_core::format::{Format, Registry};
use spr_core::{Error, Result};

use super::target::{LEVEL, Target};
use super::{Pair, named, path_and_pairs, prefix_meant};
use crate::plan::{Input, PartName, Sink, numbered};
use names::by_extension;

impl Target {
    /// Parses an argument. `to` sets the format, `pairs` adds options.
    ///
    /// # Errors
    /// It is malformed, its format is unknown, or only some of its files are numbered.
    pub fn parse(
        text: &str,
        to: Option<&'static dyn Format>,
        pairs: &[Pair],
        registry: &Registry,
        env: &Env,
    ) -> Result<Self> {
        let mut target = if let Some(target) = Self::in_notation(text, registry)? {
            target
        } else if let Some((format, rest)) = named(text, registry) {
            let format = Some(to.unwrap_or(format));
            Self::at_path(text, "a named format", rest, format, registry, env)?
        } else if let Some(near) = prefix_meant(text, registry).filter(|_| to.is_none()) {
            let hint = format!("did you mean {near}:? A file of that name is written ./{text}");
            let (word, _) = text.split_once(':').unwrap_or_default();
            return Err(Error::usage(format!("'{word}' is no format"))
                .file(text)
                .hint(hint));
        } else {
            Self::at_path(text, "a path", text, to, registry, env)?
        };
        target.format = to.unwrap_or(target.format);
        target.sink.format = target.format.info().name.to_owned();
        target.sink.options.extend_from_slice(pairs);
        target.sink.added = pairs.to_vec();
        target.take_level()?;
        target.check_numbers()?;
        target.check_folder()?;
        target.check_names(registry)?;
        Ok(target)
    }

    /// Understands the output of a verb that keeps the form of data: where its name says no format, and
    /// all inputs are folders that are data sets of one format as a whole, it is such a folder, too.
    ///
    /// # Errors
    /// As for [`parse`](Self::parse).
    pub fn parse_like(
        inputs: &[Input],
        text: &str,
        format: Option<&'static dyn Format>,
        options: &[Pair],
        registry: &Registry,
        env: &Env,
    ) -> Result<Self> {
        let parsed = Self::parse(text, format, options, registry, env);
        let Err(error) = parsed else {
            return parsed;
        };
        let mut forms = inputs.iter().map(|input| input.whole_folder(registry, env));
        let form = forms.next().flatten();
        let name = |format: &'static dyn Format| format.info().name;
        match form.filter(|_| format.is_none()) {
            Some(form) if forms.all(|other| other.map(name) == Some(name(form))) => {
                Self::parse(text, Some(form), options, registry, env)
            }
            _ => Err(error),
        }
    }

    /// Returns the output for a part.
    ///
    /// # Errors
    /// The name with the number is interpreted differently.
    pub fn part(&self, part: PartName, registry: &Registry, env: &Env) -> Result<Self> {
        let number = |(key, value): &Pair| (key.clone(), numbered::number(value, part));
        let added: Vec<_> = self.sink.added.iter().map(number).collect();
        let text = numbered::number(&self.sink.typed, part);
        Self::parse(&text, Some(self.format), &added, registry, env)
    }

    /// Parses an output in the notation of a format, or returns `None` for other texts.
    fn in_notation(text: &str, registry: &Registry) -> Result<Option<Self>> {
        let meant = |format: &'static dyn Format| {
            let meant = format.notation()?.output(text)?;
            Some(meant.map(|meant| (format, meant)))
        };
        let Some((format, meant)) = registry.formats().find_map(meant).transpose()? else {
            return Ok(None);
        };
        let info = format.info();
        let companions = meant.companions.iter().map(|(_, at)| at.to_string());
        let files: Vec<_> = companions.chain([meant.locator.to_string()]).collect();
        let key = |word: &str| Some(word.split_once('=')?.0.to_owned());
        let known = |key: &String| {
            let mut options = info.options.iter().map(|option| option.name);
            key == LEVEL || options.any(|option| option == key)
        };
        let words = files.iter().flat_map(|file| file.split(',').skip(1));
        if let Some(key) = words.filter_map(key).find(known) {
            let message = format!("{key}= is an option, but would be part of the file's name");
            let hint = format!("say --co {key}=…, or leave out what stands before the colon");
            return Err(Error::usage(message).file(text).hint(hint));
        }
        let named = meant.companions.into_iter();
        let sink = Sink {
            companions: named.map(|(name, at)| (name.to_owned(), at)).collect(),
            options: meant.options,
            listed: meant.listed,
            on_error: meant.on_error,
            ..Sink::new(text, meant.form, info.name, meant.locator)
        };
        Ok(Some(Self { sink, format }))
    }

    fn at_path(
        text: &str,
        form: &'static str,
        rest: &str,
        format: Option<&'static dyn Format>,
        registry: &Registry,
        env: &Env,
    ) -> Result<Self> {
        let literal = format.is_some() && !rest.contains('=');
        let (path, mut pairs) = if literal {
            (rest, Vec::new())
        } else {
            path_and_pairs(rest)?
        };
        if path.is_empty() {
            return Err(Error::usage(format!("'{text}' does not name a file")));
        }
        let format = match format {
            Some(format) => format,
            None => {
                let is_folder = path.ends_with(is_separator) || env.is_folder(&path.into());
                by_extension(path, is_folder, registry)?
            }
        };
        let locator = if path == "-" {
            Locator::Standard
        } else if let Some(command) = path.strip_prefix('|') {
            Locator::Command(command.to_owned())
        } else if path.ends_with(is_separator)
            || env.is_folder(&path.into())
            || is_folder(format, path)
        {
            Locator::folder(match path.trim_end_matches(is_separator) {
                "" => path,
                plain => plain,
            })
        } else {
            Locator::file(path)
        };
        if let Locator::File(file) = &locator {
            let plain = file.plain();
            let variant = plain.extension().and_then(|e| format.info().variant(e));
            if let Some((key, value)) = variant.map(|variant| variant.option) {
                pairs.insert(0, (key.to_owned(), value.to_owned()));
            }
        }
        let sink = Sink {
            options: pairs,
            ..Sink::new(text, form, format.info().name, locator)
        };
        Ok(Self { sink, format })
    }

    /// Takes the level out of the options, if a file is compressed.
    fn take_level(&mut self) -> Result<()> {
        let Some(level) = self.option(LEVEL) else {
            return Ok(());
        };
        let wrong = |message| Error::usage(format!("option {LEVEL}: {message}"));
        let number = level.parse();
        let number = number.map_err(|_| wrong(format!("'{level}' is not a valid value")))?;
        let mut codecs = self.locations().into_iter().filter_map(|at| at.codec());
        if self.is_folder() || codecs.next().is_none() {
            let error = wrong("nothing is compressed".to_owned());
            return Err(error.hint("end the file's name with .gz, .bz2 or .zst"));
        }
        self.sink.options.retain(|(key, _)| key != LEVEL);
        self.sink.level = Some(number);
        Ok(())
    }
}

/// Returns `true` if a name without the extension of a file is a folder, for a format with both.
fn is_folder(format: &dyn Format, path: &str) -> bool {
    let file = Location::from(path).plain();
    let is_file = file
        .extension()
        .is_some_and(|extension| format.info().goes_by(extension));
    format.folder().is_some() && !is_file
}
