//! Files of other programs, damaged, and read as far as that goes.

use std::fs;
use std::path::{Path, PathBuf};

use spr_core::bytes::{Env, Source};
use spr_core::format::{Format, Options, Reader, Request};
use spr_core::model::Utterance;

use crate::faults::{Drained, drain};

/// Errors and utterances after which a reader that goes on is believed never to end.
const MANY: usize = 100_000;

/// The data files below `folder` that are not empty and have at most `largest` bytes, sorted.
pub fn files(folder: &Path, largest: u64) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let is_about = ["error.txt", "cases.txt", "README.md"].contains(&&*name);
            if path.is_dir() {
                folders.push(path);
            } else if !name.ends_with(".py") && !is_about {
                files.push(path);
            }
        }
    }
    files.retain(|path| (1..=largest).contains(&fs::metadata(path).unwrap().len()));
    files.sort();
    files
}

/// Opens `source`, as `repair` does with `salvage`.
pub fn open(
    format: &'static dyn Format,
    source: spr_core::Result<Source>,
    salvage: bool,
    env: &Env,
) -> Option<Box<dyn Reader>> {
    let options = Options::default();
    let request = match salvage {
        true => Request::all().damaged(),
        false => Request::all(),
    };
    let opened = request.open(format, source.ok()?, &options, env);
    opened.ok()?.into_stream().ok()
}

/// Reads `bytes` to the end, past every error that can continue. Panics if there is no end.
pub fn read(format: &'static dyn Format, bytes: &[u8], salvage: bool, env: &Env) {
    let source = Source::from_bytes("damaged", bytes.to_vec());
    if let Some(reader) = open(format, source, salvage, env) {
        exhaust(reader, MANY);
    }
}

/// Reads to the end, past every error that can continue, and keeps nothing. Panics if `most`
/// utterances and errors are not all.
pub fn exhaust(mut reader: Box<dyn Reader>, most: usize) {
    let mut utt = Utterance::default();
    for _ in 0..most {
        match reader.read(&mut utt) {
            Ok(true) => {}
            Err(error) if error.can_continue() => {}
            _ => return,
        }
    }
    panic!("no end after {most} utterances and errors");
}

/// What is whole in `bytes`, called `damaged`, and every error on the way.
///
/// # Panics
/// They can't be opened.
pub fn salvage(format: &'static dyn Format, bytes: Vec<u8>) -> Drained {
    let source = Source::from_bytes("damaged", bytes);
    let reader = open(format, source, true, &Env::default());
    drain(reader.expect("damaged data can be opened"))
}

/// Makes the member whose header is at byte `at` of a tar file one of another kind, such as `b'5'` of
/// folders.
pub fn with_member_kind(mut tar: Vec<u8>, at: usize, kind: u8) -> Vec<u8> {
    let header = &mut tar[at..at + 512];
    header[156] = kind;
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    tar
}
