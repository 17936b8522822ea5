//! The messages of object headers.
//!
//! Source: the HDF5 File Format Specification, version 3, section IV.A. All numbers are
//! little-endian, addresses and lengths have 8 bytes.

use spr_core::model::Dtype;

/// The size that messages and names are filled up to a multiple of.
pub(super) const ALIGNED: usize = 8;
/// An address that is none.
pub(super) const UNDEFINED: u64 = u64::MAX;
/// The longest message in bytes.
pub(super) const LONGEST: usize = u16::MAX as usize - ALIGNED;

const DATASPACE: u16 = 0x0001;
const DATATYPE: u16 = 0x0003;
const FILL_VALUE: u16 = 0x0005;
const LAYOUT: u16 = 0x0008;
const ATTRIBUTE: u16 = 0x000c;
const SYMBOL_TABLE: u16 = 0x0011;
/// The flag of a message that never changes.
const CONSTANT: u8 = 1;

/// The messages of one object header.
#[derive(Default)]
pub(super) struct Messages {
    bytes: Vec<u8>,
    count: u16,
}

/// Fills up with zeros.
pub(super) fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGNED), 0);
}

fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    pad(&mut bytes);
    bytes
}

fn small(n: usize) -> [u8; 2] {
    u16::try_from(n).unwrap_or(u16::MAX).to_le_bytes()
}

impl Messages {
    fn put(&mut self, sort: u16, flags: u8, body: &[u8]) {
        let body = padded(body);
        self.bytes.extend(sort.to_le_bytes());
        self.bytes.extend(small(body.len()));
        self.bytes.extend([flags, 0, 0, 0]);
        self.bytes.extend(body);
        self.count += 1;
    }

    /// Returns the object header.
    pub(super) fn header(&self) -> Vec<u8> {
        let len = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        let mut header = vec![1, 0];
        header.extend(self.count.to_le_bytes());
        header.extend(1u32.to_le_bytes());
        header.extend(len.to_le_bytes());
        pad(&mut header);
        header.extend(&self.bytes);
        header
    }

    /// Returns the length of the object header.
    pub(super) fn len(&self) -> usize {
        2 * ALIGNED + self.bytes.len()
    }

    /// Adds shape, type, and the place of elements that are stored one after the other.
    pub(super) fn dataset(&mut self, shape: &[usize], datatype: &[u8]) -> Place {
        self.put(DATASPACE, 0, &dataspace(shape));
        self.put(DATATYPE, CONSTANT, datatype);
        // Version 2, late allocation, written if set, and defined as zeros.
        self.put(FILL_VALUE, CONSTANT, &[2, 2, 2, 1, 0, 0, 0, 0]);
        let mut layout = vec![3, 1];
        layout.extend(UNDEFINED.to_le_bytes());
        layout.extend(0u64.to_le_bytes());
        self.put(LAYOUT, 0, &layout);
        Place(self.bytes.len() - padded(&layout).len() + 2)
    }

    /// Sets the place of the elements.
    pub(super) fn set(&mut self, place: &Place, address: u64, len: u64) {
        let words = address.to_le_bytes().into_iter().chain(len.to_le_bytes());
        for (byte, new) in self.bytes.iter_mut().skip(place.0).zip(words) {
            *byte = new;
        }
    }

    /// Adds an attribute with one value. `false` if it is too long.
    pub(super) fn attribute(&mut self, name: &str, datatype: &[u8], value: &[u8]) -> bool {
        let mut named = name.as_bytes().to_vec();
        named.push(0);
        let space = dataspace(&[]);
        let mut body = vec![1, 0];
        body.extend(small(named.len()));
        body.extend(small(datatype.len()));
        body.extend(small(space.len()));
        for part in [&named[..], datatype, &space] {
            body.extend(padded(part));
        }
        body.extend(value);
        let fits = body.len() <= LONGEST;
        if fits {
            self.put(ATTRIBUTE, 0, &body);
        }
        fits
    }

    /// Adds a text as an attribute. `false` if it is too long.
    pub(super) fn text(&mut self, name: &str, text: &[u8]) -> bool {
        let len = text.len().max(1);
        let mut value = text.to_vec();
        value.resize(len, 0);
        len <= LONGEST && self.attribute(name, &string(len), &value)
    }

    /// Adds the places of the links of a group.
    pub(super) fn group(&mut self, tree: u64, heap: u64) {
        let mut body = tree.to_le_bytes().to_vec();
        body.extend(heap.to_le_bytes());
        self.put(SYMBOL_TABLE, 0, &body);
    }
}

/// Where the place of the elements is in the messages.
pub(super) struct Place(usize);

fn dataspace(shape: &[usize]) -> Vec<u8> {
    let mut bytes = vec![
        1,
        u8::try_from(shape.len()).unwrap_or(u8::MAX),
        0,
        0,
        0,
        0,
        0,
        0,
    ];
    for size in shape {
        bytes.extend((*size as u64).to_le_bytes());
    }
    bytes
}

/// Returns the type of UTF-8 texts of `len` bytes, filled up with zeros.
pub(super) fn string(len: usize) -> Vec<u8> {
    let mut bytes = vec![0x13, 0x11, 0, 0];
    bytes.extend(u32::try_from(len).unwrap_or(u32::MAX).to_le_bytes());
    bytes
}

/// Returns the type of little-endian numbers. `None` if HDF5 has none that other programs know.
pub(super) fn number(dtype: Dtype) -> Option<Vec<u8>> {
    let size = dtype.size();
    let bits = small(8 * size);
    let width = [u8::try_from(size).unwrap_or(0), 0, 0, 0];
    let integer = |signed: bool| {
        let sign = if signed { 0x08 } else { 0 };
        [&[0x10, sign, 0, 0][..], &width, &[0, 0], &bits].concat()
    };
    // The places and sizes of exponent and mantissa, the sign, and the bias.
    let float = |fields: [u8; 4], bias: u32| {
        let sign = u8::try_from(8 * size - 1).unwrap_or(0);
        let start = [0x11, 0x20, sign, 0];
        let bias = bias.to_le_bytes();
        [&start[..], &width, &[0, 0], &bits, &fields, &bias].concat()
    };
    Some(match dtype {
        Dtype::F16 => float([10, 5, 0, 10], 15),
        Dtype::F32 => float([23, 8, 0, 23], 127),
        Dtype::F64 => float([52, 11, 0, 52], 1023),
        Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::I64 => integer(true),
        Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64 => integer(false),
        // As h5py has them: an enumeration over signed bytes.
        Dtype::Bool => {
            let names = [&b"FALSE\0\0\0"[..], b"TRUE\0\0\0\0"].concat();
            let start = [0x18, 2, 0, 0, 1, 0, 0, 0];
            [&start[..], &number(Dtype::I8)?, &names, &[0, 1]].concat()
        }
        _ => return None,
    })
}
