//! An environment for tests.

use spr_core::bytes::Env;
use spr_core::format::{Format, Registry};

/// Returns an environment with the formats of objects in tables.
pub(crate) fn env() -> Env {
    let formats: [&'static dyn Format; 5] = [
        &spr_format_audio::FLAC,
        &spr_format_audio::WAV,
        &spr_format_htk::HTK,
        &spr_format_htk::SPHINX,
        &spr_format_numpy::FORMAT,
    ];
    Env::default().with_formats(Registry::new(formats))
}
