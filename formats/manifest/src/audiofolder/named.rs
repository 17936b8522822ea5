//! The sound files of a folder that its tables name.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use spr_core::Result;
use spr_core::bytes::{Env, Location};

/// The extensions of sound files.
const SOUND: [&str; 10] = [
    "wav", "flac", "mp3", "ogg", "oga", "opus", "m4a", "aiff", "au", "sph",
];

/// The sound files that were named, as hashes of 64 bits, and how many there are.
pub(super) struct Named {
    there: usize,
    named: HashSet<u64>,
}

impl Named {
    /// Creates an empty set for a folder with these files.
    pub(super) fn among(files: &[Location]) -> Self {
        Self {
            there: files.iter().filter(|file| is_sound(file)).count(),
            named: HashSet::new(),
        }
    }

    /// Adds a file.
    pub(super) fn add(&mut self, file: &Location) {
        self.named.insert(hash(file));
    }

    /// Returns the first sound file in `folder` that was not named, and the number of them.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub(super) fn others(&self, folder: &Location, env: &Env) -> Result<Option<(Location, usize)>> {
        if self.there == self.named.len() {
            return Ok(None);
        }
        let files = env.list(folder)?.into_iter();
        let mut others: Vec<_> = files
            .filter(|file| is_sound(file) && !self.named.contains(&hash(file)))
            .collect();
        others.sort();
        let count = others.len();
        Ok(others.into_iter().next().map(|first| (first, count)))
    }
}

fn is_sound(file: &Location) -> bool {
    let extension = file.extension().map(str::to_ascii_lowercase);
    extension.is_some_and(|extension| SOUND.contains(&&*extension))
}

fn hash(file: &Location) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(file)
}
