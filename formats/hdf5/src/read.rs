//! The reader.

use std::collections::HashMap;
use std::sync::Arc;

use spr_core::bytes::{Env, Source};
use spr_core::format::{OpenedDataset, RandomAccess, Reader, Request};
use spr_core::model::{DatasetInfo, Key, KeySource, Utterance};
use spr_core::{Error, Result};

use crate::about::{self, Scope};
use crate::columns::Columns;
use crate::dataset::{File, Stored};
use crate::entries::{Entry, Layout, Part, Rows};
use crate::field::{self, Wanted};
use crate::groups::Groups;
use crate::names::{CHUNK_SIZE, LAYOUT};
use crate::storage::Shared;
use crate::together;
use crate::tree::{self, Node, Target};

/// The number of headers of datasets with several utterances that are kept.
const KEPT: usize = 16;
/// The number of attributes that are told not to be read.
const TOLD: usize = 8;

/// Opens a file, which has the layout `asked` if one is given.
///
/// # Errors
/// It is damaged, has too many names, or another layout.
pub(crate) fn open(
    source: Source,
    asked: Option<Layout>,
    request: &mut Request,
    env: &Env,
) -> Result<OpenedDataset> {
    let mut info = DatasetInfo::new(KeySource::Stored);
    info.compression = source.compression();
    let shared = Shared::new(source)?;
    let name: Arc<str> = shared.name().into();
    let library = shared.open(&env.limits)?;
    shared.check_length(&library, env)?;
    let (mut nodes, groups) = tree::datasets(&library, &shared, env)?;
    nodes.retain(|node| &*node.path != CHUNK_SIZE);
    let mut file = File::new(shared, library, env.limits);
    let mut groups = Groups::new(groups);
    groups.enter(&mut file, "")?;
    let (attribute, value) = LAYOUT;
    let root = groups.attributes().first();
    let written = root.and_then(|root| Some(root.get(&[attribute])?.text()));
    let written = written.is_some_and(|text| text == value.as_bytes());
    if written {
        nodes.sort_by_key(Node::address);
    }
    let joined = match asked {
        None if !written => together::entries(&mut file, &nodes),
        Some(Layout::Together) => together::entries(&mut file, &nodes).and_then(|found| {
            let message = "has no lengths, offsets or keys that tell utterances apart";
            found.map(Some).ok_or_else(|| Error::unsupported(message))
        }),
        _ => Ok(None),
    };
    let (mut entries, decision, layout) = match joined.map_err(|e| e.file(&*name))? {
        Some((entries, decision)) => (entries, Some(decision), Layout::Together),
        None => {
            let layout = asked.unwrap_or_else(|| Layout::of(&nodes, written));
            let decision = layout.describe().map(str::to_owned);
            (layout.entries(&nodes), decision, layout)
        }
    };
    info.decision = decision.filter(|_| asked.is_none());
    let first = entries.first().map(|entry| &entry.key);
    if layout == Layout::Together && first == Some(&Key::generated(0)) {
        info.keys = KeySource::Generated;
    }
    request.select(&mut entries, |entry| &entry.key)?;
    info.utterances = Some(entries.len() as u64);
    let told = Told {
        names: Vec::new(),
        file: name.clone(),
        env: env.clone(),
    };
    let reader = Hdf5Reader {
        file,
        name,
        layout,
        nodes,
        groups,
        entries,
        next: 0,
        kept: HashMap::new(),
        told,
        wanted: Wanted {
            features: request.values || request.lookup,
            labels: request.label_values || request.lookup,
        },
        info,
        env: env.clone(),
    };
    if !request.lookup {
        return Ok(OpenedDataset::stream(reader));
    }
    let mut places = HashMap::new();
    let mut twice = None;
    for (entry, number) in reader.entries.iter().zip(0..) {
        if places.insert(entry.key.clone(), number).is_some() {
            twice = twice.or_else(|| Some(entry.key.clone()));
        }
    }
    Ok(OpenedDataset::Table(Box::new(Hdf5Table {
        reader,
        places,
        twice,
    })))
}

/// The attributes that are not read, so far.
struct Told {
    names: Vec<String>,
    file: Arc<str>,
    env: Env,
}

impl Told {
    /// Warns of an attribute, once for each name.
    fn tell(&mut self, name: &str) {
        let is_new = !self.names.iter().any(|told| told == name);
        if self.names.len() < TOLD && is_new {
            let message = format!("the attribute '{}' is not read", name.escape_debug());
            self.env.warn(&Error::unfit(message).file(&*self.file));
            self.names.push(name.to_owned());
        }
    }
}

struct Hdf5Reader {
    file: File,
    name: Arc<str>,
    layout: Layout,
    nodes: Vec<Node>,
    groups: Groups,
    entries: Vec<Entry>,
    /// The index of the next utterance.
    next: usize,
    /// Datasets that hold several utterances, by index.
    kept: HashMap<usize, Stored>,
    told: Told,
    wanted: Wanted,
    info: DatasetInfo,
    env: Env,
}

/// The same with lookup by key.
struct Hdf5Table {
    reader: Hdf5Reader,
    places: HashMap<Key, usize>,
    /// A key of several utterances.
    twice: Option<Key>,
}

impl Hdf5Reader {
    fn fill(&mut self, number: usize, utt: &mut Utterance) -> Result<()> {
        let Some(entry) = self.entries.get(number) else {
            return Err(Error::malformed("there is no such utterance"));
        };
        utt.start();
        utt.key.set(entry.key.as_bytes());
        utt.origin.file = Some(self.name.clone());
        let mut columns = Columns::default();
        for part in entry.parts.clone() {
            self.part(part, utt, &mut columns)
                .map_err(|e| match self.nodes.get(part.node) {
                    Some(node) => e.context(format!("the dataset '{}'", node.path.escape_debug())),
                    None => e,
                })?;
        }
        if self.layout == Layout::Own {
            return columns.finish(&mut utt.meta);
        }
        let mut is_nearest = true;
        for attributes in self.groups.attributes().iter().rev() {
            let is_own = std::mem::take(&mut is_nearest) && self.layout == Layout::UtteranceGroups;
            let scope = if is_own {
                Scope::Utterance
            } else {
                Scope::Several
            };
            let described = about::describe(attributes, scope, utt);
            described.map_err(|e| e.context("an attribute of its group"))?;
            columns.add(attributes, true, |name| self.told.tell(name));
        }
        columns.finish(&mut utt.meta)
    }

    /// Reads one dataset of an utterance.
    fn part(&mut self, part: Part, utt: &mut Utterance, columns: &mut Columns) -> Result<()> {
        let Some(node) = self.nodes.get(part.node) else {
            return Err(Error::malformed("is missing"));
        };
        if self.layout != Layout::Own {
            self.groups.enter(&mut self.file, &node.path)?;
        }
        let stored = match (self.kept.remove(&part.node), &node.target) {
            (Some(stored), _) => stored,
            (None, Target::Dataset(address, real)) => {
                let path = real.as_deref().unwrap_or(&node.path);
                self.file.find(*address, path)?
            }
            (None, Target::Unreadable(why)) => return Err(Error::unsupported(&**why)),
        };
        let above = self.groups.attributes();
        let (file, env) = (&self.file, &self.env);
        field::take(file, part, &stored, above, self.wanted, utt, env)?;
        about::describe(&stored.attributes, Scope::Utterance, utt)?;
        columns.add(&stored.attributes, false, |name| self.told.tell(name));
        if part.rows != Rows::All && self.kept.len() < KEPT {
            self.kept.insert(part.node, stored);
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
        Ok(self.twice.clone())
    }
}
