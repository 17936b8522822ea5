//! The program under the names of Kaldi's tools: lines as they stand in recipes.
//!
//! The sample corpus was written by Kaldi's own tools, so copies of it must be equal to it byte
//! for byte; other numbers were worked out with NumPy, hashes of files with kaldi_native_io.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod copying;
mod features;
mod manners;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_spr-convert");

/// A folder with the sample corpus and links to the program.
struct Recipe {
    folder: tempfile::TempDir,
}

struct Said {
    status: i32,
    bytes: Vec<u8>,
    err: String,
}

impl Said {
    fn out(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap()
    }
}

impl Recipe {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/samples");
        for corpus in ["kaldi", "htk"] {
            for entry in fs::read_dir(samples.join(corpus)).unwrap() {
                let entry = entry.unwrap();
                fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
            }
        }
        let recipe = Self { folder };
        let links = Command::new(PROGRAM)
            .args(["kaldi-links", "bin"])
            .current_dir(recipe.folder.path())
            .output()
            .unwrap();
        assert!(links.status.success(), "{}", said(links).err);
        recipe
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// Runs a shell line with the tools in reach.
    fn run(&self, line: &str) -> Said {
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", self.path("bin").display());
        let output = Command::new("bash")
            .args(["-o", "pipefail", "-c", line])
            .env("PATH", path)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = said(output);
        assert!(!said.err.contains("panicked"), "{line}: {}", said.err);
        said
    }

    /// Runs a line that must succeed.
    fn ok(&self, line: &str) -> Said {
        let said = self.run(line);
        assert_eq!(said.status, 0, "{line}: {}", said.err);
        said
    }

    /// Runs a line that must fail with `status`, say `message` and leave no file behind.
    fn fails(&self, line: &str, status: i32, message: &str) {
        let before = self.names();
        let said = self.run(line);
        assert_eq!(said.status, status, "{line}: {}", said.err);
        assert!(said.err.contains(message), "{line}: {}", said.err);
        assert_eq!(self.names(), before, "{line}: left something behind");
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
        names.sort();
        names
    }
}

fn said(output: Output) -> Said {
    Said {
        status: output.status.code().unwrap_or(-1),
        bytes: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, b| {
        (hash ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Line `i` of a text, its words.
fn words(text: &str, i: usize) -> Vec<&str> {
    text.lines().nth(i).unwrap().split_whitespace().collect()
}
