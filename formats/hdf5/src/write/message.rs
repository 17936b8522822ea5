//! Object headers of version 1, with the messages that describe a dataset or a group.

use spr_core::bytes::{ByteOrder, PutNumber};
use spr_core::model::Dtype;
use spr_core::{Error, Result};

/// The alignment of headers, messages and names in bytes.
pub(super) const ALIGNED: usize = 8;
/// The address of what is not stored.
pub(super) const UNDEFINED: u64 = u64::MAX;
const LITTLE: ByteOrder = ByteOrder::Little;

/// The types of messages.
#[derive(Clone, Copy)]
enum Kind {
    Dataspace = 0x1,
    Datatype = 0x3,
    FillValue = 0x5,
    Layout = 0x8,
    Attribute = 0xc,
    SymbolTable = 0x11,
}

/// The message flag of what never changes.
const CONSTANT: u8 = 1;
/// A fill value that is the default one, allocated late and written if set.
const FILL_VALUE: [u8; 8] = [2, 2, 2, 1, 0, 0, 0, 0];
/// The dataspace of a single value.
const SCALAR: [u8; 8] = [1, 0, 0, 0, 0, 0, 0, 0];
/// The type of text of any length in UTF-8: the size of a reference, and that of its bytes.
const ANY_TEXT: [u8; 20] = [
    0x19, 1, 1, 0, 16, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0,
];

/// The value of an attribute.
pub(super) enum Value {
    /// A number or a truth value, with its bytes.
    Number(Dtype, Vec<u8>),
    /// Text with its length and the index of its object in a global heap. Index 0 is empty text.
    Text(u32, u16),
}

/// An object header.
#[derive(Default)]
pub(super) struct Header {
    messages: Vec<u8>,
    count: u16,
}

/// Fills up with zeros to a multiple of the alignment.
pub(super) fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGNED), 0);
}

fn size(n: usize) -> Result<u16> {
    let too_long = |_| Error::unfit("its names or dimensions are too long for a header of HDF5");
    u16::try_from(n).map_err(too_long)
}

impl Value {
    pub(super) fn float(number: f64) -> Self {
        Self::Number(Dtype::F64, number.to_le_bytes().to_vec())
    }

    /// Makes the value of an integer of at most 64 bits.
    ///
    /// # Errors
    /// It has more.
    pub(super) fn integer(number: i128) -> Result<Self> {
        let too_large = |_| Error::unfit(format!("{number} has more than 64 bits"));
        match i64::try_from(number) {
            Ok(number) => Ok(Self::Number(Dtype::I64, number.to_le_bytes().to_vec())),
            Err(_) => {
                let number = u64::try_from(number).map_err(too_large)?;
                Ok(Self::Number(Dtype::U64, number.to_le_bytes().to_vec()))
            }
        }
    }
}

impl Header {
    fn add(&mut self, kind: Kind, flags: u8, mut body: Vec<u8>) -> Result<()> {
        pad(&mut body);
        self.messages.put_u16(kind as u16, LITTLE);
        self.messages.put_u16(size(body.len())?, LITTLE);
        self.messages.extend([flags, 0, 0, 0]);
        self.messages.append(&mut body);
        self.count += 1;
        Ok(())
    }

    /// Adds the messages of a dataset with `bytes` at an address.
    ///
    /// # Errors
    /// It has too many dimensions.
    pub(super) fn dataset(
        &mut self,
        shape: &[u64],
        datatype: &[u8],
        at: u64,
        bytes: u64,
    ) -> Result<()> {
        let mut space = SCALAR.to_vec();
        space[1] =
            u8::try_from(shape.len()).map_err(|_| Error::unfit("has too many dimensions"))?;
        for n in shape {
            space.put_u64(*n, LITTLE);
        }
        let mut layout = vec![3, 1];
        layout.put_u64(at, LITTLE);
        layout.put_u64(bytes, LITTLE);
        self.add(Kind::Dataspace, 0, space)?;
        self.add(Kind::Datatype, CONSTANT, datatype.to_vec())?;
        self.add(Kind::FillValue, CONSTANT, FILL_VALUE.to_vec())?;
        self.add(Kind::Layout, 0, layout)
    }

    /// Adds the message of a group with its tree and its names at these addresses.
    ///
    /// # Errors
    /// None.
    pub(super) fn group(&mut self, tree: u64, names: u64) -> Result<()> {
        let mut body = Vec::new();
        body.put_u64(tree, LITTLE);
        body.put_u64(names, LITTLE);
        self.add(Kind::SymbolTable, 0, body)
    }

    /// Adds an attribute, whose text is in the global heap at the address `heap`.
    ///
    /// # Errors
    /// The name is too long.
    pub(super) fn attribute(&mut self, name: &str, value: &Value, heap: u64) -> Result<()> {
        let mut data = Vec::new();
        let datatype = match value {
            Value::Number(dtype, bytes) => {
                data.extend_from_slice(bytes);
                number_type(*dtype)?
            }
            Value::Text(len, index) => {
                data.put_u32(*len, LITTLE);
                data.put_u64(if *index == 0 { 0 } else { heap }, LITTLE);
                data.put_u32(u32::from(*index), LITTLE);
                ANY_TEXT.to_vec()
            }
        };
        let mut body = vec![1, 0];
        body.put_u16(size(name.len() + 1)?, LITTLE);
        body.put_u16(size(datatype.len())?, LITTLE);
        body.put_u16(size(SCALAR.len())?, LITTLE);
        body.extend_from_slice(name.as_bytes());
        body.push(0);
        pad(&mut body);
        body.extend(datatype);
        pad(&mut body);
        body.extend(SCALAR);
        body.append(&mut data);
        self.add(Kind::Attribute, 0, body)
    }

    /// Returns the bytes of the header.
    ///
    /// # Errors
    /// It is longer than 4 GB.
    pub(super) fn into_bytes(self) -> Result<Vec<u8>> {
        let too_long = |_| Error::unfit("its attributes are too long for a header of HDF5");
        let len = u32::try_from(self.messages.len()).map_err(too_long)?;
        let mut bytes = vec![1, 0];
        bytes.put_u16(self.count, LITTLE);
        bytes.put_u32(1, LITTLE);
        bytes.put_u32(len, LITTLE);
        pad(&mut bytes);
        bytes.extend(self.messages);
        Ok(bytes)
    }
}

/// Returns the datatype message of numbers with the lowest byte first.
///
/// # Errors
/// The type is not one of NumPy.
pub(super) fn number_type(dtype: Dtype) -> Result<Vec<u8>> {
    let bytes = u32::try_from(dtype.size()).unwrap_or_default();
    let bits = u16::try_from(8 * dtype.size()).unwrap_or_default();
    // The place and size of the exponent, those of the mantissa, and the bias.
    let float: Option<([u8; 4], u32)> = match dtype {
        Dtype::F16 => Some(([10, 5, 0, 10], 15)),
        Dtype::F32 => Some(([23, 8, 0, 23], 127)),
        Dtype::F64 => Some(([52, 11, 0, 52], 1023)),
        _ => None,
    };
    let is_signed = matches!(
        dtype,
        Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::I64 | Dtype::Bool
    );
    let mut message = match float {
        Some(_) => vec![0x11, 0x20, u8::try_from(bits - 1).unwrap_or_default(), 0],
        None if Dtype::NUMPY.contains(&dtype) => vec![0x10, if is_signed { 8 } else { 0 }, 0, 0],
        None => return Err(Error::unfit(format!("has values of the type {dtype}"))),
    };
    message.put_u32(bytes, LITTLE);
    message.put_u16(0, LITTLE);
    message.put_u16(bits, LITTLE);
    if let Some((fields, bias)) = float {
        message.extend(fields);
        message.put_u32(bias, LITTLE);
    }
    if dtype == Dtype::Bool {
        // An enumeration of two integers, as h5py has it.
        let mut names = vec![0x18, 2, 0, 0, 1, 0, 0, 0];
        names.append(&mut message);
        names.extend(b"FALSE\0\0\0TRUE\0\0\0\0");
        names.extend([0, 1]);
        return Ok(names);
    }
    Ok(message)
}

/// Returns the datatype message of text of this many bytes in UTF-8, filled up with zeros.
///
/// # Errors
/// It is longer than 4 GB.
pub(super) fn text_type(len: usize) -> Result<Vec<u8>> {
    let too_long = |_| Error::unfit("the text is longer than 4 GB");
    let mut message = vec![0x13, 0x11, 0, 0];
    message.put_u32(u32::try_from(len).map_err(too_long)?, LITTLE);
    Ok(message)
}
