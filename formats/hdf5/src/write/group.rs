//! Groups: the names of their members, sorted, in a tree.
//!
//! Source: the HDF5 File Format Specification, version 3, sections III.A.1, III.B and III.D.

use spr_core::Result;
use spr_core::bytes::Sink;

use super::message::{Messages, UNDEFINED, pad};

/// Half of the members of a leaf, and of the children of a node: those that HDF5 chooses itself.
pub(super) const LEAF: u16 = 4;
pub(super) const NODE: u16 = 16;
/// The bytes of an entry in a leaf.
const ENTRY: usize = 40;

/// A member of a group.
pub(super) struct Member {
    pub(super) name: Box<str>,
    /// The address of its object header.
    pub(super) address: u64,
    /// The addresses of tree and names, if it is a group.
    pub(super) group: Option<(u64, u64)>,
}

/// A child of a node: its address, and the place of its last name.
struct Child {
    address: u64,
    last: u64,
}

/// Puts the entry of a member with its name at `name`.
pub(super) fn put_entry(bytes: &mut Vec<u8>, name: u64, member: &Member) {
    bytes.extend(name.to_le_bytes());
    bytes.extend(member.address.to_le_bytes());
    let (tree, heap) = member.group.unwrap_or_default();
    bytes.extend(u32::from(member.group.is_some()).to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(tree.to_le_bytes());
    bytes.extend(heap.to_le_bytes());
}

/// Writes a group with these members, and returns it as a member of another. Its attributes are in
/// `messages`.
///
/// # Errors
/// Those of the sink.
pub(super) fn write(
    sink: &mut Sink,
    name: &str,
    mut members: Vec<Member>,
    mut messages: Messages,
) -> Result<Member> {
    members.sort_by(|a, b| a.name.cmp(&b.name));
    let heap = names(sink, &members)?;
    let mut children = leaves(sink, &members)?;
    let mut level = 0;
    let tree = loop {
        let at = sink.position();
        let nodes = nodes(sink, &children, level)?;
        if nodes.len() <= 1 {
            break at;
        }
        (children, level) = (nodes, level + 1);
    };
    messages.group(tree, heap);
    let address = sink.position();
    sink.put(&messages.header())?;
    Ok(Member {
        name: name.into(),
        address,
        group: Some((tree, heap)),
    })
}

/// Returns the place of each name, after an empty one.
fn places(members: &[Member]) -> impl Iterator<Item = u64> {
    let mut next = 8;
    members.iter().map(move |member| {
        let at = next;
        next += (member.name.len() as u64 + 1).next_multiple_of(8);
        at
    })
}

/// Writes the names, and returns their address.
fn names(sink: &mut Sink, members: &[Member]) -> Result<u64> {
    let sizes = members
        .iter()
        .map(|m| (m.name.len() as u64 + 1).next_multiple_of(8));
    let len = 8 + sizes.sum::<u64>();
    let at = sink.position();
    let mut bytes = b"HEAP\0\0\0\0".to_vec();
    bytes.extend(len.to_le_bytes());
    // No free space.
    bytes.extend(1u64.to_le_bytes());
    bytes.extend((at + 32).to_le_bytes());
    bytes.extend([0; 8]);
    sink.put(&bytes)?;
    for member in members {
        let mut name = member.name.as_bytes().to_vec();
        name.push(0);
        pad(&mut name);
        sink.put(&name)?;
    }
    Ok(at)
}

/// Writes the leaves.
fn leaves(sink: &mut Sink, members: &[Member]) -> Result<Vec<Child>> {
    let most = 2 * usize::from(LEAF);
    let places: Vec<u64> = places(members).collect();
    let mut children = Vec::new();
    for (members, places) in members.chunks(most).zip(places.chunks(most)) {
        let address = sink.position();
        let count = u16::try_from(members.len()).unwrap_or(u16::MAX);
        let mut bytes = b"SNOD\x01\0".to_vec();
        bytes.extend(count.to_le_bytes());
        for (member, place) in members.iter().zip(places) {
            put_entry(&mut bytes, *place, member);
        }
        bytes.resize(8 + most * ENTRY, 0);
        sink.put(&bytes)?;
        let last = places.last().copied().unwrap_or_default();
        children.push(Child { address, last });
    }
    Ok(children)
}

/// Writes the nodes over `children`: at least one.
fn nodes(sink: &mut Sink, children: &[Child], level: u8) -> Result<Vec<Child>> {
    let most = 2 * usize::from(NODE);
    let size = 24 + 16 * most + 8;
    let count = children.len().div_ceil(most).max(1);
    let start = sink.position();
    let place = |n: usize| start + (n * size) as u64;
    let mut written = Vec::new();
    let mut first = 0u64;
    for n in 0..count {
        let from = (n * most).min(children.len());
        let own = &children[from..children.len().min(from + most)];
        let mut bytes = b"TREE\0".to_vec();
        bytes.push(level);
        bytes.extend(u16::try_from(own.len()).unwrap_or(u16::MAX).to_le_bytes());
        let left = n.checked_sub(1).map_or(UNDEFINED, place);
        let right = if n + 1 < count {
            place(n + 1)
        } else {
            UNDEFINED
        };
        bytes.extend(left.to_le_bytes());
        bytes.extend(right.to_le_bytes());
        bytes.extend(first.to_le_bytes());
        for child in own {
            bytes.extend(child.address.to_le_bytes());
            bytes.extend(child.last.to_le_bytes());
        }
        bytes.resize(size, 0);
        sink.put(&bytes)?;
        first = own.last().map_or(first, |child| child.last);
        written.push(Child {
            address: place(n),
            last: first,
        });
    }
    Ok(written)
}
