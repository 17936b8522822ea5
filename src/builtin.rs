//! The one list of formats, and the surroundings that know them.

use std::sync::Arc;

use spr_core::bytes::Env;
use spr_core::format::{Format, Registry};

/// All places that the program is built with: the local file system.
#[cfg(not(feature = "remote"))]
pub type Places = spr_core::bytes::Local;
/// All places that the program is built with: the local file system, and URLs.
#[cfg(feature = "remote")]
pub type Places = spr_remote::Places;

/// A list of the formats that are built in: the feature of each, and what it brings.
macro_rules! formats {
    ($($feature:literal: $($format:path),+;)+) => {
        &[$($(
            #[cfg(feature = $feature)]
            &$format,
        )+)+]
    };
}

/// All formats that the program is built with.
pub fn registry() -> Registry {
    let formats: &[&'static dyn Format] = formats! {
        "kaldi": spr_format_kaldi::FORMAT, spr_format_kaldi::DATA;
        "pfile": spr_format_pfile::FORMAT;
        "pickle": spr_format_pickle::FORMAT;
        "spraak": spr_format_spraak::SPR, spr_format_spraak::KEY;
        "audio": spr_format_audio::WAV, spr_format_audio::SPHERE, spr_format_audio::AU;
        "flac": spr_format_audio::FLAC;
        "mp3": spr_format_audio::MP3;
        "vorbis": spr_format_audio::OGG;
        "htk": spr_format_htk::HTK, spr_format_htk::SPHINX;
        "numpy": spr_format_numpy::FORMAT, spr_format_numpy::NPZ, spr_format_numpy::SAFETENSORS;
        "labels": spr_format_labels::CTM, spr_format_labels::STM, spr_format_labels::RTTM,
            spr_format_labels::TRN, spr_format_labels::TEXTGRID, spr_format_labels::HTK_LAB,
            spr_format_labels::MLF, spr_format_labels::AUDACITY, spr_format_labels::TIMIT,
            spr_format_labels::PYANNOTE;
        "jsonl": spr_format_jsonl::FORMAT;
        "manifest": spr_format_manifest::NEMO, spr_format_manifest::LHOTSE,
            spr_format_manifest::AUDIO_FOLDER;
    };
    Registry::new(formats.iter().copied())
}

/// Safe surroundings with all places, in which containers find the formats of the objects inside them.
pub fn env() -> Env {
    Env::default()
        .with_store(Arc::new(Places::default()))
        .with_formats(registry())
}
