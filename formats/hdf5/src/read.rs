//! The reader.

use std::collections::HashMap;
use std::sync::Arc;

use hdf5_reader::{Datatype, VarLenKind};
use spr_core::bytes::{Env, Source};
use spr_core::format::{OpenedDataset, RandomAccess, Reader, Request, Subset};
use spr_core::model::{
    Audio, DatasetInfo, Decimal, Dtype, Key, KeySource, Matrix, Rank, Utterance, Waveform,
};
use spr_core::{Error, Result};

use crate::attributes::Attributes;
use crate::dataset::{File, Stored};
use crate::entries::{Entry, Layout, Part, Rows};
use crate::names::{LAYOUT, Role};
use crate::storage::Shared;
use crate::together;
use crate::tree::{self, Node, Target};

/// The names of the attribute of a sampling rate.
const RATES: &[&str] = &[
    "sample_rate",
    "sampling_rate",
    "samplerate",
    "rate",
    "sr",
    "fs",
];
/// The names of the attribute of what is said.
const TEXTS: &[&str] = &["text", "transcript", "transcription"];

/// Opens a file.
///
/// # Errors
/// It is damaged, or has too many names.
pub(crate) fn open(source: Source, request: &mut Request, env: &Env) -> Result<OpenedDataset> {
    let mut info = DatasetInfo::new(KeySource::Stored);
    info.compression = source.compression();
    let shared = Shared::new(source)?;
    let name: Arc<str> = shared.name().into();
    let library = shared.open(&env.limits)?;
    shared.check_length(&library, env)?;
    let mut nodes = tree::datasets(&library, &shared, env)?;
    let mut file = File::new(shared, library, env.limits);
    let (attribute, value) = LAYOUT;
    let layout = file.root_attributes()?;
    let written = layout.get(&[attribute]).map(|found| found.text());
    let written = written.is_some_and(|text| text == value.as_bytes());
    if written {
        nodes.sort_by_key(Node::address);
    }
    let joined = match written {
        true => None,
        false => together::entries(&mut file, &nodes).map_err(|e| e.file(&*name))?,
    };
    let mut entries = match joined {
        Some((entries, decision)) => {
            info.decision = Some(decision);
            entries
        }
        None => {
            let layout = Layout::of(&nodes, written);
            info.decision = layout.describe().map(str::to_owned);
            layout.entries(&nodes)
        }
    };
    select(&mut entries, request)?;
    info.utterances = Some(entries.len() as u64);
    let reader = Hdf5Reader {
        file,
        name,
        nodes,
        entries,
        next: 0,
        values: request.values || request.lookup,
        label_values: request.label_values || request.lookup,
        info,
        env: env.clone(),
    };
    if !request.lookup {
        return Ok(OpenedDataset::stream(reader));
    }
    let keys = reader.entries.iter().zip(0..);
    let places = keys.map(|(entry, n)| (entry.key.clone(), n)).collect();
    Ok(OpenedDataset::Table(Box::new(Hdf5Table { reader, places })))
}

/// Leaves the utterances that are asked for.
fn select(entries: &mut Vec<Entry>, request: &mut Request) -> Result<()> {
    let deal = |entries: &mut Vec<Entry>, share: Subset| {
        let mut number = 0..;
        entries.retain(|_| number.next().is_some_and(|n| share.has(n)));
    };
    if let Some(run) = request.take_run() {
        deal(entries, run);
    }
    if let Some(wanted) = request.take_keys() {
        entries.retain(|entry| wanted(&entry.key));
    }
    if let Some(share) = request.take_share() {
        share.check()?;
        deal(entries, share);
    }
    Ok(())
}

struct Hdf5Reader {
    file: File,
    name: Arc<str>,
    nodes: Vec<Node>,
    entries: Vec<Entry>,
    /// The index of the next utterance.
    next: usize,
    values: bool,
    label_values: bool,
    info: DatasetInfo,
    env: Env,
}

/// The same with lookup by key.
struct Hdf5Table {
    reader: Hdf5Reader,
    places: HashMap<Key, usize>,
}

impl Hdf5Reader {
    fn fill(&mut self, number: usize, utt: &mut Utterance) -> Result<()> {
        let (file, nodes) = (&mut self.file, &self.nodes);
        let Some(entry) = self.entries.get(number) else {
            return Err(Error::malformed("there is no such utterance"));
        };
        utt.start();
        utt.key.set(entry.key.as_bytes());
        utt.origin.file = Some(self.name.clone());
        for part in &entry.parts {
            let Some(node) = nodes.get(part.node) else {
                continue;
            };
            let path = || format!("the dataset '{}'", node.path.escape_debug());
            let (address, real) = match &node.target {
                Target::Dataset(address, real) => (*address, real.as_deref()),
                Target::Unreadable(why) => {
                    return Err(Error::unsupported(format!("{} {why}", path())));
                }
            };
            let stored = file.find(address, real.unwrap_or(&node.path));
            let stored = stored.map_err(|e| e.context(path()))?;
            let values = (self.values, self.label_values);
            take(file, *part, &stored, values, utt, &self.env).map_err(|e| e.context(path()))?;
        }
        Ok(())
    }

    fn read_number(&mut self, number: usize, utt: &mut Utterance) -> Result<()> {
        let filled = self.fill(number, utt);
        filled.map_err(|e| {
            let e = match self.entries.get(number) {
                Some(entry) => e.utterance(&entry.key),
                None => e,
            };
            e.file(&*self.name).continuable()
        })
    }
}

/// Returns the role of a dataset that has none by its name.
fn role(stored: &Stored, rows: Rows) -> Role {
    let rank = match rows {
        Rows::Item(..) => stored.shape.len().saturating_sub(1),
        _ => stored.shape.len(),
    };
    let has_rate = stored.attributes.get(RATES).is_some();
    match (&stored.number, rank) {
        (None, _) => match &stored.datatype {
            Datatype::String { .. } => Role::Text,
            Datatype::VarLen { kind, .. } if *kind == VarLenKind::String => Role::Text,
            Datatype::VarLen { base, .. } => match crate::types::number(base) {
                Some((dtype, _)) if Dtype::INTEGERS.contains(&dtype) => Role::Labels,
                _ => Role::Features,
            },
            _ => Role::Plain,
        },
        (Some(_), 1) if has_rate => Role::Audio,
        (Some((dtype, _)), 1) if Dtype::INTEGERS.contains(dtype) => Role::Labels,
        (Some(_), 0..=2) => Role::Features,
        _ => Role::Array,
    }
}

/// Reads a dataset into its field.
fn take(
    file: &File,
    part: Part,
    stored: &Stored,
    (values, label_values): (bool, bool),
    utt: &mut Utterance,
    env: &Env,
) -> Result<()> {
    let role = match part.role {
        Role::Plain => role(stored, part.rows),
        // A field that is named may be of more dimensions than it has room for.
        Role::Features if stored.number.is_none() => role(stored, part.rows),
        role => role,
    };
    match role {
        Role::Features => {
            let mut features = utt.spare_features();
            file.rows(stored, part.rows, values, &mut features)?;
            utt.features = Some(features);
        }
        Role::Labels => {
            let mut labels = utt.spare_labels();
            file.rows(stored, part.rows, label_values, &mut labels)?;
            if !Dtype::INTEGERS.contains(&labels.dtype()) {
                let message = format!("holds {} as labels, expected integers", labels.dtype());
                return Err(Error::unsupported(message));
            }
            utt.labels = Some(labels);
        }
        Role::Audio => {
            let rate = stored.attributes.get(RATES).map(|rate| rate.rate());
            let Some(Some(rate)) = rate else {
                let message = "is sound without a sampling rate in the attribute sample_rate";
                return Err(Error::unsupported(message));
            };
            let mut samples = Matrix::default();
            file.rows(stored, part.rows, true, &mut samples)?;
            let (rows, cols) = (samples.rows(), samples.cols());
            samples.reshape(Rank::Matrix, rows, cols)?;
            utt.audio = Some(Audio::Samples(Waveform { rate, samples }));
        }
        Role::Array => utt.arrays.push(file.array(stored)?),
        Role::Text => utt.text = Some(text(file, part, stored)?),
        Role::Plain if matches!(stored.datatype, Datatype::Opaque { .. }) => {
            file.object(stored, utt, env)?;
        }
        Role::Plain => {
            let what = crate::types::describe(&stored.datatype);
            return Err(Error::unsupported(format!(
                "holds {what}, expected numbers"
            )));
        }
    }
    describe(&stored.attributes, utt)
}

/// Returns the text of an utterance, which is one of several in some files.
fn text(file: &File, part: Part, stored: &Stored) -> Result<Vec<u8>> {
    let only = match part.rows {
        Rows::Ragged(index) | Rows::Item(index, _) => Some(index),
        Rows::All | Rows::Range(..) => None,
    };
    let mut texts = file.texts(stored, only)?;
    match (texts.len(), texts.pop()) {
        (1, Some(text)) => Ok(text),
        (n, _) => {
            let message = format!("holds {n} texts, expected one");
            Err(Error::unsupported(message))
        }
    }
}

/// Takes over what attributes say of an utterance.
///
/// # Errors
/// A time is not one.
fn describe(attributes: &Attributes, utt: &mut Utterance) -> Result<()> {
    let name = |names: &[&str]| Some(Key::from(attributes.get(names)?.text()));
    let time = |name: &str| -> Result<Option<Decimal>> {
        let Some(value) = attributes.get(&[name]) else {
            return Ok(None);
        };
        let wrong = || {
            let text = String::from_utf8_lossy(&value.text())
                .escape_debug()
                .to_string();
            Error::malformed(format!(
                "the attribute {name} is '{text}', expected seconds"
            ))
        };
        value.decimal().map(Some).ok_or_else(wrong)
    };
    let meta = &mut utt.meta;
    meta.frame_shift = time("frame_shift")?.or(meta.frame_shift);
    if meta.frame_shift.is_some_and(|shift| !shift.is_positive()) {
        let message = "the attribute frame_shift is not above 0";
        return Err(Error::malformed(message));
    }
    meta.frame_offset = time("frame_offset")?.or(meta.frame_offset);
    meta.start = time("start")?.or(meta.start);
    meta.end = time("end")?.or(meta.end);
    for (field, names) in [
        (&mut meta.speaker, &["speaker", "speaker_id", "spk"][..]),
        (&mut meta.gender, &["gender"]),
        (&mut meta.language, &["language", "lang"]),
        (&mut meta.recording, &["recording", "recording_id"]),
        (&mut meta.channel, &["channel"]),
    ] {
        if let Some(name) = name(names) {
            *field = Some(name);
        }
    }
    if let Some(text) = attributes.get(TEXTS) {
        utt.text = Some(text.text());
    }
    Ok(())
}

impl Reader for Hdf5Reader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let number = self.next;
        if number >= self.entries.len() {
            return Ok(false);
        }
        self.next += 1;
        self.read_number(number, utt)?;
        Ok(true)
    }
}

impl RandomAccess for Hdf5Table {
    fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
        let Some(number) = self.places.get(key).copied() else {
            return Ok(false);
        };
        self.reader.read_number(number, utt)?;
        Ok(true)
    }

    fn keys(&self) -> Option<Vec<Key>> {
        let entries = self.reader.entries.iter();
        Some(entries.map(|entry| entry.key.clone()).collect())
    }

    fn find_twice(&mut self) -> Result<Option<Key>> {
        Ok(None)
    }
}
