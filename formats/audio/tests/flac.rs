//! The behaviour suite for FLAC.
#![cfg(feature = "flac")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::model::{Audio, Utterance};
use spr_format_audio::FLAC;
use spr_testkit::{Suite, suite};

#[test]
fn flac_behaves() {
    // Samples of 32 bits have the lowest 8 of them 0.
    fn fits(utt: &mut Utterance) {
        for tag in &mut utt.meta.tags {
            tag.key = b"TITLE".to_vec();
            tag.value = b"a title".to_vec();
        }
        let Some(sound) = utt.audio.as_mut().and_then(Audio::waveform_mut) else {
            return;
        };
        if let Ok(samples) = sound.samples.values_mut::<i32>() {
            samples.iter_mut().for_each(|sample| *sample &= !0xff);
        }
    }
    suite(&Suite {
        prepare: fits,
        ..Suite::new(&FLAC)
    });
}
