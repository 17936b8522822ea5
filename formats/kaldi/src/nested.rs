//! Objects of other formats: sound, HTK, Sphinx and NumPy files, read by those formats.

use spr_core::Result;
use spr_core::bytes::{Env, Extent, Source};
use spr_core::model::{Audio, EncodedAudio, Rank, Utterance};

use crate::audio;
use crate::kind::{ObjectKind, Precision};
use crate::probe::is_enough;

/// The formats of objects that have holders.
pub(crate) const WAV: &str = "wav";
pub(crate) const HTK: &str = "htk";
pub(crate) const SPHINX: &str = "sphinx";
/// The format of the arrays that stand behind a binary mark.
pub(crate) const NPY: &str = "npy";

/// Bytes that other formats may look at.
const HEAD: usize = 64;
/// A stream whose length is not known is read ahead so far to learn it.
const STREAM: usize = 1 << 20;

/// The format of the one object in a file of its own, by its magic bytes or by its length.
pub(crate) fn of_file(source: &mut Source, env: &Env) -> Result<Option<&'static str>> {
    let left = source.remaining();
    let (head, _) = source.ahead(HEAD, is_enough)?;
    if let Some(name) = env.nested_by_magic(head) {
        return Ok(Some(name));
    }
    if let Some(left) = left {
        return Ok(env.nested_by_length(head, left));
    }
    for (name, len) in env.nested_lengths(head) {
        let len = usize::try_from(len).unwrap_or(STREAM);
        if len < STREAM {
            let (bytes, last) = source.ahead(len + 1, is_enough)?;
            if last && bytes.len() == len {
                return Ok(Some(name));
            }
        }
    }
    Ok(None)
}

/// What objects of a format are, where it makes but one sort of them.
pub(crate) fn kind_of_format(name: &str) -> Option<ObjectKind> {
    match name {
        WAV => Some(ObjectKind::Wave),
        HTK => Some(ObjectKind::Htk),
        SPHINX => Some(ObjectKind::Sphinx),
        _ => None,
    }
}

/// Reads an object of the format `name`; with `whole` it is all that is left of the source, and if
/// it is one of `files`, it stays as it is. Of other sound only samples and rate are kept, as Kaldi
/// keeps them.
pub(crate) fn read(
    source: &mut Source,
    utt: &mut Utterance,
    (name, whole): (&'static str, bool),
    files: &[&str],
    env: &Env,
) -> Result<ObjectKind> {
    let at = source.offset();
    let nested = env
        .nested(name)
        .map_err(|e| e.file(source.name()).byte(at))?;
    let extent = match whole {
        true => Extent::Whole,
        false => Extent::Own,
    };
    utt.clear_data();
    if whole && files.contains(&name) {
        let bytes = source.rest("a sound file", &env.limits)?;
        let facts = nested.facts(&mut Source::from_bytes(source.name(), bytes.clone())?, env)?;
        let format = name.to_owned();
        utt.audio = Some(Audio::Encoded(EncodedAudio {
            format,
            bytes,
            facts,
        }));
        return Ok(ObjectKind::Wave);
    }
    nested.read(source, extent, utt, env)?;
    let kind = kind_of_format(name).unwrap_or_else(|| kind_of(utt, name));
    if kind == ObjectKind::Wave {
        utt.meta.clear();
        if let Some(sound) = utt.waveform() {
            audio::check_read(sound, !whole).map_err(|e| e.file(source.name()).byte(at))?;
        }
    }
    Ok(kind)
}

/// What was read of an object, by what the utterance holds.
fn kind_of(utt: &Utterance, name: &'static str) -> ObjectKind {
    if utt.audio.is_some() {
        return ObjectKind::Wave;
    }
    if utt.labels.is_some() {
        return ObjectKind::Ints;
    }
    match &utt.features {
        Some(features) => match features.rank() {
            Rank::Matrix => ObjectKind::Matrix,
            Rank::Vector => ObjectKind::Vector,
            Rank::Scalar => {
                Precision::of(features.dtype()).map_or(ObjectKind::Opaque(name), ObjectKind::Float)
            }
        },
        None => ObjectKind::Opaque(name),
    }
}
