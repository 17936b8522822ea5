//! The program itself: standard output, standard error, exit status, files left behind.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod alignments;
mod arguments;
mod audio;
mod behind_the_first;
mod beside;
mod by_columns;
mod check;
mod check_directories;
mod check_kinds;
mod check_sound;
mod choosing;
mod cmvn;
#[cfg(unix)]
mod columns;
mod completions;
mod convert;
mod copies;
mod corpora;
mod cutting;
mod damage;
mod directory_tables;
mod escapes;
mod explaining;
#[cfg(unix)]
mod faults;
mod fitting;
mod foreign_flags;
#[cfg(unix)]
mod groups;
mod guesses;
mod hdf5;
mod header;
mod held_for;
mod help;
mod hints;
mod hub;
mod info;
mod json_schema;
mod kaldi;
mod kaldi_data;
mod kaldi_kinds;
mod kaldi_objects;
mod kaldi_trust;
mod labels;
mod lhotse_lines;
mod limits;
mod line_faults;
mod lists;
#[cfg(unix)]
mod live;
mod long;
mod long_lines;
mod looking;
mod manifest_lines;
mod manifests;
mod marks;
mod moved;
#[cfg(unix)]
mod names;
#[cfg(not(feature = "remote"))]
mod no_remote;
#[cfg(unix)]
mod outputs;
mod pdnn;
#[cfg(unix)]
mod pictures;
#[cfg(unix)]
mod pipelines;
mod places;
mod plot;
#[cfg(feature = "remote")]
mod remote;
mod renamed;
mod rounding;
mod schemas;
mod shar;
mod shards;
mod shards_changes;
mod shards_places;
#[cfg(target_os = "linux")]
mod shards_reads;
mod skipping;
mod skipping_inputs;
mod sound;
mod sound_folders;
mod sound_tables;
mod spans;
mod spellings;
mod split;
mod stages;
#[cfg(unix)]
mod stopping;
#[cfg(unix)]
mod survey;
mod taken;
mod tars;
#[cfg(unix)]
mod timed_text;
mod together;
mod trust;
#[cfg(target_os = "linux")]
mod unfinished;
mod unmet;
mod valid;
mod verbs;
mod verify;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The repository's sample corpus.
fn sample(name: &str) -> String {
    format!(
        "{}/fixtures/samples/kaldi/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

/// An empty folder to work in.
struct Scratch(tempfile::TempDir);

/// What a run of the program said.
struct Said {
    status: i32,
    out: String,
    err: String,
}

impl Scratch {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Whether another program is on this machine; tests capture what `eprintln` says, and this is for
    /// people.
    fn has(&self, program: &str) -> bool {
        let here = self.shell(&format!("command -v {program}")).status == 0;
        if !here {
            let _ = writeln!(std::io::stderr(), "{program} is not here: not tried");
        }
        here
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Everything in the folder, sorted.
    fn names(&self) -> Vec<String> {
        names(self.0.path())
    }

    /// Runs the program in the folder; words are separated by blanks.
    fn run(&self, line: &str) -> Said {
        self.run_args(&line.split_whitespace().collect::<Vec<_>>())
    }

    fn run_args(&self, args: &[&str]) -> Said {
        said(self.command().args(args).output().unwrap())
    }

    /// Runs a shell line in which `spr-convert` is the program.
    fn shell(&self, line: &str) -> Said {
        let program = Path::new(env!("CARGO_BIN_EXE_spr-convert"));
        let path = format!(
            "{}:{}",
            program.parent().unwrap().display(),
            std::env::var("PATH").unwrap_or_default()
        );
        let mut command = Command::new("bash");
        command
            .args(["-o", "pipefail", "-c", line])
            .env("PATH", path);
        said(
            command
                .current_dir(self.0.path())
                .stdin(Stdio::null())
                .output()
                .unwrap(),
        )
    }

    /// Runs the program and demands success.
    fn ok(&self, line: &str) -> Said {
        let said = self.run(line);
        assert_eq!(said.status, 0, "{line}: {}{}", said.out, said.err);
        said
    }

    /// Runs the program, demands status 2 and one line of error, and returns it.
    fn fails(&self, line: &str) -> String {
        let before = self.names();
        let said = self.run(line);
        assert_eq!(said.status, 2, "{line}: {}{}", said.out, said.err);
        let errors: Vec<_> = said
            .err
            .lines()
            .filter(|l| l.contains(": error: "))
            .collect();
        assert_eq!(errors.len(), 1, "{line}: {}", said.err);
        assert!(!said.err.contains("panicked"), "{line}: {}", said.err);
        assert_eq!(self.names(), before, "{line}: left something behind");
        errors[0].to_owned()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spr-convert"));
        command.current_dir(self.0.path()).stdin(Stdio::null());
        command
    }
}

fn said(output: Output) -> Said {
    Said {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
