//! A data set with lookup by key.

use std::collections::HashMap;
use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyList;
use spr_convert::core::format::{OpenedDataset, RandomAccess};
use spr_convert::core::model::{Key, Utterance};
use spr_convert::{Error, Result};

use crate::failure::{apart, locked};
use crate::input::InputArgs;
use crate::settings::{Settings, Surroundings};
use crate::stream::Process;
use crate::{memory, text, utterance};

/// Utterances by key.
#[pyclass(frozen, module = "spr_convert._native")]
pub(crate) struct Table {
    asked: InputArgs,
    entries: Mutex<Option<Entries>>,
    surroundings: Surroundings,
    process: Process,
}

/// The storage of the utterances.
enum Entries {
    /// In seekable files.
    Stored(Box<dyn RandomAccess>),
    /// In memory, because the files can only be read sequentially.
    Kept(HashMap<Key, Utterance>),
}

impl Entries {
    fn open(asked: &InputArgs, at: &Surroundings) -> Result<Self> {
        let mut reader = match asked.lookup(at)? {
            OpenedDataset::Table(table) => return Ok(Self::Stored(table)),
            OpenedDataset::Stream(reader) => reader,
        };
        let mut kept = HashMap::new();
        let mut utt = Utterance::default();
        while reader.read(&mut utt)? {
            let utt = std::mem::take(&mut utt);
            let key = utt.key.clone();
            if kept.insert(key.clone(), utt).is_some() {
                return Err(Error::unfit("appears twice").utterance(&key));
            }
        }
        Ok(Self::Kept(kept))
    }

    fn find(&mut self, key: &Key) -> Result<Option<Utterance>> {
        match self {
            Self::Kept(kept) => Ok(kept.get(key).cloned()),
            Self::Stored(table) => {
                let mut utt = Utterance {
                    features: memory::matrix(),
                    ..Utterance::default()
                };
                Ok(table.find(key, &mut utt)?.then_some(utt))
            }
        }
    }
}

impl Table {
    /// Runs `work` on the entries, which are opened on first use.
    fn with<T>(&self, work: impl FnOnce(&mut Entries) -> Result<T>) -> Result<T> {
        let mut slot = locked(&self.entries);
        let entries = match &mut *slot {
            Some(entries) => entries,
            None => slot.insert(Entries::open(&self.asked, &self.surroundings)?),
        };
        work(entries)
    }

    /// Reads all keys from the data.
    fn read_keys(&self) -> Result<Vec<Key>> {
        let mut reader = self.asked.names(&self.surroundings)?;
        let (mut keys, mut utt) = (Vec::new(), Utterance::default());
        while reader.read(&mut utt)? {
            keys.push(std::mem::take(&mut utt.key));
        }
        Ok(keys)
    }
}

#[pymethods]
impl Table {
    #[new]
    fn new(py: Python<'_>, asked: InputArgs, settings: Settings) -> PyResult<Self> {
        let surroundings = settings.surroundings();
        // Existence is checked at once; the content is read on access.
        apart(py, || {
            let inputs = asked.inputs(&surroundings)?;
            let mut files = inputs.iter().flat_map(|input| input.sources());
            match files.find(|file| !surroundings.env.exists(file)) {
                Some(missing) => surroundings.env.open_file(&missing).map(drop),
                None => Ok(()),
            }
        })?;
        Ok(Self {
            asked,
            entries: Mutex::new(None),
            surroundings,
            process: Process::current(),
        })
    }

    /// Returns `true` in the process that opened the data set.
    fn is_current(&self) -> bool {
        self.process.is_current()
    }

    /// Looks up the utterance with a key.
    fn find<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let key = Key::from(text::to_bytes(key)?);
        let found = apart(py, || self.with(|entries| entries.find(&key)));
        self.surroundings.close(py)?;
        found?.map(|utt| utterance::to_python(py, utt)).transpose()
    }

    /// Returns all keys in order.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let keys = apart(py, || {
            let known = self.with(|entries| match entries {
                Entries::Stored(table) => Ok(table.keys()),
                Entries::Kept(_) => Ok(None),
            })?;
            known.map_or_else(|| self.read_keys(), Ok)
        });
        self.surroundings.close(py)?;
        let keys = keys?;
        let keys = keys.iter().map(|key| text::of_bytes(py, key.as_bytes()));
        PyList::new(py, keys.collect::<PyResult<Vec<_>>>()?)
    }
}

impl Drop for Table {
    /// A fork does not close what belongs to the parent.
    fn drop(&mut self) {
        if !self.process.is_current() {
            std::mem::forget(locked(&self.entries).take());
        }
    }
}
