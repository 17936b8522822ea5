//! Whether the labels of another data set fit.

use std::sync::{Arc, Mutex, PoisonError};

use spr_core::bytes::Env;
use spr_core::format::{Reader, Registry};
use spr_core::model::{DatasetInfo, Utterance};
use spr_core::{Error, Result};

use super::about;
use super::findings::Findings;
use super::names::Names;
use crate::argument::Input;
use crate::verbs::select::names;

/// Joins labels to one utterance after the other, as a conversion does.
pub(super) struct Labels {
    next: Next,
    join: Box<dyn Reader>,
}

/// The utterance that is handed over next; none at the end.
type Next = Arc<Mutex<Option<Utterance>>>;

/// A data set of utterances that are handed to it.
struct Handed(Next, DatasetInfo);

impl Reader for Handed {
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
    pub(super) fn open(labels: &Input, registry: &Registry, env: &Env) -> Result<Self> {
        let next = Arc::new(Mutex::default());
        let handed = Box::new(Handed(next.clone(), DatasetInfo::default()));
        let join = labels.join_to(handed, None, registry, env)?;
        Ok(Self { next, join })
    }

    /// Gives an utterance its labels, or tells why it has none.
    ///
    /// # Errors
    /// The labels can't be read, or the utterance has some already.
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
                // They are no more to be compared with anything.
                utt.labels = None;
                let named = error.file_name().is_some();
                found.fault("labels", if named { error } else { place(error) });
                Ok(())
            }
            joined => joined.map(drop),
        }
    }

    /// Looks at the labels that no utterance asked for.
    pub(super) fn finish(mut self, found: &mut Findings<'_>) {
        if let Err(error) = self.join.read(&mut Utterance::default()) {
            found.fault("labels", error);
        }
    }
}

/// Tells of labels that none of the utterances has, whose names are `keys`.
///
/// # Errors
/// The labels can't be read.
pub(super) fn unused(
    labels: &Input,
    keys: &Names,
    registry: &Registry,
    env: &Env,
    found: &mut Findings<'_>,
) -> Result<()> {
    let mut reader = labels.open(names(), registry, env)?.reader;
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
