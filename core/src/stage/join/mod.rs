//! Labels from a second data set.

mod kept;
mod lookup;
mod stretch;
mod text;
mod tolerance;

use crate::bytes::Env;
use crate::format::{Opened, Reader};
use crate::guess::Guess;
use crate::model::{
    DatasetInfo, Decimal, FrameGrid, Key, Matrix, Meta, Object, Rank, Segment, Tier, Utterance,
};
use crate::{Error, KeyMap, Remedy, Result};
use lookup::{Looked, Lookup};
pub use text::JoinText;
use tolerance::Tolerance;

/// Gives each utterance of one data set the labels that another has under the same key, or under
/// the key that a table gives for it. Segments that tile the frames and have integers for labels
/// are as good as frame labels, and so is one integer for one frame; their frames are those that their own data set tells of, else
/// those of the utterance, else of the [usual](FrameGrid::USUAL_SHIFT) shift.
///
/// An utterance with features gets frame labels; to one without, segments are given as they are.
///
/// Where there are no labels under the key of an utterance that is a stretch of a recording, those of
/// the recording count, or of `RECORDING-CHANNEL`: what of their segments lies within the stretch, in
/// its own time.
///
/// Labels that are [found by key](Opened::Table) are read when their turn comes. Others are read
/// once, front to back, and kept in memory or in a temporary file, for utterances may come in
/// another order, or several of one key. Labels that stand twice under a key are an error unless
/// they are the same, asked for or not.
pub struct JoinLabels {
    main: Box<dyn Reader>,
    labels: Lookup,
    name: String,
    map: Option<KeyMap>,
    tolerance: Tolerance,
    /// Whether times of segments are rounded to whole frames.
    rounded: bool,
    guess: Guess,
    next: Utterance,
    env: Env,
    /// Whether the rest of the labels was looked at, once there are no more utterances.
    over: bool,
}

/// The labels of one utterance.
enum Found {
    Frames(Matrix),
    /// Segments, and the frames that they count, where that is known.
    Tiers(Vec<Tier>, Option<FrameGrid>),
}

impl Found {
    /// Takes them out of what holds them.
    fn take(from: &mut Utterance) -> Option<Self> {
        let tiers = std::mem::take(&mut from.tiers);
        // One integer is the label of one frame.
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

    /// Gives them to `utt`.
    fn give(self, utt: &mut Utterance, how: &mut Framing) -> Result<()> {
        match self {
            Self::Frames(labels) => utt.labels = Some(labels),
            Self::Tiers(..) if utt.features.is_none() && !utt.tiers.is_empty() => {
                return Err(Error::unfit("has segments already"));
            }
            Self::Tiers(tiers, _) if utt.features.is_none() => utt.tiers = tiers,
            Self::Tiers(tiers, grid) => {
                let tier = only(tiers)?;
                utt.labels = Some(frames(tier, grid, utt, how)?);
            }
        }
        Ok(())
    }
}

/// The only tier.
fn only(tiers: Vec<Tier>) -> Result<Tier> {
    <[Tier; 1]>::try_from(tiers)
        .map(|[tier]| tier)
        .map_err(|tiers| {
            let message = format!("has {} tiers of segments, expected one", tiers.len());
            let names = tiers.iter().map(|tier| Key::from(&*tier.name).to_string());
            let names: Vec<_> = names.collect();
            Error::unfit(message).hint(format!("tier=NAME picks one: {}", names.join(", ")))
        })
}

/// How segments become labels of frames.
struct Framing<'a> {
    /// Labels of as many frames as they are for will do.
    lenient: bool,
    rounded: bool,
    guess: &'a mut Guess,
    env: &'a Env,
}

/// The labels of the frames of `utt` that a tier has.
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
        stretch::round(&mut tier.segments, &grid);
    }
    let frames = utt.features.as_ref().map(|f| f.rows() as u64);
    let ends = tier.segments.last().is_some_and(|last| last.end.is_some());
    let frames = frames.filter(|_| !(how.lenient && ends));
    Segment::labels(&tier.segments, &grid, frames, &how.env.limits)
}

fn twice(key: &Key) -> Error {
    Error::malformed("has labels twice, and they differ").utterance(key)
}

/// What is a label, taken out of an utterance.
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
    /// Joins the `labels` to `main`; `name` says where the labels come from.
    pub fn new(main: Box<dyn Reader>, labels: Opened, name: impl Into<String>, env: &Env) -> Self {
        Self {
            main,
            labels: Lookup::new(labels, labels_of, env.limits),
            name: name.into(),
            map: None,
            tolerance: Tolerance::default(),
            rounded: false,
            guess: Guess::default(),
            next: Utterance::default(),
            env: env.clone(),
            over: false,
        }
    }

    /// Looks labels up under what `map` gives for the key of an utterance, such as its speaker, and only
    /// then under the key.
    #[must_use]
    pub fn mapped(self, map: KeyMap) -> Self {
        Self {
            map: Some(map),
            ..self
        }
    }

    /// Takes labels for so many frames more or fewer than there are, too: what is longer is cut at its
    /// end, and how often that was done is told in the end.
    #[must_use]
    pub fn tolerant(self, frames: u64) -> Self {
        Self {
            tolerance: Tolerance::of(frames),
            ..self
        }
    }

    /// Rounds the times of segments to whole frames, if `rounded`.
    #[must_use]
    pub fn rounded(self, rounded: bool) -> Self {
        Self { rounded, ..self }
    }

    /// Reads the labels under `key`; `false` if there are none.
    fn look_up(&mut self, key: &Key) -> Result<bool> {
        match self.labels.find(key, &mut self.next)? {
            Looked::Found => Ok(true),
            Looked::Missing => Ok(false),
            Looked::Twice => Err(twice(&self.next.key).file(&self.name)),
        }
    }

    /// Reads the labels of the recording of which `utt` is a stretch, and leaves what lies within that;
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
            stretch::cut(&mut self.next.tiers, start, meta.end).map_err(wrong)?;
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
        let found = Found::take(next).ok_or_else(|| {
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
                guess: &mut self.guess,
                env: &self.env,
            },
        );
        given.map_err(|e| e.utterance(&utt.key).file(name).continuable())
    }

    /// Looks at the labels that nobody asked for. Some may stand twice; faults of others are told,
    /// but no utterance needs them.
    fn check_rest(&mut self) -> Result<()> {
        match self.labels.find_twice(&mut self.next) {
            Ok(None) => Ok(()),
            Ok(Some(key)) => Err(twice(&key).file(&self.name)),
            Err(error) => {
                let error = error.context("behind the last labels that are needed");
                self.env.warn(&error.file(&self.name));
                Ok(())
            }
        }
    }
}

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
                    self.env.warn(&cut.file(&self.name));
                }
                self.check_rest()?;
            }
            return Ok(false);
        }
        if utt.labels.is_some() {
            return Err(Error::usage("has labels already")
                .suggest(Remedy::LeaveOutLabels)
                .utterance(&utt.key));
        }
        self.find(utt)?;
        if self.tolerance.fit(utt) {
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
