//! Joining of labels from a second data set.

mod label_store;
mod lookup;
mod segments;
mod text;
mod tolerance;

use crate::bytes::Env;
use crate::error::{Error, Remedy, Result};
use crate::format::{OpenedDataset, Reader};
use crate::model::{
    DatasetInfo, Decimal, FrameGrid, Key, Matrix, Meta, Object, Rank, Segment, Tier, Utterance,
};
use crate::stage::guess::Guess;
use crate::tables::KeyMap;
use lookup::{Lookup, LookupOutcome, Main};
pub(super) use segments::cut_tiers;
pub use text::JoinText;
use tolerance::Tolerance;

/// Adds the labels of a second data set to the utterances with the same key, or with the key that a
/// table maps to. Segments that tile the frames and have integers as labels count as frame labels,
/// and so does a single integer for a single frame. Their frames are those of their own data set,
/// otherwise those of the utterance, otherwise of the [default](FrameGrid::USUAL_SHIFT) shift.
///
/// An utterance with features gets frame labels unless segments are [wanted](Self::as_segments); one
/// without gets segments unchanged.
///
/// If there are no labels with the key of an utterance that is a segment of a recording, those of
/// the recording, or of `RECORDING-CHANNEL`, are used: their segments within the utterance, with
/// shifted times.
///
/// Labels with [lookup](OpenedDataset::Table) are read on demand. Others are read once, sequentially, and
/// stored in memory or in a temporary file, because the order of utterances may differ and keys may
/// be used repeatedly. A repeated key with different labels is an error, whether it is used or not.
pub struct JoinLabels {
    main: Main,
    labels: Lookup,
    name: String,
    map: Option<KeyMap>,
    tolerance: Tolerance,
    /// Whether times of segments are rounded to whole frames.
    rounded: bool,
    /// Keeps segments in utterances with features, instead of frame labels.
    as_segments: bool,
    guess: Guess,
    next: Utterance,
    env: Env,
    /// Whether the remaining labels were checked after the last utterance.
    over: bool,
}

/// The labels of one utterance.
enum FoundLabels {
    Frames(Matrix),
    /// Segments, and the grid of their frames, if known.
    Tiers(Vec<Tier>, Option<FrameGrid>),
}

impl FoundLabels {
    /// Takes them out of an utterance.
    fn take(from: &mut Utterance) -> Option<Self> {
        let tiers = std::mem::take(&mut from.tiers);
        // A single integer is the label of one frame.
        if let (None, Some(Object::Int(label))) = (&from.labels, from.object.take()) {
            return Matrix::from_rows(&[label], 1, Rank::Vector)
                .ok()
                .map(Self::Frames);
        }
        match from.labels.take() {
            Some(labels) => Some(Self::Frames(labels)),
            None if tiers.is_empty() => None,
            None => Some(Self::Tiers(tiers, FrameGrid::of(&from.meta))),
        }
    }

    /// Moves them to `utt`.
    fn give(self, utt: &mut Utterance, how: &mut Framing) -> Result<()> {
        match self {
            Self::Frames(_) if utt.labels.is_some() => return Err(labelled()),
            Self::Frames(labels) => utt.labels = Some(labels),
            Self::Tiers(..) if !how.frames_for(utt) && !utt.tiers.is_empty() => {
                return Err(Error::unfit("has segments already"));
            }
            Self::Tiers(tiers, _) if !how.frames_for(utt) => utt.tiers = tiers,
            Self::Tiers(tiers, grid) => {
                let tier = only(tiers)?;
                utt.labels = Some(frames(tier, grid, utt, how)?);
            }
        }
        Ok(())
    }
}

/// Returns the only tier.
fn only(tiers: Vec<Tier>) -> Result<Tier> {
    <[Tier; 1]>::try_from(tiers)
        .map(|[tier]| tier)
        .map_err(|tiers| {
            let message = format!("has {} tiers of segments, expected one", tiers.len());
            let names = tiers.iter().map(|tier| Key::from(&*tier.name).to_string());
            Error::unfit(message).suggest(Remedy::PickTier(names.collect()))
        })
}

/// The parameters for converting segments to frame labels.
struct Framing<'a> {
    /// Whether labels keep their own number of frames.
    lenient: bool,
    rounded: bool,
    as_segments: bool,
    guess: &'a mut Guess,
    env: &'a Env,
}

impl Framing<'_> {
    /// Returns `true` if segments become frame labels of an utterance.
    fn frames_for(&self, utt: &Utterance) -> bool {
        utt.features.is_some() && !self.as_segments
    }
}

/// Returns the labels of a tier for the frames of `utt`.
fn frames(
    mut tier: Tier,
    grid: Option<FrameGrid>,
    utt: &Utterance,
    how: &mut Framing,
) -> Result<Matrix> {
    let own = FrameGrid::of(&utt.meta);
    if let (Some(own), Some(grid)) = (&own, &grid)
        && own.shift() != grid.shift()
    {
        return Err(Error::unfit(format!(
            "frames of {} s, but the segments count frames of {} s",
            own.shift(),
            grid.shift()
        )));
    }
    let grid = grid.or(own);
    let grid = grid.unwrap_or_else(|| how.guess.usual(&utt.key, how.env));
    if how.rounded {
        segments::round(&mut tier.segments, &grid);
    }
    let frames = utt.features.as_ref().map(|f| f.rows() as u64);
    let ends = tier.segments.last().is_some_and(|last| last.end.is_some());
    let frames = frames.filter(|_| !(how.lenient && ends));
    Segment::labels(&tier.segments, &grid, frames, &how.env.limits)
}

fn labelled() -> Error {
    Error::usage("has labels already").suggest(Remedy::LeaveOutLabels)
}

fn twice(key: &Key) -> Error {
    Error::malformed("has labels twice, and they differ").utterance(key)
}

/// Takes the labels out of an utterance.
fn labels_of(next: &mut Utterance) -> Utterance {
    Utterance {
        key: next.key.clone(),
        labels: next.labels.take(),
        tiers: std::mem::take(&mut next.tiers),
        object: next.object.take().filter(|o| matches!(o, Object::Int(_))),
        meta: Meta {
            frame_shift: next.meta.frame_shift,
            frame_offset: next.meta.frame_offset,
            channel: next.meta.channel.take(),
            ..Meta::default()
        },
        ..Utterance::default()
    }
}

impl JoinLabels {
    /// Joins `labels` to `main`; `name` is the source of the labels for messages.
    pub fn new(
        main: Box<dyn Reader>,
        labels: OpenedDataset,
        name: impl Into<String>,
        env: &Env,
    ) -> Self {
        Self {
            main: Main::new(main),
            labels: Lookup::new(labels, labels_of, env.limits),
            name: name.into(),
            map: None,
            tolerance: Tolerance::default(),
            rounded: false,
            as_segments: false,
            guess: Guess::default(),
            next: Utterance::default(),
            env: env.clone(),
            over: false,
        }
    }

    /// Looks labels up by the value of `map` for the key of an utterance, such as its speaker,
    /// before the key itself.
    #[must_use]
    pub fn mapped(self, map: KeyMap) -> Self {
        Self {
            map: Some(map),
            ..self
        }
    }

    /// Accepts labels that differ by up to `frames` frames in number: the longer of both is cut at
    /// its end, and a final warning counts the cases.
    #[must_use]
    pub fn tolerant(self, frames: u64) -> Self {
        Self {
            tolerance: Tolerance::of(frames),
            ..self
        }
    }

    /// Rounds the times of segments to whole frames, if `rounded` is set.
    #[must_use]
    pub fn rounded(self, rounded: bool) -> Self {
        Self { rounded, ..self }
    }

    /// Keeps segments in utterances with features if `as_segments` is set, instead of frame labels.
    #[must_use]
    pub fn as_segments(self, as_segments: bool) -> Self {
        Self {
            as_segments,
            ..self
        }
    }

    /// Reads the labels of `key`, and returns `false` if there are none.
    fn look_up(&mut self, key: &Key) -> Result<bool> {
        match self.labels.find(key, &mut self.next)? {
            LookupOutcome::Found => Ok(true),
            LookupOutcome::Missing => Ok(false),
            LookupOutcome::Twice => Err(twice(&self.next.key).file(&self.name)),
        }
    }

    /// Reads the labels of the recording of `utt`, and keeps those within the utterance. Returns
    /// `false` if there are none.
    fn look_up_recording(&mut self, utt: &Utterance) -> Result<bool> {
        let meta = &utt.meta;
        let Some(recording) = &meta.recording else {
            return Ok(false);
        };
        let of_channel = |channel: &Key| {
            let name = [recording.as_bytes(), b"-", channel.as_bytes()].concat();
            Key::from(name)
        };
        let of_channel = meta.channel.as_ref().map(of_channel);
        for name in std::iter::once(recording).chain(&of_channel) {
            if !self.look_up(name)? {
                continue;
            }
            let other = self.next.meta.channel.as_ref();
            if meta
                .channel
                .as_ref()
                .zip(other)
                .is_some_and(|(a, b)| a != b)
            {
                continue;
            }
            let wrong = |error: Error| error.utterance(&utt.key).file(&self.name).continuable();
            if self.next.labels.is_some() {
                let message = format!("the labels of its recording {name} are those of frames");
                return Err(wrong(Error::unfit(message)));
            }
            let start = meta.start.unwrap_or(Decimal::ZERO);
            let tiers = cut_tiers(&self.next.tiers, start, meta.end);
            self.next.tiers = tiers.map_err(wrong)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Moves the labels for `utt` into it.
    fn find(&mut self, utt: &mut Utterance) -> Result<()> {
        let key = match &self.map {
            Some(map) => map.get(&utt.key)?.clone(),
            None => utt.key.clone(),
        };
        let there = match &self.map {
            Some(_) => self.look_up(&key)? || self.look_up(&utt.key)?,
            None => self.look_up(&key)? || self.look_up_recording(utt)?,
        };
        let (name, next) = (&self.name, &mut self.next);
        if !there {
            let missing = match &self.map {
                Some(_) => format!("no labels for {key} in {name}"),
                None => format!("no labels in {name}"),
            };
            return Err(Error::unfit(missing).utterance(&utt.key).continuable());
        }
        let is_text = next.said().is_some();
        let found = FoundLabels::take(next).ok_or_else(|| {
            let error = match is_text {
                true => Error::unfit("holds text, not labels").suggest(Remedy::JoinText),
                false => Error::unfit("holds no labels"),
            };
            error.utterance(&key).file(name).continuable()
        })?;
        let given = found.give(
            utt,
            &mut Framing {
                lenient: self.tolerance.most > 0,
                rounded: self.rounded,
                as_segments: self.as_segments,
                guess: &mut self.guess,
                env: &self.env,
            },
        );
        given.map_err(|e| e.utterance(&utt.key).file(name).continuable())
    }

    /// Checks the labels that were not used. Repeated keys are errors; other faults are warnings,
    /// because no utterance needs them.
    fn check_rest(&mut self) -> Result<()> {
        loop {
            match self.labels.find_twice(&mut self.next) {
                Ok(None) => return Ok(()),
                Ok(Some(key)) => return Err(twice(&key).file(&self.name)),
                Err(error) => {
                    let is_last = !error.can_continue();
                    let error = error.context("not needed by any utterance");
                    self.env.warn(&error.file(&self.name));
                    if is_last {
                        return Ok(());
                    }
                }
            }
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for JoinLabels {
    fn info(&self) -> &DatasetInfo {
        self.main.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if let Some(spare) = utt.labels.take() {
            self.next.labels = Some(spare);
        }
        if !self.main.read(utt)? {
            if !std::mem::replace(&mut self.over, true) {
                if let Some(cut) = self.tolerance.told() {
                    self.env.warn_left_out(&cut.file(&self.name));
                }
                self.check_rest()?;
            }
            return Ok(false);
        }
        if utt.labels.is_some() && !self.as_segments {
            return Err(labelled().utterance(&utt.key));
        }
        if let Err(error) = self.find(utt) {
            if self.labels.is_interrupted() {
                self.main.wait(utt);
            }
            return Err(error);
        }
        if self.as_segments || self.tolerance.fit(utt) {
            return Ok(true);
        }
        let frames = utt.labels.as_ref().map_or(0, Matrix::rows);
        let message = format!(
            "{} frames, but {frames} labels in {}",
            utt.frames(),
            self.name
        );
        let error = Error::unfit(message).utterance(&utt.key);
        Err(error.suggest(Remedy::TolerateLengths).continuable())
    }
}

#[cfg(test)]
mod tests;
