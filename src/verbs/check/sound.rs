//! Checks of encoded or referenced audio.

use spr_core::bytes::{Env, Locator};
use spr_core::model::{Audio, AudioFacts, AudioReference, Decimal, Key, Segment, Utterance};
use spr_core::stage::SoundLoader;
use spr_core::{Error, Remedy};

use super::findings::Findings;

/// Seconds by which sound may be longer or shorter than a duration, which may be rounded or made of
/// frames.
const ROUNDING: f64 = 0.1;

/// Opens and measures the sound of one utterance after the other.
pub(super) struct Sounds {
    env: Env,
    loader: SoundLoader,
    quick: bool,
    /// The first error about sound that may not be looked at, and how many there are.
    forbidden: Option<(Error, u64)>,
}

impl Sounds {
    /// Loads sound, or only looks for its file if a `quick` look is wanted.
    pub(super) fn new(quick: bool, env: &Env) -> Self {
        Self {
            env: env.clone(),
            loader: SoundLoader::new(env),
            quick,
            forbidden: None,
        }
    }

    /// Loads the sound of an utterance, and tells where that can't be done and where it is not as it
    /// was said to be.
    pub(super) fn check(
        &mut self,
        utt: &mut Utterance,
        place: &dyn Fn(Error) -> Error,
        findings: &mut Findings<'_>,
    ) {
        let said = match &utt.audio {
            None | Some(Audio::Samples(_)) => return,
            Some(said) if self.quick => {
                if let Some(error) = missing(said, &self.env) {
                    findings.fault("audio", place(error.utterance(&utt.key)));
                }
                return;
            }
            Some(Audio::Reference(reference)) => reference.clone(),
            Some(encoded) => AudioReference {
                facts: encoded.facts(),
                ..AudioReference::new(Locator::Nowhere)
            },
        };
        if let Err(error) = self.loader.load(utt) {
            let error = place(error.utterance(&utt.key));
            match error.remedy() {
                // It was not looked at, which is not its fault.
                Some(Remedy::AllowPipes | Remedy::AllowCommands) => self.forbid(error),
                _ => findings.fault("audio", error),
            }
            return;
        }
        let is = utt.audio.as_ref().map_or(said.facts, Audio::facts);
        for message in contradictions(said.facts, is) {
            findings.fault("audio", place(about(&said, &utt.key, message)));
        }
        if let Some(message) = shortened(&said, is) {
            findings.note("audio", place(about(&said, &utt.key, message)));
        }
        if is.samples == Some(0) {
            let message = "the sound has no samples".to_owned();
            findings.note("empty", place(about(&said, &utt.key, message)));
        }
        for message in beyond(utt, is) {
            findings.fault("segments", place(Error::unfit(message).utterance(&utt.key)));
        }
    }

    fn forbid(&mut self, error: Error) {
        match &mut self.forbidden {
            Some((_, count)) => *count += 1,
            None => self.forbidden = Some((error, 1)),
        }
    }

    /// Tells of sound that may not be looked at, all of it in one finding.
    pub(super) fn finish(self, findings: &mut Findings<'_>) {
        match self.forbidden {
            Some((error, 1)) => findings.note("audio", error),
            Some((error, count)) => {
                let context = format!("the first of {count} utterances whose sound is not checked");
                findings.note("audio", error.context(context));
            }
            None => {}
        }
    }
}

/// An error about sound, with its file where it has one.
fn about(said: &AudioReference, key: &Key, message: String) -> Error {
    let error = Error::unfit(message).utterance(key);
    match said.at.location() {
        Some(file) => error.file(file.to_string()),
        None => error,
    }
}

/// Returns the contradictions between declared and actual facts.
fn contradictions(said: AudioFacts, is: AudioFacts) -> Vec<String> {
    let wide = |number: Option<u32>| number.map(u64::from);
    let numbers = [
        (wide(said.rate), wide(is.rate), "Hz"),
        (wide(said.channels), wide(is.channels), "channels"),
        (said.samples, is.samples, "samples"),
    ];
    let known = numbers
        .into_iter()
        .filter_map(|(said, is, what)| Some((said?, is?, what)));
    let wrong = known.filter(|(said, is, _)| said != is);
    let mut all: Vec<_> = wrong
        .map(|(said, is, what)| format!("the sound has {is} {what}, said to be {said}"))
        .collect();
    if let (Some(duration), Some(seconds)) = (said.duration, is.seconds())
        && (duration.value() - seconds).abs() > ROUNDING
    {
        all.push(format!(
            "the sound lasts {seconds:.3} s, said to be {duration} s"
        ));
    }
    all
}

/// Returns what is wrong with the tiers whose last segment ends after the sound.
fn beyond(utt: &Utterance, is: AudioFacts) -> Vec<String> {
    let Some(seconds) = is.seconds() else {
        return Vec::new();
    };
    let last = utt.tiers.iter().filter_map(|tier| {
        let ends = tier.segments.iter().map(|s| (s.end.unwrap_or(s.start), s));
        ends.max_by_key(|(end, _)| *end)
    });
    let late = last.filter(|(end, _)| end.value() > seconds + ROUNDING);
    let message = |(end, segment): (Decimal, &Segment)| {
        let label = String::from_utf8_lossy(&segment.label);
        format!("the segment '{label}' ends at {end} s, the sound at {seconds:.3} s")
    };
    late.map(message).collect()
}

/// Returns the note about a segment that ends slightly after its recording and is cut there.
fn shortened(said: &AudioReference, is: AudioFacts) -> Option<String> {
    let (end, rate) = (said.end?, is.rate.filter(|rate| *rate > 0)?);
    let start = said.start.unwrap_or_default();
    let missing = end.minus(start)?.value() - is.seconds()?;
    // Times are rounded to samples.
    let sample = 1.0 / f64::from(rate);
    (missing > 2.0 * sample).then(|| {
        format!("ends at {end} s, {missing:.3} s behind the end of the recording, where it is cut")
    })
}

/// Returns the error for a missing file of referenced audio.
fn missing(audio: &Audio, env: &Env) -> Option<Error> {
    let Audio::Reference(reference) = audio else {
        return None;
    };
    match &reference.at {
        Locator::File(at) | Locator::FileAt(at, _) if !env.exists(at) => Some(Error::unfit(
            format!("its sound is in {at}, which does not exist"),
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use spr_core::model::Waveform;

    use super::*;
    use crate::verbs::check::Finding;

    fn found(audio: Audio, quick: bool) -> Vec<String> {
        let mut utt = Utterance {
            key: "a".into(),
            audio: Some(audio),
            ..Utterance::default()
        };
        let mut all = Vec::new();
        let mut tell = |finding: Finding| all.push(finding.error.to_string());
        let mut findings = Findings::new(&mut tell);
        let mut sounds = Sounds::new(quick, &Env::default());
        sounds.check(&mut utt, &|e| e, &mut findings);
        sounds.finish(&mut findings);
        all
    }

    #[test]
    fn sound_that_is_not_there_is_a_fault() {
        let place = |at| Audio::Reference(AudioReference::new(at));
        let nowhere = || place(Locator::file("/nowhere/a.wav"));
        assert!(found(Waveform::default().into(), false).is_empty());
        let error = "utterance a: its sound is in /nowhere/a.wav, which does not exist";
        assert_eq!(found(nowhere(), true), [error]);
        assert_eq!(found(nowhere(), false).len(), 1);
        let command = || place(Locator::Command("cat a.wav".to_owned()));
        assert!(found(command(), true).is_empty());
        assert_eq!(found(command(), false).len(), 1);
    }

    #[test]
    fn what_is_said_of_sound_is_compared() {
        let is = AudioFacts {
            rate: Some(16000),
            channels: Some(1),
            samples: Some(8000),
            duration: None,
        };
        let said = AudioFacts {
            rate: Some(8000),
            channels: None,
            ..is
        };
        assert_eq!(
            contradictions(said, is),
            ["the sound has 16000 Hz, said to be 8000"]
        );
        for (duration, faults) in [("0.5", 0), ("0.55", 0), ("0.7", 1), ("0.3", 1)] {
            let said = AudioFacts {
                duration: Decimal::parse(duration),
                ..AudioFacts::default()
            };
            assert_eq!(contradictions(said, is).len(), faults, "{duration}");
        }
    }

    #[test]
    fn stretches_that_are_cut_at_the_end_are_told() {
        let is = AudioFacts {
            rate: Some(1000),
            samples: Some(500),
            ..AudioFacts::default()
        };
        for (end, told) in [("1.5", false), ("1.501", false), ("1.6", true)] {
            let said = AudioReference {
                start: Decimal::parse("1"),
                end: Decimal::parse(end),
                ..AudioReference::new(Locator::file("a.wav"))
            };
            assert_eq!(shortened(&said, is).is_some(), told, "{end}");
        }
    }
}
