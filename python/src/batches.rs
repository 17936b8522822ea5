//! Padded batches, as Python has them.

use std::sync::Mutex;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use spr_convert::core::format::Reader;
use spr_convert::core::model::{Matrix, Rank, Utterance};
use spr_convert::core::stage::{PaddedBatch, PaddedBatching, PaddedField};
use spr_convert::{Error, Result};

use crate::batch_maker::{Ahead, BatchArgs, Made, Maker, Values, store};
use crate::classes::Classes;
use crate::failure::{apart, locked, raised};
use crate::process::Process;
use crate::settings::Surroundings;
use crate::{array, text, utterance};

/// The interval between checks for signals.
const PERIOD: Duration = Duration::from_millis(50);

/// The maker of batches, and where it is.
enum State {
    /// Not started, or without a thread.
    InTurn(Box<Maker>),
    Ahead(Ahead),
}

/// A sequence of batches.
#[pyclass(frozen, weakref, module = "spr_convert._native")]
pub(crate) struct Batches {
    /// `None` after the end or after closing.
    state: Mutex<Option<State>>,
    ahead: usize,
    surroundings: Surroundings,
    process: Process,
}

impl Batches {
    /// Creates batches of the utterances of `reader`, without the first `position` batches.
    pub(crate) fn new(
        reader: Box<dyn Reader>,
        how: &BatchArgs,
        (position, allocate): (u64, Option<Py<PyAny>>),
        surroundings: Surroundings,
    ) -> Result<Self> {
        let mut maker = Maker::new(reader, how, allocate, &surroundings.env)?;
        for _ in 0..position {
            if !maker.pass()? {
                break;
            }
        }
        Ok(Self {
            state: Mutex::new(Some(State::InTurn(Box::new(maker)))),
            ahead: how.ahead,
            surroundings,
            process: Process::current(),
        })
    }

    /// Returns the next batch, or `None` if it is still being made.
    fn poll(&self) -> Result<Option<Option<Made>>> {
        let mut slot = locked(&self.state);
        let made = match slot.take() {
            None => return Ok(Some(None)),
            Some(State::InTurn(mut maker)) if self.ahead == 0 => {
                let made = maker.next();
                *slot = Some(State::InTurn(maker));
                made
            }
            Some(State::InTurn(maker)) => {
                *slot = Some(State::Ahead(Ahead::start(*maker, self.ahead)?));
                return Ok(None);
            }
            Some(State::Ahead(ahead)) => {
                let made = ahead.made.recv_timeout(PERIOD);
                let made = match made {
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => Some(Err(Error::unsupported(
                        "a bug: the thread of batches is gone",
                    ))),
                    Ok(made) => Some(made),
                };
                *slot = Some(State::Ahead(ahead));
                match made {
                    Some(made) => made,
                    None => return Ok(None),
                }
            }
        };
        let is_last = match &made {
            Ok(made) => made.is_none(),
            Err(error) => !error.can_continue(),
        };
        if is_last {
            close(&mut slot);
        }
        made.map(Some)
    }
}

/// Ends a thread, if there is one.
fn close(slot: &mut Option<State>) {
    if let Some(State::Ahead(ahead)) = slot.take() {
        ahead.end();
    }
}

#[pymethods]
impl Batches {
    /// Returns `true` in the process that opened the data set.
    fn is_current(&self) -> bool {
        self.process.is_current()
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if !self.process.is_current() {
            return Ok(());
        }
        apart(py, || {
            close(&mut locked(&self.state));
            Ok(())
        })?;
        self.surroundings.close(py)
    }

    fn __iter__(own: Bound<'_, Self>) -> Bound<'_, Self> {
        own
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.process.check(py)?;
        loop {
            let made = apart(py, || self.poll());
            self.surroundings.close(py)?;
            if let Some(made) = made? {
                return made.map(|made| to_python(py, made)).transpose();
            }
            if let Err(interrupt) = py.check_signals() {
                self.close(py)?;
                return Err(interrupt);
            }
        }
    }
}

impl Drop for Batches {
    /// Ends the thread. A fork has none, and does not close what belongs to the parent.
    fn drop(&mut self) {
        let state = locked(&self.state).take();
        if !self.process.is_current() {
            std::mem::forget(state);
        } else if state.is_some() {
            // The thread may need Python's lock to come to its end.
            Python::attach(|py| py.detach(|| close(&mut { state })));
        }
    }
}

/// Fails if sizes and the like are not valid.
#[pyfunction]
pub(crate) fn check_batches(py: Python<'_>, how: BatchArgs) -> PyResult<()> {
    apart(py, || how.check())
}

/// Joins utterances of Python's to a batch.
#[pyfunction]
pub(crate) fn collate<'py>(
    py: Python<'py>,
    utterances: Vec<Bound<'py, PyAny>>,
    pad: f64,
    pad_labels: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let mut all = Vec::with_capacity(utterances.len());
    for from in &utterances {
        let mut utt = Utterance::default();
        utterance::fill(from, &mut utt)?;
        all.push(utt);
    }
    let batching = PaddedBatching {
        padding: pad,
        label_padding: pad_labels,
        ..PaddedBatching::default()
    };
    let limits = spr_convert::core::Limits::NONE;
    let batch = apart(py, || {
        PaddedBatch::of_in(&all, &batching, &limits, &mut |layout, fill| {
            store(None, layout, fill)
        })
    })?;
    to_python(py, Made::Padded(Box::new(batch)))
}

/// Converts a batch; arrays take over the memory of its matrices.
fn to_python(py: Python<'_>, made: Made) -> PyResult<Bound<'_, PyAny>> {
    let batch = match made {
        Made::Padded(batch) => *batch,
        Made::Joined(utt) => {
            let class = Classes::of(py)?.batch.bind(py);
            let features = utt.features.map(|m| array::of_matrix(py, m)).transpose()?;
            let labels = utt.labels.map(|m| array::of_matrix(py, m)).transpose()?;
            let nothing = py.None();
            return class.call1((&nothing, features, &nothing, labels));
        }
    };
    let keys = batch.keys.iter();
    let keys: PyResult<Vec<_>> = keys.map(|key| text::of_bytes(py, key.as_bytes())).collect();
    let (features, lengths) = field(py, batch.features)?;
    let (labels, label_lengths) = field(py, batch.labels)?;
    let (audio, audio_lengths) = field(py, batch.audio)?;
    let words = batch.text.map(|all| {
        let word = |one: Option<Vec<u8>>| one.map(|bytes| text::of_bytes(py, &bytes)).transpose();
        PyList::new(py, all.into_iter().map(word).collect::<PyResult<Vec<_>>>()?)
    });
    Classes::of(py)?.batch.bind(py).call1((
        keys?,
        features,
        lengths,
        labels,
        label_lengths,
        audio,
        audio_lengths,
        batch.rate,
        words.transpose()?,
    ))
}

/// An array, and the lengths in it.
type Arrays<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

/// Wraps a field without a copy of its values: an index for utterances, then one for rows.
fn field<'py>(py: Python<'py>, field: Option<PaddedField<Values>>) -> PyResult<Arrays<'py>> {
    let Some(PaddedField { values, layout, .. }) = field else {
        return Ok((None, None));
    };
    let (count, rows) = (layout.lengths.len(), layout.rows);
    let shape = match layout.rank {
        Rank::Matrix => PyTuple::new(py, [count, rows, layout.cols])?,
        Rank::Scalar | Rank::Vector => PyTuple::new(py, [count, rows])?,
    };
    let values = match values {
        Values::Own(matrix) => array::over(py, matrix, shape)?,
        Values::Given(bytes) => {
            array::view(py, bytes.into_bound(py).into_any(), layout.dtype, shape)?
        }
    };
    let lengths: Vec<_> = layout.lengths.iter().map(|n| *n as i64).collect();
    let lengths = Matrix::from_rows(&lengths, 1, Rank::Vector);
    let lengths = lengths.map_err(|error| raised(py, &error))?;
    Ok((Some(values), Some(array::of_matrix(py, lengths)?)))
}
