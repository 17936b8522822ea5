//! File names in tables.

use std::path::{Component, Path, PathBuf};

use spr_core::bytes::{Env, Location, Locator};
use spr_core::format::Options;
use spr_core::{Error, Result};

use crate::specifier::rxfilename;

/// The form of file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paths {
    /// Relative to the working folder.
    Found,
    /// Relative to the data directory.
    Relative,
    /// Absolute.
    Absolute,
}

/// The names of files in the tables of one directory.
pub(super) struct Places {
    paths: Paths,
    folder: Location,
    /// The absolute folder, if needed.
    root: Option<Location>,
    /// The last folder, as given and as written.
    last: Option<(Location, Location)>,
    env: Env,
}

impl Places {
    /// Creates the names for the tables in `folder`.
    ///
    /// # Errors
    /// The value of the option is invalid.
    pub(super) fn new(folder: Location, options: &Options, env: &Env) -> Result<Self> {
        Ok(Self {
            paths: paths(options)?,
            folder,
            root: None,
            last: None,
            env: env.clone(),
        })
    }

    /// Returns the name of a file in the directory itself.
    ///
    /// # Errors
    /// Kaldi could not read from it.
    pub(super) fn own(&mut self, name: &str) -> Result<String> {
        match self.paths {
            Paths::Relative => Ok(name.to_owned()),
            Paths::Found | Paths::Absolute => self.of(&Locator::File(self.folder.join(name))),
        }
    }

    /// Returns the name of a file or command for a table.
    ///
    /// # Errors
    /// It cannot be written in a line, or Kaldi could not read from it.
    pub(super) fn of(&mut self, at: &Locator) -> Result<String> {
        let shown = match at {
            Locator::File(file) => Locator::File(self.shown(file)),
            Locator::FileAt(file, byte) => Locator::FileAt(self.shown(file), *byte),
            Locator::Command(line) => Locator::Command(line.trim().to_owned()),
            _ => {
                return Err(Error::unfit(format!(
                    "{at} can't be named in a data directory"
                )));
            }
        };
        let text = shown.to_string();
        let read = rxfilename(&text).ok();
        match read == Some(shown) && !text.starts_with('~') && !text.contains(['\n', '\r', '\0']) {
            true => Ok(text),
            false => {
                let text = text.escape_debug();
                Err(Error::unfit(format!(
                    "Kaldi could not read the file called '{text}'"
                )))
            }
        }
    }

    fn shown(&mut self, file: &Location) -> Location {
        let (Some(name), false) = (file.name(), self.paths == Paths::Found) else {
            return file.clone();
        };
        let parent = file.parent().unwrap_or_else(|| ".".into());
        let before = self.last.as_ref().filter(|(last, _)| *last == parent);
        let folder = match before {
            Some((_, folder)) => folder.clone(),
            None => {
                let whole = self.env.resolve(&parent);
                let folder = match self.paths {
                    Paths::Relative => self.relative(&whole),
                    Paths::Found | Paths::Absolute => whole,
                };
                self.last = Some((parent, folder.clone()));
                folder
            }
        };
        folder.join(name)
    }

    /// Returns a folder relative to the data directory, both absolute.
    fn relative(&mut self, to: &Location) -> Location {
        let (env, folder) = (&self.env, &self.folder);
        let root = self.root.get_or_insert_with(|| env.resolve(folder));
        match (root.local_path(), to.local_path()) {
            (Some(from), Some(to)) => relative(from, to).into(),
            _ => to.clone(),
        }
    }
}

/// Returns the value of the option `paths`.
///
/// # Errors
/// The value is invalid.
pub(super) fn paths(options: &Options) -> Result<Paths> {
    let known = [
        ("found", Paths::Found),
        ("relative", Paths::Relative),
        ("absolute", Paths::Absolute),
    ];
    Ok(options.choice("paths", &known)?.unwrap_or(Paths::Found))
}

/// Returns the path from one folder to another.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from.iter().skip(common).map(|_| Component::ParentDir);
    up.chain(to.into_iter().skip(common)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_from_folder_to_folder() {
        for (from, to, way) in [
            ("/a/b", "/a/c", "../c"),
            ("/a/b", "/a/b", ""),
            ("/a", "/a/b/c", "b/c"),
            ("/a/b", "/c", "../../c"),
        ] {
            assert_eq!(relative(Path::new(from), Path::new(to)), Path::new(way));
        }
    }
}
