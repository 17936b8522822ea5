//! The behaviour suite for data sets of Hugging Face.

use spr_core::bytes::Env;
use spr_core::format::{Format, Registry};
use spr_core::model::{Tag, Utterance};
use spr_format_hf::FORMAT;
use spr_testkit::{Suite, suite};

fn env() -> Env {
    let formats: [&'static dyn Format; 2] = [&spr_format_audio::WAV, &spr_format_audio::FLAC];
    Env::default().with_formats(Registry::new(formats))
}

/// Columns of some format that are text and differ.
fn text_only(utt: &mut Utterance) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned().into_bytes();
    for (n, tag) in utt.meta.tags.iter_mut().enumerate() {
        let key = [text(&tag.key), n.to_string().into_bytes()].concat();
        *tag = Tag::new(tag.format.clone(), key, text(&tag.value));
    }
}

#[test]
fn hf_behaves() {
    suite(&Suite {
        options: &[&[], &[("sound", "flac")]],
        env,
        prepare: text_only,
        ..Suite::new(&FORMAT)
    });
}
