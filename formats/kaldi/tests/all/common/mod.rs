//! Environments for tests.

use std::sync::Arc;

use spr_core::bytes::{Env, MemoryStore};
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

/// Returns an environment with these files and no others.
pub(crate) fn holding<B: AsRef<[u8]>>(files: &[(&str, B)]) -> Env {
    let store = MemoryStore::new();
    for (name, bytes) in files {
        store.insert(*name, bytes.as_ref().to_vec());
    }
    env().with_store(Arc::new(store))
}
