//! The behaviour suite for FLAC.
#![cfg(feature = "flac")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::model::Utterance;
use spr_format_audio::FLAC;
use spr_testkit::{Suite, suite};

#[test]
fn flac_behaves() {
    fn title(utt: &mut Utterance) {
        for tag in &mut utt.meta.tags {
            tag.key = b"TITLE".to_vec();
            tag.value = b"a title".to_vec();
        }
    }
    suite(&Suite {
        prepare: title,
        ..Suite::new(&FLAC)
    });
}
