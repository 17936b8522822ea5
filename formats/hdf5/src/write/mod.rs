//! The writer: a dataset for each field, then the groups.

mod group;
mod message;

use std::collections::{BTreeMap, HashSet};

use spr_core::bytes::{ByteOrder, Env, MemoryCounter, Output, Part, Sink, swap_in_place};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{Array, Decimal, Dtype, Key, Matrix, Rank, Utterance};
use spr_core::{Error, Limits, Result};

use crate::names::{LAYOUT, Role, escape};
use crate::storage::MAGIC;
use group::{LEAF, Member, NODE};
use message::{ALIGNED, LONGEST, Messages, UNDEFINED, number, string};

/// The bytes of the superblock.
const SUPERBLOCK: usize = 96;
/// The number of bytes whose order is changed at a time.
const STEP: usize = 64 << 10;

/// A sequential writer.
pub(crate) struct Hdf5Writer {
    sink: Sink,
    caps: Caps,
    limits: Limits,
    keys: HashSet<Key>,
    /// The datasets of each group. Those of features are in the root group.
    groups: BTreeMap<Role, Vec<Member>>,
    held: MemoryCounter,
    written: WriteSummary,
}

/// A dataset that is to be written.
struct Field<'a> {
    role: Role,
    shape: Vec<usize>,
    datatype: Vec<u8>,
    bytes: &'a [u8],
    /// The size of a number in bytes.
    width: usize,
}

impl Hdf5Writer {
    pub(crate) fn new(output: &Output, caps: Caps, env: &Env) -> Result<Self> {
        let mut sink = output.create(Part::Main, true)?;
        sink.put(&[0; SUPERBLOCK])?;
        Ok(Self {
            sink,
            caps,
            limits: env.limits,
            keys: HashSet::new(),
            groups: BTreeMap::new(),
            held: MemoryCounter::new("the names of datasets"),
            written: WriteSummary::default(),
        })
    }

    /// Writes a dataset.
    fn put(&mut self, name: &str, field: &Field<'_>, mut messages: Messages) -> Result<()> {
        let place = messages.dataset(&field.shape, &field.datatype);
        let address = self.sink.position();
        let len = field.bytes.len() as u64;
        if len > 0 {
            messages.set(&place, address + messages.len() as u64, len);
        }
        self.sink.put(&messages.header())?;
        if ByteOrder::NATIVE == ByteOrder::Little || field.width == 1 {
            self.sink.put(field.bytes)?;
        } else {
            for step in field.bytes.chunks(STEP) {
                let mut step = step.to_vec();
                swap_in_place(&mut step, field.width);
                self.sink.put(&step)?;
            }
        }
        let rest = field.bytes.len().next_multiple_of(ALIGNED) - field.bytes.len();
        self.sink.put(&[0; ALIGNED][..rest])?;
        let bytes = size_of::<Member>() + name.len();
        self.held.keep(bytes, &self.limits)?;
        self.groups.entry(field.role).or_default().push(Member {
            name: name.into(),
            address,
            group: None,
        });
        Ok(())
    }

    /// Writes the groups, and returns the root group.
    fn finish_groups(&mut self) -> Result<Member> {
        let mut groups = std::mem::take(&mut self.groups);
        let mut root = groups.remove(&Role::Features).unwrap_or_default();
        for (role, members) in groups {
            let messages = Messages::default();
            root.push(group::write(
                &mut self.sink,
                role.group(),
                members,
                messages,
            )?);
        }
        let mut messages = Messages::default();
        let (name, value) = LAYOUT;
        messages.text(name, value.as_bytes());
        group::write(&mut self.sink, "", root, messages)
    }
}

/// Returns the first bytes of a file that ends at `end`.
fn superblock(root: &Member, end: u64) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    // Versions 0 of everything; addresses and lengths of 8 bytes.
    bytes.extend([0, 0, 0, 0, 0, 8, 8, 0]);
    bytes.extend(LEAF.to_le_bytes());
    bytes.extend(NODE.to_le_bytes());
    bytes.extend([0; 4]);
    for address in [0, UNDEFINED, end, UNDEFINED] {
        bytes.extend(address.to_le_bytes());
    }
    group::put_entry(&mut bytes, 0, root);
    bytes
}

fn matrix(role: Role, matrix: &Matrix) -> Result<Field<'_>> {
    let shape = match matrix.rank() {
        Rank::Scalar => Vec::new(),
        Rank::Vector => vec![matrix.rows()],
        Rank::Matrix => vec![matrix.rows(), matrix.cols()],
    };
    field(role, shape, matrix)
}

fn field(role: Role, shape: Vec<usize>, values: &Matrix) -> Result<Field<'_>> {
    let dtype = values.dtype();
    let datatype = number(dtype).ok_or_else(|| Error::not_held(format!("values of {dtype}")))?;
    Ok(Field {
        role,
        shape,
        datatype,
        bytes: values.as_bytes(),
        width: dtype.size(),
    })
}

/// Returns the datasets of an utterance: at least one.
fn fields(utt: &Utterance) -> Result<Vec<Field<'_>>> {
    let mut fields = Vec::new();
    if let Some(features) = &utt.features {
        fields.push(matrix(Role::Features, features)?);
    }
    if let Some(labels) = &utt.labels {
        fields.push(matrix(Role::Labels, labels)?);
    }
    if let Some(wave) = utt.waveform() {
        fields.push(matrix(Role::Audio, &wave.samples)?);
    }
    if let [named] = &utt.arrays[..] {
        let array: &Array = &named.array;
        fields.push(field(Role::Array, array.shape().to_vec(), array.values())?);
    }
    if let Some(text) = utt
        .text
        .as_deref()
        .filter(|text| fields.is_empty() || text.len() > LONGEST / 2)
    {
        let empty: &[u8] = &[0];
        fields.push(Field {
            role: Role::Text,
            shape: Vec::new(),
            datatype: string(text.len().max(1)),
            bytes: if text.is_empty() { empty } else { text },
            width: 1,
        });
    }
    match fields.is_empty() {
        true => Err(Error::unfit(
            "has nothing to make a dataset of: no features, labels, audio, array or text",
        )),
        false => Ok(fields),
    }
}

/// Returns a time as a number, where that is exact, or as text.
fn time(messages: &mut Messages, name: &str, value: Decimal) -> bool {
    match Decimal::of(value.value()) == Some(value) {
        true => {
            let Some(float) = number(Dtype::F64) else {
                return false;
            };
            messages.attribute(name, &float, &value.value().to_le_bytes())
        }
        false => messages.text(name, value.to_string().as_bytes()),
    }
}

/// Returns the attributes of the first dataset of an utterance, of which `fields` are written.
fn attributes(utt: &Utterance, name: &str, fields: &[Field<'_>]) -> Result<Messages> {
    let mut messages = Messages::default();
    let mut long = None;
    let mut keep = |fits: bool, what: &'static str| {
        if !fits {
            long = long.or(Some(what));
        }
    };
    if name.as_bytes() != utt.key.as_bytes() {
        keep(messages.text("key", utt.key.as_bytes()), "key");
    }
    let meta = &utt.meta;
    for (name, value) in [
        ("frame_shift", meta.frame_shift),
        ("frame_offset", meta.frame_offset),
        ("start", meta.start),
        ("end", meta.end),
    ] {
        if let Some(value) = value {
            keep(time(&mut messages, name, value), "time");
        }
    }
    for (field, name) in meta.names() {
        keep(messages.text(field.name(), name.as_bytes()), field.name());
    }
    let has_text = fields.iter().any(|field| field.role == Role::Text);
    if let Some(text) = utt.text.as_deref().filter(|_| !has_text) {
        keep(messages.text("text", text), "text");
    }
    match long {
        Some(what) => {
            let message =
                format!("the {what} is too long for an attribute of HDF5, which has 64 KiB");
            Err(Error::unfit(message))
        }
        None => Ok(messages),
    }
}

fn name_of(utt: &Utterance) -> Result<String> {
    let key = utt.key.as_str();
    let not_text = || Error::unfit("the key is not UTF-8, as names of datasets are");
    key.map(escape).ok_or_else(not_text)
}

impl Writer for Hdf5Writer {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        let check = || {
            self.caps.check(utt)?;
            if self.keys.contains(&utt.key) {
                return Err(Error::unfit("a second utterance with this key"));
            }
            attributes(utt, &name_of(utt)?, &fields(utt)?).map(drop)
        };
        check().map_err(|e| e.utterance(&utt.key).continuable())
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        let name = name_of(utt)?;
        let fields = fields(utt)?;
        let mut about = Some(attributes(utt, &name, &fields)?);
        for field in &fields {
            let mut messages = about.take().unwrap_or_default();
            if let Some(wave) = utt.waveform().filter(|_| field.role == Role::Audio) {
                let whole = number(Dtype::U32).unwrap_or_default();
                messages.attribute("rate", &whole, &wave.rate.to_le_bytes());
            }
            self.put(&name, field, messages)?;
        }
        self.keys.insert(utt.key.clone());
        self.written.count(utt);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        let root = self.finish_groups()?;
        let head = superblock(&root, self.sink.position());
        self.sink.patch(0, &head)?;
        self.written.bytes = self.sink.finish()?;
        Ok(self.written)
    }
}
