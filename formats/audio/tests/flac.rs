//! What FLAC promises.
#![cfg(feature = "flac")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::Limits;
use spr_core::model::{Audio, Rank, Utterance};
use spr_format_audio::FLAC;
use spr_testkit::{Suite, suite};

#[test]
fn flac_behaves() {
    // Samples of 32 bits have the lowest 8 of them 0; there are some, of eight channels at most.
    fn fits(utt: &mut Utterance) {
        for tag in &mut utt.meta.tags {
            tag.key = b"TITLE".to_vec();
            tag.value = b"a title".to_vec();
        }
        let Some(sound) = utt.audio.as_mut().and_then(Audio::waveform_mut) else {
            return;
        };
        let samples = &mut sound.samples;
        if samples.rows() == 0 || samples.cols() > 8 {
            let (dtype, rows) = (samples.dtype(), samples.rows().max(1));
            samples
                .reset(dtype, Rank::Matrix, rows, 8, &Limits::default())
                .unwrap();
        }
        if let Ok(samples) = samples.values_mut::<i32>() {
            samples.iter_mut().for_each(|sample| *sample &= !0xff);
        }
    }
    suite(&Suite {
        prepare: fits,
        ..Suite::new(&FLAC)
    });
}
