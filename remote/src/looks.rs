//! What was found under names a moment ago: to look is to ask, and names are looked at often.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use spr_core::bytes::FileStatus;

/// How long an answer holds.
const MOMENT: Duration = Duration::from_secs(5);
/// Answers that are kept.
const MOST: usize = 1 << 16;

/// What there was, and when.
type Look = (Instant, Option<FileStatus>);

/// Answers by names. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Looks(Arc<Mutex<HashMap<String, Look>>>);

impl Looks {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Look>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was found a moment ago, be it nothing.
    pub(crate) fn find(&self, name: &str) -> Option<Option<FileStatus>> {
        let all = self.all();
        let (when, found) = all.get(name)?;
        (when.elapsed() < MOMENT).then(|| found.clone())
    }

    /// Keeps what was found.
    pub(crate) fn keep(&self, name: String, found: Option<FileStatus>) {
        let mut all = self.all();
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(name, (Instant::now(), found));
    }

    /// Forgets everything, as something changes.
    pub(crate) fn forget(&self) {
        self.all().clear();
    }
}
