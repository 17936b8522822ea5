//! Sound that is encoded or somewhere else.

use spr_core::bytes::{Env, Locator};
use spr_core::model::{Audio, AudioFacts, Utterance};
use spr_core::stage::load;
use spr_core::{Error, Remedy};

use super::findings::Findings;

/// Loads the sound of an utterance, unless only a `quick` look is wanted, and says where that can't
/// be done and where it is not as it was said to be.
pub(super) fn check(
    utt: &mut Utterance,
    quick: bool,
    env: &Env,
    place: &dyn Fn(Error) -> Error,
    findings: &mut Findings<'_>,
) {
    let Some(audio) = utt
        .audio
        .as_ref()
        .filter(|audio| audio.waveform().is_none())
    else {
        return;
    };
    if quick {
        if let Some(error) = missing(audio, env) {
            findings.fault("audio", place(error.utterance(&utt.key)));
        }
        return;
    }
    let said = audio.facts();
    if let Err(error) = load(utt, env) {
        // What may not run was not looked at, which is not its fault.
        let forbidden = matches!(
            error.remedy(),
            Some(Remedy::AllowPipes | Remedy::AllowCommands)
        );
        let error = place(error.utterance(&utt.key));
        match forbidden {
            true => findings.note("audio", error),
            false => findings.fault("audio", error),
        }
        return;
    }
    let is = utt.audio.as_ref().map_or(said, Audio::facts);
    for message in contradictions(said, is) {
        let error = Error::unfit(message).utterance(&utt.key);
        findings.fault("audio", place(error));
    }
}

/// What is said of sound that is not so.
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
    wrong
        .map(|(said, is, what)| format!("the sound has {is} {what}, said to be {said}"))
        .collect()
}

/// The error for a file that sound refers to and that is not there.
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
    use spr_core::model::{AudioReference, Waveform};

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
        check(&mut utt, quick, &Env::default(), &|e| e, &mut findings);
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
        let said = AudioFacts {
            rate: Some(8000),
            channels: None,
            samples: Some(5),
            duration: None,
        };
        let is = AudioFacts {
            rate: Some(16000),
            channels: Some(1),
            samples: Some(5),
            duration: None,
        };
        assert_eq!(
            contradictions(said, is),
            ["the sound has 16000 Hz, said to be 8000"]
        );
    }
}
