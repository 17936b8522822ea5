//! Objects in other formats: audio, HTK, Sphinx and NumPy files.

use spr_core::Result;
use spr_core::bytes::{Env, ObjectBounds, Source};
use spr_core::model::{Audio, EncodedAudio, Rank, Utterance};

use crate::audio::{self, WAV};
use crate::kind::{ObjectKind, Precision};
use crate::probe::is_enough;

/// The formats of objects with holders.
pub(crate) const HTK: &str = "htk";
pub(crate) const SPHINX: &str = "sphinx";
/// The format of arrays after a binary mark.
pub(crate) const NPY: &str = "npy";

/// The number of bytes that other formats may inspect.
const HEAD: usize = 64;
/// The largest stream of unknown length that is read ahead to learn its length.
const STREAM: usize = 1 << 20;

/// Returns the format of the only object in a file, by its magic bytes or its length.
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

/// Returns the kind of objects of a format, if it has only one.
pub(crate) fn kind_of_format(name: &str) -> Option<ObjectKind> {
    match name {
        WAV => Some(ObjectKind::Wave),
        HTK => Some(ObjectKind::Htk),
        SPHINX => Some(ObjectKind::Sphinx),
        _ => None,
    }
}

/// Reads an object of the format `name`. With `whole` it is the rest of the source, and an object
/// of one of `files` is not decoded. Of other audio only samples and rate are kept, as in Kaldi.
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
        true => ObjectBounds::Whole,
        false => ObjectBounds::Own,
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

/// Returns the kind of an object that was read, by the fields of the utterance.
pub(crate) fn kind_of(utt: &Utterance, name: &'static str) -> ObjectKind {
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
