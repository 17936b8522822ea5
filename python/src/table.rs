//! A data set whose utterances are found by their keys.

use std::collections::HashMap;
use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyList;
use spr_convert::core::format::{Opened, RandomAccess};
use spr_convert::core::model::{Key, Utterance};
use spr_convert::{Error, Result};

use crate::failure::{apart, locked};
use crate::input::Asked;
use crate::settings::{Settings, Surroundings};
use crate::stream::Process;
use crate::{text, utterance};

/// Utterances by their keys.
#[pyclass(frozen, module = "spr_convert._native")]
pub(crate) struct Table {
    asked: Asked,
    entries: Mutex<Option<Entries>>,
    surroundings: Surroundings,
    process: Process,
}

/// Where utterances are.
enum Entries {
    /// In files that are gone back in.
    Stored(Box<dyn RandomAccess>),
    /// In memory, as the files can only be read from front to back.
    Kept(HashMap<Key, Utterance>),
}

impl Entries {
    fn open(asked: &Asked, at: &Surroundings) -> Result<Self> {
        let mut reader = match asked.lookup(at)? {
            Opened::Table(table) => return Ok(Self::Stored(table)),
            Opened::Stream(reader) => reader,
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
                let mut utt = Utterance::default();
                Ok(table.find(key, &mut utt)?.then_some(utt))
            }
        }
    }
}

impl Table {
    /// Does something with the entries, which are opened if nobody has done so.
    fn with<T>(&self, work: impl FnOnce(&mut Entries) -> Result<T>) -> Result<T> {
        let mut slot = locked(&self.entries);
        let entries = match &mut *slot {
            Some(entries) => entries,
            None => slot.insert(Entries::open(&self.asked, &self.surroundings)?),
        };
        work(entries)
    }

    /// All keys, for which the data are gone through.
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
    fn new(py: Python<'_>, asked: Asked, settings: Settings) -> PyResult<Self> {
        let surroundings = settings.surroundings();
        // Whether it is there is told at once, what is in it when it is asked for.
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

    /// Whether this process is the one that opened it.
    fn is_current(&self) -> bool {
        self.process.is_current()
    }

    /// The utterance of a key, if there is one.
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

    /// All keys, in their order.
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
    /// In a fork nothing of the parent's is closed.
    fn drop(&mut self) {
        if !self.process.is_current() {
            std::mem::forget(locked(&self.entries).take());
        }
    }
}
