//! Whether an output can hold an utterance as it is.

use super::{Caps, Empty, Keys, Recordings, SegmentCaps};
use crate::model::{Audio, Decimal, Matrix, Meta, Rank, Segment, SourceField, Utterance, Waveform};
use crate::{Error, Result};

/// The error for something that has no place in the output.
fn refused(what: impl std::fmt::Display) -> Error {
    Error::unfit(format!("has {what}, which the format can't hold"))
}

impl SegmentCaps {
    /// The time of a tick that is nearest to `time`, which it is where any time is held; `None`
    /// if there is none.
    pub(crate) fn held_time(&self, time: Decimal) -> Option<Decimal> {
        match self.ticks {
            None => Some(time),
            Some(rate) => Decimal::near_sample(time.sample(rate)?, rate),
        }
    }

    /// Whether the times of a segment are held as they are.
    fn hold_times(&self, segment: &Segment) -> bool {
        let mut times = std::iter::once(segment.start).chain(segment.end);
        times.all(|time| self.held_time(time) == Some(time))
    }
}

impl Caps {
    /// Checks that an output of these capabilities can hold all of `utt`. Writers call it before
    /// they write; what utterances must have in common is theirs to check.
    ///
    /// # Errors
    /// Something of it has no place; the error names it and can't continue by itself.
    pub fn check(&self, utt: &Utterance) -> Result<()> {
        self.check_key(utt)?;
        self.check_features(utt)?;
        self.check_labels(utt)?;
        self.check_audio(utt)?;
        self.check_tiers(utt)?;
        self.check_meta(&utt.meta)?;
        if let Some(object) = &utt.object {
            if !self.objects.hold(object.kind()) {
                return Err(refused(format_args!("an object of kind {}", object.kind())));
            }
            let beside = utt.features.is_some() || utt.labels.is_some();
            if beside || utt.others().count() > 1 {
                return Err(Error::unfit("has an object that does not stand alone"));
            }
        }
        if utt.text.is_some() && !self.text {
            return Err(refused("text"));
        }
        if utt.sequences.is_some() {
            return Err(refused("the frames of several utterances"));
        }
        for named in &utt.arrays {
            let (dtype, shape) = (named.array.dtype(), named.array.shape());
            let held = self
                .arrays
                .is_some_and(|caps| caps.dtypes.contains(&dtype) && shape.len() <= caps.max_rank);
            if !held {
                let name = named.name.escape_debug();
                return Err(refused(format_args!(
                    "the array '{name}' of {dtype} and {} dimensions",
                    shape.len()
                )));
            }
        }
        if utt.features.is_none() && utt.labels.is_none() && utt.other().is_none() {
            return Err(Error::unfit("has nothing that the format can hold"));
        }
        let frames = utt.whole_frames();
        if frames > self.max_rows {
            return Err(Error::unfit(format!(
                "{frames} frames, the format holds at most {}",
                self.max_rows
            )));
        }
        if frames == 0 && utt.other().is_none() && self.empty == Empty::Refused {
            return Err(Error::unfit("has no frames, which the format can't hold"));
        }
        Ok(())
    }

    fn check_key(&self, utt: &Utterance) -> Result<()> {
        match self.keys {
            Keys::Words | Keys::SideFile => utt.key.check_word(),
            Keys::None | Keys::FileNames | Keys::Any => Ok(()),
        }
    }

    fn check_features(&self, utt: &Utterance) -> Result<()> {
        let Some(features) = &utt.features else {
            return Ok(());
        };
        let Some(caps) = self.features else {
            return Err(refused("features"));
        };
        let (rows, cols) = (features.rows() as u64, features.cols() as u64);
        if !caps.dtypes.contains(&features.dtype()) {
            return Err(refused(format_args!("features of {}", features.dtype())));
        }
        let (kept, proper) = match features.rank() {
            Rank::Matrix => (true, true),
            Rank::Vector => (caps.vectors, cols == 1),
            Rank::Scalar => (caps.scalars, rows == 1 && cols == 1),
        };
        if !kept {
            return Err(refused(match features.rank() {
                Rank::Scalar => "a single number",
                Rank::Vector | Rank::Matrix => "features that are not a matrix",
            }));
        }
        if !proper {
            return Err(Error::unfit(format!(
                "has {features:?}, which is not a proper shape"
            )));
        }
        if rows > 0 && cols == 0 && !self.columnless {
            return Err(refused("frames of 0 columns"));
        }
        if rows == 0
            && cols > 0
            && features.rank() == Rank::Matrix
            && self.empty == Empty::Shapeless
        {
            return Err(refused("columns but no frames"));
        }
        match cols > caps.max_cols {
            true => Err(Error::unfit(format!(
                "{cols} columns, the format holds at most {}",
                caps.max_cols
            ))),
            false => Ok(()),
        }
    }

    fn check_labels(&self, utt: &Utterance) -> Result<()> {
        let Some(labels) = &utt.labels else {
            return Ok(());
        };
        let Some(caps) = self.labels else {
            return Err(refused("labels"));
        };
        match &utt.features {
            Some(_) if !caps.with_features => return Err(refused("features and labels together")),
            None if !caps.alone => return Err(refused("labels without features")),
            Some(features) if features.rows() != labels.rows() => {
                return Err(Error::unfit(format!(
                    "{} frames of features, but labels for {}",
                    features.rows(),
                    labels.rows()
                )));
            }
            _ => {}
        }
        if !caps.dtypes.contains(&labels.dtype()) {
            return Err(refused(format_args!("labels of {}", labels.dtype())));
        }
        let cols = labels.cols() as u64;
        let proper = match labels.rank() {
            Rank::Scalar => false,
            Rank::Vector => cols == 1,
            Rank::Matrix => cols > 0 || labels.rows() == 0 || self.columnless,
        };
        match proper && cols <= caps.max_columns {
            true => Ok(()),
            false => Err(refused(format_args!("{cols} labels per frame"))),
        }
    }

    fn check_audio(&self, utt: &Utterance) -> Result<()> {
        match &utt.audio {
            None => Ok(()),
            Some(Audio::Samples(sound)) => self.check_samples(sound),
            Some(Audio::Encoded(encoded)) => {
                match self.audio.encoded.contains(&encoded.format.as_str()) {
                    true => Ok(()),
                    false => Err(refused(format_args!("a {} file", encoded.format))),
                }
            }
            Some(Audio::Reference(_)) if self.audio.references => Ok(()),
            Some(Audio::Reference(_)) => Err(refused("sound that is somewhere else")),
        }
    }

    fn check_samples(&self, sound: &Waveform) -> Result<()> {
        let samples: &Matrix = &sound.samples;
        if self.audio.dtypes.is_empty() {
            return Err(refused("audio"));
        }
        if !self.audio.dtypes.contains(&samples.dtype()) {
            return Err(refused(format_args!("samples of {}", samples.dtype())));
        }
        match samples.rank() == Rank::Matrix && samples.cols() > 0 && sound.rate > 0 {
            true => Ok(()),
            false => Err(Error::unfit("has audio without a rate or without channels")),
        }
    }

    fn check_tiers(&self, utt: &Utterance) -> Result<()> {
        let tiers = utt.tiers.as_slice();
        if tiers.is_empty() {
            return Ok(());
        }
        let Some(caps) = self.segments else {
            return Err(refused("segments"));
        };
        if !caps.tiers && !matches!(tiers, [only] if only.is_plain()) {
            return Err(refused("tiers of segments with names"));
        }
        if !caps.beside_text && utt.text.is_some() {
            return Err(refused("text beside segments"));
        }
        let mut segments = tiers.iter().flat_map(|tier| &tier.segments);
        let unheld = |segment: &Segment| {
            !segment.is_proper()
                || segment.score.is_some() && !caps.scores
                || segment.speaker.is_some() && !caps.speakers
                || segment.speaker.is_none() && caps.spoken
                || !caps.hold_times(segment)
        };
        match segments.find(|segment| unheld(segment)) {
            None => Ok(()),
            Some(segment) if !segment.is_proper() => {
                Err(Error::unfit("has segments whose times are not in order"))
            }
            Some(segment) if segment.score.is_some() && !caps.scores => {
                Err(refused("segments with scores"))
            }
            Some(segment) if !caps.hold_times(segment) => {
                Err(refused("times between those that it counts"))
            }
            Some(segment) if segment.speaker.is_none() => Err(refused("segments without speakers")),
            Some(_) => Err(refused("segments with speakers")),
        }
    }

    fn check_meta(&self, meta: &Meta) -> Result<()> {
        if meta.frame_shift.is_some() && !self.frame_shift {
            return Err(refused("a frame shift"));
        }
        if meta.frame_offset.is_some() && !self.frame_offset {
            return Err(refused("a frame offset"));
        }
        let unheld = |field: &&SourceField| !self.source.contains(field) && meta.has(**field);
        if let Some(field) = SourceField::ALL.iter().find(unheld) {
            return Err(refused(format_args!("a {}", field.name())));
        }
        let place = [meta.start, meta.end];
        let stretch = meta.recording.is_some() && place.iter().all(Option::is_some);
        if self.recordings == Recordings::Stretches && !stretch {
            return Err(Error::unfit("is not a stretch of a recording"));
        }
        match meta.tags.iter().find(|tag| !self.tags.hold(tag)) {
            Some(tag) => Err(refused(format_args!(
                "the header line {} of {}",
                tag.key.escape_ascii(),
                tag.format
            ))),
            None => Ok(()),
        }
    }
}
