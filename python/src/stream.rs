//! A data set that is read sequentially.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spr_convert::core::bytes::Env;
use spr_convert::core::format::Reader;
use spr_convert::core::model::{Dtype, Utterance};
use spr_convert::step::{Step, Steps};
use spr_convert::{Error, Result};

use crate::batch_maker::BatchArgs;
use crate::batches::Batches;
use crate::failure::{apart, locked, raised};
use crate::input::{Data, DatasetPlan, is_lasting};
use crate::process::Process;
use crate::settings::{Settings, Surroundings};
use crate::{text, utterance};

/// Lists all stages, each with its notation and description.
#[pyfunction]
pub(crate) fn stages() -> Vec<(&'static str, &'static str)> {
    Steps::list().collect()
}

/// Returns a step as it is written.
#[pyfunction]
pub(crate) fn step(
    py: Python<'_>,
    name: String,
    values: Vec<(String, Bound<'_, PyAny>)>,
) -> PyResult<String> {
    let mut texts = Vec::with_capacity(values.len());
    for (key, value) in values {
        let value = String::from_utf8(text::to_bytes(&value)?);
        let value = value.map_err(|_| {
            let error = Error::usage(format!("{key}: what is not UTF-8 can't be named"));
            raised(py, &error.hint("name the keys in a file, keys=FILE"))
        });
        texts.push((key, value?));
    }
    apart(py, || {
        let values = texts
            .iter()
            .map(|(key, text)| (key.as_str(), text.as_str()));
        Ok(Step::new(&name, values)?.to_string())
    })
}

/// Counts the utterances that come out, or returns `None` if they can be read only once.
#[pyfunction]
pub(crate) fn count(
    py: Python<'_>,
    asked: Py<DatasetPlan>,
    settings: Settings,
) -> PyResult<Option<u64>> {
    let at = settings.surroundings();
    let data = asked.get().resolve(py, &at)?;
    let counted = apart(py, || {
        let Data::Plan(plan) = data else {
            return Ok(None);
        };
        if !is_lasting(&plan, &at.env) {
            return Ok(None);
        }
        let request = asked.get().request_of_keys(&plan)?;
        let quiet = at.silent();
        let mut reader = plan.open_pass(request, 0, &at.registry, &quiet)?.reader;
        if let Some(known) = reader.info().utterances {
            return Ok(Some(known));
        }
        let (mut count, mut utt) = (0, Utterance::default());
        while reader.read(&mut utt)? {
            count += 1;
        }
        Ok(Some(count))
    });
    at.close(py)?;
    counted
}

/// A sequence of utterances.
#[pyclass(frozen, module = "spr_convert._native")]
pub(crate) struct Stream {
    /// `None` after the end or after closing.
    reader: Mutex<Option<Box<dyn Reader>>>,
    surroundings: Surroundings,
    process: Process,
    /// Whether it can be opened again.
    is_lasting: bool,
}

impl Stream {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Option<Box<dyn Reader>>) -> Result<T> + Send,
    ) -> PyResult<T> {
        self.process.check(py)?;
        let done = apart(py, || work(&mut locked(&self.reader)));
        self.surroundings.close(py)?;
        done
    }
}

#[pymethods]
impl Stream {
    #[new]
    fn new(
        py: Python<'_>,
        asked: Py<DatasetPlan>,
        settings: Settings,
        pass_number: u64,
    ) -> PyResult<Self> {
        let surroundings = settings.surroundings();
        let data = asked.get().resolve(py, &surroundings)?;
        let is_lasting = match &data {
            Data::Plan(plan) => is_lasting(plan, &surroundings.env),
            Data::Bytes(_) => false,
        };
        let reader = apart(py, || asked.get().open(data, pass_number, &surroundings));
        surroundings.close(py)?;
        let reader = reader?;
        Ok(Self {
            reader: Mutex::new(Some(reader)),
            surroundings,
            process: Process::current(),
            is_lasting,
        })
    }

    /// Adds a stage to the remaining utterances.
    fn then(&self, py: Python<'_>, stage: String, pass_number: u64) -> PyResult<()> {
        let env = &self.surroundings.env;
        self.with(py, |slot| {
            if let Some(reader) = slot.take() {
                *slot = Some(staged(reader, &stage, pass_number, env)?);
            }
            Ok(())
        })
    }

    /// Returns `true` in the process that opened the data set.
    fn is_current(&self) -> bool {
        self.process.is_current()
    }

    /// Returns `true` if the data can be opened again: files and folders.
    fn is_lasting(&self) -> bool {
        self.is_lasting
    }

    /// Returns the information that is known without reading utterances.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = self.with(py, |reader| Ok(reader.as_ref().map(|it| it.info().clone())))?;
        let told = PyDict::new(py);
        let Some(info) = info else {
            return Ok(told);
        };
        told.set_item("utterances", info.utterances)?;
        told.set_item("frames", info.frames)?;
        told.set_item("dim", info.dim)?;
        told.set_item("dtype", info.dtype.map(Dtype::name))?;
        told.set_item("label_columns", info.label_columns)?;
        told.set_item("sample_rate", info.sample_rate)?;
        Ok(told)
    }

    /// Skips up to `count` utterances and returns their number.
    fn skip(&self, py: Python<'_>, count: u64) -> PyResult<u64> {
        self.with(py, |slot| {
            let mut utt = Utterance::default();
            let mut passed = 0;
            if let Some(reader) = slot {
                while passed < count && reader.read(&mut utt)? {
                    passed += 1;
                }
            }
            Ok(passed)
        })
    }

    /// Makes batches of the remaining utterances, which are read by no other way any more. The first
    /// `position` batches are passed over. Arrays are in the memory that `allocate` makes, if it is given.
    fn batches(
        &self,
        py: Python<'_>,
        how: BatchArgs,
        position: u64,
        allocate: Option<Py<PyAny>>,
    ) -> PyResult<Batches> {
        let surroundings = self.surroundings.clone();
        self.with(py, |slot| match slot.take() {
            Some(reader) => Batches::new(reader, &how, (position, allocate), surroundings),
            None => Err(Error::usage("was closed")),
        })
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if !self.process.is_current() {
            return Ok(());
        }
        self.with(py, |reader| {
            *reader = None;
            Ok(())
        })
    }

    fn __iter__(own: Bound<'_, Self>) -> Bound<'_, Self> {
        own
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let read = self.with(py, |slot| {
            let Some(reader) = slot else {
                return Ok(None);
            };
            let mut utt = Utterance::default();
            match reader.read(&mut utt) {
                Ok(true) => Ok(Some(utt)),
                Ok(false) => {
                    *slot = None;
                    Ok(None)
                }
                Err(error) => {
                    if !error.can_continue() {
                        *slot = None;
                    }
                    Err(error)
                }
            }
        })?;
        read.map(|utt| utterance::to_python(py, utt)).transpose()
    }
}

impl Drop for Stream {
    /// A fork does not close what belongs to the parent, such as the command that it reads from.
    fn drop(&mut self) {
        if !self.process.is_current() {
            std::mem::forget(locked(&self.reader).take());
        }
    }
}

fn staged(
    reader: Box<dyn Reader>,
    stage: &str,
    pass_number: u64,
    env: &Env,
) -> Result<Box<dyn Reader>> {
    stage.parse::<Steps>()?.in_pass(pass_number, reader, env)
}
