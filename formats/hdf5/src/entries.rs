//! The utterances of a file, by the paths of its datasets.

use std::collections::HashMap;

use spr_core::model::Key;

use crate::names::{self, Role};
use crate::tree::Node;

/// The rows of a dataset that belong to one utterance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    /// All.
    All,
    /// This number of rows from the first.
    Range(u64, u64),
    /// The item with this index, of which only the first rows are used.
    Item(u64, u64),
    /// The sequence with this index.
    Ragged(u64),
}

/// A field of an utterance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) role: Role,
    /// The index of its dataset.
    pub(crate) node: usize,
    pub(crate) rows: Rows,
}

/// An utterance.
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) parts: Vec<Part>,
}

/// How the datasets of a file make utterances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// As our writer stores them.
    Own,
    /// A group for each field.
    FieldGroups,
    /// A group for each utterance.
    UtteranceGroups,
    /// A dataset for each utterance.
    Datasets,
    /// A few datasets, each with all utterances.
    Together,
}

impl Layout {
    /// Returns the layout of these datasets, which our writer may have `written`.
    pub(crate) fn of(nodes: &[Node], written: bool) -> Self {
        let first = |node: &Node| node.path.split_once('/').map(|(group, _)| Role::of(group));
        let last = |node: &Node| node.path.rsplit_once('/').map(|(_, name)| Role::of(name));
        let all = |role: &dyn Fn(&Node) -> Option<Option<Role>>| {
            !nodes.is_empty() && nodes.iter().all(|node| role(node).flatten().is_some())
        };
        if written {
            Self::Own
        } else if all(&first) {
            Self::FieldGroups
        } else if all(&last) {
            Self::UtteranceGroups
        } else {
            Self::Datasets
        }
    }

    /// Describes the layout, if it was concluded from names.
    pub(crate) fn describe(self) -> Option<&'static str> {
        match self {
            Self::Own | Self::Datasets | Self::Together => None,
            Self::FieldGroups => Some("a group for each field, as all groups are called like one"),
            Self::UtteranceGroups => {
                Some("a group for each utterance, as all datasets are called like a field")
            }
        }
    }

    /// Splits a path into key and role.
    fn parse(self, path: &str) -> (String, Role) {
        match (self, path.split_once('/'), path.rsplit_once('/')) {
            (Self::Own, ..) => names::parse(path),
            (Self::FieldGroups, Some((group, key)), _) => {
                (key.to_owned(), Role::of(group).unwrap_or(Role::Plain))
            }
            (Self::UtteranceGroups, _, Some((key, name))) => {
                (key.to_owned(), Role::of(name).unwrap_or(Role::Plain))
            }
            _ => (path.to_owned(), Role::Plain),
        }
    }

    /// Returns the utterances in the order of their first datasets.
    pub(crate) fn entries(self, nodes: &[Node]) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut places: HashMap<Key, usize> = HashMap::new();
        for (node, Node { path, .. }) in nodes.iter().enumerate() {
            let (key, role) = self.parse(path);
            let key = Key::from(&*key);
            let part = Part {
                role,
                node,
                rows: Rows::All,
            };
            match places.get(&key) {
                Some(at) => entries[*at].parts.push(part),
                None => {
                    places.insert(key.clone(), entries.len());
                    let parts = vec![part];
                    entries.push(Entry { key, parts });
                }
            }
        }
        for entry in &mut entries {
            entry.parts.sort_by_key(|part| part.role);
        }
        entries
    }
}
