//! Storage of labels for later lookup.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};

use crate::bytes::MemoryCounter;
use crate::error::{Error, Result};
use crate::model::{Key, Limits, Utterance};
use crate::stage::record::{self, Head};

/// The size of labels in memory, in bytes; more go to a temporary file without a name.
const ROOM: usize = 16 << 20;

/// Utterances with labels only, by key. A few bytes per utterance stay in memory.
pub(super) struct LabelStore {
    hasher: RandomState,
    /// The positions of utterances by the hash of the key or, if that is taken, the next free
    /// number.
    places: HashMap<u64, u64>,
    /// The first utterances, followed by those in the file.
    memory: Vec<u8>,
    room: usize,
    file: Option<SpillFile>,
    /// The current utterance as bytes.
    scratch: Vec<u8>,
    held: MemoryCounter,
    limits: Limits,
}

struct SpillFile {
    file: BufWriter<File>,
    len: u64,
}

/// The result of storing an utterance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InsertOutcome {
    New,
    /// The key exists with the same content.
    Equal,
    /// The key exists with different labels.
    Different,
}

impl LabelStore {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            hasher: RandomState::new(),
            places: HashMap::new(),
            memory: Vec::new(),
            room: ROOM,
            file: None,
            scratch: Vec::new(),
            held: MemoryCounter::new("the names of labels"),
            limits,
        }
    }

    /// Stores an utterance, unless its key exists.
    ///
    /// # Errors
    /// There is no space.
    pub(super) fn add(&mut self, utt: &Utterance) -> Result<InsertOutcome> {
        let slot = match self.slot(&utt.key)? {
            Ok(at) => {
                let mut before = Utterance::default();
                self.read(at, &mut before)?;
                self.encode(&before)?;
                let before = std::mem::take(&mut self.scratch);
                self.encode(utt)?;
                return Ok(match self.scratch == before {
                    true => InsertOutcome::Equal,
                    false => InsertOutcome::Different,
                });
            }
            Err(slot) => slot,
        };
        self.held.keep(size_of::<[u64; 2]>(), &self.limits)?;
        self.encode(utt)?;
        let at = match &mut self.file {
            None if self.memory.len() + self.scratch.len() <= self.room => {
                let at = self.memory.len() as u64;
                self.memory.extend_from_slice(&self.scratch);
                at
            }
            file => {
                let spilt = match file {
                    Some(spilt) => spilt,
                    none => none.insert(SpillFile::new()?),
                };
                let at = self.memory.len() as u64 + spilt.len;
                spilt.file.write_all(&self.scratch).map_err(failed)?;
                spilt.len += self.scratch.len() as u64;
                at
            }
        };
        self.places.insert(slot, at);
        Ok(InsertOutcome::New)
    }

    /// Reads the utterance of `key` into `utt`, if there is one.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub(super) fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
        match self.slot(key)? {
            Ok(at) => self.read(at, utt).map(|()| true),
            Err(_) => Ok(false),
        }
    }

    /// Returns the position of the utterance of `key`, otherwise the number for storing it.
    fn slot(&mut self, key: &Key) -> Result<std::result::Result<u64, u64>> {
        let mut slot = self.hasher.hash_one(key);
        while let Some(at) = self.places.get(&slot).copied() {
            if self.head(at)?.order == key.as_bytes() {
                return Ok(Ok(at));
            }
            slot = slot.wrapping_add(1);
        }
        Ok(Err(slot))
    }

    fn encode(&mut self, utt: &Utterance) -> Result<()> {
        self.scratch.clear();
        record::append(utt, record::by_key, &mut self.scratch)
    }

    fn head(&mut self, at: u64) -> Result<Head> {
        self.with(at, |mut stream| Head::read(&mut stream))
    }

    fn read(&mut self, at: u64, utt: &mut Utterance) -> Result<()> {
        let mut buffer = Vec::new();
        self.with(at, |mut stream| {
            Head::read(&mut stream)?.utterance(&mut stream, &mut buffer, utt)
        })
    }

    /// Reads at a position.
    fn with<T>(&mut self, at: u64, read: impl FnOnce(&mut dyn Read) -> Result<T>) -> Result<T> {
        let in_memory = usize::try_from(at).ok();
        if let Some(mut bytes) = in_memory.and_then(|at| self.memory.get(at..))
            && !bytes.is_empty()
        {
            return read(&mut bytes);
        }
        let Some(spilt) = &mut self.file else {
            return Err(Error::malformed("labels that were kept are gone"));
        };
        let at = at - self.memory.len() as u64;
        // The buffer is flushed first.
        spilt.file.seek(SeekFrom::Start(at)).map_err(failed)?;
        let result = read(&mut BufReader::new(spilt.file.get_mut()));
        spilt.file.seek(SeekFrom::End(0)).map_err(failed)?;
        result
    }
}

impl SpillFile {
    fn new() -> Result<Self> {
        Ok(Self {
            file: BufWriter::new(tempfile::tempfile().map_err(failed)?),
            len: 0,
        })
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::io("cannot keep labels in the temporary folder", error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Matrix, Rank};

    fn labels(key: &str, value: i32) -> Utterance {
        Utterance {
            key: key.into(),
            labels: Matrix::from_rows(&[value; 5], 1, Rank::Vector).ok(),
            ..Utterance::default()
        }
    }

    #[test]
    fn all_come_back_from_memory_and_from_the_file() {
        let mut kept = LabelStore::new(Limits::default());
        kept.room = 500;
        for round in 0..2 {
            for n in 0..100 {
                let added = kept.add(&labels(&n.to_string(), n)).unwrap();
                assert_eq!(added, [InsertOutcome::New, InsertOutcome::Equal][round]);
            }
        }
        assert!(kept.file.is_some() && !kept.memory.is_empty());
        let mut utt = Utterance::default();
        for n in [99, 0, 50, 50, 1] {
            assert!(kept.find(&n.to_string().as_str().into(), &mut utt).unwrap());
            assert_eq!(utt, labels(&n.to_string(), n));
            let added = kept.add(&labels(&n.to_string(), n + 1)).unwrap();
            assert_eq!(added, InsertOutcome::Different);
        }
        assert!(!kept.find(&"100".into(), &mut utt).unwrap());
    }

    #[test]
    fn keys_of_one_hash_are_told_apart() {
        let mut kept = LabelStore::new(Limits::default());
        kept.add(&labels("a", 1)).unwrap();
        let slot = kept.hasher.hash_one(Key::from("b"));
        let at = kept.places.values().copied().next().unwrap();
        // The number of b is taken by a.
        kept.places.insert(slot, at);
        let mut utt = Utterance::default();
        assert!(!kept.find(&"b".into(), &mut utt).unwrap());
        assert_eq!(kept.add(&labels("b", 2)).unwrap(), InsertOutcome::New);
        assert!(kept.find(&"b".into(), &mut utt).unwrap());
        assert_eq!(utt, labels("b", 2));
    }
}
