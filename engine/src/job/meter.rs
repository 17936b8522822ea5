//! The progress of reading inputs.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use spr_core::Result;
use spr_core::bytes::{Env, Location};
use spr_core::format::{Reader, Registry};
use spr_core::model::{DatasetInfo, Utterance};

use crate::argument::InputSize;
use crate::plan::{Input, Plan};

/// Counters of what was read, for observers that cannot see it because a stage reads ahead.
#[derive(Clone, Default)]
pub(super) struct Meter {
    counts: Arc<Counts>,
    /// Files that are read sequentially.
    files: Vec<Location>,
    /// Their total stored size.
    length: Option<u64>,
    /// The total number of entries, if script files contain it.
    entries: Option<u64>,
    /// Whether there is a single input, whose reader knows positions and totals.
    alone: bool,
    /// Whether frames are shuffled or divided into partitions, so that positions and counts are not
    /// those of entries.
    shuffled: bool,
}

#[derive(Default)]
struct Counts {
    /// The number of stored bytes read.
    stored: Arc<AtomicU64>,
    /// The position of the last entry in the only file.
    at: AtomicU64,
    /// The number of entries read.
    read: AtomicU64,
    /// The total number of entries, if the reader knows it.
    total: AtomicU64,
    /// The encodings of entries.
    codings: Mutex<BTreeSet<Cow<'static, str>>>,
}

impl Meter {
    /// Creates a meter of facts that are known anyway.
    pub(super) fn unwatched(plan: &Plan) -> Self {
        Self {
            alone: plan.inputs.len() == 1,
            shuffled: plan.inputs.iter().any(|input| plan.mixes(input)),
            ..Self::default()
        }
    }

    pub(super) fn new(plan: &Plan, registry: &Registry, env: &Env) -> Self {
        let inputs = &plan.inputs;
        let extents: Vec<_> = inputs
            .iter()
            .map(|input| input.extent(registry, env))
            .collect();
        let bytes = extents.iter().map(|extent| match extent {
            Some(InputSize::Bytes(n)) => Some(*n),
            _ => None,
        });
        let entries = extents.iter().map(|extent| match extent {
            Some(InputSize::Entries(n)) => Some(*n),
            _ => None,
        });
        let files = inputs.iter().filter_map(Input::file);
        Self {
            counts: Arc::default(),
            files: files.cloned().collect(),
            length: bytes.sum(),
            entries: entries.sum(),
            ..Self::unwatched(plan)
        }
    }

    /// Returns the environment for opening the inputs.
    pub(super) fn watch(&self, env: &Env) -> Env {
        match self.length {
            Some(_) => env.counting(self.files.clone(), self.counts.stored.clone()),
            None => env.clone(),
        }
    }

    pub(super) fn attach(&self, reader: Box<dyn Reader>) -> Box<dyn Reader> {
        Box::new(MeteredReader {
            reader,
            counts: self.counts.clone(),
            alone: self.alone && !self.shuffled,
        })
    }

    /// Returns the bytes read and the total, if known.
    pub(super) fn bytes(&self) -> Option<(u64, u64)> {
        let length = self.length?;
        let at = match self.counts.at.load(Ordering::Relaxed) {
            0 => self.counts.stored.load(Ordering::Relaxed),
            at => at,
        };
        Some((at.min(length), length))
    }

    /// Returns the entries read and the total, if known.
    pub(super) fn entries(&self) -> Option<(u64, u64)> {
        let told = self.counts.total.load(Ordering::Relaxed);
        let entries = self.entries.filter(|_| !self.shuffled);
        let total = entries.or(Some(told).filter(|n| *n > 0))?;
        Some((self.counts.read.load(Ordering::Relaxed).min(total), total))
    }

    /// Returns the encodings of whole files and of entries.
    pub(super) fn decoded(&self, whole: Option<&str>) -> Option<String> {
        let codings = self.counts.codings.lock();
        let codings = codings.unwrap_or_else(PoisonError::into_inner);
        let all: Vec<_> = whole
            .into_iter()
            .chain(codings.iter().map(Cow::as_ref))
            .collect();
        (!all.is_empty()).then(|| all.join("+"))
    }
}

/// A reader that counts.
struct MeteredReader {
    reader: Box<dyn Reader>,
    counts: Arc<Counts>,
    alone: bool,
}

#[warn(clippy::missing_trait_methods)]
impl Reader for MeteredReader {
    fn info(&self) -> &DatasetInfo {
        self.reader.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let more = self.reader.read(utt);
        let info = self.reader.info();
        self.counts
            .read
            .fetch_add(u64::from(utt.ends()), Ordering::Relaxed);
        if self.alone {
            let (at, total) = (utt.origin.byte(), info.utterances);
            self.counts.at.store(at.unwrap_or(0), Ordering::Relaxed);
            self.counts
                .total
                .store(total.unwrap_or(0), Ordering::Relaxed);
        }
        if let (Some(coding), Ok(true)) = (&utt.origin.coding, &more) {
            let codings = self.counts.codings.lock();
            let mut codings = codings.unwrap_or_else(PoisonError::into_inner);
            if !codings.contains(coding) {
                codings.insert(coding.clone());
            }
        }
        more
    }
}
