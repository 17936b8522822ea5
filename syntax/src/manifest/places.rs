//! Resolution of the file names in a manifest.

use std::collections::HashMap;

use spr_core::bytes::{Env, Location, Locator};

/// The number of cached folders.
const REMEMBERED: usize = 1 << 14;

/// A resolver of file names: relative to the manifest's folder if the file exists there, otherwise
/// to the working folder, as in NeMo.
pub struct Places {
    env: Env,
    folder: Option<Location>,
    /// Whether the working folder takes precedence.
    working: bool,
    /// The last name, and its result.
    last: Option<(String, Location)>,
    /// Normalised names of folders.
    short: HashMap<Location, Location>,
}

impl Places {
    /// Creates a resolver for `manifest`, which may be a stream.
    pub fn new(manifest: Option<&Location>, env: &Env) -> Self {
        Self {
            env: env.clone(),
            folder: manifest.and_then(Location::parent),
            working: false,
            last: None,
            short: HashMap::new(),
        }
    }

    /// Gives precedence to the working folder, as Lhotse uses only that.
    pub fn working_folder_first(self) -> Self {
        Self {
            working: true,
            ..self
        }
    }

    /// Returns where what is named in the manifest is now, if it is no file to be looked for.
    pub fn moved(&self, at: Locator) -> Locator {
        self.env.moved(at)
    }

    /// Returns the location of the file called `name`.
    pub fn find(&mut self, name: &str) -> Location {
        if let Some((last, found)) = &self.last
            && last == name
        {
            return found.clone();
        }
        let found = self.look_for(name);
        self.last = Some((name.to_owned(), found.clone()));
        found
    }

    fn look_for(&mut self, name: &str) -> Location {
        let moved = self.env.moved_file(&name.into());
        // Where it is now is seen from the working folder.
        let working = self.working || moved.is_some();
        let file = moved.unwrap_or_else(|| at_home(name));
        if file.is_relative()
            && let Some(folder) = &self.folder
            && !(working && !folder.is_url() && self.env.exists(&file))
        {
            let beside = folder.join(&file);
            if folder.is_url() {
                return beside;
            }
            if self.env.exists(&beside) {
                return self.shorten(beside);
            }
        }
        file
    }

    /// Removes `folder/..` from a name if it leads to the same folder.
    fn shorten(&mut self, file: Location) -> Location {
        let (Some(folder), Some(name)) = (file.parent(), file.name()) else {
            return file;
        };
        if !file.to_str().is_some_and(|text| text.contains("..")) {
            return file;
        }
        if self.short.len() >= REMEMBERED {
            self.short.clear();
        }
        let env = &self.env;
        let short = self.short.entry(folder);
        let short = short.or_insert_with_key(|folder| shortened(folder, env));
        match short.as_os_str().is_empty() {
            true => Location::from(name),
            false => short.join(name),
        }
    }
}

/// Returns the location of a file that may be in the home folder.
fn at_home(name: &str) -> Location {
    match name.strip_prefix("~/").zip(std::env::home_dir()) {
        Some((rest, home)) => Location::from(home).join(rest),
        None => Location::from(name),
    }
}

/// Removes `x/..` from the name of a folder, unless `x` is a link to elsewhere.
fn shortened(folder: &Location, env: &Env) -> Location {
    let Some(text) = folder.to_str() else {
        return folder.clone();
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match (part, parts.last()) {
            (".", _) => {}
            ("..", Some(last)) if !matches!(*last, "" | "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let short = Location::from(parts.join("/"));
    let here = match short.as_os_str().is_empty() {
        true => Location::from("."),
        false => short.clone(),
    };
    match env.resolve(&here) == env.resolve(folder) {
        true => short,
        false => folder.clone(),
    }
}
