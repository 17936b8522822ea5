//! The recordings that are open.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::recording::Recording;
use crate::bytes::{Location, Locator, Source};
use crate::error::Error;
use crate::model::{AudioReference, Origin, RecordingFacts};

/// The largest number of open recordings. Each has a buffer of up to 128 KiB and up to 256 KiB of its
/// samples in memory, if they can't be read again.
const OPEN: usize = 64;
/// The largest size of the samples that are kept in temporary files, in bytes.
const KEPT: u64 = 8 << 30;

/// The recordings that a run has opened, the last used at the end. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Recordings(Arc<Mutex<VecDeque<Slot>>>);

/// The place of a recording, and its state.
struct Slot {
    place: RecordingPlace,
    /// The bytes of its samples that are kept.
    kept: u64,
    state: Arc<Mutex<SlotState>>,
}

/// The state of a recording in the pool.
#[derive(Default)]
pub(super) enum SlotState {
    #[default]
    Unknown,
    /// Its header was read.
    Measured(RecordingFacts),
    Open(Box<Recording>),
    Failed(Error),
}

/// The place of a recording.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct RecordingPlace {
    pub(super) at: Locator,
    /// The size in bytes, if it is a member of a larger file.
    pub(super) len: Option<u64>,
    /// The file that names it.
    pub(super) named_in: Option<Location>,
}

impl RecordingPlace {
    /// Creates the place of a recording that an utterance of this origin refers to.
    pub(crate) fn new(reference: &AudioReference, origin: &Origin) -> Self {
        Self {
            at: reference.at.clone(),
            len: reference.len,
            named_in: origin.file.as_deref().map(Location::from),
        }
    }
}

impl Recordings {
    /// Returns the bytes of a recording that is open, if they are a copy.
    pub(super) fn copy(&self, place: &RecordingPlace) -> Option<Source> {
        let state = {
            let slots = locked(&self.0);
            let slot = slots.iter().find(|slot| slot.place == *place)?;
            slot.state.clone()
        };
        match &*locked(&state) {
            SlotState::Open(recording) => recording.copy(),
            _ => None,
        }
    }

    /// Returns the state of a recording, and makes room for it.
    pub(super) fn state(&self, place: &RecordingPlace) -> Arc<Mutex<SlotState>> {
        let mut slots = locked(&self.0);
        let at = slots.iter().position(|slot| slot.place == *place);
        let slot = at.and_then(|at| slots.remove(at)).unwrap_or_else(|| Slot {
            place: place.clone(),
            kept: 0,
            state: Arc::default(),
        });
        let state = slot.state.clone();
        slots.push_back(slot);
        if slots.len() > OPEN {
            slots.pop_front();
        }
        state
    }

    /// Records the size of what is kept of a recording, and closes others if it is too much.
    pub(super) fn keep(&self, place: &RecordingPlace, kept: u64) {
        let mut slots = locked(&self.0);
        if let Some(slot) = slots.iter_mut().find(|slot| slot.place == *place) {
            slot.kept = kept;
        }
        while slots.len() > 1 && slots.iter().map(|slot| slot.kept).sum::<u64>() > KEPT {
            slots.pop_front();
        }
    }
}

/// Locks a value, whatever happened to a thread that had it.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
