//! Batches of the utterances of a reader, made in turn or ahead on a thread.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use spr_convert::core::bytes::Env;
use spr_convert::core::format::Reader;
use spr_convert::core::model::{Dtype, Matrix, Utterance};
use spr_convert::core::stage::{
    Batching, PaddedBatch, PaddedBatches, PaddedBatching, PaddedLayout, ReaderExt,
};
use spr_convert::{Error, Result};

use crate::memory;

/// The longest time that closing waits for the thread, which may be in a read that takes longer.
const PATIENCE: Duration = Duration::from_millis(500);

/// The most batches that wait, for which there is room from the start.
const MOST_AHEAD: usize = 1 << 16;

/// The size and composition of batches.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
pub(crate) struct BatchArgs {
    frames: Option<usize>,
    utterances: Option<usize>,
    seconds: Option<f64>,
    buckets: Vec<f64>,
    /// The padding of features; with `None` frames are joined without any.
    pad: Option<f64>,
    pad_labels: i64,
    drop: bool,
    /// The number of batches that wait; with 0 they are made in turn, without a thread.
    pub(crate) ahead: usize,
    /// Whether utterances that do not fit are skipped.
    skip: bool,
}

impl BatchArgs {
    fn padded(&self) -> PaddedBatching {
        PaddedBatching {
            utterances: self.utterances,
            frames: self.frames,
            seconds: self.seconds,
            buckets: self.buckets.clone(),
            drop_tail: self.drop,
            padding: self.pad.unwrap_or_default(),
            label_padding: self.pad_labels,
        }
    }

    fn joined(&self) -> Result<Batching> {
        let whole = self.utterances.is_some() || self.seconds.is_some() || !self.buckets.is_empty();
        let Some(frames) = self.frames.filter(|_| !whole) else {
            let error = Error::usage("without padding a batch is a number of frames");
            return Err(error.hint("frames= alone goes with pad=None"));
        };
        let batching = Batching::frames(frames);
        Ok(match self.drop {
            true => batching.drop_tail(),
            false => batching,
        })
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.ahead > MOST_AHEAD {
            let message = format!("{} batches ahead are too many", self.ahead);
            return Err(Error::usage(message).hint(format!("at most {MOST_AHEAD}")));
        }
        match self.pad {
            Some(_) => self.padded().check(),
            None => self.joined()?.check(),
        }
    }
}

/// The values of an array: our own, or in memory that the caller makes.
pub(crate) enum Values {
    Own(Matrix),
    Given(Py<PyArray1<u8>>),
}

/// A batch.
pub(crate) enum Made {
    Padded(Box<PaddedBatch<Values>>),
    /// Frames of several utterances.
    Joined(Box<Utterance>),
}

/// What makes batches.
pub(crate) struct Maker {
    sort: Sort,
    skip: bool,
    /// A function of Python's that makes memory of so many bytes.
    allocate: Option<Py<PyAny>>,
    env: Env,
}

enum Sort {
    Padded(Box<PaddedBatches>),
    Joined(Box<dyn Reader>),
}

impl Maker {
    pub(crate) fn new(
        reader: Box<dyn Reader>,
        how: &BatchArgs,
        allocate: Option<Py<PyAny>>,
        env: &Env,
    ) -> Result<Self> {
        let sort = match how.pad {
            Some(_) => {
                let batches = PaddedBatches::new(reader, how.padded(), env.limits)?;
                Sort::Padded(Box::new(batches))
            }
            None => Sort::Joined(reader.batch(how.joined()?, env.limits)?),
        };
        Ok(Self {
            sort,
            skip: how.skip,
            allocate,
            env: env.clone(),
        })
    }

    /// Returns the next batch, if there is one.
    pub(crate) fn next(&mut self) -> Result<Option<Made>> {
        loop {
            let made = match &mut self.sort {
                Sort::Padded(batches) => {
                    let allocate = self.allocate.as_ref();
                    let made = batches.next_in(&mut |layout, fill| store(allocate, layout, fill));
                    made.map(|batch| batch.map(|batch| Made::Padded(Box::new(batch))))
                }
                Sort::Joined(reader) => {
                    let mut utt = Box::<Utterance>::default();
                    reader
                        .read(&mut utt)
                        .map(|more| more.then_some(Made::Joined(utt)))
                }
            };
            match made {
                Err(error) if self.skip && error.can_continue() => self.env.tell_skipped(&error),
                made => return made,
            }
        }
    }

    /// Passes over the next batch. Returns `false` at the end.
    pub(crate) fn pass(&mut self) -> Result<bool> {
        match &mut self.sort {
            Sort::Padded(batches) => loop {
                match batches.skip() {
                    Err(error) if self.skip && error.can_continue() => {}
                    passed => return passed,
                }
            },
            Sort::Joined(_) => self.next().map(|made| made.is_some()),
        }
    }
}

/// Stores the values of an array.
pub(crate) fn store(
    allocate: Option<&Py<PyAny>>,
    layout: &PaddedLayout,
    fill: &dyn Fn(&mut [u8]),
) -> Result<Values> {
    // What NumPy has no type for is converted, and no memory is shared of nothing.
    let Some(allocate) = allocate.filter(|_| layout.bytes > 0 && layout.dtype != Dtype::Bf16)
    else {
        let memory = memory::of_size(layout.bytes).unwrap_or_default();
        return layout.fill_matrix(memory, fill).map(Values::Own);
    };
    let filled = Python::attach(|py| -> PyResult<Values> {
        let array = allocate.bind(py).call1((layout.bytes,))?;
        let array = array.cast_into::<PyArray1<u8>>()?;
        fill(array.try_readwrite()?.as_slice_mut()?);
        Ok(Values::Given(array.unbind()))
    });
    filled.map_err(|e| Error::io("cannot make memory for a batch", io::Error::other(e)))
}

/// A thread that makes batches.
pub(crate) struct Ahead {
    pub(crate) made: Receiver<Result<Option<Made>>>,
    stop: Arc<AtomicBool>,
    /// Disconnected once the thread is at its end.
    ended: Receiver<()>,
    thread: JoinHandle<()>,
}

impl Ahead {
    /// Starts the thread, which makes as many batches ahead.
    pub(crate) fn start(mut maker: Maker, ahead: usize) -> Result<Self> {
        let (sender, made) = sync_channel(ahead.saturating_sub(1));
        let (alive, ended) = sync_channel::<()>(0);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let work = move || {
            let done = catch_unwind(AssertUnwindSafe(|| pass_on(&mut maker, &sender, &stopped)));
            drop((done, maker, sender, alive));
        };
        let started = thread::Builder::new()
            .name("spr-batches".into())
            .spawn(work);
        let thread = started.map_err(|e| Error::io("cannot start a thread for batches", e))?;
        Ok(Self {
            made,
            stop,
            ended,
            thread,
        })
    }

    /// Ends the thread, and waits for its end.
    pub(crate) fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        // Without a receiver it does not wait for one any more.
        drop(self.made);
        if self.ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Disconnected) {
            let _ = self.thread.join();
        }
    }
}

/// Sends batches up to the end, an error that can't be continued from, or a stop.
fn pass_on(maker: &mut Maker, to: &SyncSender<Result<Option<Made>>>, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let made = maker.next();
        let is_last = match &made {
            Ok(made) => made.is_none(),
            Err(error) => !error.can_continue(),
        };
        if to.send(made).is_err() || is_last {
            return;
        }
    }
}
