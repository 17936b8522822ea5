//! The behaviour suite for the uncompressed formats.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::model::Utterance;
use spr_format_audio::{AU, SPHERE, WAV};
use spr_testkit::{Suite, suite};

#[test]
fn wav_behaves() {
    // Names of tags have four letters.
    fn four_letters(utt: &mut Utterance) {
        for tag in &mut utt.meta.tags {
            tag.key.resize(4, b'_');
        }
    }
    suite(&Suite {
        prepare: four_letters,
        warns_of_more: true,
        ..Suite::new(&WAV)
    });
}

#[test]
fn sphere_behaves() {
    suite(&Suite {
        warns_of_more: true,
        ..Suite::new(&SPHERE)
    });
}

#[test]
fn au_behaves() {
    // There is at most one tag.
    fn one_note(utt: &mut Utterance) {
        utt.meta.tags.truncate(1);
        for tag in &mut utt.meta.tags {
            tag.key = b"annotation".to_vec();
        }
    }
    suite(&Suite {
        prepare: one_note,
        ..Suite::new(&AU)
    });
}
