//! Folders that outputs stand in. They must be there, but for those that have the number of a part
//! in their names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::commit::sync_folder;
use super::temporary::live;
use crate::{Error, Result};

/// The error for an output that can't be created: it names the folder that is missing, if that is
/// the cause.
pub fn cannot_create(target: &Path, cause: io::Error) -> Error {
    let name = target.display().to_string();
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty());
    match folder.filter(|folder| cause.kind() == io::ErrorKind::NotFound && !folder.exists()) {
        Some(folder) => Error::usage(format!(
            "cannot create: there is no folder {}",
            folder.display()
        ))
        .file(name)
        .hint(format!("make it: mkdir -p {}", word(folder))),
        None => Error::io("cannot create", cause).file(name),
    }
}

/// A path as it can be typed into a shell.
fn word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+=,@%".contains(c);
    match text.chars().all(plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Folders made for outputs. Those that are empty are removed when this is dropped, unless they
/// are to [stay](Self::keep); drop the outputs first.
#[derive(Debug, Default)]
pub struct Parents(Vec<PathBuf>);

impl Parents {
    /// Makes a folder if there is none; the one that it stands in must be there. If `durable`, its
    /// name is on the disk then.
    ///
    /// # Errors
    /// The system refuses.
    pub fn make(&mut self, folder: &Path, durable: bool) -> Result<()> {
        let mut live = live();
        match fs::create_dir(folder) {
            Ok(()) => {
                let path = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
                live.insert(path.clone());
                self.0.push(path);
                if !durable {
                    return Ok(());
                }
                // The name itself must last as long as what will be renamed into it.
                let above = folder.parent().filter(|p| !p.as_os_str().is_empty());
                sync_folder(above.unwrap_or(Path::new("."))).map_err(|e| {
                    Error::io("cannot write to the disk", e).file(folder.display().to_string())
                })
            }
            Err(_) if folder.is_dir() => Ok(()),
            Err(cause) => Err(cannot_create(folder, cause)),
        }
    }

    /// Takes over what another one made.
    pub fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Leaves all of them.
    pub fn keep(mut self) {
        let mut live = live();
        for folder in self.0.drain(..) {
            live.remove(&folder);
        }
    }
}

impl Drop for Parents {
    fn drop(&mut self) {
        let mut live = live();
        for folder in self.0.drain(..).rev() {
            let _ = fs::remove_dir(&folder);
            live.remove(&folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let at = |path: &str| cannot_create(Path::new(path), io::ErrorKind::NotFound.into());
        let error = at("/none/it's here/a.ark");
        assert_eq!(
            error.to_string(),
            "/none/it's here/a.ark: cannot create: there is no folder /none/it's here"
        );
        assert_eq!(
            error.hint_text(),
            Some(r"make it: mkdir -p '/none/it'\''s here'")
        );
        assert_eq!(at("a.ark").hint_text(), None);
    }

    #[test]
    fn folders_go_unless_they_stay_or_hold_something() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let make = |names: &[&str]| {
            let mut made = Parents::default();
            names
                .iter()
                .for_each(|name| made.make(&at(name), true).unwrap());
            made
        };
        drop(make(&["a", "a/b"]));
        assert!(!at("a").exists());
        let made = make(&["a", "a/b"]);
        fs::write(at("a/x"), "").unwrap();
        drop(made);
        assert!(at("a/x").exists() && !at("a/b").exists());
        make(&["a", "c"]).keep();
        drop(make(&["a", "c"]));
        assert!(at("c").exists());
        assert!(Parents::default().make(&at("d/e"), true).is_err());
    }
}
