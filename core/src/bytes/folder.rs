//! A folder of files, one an utterance.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::commit::{Change, New};
use super::parent::cannot_create;
use super::rules::Rules;
use super::temporary::{Temporary, exists, is_empty, live};
use super::{Codec, Sink};
use crate::model::Key;
use crate::{Error, Result};

/// Files are written under their own names into a temporary folder, which takes the place of the
/// target, or hands its files over if the target exists.
pub(super) struct Folder {
    target: PathBuf,
    staging: Option<Temporary>,
}

impl Folder {
    pub(super) fn new(target: PathBuf) -> Self {
        Self {
            target,
            staging: None,
        }
    }

    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// The target and where its files are until they are committed.
    pub(super) fn staged(&self) -> Option<(PathBuf, PathBuf)> {
        let staging = self.staging.as_ref()?;
        Some((self.target.clone(), staging.path().to_owned()))
    }

    pub(super) fn name(&self) -> String {
        self.target.display().to_string()
    }

    pub(super) fn create(&mut self, key: &Key, extension: &str, rules: &Rules) -> Result<Sink> {
        let failed = |e| cannot_create(&self.target, e);
        let root = match &self.staging {
            Some(dir) => dir.path(),
            None => {
                check(&self.target, rules.overwrite)?;
                // A folder that exists may be all that can be written to.
                let dir = match self.target.is_dir() {
                    true => Temporary::folder(&self.target.join("folder")),
                    false => Temporary::folder(&self.target),
                };
                self.staging.insert(dir.map_err(failed)?).path()
            }
        };
        let relative = path_of_key(key, extension)?;
        let path = root.join(&relative);
        let _live = live();
        if let Some(parent) = path.parent().filter(|p| *p != root) {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        let name = self.target.join(&relative).display().to_string();
        let file = File::options()
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(|e| {
                match e.kind() {
                    io::ErrorKind::AlreadyExists => Error::unfit("a second utterance of this name"),
                    _ => Error::io("cannot create", e),
                }
                .file(&name)
                .utterance(key)
            })?;
        Ok(Sink::file(name, file, rules.durable))
    }

    /// The names that a commit changes, and what must be kept until then.
    pub(super) fn changes(
        &mut self,
        overwrite: bool,
        changes: &mut Vec<Change>,
    ) -> Result<Option<Temporary>> {
        let target = &self.target;
        let failed = |e| Error::io("cannot fill the folder", e).file(target.display().to_string());
        let Some(staging) = self.staging.take() else {
            let parent = target.parent().filter(|p| !p.as_os_str().is_empty());
            if parent.is_some_and(|parent| !parent.exists()) {
                return Err(cannot_create(target, io::ErrorKind::NotFound.into()));
            }
            changes.push(Change {
                new: New::Folder,
                target: target.clone(),
                overwrite,
            });
            return Ok(None);
        };
        if !target.exists() {
            changes.push(Change {
                new: New::Whole(staging),
                target: target.clone(),
                overwrite: false,
            });
            return Ok(None);
        }
        for entry in walkdir::WalkDir::new(staging.path()) {
            let entry = entry.map_err(|e| failed(e.into()))?;
            let Ok(relative) = entry.path().strip_prefix(staging.path()) else {
                continue;
            };
            let is_folder = entry.file_type().is_dir();
            let to = target.join(relative);
            if is_folder && entry.depth() > 0 && to.is_symlink() {
                return Err(Error::unfit("is a link, which may lead out of the folder")
                    .file(to.display().to_string()));
            }
            changes.push(Change {
                new: match is_folder {
                    true => New::Folder,
                    false => New::Inside(entry.into_path()),
                },
                target: to,
                overwrite,
            });
        }
        Ok(Some(staging))
    }
}

/// A folder may be filled if it is new or empty.
fn check(target: &Path, overwrite: bool) -> Result<()> {
    let name = target.display().to_string();
    if !target.exists() {
        return Ok(());
    }
    if !target.is_dir() {
        return Err(Error::usage("is a file, a folder is due").file(name));
    }
    match overwrite || is_empty(target) {
        true => Ok(()),
        false => Err(exists(name)),
    }
}

/// The key that the name of a file gives: without folder, extension and compression.
pub fn key_of_file(path: &Path) -> Key {
    let plain = Codec::strip_extension(path);
    Key::from(plain.file_stem().unwrap_or_default().as_encoded_bytes())
}

/// The file that an utterance gets inside a folder. A key may name sub-folders with `/`, but
/// never leads out of the folder.
fn path_of_key(key: &Key, extension: &str) -> Result<PathBuf> {
    let refuse = |why| Error::unfit(format!("the key can't be a file name: {why}")).utterance(key);
    let Some(text) = key.as_str() else {
        return Err(refuse("it is not UTF-8"));
    };
    if text.is_empty() || text.ends_with('/') || text.contains("//") {
        return Err(refuse("a part of it is empty"));
    }
    if text.contains('\0') {
        return Err(refuse("it holds a NUL byte"));
    }
    let path = PathBuf::from(format!("{text}.{extension}"));
    let inside = text.split('/').all(|part| part != "." && part != "..")
        && path
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
    if inside {
        Ok(path)
    } else {
        Err(refuse("it leads out of the folder"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Output, Part};

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_appears_whole() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("out");
        let output = Output::folder(&folder);
        for key in ["a", "s/b"] {
            let mut sink = output
                .create(Part::Utterance(&key.into(), "spr"), true)
                .unwrap();
            sink.put(b"x").unwrap();
            sink.finish().unwrap();
        }
        assert!(
            output
                .create(Part::Utterance(&"a".into(), "spr"), true)
                .is_err()
        );
        assert!(!folder.exists());
        output.commit().unwrap();
        assert_eq!(names(&folder), ["a.spr", "s"]);
        assert_eq!(names(parent.path()), ["out"]);
        let again = Output::folder(&folder);
        assert!(
            again
                .create(Part::Utterance(&"c".into(), "spr"), true)
                .is_err()
        );
    }

    #[test]
    fn keys_never_leave_the_folder() {
        for key in [
            "", "..", "../x", "/etc/x", "a/../b", "a//b", "a/", "a\0b", "./a",
        ] {
            assert!(path_of_key(&key.into(), "spr").is_err(), "{key:?}");
        }
        assert_eq!(
            path_of_key(&"s/a.1".into(), "spr").unwrap(),
            Path::new("s/a.1.spr")
        );
    }
}
