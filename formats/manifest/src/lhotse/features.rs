//! References to features.

use std::collections::HashMap;

use spr_core::model::{Decimal, Matrix, Utterance};
use spr_core::{Error, Limits, Result};
use spr_syntax::json::{self, Object};
use spr_syntax::manifest::Places;

use super::recording::RecordingSegment;
use super::stores::Stores;

/// The features of a segment of a recording.
#[derive(Clone)]
pub(super) struct Features {
    pub(super) recording: Option<String>,
    pub(super) start: Decimal,
    pub(super) duration: Decimal,
    pub(super) shift: Decimal,
    store: String,
    path: String,
    key: String,
}

impl Features {
    /// Parses the features that an object describes.
    ///
    /// # Errors
    /// A required field is missing.
    pub(super) fn read(mut object: Object<'_>) -> Result<Self> {
        let mut time = |name: &str| json::time(object.require(name)?, name);
        let (start, duration, shift) = (time("start")?, time("duration")?, time("frame_shift")?);
        let mut text = |name: &str| Ok(json::text(object.require(name)?, name)?.into_owned());
        let (store, path, key) = (
            text("storage_type")?,
            text("storage_path")?,
            text("storage_key")?,
        );
        let recording = object
            .take("recording_id")
            .map(|raw| json::text(raw, "recording_id"));
        if shift.is_zero() {
            return Err(Error::malformed("frame_shift is 0"));
        }
        Ok(Self {
            recording: recording.transpose()?.map(|name| name.into_owned()),
            start,
            duration,
            shift,
            store,
            path,
            key,
        })
    }

    /// Returns the last part of their location in the store.
    pub(super) fn name(&self) -> &str {
        let last = self.key.rsplit('/').next().unwrap_or(&self.key);
        last.strip_suffix(".npy").unwrap_or(last)
    }

    /// Reads the frames of a segment of the recording, and sets the frame shift.
    ///
    /// # Errors
    /// They cannot be opened, or the store is not supported.
    pub(super) fn load(
        &self,
        stretch: &RecordingSegment,
        places: &mut Places,
        (stores, limits): (&mut Stores, &Limits),
        utt: &mut Utterance,
    ) -> Result<()> {
        let features = stores.read(&self.store, &self.path, &self.key, places)?;
        utt.features = Some(self.part(features, stretch, limits)?);
        utt.meta.frame_shift = Some(self.shift);
        Ok(())
    }

    /// Returns the frames of a segment, with the rounding of lhotse.
    fn part(&self, all: Matrix, stretch: &RecordingSegment, limits: &Limits) -> Result<Matrix> {
        let frames = |time: Decimal| {
            let count = (time.value() / self.shift.value() + 0.5).floor();
            // Casts saturate.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "as said"
            )]
            let count = count as usize;
            count.min(all.rows())
        };
        let before = stretch.start.minus(self.start);
        let Some(before) = before.filter(|before| !before.is_negative()) else {
            let message = format!("its features start at {} s, behind its start", self.start);
            return Err(Error::malformed(message));
        };
        let first = frames(before);
        let last = first
            .saturating_add(frames(stretch.duration))
            .min(all.rows());
        if (first, last) == (0, all.rows()) {
            return Ok(all);
        }
        let mut part = Matrix::default();
        let bytes = part.reset(all.dtype(), all.rank(), last - first, all.cols(), limits)?;
        let row = all.cols() * all.dtype().size();
        bytes.copy_from_slice(&all.as_bytes()[first * row..last * row]);
        Ok(part)
    }
}

/// Features by recording.
#[derive(Default)]
pub(super) struct FeatureSet(HashMap<String, Vec<Features>>);

impl FeatureSet {
    /// Adds features.
    pub(super) fn add(&mut self, features: Features) {
        let recording = features.recording.clone().unwrap_or_default();
        self.0.entry(recording).or_default().push(features);
    }

    /// Returns the features that contain a segment of a recording, the latest if there are several.
    pub(super) fn find(&self, recording: &str, stretch: &RecordingSegment) -> Option<&Features> {
        let all = self.0.get(recording)?.iter();
        let holds = |features: &&Features| {
            let end = features.start.plus(features.duration);
            features.start <= stretch.start && end.is_some_and(|end| stretch.start < end)
        };
        all.filter(holds).max_by_key(|features| features.start)
    }
}
