//! Formats that are written in Python.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{io, mem};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator};
use spr_convert::core::bytes::{Env, Output, Part, Sink, Source};
use spr_convert::core::format::{
    AudioCaps, Caps, Count, Empty, FeatureCaps, Format, FormatInfo, Keys, LabelCaps, Medium,
    OpenedDataset, Options, Probe, Reader, Registry, Request, Score, SegmentCaps, WriteSummary,
    Writer,
};
use spr_convert::core::model::{About, DatasetInfo, Dtype, Key, KeySource, SourceField, Utterance};
use spr_convert::{Error, ErrorKind, Result, builtin};

use crate::failure::{apart, locked};
use crate::utterance;

/// The types of features and samples, as NumPy has them.
const NUMBERS: &[Dtype] = &[
    Dtype::F32,
    Dtype::F64,
    Dtype::I8,
    Dtype::U8,
    Dtype::I16,
    Dtype::I32,
];

/// The types of labels.
const LABELS: &[Dtype] = &[Dtype::I32, Dtype::U8, Dtype::I16];

/// The formats of this process by their names.
static FORMATS: Mutex<Option<HashMap<&'static str, &'static PythonFormat>>> = Mutex::new(None);

/// A format whose parts are Python functions.
struct PythonFormat {
    info: &'static FormatInfo,
    open: Option<Py<PyAny>>,
    probe: Option<Py<PyAny>>,
    create: Option<Py<PyAny>>,
    caps: Caps,
}

/// A format as a caller gives it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct FormatArgs {
    name: String,
    title: String,
    extensions: Vec<String>,
    holds: Vec<String>,
    open: Option<Py<PyAny>>,
    probe: Option<Py<PyAny>>,
    create: Option<Py<PyAny>>,
}

/// Adds the formats of this process to those that are built in.
pub(crate) fn registry() -> Registry {
    let own = FORMATS.lock().unwrap_or_else(PoisonError::into_inner);
    let own = own.iter().flat_map(HashMap::values);
    own.fold(builtin::registry(), |registry, format| {
        registry.with_format(*format)
    })
}

/// Registers a format for the rest of the process, in the place of one that was registered before by
/// its name.
#[pyfunction]
pub(crate) fn register(py: Python<'_>, format: FormatArgs) -> PyResult<()> {
    let FormatArgs {
        name,
        title,
        extensions,
        holds,
        open,
        probe,
        create,
    } = format;
    let caps = apart(py, || {
        check_names(&name, &extensions)?;
        let caps = caps(&holds)?;
        // What is only read holds nothing.
        Ok(match create {
            Some(_) => caps,
            None => Caps::new(Count::Many, Keys::Any),
        })
    })?;
    let lasting = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let extensions: Vec<_> = extensions.into_iter().map(lasting).collect();
    let (name, title) = (lasting(name), lasting(title));
    let format: &'static PythonFormat = Box::leak(Box::new(PythonFormat {
        info: Box::leak(Box::new(FormatInfo::new(
            name,
            title,
            Box::leak(extensions.into_boxed_slice()),
        ))),
        open,
        probe,
        create,
        caps,
    }));
    let mut own = FORMATS.lock().unwrap_or_else(PoisonError::into_inner);
    own.get_or_insert_default().insert(name, format);
    Ok(())
}

/// Refuses names that mean something else already.
fn check_names(name: &str, extensions: &[String]) -> Result<()> {
    let is_word = |text: &str| {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(fits)
    };
    if !is_word(name) || name.len() < 2 {
        let message = format!("'{name}' is no name of a format");
        return Err(Error::usage(message).hint("such as my-format"));
    }
    for format in builtin::registry().formats() {
        let info = format.info();
        if info.name == name {
            return Err(Error::usage(format!("the format {name} is built in")));
        }
        if let Some(own) = extensions
            .iter()
            .find(|own| info.extensions.contains(&&***own))
        {
            let message = format!("the extension .{own} is one of the format {}", info.name);
            return Err(Error::usage(message));
        }
    }
    match extensions
        .iter()
        .find(|own| !own.chars().all(|c| c.is_ascii_alphanumeric()))
    {
        Some(own) => Err(Error::usage(format!("'{own}' is no extension")).hint("such as mine")),
        None => Ok(()),
    }
}

/// Returns the capabilities of a format that holds these parts.
fn caps(holds: &[String]) -> Result<Caps> {
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.empty = Empty::Kept;
    for part in holds {
        match part.as_str() {
            "features" => {
                let mut features = FeatureCaps::new(NUMBERS);
                (features.vectors, features.scalars) = (true, true);
                caps.features = Some(features);
            }
            "labels" => caps.labels = Some(LabelCaps::new(LABELS)),
            "audio" => caps.audio = AudioCaps::samples(NUMBERS),
            "text" => caps.text = true,
            "segments" => caps.segments = Some(SegmentCaps::ALL),
            "meta" => {
                (caps.frame_shift, caps.frame_offset) = (true, true);
                caps.source = SourceField::ALL;
            }
            other => {
                let all = "features, labels, audio, text, segments, meta";
                return Err(Error::usage(format!("there is no part '{other}'")).hint(all));
            }
        }
    }
    Ok(caps)
}

/// Converts an exception of a format's code, which keeps its place if it is one of this package's.
fn failure(py: Python<'_>, raised: PyErr, name: &str, key: Option<&Key>) -> Error {
    let error = known(py, &raised).unwrap_or_else(|| {
        let doing = "the code of its format failed";
        Error::io(doing, io::Error::new(io::ErrorKind::InvalidData, raised))
    });
    let error = error.file(name).fatal();
    match key {
        Some(key) => error.utterance(key),
        None => error,
    }
}

/// Returns the error that an exception of this package stands for.
fn known(py: Python<'_>, raised: &PyErr) -> Option<Error> {
    let class = py
        .import("spr_convert._errors")
        .ok()?
        .getattr("Error")
        .ok()?;
    let value = raised.value(py);
    if !value.is_instance(&class).ok()? {
        return None;
    }
    let text = |name: &str| value.getattr(name).ok()?.extract::<Option<String>>().ok()?;
    let number = |name: &str| value.getattr(name).ok()?.extract::<Option<u64>>().ok()?;
    let kind = match text("kind")?.as_str() {
        "malformed" => ErrorKind::Malformed,
        "truncated" => ErrorKind::Truncated,
        "unsupported" => ErrorKind::Unsupported,
        "limit" => ErrorKind::Limit,
        "usage" => ErrorKind::Usage,
        "unfit" => ErrorKind::Unfit,
        _ => return None,
    };
    let mut error = Error::new(kind, text("message")?);
    if let Some(file) = text("file") {
        error = error.file(file);
    }
    error = match (number("byte"), number("line")) {
        (Some(byte), _) => error.byte(byte),
        (None, Some(line)) => error.line(line),
        (None, None) => error,
    };
    if let Some(key) = text("key") {
        error = error.utterance(&Key::from(&*key));
    }
    Some(match text("hint") {
        Some(hint) => error.hint(hint),
        None => error,
    })
}

/// Calls a function of the package that works for formats.
fn call<'py>(
    py: Python<'py>,
    name: &str,
    function: &Py<PyAny>,
    file: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let module = py.import("spr_convert._format")?;
    module.getattr(name)?.call1((function, file))
}

impl Format for PythonFormat {
    fn info(&self) -> &'static FormatInfo {
        self.info
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let Some(probe) = &self.probe else {
            let own = |extension: &str| self.info.extensions.contains(&extension);
            return match head.extension().is_some_and(own) {
                true => Score::Certain,
                false => Score::No,
            };
        };
        Python::attach(|py| {
            let name = head.path.map(Path::to_path_buf);
            let asked = probe.call1(py, (PyBytes::new(py, head.head), name));
            match asked.and_then(|told| told.bind(py).is_truthy()) {
                Ok(true) => Score::Certain,
                Ok(false) => Score::No,
                Err(raised) => {
                    // A probe has no way to fail.
                    raised.write_unraisable(py, Some(probe.bind(py)));
                    Score::No
                }
            }
        })
    }

    fn caps(&self, _: &Options, _: Medium) -> Result<Caps> {
        Ok(self.caps)
    }

    fn open(&self, source: Source, _: &Options, _: &mut Request, _: &Env) -> Result<OpenedDataset> {
        let Some(open) = &self.open else {
            let message = format!("the format {} is only written", self.info.name);
            return Err(Error::unsupported(message).hint("register it with open="));
        };
        let name = source.name().to_owned();
        let mut info = DatasetInfo::new(KeySource::Stored);
        info.compression = source.compression();
        let items = Python::attach(|py| {
            let file = SourceFile {
                name: name.clone(),
                source: Mutex::new(Some(source)),
            };
            let items =
                Bound::new(py, file).and_then(|file| call(py, "opened", open, file.into_any()));
            let items = items.and_then(|items| Ok(items.try_iter()?.unbind()));
            items.map_err(|raised| failure(py, raised, &name, None))
        })?;
        Ok(OpenedDataset::stream(PythonReader {
            items: Some(items),
            name,
            info,
        }))
    }

    fn create(&self, output: Output, _: &Options, _: &About, _: &Env) -> Result<Box<dyn Writer>> {
        let Some(create) = &self.create else {
            let message = format!("the format {} is only read", self.info.name);
            return Err(Error::unsupported(message).hint("register it with create="));
        };
        let name = output.name().to_string();
        let sink = Arc::new(Mutex::new(State::Open(output.create(Part::Main, false)?)));
        let writing = Python::attach(|py| {
            let file = SinkFile {
                name: name.clone(),
                sink: sink.clone(),
            };
            let made = Bound::new(py, file);
            let made = made.and_then(|file| call(py, "created", create, file.into_any()));
            made.map(Bound::unbind)
                .map_err(|raised| failure(py, raised, &name, None))
        })?;
        Ok(Box::new(PythonWriter {
            caps: self.caps,
            writing,
            sink,
            name,
            written: WriteSummary::default(),
        }))
    }
}

/// The utterances that an iterator gives.
struct PythonReader {
    /// `None` after the end.
    items: Option<Py<PyIterator>>,
    name: String,
    info: DatasetInfo,
}

impl Reader for PythonReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let Some(items) = self.items.take() else {
            return Ok(false);
        };
        Python::attach(|py| {
            let failed = |raised: PyErr| failure(py, raised, &self.name, None);
            let Some(item) = items.bind(py).clone().next() else {
                return Ok(false);
            };
            utterance::fill(&item.map_err(failed)?, utt).map_err(|raised| {
                let key = Some(&utt.key).filter(|key| !key.as_bytes().is_empty());
                failure(py, raised, &self.name, key)
            })?;
            utt.origin.file = Some(self.name.as_str().into());
            self.items = Some(items);
            Ok(true)
        })
    }
}

impl Drop for PythonWriter {
    /// The file goes even if something of Python's still holds it.
    fn drop(&mut self) {
        let mut state = state(&self.sink);
        if let State::Open(_) = *state {
            *state = State::Abandoned;
        }
    }
}

/// A writer that hands utterances to an object of Python.
struct PythonWriter {
    caps: Caps,
    writing: Py<PyAny>,
    sink: Arc<Mutex<State>>,
    name: String,
    written: WriteSummary,
}

impl Writer for PythonWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.caps.check(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.accept(utt)?;
        Python::attach(|py| {
            let told = utterance::to_python(py, utt.clone());
            let written = told.and_then(|told| self.writing.call_method1(py, "write", (told,)));
            written.map_err(|raised| failure(py, raised, &self.name, Some(&utt.key)))
        })?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        Python::attach(|py| {
            let closed = self.writing.call_method0(py, "close");
            closed.map_err(|raised| failure(py, raised, &self.name, None))
        })?;
        let mut written = self.written.clone();
        let ended = mem::replace(&mut *state(&self.sink), State::Complete);
        if let State::Open(sink) = ended {
            written.bytes = sink.finish()?;
        }
        Ok(written)
    }
}

/// A file that a format's code reads.
#[pyclass(frozen, module = "spr_convert._native")]
pub(crate) struct SourceFile {
    #[pyo3(get)]
    name: String,
    source: Mutex<Option<Source>>,
}

#[pymethods]
impl SourceFile {
    /// Reads up to `n` bytes; none at the end.
    fn read<'py>(&self, py: Python<'py>, n: usize) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = apart(py, || {
            let mut slot = locked(&self.source);
            let Some(source) = &mut *slot else {
                return Ok(Vec::new());
            };
            let bytes = source.peek(n.min(1 << 16))?.to_vec();
            source.skip(bytes.len() as u64)?;
            Ok(bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }
}

fn state(sink: &Mutex<State>) -> MutexGuard<'_, State> {
    sink.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state of a file that a format's code writes.
enum State {
    Open(Sink),
    Complete,
    /// Given up: what still comes out of buffers goes nowhere.
    Abandoned,
}

/// A file that a format's code writes.
#[pyclass(frozen, module = "spr_convert._native")]
pub(crate) struct SinkFile {
    #[pyo3(get)]
    name: String,
    sink: Arc<Mutex<State>>,
}

#[pymethods]
impl SinkFile {
    /// Writes bytes.
    fn write(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<usize> {
        let bytes = bytes.to_vec();
        apart(py, || match &mut *state(&self.sink) {
            State::Open(sink) => sink.put(&bytes).map(|()| bytes.len()),
            State::Abandoned => Ok(bytes.len()),
            State::Complete => Err(Error::usage("is closed").file(self.name.as_str())),
        })
    }
}
