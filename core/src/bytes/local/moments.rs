//! Moments between two changes of names, at which a run may be killed, for tests.

/// Marks such a moment.
pub(super) fn moment() {
    #[cfg(test)]
    watching::look();
}

#[cfg(test)]
pub(super) use watching::{contents, seen, watch};

#[cfg(test)]
mod watching {
    use std::cell::RefCell;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// Names and contents of files.
    type Files = Vec<(String, String)>;

    thread_local! {
        /// The observed folder, and its content at each moment.
        static SEEN: RefCell<(PathBuf, Vec<Files>)> = RefCell::default();
    }

    /// Observes a folder.
    pub(in super::super) fn watch(folder: &Path) {
        SEEN.set((folder.to_owned(), Vec::new()));
    }

    /// Returns the content of the observed folder at each moment.
    pub(in super::super) fn seen() -> Vec<Files> {
        SEEN.take().1
    }

    pub(super) fn look() {
        SEEN.with_borrow_mut(|(folder, seen)| {
            if !folder.as_os_str().is_empty() {
                seen.push(contents(folder));
            }
        });
    }

    /// Returns the names and contents of the files in a folder, sorted.
    pub(in super::super) fn contents(folder: &Path) -> Files {
        let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
        let mut found: Vec<_> = entries
            .map(|path| {
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                (name, fs::read_to_string(&path).unwrap_or_default())
            })
            .collect();
        found.sort();
        found
    }
}
