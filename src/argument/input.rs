//! Inputs.

mod open;

pub use open::Opened;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use spr_core::bytes::{Env, Locator};
use spr_core::format::{Format, Options, Registry};
use spr_core::random::Rng;
use spr_core::stage::Partitions;
use spr_core::{Error, Result, nearest};
use spr_format_kaldi::specifier;

use super::{Pair, named, path_and_pairs, place_of};
use crate::spec::DataOptions;

/// One data set to read, as understood from an argument but not opened yet.
#[derive(Clone)]
pub struct Input {
    text: String,
    /// What was typed, which for a glob is not what it matched.
    typed: String,
    form: &'static str,
    format: Option<&'static dyn Format>,
    place: Place,
    pairs: Vec<Pair>,
    /// Whether bad entries are passed over, as Kaldi's option `p` asks.
    permissive: bool,
    /// Options for the data of one format.
    wishes: Vec<(&'static str, &'static str, &'static str)>,
    /// What becomes of its frames and labels.
    data: DataOptions,
    /// A data set whose labels join by key, or by what a file of lines `utterance speaker` gives.
    labels: Option<(Box<Self>, Option<PathBuf>)>,
    /// Whether what is whole is to be read from damaged data.
    damaged: bool,
    /// Counts the partitions, where the data are to be cut into them.
    partitions: Option<Partitions>,
}

/// How much there is to read of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Bytes of a file that is read from front to back, as they are stored.
    Bytes(u64),
    /// Entries of a script file.
    Entries(u64),
}

#[derive(Clone)]
enum Place {
    At(Locator),
    Folder(PathBuf),
}

impl Input {
    /// Understands an argument; a glob gives several inputs, sorted.
    ///
    /// `from` forces the format, `pairs` adds options, of the format or [`DataOptions`].
    ///
    /// # Errors
    /// It is malformed, a glob matches nothing, or the value of a data option is wrong.
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
            input.typed = text.to_owned();
            input.pairs.extend_from_slice(pairs);
            input.format = from.or(input.format);
            input.take_data_options(registry)?;
            input.format = from.or(input.format);
        }
        Ok(inputs)
    }

    /// Sorts the data options out from those of the format. A key that both know is the format's,
    /// where the format is named.
    fn take_data_options(&mut self, registry: &Registry) -> Result<()> {
        let mut others = Vec::new();
        let known = self.format.map_or(&[][..], |f| f.info().options);
        for (key, value) in std::mem::take(&mut self.pairs) {
            if known.iter().any(|option| option.name == key) {
                others.push((key, value));
                continue;
            }
            match self.data.set(&key, &value) {
                Ok(true) => {}
                Ok(false) => others.push((key, value)),
                Err(error) => return Err(self.misplaced(&key, error)),
            }
        }
        self.pairs = others;
        if self.data.rng != Rng::Pdnn && !self.data.random {
            let error = Error::usage("seed: nothing is shuffled");
            return Err(self.misplaced("seed", error.hint("add --shuffle or random=True")));
        }
        if let Some(name) = &self.data.format {
            let format = registry.get(name).map_err(|e| self.misplaced("type", e))?;
            self.format = Some(format);
        }
        if let Some(label) = &self.data.label {
            let labels = Self::parse(&stored(label), None, &[], registry)?;
            let [labels] = <[Self; 1]>::try_from(labels).map_err(|_| {
                let error = Error::usage(format!("label: '{label}' is more than one file"));
                self.misplaced("label", error)
            })?;
            self.labels = Some((Box::new(labels), None));
        }
        Ok(())
    }

    /// An error about the option `key`, with its place in the argument if it stands there.
    fn misplaced(&self, key: &str, error: Error) -> Error {
        match place_of(&self.typed, key) {
            Some(place) => error.context(place),
            None => error,
        }
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
            format: Some(registry.get("kaldi")?),
            pairs: pairs.collect(),
            permissive: parsed.permissive,
            ..Self::new(text, "a Kaldi rspecifier", Place::At(parsed.locator))
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
        if path.trim_matches('|').contains('|') && !Path::new(path).exists() {
            let message = format!("'{path}' names the data of several tasks");
            return Err(Error::usage(message).hint("convert the data of each task on their own"));
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
            pairs,
            ..Self::new(text, form, place)
        }
    }

    fn new(text: &str, form: &'static str, place: Place) -> Self {
        Self {
            text: text.to_owned(),
            typed: text.to_owned(),
            form,
            format: None,
            place,
            pairs: Vec::new(),
            permissive: false,
            wishes: Vec::new(),
            data: DataOptions::default(),
            labels: None,
            damaged: false,
            partitions: None,
        }
    }

    /// The argument as typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The files and folders that are read, as far as the argument names them.
    pub fn sources(&self) -> Vec<PathBuf> {
        let mut paths = match &self.place {
            Place::Folder(path) | Place::At(Locator::File(path) | Locator::FileAt(path, _)) => {
                vec![path.clone()]
            }
            Place::At(Locator::Stdin | Locator::Command(_)) => Vec::new(),
        };
        if let Some((labels, speakers)) = &self.labels {
            paths.extend(labels.sources());
            paths.extend(speakers.clone());
        }
        paths
    }

    /// The folder, if it is one.
    pub fn folder(&self) -> Option<&Path> {
        match &self.place {
            Place::Folder(path) => Some(path),
            Place::At(_) => None,
        }
    }

    /// Has what is whole read from damaged data: see [`Format::salvage`].
    pub fn salvaged(&mut self) {
        self.damaged = true;
    }

    /// Whether Kaldi's option `p` asks to pass over bad entries.
    pub fn is_permissive(&self) -> bool {
        self.permissive
    }

    /// Whether it is standard input.
    pub fn is_stdin(&self) -> bool {
        matches!(self.place, Place::At(Locator::Stdin))
    }

    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match &self.place {
            Place::At(Locator::File(path)) => Some(path),
            _ => None,
        }
    }

    /// How much there is to read, where that is known without reading the data.
    pub fn extent(&self) -> Option<Extent> {
        let path = self.file()?;
        let is_script = path.extension().is_some_and(|e| e == "scp")
            || (self.pairs.iter()).any(|(key, value)| key == "table" && value == "scp");
        let meta = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        match is_script {
            true => lines(path).ok().map(Extent::Entries),
            false => Some(Extent::Bytes(meta.len())),
        }
    }

    /// Sets an option that counts only if the data turn out to be of `format`.
    pub fn wish(&mut self, format: &'static str, key: &'static str, value: &'static str) {
        self.wishes.push((format, key, value));
    }

    /// What becomes of its frames and labels.
    pub fn data_options(&self) -> &DataOptions {
        &self.data
    }

    /// Whether anything becomes of them, or labels join.
    pub fn has_stages(&self) -> bool {
        self.labels.is_some() || !self.data.is_idle()
    }

    /// Whether it reads ahead by itself.
    pub fn reads_ahead(&self) -> bool {
        self.data.reads_ahead(self.partitions.is_some())
    }

    /// Joins the labels of another data set by key, or by what a file of lines
    /// `utterance speaker` gives for it.
    ///
    /// # Errors
    /// Labels join already.
    pub fn join(&mut self, labels: Self, speakers: Option<PathBuf>) -> Result<()> {
        if let Some((own, _)) = &self.labels {
            let message = format!("{}: has labels from {} already", self.text, own.text);
            return Err(Error::usage(message).hint("leave out --labels, or label= in the spec"));
        }
        self.labels = Some((Box::new(labels), speakers));
        Ok(())
    }

    /// Cuts the data into partitions, which `partitions` counts.
    pub fn cut(&mut self, partitions: &Partitions) {
        self.partitions = Some(partitions.clone());
    }

    fn options(&self, format: &'static dyn Format) -> Result<Options> {
        let known = format.info().options;
        let unknown = |(key, _): &&Pair| known.iter().all(|option| option.name != key);
        if let Some((key, _)) = self.pairs.iter().find(unknown) {
            let name = format.info().name;
            let own: Vec<_> = known.iter().map(|option| option.name).collect();
            let mut hint = match nearest(key, own.iter().chain(DataOptions::KEYS)) {
                Some(near) => format!("did you mean '{near}'? "),
                None => String::new(),
            };
            if !own.is_empty() {
                hint.push_str(&format!("{name} knows: {}; ", own.join(", ")));
            }
            hint.push_str(&format!("any data: {}", DataOptions::KEYS.join(", ")));
            let error = Error::usage(format!("unknown option '{key}' for {name}")).hint(hint);
            return Err(self.misplaced(key, error));
        }
        let wishes = self.wishes.iter().filter(|w| w.0 == format.info().name);
        let wishes = wishes.map(|(_, key, value)| ((*key).to_owned(), (*value).to_owned()));
        Options::new(format.info(), wishes.chain(self.pairs.iter().cloned()))
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
        if let Some((labels, _)) = &self.labels {
            text.push_str(&format!("; with labels from {}", labels.text));
        }
        let name = opened.format.info().name;
        for step in self.data.describe(name, self.partitions.is_some()) {
            text.push_str(&format!("; {step}"));
        }
        Ok(text)
    }
}

/// A file with labels as it is stored, with `.gz` or `.bz2` where only that is there.
fn stored(path: &str) -> String {
    let coded = ["", ".gz", ".bz2"].map(|coder| format!("{path}{coder}"));
    let found = coded.iter().find(|path| Path::new(path).exists());
    found.cloned().unwrap_or_else(|| path.to_owned())
}

/// Lines of a file, the last one with or without an end.
fn lines(path: &Path) -> std::io::Result<u64> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let (mut lines, mut last) = (0, b'\n');
    loop {
        let bytes = file.fill_buf()?;
        let Some(end) = bytes.last() else {
            return Ok(lines + u64::from(last != b'\n'));
        };
        last = *end;
        lines += bytes.iter().filter(|b| **b == b'\n').count() as u64;
        let n = bytes.len();
        file.consume(n);
    }
}
