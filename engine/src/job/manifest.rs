//! The manifest of the sound files that a job writes.

use spr_core::bytes::{Location, Locator};
use spr_core::format::{Caps, Keys};
use spr_core::model::{Audio, AudioReference, SourceField, TagSubject, Utterance};
use spr_core::{Error, Result};

use crate::argument::Target;
use crate::plan::Plan;

/// Checks that the files of the output can be named in its manifest, before anything is read.
///
/// # Errors
/// The output is no folder of sound files, it is written in parts, or the manifest's format names
/// no sound files.
pub(super) fn check_manifest(
    plan: &Plan,
    target: &Target,
    manifest: Option<&Target>,
) -> Result<()> {
    let Some(manifest) = manifest else {
        return Ok(());
    };
    let caps = target.caps()?;
    let writes_files = target.is_folder() && caps.keys == Keys::FileNames;
    if !writes_files || !caps.audio.hold_any() || caps.audio.references {
        let message = "is no folder of sound files, of which there can be a manifest";
        return Err(Error::usage(message)
            .file(target.text())
            .hint("such as OUT/ --to flac --manifest OUT.json"));
    }
    if !manifest.caps()?.audio.references {
        let message = "is no manifest: the format names no sound files";
        return Err(Error::usage(message).file(manifest.text()));
    }
    if plan.split.is_some() || target.is_numbered() || manifest.is_numbered() {
        let message = "the manifest of an output in parts can't be written in the same run";
        return Err(Error::usage(message)
            .file(manifest.text())
            .hint("convert each part, or write the manifest from the folder afterwards"));
    }
    Ok(())
}

/// Returns what a manifest holds of an utterance whose sound is written as a file of its own, except
/// the name of the file.
pub(super) fn told(utt: &Utterance) -> Utterance {
    let mut told = Utterance {
        key: utt.key.clone(),
        text: utt.text.clone(),
        tiers: utt.tiers.clone(),
        meta: utt.meta.clone(),
        origin: utt.origin.clone(),
        ..Utterance::default()
    };
    let meta = &mut told.meta;
    (meta.frame_shift, meta.frame_offset) = (None, None);
    for field in [
        SourceField::Recording,
        SourceField::Channel,
        SourceField::Place,
    ] {
        meta.clear_field(field);
    }
    let is_of_frames = |about| matches!(about, Some(TagSubject::Columns | TagSubject::Frames));
    meta.tags.retain(|tag| !is_of_frames(tag.about));
    told
}

/// Takes from an utterance what the manifest holds and its own output does not, as it is not lost.
pub(super) fn leave(utt: &mut Utterance, main: &Caps, manifest: &Caps) {
    if manifest.text && !main.text {
        utt.text = None;
    }
    if manifest.segments.is_some() && main.segments.is_none() {
        utt.tiers.clear();
    }
    for field in [
        SourceField::Speaker,
        SourceField::Gender,
        SourceField::Language,
    ] {
        if manifest.source.contains(&field) && !main.source.contains(&field) {
            utt.meta.clear_field(field);
        }
    }
    let (own, other) = (main.tags, manifest.tags);
    utt.meta
        .tags
        .retain(|tag| own.hold(tag) || !other.hold(tag));
}

/// Returns the reference to sound that is written to a file.
pub(super) fn reference(file: Location, audio: Option<&Audio>) -> Audio {
    let mut reference = AudioReference::new(Locator::File(file));
    let facts = audio.map(Audio::facts).unwrap_or_default();
    reference.recording = facts.into_recording();
    Audio::Reference(reference)
}
