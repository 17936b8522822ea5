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

/// Reads the utterances of a cut: one for each supervision, or a single one if there is none.
///
/// # Errors
/// The cut is of another type, or lacks a required field.
pub(super) fn read(
    mut object: Object<'_>,
    places: &mut Places,
    parts: &mut RequestedFields,
    into: &mut Vec<Utterance>,
) -> Result<()> {
    let kind = json::text(object.require("type")?, "type")?;
    if !matches!(&*kind, "MonoCut" | "MultiCut" | "Cut") {
        let message = format!("a {kind}, which is no stretch of one recording");
        return Err(Error::unsupported(message)
            .hint("have lhotse save such cuts as sound of their own: cuts.save_audios(…)"));
    }
    let id = json::text(object.require("id")?, "id")?.into_owned();
    let stretch = RecordingSegment::take(&mut object)?;
    let recording = object.take("recording");
    let recording = recording
        .map(|raw| Recording::read(Object::of(raw, "recording")?, places))
        .transpose()?;
    let features = object.take("features");
    let features = features
        .map(|raw| Features::read(Object::of(raw, "features")?))
        .transpose()?;
    let list = object.take("supervisions");
    let list: Vec<&RawValue> = list.map_or(Ok(Vec::new()), |raw| {
        json::parse(raw, "supervisions", "a list")
    })?;
    let custom = object
        .take("custom")
        .map(|raw| Object::of(raw, "custom"))
        .transpose()?;
    let mut extra = Vec::new();
    let mut rest = Utterance::default();
    custom
        .into_iter()
        .chain([object])
        .for_each(|own| columns::read(own, &mut rest.meta));
    extra.append(&mut rest.meta.tags);
    let supervisions: Result<Vec<_>> = list
        .into_iter()
        .map(|raw| Supervision::read(Object::of(raw, "a supervision")?))
        .collect();
    let supervisions = supervisions?;
    let several = supervisions.len() > 1;
    let mut finish =
        |key: &str, stretch: RecordingSegment, said: Option<Supervision<'_>>| -> Result<()> {
            let mut utt = Utterance {
                key: key.into(),
                ..Utterance::default()
            };
            let audio = recording
                .as_ref()
                .map(|(_, own)| own.reference(&stretch))
                .transpose()?;
            if let Some(audio) = &audio {
                let named = recording
                    .as_ref()
                    .map(|(name, _)| name)
                    .filter(|name| *name != key);
                let place = Place::new(named.map(|name| name.as_str().into()), audio);
                place.read(&mut Object::default(), &mut utt.meta)?;
            }
            if let Some(said) = said {
                let recording = recording.as_ref().map(|(name, _)| name.as_str());
                said.keep_own(key, &stretch, recording, &mut utt.meta);
                let whole = audio.as_ref().is_some_and(|audio| !audio.is_stretch());
                let all = Some(stretch.duration).filter(|_| whole);
                said.fill(stretch.start, all, &mut utt)?;
            }
            add_tags(&extra, &mut utt.meta.tags);
            utt.audio = audio.map(Audio::Reference);
            parts.choose(features.as_ref(), &stretch, places, &mut utt)?;
            into.push(utt);
            Ok(())
        };
    if !several {
        let said = supervisions.into_iter().next();
        return finish(&id, stretch, said);
    }
    for mut said in supervisions {
        // In a cut, the times of a supervision start with the cut.
        let start = stretch.start.plus(said.stretch.start);
        let start = start.ok_or_else(|| Error::malformed("the times have too many digits"))?;
        let own = RecordingSegment {
            start,
            duration: said.stretch.duration,
            channels: said.stretch.channels.clone(),
        };
        said.stretch.start = Decimal::ZERO;
        finish(&said.id.clone(), own, Some(said))?;
    }
    Ok(())
}

/// Adds the tags of a cut to those of one of its supervisions, which may have the same names.
fn add_tags(extra: &[Tag], tags: &mut Vec<Tag>) {
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
