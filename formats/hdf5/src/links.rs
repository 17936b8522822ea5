//! The links of a group, with those that lead nowhere or to other files.

use hdf5_reader::btree_v1::collect_btree_v1_leaves_storage;
use hdf5_reader::btree_v2::{BTreeV2Header, BTreeV2Record, collect_btree_v2_records_storage};
use hdf5_reader::error::{Error, Result};
use hdf5_reader::fractal_heap::{FractalHeap, FractalHeapDirectBlockCache};
use hdf5_reader::io::Cursor;
use hdf5_reader::local_heap::LocalHeap;
use hdf5_reader::messages::HdfMessage;
use hdf5_reader::messages::link::{self, LinkTarget};
use hdf5_reader::messages::link_info::LinkInfoMessage;
use hdf5_reader::messages::symbol_table_msg::SymbolTableMessage;
use hdf5_reader::object_header::ObjectHeader;
use hdf5_reader::storage::Storage;
use hdf5_reader::symbol_table::SymbolTableNode;

/// The cache type of an entry that is a soft link.
const SOFT: u32 = 2;
/// The bytes of an entry in a symbol table besides its two addresses.
const ENTRY: usize = 4 + 4 + 16;

/// The sizes of addresses and lengths in a file.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) offset: u8,
    pub(crate) length: u8,
}

/// A link with its name.
pub(crate) struct Link {
    pub(crate) name: String,
    pub(crate) target: LinkTarget,
}

/// Returns the links of a group with this header, in any order. `None` if it is no group.
///
/// # Errors
/// The group is damaged.
pub(crate) fn links(
    storage: &dyn Storage,
    header: &ObjectHeader,
    sizes: Sizes,
) -> Result<Option<Vec<Link>>> {
    let mut is_group = false;
    let mut links = Vec::new();
    for message in &header.messages {
        match message {
            HdfMessage::SymbolTable(table) => {
                is_group = true;
                symbols(storage, table, sizes, &mut links)?;
            }
            HdfMessage::Link(link) => {
                is_group = true;
                links.push(Link {
                    name: link.name.clone(),
                    target: link.target.clone(),
                });
            }
            HdfMessage::LinkInfo(info) => {
                is_group = true;
                if !Cursor::is_undefined_offset(info.fractal_heap_address, sizes.offset) {
                    dense(storage, info, sizes, &mut links)?;
                }
            }
            HdfMessage::GroupInfo(_) => is_group = true,
            _ => {}
        }
    }
    Ok(is_group.then_some(links))
}

/// Adds the links of a group in the form of the first versions.
fn symbols(
    storage: &dyn Storage,
    table: &SymbolTableMessage,
    sizes: Sizes,
    links: &mut Vec<Link>,
) -> Result<()> {
    let heap =
        LocalHeap::parse_at_storage(storage, table.heap_address, sizes.offset, sizes.length)?;
    let len = usize::try_from(heap.data_segment_size)
        .map_err(|_| Error::InvalidData("the names of a group are too long".into()))?;
    let names = storage.read_range(heap.data_segment_address, len)?;
    let (tree, none) = (table.btree_address, &[][..]);
    let (offset, length) = (sizes.offset, sizes.length);
    let leaves = collect_btree_v1_leaves_storage(storage, tree, offset, length, None, none, None)?;
    for (_, address) in leaves {
        let prefix = storage.read_range(address, 8)?;
        let count = match *prefix {
            [b'S', b'N', b'O', b'D', 1, _, low, high] => u16::from_le_bytes([low, high]),
            _ => return Err(Error::InvalidSymbolTableNodeSignature),
        };
        let entry = 2 * usize::from(sizes.offset) + ENTRY;
        let bytes = storage.read_range(address, 8 + usize::from(count) * entry)?;
        let node = SymbolTableNode::parse(&mut Cursor::new(&bytes), sizes.offset, sizes.length)?;
        for entry in node.entries {
            let target = match entry.cache_type {
                SOFT => {
                    let [a, b, c, d, ..] = entry.scratch;
                    let path = text(&names, u64::from(u32::from_le_bytes([a, b, c, d])))?;
                    LinkTarget::Soft { path }
                }
                _ => LinkTarget::Hard {
                    address: entry.object_header_address,
                },
            };
            let name = text(&names, entry.link_name_offset)?;
            links.push(Link { name, target });
        }
    }
    Ok(())
}

/// Returns the text that starts at `at` in the names of a group, up to a zero byte.
fn text(names: &[u8], at: u64) -> Result<String> {
    let out = || Error::InvalidData("a name of a group is outside its names".into());
    let from = usize::try_from(at).ok().and_then(|at| names.get(at..));
    let from = from.ok_or_else(out)?;
    let len = from.iter().position(|byte| *byte == 0).ok_or_else(out)?;
    let text = std::str::from_utf8(&from[..len]);
    let not_text = |_| Error::InvalidData("a name in a group is not UTF-8".into());
    text.map(str::to_owned).map_err(not_text)
}

/// Adds the links that stand in a heap of their own.
fn dense(
    storage: &dyn Storage,
    info: &LinkInfoMessage,
    sizes: Sizes,
    links: &mut Vec<Link>,
) -> Result<()> {
    let (offset, length) = (sizes.offset, sizes.length);
    let heap = FractalHeap::parse_at_storage(storage, info.fractal_heap_address, offset, length)?;
    let at = info.btree_name_index_address;
    let tree = BTreeV2Header::parse_at_storage(storage, at, offset, length)?;
    let records =
        collect_btree_v2_records_storage(storage, &tree, offset, length, None, &[], None)?;
    let mut cache = FractalHeapDirectBlockCache::default();
    for record in &records {
        let BTreeV2Record::LinkNameHash { heap_id, .. } = record else {
            continue;
        };
        let bytes = heap.get_object_storage_cached(heap_id, storage, offset, length, &mut cache)?;
        let found = link::parse(&mut Cursor::new(&bytes), offset, length, bytes.len())?;
        links.push(Link {
            name: found.name,
            target: found.target,
        });
    }
    Ok(())
}
