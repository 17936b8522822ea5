//! A data set with lookup by key.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyList;
use spr_convert::core::format::{OpenedDataset, RandomAccess, Reader};
use spr_convert::core::model::{DatasetInfo, Key, Utterance};
use spr_convert::plan::{Owner, Plan, PlanStep};
use spr_convert::step::{Phase, Step, Subject, Surroundings as StepSurroundings};
use spr_convert::{Error, Result};

use crate::failure::{apart, locked};
use crate::input::DatasetPlan;
use crate::process::Process;
use crate::settings::{Settings, Surroundings};
use crate::{memory, text, utterance};

/// Utterances by key.
#[pyclass(frozen, module = "spr_convert._native")]
pub(crate) struct Table {
    asked: Py<DatasetPlan>,
    entries: Mutex<Option<Entries>>,
    surroundings: Surroundings,
    process: Process,
}

/// The storage of the utterances.
enum Entries {
    /// In seekable files.
    Stored {
        table: Box<dyn RandomAccess>,
        /// The steps that change an utterance.
        changes: Vec<Step>,
        /// The keys that are left by steps that choose, by the share, and where utterances are skipped.
        chosen: Option<HashSet<Key>>,
    },
    /// In memory, because the files can only be read sequentially.
    Kept {
        utterances: HashMap<Key, Utterance>,
        order: Vec<Key>,
    },
}

/// Returns `true` for a step that chooses or orders utterances and changes none.
fn chooses(step: &Step) -> bool {
    step.kind().phase == Phase::Choice && step.kind().subject == Subject::Utterances
}

/// Returns `true` if each utterance that comes out is one of those that are stored, by the same name,
/// and needs no others to be what it is.
fn keeps_names(plan: &Plan) -> bool {
    let keeps = |step: &Step| {
        let whole = step.reads_twice() && !chooses(step);
        step.kind().gives.is_none() && step.kind().phase != Phase::Names && !whole
    };
    plan.inputs().len() == 1 && !plan.has_joins() && on_all(plan).all(keeps)
}

/// The steps on all that is read.
fn on_all(plan: &Plan) -> impl Iterator<Item = &Step> {
    let own = plan.steps().iter();
    let own = own.filter(|own| !matches!(own.owner(), Owner::Input(_)));
    own.map(PlanStep::step)
}

impl Entries {
    fn open(asked: &DatasetPlan, at: &Surroundings) -> Result<Self> {
        let plan = asked.plan(at)?;
        asked.check_utterances()?;
        if let Some(input) = plan.inputs().first().filter(|_| keeps_names(&plan)) {
            let stored = plan.of_input(input);
            let (opened, _) = stored.open_lookup(asked.request()?, &at.registry, &at.env)?;
            if let OpenedDataset::Table(table) = opened {
                let (choices, changes): (Vec<_>, Vec<_>) =
                    on_all(&plan).cloned().partition(chooses);
                let chosen = match choices.is_empty() && !asked.is_part() {
                    true => None,
                    false => Some(keys(asked, at)?.into_iter().collect()),
                };
                return Ok(Self::Stored {
                    table,
                    changes,
                    chosen,
                });
            }
        }
        let mut reader = plan
            .open_pass(asked.request()?, 0, &at.registry, &at.env)?
            .reader;
        let (mut utterances, mut order) = (HashMap::new(), Vec::new());
        let mut utt = Utterance::default();
        while reader.read(&mut utt)? {
            let utt = std::mem::take(&mut utt);
            let key = utt.key.clone();
            order.push(key.clone());
            if utterances.insert(key.clone(), utt).is_some() {
                return Err(Error::unfit("appears twice").utterance(&key));
            }
        }
        Ok(Self::Kept { utterances, order })
    }

    fn find(&mut self, key: &Key, at: &Surroundings) -> Result<Option<Utterance>> {
        let (table, changes) = match self {
            Self::Kept { utterances, .. } => return Ok(utterances.get(key).cloned()),
            Self::Stored { chosen, .. } if chosen.as_ref().is_some_and(|c| !c.contains(key)) => {
                return Ok(None);
            }
            Self::Stored { table, changes, .. } => (table, changes),
        };
        let mut utt = Utterance {
            features: memory::matrix(),
            ..Utterance::default()
        };
        if !table.find(key, &mut utt)? {
            return Ok(None);
        }
        if changes.is_empty() {
            return Ok(Some(utt));
        }
        let mut reader: Box<dyn Reader> = Box::new(Single {
            utt: Some(utt),
            info: DatasetInfo::default(),
        });
        let steps = StepSurroundings {
            registry: Some(&at.registry),
            ..StepSurroundings::new(&at.env)
        };
        for step in changes {
            reader = step.over(reader, &steps)?;
        }
        let mut changed = Utterance::default();
        Ok(reader.read(&mut changed)?.then_some(changed))
    }
}

/// A data set of one utterance.
struct Single {
    utt: Option<Utterance>,
    info: DatasetInfo,
}

impl Reader for Single {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let next = self.utt.take();
        Ok(next.map(|next| *utt = next).is_some())
    }
}

/// Reads all keys from the data, in order.
fn keys(asked: &DatasetPlan, at: &Surroundings) -> Result<Vec<Key>> {
    let plan = asked.plan(at)?;
    let request = asked.request_of_keys(&plan)?;
    let quiet = at.silent();
    let mut reader = plan.open_pass(request, 0, &at.registry, &quiet)?.reader;
    let (mut keys, mut utt) = (Vec::new(), Utterance::default());
    while reader.read(&mut utt)? {
        keys.push(std::mem::take(&mut utt.key));
    }
    Ok(keys)
}

impl Table {
    /// Runs `work` on the entries, which are opened on first use.
    fn with<T>(&self, work: impl FnOnce(&mut Entries) -> Result<T>) -> Result<T> {
        let mut slot = locked(&self.entries);
        let entries = match &mut *slot {
            Some(entries) => entries,
            None => slot.insert(Entries::open(self.asked.get(), &self.surroundings)?),
        };
        work(entries)
    }
}

#[pymethods]
impl Table {
    #[new]
    fn new(py: Python<'_>, asked: Py<DatasetPlan>, settings: Settings) -> PyResult<Self> {
        let surroundings = settings.surroundings();
        // Existence is checked at once; the content is read on access.
        apart(py, || {
            let plan = asked.get().plan(&surroundings)?;
            let mut files = plan.inputs().iter().flat_map(|input| input.sources());
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
        let found = apart(py, || {
            self.with(|entries| entries.find(&key, &self.surroundings))
        });
        self.surroundings.close(py)?;
        found?.map(|utt| utterance::to_python(py, utt)).transpose()
    }

    /// Returns all keys in order.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let all = apart(py, || {
            let known = self.with(|entries| match entries {
                Entries::Stored { table, chosen, .. } => match chosen {
                    None => Ok(table.keys()),
                    Some(_) => Ok(None),
                },
                Entries::Kept { order, .. } => Ok(Some(order.clone())),
            })?;
            known.map_or_else(|| keys(self.asked.get(), &self.surroundings), Ok)
        });
        self.surroundings.close(py)?;
        let all = all?;
        let all = all.iter().map(|key| text::of_bytes(py, key.as_bytes()));
        PyList::new(py, all.collect::<PyResult<Vec<_>>>()?)
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
