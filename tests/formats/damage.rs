//! Every fixture cut, changed, read byte by byte and salvaged: no panic, no run-away memory. What
//! each format's own suite does to data it wrote is done here to the files of other programs.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fs;
use std::path::{Path, PathBuf};

use spr_convert::builtin;
use spr_core::Limits;
use spr_core::bytes::{Access, Env, Output, Source};
use spr_core::format::{Format, Medium, Options};
use spr_core::model::About;
use spr_testkit::compare_all;
use spr_testkit::damaged::{files, open, read};
use spr_testkit::faults::{FailingSink, Random, drain, flip, one_byte};

/// Larger files are left out.
const LARGEST: u64 = 64 << 10;
/// Flips of a file: as many as read about so many bytes, but no more than this.
const FLIPS: usize = 100;
const VOLUME: usize = 200_000;
/// Files of which only the length tells the byte order, which can't be read byte by byte.
const OF_KNOWN_LENGTH: [&str; 1] = ["htk/sphinx-fe/input.mfc"];
/// Cuts of a file.
const CUTS: usize = 100;

fn fixtures() -> Vec<PathBuf> {
    files(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"),
        LARGEST,
    )
}

fn env() -> Env {
    let limits = Limits {
        max_alloc: 16 << 20,
        ..Limits::default()
    };
    Env::new(limits, Access::Safe, |_| {})
}

fn format_of(bytes: &[u8]) -> Option<&'static dyn Format> {
    let mut source = Source::from_bytes("fixture", bytes.to_vec()).ok()?;
    builtin::registry().detect(&mut source).ok()
}

#[test]
fn fixtures_are_cut_and_changed() {
    let (mut seen, mut cuts, mut flips) = (0, 0, 0);
    for path in fixtures() {
        let bytes = fs::read(&path).unwrap();
        let Some(format) = format_of(&bytes) else {
            continue;
        };
        seen += 1;
        let step = (bytes.len() / CUTS).max(1);
        for n in (0..bytes.len()).step_by(step) {
            let cut = &bytes[..n];
            read(format, cut, false, &env());
            read(format, cut, true, &env());
            cuts += 1;
        }
        let mut random = Random::new(seen);
        for _ in 0..FLIPS.min(VOLUME / bytes.len()) {
            let damaged = flip(&bytes, &mut random);
            read(format, &damaged, false, &env());
            read(format, &damaged, true, &env());
            flips += 1;
        }
    }
    assert!(seen > 300, "{seen} files");
    assert!(cuts > 20_000, "{cuts} cuts");
    assert!(flips > 15_000, "{flips} flips");
}

#[test]
fn fixtures_are_salvaged_whole_and_read_byte_by_byte() {
    let (mut seen, mut faults) = (0, Vec::new());
    for path in fixtures() {
        let bytes = fs::read(&path).unwrap();
        let Some(format) = format_of(&bytes) else {
            continue;
        };
        let source = || Source::from_bytes("fixture", bytes.clone());
        let Some(reader) = open(format, source(), false, &env()) else {
            continue;
        };
        let plain = drain(reader);
        if !plain.errors.is_empty() {
            continue;
        }
        seen += 1;
        let slow = open(format, one_byte(&bytes), false, &env()).map(drain);
        let salvaged = drain(open(format, source(), true, &env()).unwrap());
        let others = match OF_KNOWN_LENGTH.iter().any(|name| path.ends_with(name)) {
            true => {
                let refused = slow.is_none_or(|slow| slow.errors.len() == 1);
                assert!(refused, "{}", path.display());
                vec![salvaged]
            }
            false => vec![slow.unwrap(), salvaged],
        };
        for other in others {
            let same = compare_all(&plain.utterances, &other.utterances, true, true);
            if same.is_err() || !other.errors.is_empty() {
                faults.push(format!("{}: {same:?} {:?}", path.display(), other.errors));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(seen > 250, "{seen} files");
}

#[test]
fn outputs_of_fixtures_fail_wherever_they_may() {
    let mut runs = 0;
    for path in fixtures() {
        let bytes = fs::read(&path).unwrap();
        let Some(format) = format_of(&bytes).filter(|_| bytes.len() < 4096) else {
            continue;
        };
        let Some(reader) = open(
            format,
            Source::from_bytes("fixture", bytes.clone()),
            false,
            &env(),
        ) else {
            continue;
        };
        let utts = drain(reader).utterances;
        let options = Options::default();
        if format.caps(&options, Medium::Stream).is_err() {
            continue;
        }
        for room in (0..bytes.len()).step_by(1 + bytes.len() / 40) {
            let output = Output::stream("full", Box::new(FailingSink::new(room)));
            let Ok(mut writer) = format.create(output, &options, &About::default(), &env()) else {
                continue;
            };
            let written = utts.iter().try_for_each(|utt| writer.write(utt));
            let finished = written.and_then(|()| writer.finish().map(drop));
            assert!(finished.is_err(), "{}: room for {room}", path.display());
            runs += 1;
        }
    }
    assert!(runs > 5000, "{runs} runs");
}
