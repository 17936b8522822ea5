//! Inputs.

mod open;
mod place;

pub use open::OpenedInput;
pub(crate) use open::with_speakers;

use spr_core::bytes::{Env, FileKind, Location, Locator};
use spr_core::format::{Format, IndexKind, Options, Registry, Request, Share};
use spr_core::model::Dtype;
use spr_core::random::Rng;
use spr_core::stage::{KeyChange, OnSkip};
use spr_core::{Error, Remedy, Result, nearest};

use super::{Pair, named, path_and_pairs, place_of};
use crate::spec::DataOptions;

/// One data set to read, as understood from an argument but not opened yet.
#[derive(Clone)]
pub struct Input {
    text: String,
    /// What was typed, which for a glob is not what it matched.
    typed: String,
    form: &'static str,
    /// The folder below which a pattern found it.
    below: Option<Location>,
    format: Option<&'static dyn Format>,
    locator: Locator,
    pairs: Vec<Pair>,
    /// Whether bad entries are passed over, as Kaldi's option `p` asks.
    permissive: bool,
    /// What is told of bad entries, where these are passed over on reading.
    skips: Option<OnSkip>,
    /// Options that count only for one format: its name, key and value.
    preferred: Vec<(&'static str, &'static str, String)>,
    /// What becomes of its frames and labels.
    data: DataOptions,
    /// A data set whose labels join by key, or by what a file of lines `utterance speaker` gives.
    labels: Option<(Box<Self>, Option<Location>)>,
    /// A data set whose text joins by key.
    text_from: Option<Box<Self>>,
    /// A file of lines `utterance speaker`.
    speakers: Option<Location>,
    /// Whether the data are to be cut into partitions.
    partitioned: bool,
    /// What becomes of the names of its utterances, before labels join.
    changes: Vec<KeyChange>,
    /// How many frames its labels may be apart from those of what they join.
    tolerance: u64,
    /// The entries that are read, if not all are.
    run: Option<Share>,
}

/// How much there is to read of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Bytes of a file that is read from front to back, as they are stored.
    Bytes(u64),
    /// Entries of a script file.
    Entries(u64),
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
        env: &Env,
    ) -> Result<Vec<Self>> {
        let mut inputs = if from.is_some() && env.exists(&text.into()) {
            vec![Self::at_path(text, "a path", text, Vec::new(), env)]
        } else if let Some(input) = Self::in_notation(text, registry)? {
            vec![input]
        } else if let Some((format, rest)) = named(text, registry) {
            let mut inputs = Self::paths(text, "a named format", rest, registry, env)?;
            inputs
                .iter_mut()
                .for_each(|input| input.format = Some(format));
            inputs
        } else {
            Self::paths(text, "a path", text, registry, env)?
        };
        for input in &mut inputs {
            input.typed = text.to_owned();
            input.pairs.extend_from_slice(pairs);
            input.format = from.or(input.format);
            input.take_data_options(registry, env)?;
            input.format = from.or(input.format);
        }
        Ok(inputs)
    }

    /// Sorts the data options out from those of the format. A key that both know is the format's,
    /// where the format is named.
    fn take_data_options(&mut self, registry: &Registry, env: &Env) -> Result<()> {
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
        if self.data.rng != Rng::Pdnn && !self.data.random && !self.data.dither {
            let error = Error::usage("seed: nothing is shuffled");
            return Err(self.misplaced("seed", error.suggest(Remedy::Shuffle)));
        }
        if let Some(name) = &self.data.format {
            let format = registry.get(name).map_err(|e| self.misplaced("type", e))?;
            self.format = Some(format);
        }
        if let Some(label) = &self.data.label {
            let labels = Self::parse(&stored(label, env), None, &[], registry, env)?;
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

    /// What an input in the notation of a format means; `None` if it is in none.
    fn in_notation(text: &str, registry: &Registry) -> Result<Option<Self>> {
        let meant = |format: &'static dyn Format| {
            let meant = format.notation()?.input(text)?;
            Some(meant.map(|meant| (format, meant)))
        };
        let Some((format, meant)) = registry.formats().find_map(meant).transpose()? else {
            return Ok(None);
        };
        Ok(Some(Self {
            format: Some(format),
            pairs: meant.options,
            permissive: meant.permissive,
            ..Self::new(text, meant.form, meant.locator)
        }))
    }

    /// The output of a command, if `text` ends with the bar that says so.
    fn command(text: &str, rest: &str) -> Option<Result<Self>> {
        let line = rest.strip_suffix('|')?.trim();
        if line.is_empty() || line.starts_with('|') {
            let message = format!("'{text}': a command to read from stands before its one '|'");
            return Some(Err(Error::usage(message)));
        }
        let locator = Locator::Command(line.to_owned());
        Some(Ok(Self::new(text, "a command", locator)))
    }

    /// A place in a file that is there, in the notation of a format.
    fn in_file(
        text: &str,
        path: &str,
        pairs: &[Pair],
        registry: &Registry,
        env: &Env,
    ) -> Option<Self> {
        registry.formats().find_map(|format| {
            let meant = format.notation()?.place(path)?;
            let there = meant
                .locator
                .location()
                .is_some_and(|file| env.exists(file));
            there.then(|| Self {
                format: Some(format),
                pairs: [&meant.options, pairs].concat(),
                ..Self::new(text, meant.form, meant.locator)
            })
        })
    }

    /// `REST` of an argument: a path, `-`, a glob, a folder or a place in a file, with options, or
    /// a command.
    fn paths(
        text: &str,
        form: &'static str,
        rest: &str,
        registry: &Registry,
        env: &Env,
    ) -> Result<Vec<Self>> {
        let exists = |path: &str| env.exists(&path.into());
        if rest == "-" || exists(rest) {
            return Ok(vec![Self::at_path(text, form, rest, Vec::new(), env)]);
        }
        if let Some(input) = Self::command(text, rest) {
            return Ok(vec![input?]);
        }
        let (path, pairs) = path_and_pairs(rest)?;
        if path.is_empty() {
            return Err(Error::usage(format!("'{text}' does not name a file")));
        }
        if !exists(path)
            && let Some(input) = Self::in_file(text, path, &pairs, registry, env)
        {
            return Ok(vec![input]);
        }
        if path.trim_matches('|').contains('|') && !exists(path) {
            let message = format!("'{path}' names the data of several tasks");
            return Err(Error::usage(message).hint("convert the data of each task on their own"));
        }
        let place = Location::from(path);
        let of_server = place
            .url()
            .is_some_and(|url| url.scheme.starts_with("http"));
        if of_server || !path.contains(['*', '?', '[']) || exists(path) {
            return Ok(vec![Self::at_path(text, form, path, pairs, env)]);
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
            ..Self::at_path(path, "a glob", path, pairs.clone(), env)
        };
        Ok(found.iter().map(input).collect())
    }

    fn at_path(text: &str, form: &'static str, path: &str, pairs: Vec<Pair>, env: &Env) -> Self {
        let at = Location::from(path);
        let locator = match env.is_folder(&at) {
            _ if path == "-" => Locator::Standard,
            true => Locator::Folder(at),
            false => Locator::File(at),
        };
        Self {
            pairs,
            ..Self::new(text, form, locator)
        }
    }

    fn new(text: &str, form: &'static str, locator: Locator) -> Self {
        Self {
            text: Location::from(text).told(),
            typed: text.to_owned(),
            form,
            below: None,
            format: None,
            locator,
            pairs: Vec::new(),
            permissive: false,
            skips: None,
            preferred: Vec::new(),
            data: DataOptions::default(),
            labels: None,
            text_from: None,
            speakers: None,
            partitioned: false,
            changes: Vec::new(),
            tolerance: 0,
            run: None,
        }
    }

    /// The argument as typed, but for the secrets of URLs.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The files and folders that are read, as far as the argument names them.
    pub fn sources(&self) -> Vec<Location> {
        let mut sources: Vec<_> = self.locator.location().cloned().into_iter().collect();
        if let Some((labels, speakers)) = &self.labels {
            sources.extend(labels.sources());
            sources.extend(speakers.clone());
        }
        sources.extend(self.text_from.iter().flat_map(|text| text.sources()));
        sources.extend(self.speakers.clone());
        sources
    }

    /// The folder, if it is one.
    pub fn folder(&self) -> Option<&Location> {
        match &self.locator {
            Locator::Folder(folder) => Some(folder),
            _ => None,
        }
    }

    /// Whether Kaldi's option `p` asks to pass over bad entries.
    pub fn is_permissive(&self) -> bool {
        self.permissive
    }

    /// Passes over bad entries from now on, and tells `tell` of each.
    pub fn skip_errors(&mut self, tell: OnSkip) {
        self.skips = Some(tell);
    }

    /// Whether an error costs an entry that is passed over, which it then tells.
    pub(crate) fn skips(&self, error: &Error) -> bool {
        match &self.skips {
            Some(tell) if error.can_continue() => {
                tell(error);
                true
            }
            _ => false,
        }
    }

    /// Whether it is standard input.
    pub fn is_stdin(&self) -> bool {
        self.locator == Locator::Standard
    }

    /// The file, if it is one.
    pub fn file(&self) -> Option<&Location> {
        match &self.locator {
            Locator::File(file) => Some(file),
            _ => None,
        }
    }

    /// How much there is to read, where that is known without reading the data.
    pub fn extent(&self, registry: &Registry, env: &Env) -> Option<Extent> {
        let file = self.file()?;
        let look = env.look(file).ok()??;
        match self.script(registry) {
            _ if look.kind != FileKind::File => None,
            Some(script) => lines(script, env).ok().map(Extent::Entries),
            None => Some(Extent::Bytes(look.length)),
        }
    }

    /// The file, if it is a script file by its name or by an option.
    pub(crate) fn script(&self, registry: &Registry) -> Option<&Location> {
        let file = self.file()?;
        let is_script = |format: &'static dyn Format| match format.info().index {
            IndexKind::Script(extension) => {
                let asked = |(key, value): &Pair| key == "table" && value == extension;
                file.extension() == Some(extension) || self.pairs.iter().any(asked)
            }
            IndexKind::Own | IndexKind::SideFile => false,
        };
        registry.formats().any(is_script).then_some(file)
    }

    /// Reads only the entries from `first` to before `end`, as they are stored.
    pub(crate) fn only(&mut self, first: u64, end: u64) {
        self.run = Some(Share::Run { first, end });
    }

    /// Sets an option that counts only if the data turn out to be of `format`.
    pub fn prefer(&mut self, format: &'static str, key: &'static str, value: impl Into<String>) {
        self.preferred.push((format, key, value.into()));
    }

    /// Gives samples that are calculated a type, so that they are rounded once.
    pub fn type_sound(&mut self, dtype: Option<Dtype>) {
        self.data.sound.dtype = dtype;
    }

    /// What becomes of its frames and labels.
    pub fn data_options(&self) -> &DataOptions {
        &self.data
    }

    /// Whether anything becomes of them or of their names, or something joins.
    pub fn has_stages(&self) -> bool {
        let joins = self.labels.is_some() || self.text_from.is_some() || self.speakers.is_some();
        joins || !self.data.is_idle() || !self.changes.is_empty()
    }

    /// Whether the labels of another data set join.
    pub fn has_labels(&self) -> bool {
        self.labels.is_some()
    }

    /// Gives its utterances other names; labels that join go by the new ones.
    pub fn rename(&mut self, changes: Vec<KeyChange>) {
        self.changes = changes;
    }

    /// As labels, or with its labels: lets them be for so many frames more or fewer than there are.
    pub fn tolerate(&mut self, frames: u64) {
        self.tolerance = frames;
        if let Some((labels, _)) = &mut self.labels {
            labels.tolerance = frames;
        }
    }

    /// Whether it reads ahead by itself.
    pub fn reads_ahead(&self) -> bool {
        self.data.reads_ahead(self.partitioned)
    }

    /// Joins the labels of another data set by key, or by what a file of lines
    /// `utterance speaker` gives for it.
    ///
    /// # Errors
    /// Labels join already.
    pub fn join(&mut self, labels: Self, speakers: Option<Location>) -> Result<()> {
        if let Some((own, _)) = &self.labels {
            let message = format!("{}: has labels from {} already", self.text, own.text);
            return Err(Error::usage(message).suggest(Remedy::LeaveOutLabels));
        }
        self.labels = Some((Box::new(labels), speakers));
        Ok(())
    }

    /// Joins the text of another data set by key.
    pub fn join_text(&mut self, text: Self) {
        self.text_from = Some(Box::new(text));
    }

    /// Gives its utterances the speakers of a file of lines `utterance speaker`.
    pub fn join_speakers(&mut self, file: Location) {
        self.speakers = Some(file);
    }

    /// Cuts the data into partitions; each utterance then says which [part](spr_core::model::Utterance::part)
    /// it belongs to.
    pub fn cut(&mut self) {
        self.partitioned = true;
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
        let preferred = self.preferred.iter().filter(|p| p.0 == format.info().name);
        let preferred = preferred.map(|(_, key, value)| ((*key).to_owned(), value.clone()));
        Options::new(format.info(), preferred.chain(self.pairs.iter().cloned()))
    }

    /// How the argument is understood, in words for people.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn explain(&self, registry: &Registry, env: &Env) -> Result<String> {
        let opened = self.open(Request::all(), registry, env)?;
        let place = match &self.locator {
            Locator::Standard => "standard input".to_owned(),
            Locator::File(file) => format!("file {}", file.told()),
            Locator::FileAt(file, at) => format!("file {} from byte {at}", file.told()),
            Locator::Command(line) => format!("output of the command: {line}"),
            Locator::Folder(folder) => format!("folder {folder}"),
            other => other.to_string(),
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
            text.push_str("; bad entries are skipped (p)");
        }
        if let Some((labels, _)) = &self.labels {
            let by = "by key, or else by recording and time";
            text.push_str(&format!("; with labels from {}, {by}", labels.text));
        }
        let partitioning = opened.format.info().partitioning;
        for step in self.data.describe(partitioning, self.partitioned) {
            text.push_str(&format!("; {step}"));
        }
        Ok(text)
    }
}

/// A file with labels as it is stored, with `.gz` or `.bz2` where only that is there.
fn stored(path: &str, env: &Env) -> String {
    let coded = ["", ".gz", ".bz2"].map(|coder| format!("{path}{coder}"));
    let found = coded.iter().find(|path| env.exists(&path.as_str().into()));
    found.cloned().unwrap_or_else(|| path.to_owned())
}

/// The folders of a pattern in which nothing is left open.
fn fixed_part(pattern: &str) -> &str {
    let fixed = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
    match pattern[..fixed].rfind('/') {
        Some(end) => &pattern[..end + 1],
        None => "",
    }
}

/// Lines of a file, the last one with or without an end.
fn lines(file: &Location, env: &Env) -> Result<u64> {
    const BLOCK: usize = 1 << 16;
    let mut source = env.open_file(file)?;
    let (mut lines, mut last) = (0, b'\n');
    loop {
        let bytes = source.peek(BLOCK)?;
        let Some(end) = bytes.last() else {
            return Ok(lines + u64::from(last != b'\n'));
        };
        last = *end;
        lines += bytes.iter().filter(|b| **b == b'\n').count() as u64;
        let n = bytes.len() as u64;
        source.skip(n)?;
    }
}
