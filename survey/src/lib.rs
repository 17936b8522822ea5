//! Surveys: what data sets lie in a folder or an archive, what belongs together, and what is no
//! data.
//!
//! [`survey`] lists a tree, takes what one name and one header settle, reads the other headers, and
//! groups the files by what the formats tell of themselves: folders that are one data set, lists and
//! manifests with the files that they name, side files, numbered parts, labels beside their sound.
//! Values are not read, so damage inside of them is not found. Archives (tar, also compressed, and
//! zip) are looked into without unpacking.
//!
//! ```
//! use spr_core::bytes::{Env, MemoryStore};
//! use spr_core::format::Registry;
//! use spr_survey::{Choice, survey};
//! use std::sync::Arc;
//!
//! let store = MemoryStore::new();
//! store.insert("corpus/notes.bin", vec![1, 2, 3]);
//! store.insert("corpus/.DS_Store", vec![0]);
//! let env = Env::default().with_store(Arc::new(store));
//! let found = survey(&["corpus".into()], Choice::default(), &Registry::default(), &env, &())?;
//! assert_eq!((found.totals.unknown, found.totals.rubbish), (1, 1));
//! # Ok::<(), spr_core::Error>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

mod archive;
mod candidate;
mod claim;
mod count;
mod gather;
mod inventory;
mod observer;
#[cfg(feature = "page")]
mod page;
mod pool;
mod twins;
mod walk;
mod words;

use std::collections::HashSet;
use std::sync::Arc;

use spr_core::Result;
use spr_core::bytes::{Env, Location};
use spr_core::format::Registry;

pub use archive::is_archive;
pub use inventory::{DataSet, Inventory, Part, Rest, TITLES, Totals, Twins};
pub use observer::{Observer, Phase};
#[cfg(feature = "page")]
pub use page::page;
pub use words::{hours, size};

use archive::Overlay;
use count::Counter;
use gather::{Gathered, Gatherer, Unknown};
use walk::{File, Folder, Tree, Walk};

/// What is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Whether one header stands for all files of one name in a folder, nothing is counted by
    /// reading, and no content is compared.
    pub quick: bool,
}

/// Surveys folders and archives.
///
/// # Errors
/// A place does not exist or is neither folder nor archive, or the observer stops. What cannot be
/// read below it is a part of the result.
pub fn survey(
    places: &[Location],
    choice: Choice,
    registry: &Registry,
    env: &Env,
    observer: &dyn Observer,
) -> Result<Inventory> {
    let overlay = Arc::new(Overlay::new(env.store().clone()));
    let env = &env.clone().with_store(overlay.clone());
    let gatherer = Gatherer {
        registry,
        env,
        quick: choice.quick,
    };
    let mut inventory = Inventory::default();
    let (mut found, mut all, mut rubbish) = (Gathered::default(), Vec::new(), Vec::new());
    for place in places {
        let mut walk = Walk {
            overlay: &overlay,
            registry,
            env,
            observer,
            above: HashSet::new(),
            found: all.len() as u64,
            tree: Tree::default(),
        };
        walk.begin(place)?;
        let tree = walk.tree;
        inventory.totals.archives += tree.archives;
        let unread = tree.damage.iter().map(ToString::to_string);
        inventory.unread.extend(unread);
        rubbish.extend(tree.rubbish);
        add_files(&tree.root, &mut all);
        let own = gatherer.folder(tree.root);
        found.open.extend(own.open);
        found.candidates.extend(own.candidates);
        found.unknown.extend(own.unknown);
        found.empty.extend(own.empty);
    }
    let Gathered {
        open,
        mut candidates,
        mut unknown,
        empty,
    } = found;
    candidates.extend(open);
    candidates.iter_mut().for_each(claim::tell_gaps);
    let counter = Counter {
        registry,
        env,
        quick: choice.quick,
        observer,
    };
    let named = counter.all(&mut candidates)?;
    candidates.iter_mut().for_each(claim::tell_partial);
    let in_archive = |at: &Location| {
        let archive = overlay.archive_of(at);
        archive.is_some_and(|archive| archive.has(at))
    };
    let mut candidates = claim::attach(candidates, &named, &empty, &in_archive, env);
    claim::attach_unknown(&mut candidates, &mut unknown);
    let folders: Vec<_> = registry
        .formats()
        .filter_map(|format| format.sound_folder())
        .collect();
    claim::attach_tables(&mut candidates, &mut unknown, |file| {
        folders.iter().any(|folder| folder.is_table(file))
    });
    inventory.twins = match choice.quick {
        true => Vec::new(),
        false => twins::twins(&all, env, observer)?,
    };
    let all_files = all.iter().chain(&rubbish);
    inventory.totals.files = all_files.clone().count() as u64;
    inventory.totals.bytes = all_files.map(|file| file.bytes).sum();
    inventory.unknown = unknown.iter().map(Unknown::rest).collect();
    inventory.empty = each(&empty, "holds no bytes");
    inventory.rubbish = each(&rubbish, "left by another program");
    inventory.data_sets = candidates
        .into_iter()
        .map(candidate::Candidate::finish)
        .collect();
    inventory
        .data_sets
        .sort_by(|a, b| a.path.cmp(&b.path).then_with(|| a.format.cmp(&b.format)));
    inventory.unknown.sort_by(|a, b| a.path.cmp(&b.path));
    inventory.sum();
    Ok(inventory)
}

/// Adds the files of a folder and of those below it.
fn add_files(folder: &Folder, all: &mut Vec<File>) {
    all.extend_from_slice(&folder.files);
    folder
        .folders
        .iter()
        .for_each(|inner| add_files(inner, all));
}

/// Returns a line for each file.
fn each(files: &[File], why: &str) -> Vec<Rest> {
    let rest = |file: &File| Rest {
        path: file.at.to_string(),
        files: 1,
        bytes: file.bytes,
        why: why.to_owned(),
    };
    let mut all: Vec<_> = files.iter().map(rest).collect();
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

impl Unknown {
    /// Returns the file, or the pattern of the files.
    fn path(&self) -> String {
        match self.files.as_slice() {
            [only] => only.at.to_string(),
            files => {
                let dot = if self.extension.is_empty() { "" } else { "." };
                let pattern = format!("*{dot}{}", self.extension);
                candidate::below(&self.folder, files, &pattern)
            }
        }
    }

    /// Returns the files as a part of a data set.
    fn part(&self, role: &'static str) -> Part {
        Part {
            role,
            path: self.path(),
            files: self.files.len() as u64,
            bytes: self.files.iter().map(|file| file.bytes).sum(),
        }
    }

    fn rest(&self) -> Rest {
        Rest {
            path: self.path(),
            files: self.files.len() as u64,
            bytes: self.files.iter().map(|file| file.bytes).sum(),
            why: self.why.clone(),
        }
    }
}
