//! Folders on disk: what is in the way, what may not be emptied, and members.

use std::fs;

use spr_core::bytes::{Env, Location, Locator, Output, Part};
use spr_core::{ErrorKind, Result};

fn put(output: &Output, part: Part<'_>, bytes: &[u8]) -> Result<u64> {
    let mut sink = output.create(part, false)?;
    sink.put(bytes)?;
    sink.finish()
}

#[test]
fn the_working_folder_is_never_emptied() {
    let here = std::env::current_dir().unwrap();
    for folder in [Location::from("."), here.into(), "..".into(), "/".into()] {
        let output = Env::default().output(&Locator::Folder(folder.clone()));
        let error = output.overwrite(true).reserve().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{folder}");
        let message = "is or contains the working folder, and is never emptied";
        assert_eq!(error.message(), message);
        let hint = "add to it, or name a folder of its own";
        assert_eq!(error.hint_text().unwrap(), hint);
    }
}

#[test]
fn a_data_set_of_nothing_is_an_empty_folder() {
    let (root, env) = (tempfile::tempdir().unwrap(), Env::default());
    let new = root.path().join("new");
    env.output(&Locator::folder(&new)).commit().unwrap();
    assert_eq!(fs::read_dir(&new).unwrap().count(), 0);
    let gone = root.path().join("gone/new");
    let error = env.output(&Locator::folder(&gone)).commit().unwrap_err();
    assert!(
        error
            .message()
            .starts_with("cannot create: there is no folder "),
        "{error}"
    );
    // What a folder had goes, if it may.
    fs::write(new.join("old"), "x").unwrap();
    let error = env.output(&Locator::folder(&new)).commit().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
    env.output(&Locator::folder(&new))
        .overwrite(true)
        .commit()
        .unwrap();
    assert_eq!(fs::read_dir(&new).unwrap().count(), 0);
}

#[test]
fn members_stay_inside_and_are_seen_when_they_are_whole() {
    let (root, env) = (tempfile::tempdir().unwrap(), Env::default());
    let folder = root.path().join("d");
    let output = env.output(&Locator::folder(&folder));
    for outside in ["../x", "/x", "a/../../x"] {
        let error = put(&output, Part::Member(outside), b"x").unwrap_err();
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::Unfit, "leads out of the folder")
        );
    }
    let mut sink = output.create(Part::Member("s/a"), true).unwrap();
    sink.put(b"xxdata").unwrap();
    sink.patch(0, b"ok").unwrap();
    sink.flush().unwrap();
    let error = put(&output, Part::Member("s/a"), b"x").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unfit, "{error}");
    assert_eq!(sink.finish().unwrap(), 6);
    drop(output.create(Part::Member("cut"), false).unwrap());
    let at = Location::from(folder.join("s/a"));
    let seeing = env.seeing(&output);
    let whole = seeing.open_file(&at).unwrap().rest("bytes", &env.limits);
    assert_eq!(whole.unwrap(), b"okdata");
    let listed = seeing.list(&Location::from(&folder)).unwrap();
    assert_eq!(listed, std::slice::from_ref(&at));
    assert!(!folder.exists());
    output.commit().unwrap();
    assert_eq!(env.list(&Location::from(&folder)).unwrap(), [at]);
    assert_eq!(
        fs::read_dir(root.path()).unwrap().count(),
        1,
        "nothing is left beside it"
    );
}

#[cfg(unix)]
#[test]
fn a_link_in_a_folder_is_not_followed_by_what_is_added() {
    let (root, env) = (tempfile::tempdir().unwrap(), Env::default());
    let [folder, other] = ["d", "other"].map(|name| root.path().join(name));
    fs::create_dir(&folder).unwrap();
    fs::create_dir(&other).unwrap();
    std::os::unix::fs::symlink(&other, folder.join("s")).unwrap();
    let output = env.output(&Locator::folder(&folder)).adding(true);
    put(&output, Part::Member("s/a"), b"x").unwrap();
    let error = output.commit().unwrap_err();
    let message = "is a link, which may lead out of the folder";
    assert_eq!((error.kind(), error.message()), (ErrorKind::Unfit, message));
    assert_eq!(fs::read_dir(&other).unwrap().count(), 0);
}
