//! The writer: the numbers of each dataset, then its header, and the groups at the end.

mod batch;
mod group;
mod index;
mod message;
mod part;

use spr_core::bytes::{ByteOrder, Env, MemoryCounter, Output, Part, PutNumber, Sink};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{Decimal, Dtype, Meta, Utterance};
use spr_core::{Error, Limits, Remedy, Result};

use crate::attributes::Value as Stored;
use crate::columns;
use crate::names::{LAYOUT, MAGIC, Role, SEGMENTS, path};
use batch::{Attribute, Batch, Waiting, align};
use index::{Group, Place};
use message::{Header, UNDEFINED, Value};
use part::{Content, Part as Field};

const LITTLE: ByteOrder = ByteOrder::Little;
/// The size of the superblock in bytes.
const SUPERBLOCK: usize = 96;

/// A writer of one file.
pub(crate) struct Hdf5Writer {
    sink: Sink,
    batch: Batch,
    index: Group,
    /// The addresses of the headers written so far, by number.
    addresses: Vec<u64>,
    /// The number of datasets.
    count: usize,
    held: MemoryCounter,
    limits: Limits,
    caps: Caps,
    written: WriteSummary,
}

impl Hdf5Writer {
    /// Starts a file.
    ///
    /// # Errors
    /// It can't be made.
    pub(crate) fn new(output: &Output, caps: Caps, env: &Env) -> Result<Self> {
        let mut sink = output.create(Part::Main, true)?;
        sink.put(&[0; SUPERBLOCK])?;
        Ok(Self {
            sink,
            batch: Batch::default(),
            index: Group::default(),
            addresses: Vec::new(),
            count: 0,
            held: MemoryCounter::new("the names of datasets"),
            limits: env.limits,
            caps,
            written: WriteSummary::default(),
        })
    }

    /// Checks that an utterance can be stored, and returns its columns as attributes.
    fn check(&self, utt: &Utterance) -> Result<Vec<(String, Stored)>> {
        let checked = self.checked(utt);
        checked.map_err(|e| e.utterance(&utt.key).continuable())
    }

    fn checked(&self, utt: &Utterance) -> Result<Vec<(String, Stored)>> {
        self.caps.check(utt)?;
        let key = utt.key.as_str().unwrap_or_default();
        for role in Role::WRITTEN {
            if let Place::Dataset = self.index.look(&path(key, role)) {
                let error = Error::unfit("a second utterance with this key");
                return Err(error.suggest(Remedy::KeepOnlyOne));
            }
        }
        for field in part::parts(utt)? {
            let path = path(key, field.role);
            if let Place::Blocked = self.index.look(&path) {
                return Err(index::blocked(&path));
            }
        }
        if utt
            .meta
            .names()
            .any(|(_, name)| name.as_bytes().contains(&0))
        {
            let message = "a name has a zero byte, where HDF5 ends a text";
            return Err(Error::unfit(message));
        }
        columns::attributes(&utt.meta.tags)
    }

    /// Stores the values of a field, and keeps what its header will say: of the first one, the utterance and its columns.
    fn put(
        &mut self,
        key: &str,
        field: &Field<'_>,
        first: Option<(&Utterance, Vec<(String, Stored)>)>,
    ) -> Result<()> {
        align(&mut self.sink)?;
        let at = self.sink.position();
        match &field.content {
            Content::Numbers(values) => values.put_little_endian(|bytes| self.sink.put(bytes))?,
            // No type of text has no bytes.
            Content::Text(text) if text.is_empty() => self.sink.put(&[0])?,
            Content::Text(text) => self.sink.put(text)?,
        }
        let bytes = self.sink.position() - at;
        let mut attributes = Vec::new();
        if let Some((utt, columns)) = first {
            self.describe(&utt.meta, columns, &mut attributes)?;
            if let (Some(text), false) = (&utt.text, field.role == Role::Text) {
                attributes.push(("text".into(), self.batch.text(text)?));
            }
            if let (Some(json), false) = (part::segments(utt)?, field.role == Role::Segments) {
                attributes.push((SEGMENTS.into(), self.batch.text(&json)?));
            }
        }
        if let Some(rate) = field.rate {
            let rate = Value::Number(Dtype::U32, rate.to_le_bytes().to_vec());
            attributes.push(("sample_rate".into(), rate));
        }
        let path = path(key, field.role);
        self.held
            .keep(path.len() + 4 * size_of::<usize>(), &self.limits)?;
        self.index.add(&path, self.count)?;
        self.count += 1;
        self.batch.add(Waiting {
            shape: field.shape.clone(),
            datatype: field.datatype()?,
            at: if bytes == 0 { UNDEFINED } else { at },
            bytes,
            attributes,
        });
        Ok(())
    }

    /// Adds the attributes of what is known about an utterance.
    fn describe(
        &mut self,
        meta: &Meta,
        columns: Vec<(String, Stored)>,
        into: &mut Vec<Attribute>,
    ) -> Result<()> {
        for (name, number) in [
            ("frame_shift", meta.frame_shift),
            ("frame_offset", meta.frame_offset),
            ("start", meta.start),
            ("end", meta.end),
        ] {
            if let Some(number) = number {
                into.push((name.into(), self.number(number)?));
            }
        }
        for (field, name) in meta.names() {
            into.push((field.name().into(), self.batch.text(name.as_bytes())?));
        }
        for (name, value) in columns {
            let value = match value {
                Stored::Integer(number) => Value::integer(number)?,
                Stored::Float(number) => Value::float(number),
                Stored::Bool(truth) => Value::Number(Dtype::Bool, vec![u8::from(truth)]),
                Stored::Text(text) => self.batch.text(&text)?,
            };
            into.push((name.into(), value));
        }
        Ok(())
    }

    /// Returns a number, as text if its digits are more than a float keeps.
    fn number(&mut self, number: Decimal) -> Result<Value> {
        let value = number.value();
        match Decimal::of(value) == Some(number) {
            true => Ok(Value::float(value)),
            false => self.batch.text(number.to_string().as_bytes()),
        }
    }

    fn superblock(&self, root: [u64; 3]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        // The versions of its parts, and the sizes of addresses and lengths.
        bytes.extend([0, 0, 0, 0, 0, 8, 8, 0]);
        bytes.put_u16(group::LEAF, LITTLE);
        bytes.put_u16(group::INNER, LITTLE);
        bytes.put_u32(0, LITTLE);
        for address in [0, UNDEFINED, self.sink.position(), UNDEFINED] {
            bytes.put_u64(address, LITTLE);
        }
        // The root group as a link, with its tree and its names.
        let [header, tree, names] = root;
        bytes.put_u64(0, LITTLE);
        bytes.put_u64(header, LITTLE);
        bytes.put_u32(1, LITTLE);
        bytes.put_u32(0, LITTLE);
        bytes.put_u64(tree, LITTLE);
        bytes.put_u64(names, LITTLE);
        bytes
    }
}

impl Writer for Hdf5Writer {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt).map(drop)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let mut first = Some((utt, self.check(utt)?));
        let key = utt.key.as_str().unwrap_or_default();
        for field in part::parts(utt)? {
            self.put(key, &field, first.take())?;
        }
        if self.batch.is_full() {
            self.batch.flush(&mut self.sink, &mut self.addresses)?;
        }
        self.written.count(utt);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        let (name, value) = LAYOUT;
        let value = self.batch.text(value.as_bytes())?;
        let heap = self.batch.flush(&mut self.sink, &mut self.addresses)?;
        let mut header = Header::default();
        header.attribute(name, &value, heap)?;
        let root = group::write(&self.index, &self.addresses, header, &mut self.sink)?;
        let superblock = self.superblock(root);
        self.sink.patch(0, &superblock)?;
        self.written.bytes = self.sink.finish()?;
        Ok(self.written)
    }
}
