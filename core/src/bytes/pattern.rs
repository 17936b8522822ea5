//! Globbing of file names.

use std::collections::BTreeSet;

use glob::Pattern;

use super::{Env, FileKind, Location};
use crate::error::{Error, Result};

impl Env {
    /// Returns the files and folders that match a pattern, sorted: `*` is any part of a name, `?`
    /// any character, `[a-z]` one of these, `**` any number of folders with files. In a URL the
    /// pattern follows the bucket. Folders that cannot be read are skipped with a warning.
    ///
    /// # Errors
    /// The pattern is invalid, or a run that was killed left such files missing.
    pub fn matching(&self, pattern: &str) -> Result<Vec<Location>> {
        let whole = Location::from(pattern);
        let pattern = whole.to_str().unwrap_or(pattern);
        let (start, rest) = match (whole.url(), pattern.starts_with('/')) {
            (Some(url), _) => (format!("{}://{}", url.scheme, url.host), url.path),
            (None, true) => ("/".to_owned(), pattern),
            (None, false) => drive(pattern),
        };
        let mut found = BTreeSet::from([Location::from(start)]);
        for part in rest.split('/').filter(|part| !part.is_empty()) {
            let like = Pattern::new(part).map_err(|e| {
                Error::usage(format!("'{pattern}' is not a valid pattern: {}", e.msg))
            })?;
            let all = found.iter();
            found = match part {
                "**" => all.flat_map(|folder| self.folders_below(folder)).collect(),
                _ if !is_pattern(part) => {
                    let named = all.map(|folder| folder.join(part));
                    named.filter(|at| self.exists(at)).collect()
                }
                _ => {
                    let entries = all.flat_map(|folder| self.entries_or_none(folder));
                    let is_like = |at: &Location| {
                        let name = at.name().map(|name| Location::from(name.to_owned()));
                        name.is_some_and(|name| like.matches(&name.to_string()))
                    };
                    entries.filter(is_like).collect()
                }
            };
        }
        if pattern.ends_with('/') {
            found.retain(|at| self.is_folder(at));
        }
        let last = rest.rsplit('/').find(|part| !part.is_empty());
        self.check_all_there(&found, last.unwrap_or_default())?;
        Ok(found.into_iter().collect())
    }

    /// Checks that no killed run left a file missing beside `found` whose name is like `last`.
    fn check_all_there(&self, found: &BTreeSet<Location>, last: &str) -> Result<()> {
        let above = |at: &Location| at.parent().unwrap_or_else(|| ".".into());
        let folders: BTreeSet<_> = found.iter().map(above).collect();
        let like = Pattern::new(last).ok();
        let wanted = |at: &Location| {
            let name = at.name().map(|name| Location::from(name.to_owned()));
            let like = like.as_ref().zip(name);
            like.is_some_and(|(like, name)| like.matches(&name.to_string()))
        };
        let mut folders = folders.iter();
        folders.try_for_each(|folder| self.check_finished(folder, wanted))
    }

    /// Lists the direct entries of a folder, by names that start with the folder's, in any order.
    /// Unfinished files are omitted.
    ///
    /// # Errors
    /// The system refuses.
    pub fn entries(&self, folder: &Location) -> Result<Vec<Location>> {
        let top = |file: Location| {
            let name = file.relative_to(folder)?;
            let first = std::iter::successors(Some(name), Location::parent).last()?;
            Some(folder.join(first))
        };
        let entries = match self.finished_in(folder) {
            Some(files) => files.map(|files| {
                let entries: BTreeSet<_> = files.into_iter().filter_map(top).collect();
                entries.into_iter().collect()
            }),
            None => self.store().entries(folder),
        };
        entries.map_err(|e| Error::io("cannot list the folder", e).file(folder.to_string()))
    }

    fn entries_or_none(&self, folder: &Location) -> Vec<Location> {
        let is_root = folder.as_os_str().is_empty();
        let entries = match is_root || self.is_folder(folder) {
            true => self.entries(folder),
            false => Ok(Vec::new()),
        };
        self.or_none(entries)
    }

    /// Returns a folder and all folders below it that contain files.
    fn folders_below(&self, folder: &Location) -> BTreeSet<Location> {
        let here = match folder.as_os_str().is_empty() {
            true => Location::from("."),
            false => folder.clone(),
        };
        let mut folders = BTreeSet::from([folder.clone()]);
        let files = match self.look(&here) {
            Ok(Some(look)) if look.kind == FileKind::Folder => self.or_none(self.list(&here)),
            _ => Vec::new(),
        };
        for file in files {
            let file = file.relative_to(&here).unwrap_or(file);
            let above = std::iter::successors(file.parent(), Location::parent);
            folders.extend(above.map(|above| folder.join(above)));
        }
        folders
    }

    fn or_none(&self, entries: Result<Vec<Location>>) -> Vec<Location> {
        entries.unwrap_or_else(|error| {
            self.warn_left_out(&error);
            Vec::new()
        })
    }
}

/// Splits the root of a drive from a pattern, on systems that have drives.
fn drive(pattern: &str) -> (String, &str) {
    let root = pattern
        .get(1..3)
        .filter(|start| cfg!(windows) && *start == ":/");
    let (start, rest) = pattern.split_at(if root.is_some() { 3 } else { 0 });
    (start.to_owned(), rest)
}

fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '['])
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::*;
    use crate::bytes::{Locator, MemoryStore, Part};

    const FILES: [&str; 5] = ["a.ark", "b.scp", "x/a.ark", "x/deep/c.ark", "y/a.ark"];

    #[test]
    fn any_store_is_searched() {
        let (memory, folder) = (MemoryStore::new(), tempfile::tempdir().unwrap());
        let on_disk = Env::default();
        let in_memory = Env::default().with_store(Arc::new(memory));
        let root = Location::from(folder.path()).to_string();
        fs::create_dir_all(folder.path().join("x/deep")).unwrap();
        fs::create_dir_all(folder.path().join("y")).unwrap();
        for env in [&on_disk, &in_memory] {
            for file in FILES {
                let output = env.output(&Locator::file(format!("{root}/{file}")));
                output.create(Part::Main, false).unwrap().finish().unwrap();
                output.commit().unwrap();
            }
            for (pattern, expected) in [
                ("*.ark", "a.ark"),
                ("*", "a.ark b.scp x y"),
                ("*/", "x y"),
                ("[ab].*", "a.ark b.scp"),
                ("?/a.ark", "x/a.ark y/a.ark"),
                ("*/*.ark", "x/a.ark y/a.ark"),
                ("**/*.ark", "a.ark x/a.ark x/deep/c.ark y/a.ark"),
                ("x/**/c*", "x/deep/c.ark"),
                ("a.ark/*", ""),
                ("z*/a.ark", ""),
            ] {
                let found = env.matching(&format!("{root}/{pattern}")).unwrap();
                let names = found.iter().map(|at| at.to_string());
                let names = names.map(|at| at.replacen(&format!("{root}/"), "", 1));
                assert_eq!(names.collect::<Vec<_>>().join(" "), expected, "{pattern}");
            }
            assert!(env.matching("a[").is_err());
        }
    }
}
