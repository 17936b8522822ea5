//! All tests of folders of sound from outside, as one program, which is linked once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod columns;
mod folders;
mod joining;
mod tables;
mod timed;

use std::sync::Arc;

use spr_core::bytes::{Env, Locator, MemoryStore};
use spr_core::format::{Format, OpenedDataset, Options, Registry, Request};
use spr_core::model::{Audio, Matrix, Rank, Utterance, Waveform};
use spr_core::{Error, Result};
use spr_format_soundfolder::FORMAT;

fn surroundings() -> (MemoryStore, Env) {
    let store = MemoryStore::new();
    let formats: [&'static dyn Format; 13] = [
        &spr_format_audio::WAV,
        &spr_format_audio::FLAC,
        &spr_format_labels::HTK_LAB,
        &spr_format_labels::PYANNOTE,
        &spr_format_labels::TEXTGRID,
        &spr_format_labels::CTM,
        &spr_format_labels::STM,
        &spr_format_labels::TRN,
        &spr_format_labels::RTTM,
        &spr_format_labels::SRT,
        &spr_format_labels::VTT,
        &spr_format_labels::EAF,
        &spr_format_labels::WHISPER,
    ];
    let env = Env::default().with_formats(Registry::new(formats));
    (store.clone(), env.with_store(Arc::new(store)))
}

fn utt(key: &str, text: Option<&str>) -> Utterance {
    Utterance {
        key: key.into(),
        audio: Some(Audio::Samples(Waveform {
            rate: 8000,
            samples: Matrix::from_rows(&[1i16, -2, 3], 1, Rank::Matrix).unwrap(),
        })),
        text: text.map(Into::into),
        ..Utterance::default()
    }
}

/// Stands for a sound file in the lists of files of a test.
const SOUND: &[u8] = b"a sound file";
/// Stands for a sound file of 2 s at 8000 Hz.
const LONG: &[u8] = b"a long sound file";

/// What reading a folder or a table gave.
#[derive(Default)]
struct Found {
    utts: Vec<Utterance>,
    errors: Vec<String>,
    warnings: Vec<String>,
    /// Says of the data set how transcripts were found, and how many utterances it has.
    decision: String,
    count: Option<u64>,
}

impl Found {
    /// Each utterance as its key and its text.
    fn texts(&self) -> Vec<String> {
        let text = |utt: &Utterance| match &utt.text {
            Some(text) => format!("{}: {}", utt.key, String::from_utf8_lossy(text)),
            None => utt.key.to_string(),
        };
        self.utts.iter().map(text).collect()
    }
}

/// Puts files in a store.
fn fill(store: &MemoryStore, files: &[(&str, &[u8])]) {
    let (seed, env) = surroundings();
    let output = env.output(&Locator::folder("seed"));
    let options = Options::default();
    let mut long = utt("long", None);
    long.audio = Some(Audio::Samples(Waveform {
        rate: 8000,
        samples: Matrix::from_rows(&[1i16; 16000], 1, Rank::Matrix).unwrap(),
    }));
    let sounds = [utt("a", None), long];
    spr_testkit::write_within(&FORMAT, &options, &sounds, output, &env).unwrap();
    for (name, bytes) in files {
        let bytes = match *bytes {
            SOUND => seed.get("seed/a.wav").unwrap(),
            LONG => seed.get("seed/long.wav").unwrap(),
            other => other.to_vec(),
        };
        store.insert(*name, bytes);
    }
}

/// Reads what `open` opens, past every error.
fn asked(
    request: Request,
    env: &Env,
    open: impl Fn(Request, &Env) -> Result<OpenedDataset>,
) -> Found {
    let (env, told) = spr_testkit::listening(env);
    let mut found = Found::default();
    match open(request, &env).and_then(OpenedDataset::into_stream) {
        Ok(reader) => {
            found.decision = reader.info().decision.clone().unwrap_or_default();
            found.count = reader.info().utterances;
            let drained = spr_testkit::faults::drain(reader);
            found.utts = drained.utterances;
            found.errors = drained.errors.iter().map(Error::to_string).collect();
        }
        Err(error) => found.errors.push(error.to_string()),
    }
    found.warnings = told.lock().unwrap().clone();
    found
}

/// Reads the folder `data`.
fn folder(request: Request, env: &Env) -> Found {
    asked(request, env, |request, env| {
        request.open_folder(&FORMAT, &"data".into(), &[], &Options::default(), env)
    })
}

/// Reads the folder `data` of these files.
fn read(files: &[(&str, &[u8])]) -> Found {
    let (store, env) = surroundings();
    fill(&store, files);
    folder(Request::all(), &env)
}

/// Reads the folder `data` of these files with options.
fn read_with(options: &[(&str, &str)], files: &[(&str, &[u8])]) -> Found {
    let (store, env) = surroundings();
    fill(&store, files);
    let options = spr_testkit::options(&FORMAT, options).unwrap();
    asked(Request::all(), &env, |request, env| {
        request.open_folder(&FORMAT, &"data".into(), &[], &options, env)
    })
}

/// Reads a table among these files.
fn table(at: &str, files: &[(&str, &[u8])]) -> Found {
    let (store, env) = surroundings();
    fill(&store, files);
    asked(Request::all(), &env, |request, env| {
        let source = env.open_file(&at.into())?;
        request.open(&FORMAT, source, &Options::default(), env)
    })
}
