//! The reader.

use std::collections::HashMap;

use hdf5_reader::{Datatype, VarLenKind};
use spr_core::bytes::{Env, Source};
use spr_core::format::{OpenedDataset, RandomAccess, Reader, Request, Subset};
use spr_core::model::{
    Audio, DatasetInfo, Dtype, Key, KeySource, Matrix, Rank, Utterance, Waveform,
};
use spr_core::{Error, Result};

use crate::attributes::Attributes;
use crate::dataset::{File, Stored};
use crate::entries::{Entry, Layout, Part, Rows};
use crate::names::{LAYOUT, Role};
use crate::storage::Shared;
use crate::together;
use crate::tree::{self, Node, Target};

/// The names of attributes of the sampling rate.
const RATES: &[&str] = &[
    "rate",
    "sample_rate",
    "sampling_rate",
    "samplerate",
    "sr",
    "fs",
];
/// The largest number of headers of datasets with several utterances that are kept.
const KEPT: usize = 16;

/// Opens a file.
pub(crate) fn open(source: Source, request: &mut Request, env: &Env) -> Result<OpenedDataset> {
    let mut info = DatasetInfo::default();
    info.compression = source.compression();
    let shared = Shared::new(source)?;
    let library = shared.open(&env.limits)?;
    let (len, end) = (shared.len(), library.superblock().eof_address);
    if len < end {
        let message = format!("the file has {len} bytes, its superblock says {end}");
        return Err(Error::truncated(message).file(shared.name()).byte(len));
    }
    let behind = end.saturating_add(library.superblock().base_address);
    if len != end && len != behind {
        let message = format!("the file goes on after its end, at byte {end}");
        env.warn(&Error::unfit(message).file(shared.name()).byte(end));
    }
    let nodes = tree::datasets(&library, &shared, env)?;
    let mut file = File::new(shared.clone(), library, env.limits);
    let root = file.root_attributes()?;
    let (name, value) = LAYOUT;
    let is_own = root
        .get(&[name])
        .is_some_and(|v| v.text() == value.as_bytes());
    let layout = Layout::of(&nodes, is_own);
    let joined = match is_own {
        true => None,
        false => together::entries(&mut file, &nodes).map_err(|e| e.file(shared.name()))?,
    };
    let mut entries = match joined {
        Some((entries, how)) => {
            info.decision = Some(how);
            entries
        }
        None => {
            info.decision = layout.describe().map(str::to_owned);
            layout.entries(&nodes)
        }
    };
    if is_own {
        entries.sort_by_key(|entry| entry.parts.iter().filter_map(|p| address(&nodes, p)).min());
    }
    if entries
        .first()
        .is_some_and(|first| first.key == Key::generated(0))
        && !is_own
    {
        info.keys = KeySource::Generated;
    }
    select(&mut entries, request)?;
    info.utterances = Some(entries.len() as u64);
    let mut reader = Hdf5Reader {
        file,
        nodes,
        entries,
        root,
        next: 0,
        kept: HashMap::new(),
        values: request.values,
        info,
        env: env.clone(),
    };
    if !request.lookup {
        return Ok(OpenedDataset::stream(reader));
    }
    reader.values = true;
    let keys = reader.entries.iter().zip(0..);
    let places = keys.map(|(entry, n)| (entry.key.clone(), n)).collect();
    Ok(OpenedDataset::Table(Box::new(Hdf5Table { reader, places })))
}

fn address(nodes: &[Node], part: &Part) -> Option<u64> {
    match nodes.get(part.node)?.target {
        Target::Dataset(address, _) => Some(address),
        Target::Unreadable(_) => None,
    }
}

/// Leaves the utterances that are requested.
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

/// A reader of the selected utterances.
struct Hdf5Reader {
    file: File,
    nodes: Vec<Node>,
    entries: Vec<Entry>,
    /// The attributes of the root group.
    root: Attributes,
    /// The index of the next utterance.
    next: usize,
    /// The headers of datasets that hold several utterances.
    kept: HashMap<usize, Stored>,
    values: bool,
    info: DatasetInfo,
    env: Env,
}

/// A reader with lookup of utterances by key.
struct Hdf5Table {
    reader: Hdf5Reader,
    places: HashMap<Key, usize>,
}

impl Hdf5Reader {
    /// Reads the utterance with this index.
    fn fill(&mut self, number: usize, utt: &mut Utterance) -> Result<()> {
        let Some(entry) = self.entries.get(number) else {
            return Ok(());
        };
        utt.start();
        utt.key.set(entry.key.as_bytes());
        let parts = entry.parts.clone();
        for part in &parts {
            let path = self.nodes.get(part.node).map_or("", |node| &node.path);
            let named = format!("the dataset '{}'", path.escape_debug());
            self.part(*part, utt).map_err(|e| {
                let e = e.context(named);
                match e.file_name() {
                    Some(_) => e,
                    None => e.file(self.file.shared().name()),
                }
            })?;
        }
        if utt.meta.frame_shift.is_none() && utt.audio.is_none() {
            let shift = self.root.get(&["frame_shift"]);
            utt.meta.frame_shift = shift.and_then(|value| value.decimal());
        }
        utt.origin.file = Some(self.file.shared().name().into());
        Ok(())
    }

    fn stored(&mut self, node: usize) -> Result<Stored> {
        let Some(Node { path, target }) = self.nodes.get(node) else {
            return Err(Error::malformed("is missing"));
        };
        match target {
            Target::Dataset(address, real) => {
                self.file.find(*address, real.as_deref().unwrap_or(path))
            }
            Target::Unreadable(why) => Err(Error::unsupported(&**why)),
        }
    }

    /// Reads one dataset into its field.
    fn part(&mut self, part: Part, utt: &mut Utterance) -> Result<()> {
        let stored = match self.kept.remove(&part.node) {
            Some(stored) => stored,
            None => self.stored(part.node)?,
        };
        let filled = self.field(part, &stored, utt);
        if part.rows == Rows::All {
            about(&stored.attributes, utt);
        } else if self.kept.len() < KEPT {
            self.kept.insert(part.node, stored);
        }
        filled
    }

    fn field(&mut self, part: Part, stored: &Stored, utt: &mut Utterance) -> Result<()> {
        let twice = || Err(Error::malformed("is the second of this field"));
        match (part.role, &stored.datatype) {
            (Role::Text, _) => {
                let mut texts = self.file.texts(stored)?;
                match (texts.len(), texts.pop()) {
                    (1, Some(text)) => utt.text = Some(text),
                    _ => return Err(Error::malformed("holds several texts, expected one")),
                }
            }
            (_, Datatype::Opaque { .. }) => self.file.object(stored, utt, &self.env)?,
            (Role::Array, _) => utt.arrays.push(self.file.array(stored)?),
            (Role::Plain | Role::Features, _)
                if stored.shape.len() > 2 && part.rows == Rows::All =>
            {
                utt.arrays.push(self.file.array(stored)?);
            }
            (Role::Labels, _) => {
                let mut labels = utt.spare_labels();
                self.numbers(part, stored, true, &mut labels)?;
                if utt.labels.replace(labels).is_some() {
                    return twice();
                }
            }
            (Role::Audio, _) => self.sound(part, stored, utt)?,
            (Role::Plain | Role::Features, _) => {
                let mut features = utt.spare_features();
                self.numbers(part, stored, self.values, &mut features)?;
                let field = match part.role == Role::Plain && is_labels(&features) {
                    true => &mut utt.labels,
                    false => &mut utt.features,
                };
                if field.replace(features).is_some() {
                    return twice();
                }
            }
        }
        Ok(())
    }

    fn numbers(&self, part: Part, stored: &Stored, values: bool, into: &mut Matrix) -> Result<()> {
        match (&stored.datatype, &*stored.shape, part.rows) {
            (
                Datatype::VarLen {
                    kind: VarLenKind::Sequence,
                    ..
                },
                [] | [1],
                Rows::All,
            ) => {
                *into = self.file.ragged(stored, 0)?;
                Ok(())
            }
            _ => self.file.rows(stored, part.rows, values, into),
        }
    }

    fn sound(&self, part: Part, stored: &Stored, utt: &mut Utterance) -> Result<()> {
        let mut samples = Matrix::default();
        self.numbers(part, stored, true, &mut samples)?;
        let (rows, cols) = (samples.rows(), samples.cols());
        samples.reshape(Rank::Matrix, rows, cols)?;
        let rate = stored
            .attributes
            .get(RATES)
            .or_else(|| self.root.get(RATES));
        let Some(rate) = rate.and_then(|value| value.rate()) else {
            let message = "is sound, but no attribute 'rate' has its sampling rate";
            return Err(Error::malformed(message));
        };
        utt.audio = Some(Audio::Samples(Waveform { rate, samples }));
        Ok(())
    }

    fn read_number(&mut self, number: usize, utt: &mut Utterance) -> Result<()> {
        let filled = self.fill(number, utt);
        filled.map_err(|e| match self.entries.get(number) {
            Some(entry) => e.utterance(&entry.key).continuable(),
            None => e,
        })
    }
}

/// Returns `true` if a matrix is a list of integers, one per frame.
fn is_labels(matrix: &Matrix) -> bool {
    matrix.rank() == Rank::Vector && Dtype::INTEGERS.contains(&matrix.dtype())
}

/// Takes from attributes what is known of an utterance.
fn about(attributes: &Attributes, utt: &mut Utterance) {
    let decimal = |name| attributes.get(&[name]).and_then(|value| value.decimal());
    let text = |name| attributes.get(&[name]).map(|value| value.text());
    let name = |name| text(name).map(Key::from);
    let meta = &mut utt.meta;
    for (field, found) in [
        (&mut meta.frame_shift, decimal("frame_shift")),
        (&mut meta.frame_offset, decimal("frame_offset")),
        (&mut meta.start, decimal("start")),
        (&mut meta.end, decimal("end")),
    ] {
        *field = field.or(found);
    }
    for (field, found) in [
        (&mut meta.speaker, name("speaker")),
        (&mut meta.gender, name("gender")),
        (&mut meta.language, name("language")),
        (&mut meta.recording, name("recording")),
        (&mut meta.channel, name("channel")),
    ] {
        if field.is_none() {
            *field = found;
        }
    }
    if utt.text.is_none() {
        utt.text = text("text");
    }
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
