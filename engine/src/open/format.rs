//! The format of an input: as named, by a header elsewhere, by content, by its extension.

use spr_core::bytes::{Env, FileKind, FileStatus, Location, Source};
use spr_core::format::{Basis, Format, Options, Registry, Score};
use spr_core::{Error, ErrorKind, Remedy, Result, nearest};

use super::Reason;
use crate::plan::Input;
use crate::step::option_keys;

impl Input {
    /// The format that is named.
    ///
    /// # Errors
    /// There is no such format.
    pub(crate) fn named_format(&self, registry: &Registry) -> Result<Option<&'static dyn Format>> {
        let name = self.format.as_deref();
        name.map(|name| registry.get(name)).transpose()
    }

    /// Returns the format of a file that cannot be opened as such, and the reason, if its start or its
    /// name says it.
    pub fn format_of_damaged(
        &self,
        registry: &Registry,
        env: &Env,
    ) -> Option<(&'static dyn Format, Reason)> {
        let mut source = env.open(&self.place).ok()?;
        self.format_of(&mut source, true, registry, env).ok()
    }

    /// Determines the format, and returns the reason.
    pub(crate) fn format_of(
        &self,
        source: &mut Source,
        damaged: bool,
        registry: &Registry,
        env: &Env,
    ) -> Result<(&'static dyn Format, Reason)> {
        if let Some(format) = self.named_format(registry)? {
            return Ok((format, Reason::Named));
        }
        if let Some(format) = self.by_header(registry, env)? {
            return match registry.rank(source)?.first() {
                // It may have its own header.
                Some((Score::Certain, own)) if own.info().variants.headerless.is_some() => {
                    Ok((*own, Reason::Content))
                }
                _ => Ok((format, Reason::Header)),
            };
        }
        detect(source, registry).or_else(|error| match damaged {
            true => by_name(source, registry, error),
            false => Err(error),
        })
    }

    /// Returns the format of a file whose header is in another file, named by an option: the format
    /// of the header, otherwise the first with such an option.
    pub(super) fn by_header(
        &self,
        registry: &Registry,
        env: &Env,
    ) -> Result<Option<&'static dyn Format>> {
        let header = |format: &'static dyn Format| {
            let option = format.info().variants.headerless?;
            let (_, file) = self.options.iter().rfind(|(key, _)| key == option)?;
            Some((format, file)).filter(|(_, file)| *file != "none")
        };
        let Some((first, file)) = registry.formats().find_map(header) else {
            return Ok(None);
        };
        let ranked = registry.rank(&mut env.open_file(&file.as_str().into())?)?;
        let mut known = ranked
            .into_iter()
            .filter(|(score, _)| *score > Score::AnyText);
        let found = known.find(|(_, format)| header(*format).is_some());
        Ok(Some(found.map_or(first, |(_, format)| format)))
    }

    /// Adds the actual format of a file's content to an error of the named format.
    pub(super) fn misnamed(&self, error: Error, registry: &Registry, env: &Env) -> Error {
        let (Some(named), Some(file)) = (self.named_format(registry).ok().flatten(), self.file())
        else {
            return error;
        };
        // Streams can be read only once.
        let is_file = |look: FileStatus| look.kind == FileKind::File;
        if !env.look(file).is_ok_and(|look| look.is_some_and(is_file)) {
            return error;
        }
        let source = env.open_file(file);
        let ranked = source.and_then(|mut source| registry.rank(&mut source));
        let ranked = ranked.unwrap_or_default();
        let is_named =
            |(_, format): &&(Score, &dyn Format)| format.info().name == named.info().name;
        let own = ranked.iter().find(is_named).map(|(score, _)| *score);
        match ranked.first() {
            Some((score, found))
                if error.kind() == ErrorKind::Malformed
                    && *score > own.unwrap_or(Score::No).max(Score::AnyText) =>
            {
                error.suggest_instead(Remedy::ReadByContent(found.info().name))
            }
            _ => error,
        }
    }

    /// The options of its format.
    ///
    /// # Errors
    /// One is unknown.
    pub(crate) fn format_options(&self, format: &'static dyn Format) -> Result<Options> {
        let known = format.info().options;
        let has = |key: &str| known.iter().any(|option| option.name == key);
        if let Some((key, _)) = self.options.iter().find(|(key, _)| !has(key)) {
            let name = format.info().name;
            let own: Vec<_> = known.iter().map(|option| option.name).collect();
            let data = option_keys();
            let mut hint = match nearest(key, own.iter().chain(&data)) {
                Some(near) => format!("did you mean '{near}'? "),
                None => String::new(),
            };
            if !own.is_empty() {
                hint.push_str(&format!("{name} knows: {}; ", own.join(", ")));
            }
            hint.push_str(&format!("any data: {}", data.join(", ")));
            let error = Error::usage(format!("unknown option '{key}' for {name}")).hint(hint);
            return Err(self.misplaced(key, error));
        }
        let optional = self.optional_options.iter().filter(|(key, _)| has(key));
        Options::new(format.info(), optional.chain(&self.options).cloned())
    }
}

/// Returns the format for the extension of damaged data.
fn by_name(
    source: &Source,
    registry: &Registry,
    error: Error,
) -> Result<(&'static dyn Format, Reason)> {
    let plain = source.location().map(Location::plain);
    let extension = plain.as_ref().and_then(Location::extension);
    let claimed = extension.map(|extension| registry.by_extension(extension));
    match claimed.as_deref() {
        Some([format]) if error.kind() == ErrorKind::Unrecognised => Ok((*format, Reason::Name)),
        _ => Err(error),
    }
}

fn detect(source: &mut Source, registry: &Registry) -> Result<(&'static dyn Format, Reason)> {
    let (format, basis) = registry.recognise(source)?;
    let why = match basis {
        Basis::Content => Reason::Content,
        Basis::Name => Reason::Name,
        Basis::Guess => Reason::Guess,
    };
    Ok((format, why))
}
