//! Comparison of audio in any form.

use spr_core::bytes::Env;
use spr_core::model::{Audio, AudioReference, Dtype, Utterance};
use spr_core::recording::load;
use spr_core::{Error, Limits, Result};

use super::noise::Noise;
use super::utterance::{Difference, UtteranceDiff};
use super::values::Tolerance;

impl Tolerance {
    /// Compares audio. Without samples it is equal only if all known facts are.
    pub(super) fn sound(&self, a: &Audio, b: &Audio, found: &mut UtteranceDiff) -> Result<()> {
        if let (Audio::Samples(a), Audio::Samples(b)) = (a, b) {
            let before = found.differences.len();
            if a.rate != b.rate {
                let [a, b] = [a.rate, b.rate].map(|rate| format!("{rate} Hz"));
                found
                    .differences
                    .push(Difference::Other("audio".into(), a, b));
            }
            let (one, other) = (a.samples.dtype(), b.samples.dtype());
            if one == other {
                self.matrix("audio".into(), &a.samples, &b.samples, found)?;
            } else {
                // Full scale differs between the types.
                found.types = true;
                let common = common(one, other);
                let [a, b] = [a, b].map(|sound| {
                    let mut sound = sound.clone();
                    sound.cast(common, &Limits::default()).map(|_| sound)
                });
                self.matrix("audio".into(), &a?.samples, &b?.samples, found)?;
            }
            // Audio with another rate or length cannot be compared sample by sample.
            if let [Difference::Values(..)] = found.differences[before..] {
                found.differences.push(Difference::Noise(Noise::of(a, b)?));
            }
            return Ok(());
        }
        if let (Some(a), Some(b)) = (a.reference(), b.reference())
            && is_same_file(a, b)
        {
            let facts = [
                ("rate", a.recording.rate, b.recording.rate),
                ("channels", a.recording.channels, b.recording.channels),
            ];
            for (name, a, b) in facts {
                if let (Some(a), Some(b)) = (a, b)
                    && a != b
                {
                    let [a, b] = [a, b].map(|n| n.to_string());
                    found.differences.push(Difference::Other(name.into(), a, b));
                }
            }
            return Ok(());
        }
        if a != b {
            let [a, b] = [a, b].map(described);
            found
                .differences
                .push(Difference::Other("audio".into(), a, b));
        }
        Ok(())
    }
}

/// Whether two references name the same file. Their times are compared as fields.
fn is_same_file(a: &AudioReference, b: &AudioReference) -> bool {
    a.at == b.at && (a.len, a.channel) == (b.len, b.channel)
}

/// Returns a type in which samples of both types keep their levels.
fn common(a: Dtype, b: Dtype) -> Dtype {
    if a.is_float() || b.is_float() {
        return Dtype::F64;
    }
    // Of two types of one size, the signed one.
    std::cmp::max_by_key(a, b, |dtype| (dtype.size(), dtype.is_signed()))
}

/// Returns the samples of both, if they are in different forms and can be loaded.
pub(super) fn loaded(a: &Utterance, b: &Utterance, env: &Env) -> Option<[Audio; 2]> {
    let (one, other) = (a.audio.as_ref()?, b.audio.as_ref()?);
    let both_here = one.waveform().is_some() && other.waveform().is_some();
    let references = one.reference().zip(other.reference());
    let is_same = || references.is_some_and(|(one, other)| is_same_file(one, other));
    if both_here || one == other || is_same() {
        return None;
    }
    let samples = |utt: &Utterance, sound: &Audio| {
        let mut alone = Utterance {
            audio: Some(sound.clone()),
            ..Utterance::default()
        };
        // Audio that cannot be loaded is compared as stored.
        let tell = |error: Error| env.warn(&error.utterance(&utt.key));
        load(&mut alone, env).map_err(tell).ok()?;
        alone.audio
    };
    Some([samples(a, one)?, samples(b, other)?])
}

/// Describes audio in a line.
fn described(sound: &Audio) -> String {
    match sound {
        Audio::Samples(sound) => format!("{} samples at {} Hz", sound.samples.rows(), sound.rate),
        Audio::Encoded(encoded) => format!("{} bytes of {}", encoded.bytes.len(), encoded.format),
        Audio::Reference(reference) => {
            let mut text = reference.at.to_string();
            if let Some(len) = reference.len {
                text.push_str(&format!(", {len} bytes"));
            }
            if let Some((start, _)) = reference.span.bounds() {
                text.push_str(&format!(", from {start} s"));
            }
            if let Some(end) = reference.span.end() {
                text.push_str(&format!(", to {end} s"));
            }
            if let Some(channel) = reference.channel {
                text.push_str(&format!(", channel {channel}"));
            }
            text
        }
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use spr_core::bytes::Locator;
    use spr_core::model::{EncodedAudio, Matrix, Rank, Waveform};

    use super::*;

    fn utterance(audio: Audio) -> Utterance {
        Utterance {
            audio: Some(audio),
            ..Utterance::default()
        }
    }

    #[test]
    fn samples_are_compared_by_their_loudness() {
        let sound = |samples: Matrix| {
            utterance(
                Waveform {
                    rate: 8000,
                    samples,
                }
                .into(),
            )
        };
        let of = |values: &[i16]| sound(Matrix::from_rows(values, 1, Rank::Matrix).unwrap());
        let wide: [i32; 3] = [-1 << 31, 1 << 16, 0];
        let others = [
            sound(Matrix::from_rows(&wide, 1, Rank::Matrix).unwrap()),
            sound(Matrix::from_rows(&[0u16, 32769, 32768], 1, Rank::Matrix).unwrap()),
            sound(Matrix::from_rows(&[-1.0f32, 1.0 / 32768.0, 0.0], 1, Rank::Matrix).unwrap()),
        ];
        for other in &others {
            let compare = |one: &Utterance| {
                let compared = Tolerance::default().utterances(one, other).unwrap();
                assert!(compared.types);
                compared.differences.is_empty()
            };
            assert!(compare(&of(&[-32768, 1, 0])), "{other:?}");
            assert!(!compare(&of(&[-32768, 1, 1])), "{other:?}");
        }
    }

    #[test]
    fn sound_of_another_form_is_never_the_same_unseen() {
        let samples = Matrix::from_rows(&[1i16, 2], 1, Rank::Matrix).unwrap();
        let here = utterance(
            Waveform {
                rate: 8000,
                samples,
            }
            .into(),
        );
        let encoded = utterance(Audio::Encoded(EncodedAudio {
            format: "nothing".to_owned(),
            ..EncodedAudio::default()
        }));
        let mut place = AudioReference::new(Locator::file("a.wav"));
        let there = utterance(Audio::Reference(place.clone()));
        place.channel = Some(1);
        let channel = utterance(Audio::Reference(place));
        let all = [here, encoded, there, channel];
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                assert!(loaded(a, b, &Env::default()).is_none());
                let compared = Tolerance::default().utterances(a, b).unwrap();
                assert_eq!(compared.differences.is_empty(), i == j, "{a:?} {b:?}");
            }
        }
    }
}
