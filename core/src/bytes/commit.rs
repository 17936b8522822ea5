//! Final names for what was written: all of them, or none.
//!
//! Unless the caller is in a hurry, everything is on the disk before the first name changes. Where
//! several names change together, those that exist are first moved aside, the last one first, so
//! that at no moment an old file stands beside a new one: a run that is killed leaves names that are
//! missing, never mixed.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::Builder;

use super::inputs::Inputs;
use super::temporary::{Live, Temporary, exists, is_empty, live, unused};
use crate::{Error, Result};

/// Files put on the disk at once.
const SYNCS: usize = 16;

/// One name that changes.
pub(super) struct Change {
    pub(super) new: New,
    pub(super) target: PathBuf,
    pub(super) overwrite: bool,
}

/// What gets a name.
pub(super) enum New {
    /// A file or folder of its own.
    Whole(Temporary),
    /// A file inside a temporary folder, which is removed later.
    Inside(PathBuf),
    /// A folder to put files into: made if need be, and empty unless files may be replaced.
    Folder,
    /// Nothing: the name is freed.
    Nothing,
}

/// What was done, to be undone.
#[derive(Default)]
struct Done {
    folders: Vec<PathBuf>,
    named: Vec<PathBuf>,
    aside: Vec<(PathBuf, PathBuf)>,
}

/// Makes all `changes` in their order; if `durable`, once they are on the disk.
///
/// # Errors
/// A target exists and may not be replaced, is an input, or the system refuses; all is then as it
/// was before.
pub(super) fn commit(mut changes: Vec<Change>, inputs: &Inputs, durable: bool) -> Result<()> {
    if durable {
        sync(&changes)?;
    }
    let folders: BTreeSet<_> = changes.iter().map(|c| folder_of(&c.target)).collect();
    let _locks: Vec<_> = folders.iter().filter_map(|folder| lock(folder)).collect();
    let mut live = live();
    let mut done = Done::default();
    let result = check(&changes, inputs)
        .and_then(|()| change_all(&mut changes, &mut done, &mut live))
        .and_then(|()| match durable {
            true => sync_all(&folders),
            false => Ok(()),
        });
    match result {
        Ok(()) => done.forget(),
        Err(_) => done.undo(),
    }
    // What is left of the changes removes itself, and needs the list for it.
    drop(live);
    result
}

fn check(changes: &[Change], inputs: &Inputs) -> Result<()> {
    let mut targets = BTreeSet::new();
    for Change {
        new,
        target,
        overwrite,
    } in changes
    {
        let name = || target.display().to_string();
        if matches!(new, New::Nothing) {
            continue;
        }
        if !targets.insert(target) {
            return Err(Error::usage("would be written twice").file(name()));
        }
        if !overwrite && target.symlink_metadata().is_ok() && !is_empty(target) {
            return Err(exists(name()));
        }
        inputs.refuse(target)?;
    }
    Ok(())
}

fn change_all(changes: &mut [Change], done: &mut Done, live: &mut Live) -> Result<()> {
    // One file replaces another in one step.
    let one_step = changes.len() == 1;
    if !one_step {
        for change in changes.iter().rev() {
            done.move_aside(&change.target)
                .map_err(|e| failed("cannot move aside", e, &change.target))?;
        }
    }
    for Change { new, target, .. } in changes {
        let result = match new {
            New::Nothing => continue,
            New::Folder => {
                done.make_folder(target)?;
                continue;
            }
            New::Inside(from) => fs::rename(from, &*target),
            New::Whole(temporary) => temporary.rename(target, live),
        };
        result.map_err(|e| failed("cannot rename into place", e, target))?;
        moment();
        if !one_step {
            done.named.push(target.clone());
        }
    }
    Ok(())
}

impl Done {
    fn make_folder(&mut self, folder: &Path) -> Result<()> {
        match fs::create_dir(folder) {
            Ok(()) => self.folders.push(folder.to_owned()),
            Err(_) if folder.is_dir() => {}
            Err(e) => return Err(failed("cannot make the folder", e, folder)),
        }
        Ok(())
    }

    /// Gives what is called `target` another name, if there is such a thing and it is no folder.
    fn move_aside(&mut self, target: &Path) -> io::Result<()> {
        match target.symlink_metadata() {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Ok(meta) if meta.is_dir() => return Ok(()),
            _ => {}
        }
        // The name is reserved first, as renaming would replace whatever has it.
        let (aside, _) = unused(target, "old", |path| {
            File::options().write(true).create_new(true).open(path)
        })?;
        moment();
        self.aside.push((aside, target.to_owned()));
        if let Some((aside, target)) = self.aside.last() {
            fs::rename(target, aside)?;
        }
        moment();
        Ok(())
    }

    fn undo(self) {
        for path in self.named.iter().rev() {
            let _ = match path.is_dir() {
                true => fs::remove_dir_all(path),
                false => fs::remove_file(path),
            };
        }
        for (aside, target) in self.aside.iter().rev() {
            let _ = match target.symlink_metadata() {
                // It was never moved.
                Ok(_) => fs::remove_file(aside),
                Err(_) => fs::rename(aside, target),
            };
        }
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }

    fn forget(self) {
        for (aside, _) in &self.aside {
            let _ = fs::remove_file(aside);
            moment();
        }
    }
}

/// A moment between two changes of names, at which the run may be killed: tests look at what there
/// is then.
fn moment() {
    #[cfg(test)]
    tests::look();
}

fn failed(doing: &str, error: io::Error, target: &Path) -> Error {
    Error::io(doing, error).file(target.display().to_string())
}

/// The folder that a name stands in.
pub(super) fn folder_of(target: &Path) -> PathBuf {
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // One folder has one name here, so that all runs lock folders in the same order.
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// Keeps other runs from changing names in `folder` until it is dropped. File systems that know no
/// locks do without.
fn lock(folder: &Path) -> Option<File> {
    let folder = File::open(folder).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

/// Puts all files, and all that folders hold, on the disk: several at a time, which the disk's
/// journal takes as one.
fn sync(changes: &[Change]) -> Result<()> {
    let mut paths = Vec::new();
    for Change { new, target, .. } in changes {
        let path = match new {
            New::Whole(temporary) => temporary.path(),
            New::Inside(path) => path,
            New::Folder | New::Nothing => continue,
        };
        for entry in walkdir::WalkDir::new(path) {
            let entry = entry.map_err(|e| failed("cannot list", e.into(), target))?;
            paths.push((entry.into_path(), target));
        }
    }
    let some = paths.len().div_ceil(SYNCS).max(1);
    let sync_some = |paths: &[(PathBuf, &PathBuf)]| {
        paths.iter().try_for_each(|(path, target)| {
            let result = match path.is_dir() {
                true => sync_folder(path),
                false => File::open(path).and_then(|file| file.sync_all()),
            };
            result.map_err(|e| failed("cannot write to the disk", e, target))
        })
    };
    std::thread::scope(|scope| {
        let mut work = Vec::new();
        for paths in paths.chunks(some) {
            let thread = Builder::new().spawn_scoped(scope, || sync_some(paths));
            match thread {
                Ok(thread) => work.push(thread),
                // The system has no more threads for us, so this one does it.
                Err(_) => sync_some(paths)?,
            }
        }
        work.into_iter().try_for_each(|thread| {
            let died = || Error::unsupported("a thread died");
            thread.join().map_err(|_| died())?
        })
    })
}

fn sync_all(folders: &BTreeSet<PathBuf>) -> Result<()> {
    for folder in folders {
        sync_folder(folder).map_err(|e| failed("cannot write to the disk", e, folder))?;
    }
    Ok(())
}

/// Puts the names in a folder on the disk, where the system can.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder) {
        // A folder may be written to and not listed.
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        folder => match folder?.sync_all() {
            Err(e) if e.kind() == io::ErrorKind::InvalidInput => Ok(()),
            result => result,
        },
    }
}

#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Changes to `names` of `folder`, each to a file that holds its new name.
    fn changes(folder: &Path, names: &[&str]) -> Vec<Change> {
        let change = |name: &&str| {
            let target = folder.join(name);
            let (temporary, _) = Temporary::file(&target).unwrap();
            fs::write(temporary.path(), format!("new {name}")).unwrap();
            Change {
                new: New::Whole(temporary),
                target,
                overwrite: true,
            }
        };
        names.iter().map(change).collect()
    }

    /// Names and what is in the files.
    type Files = Vec<(String, String)>;

    fn contents(folder: &Path) -> Files {
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

    #[test]
    fn what_was_there_survives_a_later_failure() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name| folder.path().join(name);
        fs::write(at("a"), "old a").unwrap();
        fs::create_dir_all(at("c/full")).unwrap();
        let before = contents(folder.path());
        let error = commit(
            changes(folder.path(), &["a", "b", "c"]),
            &Inputs::default(),
            true,
        );
        let error = error.unwrap_err().to_string();
        assert!(error.contains("cannot rename into place"), "{error}");
        assert_eq!(contents(folder.path()), before);
    }

    #[test]
    fn replaces_several_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "old a").unwrap();
        fs::write(folder.path().join("gone"), "old").unwrap();
        let mut all = changes(folder.path(), &["a", "b"]);
        all.push(Change {
            new: New::Nothing,
            target: folder.path().join("gone"),
            overwrite: true,
        });
        commit(all, &Inputs::default(), true).unwrap();
        let pairs = [("a", "new a"), ("b", "new b")].map(|(n, t)| (n.to_owned(), t.to_owned()));
        assert_eq!(contents(folder.path()), pairs);
    }

    thread_local! {
        /// The folder that is looked at, and what was in it at each moment.
        static SEEN: RefCell<(PathBuf, Vec<Files>)> = RefCell::default();
    }

    pub(super) fn look() {
        SEEN.with_borrow_mut(|(folder, seen)| {
            if !folder.as_os_str().is_empty() {
                seen.push(contents(folder));
            }
        });
    }

    #[test]
    fn a_kill_at_any_moment_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["a", "b", "c"];
        for name in ["a", "b", "gone"] {
            fs::write(folder.path().join(name), format!("old {name}")).unwrap();
        }
        let mut all = changes(folder.path(), &names);
        all.push(Change {
            new: New::Nothing,
            target: folder.path().join("gone"),
            overwrite: true,
        });
        SEEN.set((folder.path().to_owned(), Vec::new()));
        commit(all, &Inputs::default(), true).unwrap();
        let (_, seen) = SEEN.take();
        // Three are reserved, moved and removed, three get their names.
        assert_eq!(seen.len(), 3 + 3 + 3 + 3);
        for left in seen {
            let has = |name: &str, text: &str| left.iter().any(|(n, t)| n == name && t == text);
            let somewhere = |text: &str| left.iter().any(|(_, t)| t == text);
            let finished = names.iter().all(|name| has(name, &format!("new {name}")));
            let begun = names.iter().any(|name| has(name, &format!("new {name}")));
            for name in ["a", "b", "gone"] {
                let old = format!("old {name}");
                assert!(finished || somewhere(&old), "{old} is lost: {left:?}");
                assert!(!(begun && has(name, &old)), "old beside new: {left:?}");
            }
            for name in names {
                let new = format!("new {name}");
                assert!(somewhere(&new), "{new} is lost: {left:?}");
            }
            // What has no final name is known for what it is.
            for (name, _) in left.iter().filter(|(name, _)| name.starts_with('.')) {
                assert!(super::super::is_temporary(name), "{name}");
            }
        }
    }

    #[test]
    fn inputs_and_twins_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "old a").unwrap();
        fs::hard_link(folder.path().join("a"), folder.path().join("b")).unwrap();
        let inputs = Inputs::default();
        inputs.add(&folder.path().join("b"));
        let error = commit(changes(folder.path(), &["a"]), &inputs, true).unwrap_err();
        assert!(error.to_string().contains("is read"), "{error}");
        let error = commit(changes(folder.path(), &["c", "c"]), &inputs, true).unwrap_err();
        assert!(error.to_string().contains("twice"), "{error}");
        assert_eq!(contents(folder.path()).len(), 2);
    }
}
