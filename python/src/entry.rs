//! Single entries of Kaldi archives, for code that parses files itself.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spr_convert::core::bytes::{MemoryStore, Source};
use spr_convert::core::format::Options;
use spr_convert::core::model::Utterance;
use spr_convert::{Error, builtin, read_object};

use crate::failure::{apart, raised};
use crate::input::FileObject;
use crate::settings::Settings;
use crate::utterance;
use crate::writer::OutputArgs;

/// Encodes these utterances as the bytes of a file.
#[pyfunction]
pub(crate) fn encode<'py>(
    py: Python<'py>,
    utterances: &Bound<'py, PyAny>,
    wanted: OutputArgs,
    settings: Settings,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut at = settings.surroundings();
    let store = MemoryStore::new();
    at.env = at.env.with_store(Arc::new(store.clone()));
    let (mut writing, file) = apart(py, || {
        let file = wanted.target(&at)?.locations().into_iter().next();
        Ok((wanted.begin(&at)?, file))
    })?;
    let mut utt = Utterance::default();
    for from in utterances.try_iter()? {
        utterance::fill(&from?, &mut utt)?;
        apart(py, || writing.write(&mut utt))?;
    }
    apart(py, || writing.finish())?;
    at.close(py)?;
    let bytes = file.and_then(|file| store.remove(file));
    let bytes = bytes.ok_or_else(|| raised(py, &Error::usage("is not one file")))?;
    Ok(PyBytes::new(py, &bytes))
}

/// Decodes the next object in a file object. Returns it with the number of bytes consumed; more may
/// have been read.
#[pyfunction]
pub(crate) fn decode(py: Python<'_>, file: Py<PyAny>) -> PyResult<(Bound<'_, PyAny>, u64)> {
    let (utt, taken) = apart(py, || {
        let env = builtin::env();
        let mut source = Source::from_reader("a file object", Box::new(FileObject(file)))?;
        let mut utt = Utterance::default();
        read_object(&mut source, &Options::default(), &env, &mut utt)?;
        Ok((utt, source.offset()))
    })?;
    Ok((utterance::to_python(py, utt)?, taken))
}
