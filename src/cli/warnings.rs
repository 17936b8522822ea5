//! Warnings: a few of each sort are said, each of them once, the others counted.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use spr_core::Error;
use spr_core::bytes::WarningSort;
use spr_core::format::Registry;

use super::{messages, remedy};

/// Warnings of a sort that are said.
const SAID: usize = 10;

/// The warnings that were printed, and the number of those that were not.
pub(super) struct Warnings {
    sorts: Mutex<HashMap<WarningSort, Sort>>,
    registry: Registry,
}

/// The warnings of one sort.
#[derive(Default)]
struct Sort {
    said: Vec<String>,
    more: u64,
    /// The last that was said, without its place.
    last: String,
}

impl Warnings {
    /// Nothing said yet; hints name formats of `registry`.
    pub(super) fn new(registry: Registry) -> Self {
        Self {
            sorts: Mutex::default(),
            registry,
        }
    }

    /// Says a warning, or counts it. The hint is left out if `quiet` is set.
    pub(super) fn hear(&self, warning: &Error, sort: WarningSort, quiet: bool) {
        let mut sorts = self.sorts.lock().unwrap_or_else(PoisonError::into_inner);
        let sort = sorts.entry(sort).or_default();
        let words = warning.to_string();
        // A file that is looked into before it is read gives its warnings twice.
        if sort.said.contains(&words) {
            return;
        }
        if sort.said.len() == SAID {
            sort.more += 1;
            return;
        }
        messages::warning(&words);
        sort.said.push(words);
        sort.last = warning.message().to_owned();
        if let Some(hint) = remedy::hint(warning, &self.registry).filter(|_| !quiet) {
            messages::say("hint", &hint);
        }
    }

    /// Says how many were counted since.
    pub(super) fn tell_rest(&self) {
        let mut sorts = self.sorts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rest: Vec<_> = (sorts.iter_mut())
            .map(|(_, sort)| (std::mem::take(&mut sort.more), &sort.last))
            .filter(|(more, _)| *more > 0)
            .collect();
        rest.sort();
        for (more, last) in rest {
            let warnings = messages::count(more, "more warning");
            messages::warning(&format!("{warnings} like this one: {last}"));
        }
    }
}
