//! Audio files that are copied unchanged.

use super::{Part, facts};
use crate::bytes::{Env, RecordingPlace};
use crate::error::Result;
use crate::model::{Audio, EncodedAudio, Span, Utterance};

/// The number of bytes by which a format is recognised.
const HEAD: usize = 64;

/// Replaces a reference to a whole audio file in one of these formats by its bytes, in the memory of
/// `spare`, and returns whether it did.
///
/// # Errors
/// It cannot be read, or exceeds the limits.
pub(crate) fn take_file(
    utt: &mut Utterance,
    formats: &[&str],
    spare: &mut Vec<u8>,
    env: &Env,
) -> Result<bool> {
    let Some(Audio::Reference(reference)) = &utt.audio else {
        return Ok(false);
    };
    if formats.is_empty() || reference.span.bounds().is_some() || reference.channel.is_some() {
        return Ok(false);
    }
    let place = RecordingPlace::new(reference, &utt.origin);
    let mut source = env.open_recording(&place)?;
    let head = source.peek(HEAD)?;
    let found = env.nested_by_magic(head).or_else(|| by_magic(head));
    let Some(format) = found.filter(|format| formats.contains(format)) else {
        return Ok(false);
    };
    let mut recording = reference.recording;
    let is_local = reference.at.location().is_some_and(|at| !at.is_url());
    let is_said = reference.facts().time().is_some();
    if is_local
        && is_said
        && let Ok(is) = facts(reference, &utt.origin, env)
    {
        let part = Part::of(reference, is)?;
        if part.rows != (0..is.samples.unwrap_or(u64::MAX)) {
            return Ok(false);
        }
        let other = super::span::other_length(reference.recording, is);
        let other = part
            .warning
            .or(other.filter(|_| reference.span == Span::Whole));
        if let Some(warning) = other {
            env.warn(&warning.file(source.name()).utterance(&utt.key));
        }
        recording = is;
    }
    source.rest_into(spare, "a sound file", &env.limits)?;
    utt.audio = Some(Audio::Encoded(EncodedAudio {
        format: format.to_owned(),
        bytes: std::mem::take(spare),
        facts: recording,
    }));
    Ok(true)
}

/// Returns the format of an audio file by its first bytes, whether it is supported or not.
fn by_magic(head: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 6] = [
        (b"fLaC", "flac"),
        (b"OggS", "ogg"),
        (b"ID3", "mp3"),
        (b"\xff\xfb", "mp3"),
        (b"\xff\xf3", "mp3"),
        (b"\xff\xf2", "mp3"),
    ];
    let known = MAGIC.iter().find(|(magic, _)| head.starts_with(magic));
    known.map(|(_, format)| *format)
}
