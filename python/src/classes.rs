//! Python's classes of the model.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The package's classes for the model's types.
pub(crate) struct Classes {
    pub(crate) utterance: Py<PyAny>,
    pub(crate) audio: Py<PyAny>,
    pub(crate) encoded: Py<PyAny>,
    pub(crate) reference: Py<PyAny>,
    pub(crate) segment: Py<PyAny>,
    pub(crate) tier: Py<PyAny>,
    pub(crate) sequences: Py<PyAny>,
    pub(crate) object: Py<PyAny>,
    pub(crate) batch: Py<PyAny>,
}

static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();

impl Classes {
    /// Returns the classes, which are looked up once.
    pub(crate) fn of(py: Python<'_>) -> PyResult<&Self> {
        CLASSES.get_or_try_init(py, || {
            let module = py.import("spr_convert._utterance")?;
            let class = |name| module.getattr(name).map(Bound::unbind);
            Ok(Self {
                utterance: class("Utterance")?,
                audio: class("Audio")?,
                encoded: class("EncodedAudio")?,
                reference: class("AudioReference")?,
                segment: class("Segment")?,
                tier: class("Tier")?,
                sequences: class("Sequences")?,
                object: class("Object")?,
                batch: class("Batch")?,
            })
        })
    }
}
