//! References to features.

use std::collections::HashMap;
use std::ops::Range;

use spr_core::model::{Audio, Decimal, Matrix, Utterance};
use spr_core::recording::LENGTH_ROUNDING;
use spr_core::{Error, Result};
use spr_syntax::json::{self, Object};
use spr_syntax::manifest::Places;

use super::recording::RecordingSegment;
use super::stores::{StoredFeatures, Stores};

/// The seconds by which times may be off that say the same.
const SLACK: f64 = 1e-3;

/// The features of a segment of a recording.
#[derive(Clone)]
pub(super) struct Features {
    pub(super) recording: Option<String>,
    pub(super) start: Decimal,
    pub(super) duration: Decimal,
    pub(super) shift: Decimal,
    /// The channels, as `0` or `0+1`.
    pub(super) channels: Option<String>,
    /// The samples a second of the sound, by which times are rounded to frames.
    rate: Option<u32>,
    place: StoredFeatures,
}

impl Features {
    /// Parses the features that an object describes.
    ///
    /// # Errors
    /// A required field is missing, or the duration is not that of the frames.
    pub(super) fn read(object: Object<'_>) -> Result<Self> {
        let features = Self::parse(object)?;
        features.check_length()?;
        Ok(features)
    }

    #[expect(clippy::cast_precision_loss, reason = "no data have more frames")]
    fn check_length(&self) -> Result<()> {
        let (shift, duration) = (self.shift, self.duration);
        let Some(rows) = self.place.rows else {
            return Ok(());
        };
        let length = rows as f64 * shift.value();
        match (length - duration.value()).abs() > LENGTH_ROUNDING {
            true => Err(Error::malformed(format!(
                "has {rows} frames of {shift} s, {length:.3} s in all, and a duration of {duration} s"
            ))),
            false => Ok(()),
        }
    }

    /// Parses the features of a cut that was shortened, of which Lhotse's Shar keeps the number of frames
    /// that it had before.
    ///
    /// # Errors
    /// A required field is missing.
    pub(super) fn parse(mut object: Object<'_>) -> Result<Self> {
        let mut time = |name: &str| json::time(object.require(name)?, name);
        let (start, duration, shift) = (time("start")?, time("duration")?, time("frame_shift")?);
        let mut count = |name: &str| {
            let count = object.take(name).map(|raw| json::count(raw, name));
            count.transpose()
        };
        let (rows, cols) = (count("num_frames")?, count("num_features")?);
        let mut text = |name: &str| Ok(json::text(object.require(name)?, name)?.into_owned());
        let place = StoredFeatures {
            store: text("storage_type")?,
            path: text("storage_path")?,
            key: text("storage_key")?,
            rows,
            cols,
        };
        let recording = object
            .take("recording_id")
            .map(|raw| json::text(raw, "recording_id"));
        if shift.is_zero() {
            return Err(Error::malformed("frame_shift is 0"));
        }
        let channels = object.take("channels").map(|raw| raw.get());
        Ok(Self {
            recording: recording.transpose()?.map(|name| name.into_owned()),
            start,
            duration,
            shift,
            channels: channels.map(plain_list),
            rate: object.take_if("sampling_rate", |raw| {
                json::count(raw, "sampling_rate").ok()
            }),
            place,
        })
    }

    /// Returns `true` if the key in the store is a name.
    pub(super) fn is_named(&self) -> bool {
        let store = self.place.store.as_str();
        !matches!(store, "lilcom_chunky" | "shar") && !store.starts_with("memory_")
    }

    /// Returns the recording and the features, if they have no name in the store.
    pub(super) fn nameless(self) -> Option<(String, Self)> {
        let recording = self.recording.clone()?;
        (!self.is_named()).then_some((recording, self))
    }

    /// Returns the last part of their location in the store.
    pub(super) fn name(&self) -> &str {
        let key = &self.place.key;
        let last = key.rsplit('/').next().unwrap_or(key);
        let suffixes = [".npy", ".llc"];
        let stem = suffixes.iter().find_map(|suffix| last.strip_suffix(suffix));
        stem.unwrap_or(last)
    }

    /// Reads the frames of a segment of the recording, or all of them, and sets the frame shift. To a
    /// segment that ends with the recording belong the frames after its end.
    ///
    /// # Errors
    /// They cannot be opened, or the store is not supported.
    pub(super) fn load(
        &self,
        stretch: Option<&RecordingSegment>,
        places: &mut Places,
        stores: &mut Stores,
        utt: &mut Utterance,
    ) -> Result<()> {
        let mut frames = match stretch {
            None => 0..usize::MAX,
            Some(stretch) => self.frames(stretch)?,
        };
        if stretch.is_some_and(|stretch| ends_recording(stretch, utt)) {
            frames.end = usize::MAX;
        }
        utt.features = Some(stores.read(&self.place, frames, places)?);
        utt.meta.frame_shift = Some(self.shift);
        Ok(())
    }

    /// Checks that features are a part of those described, as all columns of some frames.
    ///
    /// # Errors
    /// They have other columns, or more frames.
    pub(super) fn check_part(&self, matrix: &Matrix) -> Result<()> {
        let StoredFeatures { rows, cols, .. } = self.place;
        let (is_rows, is_cols) = (matrix.rows() as u64, matrix.cols() as u64);
        let message = match (rows, cols) {
            (_, Some(told)) if told != is_cols => {
                format!("features of {is_cols} columns, said to be {told}")
            }
            (Some(told), _) if told < is_rows => {
                format!("features of {is_rows} frames, said to be {told}")
            }
            _ => return Ok(()),
        };
        Err(Error::malformed(message))
    }

    /// Returns the frames of a segment, with the rounding of lhotse. The last ones may not exist.
    pub(super) fn frames(&self, stretch: &RecordingSegment) -> Result<Range<usize>> {
        let before = stretch.start.value() - self.start.value();
        if before < -SLACK {
            let message = format!("its features start at {} s, behind its start", self.start);
            return Err(Error::malformed(message));
        }
        check_length(self.duration.value(), before + stretch.duration.value())?;
        let first = self.count(before.max(0.0));
        Ok(first..first.saturating_add(self.count(stretch.duration.value())))
    }

    /// Returns the frames that a number of seconds has.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "casts saturate"
    )]
    fn count(&self, seconds: f64) -> usize {
        let shift = self.shift.value();
        let rate = f64::from(self.rate.unwrap_or_default());
        let hop = (shift * rate).round_ties_even();
        if hop < 1.0 {
            return (seconds / shift + 0.5).floor() as usize;
        }
        let samples = (seconds * rate).round_ties_even();
        ((samples + (hop / 2.0).floor()) / hop).floor() as usize
    }
}

/// Checks that the features of a segment are not much shorter than it, both in seconds.
///
/// # Errors
/// They are.
pub(super) fn check_length(features: f64, segment: f64) -> Result<()> {
    let missing = segment - features;
    match missing > LENGTH_ROUNDING {
        true => {
            let message = format!("its features end {missing:.3} s before its end");
            Err(Error::malformed(message))
        }
        false => Ok(()),
    }
}

/// Returns `true` if a segment ends with the sound of its utterance.
fn ends_recording(stretch: &RecordingSegment, utt: &Utterance) -> bool {
    let Some(Audio::Reference(sound)) = &utt.audio else {
        return false;
    };
    let ends = stretch.end().ok().zip(sound.recording.time());
    ends.is_some_and(|(end, length)| end.value() > length.value() - SLACK)
}

/// Returns a number, or a list of numbers as `0+1`.
fn plain_list(json: &str) -> String {
    let plain = json.replace(|c: char| c != ',' && !c.is_alphanumeric(), "");
    plain.replace(',', "+")
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
