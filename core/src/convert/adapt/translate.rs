//! Conversion between two forms of data: segments and frame labels, text and words.

use super::fit_tiers;
use crate::bytes::Env;
use crate::error::Result;
use crate::format::loss::LossReport;
use crate::format::{Caps, LabelCaps, SegmentCaps};
use crate::model::{FrameGrid, Key, Lists, Object, Segment, Tier, Utterance};
use crate::stage::guess::Guess;

/// Converts fields that a target with `caps` does not support to an equivalent form that it does.
/// Returns the reason why segments could not become frame labels.
pub(super) fn translate(
    utt: &mut Utterance,
    caps: &Caps,
    guess: &mut Guess,
    report: &mut LossReport,
    env: &Env,
) -> Result<Option<String>> {
    words(utt, caps);
    if !utt.tiers.is_empty() {
        return frames(utt, caps, guess, report, env);
    }
    segments(utt, caps, guess, env);
    Ok(None)
}

/// Returns `true` if single-column labels are supported besides the other fields.
fn held(caps: Option<LabelCaps>, utt: &Utterance) -> bool {
    caps.is_some_and(|caps| match utt.features {
        Some(_) => caps.with_features,
        None => caps.alone,
    })
}

/// Converts segments to frame labels, if they have neither names nor scores nor speakers.
fn frames(
    utt: &mut Utterance,
    caps: &Caps,
    guess: &mut Guess,
    report: &mut LossReport,
    env: &Env,
) -> Result<Option<String>> {
    if caps.segments.is_some() || utt.labels.is_some() || !held(caps.labels, utt) {
        return Ok(None);
    }
    let Some(segments) = utt.segments() else {
        return Ok(Some(format!("there are {} tiers of them", utt.tiers.len())));
    };
    let grid = guess.grid(utt, env);
    let frames = utt.features.as_ref().map(|f| f.rows() as u64);
    match Segment::labels(segments, &grid, frames, &env.limits) {
        Ok(labels) => {
            utt.labels = Some(labels);
            fit_tiers(utt, SegmentCaps::PLAIN, report)?;
            utt.tiers.clear();
            Ok(None)
        }
        Err(error) => Ok(Some(error.message().to_owned())),
    }
}

/// Converts frame labels to segments.
fn segments(utt: &mut Utterance, caps: &Caps, guess: &mut Guess, env: &Env) {
    let Some(labels) = utt.labels.as_ref() else {
        return;
    };
    if caps.segments.is_none() || held(caps.labels, utt) || utt.features.is_some() {
        return;
    }
    let grid = guess.grid(utt, env);
    if let Some(segments) = Segment::of_labels(labels, &grid) {
        utt.labels = None;
        utt.tiers.push(Tier::only(segments));
        if caps.frame_shift && utt.meta.frame_shift.is_none() {
            utt.meta.frame_shift = Some(FrameGrid::USUAL_SHIFT);
        }
    }
}

/// Converts text to words, or words to text.
fn words(utt: &mut Utterance, caps: &Caps) {
    match (&utt.object, &utt.text) {
        (None, Some(text)) if !caps.text && caps.objects.hold("token-vector") => {
            let alone = utt.features.is_none() && utt.labels.is_none() && utt.others().count() == 1;
            if let Some(words) = split(text).filter(|_| alone) {
                (utt.object, utt.text) = (Some(Object::Tokens(words)), None);
            }
        }
        (Some(Object::Token(word)), None)
            if caps.text && !caps.objects.hold("token") && is_word(word) =>
        {
            (utt.text, utt.object) = (Some(word.clone()), None);
        }
        (Some(Object::Tokens(words)), None)
            if caps.text && !caps.objects.hold("token-vector") && words.iter().all(is_word) =>
        {
            let text = words.iter().collect::<Vec<_>>().join(&b' ');
            (utt.text, utt.object) = (Some(text), None);
        }
        _ => {}
    }
}

/// Returns why the text of an utterance that holds nothing else did not become words, if the target
/// holds it so alone.
pub(super) fn unsplit(utt: &Utterance, caps: &Caps) -> Option<&'static str> {
    let alone = utt.others().count() == 1 && !caps.text && caps.objects.hold("token-vector");
    let text = utt.text.as_ref().filter(|_| alone)?;
    let has = |bytes: &[u8]| text.iter().any(|byte| bytes.contains(byte));
    Some(match split(text) {
        Some(_) => return None,
        None if has(b"\n\r") => "with a line end in it",
        None => "with other blanks or characters in it",
    })
}

/// Splits text into words. Returns `None` if they are not separated by single blanks.
fn split(text: &[u8]) -> Option<Lists<u8>> {
    if text.is_empty() {
        return Some(Lists::default());
    }
    let words = || text.split(|b| *b == b' ');
    words().all(is_word).then(|| words().collect())
}

fn is_word(word: &[u8]) -> bool {
    Key::from(word).check_word().is_ok()
}
