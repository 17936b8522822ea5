//! One dataset: its shape and type, its place in the file, its attributes.

use std::cell::{Cell, OnceCell, RefCell};

use hdf5_reader::io::Cursor;
use hdf5_reader::messages::HdfMessage;
use hdf5_reader::messages::attribute::AttributeMessage;
use hdf5_reader::messages::attribute_info::AttributeInfoMessage;
use hdf5_reader::messages::layout::DataLayout;
use hdf5_reader::{Dataset, Datatype, Hdf5File};
use spr_core::bytes::ByteOrder;
use spr_core::model::{Array, Dtype};
use spr_core::{Error, Limits, Result};

use crate::attributes::Attributes;
use crate::storage::Shared;
use crate::tree;
use crate::types;
use crate::window::Window;

/// The datasets that the library may open before it is opened anew, as it keeps all that it saw.
const MOST_OPENED: usize = 8000;
/// The bytes that it may unpack before that.
const MOST_UNPACKED: u64 = 8 << 20;

/// The address of what is not stored.
const UNDEFINED: u64 = u64::MAX;
/// The most that packing makes of a byte: deflate has 1032, repeated values a little more.
const MOST_PACKED: u64 = 1100;
/// The bytes that a dataset may have whatever the size of its file.
const FREE: u64 = 1 << 20;

/// A file with its datasets.
pub(crate) struct File {
    shared: Shared,
    library: Hdf5File,
    opened: usize,
    /// The bytes of packed datasets that the library has unpacked, and may keep.
    unpacked: Cell<u64>,
    limits: Limits,
}

/// The elements of a dataset.
pub(crate) enum Elements {
    /// Stored at this byte of the file, one after the other.
    Plain(u64),
    /// Read by the library.
    Packed(Box<Dataset>),
}

/// A dataset that was found.
pub(crate) struct Stored {
    /// The size of each dimension.
    pub(crate) shape: Vec<u64>,
    /// The type, whether of numbers or not.
    pub(crate) datatype: Datatype,
    /// The type and order of its numbers, if it consists of numbers.
    pub(crate) number: Option<(Dtype, ByteOrder)>,
    pub(crate) elements: Elements,
    pub(crate) attributes: Attributes,
    /// The bytes of its texts, or the references to its sequences, once they were read.
    pub(crate) raw: OnceCell<Vec<u8>>,
    /// The rows that were unpacked last, for utterances that follow each other.
    pub(crate) window: RefCell<Window>,
}

impl Stored {
    /// Returns the size of its numbers in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let size = self.number.map_or(1, |(dtype, _)| dtype.size() as u64);
        let sizes = self.shape.iter();
        sizes.fold(size, |bytes, dim| bytes.saturating_mul(*dim))
    }
}

impl File {
    pub(crate) fn new(shared: Shared, library: Hdf5File, limits: Limits) -> Self {
        Self {
            shared,
            library,
            opened: 0,
            unpacked: Cell::new(0),
            limits,
        }
    }

    /// Returns the source of the file.
    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counts the bytes of a dataset that was unpacked as a whole.
    pub(crate) fn count_unpacked(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.unpacked.set(self.unpacked.get().saturating_add(bytes));
    }

    /// Returns the dataset that the library finds at a path.
    pub(crate) fn dataset(&mut self, path: &str) -> Result<Dataset> {
        self.opened += 1;
        if self.opened > MOST_OPENED || self.unpacked.get() > MOST_UNPACKED {
            self.opened = 0;
            self.unpacked.set(0);
            self.library = self.shared.open(&self.limits)?;
        }
        self.shared.call(|| self.library.dataset(path))
    }

    /// Finds the dataset with its header at `address`.
    ///
    /// # Errors
    /// It is damaged, or of more dimensions than are supported.
    pub(crate) fn find(&mut self, address: u64, path: &str) -> Result<Stored> {
        let stored = match self.plain(address)? {
            Some(stored) => stored,
            None => self.packed(path)?,
        };
        match stored.shape.len() {
            rank if rank > Array::MOST => {
                let most = Array::MOST;
                let message = format!("has {rank} dimensions, the most is {most}");
                Err(Error::unsupported(message))
            }
            _ => Ok(stored),
        }
    }

    /// Returns the dataset, if its header says all of it and its elements are stored one after the
    /// other.
    fn plain(&self, address: u64) -> Result<Option<Stored>> {
        let header = self.shared.call(|| tree::header(&self.library, address))?;
        let (mut space, mut datatype, mut place) = (None, None, None);
        let mut attributes = Vec::new();
        for message in header.messages {
            match message {
                HdfMessage::Dataspace(found) => space = Some(found),
                HdfMessage::Datatype(found) => datatype = Some(found.datatype),
                HdfMessage::DataLayout(found) => match found.layout {
                    DataLayout::Contiguous { address, size } => place = Some((address, size)),
                    _ => return Ok(None),
                },
                HdfMessage::Attribute(found) => attributes.push(found),
                HdfMessage::AttributeInfo(found) if self.are_inline(&found) => {}
                HdfMessage::Shared(_)
                | HdfMessage::ExternalFiles(_)
                | HdfMessage::AttributeInfo(_)
                | HdfMessage::FilterPipeline(_) => return Ok(None),
                _ => {}
            }
        }
        let (Some(space), Some(datatype), Some((address, size))) = (space, datatype, place) else {
            return Ok(None);
        };
        let Some(number) = types::number(&datatype) else {
            return Ok(None);
        };
        let is_scalar = !space.dims.is_empty()
            || space.dataspace_type == hdf5_reader::messages::dataspace::DataspaceType::Scalar;
        let count = types::count(&space.dims);
        let bytes = count.and_then(|n| n.checked_mul(number.0.size() as u64));
        let base = self.library.superblock().base_address;
        let is_stored = address != UNDEFINED && bytes != Some(0);
        if let (Some(bytes), true) = (bytes, is_stored)
            && bytes != size
        {
            let message = format!("has {size} bytes, its shape asks for {bytes}");
            return Err(Error::malformed(message));
        }
        match (bytes, address.checked_add(base)) {
            // Floats of 16 bits have two forms, which the library does not tell apart.
            _ if number.0 == Dtype::F16 || !is_scalar => Ok(None),
            (Some(bytes), Some(at)) if bytes == size && at < self.shared.len() => {
                Ok(Some(Stored {
                    shape: space.dims,
                    datatype,
                    number: Some(number),
                    elements: Elements::Plain(at),
                    attributes: self.attributes(attributes),
                    raw: OnceCell::new(),
                    window: RefCell::default(),
                }))
            }
            _ => Ok(None),
        }
    }

    /// Returns `true` if all attributes stand in the header.
    fn are_inline(&self, info: &AttributeInfoMessage) -> bool {
        let size = self.library.superblock().offset_size;
        Cursor::is_undefined_offset(info.fractal_heap_address, size)
    }

    fn attributes(&self, messages: Vec<AttributeMessage>) -> Attributes {
        Attributes::new(messages, &self.shared, &self.library)
    }

    /// Returns the dataset as the library opens it.
    fn packed(&mut self, path: &str) -> Result<Stored> {
        let dataset = self.dataset(path)?;
        let datatype = dataset.dtype().clone();
        self.check_claim(&dataset)?;
        let mut number = types::number(&datatype);
        if let Some((dtype @ Dtype::F16, _)) = &mut number {
            let message = self.shared.call(|| dataset.raw_datatype())?;
            match types::half(&message) {
                Some(found) => *dtype = found,
                None => number = None,
            }
        }
        let raw = self.shared.call(|| dataset.raw_attributes())?;
        let messages = raw.into_iter().map(|raw| raw.into_parts().0);
        let attributes = self.attributes(messages.collect());
        let shape = dataset.shape().to_vec();
        if shape.is_empty() && self.shared.call(|| dataset.num_elements())? == 0 {
            return Err(Error::unsupported(
                "holds nothing at all, not even an empty array",
            ));
        }
        Ok(Stored {
            shape,
            datatype,
            number,
            elements: Elements::Packed(Box::new(dataset)),
            attributes,
            raw: OnceCell::new(),
            window: RefCell::default(),
        })
    }

    /// Checks the size of a dataset against that of the file.
    fn check_claim(&self, dataset: &Dataset) -> Result<()> {
        let count = types::count(dataset.shape());
        let size = self.shared.call(|| dataset.raw_element_size())?;
        let bytes = count.and_then(|n| n.checked_mul(size as u64));
        let len = self.shared.len();
        match bytes {
            Some(bytes) if bytes <= len.saturating_mul(MOST_PACKED).max(FREE) => Ok(()),
            _ => {
                let shape = dataset.shape();
                let message = format!("the shape {shape:?} is too large for a file of {len} bytes");
                Err(Error::malformed(message))
            }
        }
    }

    /// Returns the attributes of the group with its header at `address`.
    ///
    /// # Errors
    /// They are damaged.
    pub(crate) fn group_attributes(&mut self, address: u64, path: &str) -> Result<Attributes> {
        let header = self.shared.call(|| tree::header(&self.library, address))?;
        let mut messages = Vec::new();
        for message in header.messages {
            match message {
                HdfMessage::Attribute(found) => messages.push(found),
                HdfMessage::AttributeInfo(found) if self.are_inline(&found) => {}
                HdfMessage::AttributeInfo(_) | HdfMessage::Shared(_) => {
                    return self.dense_attributes(path);
                }
                _ => {}
            }
        }
        Ok(self.attributes(messages))
    }

    /// Returns the attributes of a group, of which some may be stored outside its header.
    fn dense_attributes(&mut self, path: &str) -> Result<Attributes> {
        self.opened += 1;
        let raw = self.shared.call(|| {
            let group = match path {
                "" => self.library.root_group()?,
                path => self.library.group(path)?,
            };
            group.raw_attributes()
        })?;
        let messages = raw.into_iter().map(|raw| raw.into_parts().0);
        Ok(self.attributes(messages.collect()))
    }
}
