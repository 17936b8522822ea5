//! The selection of entries of a table, and of their content.

use spr_core::Result;
use spr_core::format::{KeyPredicate, Request, Subset};
use spr_core::model::Key;

/// The name of the format.
pub(crate) const NAME: &str = "kaldi";

/// The entries selected by a request, which must be asked about in order; by default, all.
#[derive(Default)]
pub(crate) struct Choice {
    /// The shard of all entries.
    run: Option<Subset>,
    keys: Option<KeyPredicate>,
    /// The shard of the entries with requested keys.
    share: Option<Subset>,
    /// The numbers of entries so far, in total and within the shards.
    entries: u64,
    dealt: u64,
}

impl Choice {
    /// Takes the selection of keys and the shards from a request.
    ///
    /// # Errors
    /// There is no such shard.
    pub(crate) fn take(request: &mut Request) -> Result<Self> {
        let (run, keys, share) = (
            request.take_run(),
            request.take_keys(),
            request.take_share(),
        );
        share.map_or(Ok(()), Subset::check)?;
        Ok(Self {
            run,
            keys,
            share,
            entries: 0,
            dealt: 0,
        })
    }

    /// Returns `true` if the next entry, which has this key, is read.
    pub(crate) fn wants(&mut self, key: &Key) -> bool {
        self.count() && self.keys.as_ref().is_none_or(|wanted| wanted(key)) && self.deal()
    }

    /// Returns `true` if the next entry, which is faulty and has no key, is read to report its
    /// error.
    pub(crate) fn wants_fault(&mut self) -> bool {
        self.count() && self.deal()
    }

    /// Returns `true` if all entries are selected.
    pub(crate) fn is_all(&self) -> bool {
        self.run.is_none() && self.keys.is_none() && self.share.is_none()
    }

    /// Returns the number of the first entry of a run.
    pub(crate) fn first(&self) -> Option<u64> {
        match self.run {
            Some(Subset::Run { first, .. }) => Some(first),
            _ => None,
        }
    }

    /// Continues with the entry of this number.
    pub(crate) fn go_to(&mut self, number: u64) {
        self.entries = number;
    }

    /// Returns `true` if no remaining entry is selected.
    pub(crate) fn is_over(&self) -> bool {
        self.run.is_some_and(|run| run.is_over(self.entries))
    }

    fn count(&mut self) -> bool {
        let number = self.entries;
        self.entries += 1;
        self.run.is_none_or(|run| run.has(number))
    }

    fn deal(&mut self) -> bool {
        let number = self.dealt;
        self.dealt += 1;
        self.share.is_none_or(|share| share.has(number))
    }
}

/// The requested content of entries.
#[derive(Clone, Copy)]
pub(crate) struct Content {
    /// Whether the values of features are read instead of skipped.
    pub(crate) values: bool,
    /// Formats whose audio files are returned without decoding.
    pub(crate) files: &'static [&'static str],
    /// Whether compressed matrices are handed on as they are stored, too.
    pub(crate) stored: bool,
    /// Whether entries are only weighed.
    pub(crate) weighing: bool,
}

impl Content {
    /// Returns the content that a request selects.
    pub(crate) fn of(request: &Request) -> Self {
        Self {
            values: request.values && request.parts.features,
            files: if request.samples { &[] } else { request.files },
            stored: request.keep_stored == Some(NAME),
            weighing: request.weighing,
        }
    }
}
