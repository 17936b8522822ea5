//! A data set being written.

use std::ffi::OsString;
use std::sync::Mutex;

use pyo3::prelude::*;
use spr_convert::argument::Target;
use spr_convert::builder::PlanBuilder;
use spr_convert::core::loss::{LossKind, LossPolicy};
use spr_convert::core::model::{Dtype, Utterance};
use spr_convert::writing::{Permissions, Writing};
use spr_convert::{Error, Result};

use crate::failure::{apart, locked};
use crate::process::Process;
use crate::settings::{Settings, Surroundings};
use crate::text::argument;
use crate::utterance;

/// The arguments of a caller about an output.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct OutputArgs {
    pub(crate) path: OsString,
    format: Option<String>,
    options: Vec<(String, String)>,
    pub(crate) allow_loss: Vec<String>,
    dtype: Option<String>,
    pub(crate) overwrite: bool,
    pub(crate) add: bool,
}

impl OutputArgs {
    /// Sets the format of the output and its options.
    pub(crate) fn set_format(&self, builder: &mut PlanBuilder) -> Result<()> {
        if let Some(format) = &self.format {
            builder.output_format(format)?;
        }
        for (key, value) in &self.options {
            builder.output_option(key, value);
        }
        Ok(())
    }

    fn target(&self, at: &Surroundings) -> Result<Target> {
        let mut builder = PlanBuilder::new(&at.registry, &at.env);
        self.set_format(&mut builder)?;
        builder.output(&argument(self.path.clone()))?.target()
    }

    pub(crate) fn dtype(&self) -> Result<Option<Dtype>> {
        self.dtype.as_deref().map(str::parse).transpose()
    }

    /// Allows the losses that are named, and those that the element type implies.
    fn allow(&self, policy: &mut LossPolicy) -> Result<()> {
        for kind in &self.allow_loss {
            match kind.as_str() {
                "all" => policy.allow_all(),
                kind => policy.allow(kind.parse()?),
            }
        }
        if self.dtype.is_some() {
            policy.allow(LossKind::Precision);
            policy.allow(LossKind::Range);
        }
        Ok(())
    }

    pub(crate) fn begin(&self, at: &Surroundings) -> Result<Writing> {
        let mut permissions = Permissions {
            dtype: self.dtype()?,
            overwrite: self.overwrite,
            add: self.add,
            ..Permissions::default()
        };
        self.allow(&mut permissions.policy)?;
        let (registry, env) = (at.registry.clone(), at.env.clone());
        Writing::begin(self.target(at)?, permissions, registry, env)
    }
}

/// A data set being written.
#[pyclass(frozen, module = "spr_convert._native")]
pub(crate) struct Writer {
    /// `None` after closing.
    writing: Mutex<Option<Writing>>,
    /// An utterance whose allocations are reused.
    spare: Mutex<Option<Utterance>>,
    surroundings: Surroundings,
    process: Process,
}

impl Drop for Writer {
    /// A fork does not abandon what its parent writes.
    fn drop(&mut self) {
        if !self.process.is_current() {
            std::mem::forget(self.take());
        }
    }
}

impl Writer {
    fn take(&self) -> Option<Writing> {
        locked(&self.writing).take()
    }
}

#[pymethods]
impl Writer {
    #[new]
    fn new(py: Python<'_>, wanted: OutputArgs, settings: Settings) -> PyResult<Self> {
        let surroundings = settings.surroundings();
        let writing = apart(py, || wanted.begin(&surroundings))?;
        surroundings.close(py)?;
        Ok(Self {
            writing: Mutex::new(Some(writing)),
            spare: Mutex::default(),
            surroundings,
            process: Process::current(),
        })
    }

    /// Writes an utterance.
    #[pyo3(signature = (from, /))]
    fn write(&self, py: Python<'_>, from: &Bound<'_, PyAny>) -> PyResult<()> {
        self.process.check(py)?;
        // Taken out of the mutex, so that no lock is held while Python runs.
        let mut utt = locked(&self.spare).take().unwrap_or_default();
        utterance::fill(from, &mut utt)?;
        let done = apart(py, || {
            let mut slot = locked(&self.writing);
            let Some(writing) = &mut *slot else {
                return Err(Error::usage("is closed"));
            };
            let written = writing.write(&mut utt);
            *locked(&self.spare) = Some(utt);
            written
        });
        self.surroundings.close(py)?;
        done
    }

    /// Completes the data set. Returns `(utterances, frames, bytes)`, or `None` if it is already
    /// closed.
    fn finish(&self, py: Python<'_>) -> PyResult<Option<(u64, u64, u64)>> {
        self.process.check(py)?;
        let done = apart(py, || {
            let Some(writing) = self.take() else {
                return Ok(None);
            };
            let written = writing.finish()?;
            Ok(Some((written.utterances, written.frames, written.bytes)))
        });
        self.surroundings.close(py)?;
        done
    }

    /// Abandons the output and removes its temporary files.
    fn abandon(&self, py: Python<'_>) -> PyResult<()> {
        self.process.check(py)?;
        apart(py, || {
            drop(self.take());
            Ok(())
        })
    }
}
