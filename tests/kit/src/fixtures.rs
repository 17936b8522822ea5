//! Files of other programs, read by the tests of a format's own crate.

use std::fs;
use std::path::{Path, PathBuf};

use spr_core::Result;
use spr_core::bytes::{Env, Locator};
use spr_core::format::{Format, Options, Registry, Request};
use spr_core::model::Utterance;

use crate::compare_all;
use crate::faults::drain;

/// Reads a folder of cases: each with an `input.*`, as its `expect.jsonl` says, and those under `refused`
/// refused with the words of their `error.txt`. `cases.txt` counts them, as in `60 read, 36 refused`. The
/// formats of `registry` read both; objects inside the files are of the formats of `env`.
///
/// # Panics
/// A case is read otherwise, or there are more or fewer than are counted.
pub fn fixtures(folder: &Path, registry: &Registry, env: &Env) {
    let (mut faults, mut found) = (Vec::new(), 0);
    for refused in [false, true] {
        let cases = match refused {
            true => folder.join("refused"),
            false => folder.to_owned(),
        };
        for case in folders(&cases) {
            found += 1;
            let read = |file: &Path| read(file, registry, env);
            let got = read(&input(&case));
            let checked = match refused {
                true => words(&case, got.err().map(|e| e.to_string())),
                false => {
                    let expected = read(&case.join("expect.jsonl")).unwrap();
                    got.map_err(|e| e.to_string())
                        .and_then(|got| compare_all(&expected, &got, true, true))
                }
            };
            if let Err(fault) = checked {
                faults.push(format!("{}: {fault}", case.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let counts = fs::read_to_string(folder.join("cases.txt")).unwrap();
    let counts = counts
        .split_whitespace()
        .filter_map(|word| word.parse::<usize>().ok());
    assert_eq!(found, counts.sum::<usize>(), "{}", folder.display());
}

/// Checks that an error has the words of a case.
fn words(case: &Path, error: Option<String>) -> Result<(), String> {
    let phrase = fs::read_to_string(case.join("error.txt")).unwrap();
    let error = error.ok_or("was read")?;
    // The words are not to be found in the path.
    match error
        .replace(case.to_str().unwrap(), "")
        .contains(phrase.trim())
    {
        true => Ok(()),
        false => Err(format!("'{}' is not in: {error}", phrase.trim())),
    }
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(of).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = all
        .filter(|path| path.is_dir() && !path.ends_with("refused"))
        .collect();
    folders.sort();
    folders
}

/// The file that a case is about.
fn input(case: &Path) -> PathBuf {
    let names = fs::read_dir(case).unwrap();
    let mut inputs = names.map(|entry| entry.unwrap().path()).filter(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("input") && !name.ends_with(".utt2num_frames")
    });
    inputs.next().expect("no input")
}

/// Reads a file as the format of its name, otherwise of its content.
fn read(file: &Path, registry: &Registry, env: &Env) -> Result<Vec<Utterance>> {
    let mut source = env.open(&Locator::file(file))?;
    let named = source.location().and_then(|at| {
        let at = at.plain();
        registry.by_extension(at.extension()?).first().copied()
    });
    let format: &'static dyn Format = match named {
        Some(format) => format,
        None => registry.detect(&mut source)?,
    };
    let opened = Request::all().open(format, source, &Options::default(), env)?;
    drain(opened.into_stream()?).whole()
}
