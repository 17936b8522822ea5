//! The attributes of the groups that a dataset is in.

use std::collections::HashMap;

use spr_core::Result;

use crate::attributes::Attributes;
use crate::dataset::File;

/// The groups around the last dataset, and the addresses of all.
pub(crate) struct Groups {
    /// The addresses of their headers by path.
    addresses: HashMap<String, u64>,
    paths: Vec<String>,
    /// The attributes of each of the paths.
    attributes: Vec<Attributes>,
}

impl Groups {
    pub(crate) fn new(addresses: HashMap<String, u64>) -> Self {
        Self {
            addresses,
            paths: Vec::new(),
            attributes: Vec::new(),
        }
    }

    /// Returns the attributes of the groups around the last dataset, the root group first.
    pub(crate) fn attributes(&self) -> &[Attributes] {
        &self.attributes
    }

    /// Reads the attributes of the groups around the dataset at a path.
    ///
    /// # Errors
    /// They are damaged.
    pub(crate) fn enter(&mut self, file: &mut File, path: &str) -> Result<()> {
        let slashes = path.match_indices('/').map(|(at, _)| &path[..at]);
        let wanted: Vec<&str> = std::iter::once("").chain(slashes).collect();
        let same = self.paths.iter().zip(&wanted);
        let same = same.take_while(|(path, wanted)| path == *wanted).count();
        self.paths.truncate(same);
        self.attributes.truncate(same);
        for group in wanted.into_iter().skip(same) {
            let attributes = match self.addresses.get(group) {
                Some(address) => file.group_attributes(*address, group)?,
                // A link to a group is read as that group.
                None => Attributes::default(),
            };
            self.attributes.push(attributes);
            self.paths.push(group.to_owned());
        }
        Ok(())
    }
}
