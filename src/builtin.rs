//! The one list of formats, and the surroundings that know them.

use spr_core::bytes::Env;
use spr_core::format::{Format, Registry};

/// All formats that the program is built with.
pub fn registry() -> Registry {
    let formats: Vec<&'static dyn Format> = vec![
        &spr_format_kaldi::FORMAT,
        &spr_format_pfile::FORMAT,
        &spr_format_pickle::FORMAT,
        &spr_format_spraak::SPR,
        &spr_format_spraak::KEY,
        &spr_format_audio::WAV,
        &spr_format_audio::SPHERE,
        &spr_format_audio::AU,
        &spr_format_jsonl::FORMAT,
    ];
    Registry::new(formats)
}

/// Safe surroundings, in which containers find the formats of the objects inside them.
pub fn env() -> Env {
    Env::default().with_formats(registry())
}
