//! The files below a folder.

use std::io;
use std::path::Path;

use walkdir::{DirEntry, WalkDir};

use super::super::Location;
use super::hidden::is_temporary;

/// All files below `folder`, links followed, but for those that are temporary.
pub(super) fn list(folder: &Path) -> io::Result<Vec<Location>> {
    let there = |entry: &DirEntry| {
        entry.depth() == 0 || !is_temporary(&entry.file_name().to_string_lossy())
    };
    let walk = WalkDir::new(folder).follow_links(true).into_iter();
    let mut files = Vec::new();
    for entry in walk.filter_entry(there) {
        let entry = entry?;
        if entry.file_type().is_file() {
            files.push(entry.into_path().into());
        }
    }
    Ok(files)
}
