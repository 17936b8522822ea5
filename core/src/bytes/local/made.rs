//! Folders created for outputs.

use std::fs;
use std::io;

use super::super::Location;
use super::identity::above;
use super::sync::sync_folder;
use super::temporary_list::TemporaryList;
use crate::error::{Error, Result};

/// Returns the error for an output that cannot be created. It names the missing folder, if that is
/// the cause.
pub(crate) fn cannot_create(target: &Location, cause: io::Error) -> Error {
    let folder = target.parent();
    let missing =
        |folder: &Location| cause.kind() == io::ErrorKind::NotFound && !folder.path().exists();
    match folder.filter(missing) {
        Some(folder) => Error::usage(format!("cannot create: there is no folder {folder}"))
            .file(target.to_string())
            .hint(format!("make it: mkdir -p {}", word(&folder))),
        None => Error::io("cannot create", cause).file(target.to_string()),
    }
}

/// Quotes a name for a shell.
fn word(name: &Location) -> String {
    let text = name.to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+=,@%".contains(c);
    match text.chars().all(plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Creates a folder if it does not exist, and returns whether it did.
pub(super) fn make(live: &TemporaryList, folder: &Location, durable: bool) -> Result<bool> {
    let path = folder.path();
    {
        let mut held = live.enter()?;
        match fs::create_dir(path) {
            Ok(()) => {}
            Err(_) if path.is_dir() => return Ok(false),
            Err(cause) => return Err(cannot_create(folder, cause)),
        }
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        held.paths.insert(path);
    }
    // The folder's name must be as durable as the files renamed into it.
    if durable && let Err(cause) = sync_folder(above(path)) {
        settle(live, folder, false);
        let error = Error::io("cannot write to the disk", cause).file(folder.to_string());
        return Err(live.explain(error));
    }
    Ok(true)
}

/// Keeps a created folder, or removes it if it is empty.
pub(super) fn settle(live: &TemporaryList, folder: &Location, stays: bool) {
    let path = folder.path();
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut held = live.hold();
    if held.paths.remove(&path) && !stays {
        let _ = fs::remove_dir(&path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn what_is_missing_is_named() {
        let at = |name: &str| cannot_create(&name.into(), io::ErrorKind::NotFound.into());
        let error = at("/none/it's here/a.ark");
        let place = "/none/it's here/a.ark".to_owned();
        assert_eq!(error.kind_and_place(), (ErrorKind::Usage, place));
        assert_eq!(
            error.hint_text().as_deref(),
            Some(r"make it: mkdir -p '/none/it'\''s here'")
        );
        assert_eq!(at("a.ark").hint_text(), None);
    }
}
