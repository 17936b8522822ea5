//! Names beside the final ones, of what is temporary.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Names tried before giving up, should dead runs have left theirs.
const TRIES: u32 = 10_000;
/// Characters of the target's name in a temporary one; a name has at most 255 bytes on most systems.
pub(super) const NAME: usize = 50;

/// Removes a file or folder, if that is possible.
pub(super) fn remove(path: &Path) {
    // What a link leads to stays.
    let _ = match path.is_dir() && !path.is_symlink() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
}

/// Calls `make` with names beside `target` until one is not taken.
pub(super) fn unused<T>(
    target: &Path,
    ending: &str,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(PathBuf, T)> {
    let target = std::path::absolute(target)?;
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let name: String = name.to_string_lossy().chars().take(NAME).collect();
    let stem = format!(".{name}.spr-{}", std::process::id());
    for n in 0..TRIES {
        let name = match n {
            0 => format!("{stem}.{ending}"),
            n => format!("{stem}-{n}.{ending}"),
        };
        let path = target.with_file_name(name);
        match make(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            result => return Ok((path, result?)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Whether a file name is that of something temporary, whose run may be dead.
pub(super) fn is_temporary(name: &str) -> bool {
    let stem = name.strip_prefix('.').and_then(|n| {
        n.strip_suffix(".tmp")
            .or_else(|| n.strip_suffix(".old"))?
            .rsplit_once(".spr-")
    });
    stem.is_some_and(|(_, id)| id.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
}

/// Whether `path` is a folder that holds nothing but what is temporary.
pub(super) fn is_empty(path: &Path) -> bool {
    let holds = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| !is_temporary(&entry.file_name().to_string_lossy()))
    };
    fs::read_dir(path).is_ok_and(|mut entries| !entries.any(holds))
}
