//! Memory does not grow with the size of the input.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]
#![cfg(unix)]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

/// Address space given to the program, in KiB; thread stacks and the allocator's reserves count.
const LIMIT: u64 = 240 << 10;
const UTTERANCES: usize = 900;
const FRAMES: usize = 3000;
const DIM: u8 = 40;

/// An archive and an alignment far larger than the limit, written from the layout.
fn corpus(folder: &Path) {
    let mut ark = BufWriter::new(File::create(folder.join("f.ark")).unwrap());
    let mut ali = BufWriter::new(File::create(folder.join("a.ark")).unwrap());
    let rows = u32::try_from(FRAMES).unwrap().to_le_bytes();
    let values: Vec<u8> = (0..FRAMES * usize::from(DIM))
        .flat_map(|i| (i as f32 * 0.25).to_le_bytes())
        .collect();
    let labels: Vec<u8> = (0..FRAMES)
        .flat_map(|i| [4, u8::from(i % 7 == 0), 0, 0, 0])
        .collect();
    for n in 0..UTTERANCES {
        write!(ark, "utt-{n:04} \0BFM \x04").unwrap();
        ark.write_all(&rows).unwrap();
        ark.write_all(&[4, DIM, 0, 0, 0]).unwrap();
        ark.write_all(&values).unwrap();
        write!(ali, "utt-{n:04} \0B\x04").unwrap();
        ali.write_all(&rows).unwrap();
        ali.write_all(&labels).unwrap();
    }
    assert!(UTTERANCES * values.len() > usize::try_from(LIMIT).unwrap() * 1024 * 3 / 2);
}

/// Runs the program in so much address space and returns what it said on standard error.
fn run(folder: &Path, line: &str) -> String {
    let script = format!("ulimit -v {LIMIT}; exec spr-convert {line}");
    let program = Path::new(env!("CARGO_BIN_EXE_spr-convert"))
        .parent()
        .unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{line}: {said}");
    said
}

#[test]
fn long_inputs_stream() {
    let folder = tempfile::tempdir().unwrap();
    corpus(folder.path());
    for line in [
        "ark:f.ark ark,scp:x.ark,x.scp",
        "f.ark --labels a.ark x.pfile",
        "x.pfile --labels-out y.ali y.ark",
        "x.pfile x.pkl",
        "x.pkl z.ark --labels-out z.ali",
        "x.scp spr:d/",
        "d/ w.ark",
    ] {
        let said = run(folder.path(), line);
        assert!(
            said.contains("900 utterances, 2700000 frames"),
            "{line}: {said}"
        );
    }
    for line in [
        "ls f.ark",
        "ls x.pfile",
        "stats x.pfile",
        "plot x.pfile -o x.png",
        "plot f.ark utt-0899 -o y.svg",
        "report x.pfile -o x.html",
        "show x.pfile utt-0899 --range 0,0",
        "diff f.ark x.scp",
        "diff x.pkl x.pfile",
        "diff f.ark z.ark --by-key",
        "select z.ark few.ark --sample 3",
        "merge f.ark z.ark m.ark --duplicates last",
        "index f.ark -o i.scp",
        "sort f.ark --by frames sorted.ark --memory 32m",
    ] {
        run(folder.path(), line);
    }
    for copy in ["w.ark", "m.ark", "sorted.ark"] {
        let same = Command::new("cmp")
            .args(["f.ark", copy])
            .current_dir(folder.path())
            .status();
        assert!(same.unwrap().success(), "{copy}");
    }
}
