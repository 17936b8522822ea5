//! Files under several names.

use std::path::Path;

use crate::bytes::{Env, Location, Locator, Output, Part};
use crate::error::{ErrorKind, Result};

fn made(env: &Env, at: &Path) -> Result<Output> {
    let output = env.output(&Locator::file(at)).overwrite(true);
    let mut sink = output.create(Part::Main, false)?;
    sink.put(b"new")?;
    sink.finish()?;
    Ok(output)
}

/// Returns a folder with a file and a folder, and the file's names.
#[cfg(unix)]
fn aliases() -> (tempfile::TempDir, Vec<Location>) {
    use std::fs;
    use std::os::unix::fs::symlink;
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    fs::create_dir_all(at("d/e")).unwrap();
    fs::write(at("d/a"), "old").unwrap();
    symlink("d/a", at("link")).unwrap();
    symlink("link", at("far")).unwrap();
    symlink("d", at("folder")).unwrap();
    fs::hard_link(at("d/a"), at("hard")).unwrap();
    let names = [
        "d/a",
        "link",
        "far",
        "folder/a",
        "hard",
        "d/../d/a",
        "folder/e/../a",
    ];
    let names = names.map(|name| at(name).into());
    (root, names.into())
}

#[cfg(unix)]
#[test]
fn inputs_are_kept_however_they_were_opened() {
    type Open = fn(&Env, &Location);
    let (_root, names) = aliases();
    let ways: [Open; 6] = [
        |env, at| drop(env.open_file(at).unwrap()),
        |env, at| drop(env.open(&Locator::File(at.clone())).unwrap()),
        |env, at| drop(env.open(&Locator::FileAt(at.clone(), 1)).unwrap()),
        |env, at| {
            let name = Location::from(at.name().unwrap());
            let beside = at.parent().unwrap().join("script");
            drop(env.open_from(Some(&beside), &Locator::File(name)).unwrap());
        },
        |env, at| drop(env.clone().open_file(at).unwrap()),
        |env, at| env.reads(at),
    ];
    for open in ways {
        for input in &names {
            for target in &names {
                let env = Env::default();
                let before = made(&env, target.path()).unwrap();
                open(&env, input);
                assert!(env.check_unread(target).is_err());
                for result in [made(&env, target.path()).map(drop), before.commit()] {
                    let error = result.unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
                    assert!(error.remedy().is_some(), "{error}");
                }
            }
        }
        let left = std::fs::read(names[0].path()).unwrap();
        assert_eq!(left, b"old");
    }
}

#[cfg(unix)]
#[test]
fn one_file_is_not_written_twice() {
    let (root, mut names) = aliases();
    // The names of a file that does not exist yet.
    std::os::unix::fs::symlink("d/new", root.path().join("dangling")).unwrap();
    let new = ["d/new", "dangling", "folder/new", "d/e/../new"];
    let new: Vec<_> = new.map(|name| root.path().join(name).into()).into();
    for same in [&mut names, &mut new.clone()] {
        for first in &*same {
            for second in &*same {
                // At once, and for outputs that do not know each other, at the end.
                let env = Env::default();
                let _held = made(&env, first.path()).unwrap();
                let at_once = made(&env, second.path()).map(drop);
                let store = env.store();
                let both = [first, second].map(|at| {
                    let env = env.clone().with_store(store.clone());
                    made(&env, at.path()).unwrap()
                });
                for result in [at_once, Output::commit_all(both)] {
                    let error = result.unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
                    assert!(error.remedy().is_none(), "{error}");
                }
            }
        }
    }
    assert_eq!(std::fs::read(root.path().join("d/a")).unwrap(), b"old");
    assert!(!root.path().join("d/new").exists());
}

#[test]
fn what_a_commit_frees_is_kept_if_it_was_read() {
    let root = tempfile::tempdir().unwrap();
    let side = root.path().join("a.keys");
    std::fs::write(&side, "k").unwrap();
    for (read, left) in [(true, true), (false, false)] {
        let env = Env::default();
        if read {
            env.reads(&Location::from(&side));
        }
        let output = made(&env, &root.path().join("a")).unwrap();
        output.discard(Part::Suffix(".keys"));
        assert_eq!(output.commit().is_err(), read);
        assert_eq!(side.exists(), left);
    }
}

#[test]
fn a_commit_that_is_abandoned_takes_everything_back() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    std::fs::write(at("a"), "old").unwrap();
    let live = super::temporary_list::TemporaryList::default();
    let mut done = super::rename_log::RenameLog::default();
    done.move_aside(&at("a")).unwrap();
    for name in ["a", "b"] {
        std::fs::write(at(name), "new").unwrap();
        done.named.push(at(name));
    }
    let ticket = live.hold().remember(done);
    let mut replaced = super::rename_log::RenameLog::default();
    replaced.is_final = true;
    let last = live.hold().remember(replaced);
    live.close();
    assert!(live.enter().is_err());
    assert!(live.hold().take_back(ticket).is_none());
    // An irreversible change has happened.
    assert!(live.hold().take_back(last).is_some());
    assert_eq!(std::fs::read(at("a")).unwrap(), b"old");
    assert!(!at("b").exists());
}

#[cfg(unix)]
#[test]
fn a_commit_that_waits_for_another_run_can_be_abandoned() {
    let root = tempfile::tempdir().unwrap();
    let local = crate::bytes::Local::new();
    let env = Env::default().with_store(std::sync::Arc::new(local.clone()));
    let output = made(&env, &root.path().join("a")).unwrap();
    let other = std::fs::File::open(root.path()).unwrap();
    other.lock().unwrap();
    let waiting = std::thread::spawn(|| output.commit());
    std::thread::sleep(std::time::Duration::from_millis(50));
    local.abandon();
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
    other.unlock().unwrap();
    let error = waiting.join().unwrap().unwrap_err();
    assert!(error.is_stopped(), "{error}");
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
}

#[test]
fn outputs_of_several_stores_are_not_mixed() {
    let root = tempfile::tempdir().unwrap();
    let both = ["a", "b"].map(|name| made(&Env::default(), &root.path().join(name)).unwrap());
    let error = Output::commit_all(both).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn what_is_replaced_hands_its_permissions_on() {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    let mode = |name: &str| fs::metadata(at(name)).unwrap().mode() & 0o7777;
    fs::write(at("plain"), "").unwrap();
    let mut tried = 0;
    for bits in [0o600, 0o640, 0o444, 0o777, 0o604] {
        fs::write(at("a"), "old").unwrap();
        fs::set_permissions(at("a"), fs::Permissions::from_mode(bits)).unwrap();
        // A file of another user, on systems that allow changing the owner.
        let owner = chown(at("a"), Some(1234), Some(4321)).is_ok();
        let output = made(&Env::default(), &at("a")).unwrap();
        let hidden = fs::read_dir(root.path()).unwrap().map(|e| e.unwrap());
        for entry in hidden.filter(|e| e.file_name().to_string_lossy().starts_with('.')) {
            assert_eq!(entry.metadata().unwrap().mode() & 0o077, 0);
        }
        output.commit().unwrap();
        let meta = fs::metadata(at("a")).unwrap();
        assert_eq!(
            (mode("a"), fs::read(at("a")).unwrap()),
            (bits, b"new".to_vec())
        );
        assert_eq!(owner, (meta.uid(), meta.gid()) == (1234, 4321));
        fs::remove_file(at("a")).unwrap();
        tried += 1;
    }
    assert_eq!(tried, 5);
    made(&Env::default(), &at("b")).unwrap().commit().unwrap();
    assert_eq!(mode("b"), mode("plain"));
    // What replaces a link is a new file, whatever the link leads to.
    fs::set_permissions(at("b"), fs::Permissions::from_mode(0o600)).unwrap();
    for to in ["b", "none"] {
        std::os::unix::fs::symlink(to, at("link")).unwrap();
        made(&Env::default(), &at("link"))
            .unwrap()
            .commit()
            .unwrap();
        assert!(at("link").symlink_metadata().unwrap().is_file());
        assert_eq!(mode("link"), mode("plain"), "{to}");
        fs::remove_file(at("link")).unwrap();
    }
}

#[test]
fn what_a_name_stands_for_is_told() {
    use crate::bytes::{FileKind, Local, Store};
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("a");
    std::fs::write(&file, "old").unwrap();
    let look = |path: &Path| Local::new().look(&path.into());
    let status = look(&file).unwrap().unwrap();
    assert_eq!((status.kind, status.length), (FileKind::File, 3));
    assert_eq!(status.modified, file.metadata().unwrap().modified().ok());
    assert!(status.modified.is_some());
    let folder = look(root.path()).unwrap().unwrap();
    assert_eq!((folder.kind, folder.length), (FileKind::Folder, 0));
    for none in ["none", "a/below", "none/below"] {
        assert!(look(&root.path().join(none)).unwrap().is_none(), "{none}");
    }
    // What can't be looked at may exist.
    #[cfg(unix)]
    look(&root.path().join("x".repeat(1000))).unwrap_err();
}
