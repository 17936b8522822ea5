//! Small files of h5py, with every byte changed and cut at every byte: no panic, no memory out of
//! nothing, and no cut that passes for the whole.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fs;
use std::path::Path;

use spr_core::Limits;
use spr_core::bytes::{Access, Env};
use spr_format_hdf5::FORMAT;
use spr_testkit::damaged::{files, read};
use spr_testkit::read_memory;

/// Larger files are left out.
const LARGEST: u64 = 5 << 9;
/// The memory in KiB that damage may ask for.
const MOST: u64 = 100 << 10;

fn env() -> Env {
    let limits = Limits {
        max_alloc: 16 << 20,
        ..Limits::default()
    };
    Env::new(limits, Access::Safe, |_| {})
}

/// The most memory that the process has had, in KiB, where the system tells.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    number.unwrap_or_default()
}

#[test]
fn every_byte_may_be_wrong_or_missing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hdf5");
    let (env, before) = (env(), peak());
    let mut tried = 0;
    for path in files(&folder, LARGEST) {
        if path.extension().is_none_or(|e| e != "h5") {
            continue;
        }
        tried += 1;
        let whole = fs::read(&path).unwrap();
        let is_good = read_memory(&FORMAT, &[], &whole).is_ok();
        for at in 0..whole.len() {
            for change in [0xff, 1] {
                let mut bytes = whole.clone();
                bytes[at] ^= change;
                read(&FORMAT, &bytes, false, &env);
            }
            let cut = &whole[..at];
            assert!(
                !is_good || read_memory(&FORMAT, &[], cut).is_err(),
                "{}: cut at {at}",
                path.display()
            );
        }
    }
    assert!(tried > 8, "{tried} files");
    let more = peak() - before;
    assert!(more < MOST, "{more} KiB");
}
