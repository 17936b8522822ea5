//! The names that a file has, as a tree of groups.

use std::collections::BTreeMap;

use spr_core::Error;

/// A group with its members by name, in the order of bytes.
#[derive(Default)]
pub(super) struct Group(pub(super) BTreeMap<Box<str>, Member>);

/// A member of a group.
pub(super) enum Member {
    /// The dataset with this number.
    Dataset(usize),
    Group(Group),
}

/// What a file has at a path.
pub(super) enum Place {
    /// Nothing.
    Free,
    /// A dataset.
    Dataset,
    /// A group, or a dataset that the path goes through.
    Blocked,
}

impl Group {
    /// Returns what is at a path.
    pub(super) fn look(&self, path: &str) -> Place {
        let mut group = self;
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            let is_last = names.peek().is_none();
            match group.0.get(name) {
                None => return Place::Free,
                Some(Member::Dataset(_)) if is_last => return Place::Dataset,
                Some(Member::Dataset(_)) => return Place::Blocked,
                Some(Member::Group(next)) => group = next,
            }
        }
        Place::Blocked
    }

    /// Adds the dataset with this number.
    ///
    /// # Errors
    /// There is something else at its path.
    pub(super) fn add(&mut self, path: &str, number: usize) -> Result<(), Error> {
        let (groups, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut group = self;
        for part in groups.split('/').filter(|part| !part.is_empty()) {
            let member = group.0.entry(part.into());
            match member.or_insert_with(|| Member::Group(Self::default())) {
                Member::Group(next) => group = next,
                Member::Dataset(_) => return Err(blocked(path)),
            }
        }
        match group.0.insert(name.into(), Member::Dataset(number)) {
            None => Ok(()),
            Some(_) => Err(blocked(path)),
        }
    }
}

/// Returns the error of a path that is both a group and a dataset.
pub(super) fn blocked(path: &str) -> Error {
    let path = path.escape_debug();
    let message = format!("a part of the path '{path}' would be both a dataset and a group");
    Error::unfit(message).hint("keys that differ more, as a/b and a cannot be in one HDF5 file")
}
