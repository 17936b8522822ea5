//! Which entries of a table are read, and how much of them.

use spr_core::Result;
use spr_core::format::{Request, Share, Wanted};
use spr_core::model::Key;

/// What a request leaves of the entries of a table, which are asked about in their order.
pub(crate) struct Choice {
    /// The share of all entries.
    run: Option<Share>,
    keys: Option<Wanted>,
    /// The share of those with keys that are wanted.
    share: Option<Share>,
    /// Entries so far, and those that the shares were dealt.
    entries: u64,
    dealt: u64,
}

impl Choice {
    /// Takes the choice of keys and the shares from a request.
    ///
    /// # Errors
    /// There is no such share.
    pub(crate) fn take(request: &mut Request) -> Result<Self> {
        let (run, keys, share) = (
            request.take_run(),
            request.take_keys(),
            request.take_share(),
        );
        share.map_or(Ok(()), Share::check)?;
        Ok(Self {
            run,
            keys,
            share,
            entries: 0,
            dealt: 0,
        })
    }

    /// Whether to read the next entry, which has this key.
    pub(crate) fn wants(&mut self, key: &Key) -> bool {
        self.count() && self.keys.as_ref().is_none_or(|wanted| wanted(key)) && self.deal()
    }

    /// Whether the next entry, which has no key, is read for the fault that it has.
    pub(crate) fn wants_fault(&mut self) -> bool {
        self.count() && self.deal()
    }

    /// Whether all entries are wanted.
    pub(crate) fn is_all(&self) -> bool {
        self.run.is_none() && self.keys.is_none() && self.share.is_none()
    }

    /// Whether no entry that is still to come is wanted.
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

/// How much of each entry is read.
#[derive(Clone, Copy)]
pub(crate) struct Content {
    /// Whether the values of features are, and not passed over.
    pub(crate) values: bool,
    /// Formats whose sound files are handed on as they are stored.
    pub(crate) files: &'static [&'static str],
}

impl Content {
    /// What a request leaves of entries.
    pub(crate) fn of(request: &Request) -> Self {
        Self {
            values: request.values && request.parts.features,
            files: if request.samples { &[] } else { request.files },
        }
    }
}
