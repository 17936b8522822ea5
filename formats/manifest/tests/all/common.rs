//! Reads data sets in memory, with all that is told.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::sync::Arc;

use spr_core::bytes::{Env, Locator, MemoryStore};
use spr_core::format::{Format, OpenedDataset, Options, Registry, Request, WriteSummary};
use spr_core::model::{About, Matrix, Rank, Utterance};
use spr_core::{Error, Result};
use spr_testkit::faults::drain_opened;

/// Returns a store, and surroundings with the formats that manifests name.
pub(crate) fn surroundings() -> (MemoryStore, Env) {
    let store = MemoryStore::new();
    let formats: [&'static dyn Format; 6] = [
        &spr_format_audio::WAV,
        &spr_format_audio::FLAC,
        &spr_format_numpy::FORMAT,
        &spr_format_kaldi::FORMAT,
        &spr_format_hdf5::FORMAT,
        &spr_format_lilcom::FORMAT,
    ];
    let env = Env::default().with_formats(Registry::new(formats));
    (store.clone(), env.with_store(Arc::new(store)))
}

/// What reading gave, and what was told meanwhile.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) utts: Vec<Utterance>,
    pub(crate) errors: Vec<Error>,
    pub(crate) warnings: Vec<String>,
}

impl Found {
    pub(crate) fn keys(&self) -> Vec<String> {
        self.utts.iter().map(|utt| utt.key.to_string()).collect()
    }

    pub(crate) fn said(&self) -> Vec<String> {
        self.errors.iter().map(ToString::to_string).collect()
    }

    /// Returns the utterances, of which nothing is at fault.
    #[track_caller]
    pub(crate) fn whole(self) -> Vec<Utterance> {
        assert!(self.errors.is_empty(), "{:?}", self.errors);
        self.utts
    }
}

fn listen(env: &Env, open: impl FnOnce(&Env) -> Result<OpenedDataset>) -> Found {
    let (env, told) = spr_testkit::listening(env);
    let drained = drain_opened(open(&env));
    let warnings = told.lock().unwrap().clone();
    Found {
        utts: drained.utterances,
        errors: drained.errors,
        warnings,
    }
}

/// Reads a file.
pub(crate) fn read_file(
    format: &'static dyn Format,
    at: &str,
    pairs: &[(&str, &str)],
    request: Request,
    env: &Env,
) -> Found {
    let options = spr_testkit::options(format, pairs).unwrap();
    listen(env, |env| {
        request.open(format, env.open_file(&at.into())?, &options, env)
    })
}

/// Reads a folder.
pub(crate) fn read_folder(
    format: &'static dyn Format,
    at: &str,
    request: Request,
    env: &Env,
) -> Found {
    listen(env, |env| {
        request.open_folder(format, &at.into(), &[], &Options::default(), env)
    })
}

/// Writes to a place, and returns what was written. What is refused, [`Writer::accept`] refuses.
///
/// [`Writer::accept`]: spr_core::format::Writer::accept
pub(crate) fn write(
    format: &'static dyn Format,
    at: &Locator,
    pairs: &[(&str, &str)],
    utts: &[Utterance],
    env: &Env,
) -> Result<WriteSummary> {
    // What was read before is no input of this run.
    let env = &env.clone().with_store(env.store().clone());
    let options = spr_testkit::options(format, pairs)?;
    let output = env.output(at).overwrite(true);
    let mut writer = format.create(output.clone(), &options, &About::default(), env)?;
    for utt in utts {
        writer.accept(utt)?;
        writer.write(utt).unwrap();
    }
    let written = writer.finish()?;
    output.commit()?;
    Ok(written)
}

/// Returns the text of a file, decompressed.
pub(crate) fn text_of(at: &str, env: &Env) -> String {
    let mut source = env.open_file(&at.into()).unwrap();
    String::from_utf8(source.rest("a file", &env.limits).unwrap()).unwrap()
}

/// Returns a matrix whose row n has the values n, n + 0.5, n + 1 and so on.
pub(crate) fn rows(rows: u16, cols: u16) -> Matrix {
    let values: Vec<f32> = (0..rows)
        .flat_map(|row| (0..cols).map(move |col| f32::from(row) + f32::from(col) / 2.0))
        .collect();
    Matrix::from_rows(&values, usize::from(cols), Rank::Matrix).unwrap()
}

/// Returns the bytes of a file of a format with these features.
pub(crate) fn file_of(
    format: &'static dyn Format,
    pairs: &[(&str, &str)],
    key: &str,
    features: Matrix,
) -> Vec<u8> {
    let utt = Utterance {
        key: key.into(),
        features: Some(features),
        ..Utterance::default()
    };
    spr_testkit::write_memory(format, pairs, &[utt]).unwrap()
}
