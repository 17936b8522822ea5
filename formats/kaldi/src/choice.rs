//! Which entries of a table are read, and how much of them.

use spr_core::format::{Request, Share, Wanted};
use spr_core::model::Key;
use spr_core::{Error, Result};

/// What a request leaves of the entries of a table, which are asked about in their order.
pub(crate) struct Choice {
    keys: Option<Wanted>,
    share: Option<Share>,
    /// Entries that the shares were dealt so far.
    dealt: u64,
}

impl Choice {
    /// Takes the choice of keys and the share from a request.
    ///
    /// # Errors
    /// There is no such share.
    pub(crate) fn take(request: &mut Request) -> Result<Self> {
        let keys = request.take_keys();
        let share = request.take_share();
        if let Some(Share { index, count }) = share.filter(|share| share.index >= share.count) {
            let message = format!("part {index} of {count}: parts count from 0");
            return Err(Error::usage(message));
        }
        Ok(Self {
            keys,
            share,
            dealt: 0,
        })
    }

    /// Whether to read the entry of this key.
    pub(crate) fn wants(&mut self, key: &Key) -> bool {
        self.keys.as_ref().is_none_or(|wanted| wanted(key)) && self.deal()
    }

    /// Whether the next entry of those that are wanted, whatever its key, is in the share.
    pub(crate) fn deal(&mut self) -> bool {
        let number = self.dealt;
        self.dealt += 1;
        self.share
            .is_none_or(|share| number % share.count == share.index)
    }
}

/// Whether the values of features are read, or passed over.
pub(crate) fn wants_values(request: &Request) -> bool {
    request.values && request.parts.features
}
