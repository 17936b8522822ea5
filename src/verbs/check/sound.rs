//! Checks of encoded or referenced audio.

use spr_core::bytes::{Env, Location, Locator};
use spr_core::model::{Audio, AudioFacts, AudioReference, Key, Utterance};
use spr_core::stage::{LENGTH_ROUNDING, SoundLoader, first_seconds};
use spr_core::{Error, Remedy};

use super::findings::Findings;

/// Opens and measures the sound of one utterance after the other.
pub(super) struct Sounds {
    env: Env,
    loader: SoundLoader,
    quick: bool,
    /// The first error about sound that may not be looked at, and how many there are.
    forbidden: Option<(Error, u64)>,
    /// The last recording that is not as it was said to be.
    told: Option<Locator>,
}

impl Sounds {
    /// Loads sound, or only looks for its file if a `quick` look is wanted.
    pub(super) fn new(quick: bool, env: &Env) -> Self {
        Self {
            env: env.clone(),
            loader: SoundLoader::new(env).leave_lengths(),
            quick,
            forbidden: None,
            told: None,
        }
    }

    /// Returns the facts about the recording that the last sound was taken from.
    pub(super) fn whole(&self) -> Option<AudioFacts> {
        self.loader.whole()
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
            None => return,
            Some(Audio::Samples(sound)) => {
                if sound.samples.rows() == 0 {
                    findings.note("empty", place(no_samples(&utt.key)));
                }
                return;
            }
            Some(said) if self.quick => {
                if let Some(error) = missing(said, utt.origin.file.as_deref(), &self.env) {
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
        let mut wrong = contradictions(&said, is);
        if let Some(whole) = self.loader.whole().filter(|_| said.is_stretch())
            && self.told.as_ref() != Some(&said.at)
        {
            let all = AudioReference {
                facts: said.whole,
                ..AudioReference::new(said.at.clone())
            };
            wrong.extend(contradictions(&all, whole));
            self.told = (!wrong.is_empty()).then(|| said.at.clone());
        }
        let length = self.loader.whole().and_then(|whole| whole.seconds());
        if let Some((_, note)) = length.and_then(|length| first_seconds(&said, length))
            && wrong.is_empty()
        {
            findings.note(
                "audio",
                place(about(&said, &utt.key, note.message().to_owned())),
            );
        }
        for message in wrong {
            findings.fault("audio", place(about(&said, &utt.key, message)));
        }
        if let Some(message) = shortened(&said, is) {
            findings.note("audio", place(about(&said, &utt.key, message)));
        }
        if is.samples == Some(0) {
            findings.note("empty", place(at(&said, no_samples(&utt.key))));
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
    at(said, Error::unfit(message).utterance(key))
}

/// Returns the error about sound in which there is nothing.
fn no_samples(key: &Key) -> Error {
    Error::unfit("the sound has no samples").utterance(key)
}

/// Adds the file of sound to an error, where it has one.
fn at(said: &AudioReference, error: Error) -> Error {
    match said.at.location() {
        Some(file) => error.file(file.to_string()),
        None => error,
    }
}

/// Returns the contradictions between what is said of sound and what it is.
fn contradictions(said: &AudioReference, is: AudioFacts) -> Vec<String> {
    // Of several channels one may have been taken.
    let channels = said.facts.channels.filter(|_| said.channel.is_none());
    let said = said.facts;
    let wide = |number: Option<u32>| number.map(u64::from);
    let numbers = [
        (wide(said.rate), wide(is.rate), "Hz"),
        (wide(channels), wide(is.channels), "channels"),
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
        && (duration.value() - seconds).abs() > LENGTH_ROUNDING
    {
        all.push(format!(
            "the sound lasts {seconds:.3} s, said to be {duration} s"
        ));
    }
    all
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

/// Returns the error for a missing file of referenced audio, which is named in `list`.
fn missing(audio: &Audio, list: Option<&str>, env: &Env) -> Option<Error> {
    let Audio::Reference(reference) = audio else {
        return None;
    };
    let at = match &reference.at {
        Locator::File(at) | Locator::FileAt(at, _) if !env.exists(at) => at,
        _ => return None,
    };
    let error = Error::unfit(format!("its sound is in {at}, which does not exist"));
    let list = list.map(Location::from);
    Some(match env.whereabouts(list.as_ref(), at) {
        Some([old, new]) => error.suggest(Remedy::MapPath {
            old: old.to_string(),
            new: new.to_string(),
        }),
        None => error,
    })
}

#[cfg(test)]
mod tests {
    use spr_core::model::{Decimal, Waveform};

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
        let mut findings = Findings::new(false, &mut tell);
        let mut sounds = Sounds::new(quick, &Env::default());
        sounds.check(&mut utt, &|e| e, &mut findings);
        sounds.finish(&mut findings);
        all
    }

    #[test]
    fn sound_that_is_not_there_is_a_fault() {
        let place = |at| Audio::Reference(AudioReference::new(at));
        let nowhere = || place(Locator::file("/nowhere/a.wav"));
        let empty = found(Waveform::default().into(), false);
        assert!(
            empty.len() == 1 && empty[0].contains("no samples"),
            "{empty:?}"
        );
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
        let of = |facts| AudioReference {
            facts,
            ..AudioReference::new(Locator::Nowhere)
        };
        let said = of(AudioFacts {
            rate: Some(8000),
            channels: None,
            ..is
        });
        assert_eq!(
            contradictions(&said, is),
            ["the sound has 16000 Hz, said to be 8000"]
        );
        for (duration, faults) in [("0.5", 0), ("0.55", 0), ("0.7", 1), ("0.3", 1)] {
            let said = of(AudioFacts {
                duration: Decimal::parse(duration),
                ..AudioFacts::default()
            });
            assert_eq!(contradictions(&said, is).len(), faults, "{duration}");
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
