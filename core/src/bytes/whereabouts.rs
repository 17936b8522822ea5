//! A search for files that are not where a list says.

use std::collections::BTreeSet;

use super::{Env, FileKind, Location, Locator};
use crate::error::{Error, Remedy};

/// The number of places that one run looks at.
const LOOKS: usize = 20_000;
/// The number of folders whose missing files are looked for.
const MISSES: usize = 1000;
/// The number of folders at the end of a name that may be where they were.
const DEPTH: usize = 8;
/// The number of folders above the list, and in it, that are searched.
const ABOVE: usize = 3;
const INSIDE: usize = 100;
/// The number of files and folders in a folder that are looked at.
const ENTRIES: usize = 1000;

impl Env {
    /// Adds to an error about a file that `list` names and that is not there, if the whole folder of
    /// it is not there, where it is now: as far as a look around the list and the working folder finds
    /// it.
    #[must_use]
    pub(crate) fn tell_whereabouts(
        &self,
        error: Error,
        list: Option<&Location>,
        at: &Locator,
    ) -> Error {
        let missing = at.location().filter(|_| error.is_missing());
        match missing.and_then(|file| self.whereabouts(list, file)) {
            Some([old, new]) => error.suggest(Remedy::MapPath {
                old: old.to_string(),
                new: new.to_string(),
            }),
            None => error,
        }
    }

    /// Returns the beginning of the name of a missing file that `list` contains, and what it must be
    /// replaced by so that the file is found. `None` if the beginning is right for other files, or
    /// the file is not found by a few looks.
    pub fn whereabouts(&self, list: Option<&Location>, file: &Location) -> Option<[Location; 2]> {
        let is_url = file.is_url() || list.is_some_and(Location::is_url);
        if is_url || self.path_map().leads_to(file) {
            return None;
        }
        let folder = file.parent().unwrap_or_else(|| ".".into());
        let asked = (list.cloned(), folder);
        let mut search = self.whereabouts.lock();
        if let Some(known) = search.known.get(&asked) {
            return known.clone();
        }
        if search.known.len() == MISSES {
            return None;
        }
        let found = self.search(list, file, &mut search.looks);
        search.known.insert(asked, found.clone());
        found
    }

    fn search(
        &self,
        list: Option<&Location>,
        file: &Location,
        looks: &mut usize,
    ) -> Option<[Location; 2]> {
        let text = file.to_str()?;
        let text = text.strip_prefix("./").unwrap_or(text);
        let starts = text.match_indices('/').map(|(at, _)| at + 1);
        let mut starts: Vec<_> = std::iter::once(0).chain(starts).collect();
        // A name that is absolute has a root before its first folder.
        starts.retain(|start| *start < text.len() && !text[*start..].starts_with('/'));
        let shallow = starts.len().saturating_sub(DEPTH);
        let around = self.around(list);
        for start in &starts[shallow..] {
            let (old, rest) = match *start {
                0 => (".", text),
                start => (text[..start].trim_end_matches('/'), &text[start..]),
            };
            if old.is_empty() {
                continue;
            }
            for folder in &around {
                if *looks == LOOKS {
                    return None;
                }
                *looks += 1;
                let there = folder.join(rest);
                if self.is_file(&there) {
                    let old = Location::from(old);
                    return self.is_gone(&old, rest).then(|| [old, folder.clone()]);
                }
            }
        }
        None
    }

    /// Returns `true` if no file can be found by names that begin with `old`.
    fn is_gone(&self, old: &Location, rest: &str) -> bool {
        match old.as_os_str() == "." {
            true => rest
                .split_once('/')
                .is_some_and(|(first, _)| !self.exists(&first.into())),
            false => !self.exists(old),
        }
    }

    fn is_file(&self, at: &Location) -> bool {
        let look = self.look(at).ok().flatten();
        look.is_some_and(|look| look.kind == FileKind::File)
    }

    /// Returns the folders where files of a list may be: those of the list and of the program, those
    /// above, and those inside them or beside the list's.
    fn around(&self, list: Option<&Location>) -> Vec<Location> {
        let here = Location::from(".");
        let of_list = list.map(|list| list.parent().unwrap_or_else(|| here.clone()));
        let near: Vec<_> = of_list.into_iter().chain([here]).collect();
        let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
        let mut add = |folder: Location| {
            if seen.insert(self.resolve(&folder)) {
                all.push(folder);
            }
        };
        near.iter().cloned().for_each(&mut add);
        let beside = near
            .first()
            .and_then(|folder| self.resolve(folder).parent());
        for folder in near.iter().chain(&beside) {
            let mut inside = self.entries(folder).unwrap_or_default();
            inside.sort();
            inside.truncate(ENTRIES);
            let folders = inside.into_iter().filter(|at| self.is_folder(at));
            let plain = |at: Location| at.relative_to(&".".into()).unwrap_or(at);
            folders.take(INSIDE).map(plain).for_each(&mut add);
        }
        for folder in &near {
            let full = self.resolve(folder);
            let above = std::iter::successors(full.parent(), Location::parent);
            above.take(ABOVE).for_each(&mut add);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::bytes::MemoryStore;

    fn env(files: &[&str]) -> Env {
        let store = MemoryStore::new();
        for file in files {
            store.insert(*file, b"x".to_vec());
        }
        Env::default().with_store(Arc::new(store))
    }

    #[test]
    fn a_root_that_is_gone_is_found_near_the_list() {
        let env = env(&["/now/lists/a.scp", "/now/wav/ann/1.wav", "/old/there"]);
        let list = Some(Location::from("/now/lists/a.scp"));
        for (stored, found) in [
            ("/gone/corpus/wav/ann/1.wav", Some(["/gone/corpus", "/now"])),
            ("/gone/ann/1.wav", Some(["/gone", "/now/wav"])),
            ("/gone/corpus/wav/bob/2.wav", None),
            // Other files may well be found there.
            ("/old/wav/ann/1.wav", None),
            ("https://h/wav/ann/1.wav", None),
        ] {
            let found = found.map(|both| both.map(Location::from));
            assert_eq!(
                env.whereabouts(list.as_ref(), &stored.into()),
                found,
                "{stored}"
            );
        }
    }
}
