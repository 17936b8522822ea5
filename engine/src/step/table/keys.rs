//! Steps that choose utterances by their keys.

use std::collections::HashSet;
use std::sync::Arc;

use spr_core::bytes::{Env, FileKind, FileStatus, Location, MemoryCounter};
use spr_core::format::{Count, KeyPredicate, Medium, Options, Reader, Registry, Request, Score};
use spr_core::model::{DatasetInfo, Key, Utterance};
use spr_core::stage::{FolderReader, KeyFilter};
use spr_core::{Error, Result};

use super::super::kind::{Kind, Level, Phase, Subject};
use super::super::operation::{Operation, Reach, Surroundings};
use super::super::values::{Parameters, Values};

const KEYS: Parameters = Parameters {
    positional: &["pattern"],
    many: true,
    named: &["key", "regex", "keys"],
    files: &["keys"],
    ..Parameters::NONE
};

pub(super) static SELECT: Kind = Kind {
    name: "select",
    aliases: &[],
    usage: "select(PATTERN,...), select(key=KEY,...), select(regex=REGEX) or select(keys=FILE)",
    what: "utterances whose keys are like a pattern, match, or stand in a list",
    parameters: KEYS,
    options: &[],
    flags: &["keys", "glob", "regex"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    leaves_out: true,
    parse: |values| Ok(Arc::new(KeySelection::of(values, true)?)),
};

pub(super) static WITHOUT: Kind = Kind {
    name: "without",
    usage: "without(PATTERN,...), without(key=KEY,...), without(regex=REGEX) or without(keys=FILE)",
    what: "all other utterances",
    flags: &["exclude-keys"],
    parse: |values| Ok(Arc::new(KeySelection::of(values, false)?)),
    ..SELECT
};

/// The utterances with some keys, or all others.
#[derive(Clone)]
pub(in super::super) struct KeySelection {
    /// Keys like one of these.
    filters: Vec<KeyFilter>,
    /// A file of keys, whose keys have to be there.
    list: Option<Location>,
    /// Keys by name, which have to be there, too.
    named: Option<Arc<HashSet<Key>>>,
    /// The first pattern that is a key as a whole.
    literal: Option<String>,
    /// Takes these keys rather than all others.
    takes: bool,
}

impl KeySelection {
    /// Parses the values of a step.
    ///
    /// # Errors
    /// They name no keys, or in two ways, or something is no pattern.
    fn of(values: &Values, takes: bool) -> Result<Self> {
        let mut filters = Vec::new();
        for text in values.all("pattern") {
            filters.push(values.made("pattern", KeyFilter::glob(text))?);
        }
        let by_pattern = !filters.is_empty();
        for text in values.all("regex") {
            filters.push(values.made("regex", KeyFilter::regex(text))?);
        }
        let list = values.file("keys");
        let named: HashSet<_> = values.all("key").map(Key::from).collect();
        let ways = [
            by_pattern,
            values.says("regex"),
            list.is_some(),
            !named.is_empty(),
        ];
        if ways.iter().filter(|way| **way).count() != 1 || values.all("keys").count() > 1 {
            return Err(values.refused("expected one of a pattern, key=, regex= and keys="));
        }
        let is_literal = |text: &&str| !text.contains(['*', '?', '[']);
        Ok(Self {
            literal: values.all("pattern").find(is_literal).map(str::to_owned),
            list,
            named: (!named.is_empty()).then(|| Arc::new(named)),
            filters,
            takes,
        })
    }

    /// Returns `true` if an utterance with this key is passed on.
    fn passes(&self, key: &Key, listed: Option<&HashSet<Key>>) -> bool {
        let is_named = match listed {
            Some(keys) => keys.contains(key),
            None => self.filters.iter().any(|filter| filter.holds(key)),
        };
        is_named == self.takes
    }

    /// The keys of the list or by name, if they are chosen so.
    ///
    /// # Errors
    /// The list can't be read.
    fn listed(&self, at: &Surroundings<'_>) -> Result<Option<Arc<HashSet<Key>>>> {
        if let Some(named) = &self.named {
            return Ok(Some(named.clone()));
        }
        let keys = |file| at.files.keys(file, || key_list(file, at.registry, at.env));
        self.list.as_ref().map(keys).transpose()
    }

    /// Returns the predicate that decides by the key alone whether an utterance must be read, and whether to
    /// warn of listed keys that never occur.
    ///
    /// # Errors
    /// The list can't be read.
    pub(in super::super) fn filter(&self, at: &Surroundings<'_>) -> Result<(KeyPredicate, bool)> {
        let (own, listed) = (self.clone(), self.listed(at)?);
        let warns = self.takes && listed.is_some();
        Ok((
            Arc::new(move |key: &Key| own.passes(key, listed.as_deref())),
            warns,
        ))
    }
}

impl Operation for KeySelection {
    fn reach(&self) -> Reach {
        Reach::Utterance
    }

    fn columns(&self) -> &[&'static str] {
        &[]
    }

    /// Warns of keys of a list that never come.
    fn over(&self, inner: Box<dyn Reader>, at: &Surroundings<'_>) -> Result<Box<dyn Reader>> {
        let listed = self.listed(at)?;
        Ok(Box::new(SelectedReader {
            info: inner.info().without_totals(),
            inner,
            missing: listed.as_deref().filter(|_| self.takes).cloned(),
            listed,
            wanted: self.clone(),
            found: !self.takes,
            env: at.env.clone(),
        }))
    }
}

/// The chosen utterances.
struct SelectedReader {
    inner: Box<dyn Reader>,
    wanted: KeySelection,
    listed: Option<Arc<HashSet<Key>>>,
    /// Keys of the list that have not come yet.
    missing: Option<HashSet<Key>>,
    /// Whether an utterance was chosen, or no warning is due.
    found: bool,
    env: Env,
    info: DatasetInfo,
}

impl SelectedReader {
    /// Warns of keys that never came, once.
    fn warn(&mut self) {
        let missing = self.missing.take().unwrap_or_default();
        if let Some(key) = missing.iter().min() {
            let message = unknown("the data have no such utterance", missing.len());
            let warning = Error::unfit(message).utterance(key);
            self.env.warn_left_out(&match &self.wanted.list {
                Some(list) => warning.file(list.to_string()),
                None => warning,
            });
        }
        if !std::mem::replace(&mut self.found, true)
            && let Some(literal) = &self.wanted.literal
        {
            let warning = Error::unfit(format!("no utterance is called '{literal}'"));
            let hint = format!("'{literal}*' is like all names that begin so");
            self.env.warn_left_out(&warning.hint(hint));
        }
    }
}

impl Reader for SelectedReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.inner.read(utt)? {
            if let Some(missing) = &mut self.missing {
                missing.remove(&utt.key);
            }
            if self.wanted.passes(&utt.key, self.listed.as_deref()) {
                self.found = true;
                return Ok(true);
            }
        }
        self.warn();
        Ok(false)
    }
}

/// Returns `first`, which says of a listed name that it never came, with the number of others.
pub(super) fn unknown(first: &str, names: usize) -> String {
    match names {
        1 => first.to_owned(),
        n => format!("{first}, nor {} more of the list", n - 1),
    }
}

/// Reads the keys of a list, which are the first words of its lines, or of a data set if the
/// content is certainly one.
///
/// # Errors
/// It cannot be read, or is neither.
fn key_list(file: &Location, registry: Option<&Registry>, env: &Env) -> Result<HashSet<Key>> {
    let folder = |look: &FileStatus| look.kind == FileKind::Folder;
    if let Some(registry) = registry
        && !file.is_url()
        && env
            .look(file)
            .is_ok_and(|look| look.is_some_and(|look| folder(&look)))
    {
        return keys_of(folder_of_data(file, registry, env)?, env);
    }
    let mut source = env.open_file(file)?;
    let ranked = registry.map(|registry| registry.rank(&mut source));
    let best = ranked.transpose()?.and_then(|all| all.first().copied());
    let Some((Score::Certain, format)) = best else {
        return KeyFilter::keys(source, &env.limits);
    };
    let opened = Request::names().open(format, source, &Options::default(), env)?;
    keys_of(opened.into_stream()?, env)
}

/// Opens a folder that is a data set, for its keys.
///
/// # Errors
/// It is none, or one of several formats.
fn folder_of_data(folder: &Location, registry: &Registry, env: &Env) -> Result<Box<dyn Reader>> {
    env.check_finished(folder, |_| true)?;
    let options = Options::default();
    let open = |format, kin: &[&str]| {
        let opened = Request::names().open_folder(format, folder, kin, &options, env);
        opened?.into_stream()
    };
    if let Some(format) = registry.detect_folder(folder, env)? {
        return open(format, &[]);
    }
    let content = FolderReader::detect(folder, registry, env)?;
    let format = content.format;
    let refused = |message: String| {
        let error = Error::unsupported(message).file(folder.to_string());
        Err(error.hint("a list of the keys does as well: one a line"))
    };
    let name = format.info().name;
    if let Some((rival, _)) = content.rivals.first() {
        let rival = rival.info().name;
        return refused(format!("holds files of the formats {name} and {rival}"));
    }
    if format.caps(&options, Medium::Folder)?.count != Count::One {
        return refused(format!(
            "is a folder with {name} files of many utterances each"
        ));
    }
    let kin = content.kin.iter().chain([&content.extension]);
    open(format, &kin.map(String::as_str).collect::<Vec<_>>())
}

/// Reads the keys of a data set.
fn keys_of(mut reader: Box<dyn Reader>, env: &Env) -> Result<HashSet<Key>> {
    let (mut keys, mut held) = (HashSet::new(), MemoryCounter::new("the keys of a data set"));
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        if !keys.contains(&utt.key) {
            held.keep(size_of::<Key>() + utt.key.as_bytes().len(), &env.limits)?;
            keys.insert(utt.key.clone());
        }
    }
    Ok(keys)
}
