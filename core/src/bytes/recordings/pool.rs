//! The recordings that are open.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::recording::Recording;
use crate::bytes::{Env, Location, Locator, Source};
use crate::error::{Error, Result};
use crate::model::{AudioReference, Origin, RecordingFacts};

/// The largest number of open recordings. Each has a buffer of up to 128 KiB and up to 256 KiB of its
/// samples in memory, if they can't be read again.
const OPEN: usize = 64;
/// The largest size of the samples that are kept in temporary files, in bytes.
const KEPT: u64 = 8 << 30;

/// The recordings that a run has opened, the last used at the end. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Recordings(Arc<Mutex<VecDeque<Slot>>>);

/// The place of a recording, and what is known of it.
struct Slot {
    place: RecordingPlace,
    /// The bytes of its samples that are kept.
    kept: u64,
    state: Arc<Mutex<SlotState>>,
}

#[derive(Default)]
enum SlotState {
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
    at: Locator,
    /// The size in bytes, if it is a member of a larger file.
    len: Option<u64>,
    /// The file that names it.
    named_in: Option<Location>,
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

impl Env {
    /// Opens the file, or runs the command, of a recording. One that is open and can't be opened twice is
    /// read from the copy that was made of it.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(crate) fn open_recording(&self, place: &RecordingPlace) -> Result<Source> {
        match self.recordings.copy(place) {
            Some(copy) => Ok(copy),
            None => self.source_of(place),
        }
    }

    fn source_of(&self, place: &RecordingPlace) -> Result<Source> {
        let named_in = place.named_in.as_ref();
        // Names in a list at a URL are relative to it.
        let list = named_in.filter(|list| list.is_url());
        let source = self.open_from(list, &place.at);
        let source = source.map_err(|e| self.tell_whereabouts(e, named_in, &place.at))?;
        match place.len {
            Some(len) => source.limited(len),
            None => Ok(source),
        }
    }

    /// Calls `read` with a recording that stays open for the rest of the run. It is opened, and its
    /// command run, unless it is open already.
    ///
    /// # Errors
    /// It cannot be opened, or `read` fails.
    pub(crate) fn with_recording<T>(
        &self,
        place: &RecordingPlace,
        read: impl FnOnce(&mut Recording) -> Result<T>,
    ) -> Result<T> {
        let state = self.recordings.state(place);
        let mut state = locked(&state);
        if let SlotState::Unknown | SlotState::Measured(_) = &*state {
            let source = self.source_of(place).and_then(Source::into_seekable);
            *state = match source.and_then(|source| Recording::open(source, self)) {
                Ok(recording) => SlotState::Open(Box::new(recording)),
                Err(error) => SlotState::Failed(error),
            };
        }
        match &mut *state {
            SlotState::Open(recording) => {
                let done = read(recording);
                self.recordings.keep(place, recording.kept());
                done
            }
            SlotState::Failed(error) => Err(error.copy()),
            SlotState::Unknown | SlotState::Measured(_) => Err(Error::unfit("is not open")),
        }
    }

    /// Returns the facts about a recording: from its header or, if that does not tell them, from all of
    /// it. A command runs once, whatever is read of its output later.
    ///
    /// # Errors
    /// It cannot be opened, or no available format reads it.
    pub(crate) fn recording_facts(&self, place: &RecordingPlace) -> Result<RecordingFacts> {
        if place.at.location().is_some() {
            let state = self.recordings.state(place);
            let mut state = locked(&state);
            if let SlotState::Unknown = &*state {
                let mut source = self.source_of(place)?;
                let nested = self.nested_by_content(&mut source)?;
                *state = SlotState::Measured(nested.facts(&mut source, self)?);
            }
            match &*state {
                SlotState::Measured(facts) if facts.are_complete() => return Ok(*facts),
                _ => {}
            }
        }
        self.with_recording(place, |recording| recording.facts(&self.limits))
    }
}

impl Recordings {
    /// Returns the bytes of a recording that is open, if they are a copy.
    fn copy(&self, place: &RecordingPlace) -> Option<Source> {
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
    fn state(&self, place: &RecordingPlace) -> Arc<Mutex<SlotState>> {
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
    fn keep(&self, place: &RecordingPlace, kept: u64) {
        let mut slots = locked(&self.0);
        if let Some(slot) = slots.iter_mut().find(|slot| slot.place == *place) {
            slot.kept = kept;
        }
        while slots.len() > 1 && slots.iter().map(|slot| slot.kept).sum::<u64>() > KEPT {
            slots.pop_front();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
