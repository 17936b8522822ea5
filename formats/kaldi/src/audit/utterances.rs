//! Checks of the utterances of a data directory against its tables.

use std::collections::HashMap;

use spr_core::bytes::Location;
use spr_core::format::{Auditor, Finding};
use spr_core::model::{Audio, Key, RecordingFacts, Utterance};
use spr_core::recording::LENGTH_ROUNDING;
use spr_core::{Error, Result};

use super::findings::Places;
use crate::choice;
use crate::data_dir::extras::other_length;
use crate::data_dir::layout::{FEATURES, FRAME_SHIFT, NAME, RECO2DUR, UTT2DUR, UTT2FRAMES};
use crate::key_set::KeySet;

/// Compares utterances with what the tables say of them.
pub(super) struct DirectoryAuditor {
    folder: Location,
    /// Frames of utterances by `utt2num_frames`.
    frames: HashMap<Key, u64>,
    told: Places,
    members: Vec<(&'static str, Location)>,
    /// Recordings whose duration was told to be wrong.
    recordings: KeySet,
}

impl DirectoryAuditor {
    /// Creates an auditor of utterances in `folder`, in whose tables the faults at `told` were found.
    pub(super) fn new(
        folder: &Location,
        frames: HashMap<Key, u64>,
        told: Places,
        members: Vec<Location>,
    ) -> Self {
        let members = members.into_iter();
        Self {
            folder: folder.clone(),
            frames,
            told,
            members: members.map(|at| (choice::NAME, at)).collect(),
            recordings: KeySet::default(),
        }
    }

    fn table(&self, name: &str) -> String {
        self.folder.join(name).to_string()
    }

    /// Compares `utt2num_frames` with the features.
    fn count(&mut self, utt: &Utterance, found: &mut dyn FnMut(Finding)) {
        let counted = self.frames.remove(&utt.key);
        let (Some(_), Some(count)) = (&utt.features, counted) else {
            return;
        };
        if count != utt.frames() {
            let table = self.table(UTT2FRAMES);
            let message = format!("{} frames, but {count} by {table}", utt.frames());
            let error = Error::unfit(message).file(self.table(FEATURES));
            found(Finding::fault("labels", error.utterance(&utt.key)));
        }
    }

    /// Compares the length of the features by `frame_shift` with the segment.
    fn frames_length(&self, utt: &Utterance, found: &mut dyn FnMut(Finding)) {
        if let Some((frames, segment)) = other_length(utt) {
            let message = format!("the frames last {frames:.3} s, the segment {segment:.3} s");
            let error = Error::unfit(message).file(self.table(FRAME_SHIFT));
            found(Finding::fault("durations", error.utterance(&utt.key)));
        }
    }

    /// Compares `utt2dur` and `reco2dur` with the sound, or `utt2dur` with what is known without it.
    fn durations(
        &mut self,
        utt: &Utterance,
        recording: Option<RecordingFacts>,
        found: &mut dyn FnMut(Finding),
    ) {
        let mut wrong = |table: &str, key: &Key, what: &str, is: Option<f64>| {
            if let (Some(said), Some(is)) = (duration(utt, table), is)
                && (said - is).abs() > LENGTH_ROUNDING
            {
                let message = format!("the {what} lasts {is:.3} s, said to be {said} s");
                let error = Error::unfit(message).file(self.folder.join(table).to_string());
                found(Finding::fault("durations", error.utterance(key)));
                return true;
            }
            false
        };
        let (what, length) = length(utt);
        wrong(UTT2DUR, &utt.key, what, length);
        let name = utt.meta.recording.as_ref().unwrap_or(&utt.key);
        let length = recording.and_then(|recording| recording.seconds());
        if !self.recordings.contains(name) && wrong(RECO2DUR, name, "recording", length) {
            self.recordings.insert(name);
        }
    }
}

/// Returns the seconds that a table gives for an utterance or its recording, unless they are a known
/// duration already.
fn duration(utt: &Utterance, table: &str) -> Option<f64> {
    let mut tags = utt.meta.tags.iter();
    let tag = tags.find(|tag| tag.format == NAME && tag.key == table.as_bytes())?;
    std::str::from_utf8(&tag.value).ok()?.parse().ok()
}

/// Returns the duration of an utterance in seconds, as far as it is known, and the name of its measure.
fn length(utt: &Utterance) -> (&'static str, Option<f64>) {
    let is_segment = utt.meta.start.is_some() && utt.meta.end.is_some();
    let what = match &utt.audio {
        Some(Audio::Samples(_)) => "sound",
        _ if is_segment => "segment",
        _ => "utterance",
    };
    (what, utt.duration(None).map(|duration| duration.value()))
}

impl Auditor for DirectoryAuditor {
    fn utterance(
        &mut self,
        utt: &Utterance,
        recording: Option<RecordingFacts>,
        found: &mut dyn FnMut(Finding),
    ) {
        self.count(utt, found);
        self.frames_length(utt, found);
        self.durations(utt, recording, found);
    }

    fn repeats(&self, error: &Error) -> bool {
        // A warning about the whole directory lists files that are not read.
        let folder = self.folder.to_string();
        error.file_name() == Some(&folder) || self.told.contains(error)
    }

    fn members(&self) -> Vec<(&'static str, Location)> {
        self.members.clone()
    }

    fn finish(
        self: Box<Self>,
        _was_read: &dyn Fn(&Key) -> bool,
        _found: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        Ok(())
    }
}
