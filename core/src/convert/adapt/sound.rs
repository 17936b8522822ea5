//! Conversion of sound to the form of the target.

use super::{Adapter, target_dtype};
use crate::error::{Error, Remedy, Result};
use crate::format::loss::LossKind;
use crate::model::{Audio, Utterance};
use crate::recording;

impl Adapter {
    /// Checks that all utterances share one sampling rate if they must; the first sets it.
    fn same_rate(&mut self, utt: &Utterance) -> Result<()> {
        let rate = utt.audio.as_ref().and_then(|audio| audio.facts().rate());
        let Some(rate) = rate.filter(|_| self.caps.audio.same_rate) else {
            return Ok(());
        };
        let first = *self.next.rate.get_or_insert(rate);
        match first == rate {
            true => Ok(()),
            false => Err(Error::unfit(format!(
                "has {rate} samples a second, the utterances before it have {first}"
            ))
            .suggest(Remedy::Resample)),
        }
    }

    /// Takes the sound file out of an utterance that was written, and uses its memory for the next
    /// one that is fetched.
    pub fn reclaim(&mut self, utt: &mut Utterance) {
        if let Some(Audio::Encoded(encoded)) =
            utt.audio.take_if(|it| matches!(it, Audio::Encoded(_)))
        {
            self.fetched = encoded.bytes;
        }
    }

    /// Leaves audio unchanged if the target supports its form; otherwise loads it.
    pub(super) fn fit_audio(&mut self, utt: &mut Utterance) -> Result<()> {
        self.same_rate(utt)?;
        let caps = self.caps.audio;
        let as_it_is = match &utt.audio {
            None => return Ok(()),
            _ if !caps.hold_any() => {
                self.now.add(LossKind::Audio, &utt.key, None);
                utt.audio = None;
                return Ok(());
            }
            Some(Audio::Encoded(encoded)) => caps.encoded.contains(&encoded.format.as_str()),
            Some(Audio::Reference(_)) => caps.references,
            Some(Audio::Samples(_)) => false,
        };
        if as_it_is && self.dtype.is_none() {
            return Ok(());
        }
        if self.dtype.is_none()
            && recording::take_file(utt, caps.encoded, &mut self.fetched, &self.env)?
        {
            return Ok(());
        }
        recording::load(utt, &self.env)?;
        let limits = self.limits();
        let Some(sound) = utt.audio.as_mut().and_then(Audio::waveform_mut) else {
            return Err(Error::unfit("has sound that can't be loaded"));
        };
        if caps.dtypes.is_empty() {
            let error = match caps.references {
                true => Error::unfit("has samples, but ")
                    .the_format(" can only name sound files")
                    .suggest(Remedy::WriteSounds),
                false => {
                    let encoded = caps.encoded.join(" or ");
                    Error::unfit(format!("has samples, but {encoded} can't be encoded"))
                        .hint("write .flac or .wav instead")
                }
            };
            return Err(error);
        }
        let asked = self.dtype.unwrap_or(sound.samples.dtype());
        let held = target_dtype(asked, caps.dtypes);
        if held.is_some() {
            let stats = sound.cast(asked, &limits)?;
            self.now.add_cast(&utt.key, &stats);
        }
        let stats = sound.cast_to_bits(held.unwrap_or(asked), caps.bits, &limits)?;
        let written = sound.samples.dtype();
        self.now.add_cast(&utt.key, &stats);
        self.tell_type(written, &utt.key);
        Ok(())
    }
}
