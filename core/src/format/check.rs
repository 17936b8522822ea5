//! Checks of utterances against the capabilities of an output.

use super::{ArrayCaps, Caps, Empty, Keys, Recordings, SegmentCaps, Tags};
use crate::error::{Error, Remedy, Result};
use crate::model::{
    About, Audio, Decimal, Key, Matrix, NamedArray, Rank, Segment, SourceField, Tag, Tier,
    Utterance, Waveform,
};

/// Returns the error for a field that the output does not support.
fn refused(what: impl std::fmt::Display) -> Error {
    Error::not_held(format!("has {what}"))
}

impl SegmentCaps {
    /// Returns the representable time nearest to `time`, or `None` if there is none.
    pub fn held_time(&self, time: Decimal) -> Option<Decimal> {
        match self.ticks {
            None => Some(time),
            Some(rate) => Decimal::near_sample(time.sample(rate)?, rate),
        }
    }

    /// Returns `true` if the times of a segment are representable.
    fn hold_times(&self, segment: &Segment) -> bool {
        let mut times = std::iter::once(segment.start).chain(segment.end);
        times.all(|time| self.held_time(time) == Some(time))
    }
}

impl ArrayCaps {
    /// Returns `true` if an array is stored, with as many others as are allowed.
    fn hold(&self, named: &NamedArray) -> bool {
        let ranks = self.min_rank..=self.max_rank;
        self.dtypes.contains(&named.array.dtype())
            && ranks.contains(&named.array.shape().len())
            && self.name.is_none_or(|name| name == named.name)
    }
}

/// Checks that bytes are UTF-8.
fn check_utf8(bytes: &[u8], what: &str) -> Result<()> {
    std::str::from_utf8(bytes)
        .map(drop)
        .map_err(|_| Error::not_held(format!("{what} is not UTF-8")))
}

impl Caps {
    /// Checks that an output with these capabilities can hold all of `utt`. Writers call it before
    /// they write; they check common properties of utterances themselves.
    ///
    /// # Errors
    /// A field is not supported; the error names it and does not continue by itself.
    pub fn check(&self, utt: &Utterance) -> Result<()> {
        self.check_key(&utt.key)?;
        self.check_features(utt)?;
        self.check_labels(utt)?;
        self.check_audio(utt)?;
        self.check_tiers(utt)?;
        self.check_meta(utt)?;
        if let Some(object) = &utt.object {
            if !self.objects.hold(object.kind()) {
                return Err(refused(format_args!("an object of kind {}", object.kind())));
            }
            let beside = utt.features.is_some() || utt.labels.is_some();
            if beside || utt.others().count() > 1 {
                return Err(Error::unfit("has an object that does not stand alone"));
            }
        }
        if let Some(text) = &utt.text {
            self.check_text(text)?;
        }
        if utt.sequences.is_some() {
            return Err(refused("the frames of several utterances"));
        }
        if !utt.arrays.is_empty() {
            self.check_arrays(&utt.arrays)?;
        }
        if utt.features.is_none() && utt.labels.is_none() && utt.other().is_none() {
            return Err(Error::unfit("has nothing that ").the_format(" can hold"));
        }
        let frames = utt.whole_frames();
        if frames > self.max_rows {
            return Err(Error::unfit(format!("{frames} frames, "))
                .the_format(format!(" holds at most {}", self.max_rows)));
        }
        if frames == 0 && utt.other().is_none() && self.empty == Empty::Refused {
            return Err(Error::not_held("has no frames"));
        }
        Ok(())
    }

    /// Checks that all can be kept that a data set says of itself.
    ///
    /// # Errors
    /// Something has no place; the error names it.
    pub(crate) fn check_about(&self, about: &About) -> Result<()> {
        let lost = about.clone().keep(self.about);
        match lost.first() {
            Some(field) => Err(refused(format_args!("the data set's {}", field.name()))),
            None => Ok(()),
        }
    }

    /// Checks that a name can be kept.
    ///
    /// # Errors
    /// It can't; the error says why.
    pub fn check_key(&self, key: &Key) -> Result<()> {
        match self.keys {
            Keys::Words | Keys::SideFile => key.check_word()?,
            Keys::FileNames => key.check_path()?,
            Keys::None | Keys::FileName | Keys::Any => {}
        }
        if self.utf8 {
            check_utf8(key.as_bytes(), "the key")?;
        }
        (self.key_rule.check)(key)
    }

    fn check_text(&self, text: &[u8]) -> Result<()> {
        if !self.text {
            return Err(refused("text"));
        }
        if self.utf8 {
            check_utf8(text, "the text")?;
        }
        (self.text_rule.check)(text)
    }

    fn check_arrays(&self, arrays: &[NamedArray]) -> Result<()> {
        for (n, named) in arrays.iter().enumerate() {
            let name = named.name.escape_debug();
            if !self.arrays.is_some_and(|caps| caps.hold(named)) {
                let (dtype, rank) = (named.array.dtype(), named.array.shape().len());
                return Err(refused(format_args!(
                    "the array '{name}' of {dtype} and {rank} dimensions"
                )));
            }
            if arrays[..n].iter().any(|other| other.name == named.name) {
                return Err(Error::unfit(format!("has two arrays called '{name}'")));
            }
        }
        let most = self.arrays.map_or(0, |caps| caps.max_count);
        match arrays.len() > most {
            true => Err(Error::unfit(format!("has {} arrays, ", arrays.len()))
                .the_format(format!(" holds at most {most}"))),
            false => Ok(()),
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
        if caps.needs_shift && utt.meta.frame_shift.is_none() {
            let error = Error::unfit("has features whose frame shift is unknown");
            return Err(error.suggest(Remedy::TellFrameShift));
        }
        match caps.cols {
            Some(only) if rows > 0 && cols != only => {
                let error = Error::unfit(format!("has {cols} columns, "));
                let error = error.the_format(format!(" holds {only}"));
                Err(match caps.cols_option {
                    Some(option) => error.hint(format!(
                        "the option {option} sets how many values a frame has"
                    )),
                    None => error,
                })
            }
            _ if cols > caps.max_cols => Err(Error::unfit(format!("{cols} columns, "))
                .the_format(format!(" holds at most {}", caps.max_cols))),
            _ => Ok(()),
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
        match self.holds_label_columns(labels) {
            true => Ok(()),
            false => {
                let cols = labels.cols();
                Err(refused(format_args!("{cols} labels per frame")))
            }
        }
    }

    /// Returns `true` if labels with so many columns are stored.
    pub(crate) fn holds_label_columns(&self, labels: &Matrix) -> bool {
        let cols = labels.cols() as u64;
        let most = self.labels.map_or(0, |caps| caps.max_columns);
        let proper = match labels.rank() {
            Rank::Scalar => false,
            Rank::Vector => cols == 1,
            // A vector, which is all that one column needs, can't say that there is none.
            Rank::Matrix if labels.rows() == 0 => cols > 0 || most > 1,
            Rank::Matrix => cols > 0 || self.columnless,
        };
        proper && cols <= most
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
        if samples.rank() != Rank::Matrix || samples.cols() == 0 || sound.rate == 0 {
            return Err(Error::unfit("has audio without a rate or without channels"));
        }
        if !sound.has_bits(self.audio.bits) {
            return Err(
                Error::unfit(format!("has samples of {}, ", samples.dtype()))
                    .the_format(format!(" holds {} bits of them", self.audio.bits)),
            );
        }
        if samples.cols() as u64 > self.audio.max_channels {
            return Err(Error::unfit(format!("has {} channels, ", samples.cols()))
                .the_format(format!(" holds at most {}", self.audio.max_channels)));
        }
        if self.audio.needs_samples && samples.rows() == 0 {
            return Err(refused("sound without samples"));
        }
        (self.audio.rates.check)(&sound.rate)
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
        if caps.needs_some && tiers.iter().all(|tier| tier.segments.is_empty()) {
            return Err(Error::unfit("has no segments, and so no line in the file"));
        }
        if self.utf8 {
            check_names(tiers)?;
        }
        let mut segments = tiers.iter().flat_map(|tier| &tier.segments);
        let spoken = segments.clone().any(|segment| segment.speaker.is_some());
        let unheld = |segment: &Segment| {
            !segment.is_proper()
                || segment.score.is_some() && !caps.scores
                || segment.speaker.is_some() && !caps.speakers
                || !spoken && caps.spoken
                || segment.end.is_none() && caps.closed
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
            Some(segment) if segment.end.is_none() && caps.closed => {
                let (label, start) = (Key::from(&*segment.label), segment.start);
                Err(Error::not_held(format!(
                    "the segment '{label}' at {start} has no end"
                )))
            }
            Some(segment) if segment.speaker.is_none() => Err(refused("segments without speakers")),
            Some(_) => Err(refused("segments with speakers")),
        }
    }

    fn check_meta(&self, utt: &Utterance) -> Result<()> {
        let meta = &utt.meta;
        if let Some(shift) = &meta.frame_shift {
            if !self.hold_shift(utt) {
                return Err(refused("a frame shift"));
            }
            if !shift.is_positive() {
                let message = format!("has a frame shift of {shift} s, which is not above 0");
                return Err(Error::unfit(message));
            }
            (self.shift_rule.check)(shift)?;
        }
        if meta.frame_offset.is_some() && !self.frame_offset {
            return Err(refused("a frame offset"));
        }
        let unheld = |field: &&SourceField| !self.source.contains(field) && meta.has(**field);
        if meta.has_source()
            && let Some(field) = SourceField::ALL.iter().find(unheld)
        {
            return Err(refused(format_args!("a {}", field.name())));
        }
        if self.utf8 {
            for (field, name) in meta.names() {
                check_utf8(name.as_bytes(), &format!("the {}", field.name()))?;
            }
        }
        let place = [meta.start, meta.end];
        let stretch = meta.recording.is_some() && place.iter().all(Option::is_some);
        if self.recordings == Recordings::Stretches && !stretch {
            return Err(Error::unfit("is not a stretch of a recording"));
        }
        match meta.tags.iter().find(|tag| !self.holds_tag(tag)) {
            Some(tag) => Err(refused(format_args!(
                "the header line {} of {}",
                tag.key.escape_ascii(),
                tag.format
            ))),
            None => Ok(()),
        }
    }

    /// Returns `true` if a tag is stored.
    pub(crate) fn holds_tag(&self, tag: &Tag) -> bool {
        let is_text = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok();
        let any_value = matches!(self.tags, Tags::TextAndOwn(own) if own == tag.format);
        let fits = !self.utf8 || is_text(&tag.key) && (any_value || is_text(&tag.value));
        fits && self.tags.hold(tag)
    }
}

/// Checks that names of tiers and labels are UTF-8.
fn check_names(tiers: &[Tier]) -> Result<()> {
    for tier in tiers {
        check_utf8(&tier.name, "the name of a tier")?;
        let mut segments = tier.segments.iter();
        segments.try_for_each(|segment| check_utf8(&segment.label, "the label of a segment"))?;
    }
    Ok(())
}
