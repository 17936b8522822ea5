//! The only place where data are narrowed or dropped on purpose, measured and reported. Data with
//! two forms, such as segments and frame labels, or text and words, are converted to the form that
//! the target supports.

mod labels;
mod recordings;
mod sound;
mod translate;

use crate::bytes::Env;
use crate::error::{Error, Remedy, Result};
use crate::format::loss::{LossKind, LossPolicy, LossReport};
use crate::format::{Caps, Empty, Keys, SegmentCaps};
use crate::model::{
    About, CastStats, Dtype, Key, Limits, Object, Rank, Segment, SourceField, TagSubject, Tier,
    Utterance,
};
use crate::recording;
use crate::stage::guess::Guess;
use recordings::WholeRecordings;

/// Adapts utterances to the capabilities of a target.
///
/// Every change that loses something is counted in the [report](Adapter::report); the caller
/// refuses the conversion if the policy denies it.
///
/// ```
/// use spr_core::adapt::Adapter;
/// use spr_core::bytes::Env;
/// use spr_core::format::{Caps, Count, FeatureCaps, Keys};
/// use spr_core::loss::LossKind;
/// use spr_core::model::{Dtype, Matrix, Rank, Utterance};
/// let mut caps = Caps::new(Count::Many, Keys::Words);
/// caps.features = Some(FeatureCaps::new(&[Dtype::F32]));
/// let mut adapter = Adapter::new(caps, None, false, &Env::default());
/// let mut utt = Utterance::default();
/// utt.key = "ann-1".into();
/// utt.features = Some(Matrix::from_rows(&[0.25_f64, 0.1], 2, Rank::Matrix)?);
/// adapter.apply(&mut utt)?;
/// assert_eq!(utt.features.as_ref().map(Matrix::dtype), Some(Dtype::F32));
/// adapter.keep();
/// let mut losses = adapter.report().lines().map(|(kind, line)| (kind, line.values, line.of));
/// assert_eq!(losses.next(), Some((LossKind::Precision, 1, 2)));
/// # Ok::<(), spr_core::Error>(())
/// ```
pub struct Adapter {
    caps: Caps,
    /// The element type set by the user.
    dtype: Option<Dtype>,
    /// The type of labels set by the user.
    label_dtype: Option<Dtype>,
    /// Whether the keys are generated.
    keys_generated: bool,
    env: Env,
    report: LossReport,
    first: SharedProperties,
    /// The losses of the current utterance, and the state that it would set.
    now: LossReport,
    next: SharedProperties,
    /// The casts of the current utterance so far, summed over its chunks.
    casts: [CastStats; Cast::COUNT],
    ended: bool,
    whole: WholeRecordings,
    /// The memory for the next sound file.
    fetched: Vec<u8>,
    guess: Guess,
    /// Whether the warning about an unsupported requested type was given.
    told: bool,
}

/// The casts, in order.
#[derive(Clone, Copy)]
enum Cast {
    Labels,
    /// Features, to the requested type.
    Asked,
    /// Features, to a supported type.
    Held,
}

impl Cast {
    const COUNT: usize = 3;
}

/// The properties that the first utterances set for all.
#[derive(Clone, Copy, Default)]
struct SharedProperties {
    dim: Option<usize>,
    dtype: Option<Dtype>,
    label_columns: Option<usize>,
    label_dtype: Option<Dtype>,
    labelled: Option<bool>,
    rate: Option<u32>,
    utterances: u64,
}

impl Adapter {
    /// Creates an adapter for a target with the capabilities `caps`. Features and audio are cast to
    /// `dtype` if given.
    pub fn new(caps: Caps, dtype: Option<Dtype>, keys_generated: bool, env: &Env) -> Self {
        Self {
            caps,
            dtype,
            label_dtype: None,
            keys_generated,
            env: env.clone(),
            report: LossReport::default(),
            first: SharedProperties::default(),
            now: LossReport::default(),
            next: SharedProperties::default(),
            casts: Default::default(),
            ended: true,
            whole: WholeRecordings::default(),
            fetched: Vec::new(),
            guess: Guess::default(),
            told: false,
        }
    }

    /// Casts labels to `dtype` if given. Those beyond it are a loss, unlike features that are asked
    /// to be rounded.
    #[must_use]
    pub fn label_dtype(mut self, dtype: Option<Dtype>) -> Self {
        self.label_dtype = dtype;
        self
    }

    fn limits(&self) -> Limits {
        self.env.limits
    }

    /// Returns the losses of the utterances that were [kept](Self::keep).
    pub fn report(&self) -> &LossReport {
        &self.report
    }

    /// Takes of what a data set says of itself what the target has no place for, which is a loss of
    /// the data set and not of its utterances.
    pub fn fit_about(&mut self, about: &mut About) {
        for field in about.keep(self.caps.about) {
            let what = format!("the data set's {}", field.name());
            self.report.add_of_dataset(LossKind::Metadata, &what);
        }
    }

    /// Returns `true` if `policy` denies a loss of them, or of the last adapted utterance.
    pub fn is_denied(&self, policy: &LossPolicy) -> bool {
        self.report.is_denied(policy) || self.now.is_denied(policy)
    }

    /// Returns the error for losses of the last adapted utterance that `policy` denies; `target`
    /// names the format.
    pub fn denied(&self, policy: &LossPolicy, target: &str) -> Option<Error> {
        self.now.denied(policy, target)
    }

    /// Returns the error for losses of the last adapted utterance that `policy` denies, if the target
    /// has no place at all for some of it.
    pub fn denied_at_once(&self, policy: &LossPolicy, target: &str) -> Option<Error> {
        self.now.denied_at_once(policy, target)
    }

    /// Counts the losses of the last adapted utterance, and makes it a model for the next ones. An
    /// utterance that is not stored must not be kept.
    pub fn keep(&mut self) {
        self.first = self.next;
        self.whole.keep();
        // The losses of the last chunk include those of the others.
        if self.ended && !self.now.is_empty() {
            self.report.append(&std::mem::take(&mut self.now));
        }
    }

    /// Adapts an utterance, and checks that it matches those that were kept.
    ///
    /// # Errors
    /// The target cannot hold it in any form, or it does not match the ones before; the error [can
    /// continue](Error::can_continue).
    pub fn apply(&mut self, utt: &mut Utterance) -> Result<()> {
        self.next = self.first;
        self.now = LossReport::default();
        self.ended = utt.ends();
        if utt.starts() {
            self.casts = Default::default();
        }
        self.fit(utt)
            .map_err(|e| e.utterance(&utt.key).continuable())
    }

    fn fit(&mut self, utt: &mut Utterance) -> Result<()> {
        self.check_agreement(utt)?;
        self.fit_key(utt)?;
        if utt.sequences.take().is_some() {
            self.now.add(LossKind::Boundaries, &utt.key, None);
        }
        let Self {
            caps,
            guess,
            now,
            env,
            ..
        } = self;
        let untranslated = translate::translate(utt, caps, guess, now, env)?;
        self.fit_labels(utt)?;
        self.fit_features(utt)?;
        self.whole.check(utt, &self.caps)?;
        recordings::fit(utt, &self.caps, &mut self.now, &self.env)?;
        if self.caps.audio.references {
            recording::settle(utt, self.caps.audio.first_seconds, &self.env)?;
        }
        self.fit_meta(utt);
        let other = utt.other().map(str::to_owned);
        let unsplit = translate::unsplit(utt, &self.caps);
        self.fit_others(utt, untranslated.as_deref())?;
        if utt.features.is_none() && utt.labels.is_none() && utt.other().is_none() {
            return Err(match unsplit {
                Some(why) => Error::unfit(format!("holds only text {why}, "))
                    .the_format(" holds it as words with single blanks between them"),
                None => self.nothing_left(other.as_deref(), untranslated),
            });
        }
        if utt.whole_frames() > self.caps.max_rows {
            return Err(Error::unfit(format!("{} frames, ", utt.whole_frames()))
                .the_format(format!(" holds at most {}", self.caps.max_rows)));
        }
        if utt.frames() == 0 && utt.other().is_none() && self.caps.empty == Empty::Refused {
            return Err(Error::not_held("has no frames"));
        }
        self.next.utterances += u64::from(self.ended);
        Ok(())
    }

    /// Counts the changes of a cast, added to those of the chunks before.
    fn count(&mut self, cast: Cast, key: &Key, stats: &CastStats) {
        if let Some(all) = self.casts.get_mut(cast as usize) {
            all.add(stats);
            self.now.add_cast(key, all);
        }
    }

    /// Returns the error for an utterance of which nothing can be stored. `other` names a field
    /// besides features and labels, and `untranslated` is the reason why segments cannot become
    /// frame labels.
    fn nothing_left(&self, other: Option<&str>, untranslated: Option<String>) -> Error {
        if let Some(why) = untranslated {
            let message = "holds segments, and no frame labels in their place";
            return Error::unfit(format!("{message}: {why}"));
        }
        let nothing = || Error::unfit("holds nothing that ").the_format(" can store");
        match (other, self.caps.labels) {
            (Some(what), _) => Error::not_held(format!("holds only {what}"))
                .suggest(Remedy::ListFormats(what.to_owned().into())),
            (None, Some(caps)) if !caps.alone => Error::unfit("holds labels alone, ")
                .the_format(" only beside features")
                .suggest(Remedy::JoinLabels),
            (None, None) => nothing().suggest(Remedy::ListFormats("labels".into())),
            _ => nothing(),
        }
    }

    /// Checks that features and labels of an utterance have the same number of frames.
    fn check_agreement(&self, utt: &Utterance) -> Result<()> {
        match (&utt.features, &utt.labels) {
            (Some(f), Some(l)) if f.rows() != l.rows() => Err(Error::unfit(format!(
                "{} frames of features, but labels for {}",
                f.rows(),
                l.rows()
            ))),
            _ => Ok(()),
        }
    }

    fn fit_others(&mut self, utt: &mut Utterance, untranslated: Option<&str>) -> Result<()> {
        if let Some(object) = &utt.object
            && !self.caps.objects.hold(object.kind())
        {
            let (what, has) = match object {
                Object::Tokens(_) => ("text", "has text".to_owned()),
                _ => {
                    let kind = object.kind();
                    (kind, format!("holds an object of kind {kind}"))
                }
            };
            let remedy = Remedy::ListFormats(what.to_owned().into());
            return Err(Error::not_held(has).suggest(remedy));
        }
        match self.caps.segments {
            Some(caps) => fit_tiers(utt, caps, &mut self.now)?,
            None if utt.tiers.is_empty() => {}
            None => {
                self.now.add(LossKind::Segments, &utt.key, untranslated);
                utt.tiers.clear();
            }
        }
        if utt.text.is_some() && !self.caps.text {
            self.now.add(LossKind::Text, &utt.key, None);
            utt.text = None;
        }
        self.fit_blanks(utt);
        self.fit_arrays(utt)?;
        self.fit_audio(utt)
    }

    /// Puts a single blank between the words of a text that the target does not hold with the blanks
    /// that it has, if it holds it so.
    fn fit_blanks(&mut self, utt: &mut Utterance) {
        let rule = self.caps.text_rule;
        let Some(text) = utt.text.as_mut().filter(|text| !rule.fits(text)) else {
            return;
        };
        let plain = with_single_blanks(text);
        if plain != *text && rule.fits(&plain) {
            *text = plain;
            self.now
                .add(LossKind::Metadata, &utt.key, Some("blanks of the text"));
        }
    }

    fn fit_arrays(&mut self, utt: &mut Utterance) -> Result<()> {
        let Utterance { key, arrays, .. } = utt;
        let mut kept = Vec::with_capacity(arrays.len());
        for mut named in arrays.drain(..) {
            let rank = named.array.shape().len();
            let Some(caps) = self.caps.arrays.filter(|caps| rank <= caps.max_rank) else {
                self.now.add(LossKind::Arrays, key, Some(&named.name));
                continue;
            };
            if let Some(target) = target_dtype(named.array.dtype(), caps.dtypes) {
                let limits = self.limits();
                let stats = named.array.values_mut().cast(target, &limits)?;
                self.now.add_cast(key, &stats);
            }
            kept.push(named);
        }
        *arrays = kept;
        Ok(())
    }

    fn fit_key(&mut self, utt: &Utterance) -> Result<()> {
        match self.caps.keys {
            Keys::None => {
                if !self.keys_generated {
                    self.now.add(LossKind::Keys, &utt.key, None);
                }
                if !self.caps.boundaries && self.next.utterances == 1 {
                    self.now.add(LossKind::Boundaries, &utt.key, None);
                }
                Ok(())
            }
            Keys::Words | Keys::SideFile => utt.key.check_word(),
            Keys::FileNames => utt.key.check_path(),
            Keys::FileName | Keys::Any => Ok(()),
        }
    }

    fn fit_features(&mut self, utt: &mut Utterance) -> Result<()> {
        let Some(features) = &mut utt.features else {
            return Ok(());
        };
        let Some(caps) = self.caps.features else {
            return Err(
                Error::not_held("has features").suggest(Remedy::ListFormats("features".into()))
            );
        };
        let kept = match features.rank() {
            Rank::Matrix => true,
            Rank::Vector => caps.vectors,
            Rank::Scalar => caps.scalars,
        };
        if !kept {
            self.now.add(LossKind::Rank, &utt.key, None);
            features.reshape(Rank::Matrix, features.rows(), features.cols())?;
        }
        if let Some(asked) = self.dtype {
            let stats = features.cast(asked, &self.env.limits)?;
            self.count(Cast::Asked, &utt.key, &stats);
        }
        let held = match self.next.dtype.filter(|_| caps.same_dtype) {
            Some(first) if features.dtype() != first => {
                if !features.dtype().fits(first) && !first.is_float() {
                    return Err(Error::unfit(format!(
                        "holds {}, the utterances before it have {first}",
                        features.dtype()
                    ))
                    .suggest(Remedy::OneType));
                }
                Some(first)
            }
            _ => target_dtype(features.dtype(), caps.dtypes),
        };
        if let Some(target) = held {
            let stats = features.cast(target, &self.env.limits)?;
            self.count(Cast::Held, &utt.key, &stats);
        }
        let Some(features) = &utt.features else {
            return Ok(());
        };
        let dtype = features.dtype();
        self.next.dtype.get_or_insert(dtype);
        self.tell_type(dtype, &utt.key);
        self.fit_shape(utt)
    }

    /// Warns once if values are not written in the type that was asked for.
    fn tell_type(&mut self, written: Dtype, key: &Key) {
        if let Some(asked) = self.dtype.filter(|asked| *asked != written)
            && !std::mem::replace(&mut self.told, true)
        {
            let message =
                format!("the format holds no {asked}: rounded to it, written as {written}");
            self.env.warn(&Error::unfit(message).utterance(key));
        }
    }

    fn fit_shape(&mut self, utt: &mut Utterance) -> Result<()> {
        let (Some(caps), Some(features)) = (self.caps.features, &mut utt.features) else {
            return Ok(());
        };
        let cols = features.cols();
        let is_empty = features.rows() == 0;
        if is_empty
            && self.caps.empty == Empty::Shapeless
            && cols > 0
            && features.rank() == Rank::Matrix
        {
            self.now.add(
                LossKind::Metadata,
                &utt.key,
                Some("columns of an empty matrix"),
            );
            features.reshape(Rank::Matrix, 0, 0)?;
            return Ok(());
        }
        if cols as u64 > caps.max_cols {
            let most = caps.max_cols;
            return Err(Error::unfit(format!("{cols} columns, "))
                .the_format(format!(" holds at most {most}")));
        }
        if caps.same_dim && !is_empty {
            let dim = *self.next.dim.get_or_insert(cols);
            if dim != cols {
                return Err(Error::unfit(format!(
                    "{cols} columns, the utterances before it have {dim}"
                )));
            }
        }
        Ok(())
    }

    fn fit_meta(&mut self, utt: &mut Utterance) {
        let holds_shift = self.caps.hold_shift(utt);
        let Utterance { key, meta, .. } = utt;
        if !holds_shift && meta.frame_shift.take().is_some() {
            self.now.add(LossKind::Metadata, key, Some("frame shift"));
        }
        if !self.caps.frame_offset && meta.frame_offset.take().is_some() {
            self.now.add(LossKind::Metadata, key, Some("frame offset"));
        }
        let sources = match meta.has_source() {
            true => SourceField::ALL,
            false => &[],
        };
        for field in sources {
            if !self.caps.source.contains(field) && meta.has(*field) {
                self.now.add(LossKind::Metadata, key, Some(field.name()));
                meta.clear_field(*field);
            }
        }
        let report = &mut self.now;
        let caps = &self.caps;
        let mut lost = false;
        meta.tags.retain(|tag| {
            let kept = caps.holds_tag(tag);
            if !kept && !lost && tag.about != Some(TagSubject::Key) {
                lost = true;
                report.add(LossKind::Metadata, key, Some("header lines"));
            }
            kept
        });
    }
}

/// Returns the words of a text with single blanks between them. What ends a line is no blank.
fn with_single_blanks(text: &[u8]) -> Vec<u8> {
    let is_blank = |c: char| c.is_whitespace() && !crate::text::ends_line(c);
    match std::str::from_utf8(text) {
        Ok(text) => {
            let words = text.split(is_blank).filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(" ").into_bytes()
        }
        Err(_) => {
            let words = text.split(|byte| is_blank((*byte).into()) && byte.is_ascii());
            let words = words.filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(&b' ')
        }
    }
}

/// Drops tiers, or text beside segments, that the target does not support, and adapts the segments.
fn fit_tiers(utt: &mut Utterance, caps: SegmentCaps, report: &mut LossReport) -> Result<()> {
    let plain = matches!(utt.tiers.as_slice(), [] | [_]) && utt.tiers.iter().all(Tier::is_plain);
    if !caps.tiers && !plain {
        let names = utt.tiers.iter().map(|tier| &tier.name);
        let names = names.filter(|name| !name.is_empty());
        let names: Vec<_> = names.map(|name| name.escape_ascii().to_string()).collect();
        let what = (!names.is_empty()).then(|| names.join(", "));
        report.add(LossKind::Tiers, &utt.key, what.as_deref());
        utt.tiers.truncate(1);
        for tier in &mut utt.tiers {
            (tier.name, tier.points) = (Box::default(), false);
        }
    }
    if !caps.beside_text && !utt.tiers.is_empty() && utt.text.take().is_some() {
        report.add(LossKind::Text, &utt.key, None);
    }
    let mut segments = utt.tiers.iter().flat_map(|tier| &tier.segments);
    let are_turns = caps.spoken && segments.all(|segment| segment.speaker.is_none());
    let segments = utt.tiers.iter_mut().flat_map(|tier| &mut tier.segments);
    let mut times = CastStats::default();
    for segment in segments {
        if are_turns {
            segment.speaker = Some(segment.label.clone());
        }
        fit_segment(segment, caps, &utt.key, &mut times, report)?;
    }
    report.add_rounding(&utt.key, &times, "times of segments in seconds");
    Ok(())
}

/// Drops the fields of a segment that the target does not support, and rounds its times, of which
/// `times` keeps the measure.
fn fit_segment(
    segment: &mut Segment,
    caps: SegmentCaps,
    key: &Key,
    times: &mut CastStats,
    report: &mut LossReport,
) -> Result<()> {
    if !caps.scores && segment.score.take().is_some() {
        report.add(LossKind::Scores, key, None);
    }
    let speaker = segment.speaker.take_if(|_| !caps.speakers);
    // If the label is the speaker's name, nothing is lost.
    if speaker.is_some_and(|speaker| speaker != segment.label) {
        report.add(LossKind::Speakers, key, None);
    }
    for time in std::iter::once(&mut segment.start).chain(&mut segment.end) {
        let held = caps.held_time(*time);
        let held = held.ok_or_else(|| Error::unfit(format!("the time {time} is too large")))?;
        times.values += 1;
        if held != *time {
            let change = held.minus(*time).map_or(0.0, |change| change.value().abs());
            times.changed += 1;
            times.max_abs_err = times.max_abs_err.max(change);
            *time = held;
        }
    }
    Ok(())
}

/// Returns the type to cast to, if `from` is not among `held`: of those that hold all its values,
/// the first one of the same kind; otherwise the one with most digits, preferably of the same kind.
fn target_dtype(from: Dtype, held: &[Dtype]) -> Option<Dtype> {
    if held.contains(&from) {
        return None;
    }
    let unlike = |to: Dtype| {
        (
            from.is_float() != to.is_float(),
            from.is_signed() != to.is_signed(),
        )
    };
    let exact = held.iter().copied().filter(|to| from.fits(*to));
    exact.min_by_key(|to| unlike(*to)).or_else(|| {
        held.iter()
            .copied()
            .max_by_key(|to| (from.is_float() && to.is_float(), to.digits()))
    })
}
