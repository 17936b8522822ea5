//! Checks of encoded or referenced audio.

use spr_core::bytes::{Env, Location, Locator};
use spr_core::model::{Audio, AudioReference, Decimal, Key, RecordingFacts, Span, Utterance};
use spr_core::recording;
use spr_core::{Error, Remedy};

use super::findings::Findings;

/// Opens and measures the sound of one utterance after the other.
pub(super) struct Sounds {
    env: Env,
    quick: bool,
    /// The first error about sound that may not be looked at, and how many there are.
    forbidden: Option<(Error, u64)>,
    /// The last recording that is not as it was said to be.
    told: Option<Locator>,
    /// The facts about the recording that the last sound was taken from.
    recording: Option<RecordingFacts>,
}

impl Sounds {
    /// Loads sound, or only looks for its file if a `quick` look is wanted.
    pub(super) fn new(quick: bool, env: &Env) -> Self {
        Self {
            env: env.clone(),
            quick,
            forbidden: None,
            told: None,
            recording: None,
        }
    }

    /// Returns the facts about the recording that the last sound was taken from.
    pub(super) fn recording(&self) -> Option<RecordingFacts> {
        self.recording
    }

    /// Loads the sound of an utterance, and tells where that can't be done and where it is not as it
    /// was said to be.
    pub(super) fn check(
        &mut self,
        utt: &mut Utterance,
        place: &dyn Fn(Error) -> Error,
        findings: &mut Findings<'_>,
    ) {
        self.recording = None;
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
            Some(Audio::Encoded(encoded)) => AudioReference {
                recording: encoded.facts,
                ..AudioReference::new(Locator::Nowhere)
            },
            Some(_) => return,
        };
        let loaded = match recording::read(utt, &self.env) {
            Ok(Some(loaded)) => loaded,
            Ok(None) => return,
            Err(error) => {
                let error = place(error.utterance(&utt.key));
                match error.remedy() {
                    // It was not looked at, which is not its fault.
                    Some(Remedy::AllowPipes | Remedy::AllowCommands) => self.forbid(error),
                    _ => findings.fault("audio", error),
                }
                return;
            }
        };
        let is = loaded.recording.unwrap_or_else(|| loaded.sound.facts());
        self.recording = loaded.recording;
        let mut wrong = Vec::new();
        let is_part = said.span.bounds().is_some();
        if !is_part || self.told.as_ref() != Some(&said.at) {
            wrong = contradictions(said.recording, is);
            self.told = (is_part && !wrong.is_empty()).then(|| said.at.clone());
        }
        let lasts = loaded.sound.facts();
        wrong.extend(recording::other_duration(stated(&said), lasts));
        if let Some(warning) = loaded.warning.filter(|_| wrong.is_empty()) {
            let note = about(&said, &utt.key, warning.message().to_owned());
            findings.note("audio", place(note));
        }
        for message in wrong {
            findings.fault("audio", place(about(&said, &utt.key, message)));
        }
        if loaded.sound.samples.rows() == 0 {
            findings.note("empty", place(at(&said, no_samples(&utt.key))));
        }
        utt.audio = Some(Audio::Samples(loaded.sound));
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

/// Returns the contradictions between the stated facts of a recording and its own.
fn contradictions(said: RecordingFacts, is: RecordingFacts) -> Vec<String> {
    recording::other_numbers(said, is)
        .chain(recording::other_duration(said.duration, is))
        .collect()
}

/// Returns the duration that is stated of a part of a recording, or of its first seconds.
fn stated(said: &AudioReference) -> Option<Decimal> {
    match said.span {
        Span::First(length) => Some(length),
        Span::Whole | Span::Between { .. } => said.duration,
    }
}

/// Returns the error for a file of referenced audio that is missing or may not be followed from `list`.
fn missing(audio: &Audio, list: Option<&str>, env: &Env) -> Option<Error> {
    let Audio::Reference(reference) = audio else {
        return None;
    };
    let (Locator::File(at) | Locator::FileAt(at, _)) = &reference.at else {
        return None;
    };
    let list = list.map(Location::from);
    if let Err(refusal) = env.check_found(list.as_ref(), at) {
        return Some(refusal);
    }
    if env.exists(at) {
        return None;
    }
    let error = Error::unfit(format!("its sound is in {at}, which does not exist"));
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
        let is = RecordingFacts {
            rate: Some(16000),
            channels: Some(1),
            samples: Some(8000),
            duration: None,
        };
        let said = RecordingFacts {
            rate: Some(8000),
            channels: None,
            ..is
        };
        assert_eq!(
            contradictions(said, is),
            ["the sound has 16000 Hz, said to be 8000"]
        );
        for (duration, faults) in [("0.5", 0), ("0.55", 0), ("0.7", 1), ("0.3", 1)] {
            let said = RecordingFacts {
                duration: Decimal::parse(duration),
                ..RecordingFacts::default()
            };
            assert_eq!(contradictions(said, is).len(), faults, "{duration}");
        }
    }
}
