//! Inputs.

use std::path::{Path, PathBuf};

use spr_core::bytes::{Env, Locator, Source};
use spr_core::format::{Count, Format, Lookup, Options, Place as Kind, Reader, Registry, Score};
use spr_core::stage::{Chain, FolderReader};
use spr_core::{Error, Result};
use spr_format_kaldi::specifier;

use super::{Pair, named, path_and_pairs};

/// One data set to read, as understood from an argument but not opened yet.
#[derive(Clone)]
pub struct Input {
    text: String,
    form: &'static str,
    format: Option<&'static dyn Format>,
    place: Place,
    pairs: Vec<Pair>,
    /// Whether bad entries are passed over, as Kaldi's option `p` asks.
    permissive: bool,
    /// Options for the data of one format.
    wishes: Vec<(&'static str, &'static str, &'static str)>,
}

#[derive(Clone)]
enum Place {
    At(Locator),
    Folder(PathBuf),
}

/// A data set that is open.
pub struct Opened {
    /// Its utterances.
    pub reader: Box<dyn Reader>,
    /// Its format.
    pub format: &'static dyn Format,
    /// How it was recognised.
    pub why: &'static str,
}

impl Input {
    /// Understands an argument; a glob gives several inputs, sorted.
    ///
    /// `from` forces the format, `pairs` adds options.
    ///
    /// # Errors
    /// It is malformed, or a glob matches nothing.
    pub fn parse(
        text: &str,
        from: Option<&'static dyn Format>,
        pairs: &[Pair],
        registry: &Registry,
    ) -> Result<Vec<Self>> {
        let mut inputs = if from.is_some() && Path::new(text).exists() {
            vec![Self::at_path(text, "a path", text, Vec::new())]
        } else if let Some(input) = Self::rspecifier(text, registry)? {
            vec![input]
        } else if let Some((format, rest)) = named(text, registry) {
            let mut inputs = Self::paths(text, "a named format", rest)?;
            inputs
                .iter_mut()
                .for_each(|input| input.format = Some(format));
            inputs
        } else {
            Self::paths(text, "a path", text)?
        };
        for input in &mut inputs {
            input.format = from.or(input.format);
            input.pairs.extend_from_slice(pairs);
        }
        Ok(inputs)
    }

    /// What a Kaldi rspecifier means; `None` if the text is none.
    fn rspecifier(text: &str, registry: &Registry) -> Result<Option<Self>> {
        let Some(parsed) = specifier::rspecifier(text).transpose()? else {
            return Ok(None);
        };
        let pairs = parsed
            .options()
            .map(|(key, value)| (key.to_owned(), value.to_owned()));
        Ok(Some(Self {
            text: text.to_owned(),
            form: "a Kaldi rspecifier",
            format: Some(registry.get("kaldi")?),
            pairs: pairs.collect(),
            place: Place::At(parsed.locator),
            permissive: parsed.permissive,
            wishes: Vec::new(),
        }))
    }

    /// `REST` of an argument: a path, `-`, a glob or a folder, with options.
    fn paths(text: &str, form: &'static str, rest: &str) -> Result<Vec<Self>> {
        if rest == "-" || Path::new(rest).exists() {
            return Ok(vec![Self::at_path(text, form, rest, Vec::new())]);
        }
        let (path, pairs) = path_and_pairs(rest)?;
        if path.is_empty() {
            return Err(Error::usage(format!("'{text}' names no file")));
        }
        if !path.contains(['*', '?', '[']) || Path::new(path).exists() {
            return Ok(vec![Self::at_path(text, form, path, pairs)]);
        }
        let mut found: Vec<_> = glob::glob(path)
            .map_err(|e| Error::usage(format!("'{path}' is no valid pattern: {}", e.msg)))?
            .filter_map(|entry| entry.ok()?.to_str().map(str::to_owned))
            .collect();
        found.sort();
        if found.is_empty() {
            return Err(Error::usage(format!("no file matches '{path}'")));
        }
        Ok(found
            .iter()
            .map(|path| Self::at_path(path, "a glob", path, pairs.clone()))
            .collect())
    }

    fn at_path(text: &str, form: &'static str, path: &str, pairs: Vec<Pair>) -> Self {
        let place = match path {
            "-" => Place::At(Locator::Stdin),
            _ if Path::new(path).is_dir() => Place::Folder(path.into()),
            _ => Place::At(Locator::File(path.into())),
        };
        Self {
            text: text.to_owned(),
            form,
            format: None,
            place,
            pairs,
            permissive: false,
            wishes: Vec::new(),
        }
    }

    /// The argument as typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether Kaldi's option `p` asks to pass over bad entries.
    pub fn is_permissive(&self) -> bool {
        self.permissive
    }

    /// Whether it is standard input.
    pub fn is_stdin(&self) -> bool {
        matches!(self.place, Place::At(Locator::Stdin))
    }

    /// Sets an option that counts only if the data turn out to be of `format`.
    pub fn wish(&mut self, format: &'static str, key: &'static str, value: &'static str) {
        self.wishes.push((format, key, value));
    }

    fn options(&self, format: &'static dyn Format) -> Result<Options> {
        let wishes = self.wishes.iter().filter(|w| w.0 == format.info().name);
        let wishes = wishes.map(|(_, key, value)| ((*key).to_owned(), (*value).to_owned()));
        Options::new(format.info(), wishes.chain(self.pairs.iter().cloned()))
    }

    /// The format, and how it was found.
    fn format_of(
        &self,
        source: &mut Source,
        registry: &Registry,
    ) -> Result<(&'static dyn Format, &'static str)> {
        match self.format {
            Some(format) => Ok((format, "as named")),
            None => detect(source, registry),
        }
    }

    /// Opens the data set; finds the format by content if the argument doesn't say it.
    ///
    /// # Errors
    /// It can't be opened, no format or several fit, or an option is unknown.
    pub fn open(&self, registry: &Registry, env: &Env) -> Result<Opened> {
        match &self.place {
            Place::Folder(folder) => self.open_folder(folder, registry, env),
            Place::At(locator) => {
                let mut source = env.open(locator)?;
                let (format, why) = self.format_of(&mut source, registry)?;
                let reader = format.open(source, &self.options(format)?, env)?;
                Ok(Opened {
                    reader,
                    format,
                    why,
                })
            }
        }
    }

    /// Opens the data set to look up utterances by their keys.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_keyed(&self, registry: &Registry, env: &Env) -> Result<Lookup> {
        match &self.place {
            Place::Folder(_) => Ok(Lookup::Ordered(self.open(registry, env)?.reader)),
            Place::At(locator) => {
                let mut source = env.open(locator)?;
                let (format, _) = self.format_of(&mut source, registry)?;
                format.open_keyed(source, &self.options(format)?, env)
            }
        }
    }

    /// Opens several data sets as one; each after the first when its turn comes.
    ///
    /// # Errors
    /// There is none, or the first can't be opened.
    pub fn open_all(inputs: &[Self], registry: &Registry, env: &Env) -> Result<Opened> {
        let Some((first, rest)) = inputs.split_first() else {
            return Err(Error::usage("no input"));
        };
        let mut opened = first.open(registry, env)?;
        if !rest.is_empty() {
            let (rest, registry, env) = (rest.to_vec(), registry.clone(), env.clone());
            let later = rest
                .into_iter()
                .map(move |i| Ok(i.open(&registry, &env)?.reader));
            opened.reader = Box::new(Chain::new(std::iter::once(Ok(opened.reader)).chain(later))?);
        }
        Ok(opened)
    }

    fn open_folder(&self, folder: &Path, registry: &Registry, env: &Env) -> Result<Opened> {
        let (format, kin, why) = match self.format {
            Some(format) => (format, None, "as named"),
            None => {
                let (format, extension) = FolderReader::detect(folder, registry)?;
                (format, Some(extension), "by what its files are")
            }
        };
        let options = self.options(format)?;
        if format.caps(&options, Kind::Folder)?.count != Count::One {
            return Err(
                Error::usage(format!("is a folder of {} files", format.info().name))
                    .file(folder.display().to_string())
                    .hint("name the files, for instance with a glob"),
            );
        }
        let reader = FolderReader::open(
            folder,
            format,
            kin.as_deref().as_slice(),
            options,
            env.clone(),
        )?;
        Ok(Opened {
            reader: Box::new(reader),
            format,
            why,
        })
    }

    /// How the argument is understood, for `--explain`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn explain(&self, registry: &Registry, env: &Env) -> Result<String> {
        let opened = self.open(registry, env)?;
        let place = match &self.place {
            Place::At(Locator::Stdin) => "standard input".to_owned(),
            Place::At(Locator::File(path)) => format!("file {}", path.display()),
            Place::At(Locator::FileAt(path, at)) => {
                format!("file {} from byte {at}", path.display())
            }
            Place::At(Locator::Command(line)) => format!("output of the command: {line}"),
            Place::Folder(path) => format!("folder {}", path.display()),
        };
        let mut text = format!(
            "{}: {}; format {} ({}); reads {place}",
            self.text,
            self.form,
            opened.format.info().name,
            opened.why
        );
        if let Some(coder) = &opened.reader.info().compression {
            text.push_str(&format!(", {coder} undone"));
        }
        if let Some(decision) = &opened.reader.info().decision {
            text.push_str(&format!("; {decision}"));
        }
        for (key, value) in &self.pairs {
            text.push_str(&format!("; {key}={value}"));
        }
        if self.permissive {
            text.push_str("; bad entries are passed over (p)");
        }
        Ok(text)
    }
}

fn detect(source: &mut Source, registry: &Registry) -> Result<(&'static dyn Format, &'static str)> {
    let format = registry.detect(source)?;
    let why = match registry.rank(source)?.first() {
        Some((Score::NameOnly, _)) => "by its extension",
        _ => "by its content",
    };
    Ok((format, why))
}
