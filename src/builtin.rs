//! The list of formats, and the environment that knows them.

use std::sync::Arc;

use spr_core::Result;
use spr_core::bytes::Env;
use spr_core::format::{Format, Registry};

/// All places that the program supports: the local file system.
#[cfg(not(feature = "remote"))]
pub type Places = spr_core::bytes::Local;
/// All places that the program supports: the local file system, and URLs.
#[cfg(feature = "remote")]
pub type Places = spr_remote::Places;

/// Tables by Kaldi's own grammar, and single objects.
#[cfg(feature = "kaldi")]
pub use spr_format_kaldi::{
    RandomAccessTableReader, RandomAccessTableReaderMapped, SequentialTableReader, TableWriter,
    read_object,
};
/// Headers that stand before data, for the verb that shows and changes them.
#[cfg(feature = "spraak")]
pub use spr_format_spraak::header;
/// Programs of other projects that this one can stand in for.
#[cfg(feature = "kaldi-tools")]
pub use spr_kaldi_tools as tools;

/// Declares the formats: the feature of each, and the formats that it adds.
macro_rules! formats {
    ($($feature:literal: $($format:path),+;)+) => {
        const BUILT_IN: &[&dyn Format] = &[$($(
            #[cfg(feature = $feature)]
            &$format,
        )+)+];

        /// The features with formats that were left out of this build.
        pub const LEFT_OUT: &[&str] = &[$(
            #[cfg(not(feature = $feature))]
            $feature,
        )+];
    };
}

formats! {
    "kaldi": spr_format_kaldi::FORMAT, spr_format_kaldi::DATA;
    "pfile": spr_format_pfile::FORMAT;
    "pickle": spr_format_pickle::FORMAT;
    "spraak": spr_format_spraak::SPR, spr_format_spraak::KEY;
    "audio": spr_format_audio::WAV, spr_format_audio::SPHERE, spr_format_audio::AU;
    "flac": spr_format_audio::FLAC;
    "mp3": spr_format_audio::MP3;
    "vorbis": spr_format_audio::OGG;
    "est": spr_format_est::FORMAT;
    "hdf5": spr_format_hdf5::FORMAT;
    "hf": spr_format_hf::FORMAT;
    "htk": spr_format_htk::HTK, spr_format_htk::SPHINX;
    "numpy": spr_format_numpy::FORMAT, spr_format_numpy::NPZ, spr_format_numpy::SAFETENSORS;
    "labels": spr_format_labels::CTM, spr_format_labels::STM, spr_format_labels::RTTM,
        spr_format_labels::TRN, spr_format_labels::TEXTGRID, spr_format_labels::HTK_LAB,
        spr_format_labels::MLF, spr_format_labels::AUDACITY, spr_format_labels::TIMIT,
        spr_format_labels::PYANNOTE, spr_format_labels::SRT, spr_format_labels::VTT,
        spr_format_labels::EAF, spr_format_labels::WHISPER, spr_format_labels::FESTVOX;
    "jsonl": spr_format_jsonl::FORMAT;
    "lilcom": spr_format_lilcom::FORMAT;
    "manifest": spr_format_manifest::NEMO, spr_format_manifest::NEMO_TARRED,
        spr_format_manifest::LHOTSE, spr_format_manifest::SHAR, spr_format_manifest::AUDIO_FOLDER;
    "soundfolder": spr_format_soundfolder::FORMAT;
    "webdataset": spr_format_webdataset::FORMAT;
}

/// Returns all available formats.
pub fn registry() -> Registry {
    Registry::new(BUILT_IN.iter().copied())
}

/// Returns the format in which utterances are shown as JSON.
///
/// # Errors
/// The registry does not have it.
pub fn canonical(registry: &Registry) -> Result<&'static dyn Format> {
    registry.get("jsonl")
}

/// Returns a safe environment with all places, in which containers find the formats of objects
/// inside them.
pub fn env() -> Env {
    env_with(registry())
}

/// The same with other formats.
pub fn env_with(formats: Registry) -> Env {
    Env::default()
        .with_store(Arc::new(Places::default()))
        .with_formats(formats)
}
