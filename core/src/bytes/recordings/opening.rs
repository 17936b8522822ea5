//! Opening of recordings, once for all that is read of them in a run.

use super::pool::{RecordingPlace, SlotState, locked};
use super::recording::Recording;
use crate::bytes::{Env, Source};
use crate::error::{Error, Result};
use crate::model::RecordingFacts;

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
            *state = match source.and_then(|source| self.recording_of(source)) {
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

    /// Opens the recording that is the rest of `source`, which can be sought in.
    fn recording_of(&self, mut source: Source) -> Result<Recording> {
        let (name, copy) = (source.name().to_owned(), source.copy());
        let nested = self.nested_by_content(&mut source)?;
        let stream = nested.samples(source, self).map_err(|e| e.file(&name))?;
        Recording::new(name, copy, stream)
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
