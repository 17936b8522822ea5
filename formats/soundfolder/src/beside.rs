//! Transcripts of one sound file, in a file of its name.

use spr_core::bytes::{Env, Location, Source};
use spr_core::model::{Key, Tier, Utterance};
use spr_core::{Error, Result};
use spr_syntax::lines::{BOM, is_blank};

/// The formats of segments by the form of their lines: whole numbers, and times in seconds.
const SEGMENTS: [&str; 2] = ["htk-lab", "pyannote"];
/// The format of files with tiers.
const TIERS: &str = "textgrid";

/// What is said in a sound file.
pub(crate) enum Said {
    Text(Vec<u8>),
    Tiers(Vec<Tier>),
}

/// Reads a transcript.
///
/// # Errors
/// It cannot be read, is not UTF-8, or its segments are damaged.
pub(crate) fn read(file: &Location, env: &Env) -> Result<Said> {
    let extension = file.extension().unwrap_or_default();
    if extension.eq_ignore_ascii_case("textgrid") {
        return tiers(TIERS, file, env);
    }
    let mut source = env.open_file(file)?;
    let bytes = source.rest("a transcript", &env.limits)?;
    let text = bytes.strip_prefix(BOM).unwrap_or(&bytes);
    if std::str::from_utf8(text).is_err() {
        return Err(Error::malformed("is not UTF-8").file(file.to_string()));
    }
    let lines: Vec<_> = text
        .split(|b| *b == b'\n')
        .map(<[u8]>::trim_ascii)
        .collect();
    let lines: Vec<_> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    if extension.eq_ignore_ascii_case("lab")
        && let Some(format) = timed(&lines)
    {
        return tiers(format, file, env);
    }
    Ok(Said::Text(lines.join(&b' ')))
}

/// Returns the format of lines that all begin with two times.
fn timed(lines: &[&[u8]]) -> Option<&'static str> {
    let is_time = |field: &[u8]| {
        let text = std::str::from_utf8(field).unwrap_or_default();
        text.parse::<f64>().is_ok_and(|time| time >= 0.0)
    };
    let starts = |line: &&[u8]| {
        let mut fields = line.split(is_blank).filter(|field| !field.is_empty());
        let times = [fields.next(), fields.next()];
        times.map(|field| field.is_some_and(is_time)) == [true, true] && fields.next().is_some()
    };
    if lines.is_empty() || !lines.iter().all(starts) {
        return None;
    }
    let has_point = |line: &&[u8]| {
        let mut fields = line.split(is_blank).filter(|field| !field.is_empty());
        fields.by_ref().take(2).any(|field| field.contains(&b'.'))
    };
    let in_seconds = lines.iter().any(has_point);
    Some(SEGMENTS[usize::from(in_seconds)])
}

/// Returns the words of a tier that has them, by its name.
pub(crate) fn words(tiers: &[Tier]) -> Option<Vec<u8>> {
    const WORDS: [&[u8]; 3] = [b"words", b"word", b"text"];
    let mut named = tiers.iter().filter(|tier| WORDS.contains(&&*tier.name));
    let tier = named.next().filter(|_| named.next().is_none())?;
    let labels = tier
        .segments
        .iter()
        .map(|segment| segment.label.trim_ascii());
    let labels: Vec<_> = labels.filter(|label| !label.is_empty()).collect();
    Some(labels.join(&b' '))
}

/// Reads segments in another format.
fn tiers(format: &str, file: &Location, env: &Env) -> Result<Said> {
    let source: Source = env.open_file(file)?;
    let mut utt = Utterance::default();
    let mut find = env
        .finder(format, source)
        .map_err(|e| e.file(file.to_string()))?;
    let found = find(&Key::default(), &mut utt).map_err(|e| e.file(file.to_string()))?;
    match found {
        true => Ok(Said::Tiers(utt.tiers)),
        false => Err(Error::malformed("holds no segments").file(file.to_string())),
    }
}
