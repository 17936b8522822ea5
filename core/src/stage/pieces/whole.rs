//! A recording that is put together from its parts.

use crate::bytes::Env;
use crate::error::{Error, Result};
use crate::model::{
    Audio, AudioReference, Decimal, FrameGrid, Key, Matrix, Meta, Segment, Span, TagSubject, Tier,
    Utterance, Waveform,
};
use crate::recording;
use crate::stage::frame_cursor::{append, check_single, frames};
use crate::stage::guess::Guess;

/// The name of the tier of parts if there are other tiers.
const PARTS: &[u8] = b"segments";

/// A recording, as far as its parts have come.
pub(super) struct Whole {
    utt: Utterance,
    count: u64,
    /// The segments that the parts become, by channel.
    parts: Vec<(Option<Key>, Vec<Segment>)>,
    guess: Guess,
}

impl Whole {
    pub(super) fn new(recording: Key) -> Self {
        Self {
            utt: Utterance {
                key: recording,
                ..Utterance::default()
            },
            count: 0,
            parts: Vec::new(),
            guess: Guess::default(),
        }
    }

    /// Adds the next part, of which only the segments with `only_segments`.
    ///
    /// # Errors
    /// It does not follow the part before, or has other fields.
    pub(super) fn add(
        &mut self,
        piece: &mut Utterance,
        only_segments: bool,
        env: &Env,
    ) -> Result<()> {
        check_single(piece)?;
        let start = piece.meta.start;
        let start = start.ok_or_else(|| Error::unfit("has no known place in its recording"))?;
        if !only_segments {
            let kinds = |utt: &Utterance| {
                [
                    utt.audio.is_some(),
                    utt.features.is_some(),
                    utt.labels.is_some(),
                ]
            };
            if self.count > 0 && kinds(piece) != kinds(&self.utt) {
                let message = "has other kinds of data than the parts of its recording before it";
                return Err(Error::unfit(message));
            }
            if piece.object.is_some() || !piece.arrays.is_empty() {
                return Err(Error::unfit(
                    "has objects or arrays, which cannot be joined by times",
                ));
            }
            self.add_audio(piece, start, env)?;
            self.add_frames(piece, start, env)?;
        }
        self.add_segments(piece, start)?;
        self.add_meta(&piece.meta);
        self.count += 1;
        Ok(())
    }

    /// Adds audio: a reference becomes that to the whole recording, samples are appended.
    fn add_audio(&mut self, piece: &mut Utterance, start: Decimal, env: &Env) -> Result<()> {
        if let Some(Audio::Reference(reference)) = &piece.audio
            && matches!(reference.span, Span::Between { .. })
        {
            return self.add_reference(reference);
        }
        recording::load(piece, env)?;
        let Some(Audio::Samples(sound)) = &piece.audio else {
            return Ok(());
        };
        let whole = match &mut self.utt.audio {
            Some(Audio::Samples(whole)) => whole,
            Some(_) => {
                return Err(Error::unfit(
                    "has sound of its own, others have parts of a file",
                ));
            }
            none => {
                let mut samples = Matrix::default();
                let own = &sound.samples;
                samples.start_like(own);
                let rate = sound.rate;
                *none = Some(Audio::Samples(Waveform { rate, samples }));
                return self.add_audio(piece, start, env);
            }
        };
        let form = |sound: &Waveform| (sound.rate, sound.samples.dtype(), sound.samples.cols());
        if form(whole) != form(sound) {
            return Err(Error::unfit(
                "has sound of another rate, type or number of channels",
            ));
        }
        let at = start.sample(sound.rate);
        let ends = whole.samples.rows() as u64;
        if at != Some(ends) {
            let time = Decimal::near_sample(ends, sound.rate).unwrap_or_default();
            return Err(apart("sound", start, time));
        }
        let rows = 0..sound.samples.rows();
        append(&mut whole.samples, &sound.samples, rows, &env.limits)
    }

    fn add_reference(&mut self, part: &AudioReference) -> Result<()> {
        let all = AudioReference {
            span: Span::Whole,
            shortest: None,
            duration: None,
            ..part.clone()
        };
        match &mut self.utt.audio {
            None => self.utt.audio = Some(Audio::Reference(all)),
            Some(Audio::Reference(whole)) if (&whole.at, whole.len) == (&all.at, all.len) => {
                if whole.channel != all.channel {
                    whole.channel = None;
                }
                if !whole.recording.are_complete() {
                    whole.recording = all.recording;
                }
            }
            Some(Audio::Reference(whole)) => {
                let message = format!("is a part of {}, others of {}", all.at, whole.at);
                return Err(Error::unfit(message));
            }
            Some(_) => {
                return Err(Error::unfit(
                    "is a part of a file, others have sound of their own",
                ));
            }
        }
        Ok(())
    }

    /// Appends features and frame labels.
    fn add_frames(&mut self, piece: &Utterance, start: Decimal, env: &Env) -> Result<()> {
        let rows = frames(piece)?;
        if piece.features.is_none() && piece.labels.is_none() {
            return Ok(());
        }
        let shift = piece.meta.frame_shift;
        if self.count == 0 {
            (self.utt.meta.frame_shift, self.utt.meta.frame_offset) =
                (shift, piece.meta.frame_offset);
        } else if shift != self.utt.meta.frame_shift {
            return Err(Error::unfit(
                "has another frame shift than the parts before it",
            ));
        }
        let grid = match FrameGrid::of(&self.utt.meta) {
            Some(grid) => grid,
            None => self.guess.usual(&self.utt.key, env),
        };
        let there = self.utt.frames();
        if grid.nearest(start).unwrap_or(0) != there {
            return Err(apart("frames", start, grid.time(there)));
        }
        let Utterance {
            features, labels, ..
        } = &mut self.utt;
        for (from, to) in [(&piece.features, features), (&piece.labels, labels)] {
            let Some(from) = from else { continue };
            let to = to.get_or_insert_with(|| {
                let mut empty = Matrix::default();
                empty.start_like(from);
                empty
            });
            if (to.dtype(), to.cols()) != (from.dtype(), from.cols()) {
                return Err(Error::unfit("has frames of another type or size"));
            }
            append(to, from, 0..rows, &env.limits)?;
        }
        Ok(())
    }

    /// Adds the segments of a part, and the segment that it is.
    fn add_segments(&mut self, piece: &mut Utterance, start: Decimal) -> Result<()> {
        let later = |time: Decimal| time.later(start);
        let length = || piece.duration(None).map(later).transpose();
        let end = match piece.meta.end {
            Some(end) => Some(end),
            None => length()?,
        };
        let speaker = piece.meta.speaker.as_ref();
        let text = piece.said().map(|text| text.into_owned());
        let label = text.or_else(|| speaker.map(|name| name.as_bytes().to_vec()));
        let label = label.unwrap_or_else(|| piece.key.as_bytes().to_vec());
        let segment = Segment {
            speaker: speaker.map(|name| name.as_bytes().into()),
            ..Segment::new(start, end, &label)
        };
        let channel = &piece.meta.channel;
        match self.parts.iter_mut().find(|(own, _)| own == channel) {
            Some((_, segments)) => segments.push(segment),
            None => self.parts.push((channel.clone(), vec![segment])),
        }
        for tier in std::mem::take(&mut piece.tiers) {
            let whole = &mut self.utt.tiers;
            let n = whole.iter().position(|own| own.name == tier.name);
            let n = n.unwrap_or_else(|| {
                whole.push(Tier {
                    segments: Vec::new(),
                    ..tier.clone()
                });
                whole.len() - 1
            });
            for segment in tier.segments {
                whole[n].segments.push(Segment {
                    start: later(segment.start)?,
                    end: segment.end.map(later).transpose()?,
                    ..segment
                });
            }
        }
        Ok(())
    }

    /// Keeps what all parts have in common.
    fn add_meta(&mut self, part: &Meta) {
        let whole = &mut self.utt.meta;
        if self.count == 0 {
            whole.speaker.clone_from(&part.speaker);
            whole.gender.clone_from(&part.gender);
            whole.language.clone_from(&part.language);
            whole.tags.clone_from(&part.tags);
            whole.forget(TagSubject::Frames);
            whole.forget(TagSubject::Key);
            return;
        }
        for (own, other) in [
            (&mut whole.speaker, &part.speaker),
            (&mut whole.gender, &part.gender),
            (&mut whole.language, &part.language),
        ] {
            own.take_if(|own| other.as_ref() != Some(own));
        }
        whole.tags.retain(|tag| part.tags.contains(tag));
    }

    /// Returns the recording.
    ///
    /// # Errors
    /// It has a tier of the name that the tier of its parts gets.
    pub(super) fn finish(mut self) -> Result<Utterance> {
        let several = self.parts.len() > 1;
        let alone = self.utt.tiers.is_empty();
        for (channel, mut segments) in self.parts {
            segments.sort_by_key(|segment| segment.start);
            let name = match &channel {
                Some(channel) if several => channel.as_bytes(),
                None if several => b"1",
                _ if alone => b"",
                _ => PARTS,
            };
            if self.utt.tiers.iter().any(|tier| *tier.name == *name) {
                let name = Key::from(name);
                let message = format!("has a tier '{name}' already, the name of that of its parts");
                return Err(Error::unfit(message));
            }
            if !several {
                self.utt.meta.channel = channel.clone();
            }
            self.utt.tiers.push(Tier {
                name: name.into(),
                ..Tier::only(segments)
            });
        }
        Ok(self.utt)
    }
}

/// The error about a part that does not start where the part before ends.
fn apart(what: &str, start: Decimal, end: Decimal) -> Error {
    let message =
        format!("starts at {start} s in its recording, but the {what} before it ends at {end} s");
    Error::unfit(message)
        .hint("sound by reference is joined over pauses; samples and frames are not")
}
