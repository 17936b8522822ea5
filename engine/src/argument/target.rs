//! Outputs with their formats.

use std::ops::Deref;

use spr_core::bytes::{Env, Location, Locator, Output};
use spr_core::format::{Caps, Format, IndexKind, Keys, Options, Registry, Variant};
use spr_core::loss::{LossKind, LossPolicy};
use spr_core::model::Utterance;
use spr_core::tables::side;
use spr_core::{Error, ErrorKind, Remedy, Result};

use crate::capabilities;
use crate::plan::Sink;

/// One data set to write, with its format.
#[derive(Clone)]
pub struct Target {
    pub(super) sink: Sink,
    pub(super) format: &'static dyn Format,
}

impl Deref for Target {
    type Target = Sink;

    fn deref(&self) -> &Sink {
        &self.sink
    }
}

/// The option for the compression level, which all formats have.
pub(super) const LEVEL: &str = "level";

impl Target {
    /// The output of a plan.
    ///
    /// # Errors
    /// There is no such format.
    pub fn of(sink: &Sink, registry: &Registry) -> Result<Self> {
        Ok(Self {
            format: registry.get(&sink.format)?,
            sink: sink.clone(),
        })
    }

    /// The output as plain data.
    pub fn sink(&self) -> &Sink {
        &self.sink
    }

    /// Returns `true` if the variant of the format depends on the data.
    pub(crate) fn follows_data(&self) -> bool {
        let free = |key: &str| self.sink.options.iter().all(|(own, _)| own != key);
        let mut suited = self.format.info().variants.by_data.iter();
        suited.any(|suited| free(suited.option.0))
    }

    /// Returns the target with the variant for data such as `utt`, unless the user chose one.
    pub(crate) fn suited_to(&self, utt: &Utterance) -> Self {
        let mut target = self.clone();
        let free = |key: &str| self.sink.options.iter().all(|(own, _)| own != key);
        let mut suited = self.format.info().variants.by_data.iter();
        if let Some(suited) = suited.find(|suited| free(suited.option.0) && (suited.is)(utt)) {
            let (key, value) = suited.option;
            for pairs in [&mut target.sink.options, &mut target.sink.added] {
                pairs.push((key.to_owned(), value.to_owned()));
            }
        }
        target
    }

    /// Returns the format to write.
    pub fn format(&self) -> &'static dyn Format {
        self.format
    }

    /// Returns `true` if keys, and thus boundaries of utterances, are omitted.
    pub fn leaves_out_keys(&self) -> bool {
        self.format.info().index == IndexKind::SideFile
            && self.option(side::OPTION.name) == Some("none")
    }

    /// Returns the permitted losses: those of `policy`, and those implied by options of the target.
    /// Without keys the boundaries of utterances are lost.
    pub(crate) fn policy(&self, policy: &LossPolicy) -> LossPolicy {
        let mut policy = policy.clone();
        if self.leaves_out_keys() {
            policy.allow(LossKind::Keys);
            policy.allow(LossKind::Boundaries);
        }
        // A request for times of recordings implies their names.
        if self.option("times") == Some("recording") {
            policy.allow(LossKind::Keys);
        }
        policy
    }

    /// Returns its options.
    ///
    /// # Errors
    /// An option is unknown.
    pub fn options(&self) -> Result<Options> {
        Options::new(self.format.info(), self.sink.options.iter().cloned())
    }

    /// Returns the options that reading it needs: without a header all, else those that the format
    /// can't store.
    ///
    /// # Errors
    /// An option is unknown.
    pub(crate) fn reader_options(&self) -> Result<Options> {
        let info = self.format.info();
        let headerless = info.variants.headerless;
        let all = headerless.is_some_and(|key| self.option(key).is_some());
        let pairs = self.sink.options.iter().cloned();
        let needed = pairs.filter(|(key, _)| all || info.needed.contains(&key.as_str()));
        Options::new(info, needed)
    }

    /// Returns its options with another one.
    ///
    /// # Errors
    /// An option is unknown.
    pub(crate) fn options_and(&self, (key, value): (&str, &str)) -> Result<Options> {
        let more = (key.to_owned(), value.to_owned());
        Options::new(
            self.format.info(),
            self.sink.options.iter().cloned().chain([more]),
        )
    }

    /// Returns its capabilities.
    ///
    /// # Errors
    /// An option or its value is invalid.
    pub fn caps(&self) -> Result<Caps> {
        self.format.caps(&self.options()?, self.medium())
    }

    /// Adds the target and its format to an error about an utterance, and a variant that can hold
    /// it, if there is one.
    pub(crate) fn about(&self, error: Error) -> Error {
        if error.kind() != ErrorKind::Unfit {
            return error;
        }
        let info = self.format.info();
        let error = error.file(self.text()).naming(info.name);
        let Some(Remedy::ListFormats(what)) = error.remedy() else {
            return error;
        };
        let holds = |variant: &&Variant| {
            let options = self.options_and(variant.option);
            let caps = options.and_then(|options| self.format.caps(&options, self.medium()));
            caps.is_ok_and(|caps| capabilities::holds(&caps, what))
        };
        match info.variants.by_extension.iter().find(holds) {
            Some(variant) => error.suggest_instead(Remedy::WriteVariant(*variant)),
            None => error,
        }
    }

    /// Claims the output.
    ///
    /// # Errors
    /// It is being written by something else, is an input, or may not be replaced.
    pub fn output(&self, overwrite: bool, add: bool, env: &Env) -> Result<Output> {
        if overwrite && add {
            self.check_mixed(env)?;
        }
        let mut env = env.clone();
        env.level = self.sink.level;
        let output = env
            .output(&self.sink.place)
            .overwrite(overwrite)
            .adding(add);
        let beside = self.sink.companions.iter();
        let output = beside.fold(output, |output, (name, at)| {
            output.with_named(name, at.clone())
        });
        if !self.sink.listed {
            output.reserve()?;
        }
        if let Some(at) = self.beside()? {
            output.claim(&at.into())?;
        }
        Ok(output)
    }

    /// Refuses to put files in the place of some of a folder that is one data set as a whole: the
    /// others would still tell of what was replaced.
    fn check_mixed(&self, env: &Env) -> Result<()> {
        let place = self.sink.place.location();
        let folder = place.filter(|_| self.is_folder() && self.format.folder().is_some());
        match folder {
            Some(folder) if env.is_folder(folder) && !env.entries(folder)?.is_empty() => {
                let message = "is one data set as a whole, of which single files can't be replaced";
                let hint = "replace the whole folder, or write another and merge the two";
                Err(Error::usage(message).file(folder.to_string()).hint(hint))
            }
            _ => Ok(()),
        }
    }

    /// Returns the side file of the format, at its default location or at that of an option.
    pub(crate) fn beside(&self) -> Result<Option<Location>> {
        let Locator::File(file) = &self.sink.place else {
            return Ok(None);
        };
        let (info, plain) = (self.format.info(), file.plain());
        let is_script = |extension| plain.extension() == Some(extension);
        Ok(match (info.index, self.option(side::OPTION.name)) {
            (IndexKind::SideFile, Some("none")) => None,
            (IndexKind::SideFile, Some(path)) => Some(path.into()),
            (IndexKind::SideFile, None) if self.caps()?.keys == Keys::SideFile => {
                Some(file.with_suffix(side::SUFFIX))
            }
            (IndexKind::Script(extension), _) if !self.sink.listed && is_script(extension) => {
                let archive = info.extensions.first().copied().unwrap_or_default();
                Some(plain.with_extension(archive))
            }
            _ => None,
        })
    }

    /// Explains the interpretation of the argument.
    ///
    /// # Errors
    /// An option or its value is invalid.
    pub fn explain(&self) -> Result<String> {
        let caps = self.caps()?;
        let place = match &self.sink.place {
            Locator::Folder(folder) if self.format.folder().is_some() => format!("folder {folder}"),
            Locator::Folder(folder) => format!("folder {folder}, one file an utterance"),
            Locator::Standard => "standard output".to_owned(),
            Locator::Command(line) => format!("command {line}"),
            Locator::File(file) => format!("file {}", file.told()),
            other => format!("file {other}"),
        };
        let info = self.format.info();
        let mut text = format!(
            "{}: {}; format {}; writes {place}",
            self.sink.text, self.sink.form, info.name
        );
        for (name, at) in &self.sink.companions {
            let name = match info.index {
                IndexKind::Script(extension) if extension == *name => "index",
                _ => name,
            };
            text.push_str(&format!(" and its {name} {at}"));
        }
        if caps.keys == Keys::SideFile {
            text.push_str(&format!(", names to {}{}", self.sink.place, side::SUFFIX));
        }
        for (key, value) in &self.sink.options {
            text.push_str(&format!("; {key}={value}"));
        }
        if let Some(level) = self.sink.level {
            text.push_str(&format!("; {LEVEL}={level}"));
        }
        Ok(text)
    }
}

/// Returns `true` if data sets of a format are always folders.
pub(super) fn is_only_folder(format: &dyn Format) -> bool {
    let info = format.info();
    format.folder().is_some() && info.extensions.is_empty() && info.also.is_empty()
}
