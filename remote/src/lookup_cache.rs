//! A cache of recent lookups, because each lookup is a request and names are looked up often.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use spr_core::bytes::FileStatus;

/// The lifetime of an answer.
const MOMENT: Duration = Duration::from_secs(5);
/// The largest number of cached answers.
const MOST: usize = 1 << 16;

/// The time of a lookup and its result.
type CachedLookup = (Instant, Option<FileStatus>);

/// Answers by name. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct LookupCache(Arc<Mutex<HashMap<String, CachedLookup>>>);

impl LookupCache {
    fn all(&self) -> MutexGuard<'_, HashMap<String, CachedLookup>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a recent answer, which may be that the object does not exist.
    pub(crate) fn find(&self, name: &str) -> Option<Option<FileStatus>> {
        let all = self.all();
        let (when, found) = all.get(name)?;
        (when.elapsed() < MOMENT).then(|| found.clone())
    }

    /// Stores an answer.
    pub(crate) fn keep(&self, name: String, found: Option<FileStatus>) {
        let mut all = self.all();
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(name, (Instant::now(), found));
    }

    /// Clears the cache after a change.
    pub(crate) fn forget(&self) {
        self.all().clear();
    }
}
