//! Checks of labels in another data set.

use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::Env;
use spr_core::format::{Reader, Registry, Request};
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::{Error, Result};

use super::about;
use super::findings::Findings;
use super::names::Names;
use crate::plan;

/// A join of labels to one utterance at a time, as in a conversion.
pub(super) struct Labels {
    next: Next,
    join: Box<dyn Reader>,
}

/// The next utterance to be returned; none at the end.
type Next = Arc<Mutex<Option<Utterance>>>;

/// A reader of utterances that are passed to it.
struct HandoverReader(Next, DatasetInfo);

impl Reader for HandoverReader {
    fn info(&self) -> &DatasetInfo {
        &self.1
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let handed = next.take();
        Ok(handed.map(|handed| *utt = handed).is_some())
    }
}

impl Labels {
    pub(super) fn open(labels: &plan::Labels, registry: &Registry, env: &Env) -> Result<Self> {
        let next = Arc::new(Mutex::default());
        let handed = Box::new(HandoverReader(next.clone(), DatasetInfo::default()));
        let join = labels.join_to(handed, registry, env)?;
        Ok(Self { next, join })
    }

    /// Joins the labels to an utterance, or reports why it has none.
    ///
    /// # Errors
    /// The labels cannot be read, or the utterance has labels already.
    pub(super) fn check(
        &mut self,
        utt: &mut Utterance,
        place: impl Fn(Error) -> Error,
        found: &mut Findings<'_>,
    ) -> Result<()> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = Some(std::mem::take(utt));
        drop(next);
        match self.join.read(utt) {
            Err(error) if error.can_continue() => {
                // They are not compared any further.
                utt.labels = None;
                let named = error.file_name().is_some();
                found.fault("labels", if named { error } else { place(error) });
                Ok(())
            }
            joined => joined.map(drop),
        }
    }

    /// Checks the labels that no utterance used.
    pub(super) fn finish(mut self, found: &mut Findings<'_>) {
        if let Err(error) = self.join.read(&mut Utterance::default()) {
            found.fault("labels", error);
        }
    }
}

/// Reports labels of utterances that are not in `keys`.
///
/// # Errors
/// The labels cannot be read.
pub(super) fn unused(
    labels: &plan::Labels,
    keys: &Names,
    registry: &Registry,
    env: &Env,
    found: &mut Findings<'_>,
) -> Result<()> {
    let mut reader = labels.data().open(Request::names(), registry, env)?.reader;
    let mut utt = Utterance::default();
    let (mut first, mut count) = (None, 0u64);
    while reader.read(&mut utt)? {
        if !keys.has(&utt.key) {
            count += 1;
            first.get_or_insert_with(|| utt.key.clone());
        }
    }
    if let Some(first) = first {
        let others = match count {
            1 => String::new(),
            n => format!(" and {} others", n - 1),
        };
        let message = format!("has {first}{others}, which the data do not have");
        found.note("labels", about(labels.text(), message));
    }
    Ok(())
}
