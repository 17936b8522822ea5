//! Utterances that get other names, one by one.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Key, Utterance};
use spr_core::{Error, Result};

/// New keys of some utterances; others keep theirs.
#[derive(Clone)]
pub(super) struct Names {
    new: Arc<HashMap<Key, Key>>,
    /// All new keys.
    taken: Arc<HashSet<Key>>,
}

impl Names {
    /// Takes pairs of an old and a new key.
    ///
    /// # Errors
    /// A key is there twice, or an empty one.
    pub(super) fn new<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Self> {
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
    pub(super) fn over(&self, inner: Box<dyn Reader>) -> Box<dyn Reader> {
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
