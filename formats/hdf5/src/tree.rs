//! The datasets of a file by their paths.

use std::collections::{HashMap, HashSet};

use hdf5_reader::messages::HdfMessage;
use hdf5_reader::messages::link::LinkTarget;
use hdf5_reader::object_header::ObjectHeader;
use hdf5_reader::{Hdf5File, error};
use spr_core::bytes::{Env, MemoryCounter};
use spr_core::{Error, Result};

use crate::links::{Link, Sizes, links};
use crate::storage::{MAX_HEADER, Shared};

/// The number of soft links that may be followed to one dataset.
const MOST_LINKS: usize = 64;

/// A dataset at an address, or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The address of the object header, and the path without links if that is another.
    Dataset(u64, Option<Box<str>>),
    /// A link that is not followed, in words after its name.
    Unreadable(Box<str>),
}

/// A named dataset.
pub(crate) struct Node {
    /// The path without the first slash.
    pub(crate) path: Box<str>,
    pub(crate) target: Target,
}

impl Node {
    /// Returns the address of its header, by which datasets of our writer are in order.
    pub(crate) fn address(&self) -> u64 {
        match self.target {
            Target::Dataset(address, _) => address,
            Target::Unreadable(_) => u64::MAX,
        }
    }
}

/// Reads the object header at an address, which is not kept.
///
/// # Errors
/// It is damaged.
pub(crate) fn header(file: &Hdf5File, address: u64) -> error::Result<ObjectHeader> {
    let sizes = sizes(file);
    ObjectHeader::parse_at_storage_with_limit(
        file.storage(),
        address,
        sizes.offset,
        sizes.length,
        MAX_HEADER,
    )
}

fn sizes(file: &Hdf5File) -> Sizes {
    let superblock = file.superblock();
    Sizes {
        offset: superblock.offset_size,
        length: superblock.length_size,
    }
}

fn join(group: &str, name: &str) -> String {
    match group {
        "" => name.to_owned(),
        _ => format!("{group}/{name}"),
    }
}

/// A walk through all groups.
struct Walk<'a> {
    file: &'a Hdf5File,
    shared: &'a Shared,
    env: &'a Env,
    held: MemoryCounter,
    /// The groups by address, with their paths.
    groups: HashMap<u64, String>,
    waiting: Vec<u64>,
    nodes: Vec<Node>,
    /// Soft links: the path, the group, and what is written.
    soft: Vec<(String, String, String)>,
}

/// Returns the datasets of a file, sorted by path, and the addresses of its groups by path.
///
/// # Errors
/// A group is damaged, or there are too many names.
pub(crate) fn datasets(
    file: &Hdf5File,
    shared: &Shared,
    env: &Env,
) -> Result<(Vec<Node>, HashMap<String, u64>)> {
    let root = shared.call(|| file.superblock().root_object_header_address())?;
    let mut walk = Walk {
        file,
        shared,
        env,
        held: MemoryCounter::new("the names of datasets"),
        groups: HashMap::from([(root, String::new())]),
        waiting: vec![root],
        nodes: Vec::new(),
        soft: Vec::new(),
    };
    while let Some(address) = walk.waiting.pop() {
        let header = shared.call(|| header(file, address))?;
        let found = shared.call(|| links(file.storage(), &header, sizes(file)))?;
        let path = walk.groups.get(&address).cloned().unwrap_or_default();
        let Some(found) = found else {
            let message = format!("the group '{path}' is damaged");
            return Err(Error::malformed(message).file(shared.name()));
        };
        for link in found {
            walk.add(&path, link)?;
        }
    }
    walk.follow()?;
    let mut nodes = walk.nodes;
    nodes.sort_by(|a, b| a.path.cmp(&b.path));
    let groups = walk.groups.into_iter();
    let groups = groups.map(|(address, path)| (path, address)).collect();
    Ok((nodes, groups))
}

impl Walk<'_> {
    fn keep(&mut self, path: &str) -> Result<()> {
        let kept = self
            .held
            .keep(size_of::<Node>() + path.len(), &self.env.limits);
        kept.map_err(|e| e.file(self.shared.name()))
    }

    fn add(&mut self, group: &str, link: Link) -> Result<()> {
        let path = join(group, &link.name);
        self.keep(&path)?;
        match link.target {
            LinkTarget::Hard { address } => self.object(path, address),
            LinkTarget::Soft { path: to } => {
                self.keep(&to)?;
                self.soft.push((path, group.to_owned(), to));
                Ok(())
            }
            LinkTarget::External { filename, .. } => {
                let why = format!(
                    "is a link to another file, '{}', which is not followed",
                    filename.escape_debug()
                );
                self.put(path, Target::Unreadable(why.into()));
                Ok(())
            }
        }
    }

    fn put(&mut self, path: String, target: Target) {
        let path = path.into();
        self.nodes.push(Node { path, target });
    }

    /// Adds the dataset or the group at an address.
    fn object(&mut self, path: String, address: u64) -> Result<()> {
        if let Some(first) = self.groups.get(&address) {
            self.warn_of_group(&path, &first.clone());
            return Ok(());
        }
        let header = match self.shared.call(|| header(self.file, address)) {
            Ok(header) => header,
            Err(error) => {
                let why = format!("is damaged: {}", error.message());
                self.put(path, Target::Unreadable(why.into()));
                return Ok(());
            }
        };
        let has = |is: fn(&HdfMessage) -> bool| header.messages.iter().any(is);
        if has(|m| matches!(m, HdfMessage::DataLayout(_))) {
            self.put(path, Target::Dataset(address, None));
        } else if has(|m| {
            matches!(
                m,
                HdfMessage::SymbolTable(_)
                    | HdfMessage::LinkInfo(_)
                    | HdfMessage::GroupInfo(_)
                    | HdfMessage::Link(_)
            )
        }) {
            self.keep(&path)?;
            self.groups.insert(address, path);
            self.waiting.push(address);
        } else if !has(|m| matches!(m, HdfMessage::Datatype(_))) {
            let why = "is damaged: neither a dataset, a group nor a type";
            self.put(path, Target::Unreadable(why.into()));
        }
        Ok(())
    }

    fn warn_of_group(&self, path: &str, first: &str) {
        let message = format!(
            "the group '{}' is '/{}' by another name, and is read once",
            path.escape_debug(),
            first.escape_debug()
        );
        self.env
            .warn(&Error::unfit(message).file(self.shared.name()));
    }

    /// Adds what soft links lead to.
    fn follow(&mut self) -> Result<()> {
        if self.soft.is_empty() {
            return Ok(());
        }
        let soft = std::mem::take(&mut self.soft);
        let written: HashMap<&str, (&str, &str)> = soft
            .iter()
            .map(|(path, group, to)| (&**path, (&**group, &**to)))
            .collect();
        let mut found = Vec::new();
        {
            let groups: HashSet<&String> = self.groups.values().collect();
            let datasets: HashMap<&str, &Target> = self
                .nodes
                .iter()
                .map(|node| (&*node.path, &node.target))
                .collect();
            for (_, group, to) in &soft {
                let real = resolve(group, to, &written, &mut { MOST_LINKS });
                let target = real.as_deref().and_then(|real| datasets.get(real));
                let target = target.map(|target| (*target).clone());
                let is_group = real.as_ref().is_some_and(|real| groups.contains(real));
                found.push((real.unwrap_or_default(), is_group, target));
            }
        }
        for ((real, is_group, target), (path, _, to)) in found.into_iter().zip(&soft) {
            let target = match target {
                Some(Target::Dataset(address, _)) => {
                    self.keep(&real)?;
                    Target::Dataset(address, Some(real.into()))
                }
                Some(other) => other,
                None if is_group => {
                    self.warn_of_group(path, &real);
                    continue;
                }
                None => {
                    let why = format!("is a link that leads nowhere, to '{}'", to.escape_debug());
                    Target::Unreadable(why.into())
                }
            };
            self.put(path.clone(), target);
        }
        Ok(())
    }
}

/// Returns the path without soft links that `to`, written in `group`, stands for. `None` after too
/// many links, of which `left` may be followed.
fn resolve(
    group: &str,
    to: &str,
    soft: &HashMap<&str, (&str, &str)>,
    left: &mut usize,
) -> Option<String> {
    *left = left.checked_sub(1)?;
    let mut path = match to.starts_with('/') {
        true => String::new(),
        false => group.to_owned(),
    };
    for name in to
        .split('/')
        .filter(|name| !name.is_empty() && *name != ".")
    {
        path = join(&path, name);
        if let Some((group, to)) = soft.get(&*path) {
            path = resolve(group, to, soft, left)?;
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_end_however_they_lead_to_each_other() {
        // Each leads through the next, ten times: 10^20 steps in all.
        let names: Vec<_> = (0..20).map(|n| format!("x/a{n}")).collect();
        let next = |n: usize| format!("/x{}", format!("/a{}", n + 1).repeat(10));
        let to: Vec<_> = (0..20)
            .map(|n| if n == 19 { "/x".to_owned() } else { next(n) })
            .collect();
        let pairs = names.iter().zip(&to);
        let soft: HashMap<_, _> = pairs.map(|(name, to)| (&**name, ("x", &**to))).collect();
        let found = |to: &str| resolve("x", to, &soft, &mut { MOST_LINKS });
        assert_eq!(found("a0"), None);
        assert_eq!(found("a18/y").as_deref(), Some("x/y"));
        assert_eq!(found("/z/./y").as_deref(), Some("z/y"));
    }
}
