//! The one list of formats, and the surroundings that know them.

use spr_core::bytes::Env;
use spr_core::format::{Format, Registry};

/// All formats that the program is built with.
pub fn registry() -> Registry {
    let formats: &[&'static dyn Format] = &[
        #[cfg(feature = "kaldi")]
        &spr_format_kaldi::FORMAT,
        #[cfg(feature = "pfile")]
        &spr_format_pfile::FORMAT,
        #[cfg(feature = "pickle")]
        &spr_format_pickle::FORMAT,
        #[cfg(feature = "spraak")]
        &spr_format_spraak::SPR,
        #[cfg(feature = "spraak")]
        &spr_format_spraak::KEY,
        #[cfg(feature = "audio")]
        &spr_format_audio::WAV,
        #[cfg(feature = "audio")]
        &spr_format_audio::SPHERE,
        #[cfg(feature = "audio")]
        &spr_format_audio::AU,
        #[cfg(feature = "jsonl")]
        &spr_format_jsonl::FORMAT,
    ];
    Registry::new(formats.iter().copied())
}

/// Safe surroundings, in which containers find the formats of the objects inside them.
pub fn env() -> Env {
    Env::default().with_formats(registry())
}
