//! The file names in a written manifest.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use spr_core::bytes::{Env, Location, Output};
use spr_core::format::{OptionSpec, Options};
use spr_core::{Error, Result};

/// The option `paths`.
pub const PATHS: OptionSpec = OptionSpec {
    name: "paths",
    value: "relative|absolute|asis",
    help: "how sound files are named: from the manifest's folder, from the root, or as the input \
           names them; else relative ones from the manifest's folder and absolute ones as they are",
};

/// The number of cached folders.
const REMEMBERED: usize = 1 << 14;

#[derive(Clone, Copy, PartialEq)]
enum Paths {
    /// Relative to the manifest's folder, if they are relative and inside it.
    Usual,
    Relative,
    Absolute,
    AsIs,
}

/// The names of files for a manifest being written.
pub struct Names {
    paths: Paths,
    env: Env,
    /// The absolute folder of the manifest, if it is a file.
    folder: Option<PathBuf>,
    /// Absolute folders.
    resolved: HashMap<Location, Location>,
    last: Option<(Location, String)>,
}

impl Names {
    /// Creates the names for a manifest at `output`, which is the file or a folder with it.
    ///
    /// # Errors
    /// The option has another value.
    pub fn new(output: &Output, options: &Options, env: &Env) -> Result<Self> {
        let words = [
            ("relative", Paths::Relative),
            ("absolute", Paths::Absolute),
            ("asis", Paths::AsIs),
        ];
        let locator = output.locator();
        let folder = match (output.is_folder(), locator.location()) {
            (true, Some(folder)) => Some(folder.clone()),
            (false, Some(file)) => Some(file.parent().unwrap_or_else(|| ".".into())),
            (_, None) => None,
        };
        let folder = folder.map(|folder| env.resolve(&folder));
        Ok(Self {
            paths: options.choice(PATHS.name, &words)?.unwrap_or(Paths::Usual),
            env: env.clone(),
            folder: folder
                .as_ref()
                .and_then(Location::local_path)
                .map(PathBuf::from),
            resolved: HashMap::new(),
            last: None,
        })
    }

    /// Keeps relative paths unchanged, for programs that resolve them in the working folder, unless
    /// the option is set.
    pub fn kept(self) -> Self {
        let paths = match self.paths {
            Paths::Usual => Paths::AsIs,
            told => told,
        };
        Self { paths, ..self }
    }

    /// Returns the name of a folder in the output, where it is called `name`.
    ///
    /// # Errors
    /// It is not UTF-8.
    pub fn member(&self, folder: &Location, name: &str) -> Result<String> {
        let full = match self.paths {
            Paths::Relative => return Ok(name.to_owned()),
            Paths::Absolute => self.env.resolve(folder),
            Paths::Usual | Paths::AsIs => folder.clone(),
        };
        let text = full.to_str().map(str::to_owned);
        text.ok_or_else(|| Error::unfit(format!("goes to {folder}, which is not UTF-8")))
    }

    /// Returns the name of a file.
    ///
    /// # Errors
    /// It is not UTF-8.
    pub fn name(&mut self, file: &Location) -> Result<&str> {
        if self.last.as_ref().is_none_or(|(last, _)| last != file) {
            let name = self.make(file);
            let name = name.to_str().ok_or_else(|| {
                Error::unfit(format!("its sound is in {file}, which is not UTF-8"))
            })?;
            self.last = Some((file.clone(), name.to_owned()));
        }
        Ok(self.last.as_ref().map_or("", |(_, name)| name))
    }

    fn make(&mut self, file: &Location) -> Location {
        let wanted = match self.paths {
            Paths::Usual => file.is_relative() && self.env.exists(file),
            Paths::Relative | Paths::Absolute => true,
            Paths::AsIs => false,
        };
        let Some(name) = file.name().filter(|_| wanted && !file.is_url()) else {
            return file.clone();
        };
        let full = self
            .resolve(file.parent().unwrap_or_else(|| ".".into()))
            .join(name);
        match (self.paths, &self.folder, full.local_path()) {
            (Paths::Absolute, ..) => full,
            (_, Some(folder), Some(path)) => match relative(path, folder) {
                Some(relative) => relative.into(),
                None => full,
            },
            _ => file.clone(),
        }
    }

    /// Returns the absolute folder, with links resolved. A link at the file's own name is kept.
    fn resolve(&mut self, folder: Location) -> Location {
        if self.resolved.len() >= REMEMBERED {
            self.resolved.clear();
        }
        let env = &self.env;
        let full = self.resolved.entry(folder);
        full.or_insert_with_key(|folder| env.resolve(folder))
            .clone()
    }
}

/// Returns `path` relative to `folder`, both absolute, or `None` if they have no common root.
fn relative(path: &Path, folder: &Path) -> Option<String> {
    let plain = |path: &Path| path.components().all(|part| part != Component::ParentDir);
    if path.is_absolute() != folder.is_absolute() || !plain(path) || !plain(folder) {
        return None;
    }
    let parts = |path| Path::components(path).filter(|part| *part != Component::CurDir);
    let (path, folder): (Vec<_>, Vec<_>) = (parts(path).collect(), parts(folder).collect());
    let common = path.iter().zip(&folder).take_while(|(a, b)| a == b).count();
    if common == 0
        && path
            .first()
            .is_some_and(|first| matches!(first, Component::Prefix(_)))
    {
        return None;
    }
    let up = folder.iter().skip(common).map(|_| Some(".."));
    let down = path
        .iter()
        .skip(common)
        .map(|part| part.as_os_str().to_str());
    let all: Option<Vec<_>> = up.chain(down).collect();
    Some(all?.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_seen_from_a_folder() {
        for (path, folder, seen) in [
            ("/a/b/c.wav", "/a/b", Some("c.wav")),
            ("/a/b/c.wav", "/a/x/y", Some("../../b/c.wav")),
            ("/a/c.wav", "/", Some("a/c.wav")),
            ("b/c.wav", ".", Some("b/c.wav")),
            ("b/c.wav", "m", Some("../b/c.wav")),
            ("b/c.wav", "/m", None),
            ("../c.wav", "m", None),
        ] {
            let found = relative(Path::new(path), Path::new(folder));
            assert_eq!(found.as_deref(), seen, "{path} from {folder}");
        }
    }
}
