//! The behaviour suite for WebDataset.

use spr_core::bytes::Env;
use spr_core::format::{Format, Registry};
use spr_core::model::{Tag, Utterance};
use spr_format_webdataset::FORMAT;
use spr_testkit::{Suite, suite};

fn env() -> Env {
    let formats: [&'static dyn Format; 3] = [
        &spr_format_audio::WAV,
        &spr_format_audio::FLAC,
        &spr_format_numpy::FORMAT,
    ];
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
fn webdataset_behaves() {
    suite(&Suite {
        // A whole archive may end before the zeros that fill its last record.
        self_delimiting: true,
        options: &[
            &[],
            &[
                ("names", "escape"),
                ("audio", "flac"),
                ("features", "x.npy"),
            ],
        ],
        env,
        prepare: text_only,
        ..Suite::new(&FORMAT)
    });
}
