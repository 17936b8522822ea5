//! Rules of the house that the compiler does not check.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod imports;
mod names;
mod rooms;
mod sizes;

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns all Rust files below a folder, sorted.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the folders with the sources of all crates.
fn crates() -> Vec<PathBuf> {
    let mut found: Vec<_> = [
        "core", "engine", "stats", "syntax", "plot", "remote", "tools", ".",
    ]
    .into_iter()
    .chain(["python", "tests/kit"])
    .map(|name| root().join(name).join("src"))
    .collect();
    for format in fs::read_dir(root().join("formats")).unwrap() {
        found.push(format.unwrap().path().join("src"));
    }
    found.retain(|folder| folder.is_dir());
    found
}
