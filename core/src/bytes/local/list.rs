//! Listing of folders.

use std::io;
use std::path::Path;

use walkdir::{DirEntry, WalkDir};

use super::super::Location;
use super::hidden::is_temporary;

/// Lists all files below `folder`, following links, except temporary ones.
pub(super) fn list(folder: &Path) -> io::Result<Vec<Location>> {
    let there = |entry: &DirEntry| {
        entry.depth() == 0 || !is_temporary(&entry.file_name().to_string_lossy())
    };
    let walk = WalkDir::new(folder).follow_links(true).into_iter();
    let mut files = Vec::new();
    for entry in walk.filter_entry(there) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => match error.path().filter(|path| path.is_symlink()) {
                // A dangling link is reported when it is opened.
                Some(link) if error.loop_ancestor().is_none() => {
                    files.push(link.to_path_buf().into());
                    continue;
                }
                _ => return Err(named(error)),
            },
        };
        if entry.file_type().is_file() {
            files.push(entry.into_path().into());
        }
    }
    Ok(files)
}

/// Lists the direct entries of `folder`, except temporary ones.
pub(super) fn entries(folder: &Path) -> io::Result<Vec<Location>> {
    let here = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let mut entries = Vec::new();
    for entry in here.read_dir()? {
        let name = entry?.file_name();
        if !is_temporary(&name.to_string_lossy()) {
            entries.push(folder.join(name).into());
        }
    }
    Ok(entries)
}

/// Adds the file or folder to an error.
fn named(error: walkdir::Error) -> io::Error {
    let path = error.path().map(|path| path.display().to_string());
    let (path, text) = (path.unwrap_or_default(), error.to_string());
    match error.into_io_error() {
        Some(cause) => io::Error::new(cause.kind(), format!("{path}: {cause}")),
        None => io::Error::other(text),
    }
}
