//! The step that gives utterances other names.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use spr_core::bytes::Locator;
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Key, Utterance};
use spr_core::stage::{KeyChange, Rename};
use spr_core::{Error, KeyMap, Result};

use super::super::kind::{Kind, Level, Phase, Subject};
use super::super::operation::{Operation, Reach, Stage};
use super::super::values::{Parameters, Values};

pub(super) static RENAME: Kind = Kind {
    name: "rename",
    aliases: &[],
    usage: "rename('s/REGEX/TEXT/',...), rename(old=KEY,new=KEY,...), rename(map=FILE), rename(prefix=TEXT) or \
            rename(suffix=TEXT)",
    what: "other names: those given one by one and those of a file first, then changed, then with what goes around them",
    parameters: Parameters {
        positional: &["change"],
        many: true,
        named: &["old", "new", "map", "prefix", "suffix"],
        files: &["map"],
        ..Parameters::NONE
    },
    options: &[],
    flags: &["rename", "map-keys", "prefix", "suffix"],
    phase: Phase::Names,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    leaves_out: false,
    parse: rename,
};

fn rename(values: &Values) -> Result<Arc<dyn Operation>> {
    let map = values.file("map").map(Locator::File);
    let mut changes = Vec::new();
    let (old, new) = (values.all("old"), values.all("new"));
    if old.clone().count() != new.clone().count() {
        return Err(values.refused("expected a new key for each old one"));
    }
    let names = values.made("new", Names::new(old.zip(new)))?;
    for text in values.all("change") {
        changes.push(values.made("change", KeyChange::sed(text))?);
    }
    let bytes = |text: &str| text.as_bytes().to_vec();
    changes.extend(values.text("prefix").map(bytes).map(KeyChange::Prefix));
    changes.extend(values.text("suffix").map(bytes).map(KeyChange::Suffix));
    let stage = Stage::new(Reach::Utterance, [], move |reader, at| {
        let mut all = Vec::new();
        let reader = names.over(reader);
        if let Some(file) = &map {
            let table = at.files.map(file, || KeyMap::open(file, at.env))?;
            all.push(KeyChange::Map(KeyMap::clone(&table)));
        }
        all.extend(changes.iter().cloned());
        Ok(Box::new(Rename::new(reader, all)))
    });
    stage.idle_if(values.is_empty()).parsed()
}

/// New keys of some utterances; others keep theirs.
#[derive(Clone)]
struct Names {
    new: Arc<HashMap<Key, Key>>,
    /// All new keys.
    taken: Arc<HashSet<Key>>,
}

impl Names {
    /// Takes pairs of an old and a new key.
    ///
    /// # Errors
    /// A key is there twice, or an empty one.
    fn new<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let (mut names, mut taken) = (HashMap::new(), HashSet::new());
        for (old, new) in pairs {
            if new.is_empty() {
                return Err(Error::usage(format!("nothing is left of the name '{old}'")));
            }
            let is_new = taken.insert(Key::from(new));
            if names.insert(Key::from(old), Key::from(new)).is_some() {
                return Err(Error::usage(format!("'{old}' gets two names")));
            }
            if !is_new {
                return Err(Error::usage(format!(
                    "two utterances would be called '{new}'"
                )));
            }
        }
        Ok(Self {
            new: Arc::new(names),
            taken: Arc::new(taken),
        })
    }

    /// Renames the utterances of `inner`.
    fn over(&self, inner: Box<dyn Reader>) -> Box<dyn Reader> {
        match self.new.is_empty() {
            true => inner,
            false => Box::new(RenamedReader {
                inner,
                names: self.clone(),
                given: HashMap::new(),
            }),
        }
    }
}

/// The renamed utterances.
struct RenamedReader {
    inner: Box<dyn Reader>,
    names: Names,
    /// The old key of each new one that was given.
    given: HashMap<Key, Key>,
}

#[warn(clippy::missing_trait_methods)]
impl Reader for RenamedReader {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if !self.inner.read(utt)? {
            return Ok(false);
        }
        let new = self.names.new.get(&utt.key).unwrap_or(&utt.key);
        if self.names.taken.contains(new) {
            let given = self.given.entry(new.clone());
            let old = given.or_insert_with(|| utt.key.clone());
            if *old != utt.key {
                let message = match *new == utt.key {
                    true => format!("has the name that {old} got"),
                    false => format!("would be called {new}, as {old} is by now"),
                };
                return Err(Error::unfit(message).utterance(&utt.key).continuable());
            }
            utt.key = new.clone();
        }
        Ok(true)
    }
}
