//! Outputs.

use std::path::{Path, PathBuf};

use spr_core::bytes::{Codec, Env, Output};
use spr_core::format::{Caps, Count, Format, Options, Place, Registry};
use spr_core::side;
use spr_core::{Error, Result, nearest};
use spr_format_kaldi::specifier;

use super::{Pair, PartName, named, numbered, path_and_pairs};

/// One data set to write, as understood from an argument.
pub struct Target {
    text: String,
    form: &'static str,
    format: &'static dyn Format,
    output: Output,
    pairs: Vec<Pair>,
    /// Whether entries that have no place are passed over, as Kaldi's option `p` asks.
    permissive: bool,
    /// The options that were not part of the argument.
    added: Vec<Pair>,
}

impl Target {
    fn new(
        text: &str,
        form: &'static str,
        format: &'static dyn Format,
        output: Output,
        pairs: Vec<Pair>,
    ) -> Self {
        Self {
            text: text.to_owned(),
            form,
            format,
            output,
            pairs,
            permissive: false,
            added: Vec::new(),
        }
    }

    /// Understands an argument. `to` forces the format, `pairs` adds options.
    ///
    /// # Errors
    /// It is malformed, nothing says which format it is to be, or only some of its files are
    /// numbered.
    pub fn parse(
        text: &str,
        to: Option<&'static dyn Format>,
        pairs: &[Pair],
        registry: &Registry,
    ) -> Result<Self> {
        let mut target = if let Some(target) = Self::wspecifier(text, registry)? {
            target
        } else if let Some((format, rest)) = named(text, registry) {
            Self::at_path(
                text,
                "a named format",
                rest,
                Some(to.unwrap_or(format)),
                registry,
            )?
        } else {
            Self::at_path(text, "a path", text, to, registry)?
        };
        target.format = to.unwrap_or(target.format);
        target.pairs.extend_from_slice(pairs);
        target.added = pairs.to_vec();
        target.check_numbers()?;
        target.check_folder()?;
        Ok(target)
    }

    /// All files of a numbered output must be, or one would replace the other.
    fn check_numbers(&self) -> Result<()> {
        let side = |(key, value): &&Pair| key == side::OPTION.name && value != "none";
        let side = self.pairs.iter().rfind(side);
        let others = [self.output.companion("scp"), side.map(|(_, v)| v.clone())];
        let names = [Some(self.output.name())].into_iter().chain(others);
        let (with, without): (Vec<_>, Vec<_>) = names
            .flatten()
            .partition(|name| numbered::is_numbered(name));
        match without.first() {
            Some(name) if !with.is_empty() => Err(Error::usage(format!(
                "'{name}' has no {{part}}, as others in '{}' have",
                self.text
            ))
            .hint("every partition would write to it")),
            _ => Ok(()),
        }
    }

    /// Whether every partition is to have an output of its own.
    pub fn is_numbered(&self) -> bool {
        numbered::is_numbered(&self.output.name())
    }

    /// The output for a partition.
    ///
    /// # Errors
    /// The name with the number means something else.
    pub fn part(&self, part: PartName, registry: &Registry) -> Result<Self> {
        let number = |(key, value): &Pair| (key.clone(), numbered::number(value, part));
        let added: Vec<_> = self.added.iter().map(number).collect();
        let text = numbered::number(&self.text, part);
        Self::parse(&text, Some(self.format), &added, registry)
    }

    /// The folders with the name of a part in theirs that its output stands in, the outermost first.
    pub fn parents(&self, part: PartName) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        for path in self.output.paths() {
            let mut above: Vec<_> = path
                .ancestors()
                .skip(1)
                .map(Path::to_string_lossy)
                .collect();
            above.retain(|folder| numbered::is_numbered(folder));
            let above = above.iter().rev();
            folders.extend(above.map(|folder| PathBuf::from(numbered::number(folder, part))));
        }
        folders
    }

    /// What a Kaldi wspecifier means; `None` if the text is none.
    fn wspecifier(text: &str, registry: &Registry) -> Result<Option<Self>> {
        let Some(parsed) = specifier::wspecifier(text).transpose()? else {
            return Ok(None);
        };
        let (format, pairs) = (registry.get("kaldi")?, parsed.options().collect());
        let mut target = Self::new(text, "a Kaldi wspecifier", format, parsed.output(), pairs);
        target.permissive = parsed.permissive;
        Ok(Some(target))
    }

    fn at_path(
        text: &str,
        form: &'static str,
        rest: &str,
        format: Option<&'static dyn Format>,
        registry: &Registry,
    ) -> Result<Self> {
        let literal = format.is_some() && !rest.contains('=');
        let (path, mut pairs) = if literal {
            (rest, Vec::new())
        } else {
            path_and_pairs(rest)?
        };
        if path.is_empty() {
            return Err(Error::usage(format!("'{text}' names no file")));
        }
        let format = match format {
            Some(format) => format,
            None => by_extension(path, registry)?,
        };
        if let Some(data) = spraak_data(format, path) {
            pairs.insert(0, ("data".to_owned(), data.to_owned()));
        }
        let output = if path == "-" {
            Output::stdout()
        } else if let Some(command) = path.strip_prefix('|') {
            Output::command(command)
        } else if path.ends_with('/') || Path::new(path).is_dir() {
            Output::folder(path.trim_end_matches('/'))
        } else if format.info().name == "kaldi" {
            kaldi_file(Path::new(path), &mut pairs)
        } else {
            Output::file(path)
        };
        Ok(Self::new(text, form, format, output, pairs))
    }

    /// Refuses a folder for what goes into one file.
    fn check_folder(&self) -> Result<()> {
        if !self.output.is_folder() || self.caps()?.count == Count::One {
            return Ok(());
        }
        let (name, folder) = (self.format.info().name, self.output.name());
        let data = self.pairs.iter().rev().find(|(key, _)| key == "data");
        let what = data.map_or(name, |(_, data)| data);
        let message = format!("is a folder, but {what} goes into one file");
        let extension = match data {
            Some((_, data)) => data.to_lowercase(),
            None => self.format.info().extensions[0].to_owned(),
        };
        let hint = format!("name a file, such as {folder}/data.{extension}");
        Err(Error::usage(message).file(format!("{folder}/")).hint(hint))
    }

    /// The argument as typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The format to write.
    pub fn format(&self) -> &'static dyn Format {
        self.format
    }

    /// Whether Kaldi's option `p` asks to pass over entries that have no place.
    pub fn is_permissive(&self) -> bool {
        self.permissive
    }

    /// Whether objects are to be written as they were stored, where the format is the same.
    pub fn keeps_stored(&self) -> bool {
        let last = self.pairs.iter().rev().find(|(key, _)| key == "compress");
        last.is_some_and(|(_, value)| value == "keep")
    }

    /// Whether values are stored in a form that changes them.
    pub fn is_compressed(&self) -> bool {
        let last = self.pairs.iter().rev().find(|(key, _)| key == "compress");
        last.is_some_and(|(_, value)| value != "keep")
    }

    /// The files and folders that are written, as far as the argument names them.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.output.paths()
    }

    /// Its options.
    ///
    /// # Errors
    /// One is unknown.
    pub fn options(&self) -> Result<Options> {
        Options::new(self.format.info(), self.pairs.iter().cloned())
    }

    /// What it can hold.
    ///
    /// # Errors
    /// An option is unknown or its value wrong.
    pub fn caps(&self) -> Result<Caps> {
        self.format.caps(&self.options()?, Place::of(&self.output))
    }

    /// Whether it is a folder of files.
    pub fn is_folder(&self) -> bool {
        self.output.is_folder()
    }

    /// The place to write to.
    pub fn output(&self, overwrite: bool, env: &Env) -> Output {
        self.output
            .clone()
            .overwrite(overwrite)
            .access(env.access)
            .threads(env.threads)
            .durable(env.durable)
            .apart_from(env)
    }

    /// How the argument is understood, for `--explain`.
    ///
    /// # Errors
    /// An option is unknown or its value wrong.
    pub fn explain(&self) -> Result<String> {
        let caps = self.caps()?;
        let place = match Place::of(&self.output) {
            Place::Folder => format!("folder {}, one file an utterance", self.output.name()),
            Place::Stream if self.output.name() == "-" => "standard output".to_owned(),
            Place::Stream => format!("command {}", self.output.name()),
            Place::File => format!("file {}", self.output.name()),
        };
        let mut text = format!(
            "{}: {}; format {}; writes {place}",
            self.text,
            self.form,
            self.format.info().name
        );
        if let Some(script) = self.output.companion("scp") {
            text.push_str(&format!(" and its index {script}"));
        }
        if caps.keys == spr_core::format::Keys::SideFile {
            text.push_str(&format!(
                ", names to {}{}",
                self.output.name(),
                side::SUFFIX
            ));
        }
        for (key, value) in &self.pairs {
            text.push_str(&format!("; {key}={value}"));
        }
        if self.is_numbered() {
            text.push_str("; one for each partition");
        }
        Ok(text)
    }
}

/// The format that a path's extension asks for; of a folder, the extension of its name.
fn by_extension(path: &str, registry: &Registry) -> Result<&'static dyn Format> {
    let plain = Codec::strip_extension(Path::new(path.trim_end_matches('/')));
    let extension = plain
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    match registry.by_extension(extension).as_slice() {
        [format] => Ok(*format),
        [] => {
            let message = if extension.is_empty() {
                "nothing says which format to write".to_owned()
            } else {
                format!("no format is written to .{extension}")
            };
            let known = registry.formats().flat_map(|f| f.info().extensions);
            let names = registry.names().join(", ");
            // Of three letters, two that differ make another word.
            let hint = match nearest(extension, known) {
                _ if extension == "txt" => format!("Kaldi's text is written to ark,t:{path}"),
                Some(near) if extension.len() > 3 => {
                    format!("did you mean .{near}? otherwise say it with --to: {names}")
                }
                _ => format!("say it with --to: {names}"),
            };
            Err(Error::usage(message).file(path).hint(hint))
        }
        several => {
            let names: Vec<_> = several.iter().map(|f| f.info().name).collect();
            Err(Error::usage(format!("may be {}", names.join(" or ")))
                .file(path)
                .hint(format!("say it with --to {}", names.join(" or --to "))))
        }
    }
}

/// The kind of SPRAAK data that the extension of a file asks for.
fn spraak_data(format: &'static dyn Format, path: &str) -> Option<&'static str> {
    let spraak = ["spr", "key"].contains(&format.info().name);
    if !spraak || path.ends_with('/') || Path::new(path).is_dir() {
        return None;
    }
    let plain = Codec::strip_extension(Path::new(path));
    spr_format_spraak::data_of_extension(plain.extension()?.to_str()?)
}

/// What a plain path means as a Kaldi output: `.scp` is a script file with its archive beside it,
/// `.ali` a text alignment, everything else an archive.
fn kaldi_file(path: &Path, pairs: &mut Vec<Pair>) -> Output {
    match path.extension().and_then(|e| e.to_str()) {
        Some("scp") => {
            Output::file(path.with_extension("ark")).with_named("scp", Output::file(path))
        }
        Some("ali") => {
            pairs.push(("text".to_owned(), "true".to_owned()));
            Output::file(path)
        }
        _ => Output::file(path),
    }
}
