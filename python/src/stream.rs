//! A data set that is read sequentially.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spr_convert::core::bytes::Env;
use spr_convert::core::format::Reader;
use spr_convert::core::model::{Dtype, Utterance};
use spr_convert::step::Steps;
use spr_convert::{Error, Result};

use crate::failure::{apart, locked, raised};
use crate::input::InputArgs;
use crate::settings::{Settings, Surroundings};
use crate::utterance;

/// The number of forks between this process and the one that imported the module.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Records a fork: open data sets belong to the parent.
#[pyfunction]
pub(crate) fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Lists all stages, each with its notation and description.
#[pyfunction]
pub(crate) fn stages() -> Vec<(&'static str, &'static str)> {
    Steps::list().collect()
}

/// The process in which a data set was opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(u64);

impl Process {
    pub(crate) fn current() -> Self {
        Self(FORKS.load(Ordering::Relaxed))
    }

    pub(crate) fn is_current(self) -> bool {
        self == Self::current()
    }

    /// Fails in a forked process, because the data set belongs to the parent.
    pub(crate) fn check(self, py: Python<'_>) -> PyResult<()> {
        if self.is_current() {
            return Ok(());
        }
        let error =
            Error::usage("was opened before this process was forked, and belongs to the parent");
        Err(raised(py, &error.hint("open it in the new process")))
    }
}

/// A sequence of utterances.
#[pyclass(frozen, module = "spr_convert._native")]
pub(crate) struct Stream {
    /// `None` after the end or after closing.
    reader: Mutex<Option<Box<dyn Reader>>>,
    surroundings: Surroundings,
    process: Process,
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
        asked: InputArgs,
        settings: Settings,
        stages: Vec<String>,
        pass_number: u64,
    ) -> PyResult<Self> {
        let surroundings = settings.surroundings();
        let data = asked.data(py, &surroundings)?;
        let at = &surroundings;
        let reader = apart(py, || {
            let reader = asked.open(data, at)?;
            match stages.is_empty() {
                true => Ok(reader),
                false => staged(reader, &stages.join("|"), pass_number, &at.env),
            }
        });
        surroundings.close(py)?;
        let reader = reader?;
        Ok(Self {
            reader: Mutex::new(Some(reader)),
            surroundings,
            process: Process::current(),
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

    /// Fails if the text is no valid chain of stages.
    #[staticmethod]
    fn check(py: Python<'_>, stages: &str) -> PyResult<()> {
        apart(py, || stages.parse::<Steps>().map(drop))
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
