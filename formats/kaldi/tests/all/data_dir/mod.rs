//! Data directories: reading, and messages about faulty ones.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod malformed;
mod places;
mod reading;
mod speakers;
mod writing;

use std::sync::Arc;

use spr_core::Result;
use spr_core::bytes::{Env, Location, MemoryStore};
use spr_core::format::{Options, Request};
use spr_core::model::Utterance;
use spr_format_kaldi::DATA;

/// The result of reading a directory: utterances and errors in order, and the warnings.
struct Read {
    entries: Vec<Result<Utterance>>,
    warnings: Vec<String>,
}

impl Read {
    fn utts(self) -> Vec<Utterance> {
        let utts: Result<_> = self.entries.into_iter().collect();
        utts.unwrap()
    }

    fn keys(&self) -> Vec<String> {
        let utts = self.entries.iter().flatten();
        utts.map(|utt| utt.key.to_string()).collect()
    }

    fn errors(&self) -> Vec<String> {
        let errors = self.entries.iter().filter_map(|entry| entry.as_ref().err());
        errors.map(ToString::to_string).collect()
    }
}

/// Reads the directory `d` of these files.
fn read(files: &[(&str, &str)], request: Request, options: &[(&str, &str)]) -> Result<Read> {
    let files = files.iter().map(|(name, text)| (*name, text.as_bytes()));
    read_bytes(&files.collect::<Vec<_>>(), request, options)
}

fn read_bytes(files: &[(&str, &[u8])], request: Request, options: &[(&str, &str)]) -> Result<Read> {
    let store = MemoryStore::new();
    for (name, bytes) in files {
        store.insert(format!("d/{name}"), bytes.to_vec());
    }
    let (env, warnings) = spr_testkit::listening(&Env::default().with_store(Arc::new(store)));
    let options = Options::new(
        spr_core::format::Format::info(&DATA),
        options.iter().copied(),
    )?;
    let opened = request.open_folder(&DATA, &Location::from("d"), &[], &options, &env)?;
    let mut reader = opened.into_stream()?;
    let mut entries = Vec::new();
    loop {
        let mut utt = Utterance::default();
        match reader.read(&mut utt) {
            Ok(false) => break,
            Ok(true) => entries.push(Ok(utt)),
            Err(error) if error.can_continue() => entries.push(Err(error)),
            Err(error) => {
                entries.push(Err(error));
                break;
            }
        }
    }
    drop(reader);
    let warnings = warnings.lock().unwrap().clone();
    Ok(Read { entries, warnings })
}
