//! Atomic commit: all written files get their final names, or none.
//!
//! Unless durability is off, everything is synced to disk before the first name changes. If several
//! names change together, existing files are first moved aside, the last one first, so that an old
//! file is never beside a new one. A killed run leaves missing names, never mixed ones.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::path::Path;

use super::super::store::{
    self, Identity, exists, holds_files, holds_input, is_foreign, is_read, is_twin,
};
use super::attributes;
use super::change::{Change, Fill, New};
use super::draft::FinishedDraft;
use super::folder::{Folder, may_be_cleared};
use super::hidden::is_empty;
use super::identity::Names;
use super::moments::moment;
use super::rename_log::RenameLog;
use super::sync::{failed, sync_files, sync_folders};
use super::temporary_list::{TemporaryList, stopped};
use crate::error::Result;

/// Makes all `changes` in order, after syncing if `durable`.
///
/// # Errors
/// A target exists and may not be replaced, is one of `kept`, or appears twice, or the system
/// refuses; then nothing is changed.
pub(super) fn commit(
    live: &TemporaryList,
    changes: Vec<store::Change>,
    kept: &HashSet<Identity>,
    durable: bool,
) -> Result<()> {
    let mut own = Vec::new();
    // Folders whose files move to other folders are removed last.
    let mut staging = Vec::new();
    for change in changes {
        let store::Change { new, target, how } = change;
        let new = match new {
            store::New::Folder(folder) => {
                staging.extend(Folder::changes(folder, &target, how, &mut own)?);
                continue;
            }
            store::New::File(whole) => match whole.into_any().downcast::<FinishedDraft>() {
                Ok(finished) => New::Whole(finished.0),
                Err(_) => return Err(is_foreign(&target)),
            },
            store::New::Nothing => New::Nothing,
        };
        let target = target.path().to_owned();
        own.push(Change {
            new,
            target,
            overwrite: how.overwrite,
        });
    }
    commit_own(live, own, kept, durable)
}

pub(super) fn commit_own(
    live: &TemporaryList,
    mut changes: Vec<Change>,
    kept: &HashSet<Identity>,
    durable: bool,
) -> Result<()> {
    if durable {
        let made: Vec<_> = changes.iter().filter_map(Change::made).collect();
        sync_files(&made)?;
    }
    let mut names = Names::default();
    let folders = changes.iter().map(|c| names.folder_of(&c.target));
    let folders: BTreeSet<_> = folders.collect();
    let _locks: Vec<_> = folders.iter().filter_map(|folder| lock(folder)).collect();
    check(&mut changes, kept, &mut names)?;
    for (made, target) in changes.iter().filter_map(Change::made) {
        attributes::keep(target, made);
    }
    let ticket = change_all(live, &mut changes)?;
    let result = match durable {
        true => sync_folders(&folders),
        false => Ok(()),
    };
    let mut held = live.hold();
    match (held.take_back(ticket), &result) {
        (Some(done), Ok(())) => done.forget(),
        (Some(done), Err(_)) => done.undo(),
        // The store was closed meanwhile, and has undone it.
        (None, _) => return Err(stopped()),
    }
    result
}

/// Rejects forbidden changes, and drops those that would remove nothing.
fn check(changes: &mut Vec<Change>, kept: &HashSet<Identity>, names: &mut Names) -> Result<()> {
    let mut taken = HashSet::new();
    for Change {
        new,
        target,
        overwrite,
    } in &*changes
    {
        if matches!(new, New::Nothing) {
            continue;
        }
        let identity = names.identity(target);
        if kept.contains(&identity) {
            return Err(is_read(&target.into()));
        }
        if !taken.insert(identity) {
            return Err(is_twin(&target.into()));
        }
        match new {
            New::Folder(Fill::Empty) if target.exists() && !is_empty(target) => {
                return Err(holds_files(&target.into()));
            }
            New::Folder(Fill::Cleared) if !is_empty(target) => {
                may_be_cleared(&target.into())?;
                check_cleared(target, kept, names)?;
            }
            New::Folder(_) => {}
            _ if !overwrite && target.symlink_metadata().is_ok() => {
                return Err(exists(&target.into()));
            }
            _ => {}
        }
    }
    let mut refused = None;
    changes.retain(|change| {
        let target = &change.target;
        if !matches!(change.new, New::Nothing) {
            return true;
        }
        let identity = names.identity(target);
        let there = target.symlink_metadata().is_ok_and(|meta| !meta.is_dir());
        if kept.contains(&identity) {
            refused.get_or_insert_with(|| is_read(&target.into()));
        } else if there && !change.overwrite && !taken.contains(&identity) {
            refused.get_or_insert_with(|| exists(&target.into()));
        }
        there && taken.insert(identity)
    });
    refused.map_or(Ok(()), Err)
}

/// Fails if a folder to be emptied contains something in `kept`.
fn check_cleared(folder: &Path, kept: &HashSet<Identity>, names: &mut Names) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for entry in walkdir::WalkDir::new(folder).follow_root_links(true) {
        let entry = entry.map_err(|e| failed("cannot list", e.into(), folder))?;
        if !entry.file_type().is_dir() && kept.contains(&names.identity(entry.path())) {
            return Err(holds_input(&folder.into(), &entry.path().into()));
        }
    }
    Ok(())
}

/// Makes all changes of names, or none, and keeps what is needed to undo them.
fn change_all(live: &TemporaryList, changes: &mut [Change]) -> Result<u64> {
    let mut done = RenameLog::default();
    let mut held = live.enter()?;
    // A file replaces another atomically.
    let one_step = changes.len() == 1;
    let change = || {
        // A link that stands for a folder was named by the user, and is followed.
        for Change { new, target, .. } in &*changes {
            if matches!(new, New::Folder(Fill::Cleared)) {
                done.clear(target)
                    .map_err(|e| failed("cannot move aside what it holds", e, target))?;
            }
        }
        if !one_step {
            let files = changes
                .iter()
                .rev()
                .filter(|c| !matches!(c.new, New::Folder(_)));
            for change in files {
                done.move_aside(&change.target)
                    .map_err(|e| failed("cannot move aside", e, &change.target))?;
            }
        }
        for Change { new, target, .. } in changes {
            let replaces = one_step && target.symlink_metadata().is_ok_and(|meta| !meta.is_dir());
            let result = match new {
                New::Nothing => continue,
                New::Folder(_) => {
                    done.make_folder(target)?;
                    continue;
                }
                New::Inside(from) => fs::rename(from, &*target),
                New::Whole(temporary) => temporary.rename(target, &mut held),
            };
            result.map_err(|e| failed("cannot rename into place", e, target))?;
            moment();
            match replaces {
                true => done.is_final = true,
                false => done.named.push(target.clone()),
            }
        }
        Ok(())
    };
    match change() {
        Ok(()) => Ok(held.remember(done)),
        Err(error) => {
            done.undo();
            Err(error)
        }
    }
}

/// Locks `folder` against changes by other runs until the lock is dropped. File systems without
/// locks are not locked.
fn lock(folder: &Path) -> Option<File> {
    let folder = File::open(folder).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

#[cfg(test)]
mod tests {
    use super::super::hidden::is_temporary;
    use super::super::identity;
    use super::super::moments::{contents, seen, watch};
    use super::super::temporary::Temporary;

    use super::*;
    use crate::error::ErrorKind;

    /// Returns changes to `names` in `folder`, each to a file with its new name as content.
    fn changes(live: &TemporaryList, folder: &Path, names: &[&str]) -> Vec<Change> {
        let change = |name: &&str| {
            let target = folder.join(name);
            let (temporary, _) = Temporary::file(live, &target).unwrap();
            fs::write(temporary.path(), format!("new {name}")).unwrap();
            Change {
                new: New::Whole(temporary),
                target,
                overwrite: true,
            }
        };
        names.iter().map(change).collect()
    }

    #[test]
    fn what_was_there_survives_a_later_failure() {
        let (folder, live) = (tempfile::tempdir().unwrap(), TemporaryList::default());
        let at = |name| folder.path().join(name);
        fs::write(at("a"), "old a").unwrap();
        fs::create_dir_all(at("c/full")).unwrap();
        let before = contents(folder.path());
        let error = commit_own(
            &live,
            changes(&live, folder.path(), &["a", "b", "c"]),
            &HashSet::new(),
            true,
        );
        let error = error.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.file_name().is_some_and(|name| name.ends_with('c')));
        assert_eq!(contents(folder.path()), before);
    }

    #[test]
    fn replaces_several_and_leaves_nothing_else() {
        let (folder, live) = (tempfile::tempdir().unwrap(), TemporaryList::default());
        fs::write(folder.path().join("a"), "old a").unwrap();
        fs::write(folder.path().join("gone"), "old").unwrap();
        let mut all = changes(&live, folder.path(), &["a", "b"]);
        all.push(Change {
            new: New::Nothing,
            target: folder.path().join("gone"),
            overwrite: true,
        });
        commit_own(&live, all, &HashSet::new(), true).unwrap();
        let pairs = [("a", "new a"), ("b", "new b")].map(|(n, t)| (n.to_owned(), t.to_owned()));
        assert_eq!(contents(folder.path()), pairs);
    }

    #[test]
    fn a_kill_at_any_moment_loses_nothing() {
        let (folder, live) = (tempfile::tempdir().unwrap(), TemporaryList::default());
        let names = ["a", "b", "c"];
        for name in ["a", "b", "gone"] {
            fs::write(folder.path().join(name), format!("old {name}")).unwrap();
        }
        let mut all = changes(&live, folder.path(), &names);
        all.push(Change {
            new: New::Nothing,
            target: folder.path().join("gone"),
            overwrite: true,
        });
        watch(folder.path());
        commit_own(&live, all, &HashSet::new(), true).unwrap();
        let seen = seen();
        // Three are reserved, moved and removed, and three get their names.
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
            // Files without a final name are recognised.
            for (name, _) in left.iter().filter(|(name, _)| name.starts_with('.')) {
                assert!(is_temporary(name), "{name}");
            }
        }
    }

    // Elsewhere a file is known by its name alone.
    #[cfg(unix)]
    #[test]
    fn inputs_and_twins_are_refused() {
        let (folder, live) = (tempfile::tempdir().unwrap(), TemporaryList::default());
        fs::write(folder.path().join("a"), "old a").unwrap();
        fs::hard_link(folder.path().join("a"), folder.path().join("b")).unwrap();
        let kept = HashSet::from([identity::of(&folder.path().join("b"))]);
        let error =
            commit_own(&live, changes(&live, folder.path(), &["a"]), &kept, true).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(error.file_name().is_some_and(|name| name.ends_with('a')));
        let error = commit_own(
            &live,
            changes(&live, folder.path(), &["c", "c"]),
            &kept,
            true,
        )
        .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(error.file_name().is_some_and(|name| name.ends_with('c')));
        assert_eq!(contents(folder.path()).len(), 2);
    }
}
