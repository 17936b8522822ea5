//! Groups of the first version: names in a local heap, and a B-tree over tables of links.

use spr_core::Result;
use spr_core::bytes::{ByteOrder, PutNumber, Sink};

use super::batch::align;
use super::index::{Group, Member};
use super::message::{Header, UNDEFINED, pad};

/// Half the number of links in a table.
pub(super) const LEAF: u16 = 4;
/// Half the number of children of an inner node.
pub(super) const INNER: u16 = 16;
const LINKS: usize = 2 * LEAF as usize;
const CHILDREN: usize = 2 * INNER as usize;
/// The size of a link in a table in bytes.
const LINK: usize = 40;
/// The size of a table in bytes.
const TABLE: usize = 8 + LINKS * LINK;
/// The size of a node of the tree in bytes.
const NODE: usize = 24 + (2 * CHILDREN + 1) * 8;
/// The end of the list of free blocks in a heap.
const NO_BLOCK: u64 = 1;
const LITTLE: ByteOrder = ByteOrder::Little;

/// Writes a group, and returns the address of its header, its tree and its names.
///
/// # Errors
/// The sink fails.
pub(super) fn write(
    group: &Group,
    addresses: &[u64],
    header: Header,
    sink: &mut Sink,
) -> Result<[u64; 3]> {
    let mut links = Vec::with_capacity(group.0.len());
    // The first name is empty.
    let mut names = vec![0; 8];
    for (name, member) in &group.0 {
        let address = match member {
            Member::Dataset(number) => addresses.get(*number).copied().unwrap_or(UNDEFINED),
            Member::Group(inner) => write(inner, addresses, Header::default(), sink)?[0],
        };
        links.push((names.len() as u64, address));
        names.extend_from_slice(name.as_bytes());
        names.push(0);
        pad(&mut names);
    }
    align(sink)?;
    let heap = sink.position();
    let mut head = b"HEAP\0\0\0\0".to_vec();
    head.put_u64(names.len() as u64, LITTLE);
    head.put_u64(NO_BLOCK, LITTLE);
    head.put_u64(heap + 32, LITTLE);
    sink.put(&head)?;
    sink.put(&names)?;
    drop(names);
    let tree = tree(&links, sink)?;
    let mut header = header;
    header.group(tree, heap)?;
    let at = sink.position();
    sink.put(&header.into_bytes()?)?;
    Ok([at, tree, heap])
}

/// Writes the tables of links and the tree over them, and returns the address of the root.
fn tree(links: &[(u64, u64)], sink: &mut Sink) -> Result<u64> {
    // The last name of each node of a level, and its address.
    let mut level = Vec::new();
    for links in links.chunks(LINKS) {
        let last = links.last().map_or(0, |(name, _)| *name);
        level.push((last, sink.position()));
        let mut table = b"SNOD\x01\0".to_vec();
        table.put_u16(u16::try_from(links.len()).unwrap_or_default(), LITTLE);
        for (name, address) in links {
            table.put_u64(*name, LITTLE);
            table.put_u64(*address, LITTLE);
            table.resize(table.len() + LINK - 16, 0);
        }
        table.resize(TABLE, 0);
        sink.put(&table)?;
    }
    let mut height = 0;
    loop {
        level = nodes(&level, height, sink)?;
        match *level {
            [(_, root)] => return Ok(root),
            _ => height += 1,
        }
    }
}

/// Writes the nodes over the nodes `below`. Without any it is a single node.
fn nodes(below: &[(u64, u64)], height: u8, sink: &mut Sink) -> Result<Vec<(u64, u64)>> {
    let start = sink.position();
    let count = below.len().div_ceil(CHILDREN).max(1);
    let address = |n: usize| start + (n * NODE) as u64;
    let mut level = Vec::with_capacity(count);
    let mut before = 0;
    for n in 0..count {
        let children = below.chunks(CHILDREN).nth(n).unwrap_or_default();
        let mut node = b"TREE\0".to_vec();
        node.push(height);
        node.put_u16(u16::try_from(children.len()).unwrap_or_default(), LITTLE);
        node.put_u64(n.checked_sub(1).map_or(UNDEFINED, address), LITTLE);
        let next = if n + 1 < count {
            address(n + 1)
        } else {
            UNDEFINED
        };
        node.put_u64(next, LITTLE);
        node.put_u64(before, LITTLE);
        for (last, child) in children {
            node.put_u64(*child, LITTLE);
            node.put_u64(*last, LITTLE);
            before = *last;
        }
        node.resize(NODE, 0);
        level.push((before, address(n)));
        sink.put(&node)?;
    }
    Ok(level)
}
