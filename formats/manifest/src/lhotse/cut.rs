//! Cuts: segments of recordings, with supervisions, features and recording in one object.

use serde_json::value::RawValue;
use spr_core::model::{Audio, Decimal, Tag, Utterance};
use spr_core::{Error, Result};
use spr_syntax::json::{self, Object};
use spr_syntax::manifest::Places;
use spr_syntax::manifest::columns;
use spr_syntax::manifest::source::Place;

use super::features::Features;
use super::parts::RequestedFields;
use super::recording::{Recording, RecordingSegment};
use super::supervision::Supervision;

/// A cut with parsed names and times.
pub(super) struct Cut<'a> {
    pub(super) id: String,
    pub(super) stretch: RecordingSegment,
    pub(super) recording: Option<&'a RawValue>,
    pub(super) features: Option<&'a RawValue>,
    pub(super) custom: Option<Object<'a>>,
    /// Set if its data can't be taken in parts. Then its only supervision covers all of it.
    pub(super) is_whole: bool,
    supervisions: Vec<Supervision<'a>>,
    rest: Object<'a>,
}

impl<'a> Cut<'a> {
    /// Parses a cut.
    ///
    /// # Errors
    /// It is of another type, or lacks a required field.
    pub(super) fn read(mut object: Object<'a>) -> Result<Self> {
        let kind = json::text(object.require("type")?, "type")?;
        if !matches!(&*kind, "MonoCut" | "MultiCut" | "Cut") {
            let message = format!("a {kind}, which is no stretch of one recording");
            return Err(Error::unsupported(message)
                .hint("have lhotse save such cuts as sound of their own: cuts.save_audios(…)"));
        }
        let id = json::text(object.require("id")?, "id")?.into_owned();
        let stretch = RecordingSegment::take(&mut object)?;
        let (recording, features) = (object.take("recording"), object.take("features"));
        let list = object.take("supervisions");
        let list: Vec<&RawValue> = list.map_or(Ok(Vec::new()), |raw| {
            json::parse(raw, "supervisions", "a list")
        })?;
        let custom = object.take("custom").map(|raw| Object::of(raw, "custom"));
        let supervisions: Result<Vec<_>> = list
            .into_iter()
            .map(|raw| Supervision::read(Object::of(raw, "a supervision")?))
            .collect();
        Ok(Self {
            id,
            stretch,
            recording,
            features,
            custom: custom.transpose()?,
            is_whole: false,
            supervisions: supervisions?,
            rest: object,
        })
    }

    /// Returns `true` if its utterances are parts of it, one for each supervision.
    pub(super) fn is_divided(&self) -> bool {
        match self.supervisions.as_slice() {
            [] => false,
            [only] => !self.is_whole && only.is_part_of(&self.stretch),
            _ => true,
        }
    }

    /// Adds its utterances: one for each supervision, or a single one if there is none. A
    /// supervision of a part of the cut is an utterance of that part. `finish` adds the data of an utterance.
    ///
    /// # Errors
    /// A field has another type, or the segment is none of the recording.
    pub(super) fn utterances(
        self,
        recording: Option<&(String, Recording)>,
        into: &mut Vec<Utterance>,
        mut finish: impl FnMut(&RecordingSegment, &mut Utterance) -> Result<()>,
    ) -> Result<()> {
        let is_divided = self.is_divided();
        let mut rest = Utterance::default();
        let others = self.custom.into_iter().chain([self.rest]);
        others.for_each(|own| columns::read(own, &mut rest.meta));
        let extra = rest.meta.tags;
        let mut add = |key: &str, stretch: &RecordingSegment, said: Option<Supervision<'_>>| {
            let mut utt = Utterance {
                key: key.into(),
                ..Utterance::default()
            };
            let audio = recording
                .map(|(_, own)| own.reference(stretch))
                .transpose()?;
            if let (Some((name, _)), Some(audio)) = (recording, &audio) {
                let named = (name != key).then(|| name.as_str().into());
                Place::new(named, audio).read(&mut Object::default(), &mut utt.meta)?;
            }
            if let Some(said) = said {
                let recording = recording.map(|(name, _)| name.as_str());
                said.keep_own(key, stretch, recording, &mut utt.meta);
                let whole = audio
                    .as_ref()
                    .is_some_and(|audio| audio.span.bounds().is_none());
                let all = Some(stretch.duration).filter(|_| whole);
                said.fill(stretch.start, all, &mut utt)?;
            }
            add_tags(&extra, &mut utt.meta.tags);
            utt.audio = audio.map(Audio::Reference);
            finish(stretch, &mut utt)?;
            into.push(utt);
            Ok(())
        };
        let is_only = self.supervisions.len() == 1;
        if let Some((_, own)) = recording {
            // The cut as a whole must be in the recording as well.
            own.reference(&self.stretch)?;
        }
        if !is_divided {
            let said = self.supervisions.into_iter().next();
            return add(&self.id, &self.stretch, said);
        }
        for mut said in self.supervisions {
            // In a cut, the times of a supervision start with the cut.
            let start = self.stretch.start.plus(said.stretch.start);
            let start = start.ok_or_else(|| Error::malformed("the times have too many digits"))?;
            let own = RecordingSegment {
                start,
                duration: said.stretch.duration,
                channels: said.stretch.channels.clone(),
            };
            said.stretch.start = Decimal::ZERO;
            let key = if is_only { &self.id } else { &said.id };
            add(&key.clone(), &own, Some(said))?;
        }
        Ok(())
    }
}

/// Reads the utterances of a cut in a manifest.
///
/// # Errors
/// The cut is of another type, or lacks a required field.
pub(super) fn read(
    object: Object<'_>,
    places: &mut Places,
    parts: &mut RequestedFields,
    into: &mut Vec<Utterance>,
) -> Result<()> {
    let cut = Cut::read(object)?;
    let recording = cut
        .recording
        .map(|raw| Recording::read(Object::of(raw, "recording")?, places));
    let recording = recording.transpose()?;
    let features = cut
        .features
        .map(|raw| Features::read(Object::of(raw, "features")?));
    let features = features.transpose()?;
    cut.utterances(recording.as_ref(), into, |stretch, utt| {
        parts.choose(features.as_ref(), stretch, places, utt)
    })
}

/// Adds the tags of a cut to those of one of its supervisions, which may have the same names.
pub(super) fn add_tags(extra: &[Tag], tags: &mut Vec<Tag>) {
    for tag in extra {
        let is_twin = |own: &Tag| (&own.format, &own.key) == (&tag.format, &tag.key);
        match tags.iter().any(is_twin) {
            false => tags.push(tag.clone()),
            true => {
                let key = [b"cut.", tag.key.as_slice()].concat();
                tags.push(Tag::new(tag.format.clone(), key, tag.value.clone()));
            }
        }
    }
}
