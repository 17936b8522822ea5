//! Names of sound files in tables.

use std::collections::BTreeMap;

use spr_core::bytes::{Env, Location};

/// The sound files of a folder, by the last part of their names.
pub(crate) struct SoundNames {
    /// Paths without extension.
    stems: Vec<Location>,
    by_name: BTreeMap<Vec<u8>, Vec<usize>>,
    env: Env,
}

impl SoundNames {
    pub(crate) fn new(stems: Vec<Location>, env: &Env) -> Self {
        let mut by_name = BTreeMap::<_, Vec<_>>::new();
        for (n, stem) in stems.iter().enumerate() {
            let name = stem.name().unwrap_or_default().as_encoded_bytes();
            by_name.entry(name.to_vec()).or_default().push(n);
        }
        Self {
            stems,
            by_name,
            env: env.clone(),
        }
    }

    /// Returns the first sound file that a cell of a table names.
    pub(crate) fn find(&self, table: &Location, cell: &str) -> Option<usize> {
        let folder = table.parent().unwrap_or_else(|| ".".into());
        let name = sound_name(cell, &folder, &self.env);
        let same = self.by_name.get(last(&name).as_bytes())?;
        same.iter().copied().find(|n| {
            let stem = self
                .stems
                .get(*n)
                .and_then(|stem| stem.relative_to(&folder));
            stem.is_some_and(|inside| is_of(&name, inside.as_os_str().as_encoded_bytes()))
        })
    }

    /// Returns `true` if a cell names a sound file, which need not be there if its extension is that of
    /// sound.
    pub(crate) fn is_named(&self, table: &Location, cell: &str) -> bool {
        extension(cell, &self.env).is_some() || self.find(table, cell).is_some()
    }
}

/// Returns the extension of sound at the end of a name.
fn extension(name: &str, env: &Env) -> Option<String> {
    let file = Location::from(name).plain();
    let extension = file.extension()?.to_ascii_lowercase();
    env.sound_by_extension(&extension).map(|_| extension)
}

/// Returns the name of a sound file as a table of `folder` has it, without extension, and from the folder
/// on if it is a whole path.
pub(crate) fn sound_name(cell: &str, folder: &Location, env: &Env) -> String {
    let cell = cell.trim();
    let mut name = cell.strip_prefix("./").unwrap_or(cell).to_owned();
    if name.starts_with('/') {
        let inside = Location::from(&*name).relative_to(&env.resolve(folder));
        if let Some(inside) = inside.as_ref().and_then(Location::to_str) {
            name = inside.to_owned();
        }
    }
    if let Some(extension) = extension(&name, env) {
        let end = name.to_ascii_lowercase().rfind(&format!(".{extension}"));
        name.truncate(end.unwrap_or(name.len()));
    }
    name
}

/// Returns the last part of a name.
pub(crate) fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or_default()
}

/// Returns `true` if a name is that of a file with this path from the table's folder on, without
/// extension.
pub(crate) fn is_of(name: &str, inside: &[u8]) -> bool {
    let before = inside.strip_suffix(name.as_bytes());
    before.is_some_and(|before| before.is_empty() || before.ends_with(b"/"))
}
