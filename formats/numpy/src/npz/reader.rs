//! Reading: each utterance of the members that have its name.

use std::collections::HashMap;

use spr_core::bytes::{Env, Source};
use spr_core::format::{Opened, RandomAccess, Reader, Request};
use spr_core::model::{Audio, DatasetInfo, Key, Matrix, NamedArray, Utterance, Waveform};
use spr_core::{Error, ErrorKind, Result};

use super::archive::{Archive, Member};
use super::members::{self, Role};
use crate::header::Header;
use crate::object;

/// The members of one utterance, with their names.
#[derive(Default)]
struct Entry {
    key: Key,
    members: Vec<(Vec<u8>, Member)>,
}

/// An archive and what of it is read.
pub(super) struct NpzReader {
    archive: Archive,
    entries: Vec<Entry>,
    /// The entry that comes next.
    next: usize,
    values: bool,
    info: DatasetInfo,
    env: Env,
}

/// An archive whose utterances are found by their keys.
struct NpzTable {
    reader: NpzReader,
    places: HashMap<Key, usize>,
}

/// Opens an archive.
pub(super) fn open(source: Source, request: &mut Request, env: &Env) -> Result<Opened> {
    let compression = source.compression();
    let name = source.name().to_owned();
    let mut entries: Vec<Entry> = Vec::new();
    let mut places: HashMap<Key, usize> = HashMap::new();
    let (mut others, mut all) = (0, 0u64);
    let run = request.take_run();
    let archive = Archive::open(
        source,
        |bytes, member| {
            let Some((key, role)) = members::parse(bytes) else {
                others += 1;
                return Ok(());
            };
            let key = Key::from(key);
            let place = *places.entry(key.clone()).or_insert_with(|| {
                entries.push(Entry {
                    key: key.clone(),
                    members: Vec::new(),
                });
                entries.len() - 1
            });
            let members = &mut entries[place].members;
            if members.iter().any(|(other, _)| other == bytes) {
                let message = format!("has two members called {}", String::from_utf8_lossy(bytes));
                return Err(Error::malformed(message).file(&name));
            }
            // Sound needs its rate first.
            let first = role == Role::Rate;
            let at = if first { 0 } else { members.len() };
            members.insert(at, (bytes.to_vec(), member));
            Ok(())
        },
        env,
    )?;
    if others > 0 {
        let are = if others == 1 {
            "member is"
        } else {
            "members are"
        };
        let warning = Error::unfit(format!("{others} {are} no array (.npy)"));
        env.warn(&warning.file(&name));
    }
    if let Some(run) = run {
        entries.retain(|_| {
            all += 1;
            run.has(all - 1)
        });
    }
    if let Some(wanted) = request.take_keys() {
        entries.retain(|entry| wanted(&entry.key));
    }
    if let Some(share) = request.take_share() {
        share.check()?;
        let mut number = 0..;
        entries.retain(|_| number.next().is_some_and(|n| share.has(n)));
    }
    let mut info = DatasetInfo::default();
    info.utterances = Some(entries.len() as u64);
    info.compression = compression;
    let reader = NpzReader {
        archive,
        entries,
        next: 0,
        values: request.values,
        info,
        env: env.clone(),
    };
    if !request.lookup {
        return Ok(Opened::stream(reader));
    }
    let keys = reader.entries.iter().enumerate();
    let places = keys.map(|(n, entry)| (entry.key.clone(), n)).collect();
    Ok(Opened::Table(Box::new(NpzTable { reader, places })))
}

impl NpzReader {
    /// Reads an entry.
    fn fill(&self, entry: &Entry, utt: &mut Utterance) -> Result<()> {
        utt.start();
        utt.key.set(entry.key.as_bytes());
        let (mut features, mut labels) = (utt.features.take(), utt.labels.take());
        let mut rate = None;
        let mut part = Utterance::default();
        for (name, member) in &entry.members {
            let Some((_, role)) = members::parse(name) else {
                continue;
            };
            part.features = match role {
                Role::Plain => features.take(),
                Role::Labels => labels.take(),
                _ => None,
            };
            self.member(name, *member, role, &mut part)?;
            let array = part.arrays.pop();
            match (role, part.features.take(), array) {
                (Role::Plain, matrix @ Some(_), _) => utt.features = matrix,
                (Role::Labels, matrix @ Some(_), _) => utt.labels = matrix,
                (Role::Rate, Some(matrix), _) => rate = Some(self.rate(name, &matrix)?),
                (Role::Audio, Some(samples), _) => {
                    let Some(rate) = rate else {
                        return Err(self.unfit(name, "is sound, but no member has its rate"));
                    };
                    let samples = sound(samples)?;
                    utt.audio = Some(Audio::Samples(Waveform { rate, samples }));
                }
                (Role::Plain, None, Some(array)) => utt.arrays.push(array),
                (Role::Array(own), None, Some(array)) => {
                    let name = String::from_utf8_lossy(own).into_owned();
                    utt.arrays.push(NamedArray { name, ..array });
                }
                _ => return Err(self.unfit(name, "has too few or too many dimensions")),
            }
        }
        utt.origin.file = Some(self.archive.name().into());
        Ok(())
    }

    fn member(
        &self,
        name: &[u8],
        member: Member,
        role: Role<'_>,
        part: &mut Utterance,
    ) -> Result<()> {
        let limits = &self.env.limits;
        let mut source = self.archive.member(name, member)?;
        let header = Header::read(&mut source, limits)?;
        let values = self.values || role != Role::Plain;
        match role {
            Role::Array(_) => object::read_array(&mut source, &header, part, limits)?,
            _ => object::read(&mut source, &header, values, part, limits)?,
        }
        object::end(&mut source)
    }

    fn rate(&self, name: &[u8], matrix: &Matrix) -> Result<u32> {
        let mut values = matrix.clone();
        values.cast(spr_core::model::Dtype::U32, &self.env.limits)?;
        match (values.as_slice::<u32>(), matrix.dtype().is_float()) {
            (Some([rate]), false) if *rate > 0 => Ok(*rate),
            _ => Err(self.unfit(name, "is no rate: one integer above 0")),
        }
    }

    fn unfit(&self, name: &[u8], what: &str) -> Error {
        let member = String::from_utf8_lossy(name);
        Error::new(ErrorKind::Malformed, format!("the member {member} {what}"))
            .file(self.archive.name())
    }
}

/// Samples, one column a channel.
fn sound(mut samples: Matrix) -> Result<Matrix> {
    let (rows, cols) = (samples.rows(), samples.cols());
    samples.reshape(spr_core::model::Rank::Matrix, rows, cols)?;
    Ok(samples)
}

impl Reader for NpzReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let Some(entry) = self.entries.get(self.next) else {
            return Ok(false);
        };
        self.next += 1;
        let filled = self.fill(entry, utt);
        filled.map_err(|e| e.utterance(&entry.key).continuable())?;
        Ok(true)
    }
}

impl RandomAccess for NpzTable {
    fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
        let Some(entry) = self.places.get(key).map(|n| &self.reader.entries[*n]) else {
            return Ok(false);
        };
        let filled = self.reader.fill(entry, utt);
        filled.map_err(|e| e.utterance(key).continuable())?;
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
